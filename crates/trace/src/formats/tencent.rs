//! The CSV of the Tencent Cloud Block Storage traces: `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! Time in whole seconds since 1970, offset and size in sectors of 512 B, type 0 for a read and 1 for a write, no
//! header (README of the SNIA IOTTA set "Tencent Block Storage"). One file holds many volumes.

use super::comma::{Columns, unknown};
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
    settings: &[Setting::Device],
    // Five numbers could be many things: the first must be a time of this century.
    recognise: |input| {
        any_early_line(input, |line| row(line).is_ok_and(|row| THIS_CENTURY.contains(&row.time_ns)))
    },
    read: |input, how| {
        let parser = Tencent { volumes: Devices::new(how.options, "volume")? };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// From 2001-09-09 to 2096-10-02, in ns since 1970.
const THIS_CENTURY: std::ops::Range<u64> = 1_000_000_000_000_000_000..4_000_000_000_000_000_000;

struct Tencent {
    volumes: Devices<Numbered>,
}

impl LineParser for Tencent {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let row = row(line)?;
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
fn row(line: &[u8]) -> Result<Row, String> {
    let mut columns = Columns::new(line, "five");
    let time_ns = columns.time("Timestamp", TimeUnit::Seconds)?;
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
