//! `time device sector sectors type`, separated by blanks: what DiskSim began and SSDsim and MQSim took over, each with
//! its own unit of time.

use crate::checked::{Parsed, ReadOptions};
use crate::cursor::{Cursor, NumberFault};
use crate::devices::{Devices, Numbered};
use crate::error::excerpt;
use crate::line_reader::LineParser;
use crate::units::{SECTOR_BYTES, TimeUnit, in_bytes};
use crate::{Op, Record, TraceError};

/// What the last column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    /// 1 for a read, 0 for a write.
    ZeroOrOne,
    /// A hexadecimal number whose bit 0 is set for a read; the other bits say how urgent it is.
    BitZero,
}

pub(super) struct FiveColumns {
    unit: TimeUnit,
    flags: Flags,
    devices: Devices<Numbered>,
}

impl FiveColumns {
    /// Times are in `unit` unless the options say otherwise.
    pub(super) fn new(how: &ReadOptions, unit: TimeUnit, flags: Flags) -> Result<Self, TraceError> {
        let unit = how.options.time_unit.unwrap_or(unit);
        Ok(Self { unit, flags, devices: Devices::new(how, "device")? })
    }
}

impl LineParser for FiveColumns {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let row = Row::parse(line, self.unit, self.flags)?;
        if !self.devices.takes(row.device)? {
            return Ok(Parsed::Nothing);
        }
        Ok(Parsed::One(Record {
            time_ns: row.time_ns,
            offset_bytes: in_bytes(row.sector, SECTOR_BYTES, "the start sector")?,
            size_bytes: in_bytes(row.sectors, SECTOR_BYTES, "the number of sectors")?,
            op: row.op,
            stream: 0,
        }))
    }

    fn nothing_found(&self) -> Option<String> {
        self.devices.nothing_found()
    }
}

/// How many decimals the time of a line has, if the line has five columns of this kind.
pub(super) fn like(line: &[u8], flags: Flags) -> Option<usize> {
    let row = Row::parse(line, TimeUnit::Nanoseconds, flags).ok()?;
    Some(row.decimals)
}

/// The first column of a line as it is written, if the line has five columns of this kind.
pub(super) fn time(line: &[u8], flags: Flags) -> Option<u64> {
    Row::parse(line, TimeUnit::Nanoseconds, flags).ok().map(|row| row.time_ns)
}

/// The third and fourth column of a line, if it is of this kind.
pub(super) fn addressed(line: &[u8]) -> Option<(u64, u64)> {
    let row = Row::parse(line, TimeUnit::Nanoseconds, Flags::BitZero).ok()?;
    Some((row.sector, row.sectors))
}

struct Row {
    time_ns: u64,
    decimals: usize,
    device: Numbered,
    sector: u64,
    sectors: u64,
    op: Op,
}

impl Row {
    #[inline]
    fn parse(line: &[u8], unit: TimeUnit, flags: Flags) -> Result<Self, String> {
        let mut cursor = Cursor::new(line);
        cursor.blanks();
        let (time_ns, decimals) =
            cursor.fixed_point(unit.decimals()).map_err(|fault| fault.of("the time in the first column"))?;
        separated(&mut cursor, "the time in the first column")?;
        let device = cursor.number().map_err(|fault| fault.of("the device in the second column"))?;
        separated(&mut cursor, "the device in the second column")?;
        let sector = cursor.number().map_err(|fault| fault.of("the start sector in the third column"))?;
        separated(&mut cursor, "the start sector in the third column")?;
        let sectors =
            cursor.number().map_err(|fault| fault.of("the number of sectors in the fourth column"))?;
        separated(&mut cursor, "the number of sectors in the fourth column")?;
        let op = op(cursor.word(), flags)?;
        cursor.blanks();
        if !cursor.rest().is_empty() {
            return Err(format!("unexpected \"{}\" after the fifth column", excerpt(cursor.rest())));
        }
        Ok(Self { time_ns, decimals, device: Numbered(device), sector, sectors, op })
    }
}

#[inline]
fn op(word: &[u8], flags: Flags) -> Result<Op, String> {
    match (word, flags) {
        (b"0", _) => return Ok(Op::Write),
        (b"1", _) => return Ok(Op::Read),
        (_, Flags::ZeroOrOne) => {}
        (_, Flags::BitZero) => {
            if let Some(bits) =
                std::str::from_utf8(word).ok().and_then(|text| u32::from_str_radix(text, 16).ok())
            {
                return Ok(if bits & 1 == 1 { Op::Read } else { Op::Write });
            }
        }
    }
    Err(unknown_op(word, flags))
}

#[cold]
fn unknown_op(word: &[u8], flags: Flags) -> String {
    let valid = match flags {
        Flags::ZeroOrOne => "0 (write), 1 (read)",
        Flags::BitZero => "a hexadecimal number with bit 0 set for a read, as in 0 (write), 1 (read)",
    };
    if word.is_empty() {
        return format!("the line ends before the type in the fifth column; valid: {valid}");
    }
    if word.starts_with(b"-") {
        return NumberFault::Negative.of("the type in the fifth column");
    }
    format!("unknown type \"{}\" in the fifth column; valid: {valid}", excerpt(word))
}

#[inline]
fn separated(cursor: &mut Cursor, what: &str) -> Result<(), String> {
    if cursor.blanks() { Ok(()) } else { Err(unseparated(*cursor, what)) }
}

#[cold]
fn unseparated(cursor: Cursor, what: &str) -> String {
    match cursor.peek() {
        None => format!("the line ends after {what}; five columns are needed"),
        Some(_) => format!("unexpected \"{}\" after {what}", excerpt(cursor.rest())),
    }
}
