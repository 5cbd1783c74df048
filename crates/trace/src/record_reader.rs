//! What the formats that are not text share: events in, checked records in order of time out.

use std::ops::Range;
use std::path::PathBuf;

use crate::checked::{Checked, Parsed, ReadOptions, Reader};
use crate::error::BadLine;
use crate::{Record, TraceError};

/// A file that is a sequence of events, numbered from 1.
pub(crate) trait Events: Send {
    /// The next event: what it says, or what is wrong with it. `None` at the end of the file; the outer error if the
    /// file itself cannot be read on.
    fn next(&mut self) -> Result<Option<Result<Parsed, String>>, TraceError>;

    /// What the file calls an event: record, row.
    fn noun(&self) -> &'static str;

    /// Where the event that was handed out last stands; `number` counts all of them.
    fn place(&self, number: u64) -> String {
        format!("{} {number}", self.noun())
    }

    /// Why a file ended without a request, if the format knows: the device asked for does not occur, the events are of
    /// another kind.
    fn nothing_found(&self) -> Option<String> {
        None
    }

    /// A sign that part of the recording is missing.
    fn missing(&self) -> Option<String> {
        None
    }
}

/// Records of a file of events.
pub(crate) struct RecordReader<E> {
    events: E,
    path: PathBuf,
    checked: Checked,
    number: u64,
}

impl<E: Events> RecordReader<E> {
    pub(crate) fn new(path: PathBuf, events: E, how: &ReadOptions) -> Self {
        Self { events, path, checked: Checked::new(how), number: 0 }
    }

    /// An event that cannot be taken ends the reading, or is left out.
    #[cold]
    fn bad_event(&mut self, reason: String, read: bool) -> Result<(), TraceError> {
        let place = self.events.place(self.number);
        if self.checked.goes_on() {
            self.checked.leave_out(BadLine { place, reason, text: String::new() }, read);
            return Ok(());
        }
        Err(self.fail(format!("{place}: {reason}")))
    }

    fn fail(&self, reason: String) -> TraceError {
        TraceError::File { path: self.path.clone(), reason }
    }
}

impl<E: Events> Reader for RecordReader<E> {
    fn checked(&self) -> &Checked {
        &self.checked
    }

    fn checked_mut(&mut self) -> &mut Checked {
        &mut self.checked
    }

    fn read(&mut self, out: &mut Vec<Record>, round: Range<usize>) -> Result<(), TraceError> {
        while out.len() < round.end {
            let Some(event) = self.events.next()? else {
                if self.checked.is_empty() {
                    return Err(self.fail(self.checked.nothing_found(self.events.nothing_found())));
                }
                self.checked.ended(self.events.missing());
                return Ok(());
            };
            self.number += 1;
            let accepted = event.and_then(|said| match said {
                Parsed::Nothing => Ok(()),
                Parsed::One(record) => self.checked.accept(record).map(|record| out.push(record)),
                Parsed::Two(first, second) => {
                    out.push(self.checked.accept(first)?);
                    self.checked.accept_second(second, out, round.end)
                }
            });
            if let Err(reason) = accepted {
                let read = out.len() > round.start;
                self.bad_event(reason, read)?;
                if read {
                    break;
                }
            }
        }
        Ok(())
    }
}
