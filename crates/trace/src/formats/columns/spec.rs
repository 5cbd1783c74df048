//! The language of `--columns`, which describes a table.
//!
//! Items between commas, in the order of the columns: `time[:ns|100ns|us|ms|s|date]`, `op[:CODE]`,
//! `offset[:UNIT[:hex]]`, `size[:UNIT[:hex]]`, `device`, `stream`, `_` for a column to skip, and at the end `_*` for
//! any more. `NAME=item` finds the column by the name in the table's first line instead of by its place. `skip:N` in
//! front passes over so many lines.

use super::code::{OpCode, SEPARATORS, Separator, continues_map, is_comment, next_field, unquoted};
use crate::error::excerpt;
use crate::units::{SECTOR_BYTES, TimeUnit};
use crate::wording::closest;
use crate::{OpenOptions, TraceError};

/// A table's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) columns: Vec<Column>,
    pub(crate) separator: Separator,
    /// Whether a line must end with the last column.
    pub(crate) nothing_more: bool,
    /// How many lines stand before the table.
    pub(crate) lines_before: u64,
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

/// In what a column counts space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Space {
    /// Bytes of a unit.
    pub(crate) unit_bytes: u64,
    /// Whether numbers are hexadecimal even without `0x` before them.
    pub(crate) hex: bool,
}

impl Space {
    /// Decimal numbers of such units.
    pub(crate) const fn of(unit_bytes: u64) -> Self {
        Self { unit_bytes, hex: false }
    }
}

/// What a column holds, and in which unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing that a request needs.
    Skip,
    /// The time at which the request arrives, in this unit.
    Time(TimeUnit),
    /// The same as a date with a time of day.
    Date,
    /// The operation: read, write, trim or flush, written in this code.
    Op(OpCode),
    /// First byte addressed.
    Offset(Space),
    /// Number of bytes addressed.
    Size(Space),
    /// The device that is addressed, by name or number.
    Device,
    /// The stream into which the host writes, by number; 0 where nothing stands.
    Stream,
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
        let mut items = items(text);
        let nothing_more = items.last().map(String::as_str) != Some("_*");
        if !nothing_more {
            items.pop();
        }
        let mut lines_before = 0;
        if let Some(count) = items.first().and_then(|first| first.strip_prefix("skip:")) {
            lines_before = count.parse().map_err(|_| {
                fail(format!(
                    "skip:{count} is no number of lines to pass over before the table, as in skip:1"
                ))
            })?;
            items.remove(0);
        }
        let columns = items.iter().map(|text| item(text)).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        check(&columns).map_err(fail)?;
        let separator = separator(options.separator.as_deref())?;
        Ok(Self { columns, separator, nothing_more, lines_before, text: text.to_owned() })
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

/// The text between commas; what continues a map of operations stays with it.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for text in text.split(',').map(str::trim) {
        match items.last_mut() {
            Some(last) if continues_map(last, text) => {
                last.push(',');
                last.push_str(text);
            }
            _ => items.push(text.to_owned()),
        }
    }
    items
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
        "stream" if unit.is_none() => Kind::Stream,
        "_" | "device" | "stream" => return Err(format!("{name} has no unit")),
        "time" => {
            let unit = unit
                .ok_or("time needs its unit: time:ns, time:100ns, time:us, time:ms, time:s or time:date")?;
            if unit == "date" {
                Kind::Date
            } else {
                Kind::Time(unit.parse().map_err(|error: TraceError| format!("{error}, date"))?)
            }
        }
        "op" => Kind::Op(OpCode::parse(unit.unwrap_or("words"))?),
        "offset" => Kind::Offset(space("offset", unit)?),
        "size" => Kind::Size(space("size", unit)?),
        _ => {
            let known = ["time", "op", "offset", "size", "device", "stream"];
            let suggestion = closest(name, known.into_iter())
                .map(|near| format!("; did you mean \"{near}\"?"))
                .unwrap_or_default();
            return Err(format!(
                "unknown column \"{name}\"{suggestion}; valid: time:UNIT, op, offset:UNIT, size:UNIT, \
                 device, stream, _ (skip one), _* (skip the rest), or HEADER=one of these; skip:N before all"
            ));
        }
    };
    Ok(Column { kind, name: header.unwrap_or(name).to_owned(), header: header.map(str::to_owned) })
}

/// A unit of space: `bytes`, `sectors` (512 B), `KiB`, `KB` (1,000 B), `MiB`, `MB`, or a size such as `4KiB`; `:hex`
/// behind it if its numbers are hexadecimal.
fn space(what: &str, unit: Option<&str>) -> Result<Space, String> {
    let unit = unit.ok_or_else(|| {
        format!(
            "{what} needs its unit: {what}:bytes, {what}:sectors (of 512 bytes), {what}:KiB, {what}:4KiB and \
             the like"
        )
    })?;
    let (unit, hex) = unit.strip_suffix(":hex").map_or((unit, false), |unit| (unit, true));
    let scaled = |number: &str, unit_bytes: u64| {
        let count = if number.is_empty() { Some(1) } else { number.parse::<u64>().ok() };
        count.filter(|count| *count > 0)?.checked_mul(unit_bytes)
    };
    let size = match unit {
        "bytes" => Some(1),
        "sectors" => Some(SECTOR_BYTES),
        _ => [("KiB", 1 << 10), ("KB", 1_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("B", 1)]
            .into_iter()
            .find_map(|(name, unit_bytes)| scaled(unit.strip_suffix(name)?, unit_bytes)),
    };
    size.map(|unit_bytes| Space { unit_bytes, hex }).ok_or_else(|| {
        format!(
            "unknown unit \"{unit}\" of {what}; valid: bytes, sectors (of 512 bytes), KiB, KB (1,000 \
             bytes), 4KiB and the like, with :hex behind it if the numbers are hexadecimal"
        )
    })
}

/// Every column that a request needs, once.
fn check(columns: &[Column]) -> Result<(), String> {
    let count = |wanted: fn(&Kind) -> bool| columns.iter().filter(|column| wanted(&column.kind)).count();
    let needed: [(&str, usize, bool); 6] = [
        ("time", count(|kind| matches!(kind, Kind::Time(_) | Kind::Date)), true),
        ("op", count(|kind| matches!(kind, Kind::Op(_))), true),
        ("offset", count(|kind| matches!(kind, Kind::Offset(_))), true),
        ("size", count(|kind| matches!(kind, Kind::Size(_))), true),
        ("device", count(|kind| matches!(kind, Kind::Device)), false),
        ("stream", count(|kind| matches!(kind, Kind::Stream)), false),
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

// Finding columns by the names in a table's first line.

impl Spec {
    /// Whether the table's first line has to be read before the order of its columns is known.
    pub(crate) fn by_name(&self) -> bool {
        self.columns.iter().any(|column| column.header.is_some())
    }

    /// Put the columns into the order in which `line` names them; columns that nobody asked for are skipped.
    pub(crate) fn bind(&mut self, line: &[u8]) -> Result<(), String> {
        let mut names = Vec::new();
        let mut rest = Some(line);
        while let Some(field) = next_field(&mut rest, self.separator) {
            names.push(String::from_utf8_lossy(unquoted(field)).into_owned());
        }
        let mut bound: Vec<Option<Column>> = names.iter().map(|_| None).collect();
        for column in &self.columns {
            let wanted = column.header.as_deref().unwrap_or(&column.name);
            let mut places = names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(at, _)| at);
            match (places.next(), places.next()) {
                (Some(at), None) => bound[at] = Some(column.clone()),
                (Some(_), Some(_)) => return Err(format!("the header names the column \"{wanted}\" twice")),
                (None, _) => return Err(absent(wanted, &names)),
            }
        }
        // What comes after the last column that is needed may be missing or more.
        let needed = bound.iter().rposition(Option::is_some).map_or(0, |at| at + 1);
        bound.truncate(needed);
        self.columns = bound.into_iter().map(|column| column.unwrap_or_else(Column::skipped)).collect();
        self.nothing_more = false;
        debug_assert!(
            self.columns.last().is_some_and(|column| column.kind != Kind::Skip),
            "the last is needed"
        );
        Ok(())
    }
}

#[cold]
fn absent(wanted: &str, names: &[String]) -> String {
    if let [line] = names {
        let has = |separator: u8| line.split(char::from(separator)).any(|name| name.trim() == wanted);
        if let Some((_, option)) = SEPARATORS.into_iter().find(|(separator, _)| has(*separator)) {
            let option = if option.is_empty() { " --separator comma" } else { option };
            return format!("the first line has other separators: use{option}");
        }
        if is_comment(line.as_bytes()) {
            let skip = "begin --columns with skip:1, or as many lines as stand above the header";
            return format!("the first line is a comment, not a header: {skip}");
        }
    }
    let suggestion = closest(wanted, names.iter().map(String::as_str))
        .map(|near| format!("; did you mean \"{near}\"?"))
        .unwrap_or_default();
    format!(
        "the header has no column \"{}\"{suggestion}; it has {}",
        excerpt(wanted.as_bytes()),
        names.join(", ")
    )
}
