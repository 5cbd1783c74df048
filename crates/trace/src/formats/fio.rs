//! The I/O logs of fio, versions 2 and 3, as `write_iolog` makes and `read_iolog` replays them (fio documentation,
//! "Trace file format").
//!
//! Version 2 lines are `file action offset length`, with time only in `wait` lines (microseconds); version 3 lines
//! have a time in microseconds before them.

use crate::checked::Parsed;
use crate::cursor::Cursor;
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::Format;
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::{Op, Record};

/// How the first line begins; the version and the word `iolog` follow.
const HEADER: &[u8] = b"fio version ";
const MICROSECOND_NS: u64 = 1000;

pub(super) const FORMAT: Format = Format {
    name: "fio",
    about: "fio iolog, versions 2 and 3; the first line is: fio version 3 iolog",
    expected: "1308 /dev/nvme0n1 write 3173736448 4096",
    settings: &[Setting::Device],
    recognise: |input| input.head().starts_with(HEADER),
    read: |input, how| {
        let parser = Fio { version: None, now_ns: 0, files: Devices::new(how.options, "file")? };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

struct Fio {
    version: Option<Version>,
    /// The sum of the waits of a version 2 log so far.
    now_ns: u64,
    files: Devices<Named>,
}

impl LineParser for Fio {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let Some(version) = self.version else {
            self.version = Some(header(line)?);
            return Ok(Parsed::Nothing);
        };
        let mut cursor = Cursor::new(line);
        cursor.blanks();
        let mut time_ns = self.now_ns;
        if version == Version::Three {
            let stamp = cursor.number().map_err(|fault| fault.of("the time in the first column"))?;
            time_ns = stamp
                .checked_mul(MICROSECOND_NS)
                .ok_or("the time in the first column is too large for 64 bits of nanoseconds")?;
            if !cursor.blanks() {
                return Err("the time in the first column is not followed by a file name".to_owned());
            }
        }
        let file = cursor.word();
        cursor.blanks();
        let action = cursor.word();
        cursor.blanks();
        let op = match action {
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"trim" => Op::Trim,
            b"sync" | b"datasync" => Op::Flush,
            b"add" | b"open" | b"close" => {
                return if cursor.rest().is_empty() {
                    Ok(Parsed::Nothing)
                } else {
                    Err(format!("unexpected \"{}\" after {}", excerpt(cursor.rest()), excerpt(action)))
                };
            }
            b"wait" if version == Version::Two => return self.wait(cursor),
            _ => return Err(unknown_action(action, version)),
        };
        let offset_bytes = cursor.number().map_err(|fault| fault.of("the offset"))?;
        if !cursor.blanks() {
            return Err("the line ends after the offset, before the length".to_owned());
        }
        let size_bytes = length(&mut cursor)?;
        if !self.files.takes_named(file, Named::new)? {
            return Ok(Parsed::Nothing);
        }
        Ok(Parsed::One(match op {
            // fio writes whatever offset and length the job was at.
            Op::Flush => Record { time_ns, offset_bytes: 0, size_bytes: 0, op, stream: 0 },
            _ => Record { time_ns, offset_bytes, size_bytes, op, stream: 0 },
        }))
    }

    fn nothing_found(&self) -> Option<String> {
        self.files.nothing_found()
    }
}

impl Fio {
    /// `file wait microseconds [0]`
    fn wait(&mut self, mut cursor: Cursor) -> Result<Parsed, String> {
        let wait_us = cursor.number().map_err(|fault| fault.of("the time to wait"))?;
        if cursor.blanks() && !cursor.rest().is_empty() {
            length(&mut cursor)?;
        } else if !cursor.rest().is_empty() {
            return Err(format!("unexpected \"{}\" after the time to wait", excerpt(cursor.rest())));
        }
        self.now_ns = wait_us
            .checked_mul(MICROSECOND_NS)
            .and_then(|wait_ns| self.now_ns.checked_add(wait_ns))
            .ok_or("the waits add up to more than 64 bits of nanoseconds")?;
        Ok(Parsed::Nothing)
    }
}

/// The number that ends a line.
#[inline]
fn length(cursor: &mut Cursor) -> Result<u64, String> {
    let value = cursor.number().map_err(|fault| fault.of("the length"))?;
    cursor.blanks();
    if cursor.rest().is_empty() {
        Ok(value)
    } else {
        Err(format!("unexpected \"{}\" after the length", excerpt(cursor.rest())))
    }
}

fn header(line: &[u8]) -> Result<Version, String> {
    match line.trim_ascii_end().strip_prefix(HEADER) {
        Some(b"2 iolog") => Ok(Version::Two),
        Some(b"3 iolog") => Ok(Version::Three),
        _ => Err("the first line must be \"fio version 2 iolog\" or \"fio version 3 iolog\"".to_owned()),
    }
}

#[cold]
fn unknown_action(action: &[u8], version: Version) -> String {
    let wait = match version {
        Version::Two => ", wait",
        Version::Three => "",
    };
    format!(
        "unknown action \"{}\"; valid: read, write, trim, sync, datasync, add, open, close{wait}",
        excerpt(action)
    )
}
