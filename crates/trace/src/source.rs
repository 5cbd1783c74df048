//! Where records come from: the one interface between a trace (file, memory, generator) and the simulator.

use std::path::Path;
use std::sync::Arc;

use crate::{BadLines, Record, TraceError};

/// What the clock of a recording showed when the records begin to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// The recording whose clock it is, by its whole path.
    pub file: Arc<Path>,
    /// What it showed at time 0 of the records, in ns.
    pub zero_ns: u64,
}

/// A stream of records in non-decreasing time order.
pub trait RecordSource: Send {
    /// Append up to `max` records to `out` and say how many were added; zero means the end.
    ///
    /// # Errors
    /// The first record that cannot be read stops the stream; records before it have been delivered.
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError>;

    /// The lines that have been left out so far because they could not be read. Sources that cannot meet a bad line,
    /// or stop at the first, leave none out.
    fn bad_lines(&self) -> BadLines {
        BadLines::default()
    }

    /// By which clock the records count, once the first has been delivered. Records that no clock of a recording timed,
    /// or whose times were changed so that it no longer fits, have none.
    fn clock(&self) -> Option<Clock> {
        None
    }
}

/// Records held in memory.
#[derive(Debug, Clone)]
pub struct MemorySource {
    records: std::sync::Arc<[Record]>,
    next: usize,
}

impl MemorySource {
    /// Play `records` in order.
    pub fn new(records: impl Into<std::sync::Arc<[Record]>>) -> Self {
        Self { records: records.into(), next: 0 }
    }
}

impl RecordSource for MemorySource {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let count = max.min(self.records.len() - self.next);
        out.extend_from_slice(&self.records[self.next..self.next + count]);
        self.next += count;
        Ok(count)
    }
}

/// Whether records in memory make a trace: each is a request, they are in order of time, and there is at least one.
pub(crate) fn check(name: &str, records: &[Record]) -> Result<(), TraceError> {
    let fail = |reason: String| TraceError::Records { name: name.to_owned(), reason };
    if records.is_empty() {
        return Err(fail("holds no requests".to_owned()));
    }
    let mut last_ns = 0;
    for (index, record) in records.iter().enumerate() {
        if let Some(fault) = record.fault() {
            return Err(fail(format!("record {index} (from 0): {fault}")));
        }
        if record.time_ns < last_ns {
            return Err(fail(format!(
                "record {index} (from 0): time goes backwards: {} ns after {last_ns} ns; sort the records \
                 by time",
                record.time_ns
            )));
        }
        last_ns = record.time_ns;
    }
    Ok(())
}
