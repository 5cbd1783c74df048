//! Any text table whose columns the user names: `time:us,op,offset:sectors,size:bytes`.
//!
//! `columns/spec.rs` parses that specification; here lines are taken apart by it.

use std::path::Path;

use crate::checked::{Order, Parsed, ReadOptions};
use crate::cursor::{Cursor, NumberFault};
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::Format;
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::record::of_number;
use crate::units::{TimeUnit, in_bytes};
use crate::{Op, OpenOptions, Record, TraceError};

mod code;
mod date;
mod spec;

pub(crate) use code::{Meaning, OpCode, SEPARATORS, is_comment};
use code::{next_field, unquoted};
pub(crate) use spec::{Kind, Space, Spec};

pub(super) const FORMAT: Format = Format {
    name: "columns",
    about: "any table of lines, described by --columns, as in time:us,op,offset:sectors,size:bytes",
    expected: "columns as --columns names them",
    settings: &[Setting::Device, Setting::Columns, Setting::Separator],
    has_streams: |_, options| {
        Spec::of(options).is_ok_and(|spec| spec.columns.iter().any(|column| column.kind == Kind::Stream))
    },
    read: |input, how| {
        let spec = Spec::of(how.options)?;
        let expected = spec.describe();
        let parser = Table::new(how, spec)?;
        Ok(Box::new(LineReader::new(input, parser, expected, how)))
    },
    ..Format::PLAIN
};

/// Columns that a table has at least: time, operation, address, size.
pub(super) const LEAST: usize = 4;

struct Table {
    spec: Spec,
    lines: u64,
    /// Why the first line does not name the columns; without it no other line can be read.
    unbound: Option<String>,
    devices: Devices<Named>,
}

impl Table {
    fn new(how: &ReadOptions, spec: Spec) -> Result<Self, TraceError> {
        Ok(Self { spec, lines: 0, unbound: None, devices: Devices::new(how, "device")? })
    }
}

/// Why the columns, with a separator that is no comma, do not read all of these lines of a table; `None` if they do.
pub(super) fn trial<'a>(
    columns: String,
    separator: Option<String>,
    lines: impl Iterator<Item = &'a [u8]>,
) -> Option<String> {
    let device = Some("all".to_owned());
    let options = OpenOptions { columns: Some(columns), separator, device, ..OpenOptions::default() };
    let clock_of = Path::new("").into();
    let how = ReadOptions {
        order: Order::AsInFile,
        options: &options,
        streams: None,
        clock_of: &clock_of,
        register: None,
    };
    match Spec::of(&options).and_then(|spec| Table::new(&how, spec)) {
        Err(error) => Some(error.to_string()),
        Ok(mut table) => lines
            .enumerate()
            .find_map(|(at, line)| Some(format!("line {}: {}", at + 1, table.parse(line).err()?))),
    }
}

impl LineParser for Table {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        self.lines += 1;
        if self.lines <= self.spec.lines_before {
            return Ok(Parsed::Nothing);
        }
        if self.lines == self.spec.lines_before + 1 || self.unbound.is_some() {
            return self.first(line);
        }
        self.row(line)
    }

    fn nothing_found(&self) -> Option<String> {
        self.devices.nothing_found()
    }
}

impl Table {
    /// The first line of the table, which may name the columns.
    fn first(&mut self, line: &[u8]) -> Result<Parsed, String> {
        if self.lines == self.spec.lines_before + 1 && self.spec.by_name() {
            self.unbound = self.spec.bind(line).err();
        }
        if let Some(reason) = &self.unbound {
            return Err(reason.clone());
        }
        if self.spec.by_name() {
            return Ok(Parsed::Nothing);
        }
        self.row(line).map_err(|reason| {
            format!(
                "{reason}; if this line names the columns, name them too, as in Timestamp=time:us, or \
                 pass over \
                 it with skip:{} before the first column",
                self.lines
            )
        })
    }

    #[inline]
    fn row(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let mut record = Record { time_ns: 0, offset_bytes: 0, size_bytes: 0, op: Op::Read, stream: 0 };
        let mut taken = true;
        // The address of a flush does not matter, and the operation may stand behind it.
        let mut nowhere = None;
        let mut rest = Some(line);
        for column in &self.spec.columns {
            let Some(field) = next_field(&mut rest, self.spec.separator) else {
                return Err(format!("the line ends before the column {}", column.name));
            };
            match &column.kind {
                Kind::Skip => {}
                Kind::Time(unit) => record.time_ns = time(field, &column.name, *unit)?,
                Kind::Date => {
                    // A date alone has its time of day in the next column, where columns go by their places.
                    let more = if date::is_alone(unquoted(field)) && column.header.is_none() {
                        next_field(&mut rest, self.spec.separator)
                    } else {
                        None
                    };
                    record.time_ns = date::time(unquoted(field), more.map(unquoted), &column.name)?;
                }
                Kind::Op(code) => match code.read(field).ok_or_else(|| unknown_op(field, code))? {
                    Meaning::Request(op) => record.op = op,
                    Meaning::Nothing => return Ok(Parsed::Nothing),
                },
                Kind::Offset(space) => match bytes(field, &column.name, *space) {
                    Ok(offset_bytes) => record.offset_bytes = offset_bytes,
                    Err(reason) => nowhere = Some(reason),
                },
                Kind::Size(space) => match bytes(field, &column.name, *space) {
                    Ok(size_bytes) => record.size_bytes = size_bytes,
                    Err(reason) => nowhere = nowhere.or(Some(reason)),
                },
                Kind::Device => taken = self.devices.takes_named(field, Named::new)?,
                Kind::Stream => record.stream = stream(field, &column.name)?,
            }
        }
        if self.spec.nothing_more && rest.is_some_and(|rest| !rest.trim_ascii().is_empty()) {
            return Err(format!(
                "unexpected \"{}\" after the last column; a column to skip is _, any number of them _*",
                excerpt(rest.unwrap_or_default())
            ));
        }
        if record.op == Op::Flush {
            (record.offset_bytes, record.size_bytes) = (0, 0);
        } else if let Some(reason) = nowhere {
            return Err(reason);
        }
        Ok(if taken { Parsed::One(record) } else { Parsed::Nothing })
    }
}

/// A time in `unit`, in ns.
#[inline]
fn time(field: &[u8], name: &str, unit: TimeUnit) -> Result<u64, String> {
    let field = unquoted(field);
    if let Some(digits) = prefixed(field) {
        let count = hexadecimal(digits, name)?;
        return count.checked_mul(unit.ns()).ok_or_else(|| NumberFault::Overflow.of(name));
    }
    let mut cursor = Cursor::new(field);
    let (time_ns, _) = cursor.fixed_point(unit.decimals()).map_err(|fault| fault.of(name))?;
    if cursor.rest().is_empty() { Ok(time_ns) } else { Err(not_whole(field, name)) }
}

/// The number of a stream: 0 where nothing stands.
#[inline]
fn stream(field: &[u8], name: &str) -> Result<u8, String> {
    let field = unquoted(field);
    if field.is_empty() {
        return Ok(0);
    }
    let mut cursor = Cursor::new(field);
    let number = cursor.number().map_err(|fault| fault.of(name))?;
    if cursor.rest().is_empty() { of_number(number) } else { Err(not_whole(field, name)) }
}

/// A field that counts units of space.
#[inline]
fn bytes(field: &[u8], name: &str, space: Space) -> Result<u64, String> {
    let field = unquoted(field);
    let digits = prefixed(field).or_else(|| space.hex.then_some(field));
    let count = if let Some(digits) = digits {
        hexadecimal(digits, name)?
    } else {
        let mut cursor = Cursor::new(field);
        let count = cursor.number().map_err(|fault| fault.of(name))?;
        if !cursor.rest().is_empty() {
            return Err(not_whole(field, name));
        }
        count
    };
    in_bytes(count, space.unit_bytes, name)
}

/// What stands behind the `0x` of a hexadecimal number.
#[inline]
fn prefixed(field: &[u8]) -> Option<&[u8]> {
    match field {
        [b'0', b'x' | b'X', digits @ ..] => Some(digits),
        _ => None,
    }
}

fn hexadecimal(digits: &[u8], name: &str) -> Result<u64, String> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(format!("{name} is \"{}\", which is not a hexadecimal number", excerpt(digits)));
    }
    let text = std::str::from_utf8(digits).map_err(|error| error.to_string())?;
    u64::from_str_radix(text, 16).map_err(|_| NumberFault::Overflow.of(name))
}

#[cold]
fn not_whole(field: &[u8], name: &str) -> String {
    format!("{name} is \"{}\", which is not a plain number", excerpt(field))
}

#[cold]
fn unknown_op(field: &[u8], code: &OpCode) -> String {
    format!("unknown op \"{}\"; valid: {}", excerpt(field), code.valid())
}
