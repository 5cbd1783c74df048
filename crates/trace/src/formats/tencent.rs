//! The CSV of the Tencent Cloud Block Storage traces: `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! Time in whole seconds since 1970, offset and size in sectors of 512 B, type 0 for a read and 1 for a write, no
//! header (README of the SNIA IOTTA set "Tencent Block Storage"). One file holds many volumes.

use super::comma::{Columns, unknown};
use super::doubtful_times::is_of_this_century;
use crate::checked::Parsed;
use crate::devices::{Devices, Numbered};
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::{SECTOR_BYTES, TimeUnit, in_bytes};
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "tencent",
    about: "Tencent CBS: Timestamp in s,Offset and Size in sectors,IOType (0 read, 1 write),VolumeID",
    expected: "1538323200,12910952128,128,0,1063",
    settings: &[Setting::Device, Setting::TimeUnit],
    disordered: true,
    // Five numbers could be many things: the first must be a time of this century.
    recognise: |input| {
        any_early_line(input, |line| {
            row(line, TimeUnit::Nanoseconds).is_ok_and(|row| is_of_this_century(row.time_ns, UNIT))
        })
    },
    read: |input, how| {
        let unit = how.options.time_unit.unwrap_or(UNIT);
        let parser = Tencent { volumes: Devices::new(how, "volume")?, unit };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

const UNIT: TimeUnit = TimeUnit::Seconds;

struct Tencent {
    volumes: Devices<Numbered>,
    unit: TimeUnit,
}

impl LineParser for Tencent {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let row = row(line, self.unit)?;
        if !self.volumes.takes(Numbered(row.volume))? {
            return Ok(Parsed::Nothing);
        }
        Ok(Parsed::One(Record {
            time_ns: row.time_ns,
            offset_bytes: in_bytes(row.sector, SECTOR_BYTES, "Offset")?,
            size_bytes: in_bytes(row.sectors, SECTOR_BYTES, "Size")?,
            op: row.op,
            stream: 0,
        }))
    }

    fn nothing_found(&self) -> Option<String> {
        self.volumes.nothing_found()
    }
}

struct Row {
    time_ns: u64,
    sector: u64,
    sectors: u64,
    op: Op,
    volume: u64,
}

#[inline]
fn row(line: &[u8], unit: TimeUnit) -> Result<Row, String> {
    let mut columns = Columns::new(line, "five");
    let time_ns = columns.time("Timestamp", unit)?;
    let sector = columns.number("Offset")?;
    let sectors = columns.number("Size")?;
    let op = match columns.word() {
        b"0" => Op::Read,
        b"1" => Op::Write,
        other => return Err(unknown("IOType", other, "0 (read), 1 (write)")),
    };
    let volume = columns.last_number("VolumeID")?;
    Ok(Row { time_ns, sector, sectors, op, volume })
}
