//! The CSV of the MSR Cambridge block traces (SNIA IOTTA), one file per disk.

use std::fmt::Display;
use std::str::FromStr;

use super::doubtful_times::{epoch, times};
use crate::checked::Parsed;
use crate::cursor::{Cursor, NumberFault};
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::TimeUnit;
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "msr",
    settings: &[Setting::Device, Setting::TimeUnit],
    about: "MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    expected: "128166372003061629,hm,0,Read,383496192,32768,1413",
    recognise: |input| any_early_line(input, |line| row(line, TimeUnit::Nanoseconds).is_ok()),
    doubt: |input, options| {
        let times = times(input, |line| Some(row(line, TimeUnit::Nanoseconds).ok()?.0.time_ns));
        epoch(&times, UNIT, options)
    },
    read: |input, how| {
        let unit = how.options.time_unit.unwrap_or(UNIT);
        let parser = Msr { disks: Devices::new(how, "disk")?, unit, begun: false };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// The set comes without a header, but some have put one before it.
const HEADER: &[u8] = b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

/// Windows counts file times in ticks of 100 ns.
const UNIT: TimeUnit = TimeUnit::Ticks;

struct Msr {
    disks: Devices<Disk>,
    unit: TimeUnit,
    /// Whether the first line has been read.
    begun: bool,
}

impl LineParser for Msr {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        if !std::mem::replace(&mut self.begun, true) && line.eq_ignore_ascii_case(HEADER) {
            return Ok(Parsed::Nothing);
        }
        let (record, disk) = row(line, self.unit)?;
        let taken = self.disks.takes_named(disk, Disk::parse)?;
        Ok(if taken { Parsed::One(record) } else { Parsed::Nothing })
    }

    fn nothing_found(&self) -> Option<String> {
        self.disks.nothing_found()
    }
}

/// A disk as the files themselves are called: `hm_0` is disk 0 of the host hm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Disk {
    host: Named,
    number: u64,
}

impl Disk {
    /// The host and the number, as the file has them: between commas.
    fn parse(columns: &[u8]) -> Result<Self, String> {
        let (host, number) = columns.split_at(columns.iter().position(|byte| *byte == b',').unwrap_or(0));
        let number = Cursor::new(&number[1..]).number().map_err(|fault| fault.of("DiskNumber"))?;
        Ok(Self { host: Named::new(host)?, number })
    }
}

impl Display for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", self.host, self.number)
    }
}

impl FromStr for Disk {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.rsplit_once('_')
            .and_then(|(host, number)| {
                Some(Self { host: Named::new(host.as_bytes()).ok()?, number: number.parse().ok()? })
            })
            .ok_or_else(|| "this format's disks are host_number, as in hm_0".to_owned())
    }
}

/// A line as its record, and its second and third column.
#[inline]
fn row(line: &[u8], unit: TimeUnit) -> Result<(Record, &[u8]), String> {
    let mut cursor = Cursor::new(line);
    let ticks = column(&mut cursor, "Timestamp")?;
    let disk = cursor.rest();
    cursor.until(b',');
    column(&mut cursor, "DiskNumber")?;
    let disk = &disk[..disk.len() - cursor.rest().len() - 1];
    let op = match cursor.until(b',') {
        b"Read" => Op::Read,
        b"Write" => Op::Write,
        other => return Err(format!("unknown Type \"{}\"; valid: Read, Write", excerpt(other))),
    };
    let offset_bytes = column(&mut cursor, "Offset")?;
    let size_bytes = column(&mut cursor, "Size")?;
    // The response time of the recorded server is of no use here, but a line without it has been cut.
    cursor.number().map_err(|fault| fault.of("ResponseTime"))?;
    if !cursor.rest().is_empty() {
        return Err(format!("unexpected \"{}\" after ResponseTime", excerpt(cursor.rest())));
    }
    let time_ns =
        ticks.checked_mul(unit.ns()).ok_or_else(|| NumberFault::Overflow.of("Timestamp in nanoseconds"))?;
    Ok((Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }, disk))
}

/// A number and the comma after it.
#[inline]
fn column(cursor: &mut Cursor, name: &str) -> Result<u64, String> {
    let value = cursor.number().map_err(|fault| fault.of(name))?;
    if cursor.eat(b',') {
        return Ok(value);
    }
    Err(match cursor.peek() {
        None => format!("the line ends after {name}; seven columns are needed"),
        Some(_) => format!("unexpected \"{}\" after {name}", excerpt(cursor.rest())),
    })
}
