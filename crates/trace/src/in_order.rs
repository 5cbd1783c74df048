//! Requests of a file that is nearly in order of time, put in order as they are read: in bounded memory, where sorting
//! needs all of them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

/// So many requests are held back, so that an earlier one may stand so far behind.
const HELD: usize = 1 << 20;
const AT_ONCE: usize = 1 << 12;

/// A record with its place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    record: Record,
    place: u64,
}

impl Held {
    fn key(&self) -> (u64, u64) {
        (self.record.time_ns, self.place)
    }
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Records in order of time, counted from the first; equal times in the order of the file.
pub(crate) struct InOrder {
    source: Box<dyn RecordSource>,
    path: PathBuf,
    clock_of: Arc<Path>,
    /// The records that are held back: the first to go is on top.
    waiting: BinaryHeap<Reverse<Held>>,
    read: u64,
    ended: bool,
    first_ns: Option<u64>,
    last_ns: u64,
    failed: Option<TraceError>,
    held_at_most: usize,
}

impl InOrder {
    /// The records of `source`, whose times are those of the file.
    pub(crate) fn new(source: Box<dyn RecordSource>, path: &Path, clock_of: &Arc<Path>) -> Self {
        Self {
            source,
            path: path.to_path_buf(),
            clock_of: Arc::clone(clock_of),
            waiting: BinaryHeap::new(),
            read: 0,
            ended: false,
            first_ns: None,
            last_ns: 0,
            failed: None,
            held_at_most: HELD,
        }
    }

    /// Read on until as many records are held back as may be, or the file ends.
    fn read_on(&mut self) -> Result<(), TraceError> {
        let mut records = Vec::with_capacity(AT_ONCE);
        while !self.ended && self.waiting.len() < self.held_at_most {
            let room = AT_ONCE.min(self.held_at_most - self.waiting.len());
            self.ended = self.source.fill(&mut records, room)? == 0;
            for record in records.drain(..) {
                self.waiting.push(Reverse(Held { record, place: self.read }));
                self.read += 1;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Record>, TraceError> {
        self.read_on()?;
        let Some(Reverse(Held { record, place })) = self.waiting.pop() else { return Ok(None) };
        let time_ns = record.time_ns;
        if time_ns < self.last_ns {
            return Err(TraceError::File {
                path: self.path.clone(),
                reason: format!(
                    "request {}: is earlier than one that stands {} requests or more before it; use --sort \
                     to load all of them and put them in order",
                    place + 1,
                    self.held_at_most
                ),
            });
        }
        self.last_ns = time_ns;
        let first_ns = *self.first_ns.get_or_insert(time_ns);
        Ok(Some(Record { time_ns: time_ns - first_ns, ..record }))
    }
}

impl RecordSource for InOrder {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        while self.failed.is_none() && out.len() - before < max {
            match self.next() {
                Ok(Some(record)) => out.push(record),
                Ok(None) => break,
                Err(error) => self.failed = Some(error),
            }
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
        source.held_at_most = held;
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
        let told = read(&[5, 6, 7, 1], 2).unwrap_err().to_string();
        assert!(told.contains("request 4") && told.contains("--sort"), "{told}");
        assert_eq!(read(&[5, 6, 7, 1], 4).unwrap()[0], (0, 3));
    }
}
