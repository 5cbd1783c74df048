//! Sequential requests: those that continue another in the address space.

use serde::{Deserialize, Serialize};

use super::distribution::ratio;
use crate::{Op, Record};

/// How requests of one kind follow one another.
///
/// A request is *next to the previous* when it starts at the byte where the request of its kind before it ended. It is
/// *in a stream* when it starts where any of the last `window` requests of its kind ended, so that interleaved
/// sequential streams count. Everything else is random.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Requests of this kind.
    pub requests: u64,
    /// Those next to the previous one.
    pub next_to_previous: u64,
    /// Those in a stream (next to the previous ones are among them).
    pub in_stream: u64,
    /// `next_to_previous / requests`.
    pub next_to_previous_share: f64,
    /// `in_stream / requests`.
    pub in_stream_share: f64,
    /// Bytes of the requests in a stream as a share of all bytes of this kind.
    pub in_stream_bytes_share: f64,
    /// Mean size of a request in a stream, in bytes.
    pub mean_in_stream_bytes: f64,
    /// Mean size of a random request, in bytes.
    pub mean_random_bytes: f64,
}

/// How requests follow one another in space, by kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sequentiality {
    /// Requests that a stream may be interrupted by.
    pub window: usize,
    /// Reads after reads.
    pub read: Order,
    /// Writes after writes.
    pub write: Order,
    /// Trims after trims.
    pub trim: Order,
    /// Share of reads, writes and trims that start where the one before them ended, whatever its kind.
    pub next_to_any_share: f64,
}

struct Kind {
    /// Ends of the last requests, in no order after the first round; `u64::MAX` is none.
    ends: Box<[u64]>,
    at: usize,
    last_end: u64,
    requests: u64,
    next_to_previous: u64,
    in_stream: u64,
    stream_bytes: u64,
    bytes: u64,
}

impl Kind {
    fn new(window: usize) -> Self {
        Self {
            ends: vec![u64::MAX; window].into_boxed_slice(),
            at: 0,
            last_end: u64::MAX,
            requests: 0,
            next_to_previous: 0,
            in_stream: 0,
            stream_bytes: 0,
            bytes: 0,
        }
    }

    #[inline]
    fn add(&mut self, record: &Record) {
        let next = record.offset_bytes == self.last_end;
        let in_stream = next || self.ends.contains(&record.offset_bytes);
        self.requests += 1;
        self.next_to_previous += u64::from(next);
        self.in_stream += u64::from(in_stream);
        self.bytes = self.bytes.saturating_add(record.size_bytes);
        if in_stream {
            self.stream_bytes = self.stream_bytes.saturating_add(record.size_bytes);
        }
        self.last_end = record.end_bytes();
        self.ends[self.at] = self.last_end;
        self.at = if self.at + 1 == self.ends.len() { 0 } else { self.at + 1 };
    }

    fn finish(&self) -> Order {
        Order {
            requests: self.requests,
            next_to_previous: self.next_to_previous,
            in_stream: self.in_stream,
            next_to_previous_share: ratio(self.next_to_previous, self.requests),
            in_stream_share: ratio(self.in_stream, self.requests),
            in_stream_bytes_share: ratio(self.stream_bytes, self.bytes),
            mean_in_stream_bytes: ratio(self.stream_bytes, self.in_stream),
            mean_random_bytes: ratio(self.bytes - self.stream_bytes, self.requests - self.in_stream),
        }
    }
}

pub(super) struct OrderCounters {
    window: usize,
    kinds: [Kind; 3],
    last_end: u64,
    requests: u64,
    next_to_any: u64,
}

impl OrderCounters {
    pub(super) fn new(window: usize) -> Self {
        Self {
            window,
            kinds: std::array::from_fn(|_| Kind::new(window)),
            last_end: u64::MAX,
            requests: 0,
            next_to_any: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, record: &Record) {
        if record.op == Op::Flush {
            return;
        }
        self.kinds[record.op as usize].add(record);
        self.requests += 1;
        self.next_to_any += u64::from(record.offset_bytes == self.last_end);
        self.last_end = record.end_bytes();
    }

    pub(super) fn finish(&self) -> Sequentiality {
        let [read, write, trim] = &self.kinds;
        Sequentiality {
            window: self.window,
            read: read.finish(),
            write: write.finish(),
            trim: trim.finish(),
            next_to_any_share: ratio(self.next_to_any, self.requests),
        }
    }
}
