//! The records of a trace that was read once, packed small, so that playing it again need not parse text again.
//!
//! Most requests are near the one before in time, aligned, and of the same size, so a record takes 7 to 10 bytes
//! instead of a line of text (or 32 bytes in memory). Its head says how many bytes each number has, so that none is
//! looked at byte by byte.

use std::sync::Arc;

use crate::source::Clock;
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

/// Most bytes from the begin of a record that are looked at or written: its head, and eight for each number, from where
/// the one before ends. (Lengths up to 15 are made room for, so that none need be checked.)
const WINDOW: usize = 2 + 15 + 15 + 8;

/// All bytes of records are in a window, so as many follow the last.
const END: [u8; WINDOW] = [0; WINDOW];

/// What a head that is not followed by its record takes, with the stream.
const STREAM_BYTES: usize = 3;

/// Most bytes of a record with its stream.
const MOST_RECORD_BYTES: usize = STREAM_BYTES + 2 + 3 * 8;

/// Records that were packed.
#[derive(Clone)]
pub(crate) struct Packed {
    bytes: Arc<[u8]>,
    records: usize,
}

/// Records being packed as they come by.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    records: usize,
    /// Where records are packed before it is known how long they are.
    room: Vec<u8>,
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
        let most = records.len() * MOST_RECORD_BYTES + WINDOW;
        if self.room.len() < most {
            self.room.resize(most, 0);
        }
        let mut end = 0;
        for record in records {
            if record.stream != self.last_stream {
                self.last_stream = record.stream;
                self.room[end..end + 2].copy_from_slice(&STREAM.to_le_bytes());
                self.room[end + 2] = record.stream;
                end += STREAM_BYTES;
            }
            let aligned = record.offset_bytes.is_multiple_of(1 << ALIGNMENT_BITS);
            let same_size = record.size_bytes == self.last_size;
            let window = self.room[end..].first_chunk_mut().expect("room for all");
            let place = if aligned { record.offset_bytes >> ALIGNMENT_BITS } else { record.offset_bytes };
            let time_length = put(window, 2, record.time_ns - self.last_ns);
            let place_length = put(window, 2 + time_length, place);
            let size_at = 2 + time_length + place_length;
            let size_length = if same_size { 0 } else { put(window, size_at, record.size_bytes) };
            let lengths = time_length << TIME_AT | place_length << PLACE_AT | size_length << SIZE_AT;
            let flags = if same_size { SAME_SIZE } else { 0 } | if aligned { ALIGNED } else { 0 };
            let head = record.op as u16 | flags | lengths as u16;
            window[..2].copy_from_slice(&head.to_le_bytes());
            end += size_at + size_length;
            (self.last_ns, self.last_size) = (record.time_ns, record.size_bytes);
        }
        self.bytes.extend_from_slice(&self.room[..end]);
        self.records += records.len();
        if self.bytes.len() > MOST_BYTES {
            *self = Self { given_up: true, ..Self::default() };
        }
    }

    /// All that was added, unless it was too much.
    pub(crate) fn finish(mut self) -> Option<Packed> {
        self.bytes.extend(END);
        (!self.given_up).then(|| Packed { bytes: self.bytes.into(), records: self.records })
    }
}

/// Put all bytes of a number at a place of the window, lowest first; how many there are without the zeros at the end,
/// over which the next goes.
#[inline]
fn put(window: &mut [u8; WINDOW], at: usize, number: u64) -> usize {
    window[at..at + 8].copy_from_slice(&number.to_le_bytes());
    (u64::BITS - number.leading_zeros()).div_ceil(8) as usize
}

/// Plays what a [`Packer`] packed.
pub(crate) struct PackedSource {
    packed: Packed,
    /// What the first reading found missing, said again at the end.
    warnings: Vec<String>,
    clock: Option<Clock>,
    left: usize,
    place: Place,
}

impl PackedSource {
    pub(crate) fn new(packed: Packed, warnings: Vec<String>, clock: Option<Clock>) -> Self {
        Self { left: packed.records, packed, warnings, clock, place: Place::default() }
    }
}

/// How far packed records have been played.
#[derive(Clone, Copy, Default)]
struct Place {
    next: usize,
    last_ns: u64,
    last_size: u64,
    stream: u8,
}

impl Place {
    /// The next record, which must be there.
    #[inline]
    fn play(&mut self, bytes: &[u8]) -> Record {
        let (head, window) = loop {
            let window: &[u8; WINDOW] = bytes[self.next..].first_chunk().expect("there is an end");
            let head = u16::from_le_bytes(*window.first_chunk().expect("two bytes"));
            if head != STREAM {
                break (head, window);
            }
            self.stream = window[2];
            self.next += STREAM_BYTES;
        };
        let length = |at: u32| usize::from(head >> at & 0b1111);
        let place_at = 2 + length(TIME_AT);
        let size_at = place_at + length(PLACE_AT);
        self.last_ns += take(window, 2, length(TIME_AT));
        let place = take(window, place_at, length(PLACE_AT));
        if head & SAME_SIZE == 0 {
            self.last_size = take(window, size_at, length(SIZE_AT));
        }
        self.next += size_at + length(SIZE_AT);
        Record {
            time_ns: self.last_ns,
            offset_bytes: if head & ALIGNED == 0 { place } else { place << ALIGNMENT_BITS },
            size_bytes: self.last_size,
            op: match head & OP_BITS {
                0 => Op::Read,
                1 => Op::Write,
                2 => Op::Trim,
                _ => Op::Flush,
            },
            stream: self.stream,
        }
    }
}

/// The number of so many bytes at a place of the window.
#[inline]
fn take(window: &[u8; WINDOW], at: usize, length: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&window[at..at + 8]);
    u64::from_le_bytes(eight) & MASKS[length]
}

/// The lowest bytes of a number, by how many they are.
const MASKS: [u64; 16] = {
    let mut masks = [u64::MAX; 16];
    let mut length = 0;
    while length < 8 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

impl RecordSource for PackedSource {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let count = max.min(self.left);
        // Kept in registers on the way.
        let mut place = self.place;
        out.extend((0..count).map(|_| place.play(&self.packed.bytes)));
        self.place = place;
        self.left -= count;
        Ok(count)
    }

    fn bad_lines(&self) -> BadLines {
        let warnings = if self.left == 0 { self.warnings.clone() } else { Vec::new() };
        BadLines { warnings, ..BadLines::default() }
    }

    fn clock(&self) -> Option<Clock> {
        self.clock.clone()
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
            let mut source = PackedSource::new(packer.finish().unwrap(), Vec::new(), None);
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
