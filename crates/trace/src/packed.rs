//! The records of a trace that was read once, packed small, so that playing it again need not parse text again.
//!
//! Most requests are near the one before in time, aligned, and of the same size, so a record takes 7 to 10 bytes
//! instead of a line of text (or 32 bytes in memory). Its head says how many bytes each number has, so that none is
//! looked at byte by byte.

use std::sync::Arc;

use crate::{BadLines, Op, Record, RecordSource, TraceError};

/// Longer traces are read from their source each time: memory stays bounded whatever the trace.
const MOST_BYTES: usize = 64 << 20;

const OP_BITS: u16 = 0b11;
const SAME_SIZE: u16 = 0b100;
const ALIGNED: u16 = 0b1000;
const ALIGNMENT_BITS: u32 = 12;

/// Where the head has the lengths of time, place and size, bytes: four bits each.
const TIME_AT: u32 = 4;
const PLACE_AT: u32 = 8;
const SIZE_AT: u32 = 12;

/// No head of a record: the byte that follows is the stream of the next records. A size that is the same has no length.
const STREAM: u16 = SAME_SIZE | 1 << SIZE_AT;

/// Numbers are read eight bytes at a time, so as many follow the last.
const END: [u8; 8] = [0; 8];

/// Records being packed as they come by.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    /// The packed trace has grown beyond `MOST_BYTES`; nothing of it is kept.
    given_up: bool,
    last_ns: u64,
    last_size: u64,
    last_stream: u8,
}

impl Packer {
    /// Add records, whose times do not go backwards.
    pub(crate) fn add(&mut self, records: &[Record]) {
        if self.given_up {
            return;
        }
        for record in records {
            if record.stream != self.last_stream {
                self.last_stream = record.stream;
                self.bytes.extend(STREAM.to_le_bytes());
                self.bytes.push(record.stream);
            }
            let aligned = record.offset_bytes.trailing_zeros() >= ALIGNMENT_BITS;
            let same_size = record.size_bytes == self.last_size;
            let at = self.bytes.len();
            self.bytes.extend([0, 0]);
            let place = if aligned { record.offset_bytes >> ALIGNMENT_BITS } else { record.offset_bytes };
            let lengths = self.put(record.time_ns - self.last_ns) << TIME_AT
                | self.put(place) << PLACE_AT
                | if same_size { 0 } else { self.put(record.size_bytes) << SIZE_AT };
            let flags = if same_size { SAME_SIZE } else { 0 } | if aligned { ALIGNED } else { 0 };
            let head = record.op as u16 | flags | lengths;
            self.bytes[at..at + 2].copy_from_slice(&head.to_le_bytes());
            (self.last_ns, self.last_size) = (record.time_ns, record.size_bytes);
        }
        if self.bytes.len() > MOST_BYTES {
            *self = Self { given_up: true, ..Self::default() };
        }
    }

    /// The bytes of a number, lowest first, without zeros at the end; how many there are.
    #[inline]
    fn put(&mut self, number: u64) -> u16 {
        let length = (u64::BITS - number.leading_zeros()).div_ceil(8);
        let end = self.bytes.len() + length as usize;
        self.bytes.extend(number.to_le_bytes());
        self.bytes.truncate(end);
        length as u16
    }

    /// All that was added, unless it was too much.
    pub(crate) fn finish(mut self) -> Option<Arc<[u8]>> {
        self.bytes.extend(END);
        (!self.given_up).then(|| self.bytes.into())
    }
}

/// Plays what a [`Packer`] packed.
pub(crate) struct PackedSource {
    bytes: Arc<[u8]>,
    /// What the first reading found missing, said again at the end.
    warnings: Vec<String>,
    next: usize,
    last_ns: u64,
    last_size: u64,
    stream: u8,
}

impl PackedSource {
    pub(crate) fn new(bytes: Arc<[u8]>, warnings: Vec<String>) -> Self {
        Self { bytes, warnings, next: 0, last_ns: 0, last_size: 0, stream: 0 }
    }
}

/// The next number, whose length is in `head` at `at`.
#[inline]
fn take(bytes: &mut &[u8], head: u16, at: u32) -> u64 {
    let length = u32::from(head >> at) & 0b1111;
    let (eight, _) = bytes.split_first_chunk().expect("there is an end");
    *bytes = &bytes[length as usize..];
    u64::from_le_bytes(*eight) & u64::MAX.checked_shr(u64::BITS - 8 * length).unwrap_or(0)
}

impl RecordSource for PackedSource {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        let mut rest = &self.bytes[self.next..];
        while rest.len() > END.len()
            && out.len() - before < max
            && let [low, high, tail @ ..] = rest
        {
            let head = u16::from_le_bytes([*low, *high]);
            if head == STREAM
                && let [stream, tail @ ..] = tail
            {
                (self.stream, rest) = (*stream, tail);
                continue;
            }
            rest = tail;
            self.last_ns += take(&mut rest, head, TIME_AT);
            let place = take(&mut rest, head, PLACE_AT);
            let offset_bytes = if head & ALIGNED == 0 { place } else { place << ALIGNMENT_BITS };
            if head & SAME_SIZE == 0 {
                self.last_size = take(&mut rest, head, SIZE_AT);
            }
            let op = match head & OP_BITS {
                0 => Op::Read,
                1 => Op::Write,
                2 => Op::Trim,
                _ => Op::Flush,
            };
            let (time_ns, size_bytes) = (self.last_ns, self.last_size);
            out.push(Record { time_ns, offset_bytes, size_bytes, op, stream: self.stream });
        }
        self.next = self.bytes.len() - rest.len();
        Ok(out.len() - before)
    }

    fn bad_lines(&self) -> BadLines {
        let at_end = self.next + END.len() == self.bytes.len();
        BadLines { warnings: if at_end { self.warnings.clone() } else { Vec::new() }, ..BadLines::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_packed_is_played_back(
            fields in prop::collection::vec(
                (any::<u32>(), any::<u64>(), any::<bool>(), any::<u64>(), 0_usize..4, any::<bool>(), 0_u8..3),
                0..50,
            ),
            at_once in 1_usize..9,
        ) {
            let mut time_ns = 0;
            let mut last_size = 0;
            let records: Vec<Record> = fields
                .into_iter()
                .map(|(gap, place, aligned, size, op, same, stream)| {
                    time_ns += u64::from(gap);
                    last_size = if same { last_size } else { size };
                    let offset_bytes = if aligned { place << ALIGNMENT_BITS } else { place };
                    let op = [Op::Read, Op::Write, Op::Trim, Op::Flush][op];
                    Record { time_ns, offset_bytes, size_bytes: last_size, op, stream }
                })
                .collect();
            let mut packer = Packer::default();
            packer.add(&records);
            let mut source = PackedSource::new(packer.finish().unwrap(), Vec::new());
            let mut played = Vec::new();
            while source.fill(&mut played, at_once).unwrap() > 0 {}
            prop_assert_eq!(played, records);
        }
    }

    #[test]
    fn what_is_too_much_is_not_kept() {
        let record =
            Record { time_ns: 0, offset_bytes: u64::MAX - 1, size_bytes: 1, op: Op::Write, stream: 0 };
        let mut packer = Packer::default();
        let many = vec![record; 1 << 16];
        // Two bytes for the head, none for the time, eight for the place; the size of the first takes one more.
        for _ in 0..(MOST_BYTES - 1) / (10 << 16) {
            packer.add(&many);
        }
        assert!(!packer.given_up);
        packer.add(&many);
        assert!(packer.finish().is_none());
    }
}
