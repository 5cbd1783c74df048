//! The CSV of the Alibaba block traces: `device_id,opcode,offset,length,timestamp`.
//!
//! Offset and length in bytes, time in microseconds since 1970, opcode `R` or `W`, no header (README of the repository
//! alibaba/block-traces). One file holds many devices.

use super::comma::{Columns, unknown};
use super::doubtful_times::{epoch, times};
use crate::checked::Parsed;
use crate::devices::{Devices, Numbered};
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::TimeUnit;
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "alibaba",
    about: "Alibaba block traces: device_id,opcode,offset,length,timestamp in us",
    expected: "419,W,8792731648,16384,1577808144360767",
    settings: &[Setting::Device, Setting::TimeUnit],
    recognise: |input| any_early_line(input, |line| row(line, TimeUnit::Nanoseconds).is_ok()),
    doubt: |input, options| {
        let times = times(input, |line| Some(row(line, TimeUnit::Nanoseconds).ok()?.0.time_ns));
        epoch(&times, UNIT, options)
    },
    read: |input, how| {
        let unit = how.options.time_unit.unwrap_or(UNIT);
        let parser = Alibaba { devices: Devices::new(how, "device")?, unit };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

const UNIT: TimeUnit = TimeUnit::Microseconds;

struct Alibaba {
    devices: Devices<Numbered>,
    unit: TimeUnit,
}

impl LineParser for Alibaba {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let (record, device) = row(line, self.unit)?;
        Ok(if self.devices.takes(device)? { Parsed::One(record) } else { Parsed::Nothing })
    }

    fn nothing_found(&self) -> Option<String> {
        self.devices.nothing_found()
    }
}

#[inline]
fn row(line: &[u8], unit: TimeUnit) -> Result<(Record, Numbered), String> {
    let mut columns = Columns::new(line, "five");
    let device = columns.number("device_id")?;
    let op = match columns.word() {
        b"R" => Op::Read,
        b"W" => Op::Write,
        other => return Err(unknown("opcode", other, "R, W")),
    };
    let offset_bytes = columns.number("offset")?;
    let size_bytes = columns.number("length")?;
    let time_ns = columns.last_time("timestamp", unit)?;
    columns.end("timestamp")?;
    Ok((Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }, Numbered(device)))
}
