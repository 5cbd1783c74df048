//! The requests of a round in another order.

use crate::random::RandomStream;
use crate::{Op, Record, Trace, TraceError};

/// Records taken from a trace at once.
const AT_ONCE: usize = 4096;

/// What a request asks for, without when.
#[derive(Debug, Clone, Copy)]
struct Asked {
    offset_bytes: u64,
    size_bytes: u64,
    op: Op,
    stream: u8,
}

/// The requests of one round in an order drawn at random, and then in another, as often as asked. Holds each of them
/// without its time, 24 bytes: an order of requests that are read again and again could only be followed by looking
/// each of them up.
#[derive(Debug)]
pub struct Shuffle {
    asked: Vec<Asked>,
    random: RandomStream,
}

impl Shuffle {
    /// No requests yet; orders are drawn from the stream `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self { asked: Vec::new(), random: RandomStream::new(seed, name) }
    }

    /// All requests of `trace`, in its order until they are shuffled.
    ///
    /// # Errors
    /// When the trace cannot be read, or has more requests than can be shuffled.
    pub fn of(trace: &Trace, seed: u64, name: &str) -> Result<Self, TraceError> {
        let mut shuffle = Self::new(seed, name);
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        while source.fill(&mut records, AT_ONCE)? > 0 {
            shuffle.add(trace.name(), &records)?;
            records.clear();
        }
        Ok(shuffle)
    }

    /// Takes requests in at the end; `trace` is the name of theirs, for messages.
    pub(super) fn add(&mut self, trace: &str, records: &[Record]) -> Result<(), TraceError> {
        let ask = |record: &Record| Asked {
            offset_bytes: record.offset_bytes,
            size_bytes: record.size_bytes,
            op: record.op,
            stream: record.stream,
        };
        self.asked.extend(records.iter().map(ask));
        if u32::try_from(self.asked.len()).is_ok() {
            return Ok(());
        }
        let reason = "has more than 4294967295 requests, too many to play them in another order \
                      (trace.repeat_order); play fewer (trace.max_requests)";
        Err(TraceError::Records { name: trace.to_owned(), reason: reason.to_owned() })
    }

    /// Draws another order, every one as likely (Fisher and Yates, from the last place down).
    pub fn shuffle(&mut self) {
        for last in (1..self.asked.len()).rev() {
            let at = self.random.below(last as u32 + 1);
            self.asked.swap(last, at as usize);
        }
    }

    /// Number of requests.
    pub fn requests(&self) -> usize {
        self.asked.len()
    }

    /// The request at place `at` of the present order, arriving at `time_ns`; `None` behind the last.
    #[inline]
    pub fn record(&self, at: usize, time_ns: u64) -> Option<Record> {
        let Asked { offset_bytes, size_bytes, op, stream } = *self.asked.get(at)?;
        Some(Record { time_ns, offset_bytes, size_bytes, op, stream })
    }
}
