//! The language of `--columns`, which describes a table.
//!
//! Items between commas, in the order of the columns: `time[:ns|us|ms|s]`, `op[:CODE]`, `offset[:UNIT]`, `size[:UNIT]`,
//! `device`, `_` for a column to skip, and at the end `_*` for any more. `NAME=item` finds the column by the name in
//! the table's first line instead of by its place.

use super::fields::{Separator, unquoted};
use crate::suggest::{choice, closest};
use crate::units::{SECTOR_BYTES, TimeUnit};
use crate::{Op, OpenOptions, TraceError};

/// A table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) columns: Vec<Column>,
    pub(crate) separator: Separator,
    /// Whether a line must end with the last column.
    pub(crate) nothing_more: bool,
    /// The text it was read from.
    text: String,
}

/// What one column of a table holds, and in which unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) kind: Kind,
    /// What messages call the column: its name in the table, or what it holds.
    pub(crate) name: String,
    /// The name by which it is found in the table's first line.
    pub(crate) header: Option<String>,
}

impl Column {
    pub(crate) fn skipped() -> Self {
        Self { kind: Kind::Skip, name: "_".to_owned(), header: None }
    }
}

/// What a column holds, and in which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing that a request needs.
    Skip,
    /// The time at which the request arrives, in this unit.
    Time(TimeUnit),
    /// The operation: read, write, trim or flush, written in this code.
    Op(OpCode),
    /// First byte addressed, in units of so many bytes.
    Offset(u64),
    /// Number of bytes addressed, in units of so many bytes.
    Size(u64),
    /// The device that is addressed, by name or number.
    Device,
}

/// The code in which a column writes operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpCode {
    /// Words and letters: `read`, `W`, `discard`.
    Words,
    /// 1 for a read, 0 for a write.
    OneReads,
    /// 1 for a write, 0 for a read.
    OneWrites,
    /// A whole number whose bit 0 is set for a read.
    BitReads,
    /// A whole number whose bit 0 is set for a write.
    BitWrites,
}

const CODES: [(&str, OpCode); 5] = [
    ("words", OpCode::Words),
    ("1=read", OpCode::OneReads),
    ("1=write", OpCode::OneWrites),
    ("bit0=read", OpCode::BitReads),
    ("bit0=write", OpCode::BitWrites),
];

impl OpCode {
    /// The operation that `field` stands for.
    #[inline]
    pub(crate) fn read(self, field: &[u8]) -> Option<Op> {
        let field = unquoted(field);
        let reads = match self {
            Self::Words => return words(field),
            Self::OneReads | Self::OneWrites => match field {
                b"0" => self == Self::OneWrites,
                b"1" => self == Self::OneReads,
                _ => return None,
            },
            Self::BitReads | Self::BitWrites => {
                let last = field.last().filter(|_| field.iter().all(u8::is_ascii_digit))?;
                (last & 1 == 1) == (self == Self::BitReads)
            }
        };
        Some(if reads { Op::Read } else { Op::Write })
    }

    pub(crate) fn valid(self) -> &'static str {
        match self {
            Self::Words => {
                "read, write, trim (or discard), flush (or sync), R, W, T (or D), F, in either case, also \
                 RS, WS"
            }
            Self::OneReads => "0 (write), 1 (read)",
            Self::OneWrites => "0 (read), 1 (write)",
            Self::BitReads => "a whole number, odd for a read, even for a write",
            Self::BitWrites => "a whole number, odd for a write, even for a read",
        }
    }
}

#[inline]
fn words(field: &[u8]) -> Option<Op> {
    match field {
        b"R" | b"r" | b"read" | b"Read" | b"READ" | b"RS" | b"rs" => Some(Op::Read),
        b"W" | b"w" | b"write" | b"Write" | b"WRITE" | b"WS" | b"ws" => Some(Op::Write),
        b"T" | b"t" | b"D" | b"d" | b"trim" | b"Trim" | b"TRIM" | b"discard" | b"Discard" | b"DISCARD" => {
            Some(Op::Trim)
        }
        b"F" | b"f" | b"flush" | b"Flush" | b"FLUSH" | b"sync" | b"Sync" | b"SYNC" => Some(Op::Flush),
        _ => None,
    }
}

impl Spec {
    /// The specification in `options`.
    pub(crate) fn of(options: &OpenOptions) -> Result<Self, TraceError> {
        let Some(text) = options.columns.as_deref() else {
            return Err(TraceError::Option {
                reason:
                    "the format columns needs --columns, as in --columns time:us,op,offset:bytes,size:bytes"
                        .to_owned(),
            });
        };
        let fail = |reason: String| TraceError::Option { reason: format!("--columns \"{text}\": {reason}") };
        let mut items: Vec<&str> = text.split(',').map(str::trim).collect();
        let nothing_more = items.last() != Some(&"_*");
        if !nothing_more {
            items.pop();
        }
        let columns = items.iter().map(|text| item(text)).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        check(&columns).map_err(fail)?;
        let separator = separator(options.separator.as_deref())?;
        Ok(Self { columns, separator, nothing_more, text: text.to_owned() })
    }

    /// What a good line has, for messages.
    pub(crate) fn describe(&self) -> String {
        let between = match self.separator {
            Separator::Byte(b'\t') => "tabulators".to_owned(),
            Separator::Byte(byte) => format!("\"{}\"", char::from(byte)),
            Separator::Blanks => "blanks".to_owned(),
        };
        format!("{}, with {between} between the columns", self.text)
    }
}

fn separator(name: Option<&str>) -> Result<Separator, TraceError> {
    match name {
        None | Some("comma") => Ok(Separator::Byte(b',')),
        Some("tab" | "\t" | "\\t") => Ok(Separator::Byte(b'\t')),
        Some("blank" | "blanks" | "space" | " ") => Ok(Separator::Blanks),
        Some(text) => match text.as_bytes() {
            [byte] if byte.is_ascii_punctuation() && !b"\"-._".contains(byte) => Ok(Separator::Byte(*byte)),
            _ => Err(TraceError::Option {
                reason: format!(
                    "unknown separator \"{text}\"; valid: comma, tab, blanks, or one punctuation character \
                     such as ; or |"
                ),
            }),
        },
    }
}

fn item(text: &str) -> Result<Column, String> {
    // `op:1=read` has an equals sign that names no column.
    let (header, text) = match text.split_once('=') {
        Some((header, item)) if !header.starts_with("op:") => (Some(header.trim()), item.trim()),
        _ => (None, text),
    };
    if header.is_some_and(str::is_empty) {
        return Err("a column's name is missing before \"=\"".to_owned());
    }
    let (name, unit) = match text.split_once(':') {
        Some((name, unit)) => (name, Some(unit)),
        None => (text, None),
    };
    let kind = match name {
        "_" if unit.is_none() => Kind::Skip,
        "device" if unit.is_none() => Kind::Device,
        "_" | "device" => return Err(format!("{name} has no unit")),
        "time" => {
            let unit = unit.ok_or("time needs its unit: time:ns, time:us, time:ms or time:s")?;
            Kind::Time(unit.parse().map_err(|error: TraceError| error.to_string())?)
        }
        "op" => Kind::Op(named("code for op", unit.unwrap_or("words"), &CODES)?),
        "offset" => Kind::Offset(bytes("offset", unit)?),
        "size" => Kind::Size(bytes("size", unit)?),
        _ => {
            let known = ["time", "op", "offset", "size", "device"];
            let suggestion = closest(name, known.into_iter())
                .map(|near| format!("; did you mean \"{near}\"?"))
                .unwrap_or_default();
            return Err(format!(
                "unknown column \"{name}\"{suggestion}; valid: time:UNIT, op, offset:UNIT, size:UNIT, \
                 device, _ (skip one), _* (skip the rest), or HEADER=one of these"
            ));
        }
    };
    Ok(Column { kind, name: header.unwrap_or(name).to_owned(), header: header.map(str::to_owned) })
}

/// A unit of space: `bytes`, `sectors` (512 B), or a size such as `4KiB`.
fn bytes(what: &str, unit: Option<&str>) -> Result<u64, String> {
    let unit = unit.ok_or_else(|| {
        format!(
            "{what} needs its unit: {what}:bytes, {what}:sectors (of 512 bytes), {what}:4KiB and the like"
        )
    })?;
    let scaled = |number: &str, unit_bytes: u64| {
        number.parse::<u64>().ok().filter(|count| *count > 0)?.checked_mul(unit_bytes)
    };
    let size = match unit {
        "bytes" | "B" => Some(1),
        "sectors" => Some(SECTOR_BYTES),
        _ => [("KiB", 1 << 10), ("MiB", 1 << 20), ("B", 1)]
            .into_iter()
            .find_map(|(name, unit_bytes)| scaled(unit.strip_suffix(name)?, unit_bytes)),
    };
    size.ok_or_else(|| {
        format!("unknown unit \"{unit}\" of {what}; valid: bytes, sectors (of 512 bytes), 4KiB and the like")
    })
}

fn named<T: Copy>(what: &str, word: &str, valid: &[(&str, T)]) -> Result<T, String> {
    choice(what, word, valid).map_err(|error| error.to_string())
}

/// Every column that a request needs, once.
fn check(columns: &[Column]) -> Result<(), String> {
    let count = |wanted: fn(Kind) -> bool| columns.iter().filter(|column| wanted(column.kind)).count();
    let needed: [(&str, usize, bool); 5] = [
        ("time", count(|kind| matches!(kind, Kind::Time(_))), true),
        ("op", count(|kind| matches!(kind, Kind::Op(_))), true),
        ("offset", count(|kind| matches!(kind, Kind::Offset(_))), true),
        ("size", count(|kind| matches!(kind, Kind::Size(_))), true),
        ("device", count(|kind| matches!(kind, Kind::Device)), false),
    ];
    for (name, count, must) in needed {
        if count == 0 && must {
            return Err(format!("{name} is missing; time, op, offset and size are needed"));
        }
        if count > 1 {
            return Err(format!("{name} occurs {count} times"));
        }
    }
    let (by_name, by_place): (Vec<_>, Vec<_>) = columns.iter().partition(|column| column.header.is_some());
    if by_name.is_empty() || by_place.is_empty() {
        return Ok(());
    }
    Err("either all columns have a name, as in Offset=offset:bytes, or none".to_owned())
}
