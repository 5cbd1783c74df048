//! Arrival times moved at random.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

/// How far arrival times move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JitterSpec {
    /// At most so far, earlier or later, in ns; every whole number of ns between is as likely.
    pub most_ns: u64,
    /// Of the draws.
    pub seed: u64,
}

/// Farthest that an arrival may move: a day, far more than any request takes.
const MOST_NS: u64 = 86_400_000_000_000;

impl JitterSpec {
    pub(super) fn describe(self) -> String {
        format!("arrivals moved by up to {} ns (seed {})", self.most_ns, self.seed)
    }

    pub(super) fn fault(self) -> Option<String> {
        (self.most_ns > MOST_NS)
            .then(|| format!("jitter must be at most {MOST_NS} ns (a day), not {} ns", self.most_ns))
    }
}

/// Records taken from the source at once.
const AT_ONCE: usize = 1024;

/// A request at its new time, and which of the trace it is: of those at the same time, earlier ones go first.
struct Moved {
    index: u64,
    record: Record,
}

impl Moved {
    fn order(&self) -> (u64, u64) {
        (self.record.time_ns, self.index)
    }
}

impl PartialEq for Moved {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Moved {}

impl PartialOrd for Moved {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moved {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// Holds the requests of twice the jitter, which is how long others can still come before them.
pub(super) struct Jitter {
    source: Box<dyn RecordSource>,
    most_ns: u64,
    random: Pcg64,
    input: Vec<Record>,
    waiting: BinaryHeap<Reverse<Moved>>,
    /// Records that were read, and when the last of them arrives without jitter.
    read: u64,
    reached_ns: u64,
    ended: bool,
}

impl Jitter {
    /// `source`, whose first request arrives at time 0 and stays there, so that the trace begins with it.
    pub(super) fn new(source: Box<dyn RecordSource>, spec: JitterSpec) -> Self {
        Self {
            source,
            most_ns: spec.most_ns,
            random: Pcg64::from_seed(blake3::derive_key(
                "reclaim-trace trace.jitter",
                &spec.seed.to_le_bytes(),
            )),
            input: Vec::with_capacity(AT_ONCE),
            waiting: BinaryHeap::new(),
            read: 0,
            reached_ns: 0,
            ended: false,
        }
    }

    fn read_on(&mut self) -> Result<(), TraceError> {
        self.input.clear();
        self.ended = self.source.fill(&mut self.input, AT_ONCE)? == 0;
        for mut record in self.input.drain(..) {
            self.reached_ns = record.time_ns;
            if self.read > 0 {
                let later = record.time_ns.saturating_add(self.random.random_range(0..=2 * self.most_ns));
                record.time_ns = later.saturating_sub(self.most_ns);
            }
            self.waiting.push(Reverse(Moved { index: self.read, record }));
            self.read += 1;
        }
        Ok(())
    }

    /// Whether nothing that has not been read can come before a request at this time.
    fn is_due(&self, time_ns: u64) -> bool {
        self.ended || time_ns <= self.reached_ns.saturating_sub(self.most_ns)
    }
}

impl RecordSource for Jitter {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let mut count = 0;
        while count < max {
            match self.waiting.peek() {
                Some(Reverse(next)) if self.is_due(next.record.time_ns) => {
                    out.extend(self.waiting.pop().map(|Reverse(next)| next.record));
                    count += 1;
                }
                None if self.ended => break,
                // What is complete is delivered before an error that lies ahead.
                _ if count > 0 && !self.ended => break,
                _ => self.read_on()?,
            }
        }
        Ok(count)
    }

    fn bad_lines(&self) -> BadLines {
        self.source.bad_lines()
    }

    fn clock(&self) -> Option<Clock> {
        self.source.clock()
    }
}
