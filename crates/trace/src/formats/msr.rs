//! The CSV of the MSR Cambridge block traces (SNIA IOTTA), one file per disk.

use super::{Format, any_early_line};
use crate::cursor::{Cursor, NumberFault};
use crate::error::excerpt;
use crate::line_reader::{LineParser, LineReader, Parsed};
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "msr",
    about: "MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    expected: "128166372003061629,hm,0,Read,383496192,32768,1413",
    recognise: |input| any_early_line(input, |line| row(line).is_ok()),
    events: |_| None,
    read: |input, order| Box::new(LineReader::new(input, Msr { disk: None }, FORMAT.expected, order)),
};

/// Windows counts file times in ticks of 100 ns.
const TICK_NS: u64 = 100;

struct Msr {
    /// Host and number of the disk that the first line was about.
    disk: Option<(Box<[u8]>, u64)>,
}

impl LineParser for Msr {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let (record, host, number) = row(line)?;
        match &self.disk {
            None => self.disk = Some((host.into(), number)),
            Some((first_host, first_number)) if **first_host == *host && *first_number == number => {}
            Some((first_host, first_number)) => {
                return Err(format!(
                    "a request to disk {number} of {} in a trace of disk {first_number} of {}: \
                     their addresses would overlap, so split the file by disk first",
                    excerpt(host),
                    excerpt(first_host)
                ));
            }
        }
        Ok(Parsed::One(record))
    }
}

/// A line as its record, host name and disk number.
#[inline]
fn row(line: &[u8]) -> Result<(Record, &[u8], u64), String> {
    let mut cursor = Cursor::new(line);
    let ticks = column(&mut cursor, "Timestamp")?;
    let host = cursor.until(b',');
    let disk = column(&mut cursor, "DiskNumber")?;
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
        ticks.checked_mul(TICK_NS).ok_or_else(|| NumberFault::Overflow.of("Timestamp in nanoseconds"))?;
    Ok((Record { time_ns, offset_bytes, size_bytes, op }, host, disk))
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
