//! What the formats that are not text share: events in, checked records in order of time out.

use std::path::PathBuf;

use crate::checked::Checked;
use crate::formats::Reading;
use crate::line_reader::Parsed;
use crate::{Faults, Record, RecordSource, TraceError};

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

    /// Why a file that ended without a request may have done so, if more than that can be said.
    fn nothing_found(&self) -> Option<String> {
        None
    }
}

/// Records of a file of events.
pub(crate) struct RecordReader<E> {
    events: E,
    path: PathBuf,
    checked: Checked,
    number: u64,
    /// The second record of an event when there was room only for the first.
    held_back: Option<Record>,
    /// Said again to whoever asks again: a source that failed never looks finished.
    failed: Option<TraceError>,
}

impl<E: Events> RecordReader<E> {
    pub(crate) fn new(path: PathBuf, events: E, how: &Reading) -> Self {
        Self { events, path, checked: Checked::new(how), number: 0, held_back: None, failed: None }
    }

    fn read(&mut self, out: &mut Vec<Record>, target: usize) -> Result<(), TraceError> {
        out.extend(self.held_back.take());
        while out.len() < target {
            let Some(event) = self.events.next()? else {
                return if self.checked.is_empty() { Err(self.nothing_found()) } else { Ok(()) };
            };
            self.number += 1;
            let accepted = event.and_then(|parsed| match parsed {
                Parsed::Nothing => Ok(()),
                Parsed::One(record) => self.checked.accept(record).map(|record| out.push(record)),
                Parsed::Two(first, second) => {
                    out.push(self.checked.accept(first)?);
                    let second = self.checked.accept(second)?;
                    if out.len() < target {
                        out.push(second);
                    } else {
                        self.held_back = Some(second);
                    }
                    Ok(())
                }
            });
            if let Err(reason) = accepted {
                self.fault(&reason)?;
            }
        }
        Ok(())
    }

    /// An event that cannot be taken ends the reading, or is counted.
    #[cold]
    fn fault(&mut self, reason: &str) -> Result<(), TraceError> {
        if self.checked.goes_on() {
            self.checked.faults.add(&self.events.place(self.number), reason, "");
            return Ok(());
        }
        Err(self.fail(format!("{}: {reason}", self.events.place(self.number))))
    }

    #[cold]
    fn nothing_found(&self) -> TraceError {
        let reason = self.events.nothing_found().or_else(|| self.checked.faults.nothing_left());
        self.fail(reason.unwrap_or_else(|| "holds no requests".to_owned()))
    }

    fn fail(&self, reason: String) -> TraceError {
        TraceError::File { path: self.path.clone(), reason }
    }
}

impl<E: Events> RecordSource for RecordReader<E> {
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
