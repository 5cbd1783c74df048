//! What biosnoop prints, of bcc or of its libbpf tools: a header, then a line for each request of the block layer as it
//! completes, `TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)`, with more columns by its options.
//!
//! Time is that of completion, and LAT(ms) the time since the request was issued to the device: their difference is
//! taken. The names of commands may have blanks, so that lines are taken apart from their end.

use super::block_layer::Rwbs;
use crate::checked::Parsed;
use crate::cursor::{Cursor, NumberFault};
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::{Format, any_early_line};
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::{SECTOR_BYTES, TimeUnit, in_bytes};
use crate::{Op, Record};

pub(super) const FORMAT: Format = Format {
    name: "biosnoop",
    about: "biosnoop of bcc, with its header; TIME(s) less LAT(ms) is when a request was issued",
    expected: "0.000178 supervise 1950 xvda1 W 13092432 4096 0.61",
    settings: &[Setting::Device],
    // Lines come as requests complete.
    disordered: true,
    recognise: |input| any_early_line(input, |line| Columns::of(line).is_some_and(|found| found.is_ok())),
    read: |input, how| {
        let parser = Biosnoop { columns: None, disks: Devices::new(how, "disk")? };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// Completed first, a request may have been issued before the time at which biosnoop begins to count.
const BEGINS_NS: u64 = 1 << 42;
const TIME: &str = "TIME(s)";
const COMMAND: &str = "COMM";

struct Biosnoop {
    columns: Option<Columns>,
    disks: Devices<Named>,
}

/// Where the columns stand, counted from the last.
#[derive(Debug, Clone, Copy)]
struct Columns {
    count: usize,
    disk: usize,
    flags: usize,
    sector: usize,
    size: usize,
    unit_bytes: u64,
    latency: usize,
}

impl Columns {
    /// The columns that a header names; `None` for a line that is none.
    fn of(line: &[u8]) -> Option<Result<Self, String>> {
        let names: Vec<&str> = std::str::from_utf8(line).ok()?.split_ascii_whitespace().collect();
        if names.first() != Some(&TIME) || names.get(1) != Some(&COMMAND) {
            return None;
        }
        let place = |name: &str| names.iter().rev().position(|other| *other == name);
        let needed = |name: &str| place(name).ok_or_else(|| format!("the header has no column {name}"));
        let found = || {
            let (size, unit_bytes) = match place("SECTORS") {
                Some(at) => (at, SECTOR_BYTES),
                None => (needed("BYTES")?, 1),
            };
            Ok(Self {
                count: names.len(),
                disk: needed("DISK")?,
                flags: needed("T")?,
                sector: needed("SECTOR")?,
                size,
                unit_bytes,
                latency: needed("LAT(ms)")?,
            })
        };
        Some(found())
    }
}

impl LineParser for Biosnoop {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        if let Some(found) = Columns::of(line) {
            self.columns = Some(found?);
            return Ok(Parsed::Nothing);
        }
        // Above the header it says that it traces.
        let Some(columns) = self.columns else { return Ok(Parsed::Nothing) };
        let fields: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
        if fields.len() < columns.count {
            return Err(format!("{} columns, the header names {}", fields.len(), columns.count));
        }
        let field = |from_last: usize| fields[fields.len() - 1 - from_last];
        let completed_ns = time(fields[0], TIME, TimeUnit::Seconds)?;
        let latency_ns = time(field(columns.latency), "LAT(ms)", TimeUnit::Milliseconds)?;
        let time_ns = completed_ns
            .checked_add(BEGINS_NS)
            .ok_or_else(|| NumberFault::Overflow.of(TIME))?
            .checked_sub(latency_ns)
            .ok_or("LAT(ms) is over an hour longer than the recording")?;
        let Rwbs { flush, op, .. } = Rwbs::parse(field(columns.flags))?;
        let size = number(field(columns.size), "the size")?;
        let record = match op {
            // A sector of -1 is that of no place.
            Some(op) if size > 0 => Record {
                time_ns,
                offset_bytes: in_bytes(number(field(columns.sector), "SECTOR")?, SECTOR_BYTES, "SECTOR")?,
                size_bytes: in_bytes(size, columns.unit_bytes, "the size")?,
                op,
                stream: 0,
            },
            _ if flush => Record { time_ns, offset_bytes: 0, size_bytes: 0, op: Op::Flush, stream: 0 },
            // A command that moves no data.
            _ => return Ok(Parsed::Nothing),
        };
        if !self.disks.takes_named(field(columns.disk), Named::new)? {
            return Ok(Parsed::Nothing);
        }
        let flushed = Record { offset_bytes: 0, size_bytes: 0, op: Op::Flush, ..record };
        let both = flush && record.op != Op::Flush;
        Ok(if both { Parsed::Two(flushed, record) } else { Parsed::One(record) })
    }

    fn nothing_found(&self) -> Option<String> {
        self.disks.nothing_found()
    }
}

fn time(field: &[u8], name: &str, unit: TimeUnit) -> Result<u64, String> {
    let mut cursor = Cursor::new(field);
    let (time_ns, _) = cursor.fixed_point(unit.decimals()).map_err(|fault| fault.of(name))?;
    whole(cursor, field, name).map(|()| time_ns)
}

fn number(field: &[u8], name: &str) -> Result<u64, String> {
    let mut cursor = Cursor::new(field);
    let number = cursor.number().map_err(|fault| fault.of(name))?;
    whole(cursor, field, name).map(|()| number)
}

/// Nothing may stand behind a number.
fn whole(cursor: Cursor, field: &[u8], name: &str) -> Result<(), String> {
    if cursor.rest().is_empty() {
        return Ok(());
    }
    Err(format!("{name} is \"{}\", which is not a plain number", excerpt(field)))
}
