//! Requests of a file that is nearly in order of time, put in order as they are read: in bounded memory, where sorting
//! needs all of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

/// So many requests are held back at least, so that an earlier one may stand so far behind.
const HELD: usize = 1 << 19;

/// Records in order of time, counted from the first; equal times in the order of the file.
pub(crate) struct InOrder {
    source: Box<dyn RecordSource>,
    path: PathBuf,
    clock_of: Arc<Path>,
    /// Records in order; those before `next` have gone. Sorted anew whenever more are read: nearly sorted, that is
    /// quick.
    records: Vec<Record>,
    next: usize,
    ended: bool,
    first_ns: Option<u64>,
    last_ns: u64,
    failed: Option<TraceError>,
    held: usize,
}

impl InOrder {
    /// The records of `source`, whose times are those of the file.
    pub(crate) fn new(source: Box<dyn RecordSource>, path: &Path, clock_of: &Arc<Path>) -> Self {
        Self {
            source,
            path: path.to_path_buf(),
            clock_of: Arc::clone(clock_of),
            records: Vec::new(),
            next: 0,
            ended: false,
            first_ns: None,
            last_ns: 0,
            failed: None,
            held: HELD,
        }
    }

    /// Read on until twice as many as must be are held back, or the file ends; the first must not be earlier than what
    /// has gone.
    fn read_on(&mut self) -> Result<(), TraceError> {
        self.records.drain(..self.next);
        self.next = 0;
        while !self.ended && self.records.len() < 2 * self.held {
            let room = 2 * self.held - self.records.len();
            self.ended = self.source.fill(&mut self.records, room)? == 0;
        }
        self.records.sort_by_key(|record| record.time_ns);
        let Some(first) = self.records.first() else { return Ok(()) };
        if first.time_ns < self.last_ns {
            return Err(TraceError::File {
                path: self.path.clone(),
                reason: format!(
                    "a request at {} ns stands more than {} requests behind a later one, at {} ns; use \
                     --sort to load all of them and put them in order",
                    first.time_ns, self.held, self.last_ns
                ),
            });
        }
        self.first_ns.get_or_insert(first.time_ns);
        Ok(())
    }

    /// Hand out what is in order, at most so many.
    fn hand_out(&mut self, out: &mut Vec<Record>, max: usize) -> Result<(), TraceError> {
        let before = out.len();
        while out.len() - before < max {
            if !self.ended && self.records.len() - self.next <= self.held {
                self.read_on()?;
            }
            let waiting = self.records.len() - self.next;
            let ready = if self.ended { waiting } else { waiting.saturating_sub(self.held) };
            let count = ready.min(max - (out.len() - before));
            let Some(last) = self.records[self.next..self.next + count].last() else { break };
            self.last_ns = last.time_ns;
            let first_ns = self.first_ns.unwrap_or(0);
            let going = &self.records[self.next..self.next + count];
            out.extend(going.iter().map(|record| Record { time_ns: record.time_ns - first_ns, ..*record }));
            self.next += count;
        }
        Ok(())
    }
}

impl RecordSource for InOrder {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        if self.failed.is_none() {
            self.failed = self.hand_out(out, max).err();
        }
        match &self.failed {
            // What was put in order before the error is delivered first.
            Some(error) if out.len() == before && max > 0 => Err(error.clone()),
            _ => Ok(out.len() - before),
        }
    }

    fn bad_lines(&self) -> BadLines {
        self.source.bad_lines()
    }

    fn clock(&self) -> Option<Clock> {
        Some(Clock { file: Arc::clone(&self.clock_of), zero_ns: self.first_ns? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemorySource, Op};

    fn read(times: &[u64], held: usize) -> Result<Vec<(u64, u64)>, TraceError> {
        let record = |(at, time_ns): (usize, &u64)| {
            let offset_bytes = 512 * at as u64;
            Record { time_ns: *time_ns, offset_bytes, size_bytes: 512, op: Op::Write, stream: 0 }
        };
        let records: Vec<Record> = times.iter().enumerate().map(record).collect();
        let path: Arc<Path> = Path::new("a.csv").into();
        let mut source = InOrder::new(Box::new(MemorySource::new(records)), &path, &path);
        source.held = held;
        let mut out = Vec::new();
        while source.fill(&mut out, 2)? > 0 {}
        Ok(out.iter().map(|record| (record.time_ns, record.offset_bytes / 512)).collect())
    }

    #[test]
    fn requests_that_stand_too_late_find_their_place() {
        let expected = vec![(0, 1), (3, 0), (3, 3), (5, 4), (7, 2)];
        for held in [2, 3, 100] {
            assert_eq!(read(&[5, 2, 9, 5, 7], held).unwrap(), expected, "{held}");
        }
    }

    #[test]
    fn one_that_stands_further_behind_is_refused() {
        let told = read(&[5, 6, 7, 8, 9, 1], 2).unwrap_err().to_string();
        assert!(told.contains("a request at 1 ns stands more than 2") && told.contains("--sort"), "{told}");
        assert_eq!(read(&[5, 6, 7, 1], 4).unwrap()[0], (0, 3));
    }
}
