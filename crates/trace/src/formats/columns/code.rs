//! How a column writes operations.

use std::sync::Arc;

use super::fields::unquoted;
use crate::Op;
use crate::suggest::choice;

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
