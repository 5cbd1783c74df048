//! What all text formats share: lines in, checked records in order of time out.

use std::borrow::Cow;
use std::ops::Range;

use crate::checked::Checked;
use crate::error::excerpt;
use crate::formats::Reading;
use crate::input::Input;
use crate::{Faults, Record, RecordSource, TraceError};

/// What one line of a text format says. Times are by the file's own clock; the reader makes them relative.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// No request, by the rules of the format (a header, a completion, a summary).
    Nothing,
    /// One request.
    One(Record),
    /// Two requests at once, in this order.
    Two(Record, Record),
}

/// A text format: a line in, records out. State is for what must agree between lines.
pub(crate) trait LineParser: Send {
    /// Understand one line that is not blank, or say what is wrong with it.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String>;

    /// Why a file that ended without a request may have done so, if more than that can be said.
    fn nothing_found(&self) -> Option<String> {
        None
    }
}

/// Records of a text file.
pub(crate) struct LineReader<P> {
    input: Input,
    parser: P,
    expected: Cow<'static, str>,
    checked: Checked,
    /// The second record of a line when there was room only for the first.
    held_back: Option<Record>,
    /// Said again to whoever asks again: a source that failed never looks finished.
    failed: Option<TraceError>,
}

impl<P: LineParser> LineReader<P> {
    pub(crate) fn new(
        input: Input,
        parser: P,
        expected: impl Into<Cow<'static, str>>,
        how: &Reading,
    ) -> Self {
        Self {
            input,
            parser,
            expected: expected.into(),
            checked: Checked::new(how),
            held_back: None,
            failed: None,
        }
    }

    fn read(&mut self, out: &mut Vec<Record>, target: usize) -> Result<(), TraceError> {
        if let Some(record) = self.held_back.take() {
            out.push(record);
        }
        while out.len() < target {
            let Some(range) = self.input.next_line()? else {
                if self.checked.is_empty() {
                    return Err(self.nothing_found());
                }
                return Ok(());
            };
            let line = self.input.line(range.clone());
            if line.trim_ascii_start().is_empty() {
                continue;
            }
            let accepted = match self.parser.parse(line) {
                Ok(Parsed::Nothing) => Ok(()),
                Ok(Parsed::One(record)) => self.checked.accept(record).map(|record| out.push(record)),
                Ok(Parsed::Two(first, second)) => self.checked.accept(first).and_then(|first| {
                    out.push(first);
                    let second = self.checked.accept(second)?;
                    if out.len() < target {
                        out.push(second);
                    } else {
                        self.held_back = Some(second);
                    }
                    Ok(())
                }),
                Err(reason) => Err(reason),
            };
            if let Err(reason) = accepted {
                self.fault(reason, range)?;
            }
        }
        Ok(())
    }

    /// A line that cannot be read ends the reading, or is counted.
    #[cold]
    fn fault(&mut self, reason: String, line: Range<usize>) -> Result<(), TraceError> {
        let text = excerpt(self.input.line(line));
        let number = self.input.line_number();
        if self.checked.goes_on() {
            self.checked.faults.add(&format!("line {number}"), &reason, &text);
            return Ok(());
        }
        Err(TraceError::Line {
            path: self.input.path().to_path_buf(),
            line: number,
            reason,
            text,
            expected: self.expected.clone().into_owned(),
        })
    }

    #[cold]
    fn nothing_found(&self) -> TraceError {
        let reason = self.parser.nothing_found().or_else(|| self.checked.faults.nothing_left());
        self.input.fail(reason.unwrap_or_else(|| "holds no requests".to_owned()))
    }
}

impl<P: LineParser> RecordSource for LineReader<P> {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        if max > 0 && self.failed.is_none() {
            self.failed = self.read(out, before + max).err();
        }
        match &self.failed {
            // What was read before the fault is delivered first.
            Some(error) if out.len() == before => Err(error.clone()),
            _ => Ok(out.len() - before),
        }
    }

    fn faults(&self) -> Faults {
        self.checked.faults.clone()
    }
}
