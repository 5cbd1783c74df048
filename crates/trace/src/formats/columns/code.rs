//! How a column writes operations, and the fields of a line.

use std::sync::Arc;

use crate::Op;
use crate::wording::choice;

/// The code in which a column writes operations.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// The user's own words or numbers, and what each stands for.
    Map(Arc<[(String, Meaning)]>),
}

/// What the cell of an operation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Request(Op),
    /// The line is no request.
    Nothing,
}

const CODES: [(&str, OpCode); 5] = [
    ("words", OpCode::Words),
    ("1=read", OpCode::OneReads),
    ("1=write", OpCode::OneWrites),
    ("bit0=read", OpCode::BitReads),
    ("bit0=write", OpCode::BitWrites),
];

/// What a map can give a value to mean.
const MEANINGS: [(&str, Meaning); 7] = [
    ("read", Meaning::Request(Op::Read)),
    ("write", Meaning::Request(Op::Write)),
    ("trim", Meaning::Request(Op::Trim)),
    ("discard", Meaning::Request(Op::Trim)),
    ("flush", Meaning::Request(Op::Flush)),
    ("sync", Meaning::Request(Op::Flush)),
    ("skip", Meaning::Nothing),
];

/// Whether `item` goes on with the map of operations that `last` has begun: `28=read` after `op:2a=write`.
pub(super) fn continues_map(last: &str, item: &str) -> bool {
    let begun =
        last.starts_with("op:") || last.split_once('=').is_some_and(|(_, item)| item.starts_with("op:"));
    let means = |item: &str| {
        item.rsplit_once('=').is_some_and(|(_, word)| MEANINGS.iter().any(|(name, _)| *name == word))
    };
    begun && means(last) && means(item)
}

impl OpCode {
    /// The code that `text` describes, which stands behind `op:`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some((_, code)) = CODES.iter().find(|(name, _)| *name == text) {
            return Ok(code.clone());
        }
        // A single value could not tell reads from writes.
        if !text.contains(',') {
            let names: Vec<_> = CODES.iter().map(|(name, _)| (*name, ())).collect();
            choice("code for op", text, &names)
                .map_err(|error| format!("{error}, or a map such as 2a=write,28=read"))?;
        }
        let mut map: Vec<(String, Meaning)> = Vec::new();
        for entry in text.split(',') {
            let (value, word) = entry.split_once('=').unwrap_or((entry, ""));
            let value = digits(value.trim().as_bytes());
            let value = String::from_utf8_lossy(value).into_owned();
            if value.is_empty() {
                return Err(format!("op:{text}: the value before \"={word}\" is missing"));
            }
            if value == "bit0" {
                return Err(format!("op:{text}: bit0 decides alone, so nothing can stand beside it"));
            }
            if map.iter().any(|(other, _)| other.eq_ignore_ascii_case(&value)) {
                return Err(format!("op:{text}: the value \"{value}\" occurs twice"));
            }
            let meaning =
                choice("operation", word.trim(), &MEANINGS).map_err(|error| format!("op:{text}: {error}"))?;
            map.push((value, meaning));
        }
        Ok(Self::Map(map.into()))
    }

    /// What `field` stands for; `None` for nothing that is known.
    #[inline]
    pub(crate) fn read(&self, field: &[u8]) -> Option<Meaning> {
        let field = unquoted(field);
        let reads = match self {
            Self::Words => return words(field).map(Meaning::Request),
            Self::OneReads | Self::OneWrites => match field {
                b"0" => *self == Self::OneWrites,
                b"1" => *self == Self::OneReads,
                _ => return None,
            },
            Self::BitReads | Self::BitWrites => {
                let number = digits(field);
                let last = number.last().filter(|_| number.iter().all(u8::is_ascii_hexdigit))?;
                // The letters from a on are odd where their codes are even.
                let odd = (last & 1 == 1) == last.is_ascii_digit();
                odd == (*self == Self::BitReads)
            }
            Self::Map(map) => {
                let value = digits(field);
                let found = map.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(value));
                return found.map(|(_, meaning)| *meaning);
            }
        };
        Some(Meaning::Request(if reads { Op::Read } else { Op::Write }))
    }

    pub(crate) fn valid(&self) -> String {
        match self {
            Self::Words => {
                "read, write, trim (or discard), flush (or sync), R, W, T (or D), F, in either case, \
                            also RS, WS; other words or numbers need a map, as in op:2a=write,28=read"
                    .to_owned()
            }
            Self::OneReads => "0 (write), 1 (read)".to_owned(),
            Self::OneWrites => "0 (read), 1 (write)".to_owned(),
            Self::BitReads => "a whole number, odd for a read, even for a write".to_owned(),
            Self::BitWrites => "a whole number, odd for a write, even for a read".to_owned(),
            Self::Map(map) => {
                let values: Vec<_> = map.iter().map(|(value, _)| value.as_str()).collect();
                format!(
                    "{}, as --columns has them; VALUE=skip passes over lines with a value",
                    values.join(", ")
                )
            }
        }
    }
}

/// A hexadecimal number without the `0x` before it; anything else as it is.
fn digits(field: &[u8]) -> &[u8] {
    match field {
        [b'0', b'x' | b'X', digits @ ..] if !digits.is_empty() => digits,
        _ => field,
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

// The fields of a table's line, between separators.

/// The separator between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Separator {
    /// Exactly this byte, as a comma or a tabulator.
    Byte(u8),
    /// Any number of blanks and tabulators.
    Blanks,
}

/// The text before the next separator; `None` when the line is used up. Blanks around a field are not part of it.
#[inline]
pub(super) fn next_field<'a>(rest: &mut Option<&'a [u8]>, separator: Separator) -> Option<&'a [u8]> {
    let line = (*rest)?;
    match separator {
        Separator::Byte(byte) => {
            let closed = quoted(line, |after| after.first().is_none_or(|next| *next == byte));
            let from = closed.unwrap_or(0);
            let found = memchr::memchr(byte, &line[from..]).map(|at| from + at);
            let (field, after) = match found {
                Some(at) => (&line[..at], Some(&line[at + 1..])),
                None => (line, None),
            };
            *rest = after;
            Some(field.trim_ascii())
        }
        Separator::Blanks => {
            let line = line.trim_ascii_start();
            let closed = quoted(line, |after| after.first().is_none_or(|next| matches!(next, b' ' | b'\t')));
            let unquoted = || line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
            let length = closed.unwrap_or_else(unquoted);
            if length == 0 {
                *rest = None;
                return None;
            }
            *rest = Some(&line[length..]);
            Some(&line[..length])
        }
    }
}

/// Where a field between quotation marks ends, behind the second: separators between them are part of it, and so is a
/// quotation mark that is doubled. `None` if the line does not begin with such a field; `ends` says whether what stands
/// behind a mark may follow a field.
#[inline]
fn quoted(line: &[u8], ends: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let start = line.len() - line.trim_ascii_start().len();
    if line.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    while let Some(found) = memchr::memchr(b'"', &line[at..]) {
        at += found + 1;
        match line.get(at) {
            Some(b'"') => at += 1,
            _ if ends(&line[at..]) || ends(line[at..].trim_ascii_start()) => return Some(at),
            _ => {}
        }
    }
    None
}

/// A field without the quotation marks that some programs put around every field.
#[inline]
pub(super) fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    }
}

/// What lines begin with that are no part of a table.
const COMMENTS: [&[u8]; 4] = [b"#", b";", b"%", b"//"];

/// Separators that a header may have, and the option for each.
pub(crate) const SEPARATORS: [(u8, &str); 5] = [
    (b',', ""),
    (b'\t', " --separator tab"),
    (b';', " --separator \";\""),
    (b'|', " --separator \"|\""),
    (b' ', " --separator blanks"),
];

/// Whether a line is a comment, as tools write them above a table.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    COMMENTS.iter().any(|begin| line.trim_ascii_start().starts_with(begin))
}
