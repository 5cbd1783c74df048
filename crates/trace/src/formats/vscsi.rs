//! The binary traces that `vscsiStats` writes on VMware ESX, as CloudPhysics distributed them: one record per SCSI
//! command.
//!
//! Little-endian. Version 1 has 32 bytes (serial number u32, length in bytes u32, scatter-gather entries u32, command
//! u16, version u16, block u64, time in us u64); version 2 has 40 (command, version, serial number, length, entries,
//! block, time, response time). The upper byte of the version field is 1 or 2. A block is 512 B.

use super::scsi::op;
use crate::checked::Parsed;
use crate::format::Format;
use crate::input::Input;
use crate::record_reader::{Events, RecordReader};
use crate::units::{SECTOR_BYTES, in_bytes};
use crate::{Op, Record, TraceError};

pub(super) const FORMAT: Format = Format {
    name: "vscsi",
    about: "VMware vscsiStats, versions 1 and 2, binary",
    expected: "(binary: 32 or 40 bytes per SCSI command)",
    recognise: |input| version_of(input).is_some(),
    read: |input, how| {
        let Some(version) = version_of(&input) else {
            return Err(input.fail("is no vscsi trace: its first records have no version 1 or 2".to_owned()));
        };
        let path = input.path().to_path_buf();
        Ok(Box::new(RecordReader::new(path, Vscsi { input, version }, how)))
    },
    ..Format::PLAIN
};

const MICROSECOND_NS: u64 = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    fn bytes(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    /// Where the version field stands; its upper byte is the version.
    fn field(self) -> usize {
        match self {
            Self::One => 14,
            Self::Two => 2,
        }
    }

    fn number(self) -> u16 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    fn is_of(self, record: &[u8]) -> bool {
        u16_at(record, self.field()) >> 8 == self.number()
    }
}

/// The version that all records at the beginning of the file have.
fn version_of(input: &Input) -> Option<Version> {
    const RECORDS_TRIED: usize = 20;
    [Version::One, Version::Two].into_iter().find(|version| {
        let mut records = input.head().chunks_exact(version.bytes()).take(RECORDS_TRIED).peekable();
        records.peek().is_some()
            && records.all(|record| version.is_of(record) && op(command(record, *version)).is_ok())
    })
}

struct Vscsi {
    input: Input,
    version: Version,
}

impl Events for Vscsi {
    #[inline]
    fn next(&mut self) -> Result<Option<Result<Parsed, String>>, TraceError> {
        let Some(range) = self.input.next_bytes(self.version.bytes())? else { return Ok(None) };
        Ok(Some(parse(self.input.bytes(range), self.version)))
    }

    fn noun(&self) -> &'static str {
        "record"
    }
}

#[inline]
fn parse(record: &[u8], version: Version) -> Result<Parsed, String> {
    if !version.is_of(record) {
        return Err(format!("is not of version {}, as the first is", version.number()));
    }
    let (length_at, block_at, time_at) = match version {
        Version::One => (4, 16, 24),
        Version::Two => (8, 16, 24),
    };
    let Some(op) = op(command(record, version))? else { return Ok(Parsed::Nothing) };
    let time_ns = u64_at(record, time_at)
        .checked_mul(MICROSECOND_NS)
        .ok_or("the time is too large for 64 bits of nanoseconds")?;
    if op == Op::Flush {
        return Ok(Parsed::One(Record { time_ns, offset_bytes: 0, size_bytes: 0, op, stream: 0 }));
    }
    Ok(Parsed::One(Record {
        time_ns,
        offset_bytes: in_bytes(u64_at(record, block_at), SECTOR_BYTES, "the block")?,
        size_bytes: u64::from(u32_at(record, length_at)),
        op,
        stream: 0,
    }))
}

fn command(record: &[u8], version: Version) -> u16 {
    match version {
        Version::One => u16_at(record, 12),
        Version::Two => u16_at(record, 0),
    }
}

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(record[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(record[at..at + 8].try_into().expect("eight bytes"))
}
