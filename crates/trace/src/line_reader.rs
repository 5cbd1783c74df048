//! What all text formats share: lines in, checked records in order of time out.

use std::borrow::Cow;

use crate::error::excerpt;
use crate::formats::Reading;
use crate::input::Input;
use crate::{Record, RecordSource, TraceError};

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

/// Whether times are checked and made relative while reading, or left for sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Refuse time going backwards.
    Checked,
    /// Times as in the file; the caller sorts.
    AsInFile,
}

/// Records of a text file.
pub(crate) struct LineReader<P> {
    input: Input,
    parser: P,
    expected: Cow<'static, str>,
    order: Order,
    first_ns: Option<u64>,
    last_ns: u64,
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
            order: how.order,
            first_ns: None,
            last_ns: 0,
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
                if self.first_ns.is_none() {
                    return Err(self.input.fail(
                        self.parser.nothing_found().unwrap_or_else(|| "holds no requests".to_owned()),
                    ));
                }
                return Ok(());
            };
            let line = self.input.line(range.clone());
            if line.trim_ascii_start().is_empty() {
                continue;
            }
            let accepted = match self.parser.parse(line) {
                Ok(Parsed::Nothing) => Ok(()),
                Ok(Parsed::One(record)) => self.accept(record).map(|record| out.push(record)),
                Ok(Parsed::Two(first, second)) => self.accept(first).and_then(|first| {
                    out.push(first);
                    let second = self.accept(second)?;
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
                return Err(TraceError::Line {
                    path: self.input.path().to_path_buf(),
                    line: self.input.line_number(),
                    reason,
                    text: excerpt(self.input.line(range)),
                    expected: self.expected.clone().into_owned(),
                });
            }
        }
        Ok(())
    }

    /// Check a record, and its time against the one before.
    #[inline]
    fn accept(&mut self, mut record: Record) -> Result<Record, String> {
        if let Some(fault) = record.fault() {
            return Err(fault);
        }
        let first_ns = *self.first_ns.get_or_insert(record.time_ns);
        if self.order == Order::Checked {
            if record.time_ns < self.last_ns {
                return Err(backwards(record.time_ns, self.last_ns));
            }
            self.last_ns = record.time_ns;
            record.time_ns -= first_ns;
        }
        Ok(record)
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
}

#[cold]
fn backwards(time_ns: u64, last_ns: u64) -> String {
    format!(
        "time goes backwards: {} s after {} s; use --sort to put the requests in order of time first",
        seconds(time_ns),
        seconds(last_ns)
    )
}

fn seconds(time_ns: u64) -> String {
    format!("{}.{:09}", time_ns / 1_000_000_000, time_ns % 1_000_000_000)
}
