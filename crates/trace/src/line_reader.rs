//! What all text formats share: lines in, checked records in order of time out.

use std::borrow::Cow;
use std::ops::Range;

use crate::checked::{Checked, Parsed, ReadOptions, Reader};
use crate::error::{BadLine, excerpt};
use crate::foreign;
use crate::input::Input;
use crate::{Record, TraceError};

/// A text format: a line in, records out. State is for what must agree between lines.
pub(crate) trait LineParser: Send {
    /// Understand one line that is not blank, or say what is wrong with it.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String>;

    /// If `text` begins with a whole line that holds one request and is as plain as most are: the request, and the
    /// bytes of the line with its ending. All else is left to [`LineParser::parse`], which must say the same of such a
    /// line. For formats that are worth it.
    #[inline]
    fn parse_plain(&self, _text: &[u8]) -> Option<(Record, usize)> {
        None
    }

    /// Why a file ended without a request, if the format knows: the device asked for does not occur, the events are of
    /// another kind.
    fn nothing_found(&self) -> Option<String> {
        None
    }

    /// A sign, at the end of the file, that part of the recording is missing.
    fn missing_at_end(&self) -> Option<String> {
        None
    }
}

/// Records of a text file.
pub(crate) struct LineReader<P> {
    input: Input,
    parser: P,
    expected: Cow<'static, str>,
    checked: Checked,
}

impl<P: LineParser> LineReader<P> {
    pub(crate) fn new(
        input: Input,
        parser: P,
        expected: impl Into<Cow<'static, str>>,
        how: &ReadOptions,
    ) -> Self {
        Self { input, parser, expected: expected.into(), checked: Checked::new(how) }
    }

    /// A line that cannot be read ends the reading, or is left out.
    #[cold]
    fn bad_line(&mut self, reason: String, line: Range<usize>, read: bool) -> Result<(), TraceError> {
        let line = self.input.line(line);
        let text = excerpt(line);
        let binary = if foreign::is_binary(line) {
            "; the line has zero bytes: the file is no text, or damaged here"
        } else {
            ""
        };
        let reason = reason + binary;
        let number = self.input.line_number();
        if self.checked.goes_on() {
            self.checked.leave_out(BadLine { place: format!("line {number}"), reason, text }, read);
            return Ok(());
        }
        self.input.check_packing(&format!("line {number} makes no sense"))?;
        Err(TraceError::Line {
            path: self.input.path().to_path_buf(),
            line: number,
            reason,
            text,
            expected: self.expected.clone().into_owned(),
        })
    }
}

impl<P: LineParser> Reader for LineReader<P> {
    fn checked(&self) -> &Checked {
        &self.checked
    }

    fn checked_mut(&mut self) -> &mut Checked {
        &mut self.checked
    }

    fn read(&mut self, out: &mut Vec<Record>, round: Range<usize>) -> Result<(), TraceError> {
        while out.len() < round.end {
            // A request that is not accepted is met again below, which tells what is wrong with it.
            if let Some((record, bytes)) = self.parser.parse_plain(self.input.ahead())
                && let Some(record) = self.checked.accept_good(record)
            {
                self.input.take_line(bytes);
                out.push(record);
                continue;
            }
            let Some(range) = self.input.next_line()? else {
                if self.checked.is_empty() {
                    return Err(self.input.fail(self.checked.nothing_found(self.parser.nothing_found())));
                }
                self.checked.ended(self.parser.missing_at_end());
                return Ok(());
            };
            let line = self.input.line(range.clone());
            if line.trim_ascii_start().is_empty() {
                continue;
            }
            let accepted = self.parser.parse(line).and_then(|said| match said {
                Parsed::Nothing => Ok(()),
                Parsed::One(record) => self.checked.accept(record).map(|record| out.push(record)),
                Parsed::Two(first, second) => {
                    out.push(self.checked.accept(first)?);
                    self.checked.accept_second(second, out, round.end)
                }
            });
            if let Err(reason) = accepted {
                let read = out.len() > round.start;
                self.bad_line(reason, range, read)?;
                if read {
                    break;
                }
            }
        }
        Ok(())
    }
}
