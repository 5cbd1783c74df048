//! Reclaim's own format: a comma-separated table with a header that names the units. A fifth column may have the stream
//! of each request.

use super::headers::advice;
use crate::checked::Parsed;
use crate::cursor::{Cursor, NumberFault};
use crate::format::Format;
use crate::line_reader::{LineParser, LineReader};
use crate::record::of_number;
use crate::{Op, Record};

/// The first line of every such file.
pub(crate) const HEADER: &str = "time_us,op,offset_bytes,size_bytes";

/// The same of a file that says in which stream requests write.
pub(crate) const STREAM_HEADER: &str = "time_us,op,offset_bytes,size_bytes,stream";

/// Whether a file that begins so says in which stream requests write.
fn has_streams(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    without_quotes(line.trim_ascii()) == STREAM_HEADER.as_bytes()
}

pub(super) const FORMAT: Format = Format {
    name: "csv",
    about: "Reclaim's own table, with the header time_us,op,offset_bytes,size_bytes",
    expected: "1308.875,write,3173736448,4096",
    // The name of the first column suffices, so that a slip in the others is pointed at instead of puzzled over.
    recognise: |input| {
        let head = input.head();
        head.strip_prefix(b"\"").unwrap_or(head).starts_with(b"time_us")
    },
    has_streams: |input, _| has_streams(input.head()),
    read: |input, how| {
        let parser = Csv { header_seen: false, with_stream: false };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

struct Csv {
    header_seen: bool,
    with_stream: bool,
}

impl LineParser for Csv {
    #[inline]
    fn parse_plain(&self, text: &[u8]) -> Option<(Record, usize)> {
        if !self.header_seen || self.with_stream {
            return None;
        }
        plain_row(text)
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        // Some programs put quotation marks around words, or around everything.
        let bare;
        let line = if memchr::memchr(b'"', line).is_some() {
            bare = without_quotes(line);
            &bare
        } else {
            line
        };
        if self.header_seen {
            return row(line, self.with_stream).map(Parsed::One);
        }
        self.with_stream = line == STREAM_HEADER.as_bytes();
        if self.with_stream || line == HEADER.as_bytes() {
            self.header_seen = true;
            Ok(Parsed::Nothing)
        } else {
            let advice = advice(&[line]).unwrap_or_default();
            Err(format!("the first line must be the header {HEADER}{advice}"))
        }
    }
}

/// The line with the quotation marks around its fields taken off.
#[cold]
fn without_quotes(line: &[u8]) -> Vec<u8> {
    let fields = line.split(|byte| *byte == b',').map(|field| match field {
        [b'"', inner @ .., b'"'] => inner,
        _ => field,
    });
    fields.collect::<Vec<_>>().join(&b',')
}

#[inline]
fn row(line: &[u8], with_stream: bool) -> Result<Record, String> {
    let mut cursor = Cursor::new(line);
    let time_ns = time(&mut cursor)?;
    let op = op(cursor.until(b','))?;
    let offset_bytes = cursor.number().map_err(|fault| fault.of("offset_bytes"))?;
    if !cursor.eat(b',') {
        return Err(after("offset_bytes", cursor));
    }
    let size_bytes = cursor.number().map_err(|fault| fault.of("size_bytes"))?;
    let stream = if with_stream { stream(&mut cursor)? } else { 0 };
    if !cursor.rest().is_empty() {
        return Err(after(if with_stream { "stream" } else { "size_bytes" }, cursor));
    }
    Ok(Record { time_ns, offset_bytes, size_bytes, op, stream })
}

/// The line that `text` begins with, and its bytes, if it is a read or write in numbers of no more than 15 digits and
/// there is more text behind it: what [`row`] would say, looking at each byte once.
#[inline]
fn plain_row(text: &[u8]) -> Option<(Record, usize)> {
    let mut cursor = Cursor::new(text);
    let (whole_us, _) = cursor.short_digits()?;
    let mut time_ns = whole_us * 1000;
    if cursor.eat(b'.') {
        let (fraction, digits) = cursor.short_digits()?;
        time_ns += fraction * NS_OF_DECIMALS.get(digits)?;
    }
    let (op, rest) = OPS.iter().find_map(|(word, op)| Some((*op, cursor.rest().strip_prefix(*word)?)))?;
    let mut cursor = Cursor::new(rest);
    let (offset_bytes, _) = cursor.short_digits()?;
    if !cursor.eat(b',') {
        return None;
    }
    let (size_bytes, _) = cursor.short_digits()?;
    cursor.eat(b'\r');
    if !cursor.eat(b'\n') {
        return None;
    }
    let record = Record { time_ns, offset_bytes, size_bytes, op, stream: 0 };
    Some((record, text.len() - cursor.rest().len()))
}

/// What the last decimal of a time in µs is worth, by how many it has.
const NS_OF_DECIMALS: [u64; 4] = [1000, 100, 10, 1];

/// The second column of most lines, with the commas around it.
const OPS: [(&[u8], Op); 4] =
    [(b",write,", Op::Write), (b",read,", Op::Read), (b",W,", Op::Write), (b",R,", Op::Read)];

/// The comma before the stream, and its number: 0 where nothing stands.
#[cold]
fn stream(cursor: &mut Cursor) -> Result<u8, String> {
    if cursor.peek().is_none() {
        return Err("the line ends after size_bytes; the header has a stream behind it".to_owned());
    }
    if !cursor.eat(b',') {
        return Err(after("size_bytes", *cursor));
    }
    if cursor.rest().is_empty() {
        return Ok(0);
    }
    of_number(cursor.number().map_err(|fault| fault.of("stream"))?)
}

/// Microseconds with up to three decimals, and the comma after them.
#[inline]
fn time(cursor: &mut Cursor) -> Result<u64, String> {
    let describe = |fault: NumberFault| fault.of("time_us");
    let whole_us = cursor.number().map_err(describe)?;
    let mut fraction_ns = 0;
    if cursor.eat(b'.') {
        let (fraction, digits) = cursor.digits().map_err(|fault| fault.of("the fraction of time_us"))?;
        fraction_ns = match digits {
            1 => fraction * 100,
            2 => fraction * 10,
            3 => fraction,
            _ => {
                return Err(
                    "time_us has more than three decimals, which is finer than a nanosecond".to_owned()
                );
            }
        };
    }
    if !cursor.eat(b',') {
        return Err(after("time_us", *cursor));
    }
    whole_us
        .checked_mul(1000)
        .and_then(|ns| ns.checked_add(fraction_ns))
        .ok_or_else(|| describe(NumberFault::Overflow))
}

#[inline]
fn op(name: &[u8]) -> Result<Op, String> {
    match name {
        b"W" | b"write" => Ok(Op::Write),
        b"R" | b"read" => Ok(Op::Read),
        b"T" | b"D" | b"trim" => Ok(Op::Trim),
        b"F" | b"flush" => Ok(Op::Flush),
        _ => Err(unknown_op(name)),
    }
}

#[cold]
fn unknown_op(name: &[u8]) -> String {
    let name = crate::error::excerpt(name);
    format!("unknown op \"{name}\"; valid: read, write, trim, flush, or R, W, T (also D, discard), F")
}

#[cold]
fn after(column: &str, cursor: Cursor) -> String {
    match cursor.peek() {
        None => format!("the line ends after {column}; four columns are needed"),
        Some(_) => format!("unexpected \"{}\" after {column}", crate::error::excerpt(cursor.rest())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_plain_line_is_what_any_line_is(
            line in "[0-9]{1,17}(\\.[0-9]{0,4})?,(read|write|trim|R|W),[0-9]{1,17},[0-9]{1,17}\r?",
            damaged in proptest::option::weighted(0.3, (0_usize..50, any::<u8>())),
            behind in "\n[0-9a-z,\n]{0,40}",
        ) {
            let mut bytes = line.into_bytes();
            if let Some((at, byte)) = damaged.filter(|(_, byte)| *byte != b'\n') {
                let length = bytes.len();
                bytes[at % length] = byte;
            }
            let length = bytes.len() + 1;
            let said = row(bytes.strip_suffix(b"\r").unwrap_or(&bytes), false);
            bytes.extend(behind.bytes());
            if let Some(plain) = plain_row(&bytes) {
                prop_assert_eq!(said.map(|record| (record, length)), Ok(plain));
            }
        }
    }

    #[test]
    fn most_lines_are_plain() {
        let text = b"1103723598.05,write,5324857344,4096\r\n1103723980,R,0,512\n and more text";
        let read = |text| {
            let (record, length) = plain_row(text).expect("a plain line");
            (record.time_ns, record.op, record.offset_bytes, record.size_bytes, length)
        };
        assert_eq!(read(text), (1_103_723_598_050, Op::Write, 5_324_857_344, 4096, 37));
        assert_eq!(read(&text[37..]), (1_103_723_980_000, Op::Read, 0, 512, 19));
    }
}
