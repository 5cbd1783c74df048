//! libCacheSim's oracleGeneral: binary, 24 bytes for each request to an object of a cache, little-endian: time in s
//! (u32), number of the object (u64), its size in bytes (u32), and which request, from 1, asks for the object next
//! (i64; -1 or the largest number: none does).
//!
//! Such a trace has neither addresses nor operations. Here objects are laid out in whole pages of 4 KiB, one behind the
//! other as they are first asked for; the first request for an object writes it, as a cache does that had not got it,
//! and every later one reads it. An object that has outgrown its pages is written anew, behind all others.

use std::collections::HashMap;

use crate::checked::Parsed;
use crate::footprint::UNIT_BYTES;
use crate::format::Format;
use crate::input::Input;
use crate::record_reader::{Events, RecordReader};
use crate::units::TimeUnit;
use crate::{Op, Record, TraceError};

pub(super) const FORMAT: Format = Format {
    name: "oracle",
    aliases: &["oracleGeneral"],
    about: "libCacheSim's oracleGeneral, binary: objects become pages, written at first and then read",
    expected: "(binary: 24 bytes per request)",
    recognise: |input| fits(input.head()),
    read: |input, how| {
        let path = input.path().to_path_buf();
        let oracle = Oracle { input, objects: HashMap::new(), end_bytes: 0 };
        Ok(Box::new(RecordReader::new(path, oracle, how)))
    },
    ..Format::PLAIN
};

const RECORD_BYTES: usize = 24;
/// No trace has so many: the bytes of a text would be a larger number.
const MOST_REQUESTS: usize = 1 << 40;

#[derive(Debug, Clone, Copy)]
struct Asked {
    time_s: u32,
    object: u64,
    size_bytes: u32,
    next: i64,
}

impl Asked {
    fn of(record: &[u8]) -> Self {
        let four = |at: usize| record[at..at + 4].try_into().expect("four bytes");
        let eight = |at: usize| record[at..at + 8].try_into().expect("eight bytes");
        Self {
            time_s: u32::from_le_bytes(four(0)),
            object: u64::from_le_bytes(eight(4)),
            size_bytes: u32::from_le_bytes(four(12)),
            next: i64::from_le_bytes(eight(16)),
        }
    }

    fn is_last_of_its_object(&self) -> bool {
        matches!(self.next, -1 | i64::MAX)
    }
}

/// Whether the beginning of a file is such a trace. No magic word tells, but each record names one that comes later,
/// which must be of the same object.
fn fits(head: &[u8]) -> bool {
    const RECORDS_TRIED: usize = 1000;
    let asked: Vec<Asked> = head.chunks_exact(RECORD_BYTES).take(RECORDS_TRIED).map(Asked::of).collect();
    let fits = |(at, each): (usize, &Asked)| {
        if each.is_last_of_its_object() {
            return true;
        }
        let Ok(next) = usize::try_from(each.next) else { return false };
        // Record `at` is request `at + 1`.
        let later = asked.get(next.wrapping_sub(1));
        (at + 2..MOST_REQUESTS).contains(&next) && later.is_none_or(|later| later.object == each.object)
    };
    let in_order = asked.windows(2).all(|pair| pair[0].time_s <= pair[1].time_s);
    !asked.is_empty() && in_order && asked.iter().enumerate().all(fits)
}

struct Oracle {
    input: Input,
    /// Where each object lies, and in how many bytes.
    objects: HashMap<u64, (u64, u64)>,
    /// Where the next one will.
    end_bytes: u64,
}

impl Oracle {
    fn request(&mut self, asked: Asked) -> Result<Parsed, String> {
        let Asked { time_s, object, size_bytes, .. } = asked;
        // libCacheSim passes over these, too.
        if size_bytes == 0 {
            return Ok(Parsed::Nothing);
        }
        let size_bytes = u64::from(size_bytes).next_multiple_of(UNIT_BYTES);
        let known = self.objects.get(&object).filter(|(_, room_bytes)| size_bytes <= *room_bytes);
        let (op, offset_bytes) = if let Some((offset_bytes, _)) = known {
            (Op::Read, *offset_bytes)
        } else {
            let offset_bytes = self.end_bytes;
            self.end_bytes =
                offset_bytes.checked_add(size_bytes).ok_or("more objects than 64 bits of bytes hold")?;
            self.objects.insert(object, (offset_bytes, size_bytes));
            (Op::Write, offset_bytes)
        };
        let time_ns = u64::from(time_s) * TimeUnit::Seconds.ns();
        Ok(Parsed::One(Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }))
    }
}

impl Events for Oracle {
    fn next(&mut self) -> Result<Option<Result<Parsed, String>>, TraceError> {
        let Some(range) = self.input.next_bytes(RECORD_BYTES)? else { return Ok(None) };
        let asked = Asked::of(self.input.bytes(range));
        Ok(Some(self.request(asked)))
    }

    fn noun(&self) -> &'static str {
        "record"
    }
}
