//! The trace format of the Storage Performance Council, in which UMass distributes Financial and WebSearch:
//! `ASU,LBA,Size,Opcode,Timestamp`.
//!
//! LBA in blocks of 512 B within the application storage unit (ASU), size in bytes, opcode `R` or `W` in either case,
//! time in seconds; further columns are optional (SPC Trace File Format Specification, revision 1.0.1, section 2).

use super::comma::{Columns, unknown};
use super::doubtful_times::{epoch, pace, times};
use crate::checked::Parsed;
use crate::devices::{Devices, Numbered};
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::{SECTOR_BYTES, TimeUnit, in_bytes};
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "spc",
    about: "SPC and UMass: ASU,LBA in sectors,Size in bytes,Opcode,Timestamp in s",
    expected: "0,20941264,8192,W,0.551706",
    settings: &[Setting::Device, Setting::TimeUnit],
    recognise: |input| any_early_line(input, |line| row(line, TimeUnit::Nanoseconds).is_ok()),
    doubt: |input, options| {
        let times = times(input, |line| Some(row(line, TimeUnit::Nanoseconds).ok()?.time_ns));
        let pace = || pace(&times, UNIT, 0..=MOST_GAP_S, TimeUnit::Microseconds, options);
        epoch(&times, UNIT, options).or_else(pace)
    },
    read: |input, how| {
        let unit = how.options.time_unit.unwrap_or(UNIT);
        let parser = Spc { units: Devices::new(how, "ASU")?, unit };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

const UNIT: TimeUnit = TimeUnit::Seconds;
/// A load whose requests are further apart, s, is none.
const MOST_GAP_S: u64 = 100;

struct Spc {
    units: Devices<Numbered>,
    unit: TimeUnit,
}

impl LineParser for Spc {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let row = row(line, self.unit)?;
        if !self.units.takes(Numbered(row.asu))? {
            return Ok(Parsed::Nothing);
        }
        let offset_bytes = in_bytes(row.lba, SECTOR_BYTES, "LBA")?;
        Ok(Parsed::One(Record {
            time_ns: row.time_ns,
            offset_bytes,
            size_bytes: row.size_bytes,
            op: row.op,
            stream: 0,
        }))
    }

    fn nothing_found(&self) -> Option<String> {
        self.units.nothing_found()
    }
}

struct Row {
    asu: u64,
    lba: u64,
    size_bytes: u64,
    op: Op,
    time_ns: u64,
}

#[inline]
fn row(line: &[u8], unit: TimeUnit) -> Result<Row, String> {
    let mut columns = Columns::new(line, "five");
    let asu = columns.number("ASU")?;
    let lba = columns.number("LBA")?;
    let size_bytes = columns.number("Size")?;
    let op = match columns.word() {
        b"R" | b"r" => Op::Read,
        b"W" | b"w" => Op::Write,
        other => return Err(unknown("Opcode", other, "R, W, r, w")),
    };
    let time_ns = columns.last_time("Timestamp", unit)?;
    if !columns.rest().is_empty() {
        columns.comma("Timestamp")?;
    }
    Ok(Row { asu, lba, size_bytes, op, time_ns })
}
