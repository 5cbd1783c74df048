//! The CSV of the SYSTOR '17 traces (enterprise virtual desktops): `Timestamp,Response,IOType,LUN,Offset,Size`.
//!
//! Time in seconds since 1970 with nine decimals, offset and size in bytes, type `R` or `W`, with that header (README
//! of the SNIA IOTTA set 4928). The type may be blank: neither a read nor a write, so no request. One file is one LUN.

use super::comma::{Columns, unknown};
use super::doubtful_times::{epoch, times};
use crate::checked::Parsed;
use crate::devices::{Devices, Numbered};
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::TimeUnit;
use crate::{Op, Record};

const HEADER: &[u8] = b"Timestamp,Response,IOType,LUN,Offset,Size";

pub(super) const FORMAT: Format = Format {
    name: "systor",
    about: "SYSTOR '17: Timestamp in s,Response,IOType,LUN,Offset,Size",
    expected: "1456135200.013118000,0.000806000,R,4,7014609920,8192",
    settings: &[Setting::Device, Setting::TimeUnit],
    disordered: true,
    recognise: |input| {
        any_early_line(input, |line| line == HEADER || row(line, TimeUnit::Nanoseconds).is_ok())
    },
    doubt: |input, options| {
        let times = times(input, |line| Some(row(line, TimeUnit::Nanoseconds).ok()?.time_ns));
        epoch(&times, UNIT, options)
    },
    read: |input, how| {
        let unit = how.options.time_unit.unwrap_or(UNIT);
        let parser = Systor { luns: Devices::new(how, "LUN")?, unit, lines: 0 };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

const UNIT: TimeUnit = TimeUnit::Seconds;

struct Systor {
    luns: Devices<Numbered>,
    unit: TimeUnit,
    lines: u64,
}

impl LineParser for Systor {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        self.lines += 1;
        if self.lines == 1 && line == HEADER {
            return Ok(Parsed::Nothing);
        }
        let row = row(line, self.unit)?;
        let Some(op) = row.op else { return Ok(Parsed::Nothing) };
        if !self.luns.takes(Numbered(row.lun))? {
            return Ok(Parsed::Nothing);
        }
        let Row { time_ns, offset_bytes, size_bytes, .. } = row;
        Ok(Parsed::One(Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }))
    }

    fn nothing_found(&self) -> Option<String> {
        self.luns.nothing_found()
    }
}

struct Row {
    time_ns: u64,
    /// `None` where the file leaves it blank.
    op: Option<Op>,
    lun: u64,
    offset_bytes: u64,
    size_bytes: u64,
}

#[inline]
fn row(line: &[u8], unit: TimeUnit) -> Result<Row, String> {
    let mut columns = Columns::new(line, "six");
    let time_ns = columns.time("Timestamp", unit)?;
    if columns.rest().starts_with(b",") {
        // A request whose completion was not seen has no response time.
        columns.comma("Response")?;
    } else {
        columns.time("Response", TimeUnit::Nanoseconds)?;
    }
    let op = match columns.word() {
        b"R" => Some(Op::Read),
        b"W" => Some(Op::Write),
        b"" => None,
        other => return Err(unknown("IOType", other, "R, W, or blank (no request)")),
    };
    let lun = columns.number("LUN")?;
    let offset_bytes = columns.number("Offset")?;
    let size_bytes = columns.last_number("Size")?;
    Ok(Row { time_ns, op, lun, offset_bytes, size_bytes })
}
