//! Any text table whose columns the user names: `time:us,op,offset:sectors,size:bytes`.
//!
//! `columns/spec.rs` parses that specification; here lines are taken apart by it.

use crate::checked::Parsed;
use crate::cursor::Cursor;
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::Format;
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::in_bytes;
use crate::{Op, OpenOptions, Record, TraceError};

mod fields;
mod header;
mod spec;

use fields::{next_field, unquoted};
pub(crate) use spec::{Kind, OpCode, Spec};

pub(super) const FORMAT: Format = Format {
    name: "columns",
    about: "any table of lines, described by --columns, as in time:us,op,offset:sectors,size:bytes",
    expected: "columns as --columns names them",
    settings: &[Setting::Device, Setting::Columns, Setting::Separator],
    read: |input, how| {
        let spec = Spec::of(how.options)?;
        let expected = spec.describe();
        let parser = Table::new(how.options, spec)?;
        Ok(Box::new(LineReader::new(input, parser, expected, how)))
    },
    ..Format::PLAIN
};

struct Table {
    spec: Spec,
    lines: u64,
    /// Why the first line does not name the columns; without it no other line can be read.
    unbound: Option<String>,
    devices: Devices<Named>,
}

impl Table {
    fn new(options: &OpenOptions, spec: Spec) -> Result<Self, TraceError> {
        Ok(Self { spec, lines: 0, unbound: None, devices: Devices::new(options, "device")? })
    }
}

impl LineParser for Table {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        self.lines += 1;
        if self.lines == 1 || self.unbound.is_some() {
            return self.first(line);
        }
        self.row(line)
    }

    fn nothing_found(&self) -> Option<String> {
        self.devices.nothing_found()
    }
}

impl Table {
    /// The first line, which may name the columns.
    fn first(&mut self, line: &[u8]) -> Result<Parsed, String> {
        if self.lines == 1 && self.spec.by_name() {
            self.unbound = self.spec.bind(line).err();
        }
        if let Some(reason) = &self.unbound {
            return Err(reason.clone());
        }
        if self.spec.by_name() {
            return Ok(Parsed::Nothing);
        }
        self.row(line).map_err(|reason| {
            format!("{reason}; if this line names the columns, name them too, as in Timestamp=time:us")
        })
    }

    #[inline]
    fn row(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let mut record = Record { time_ns: 0, offset_bytes: 0, size_bytes: 0, op: Op::Read };
        let mut taken = true;
        // The address of a flush does not matter, and the operation may stand behind it.
        let mut nowhere = None;
        let mut rest = Some(line);
        for column in &self.spec.columns {
            let Some(field) = next_field(&mut rest, self.spec.separator) else {
                return Err(format!("the line ends before the column {}", column.name));
            };
            match column.kind {
                Kind::Skip => {}
                Kind::Time(unit) => {
                    record.time_ns = whole(field, &column.name, |cursor| {
                        cursor.fixed_point(unit.decimals()).map(|(time_ns, _)| time_ns)
                    })?;
                }
                Kind::Op(code) => record.op = code.read(field).ok_or_else(|| unknown_op(field, code))?,
                Kind::Offset(unit_bytes) => match bytes(field, &column.name, unit_bytes) {
                    Ok(offset_bytes) => record.offset_bytes = offset_bytes,
                    Err(reason) => nowhere = Some(reason),
                },
                Kind::Size(unit_bytes) => match bytes(field, &column.name, unit_bytes) {
                    Ok(size_bytes) => record.size_bytes = size_bytes,
                    Err(reason) => nowhere = nowhere.or(Some(reason)),
                },
                Kind::Device => taken = self.devices.takes_named(field, Named::new)?,
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

/// A field that is a number from its first to its last character.
#[inline]
fn whole(
    field: &[u8],
    name: &str,
    read: impl Fn(&mut Cursor) -> Result<u64, crate::cursor::NumberFault>,
) -> Result<u64, String> {
    let field = unquoted(field);
    let mut cursor = Cursor::new(field);
    let value = read(&mut cursor).map_err(|fault| fault.of(name))?;
    if cursor.rest().is_empty() { Ok(value) } else { Err(not_whole(field, name)) }
}

/// A field that counts units of so many bytes.
#[inline]
fn bytes(field: &[u8], name: &str, unit_bytes: u64) -> Result<u64, String> {
    in_bytes(whole(field, name, |cursor| cursor.digits().map(|(value, _)| value))?, unit_bytes, name)
}

#[cold]
fn not_whole(field: &[u8], name: &str) -> String {
    format!("{name} is \"{}\", which is not a plain number", excerpt(field))
}

#[cold]
fn unknown_op(field: &[u8], code: OpCode) -> String {
    format!("unknown op \"{}\"; valid: {}", excerpt(field), code.valid())
}
