//! The I/O logs of fio, versions 2 and 3, as `write_iolog` makes and `read_iolog` replays them (fio documentation,
//! "Trace file format").
//!
//! Version 2 lines are `file action offset length`, with time only in `wait` lines; version 3 lines have a time before
//! them, in microseconds where fio wrote them. Other programs write nanoseconds, and waits are microseconds by fio's
//! documentation, but milliseconds where fio replays them.

use super::doubtful_times::{pace, times};
use crate::checked::Parsed;
use crate::cursor::Cursor;
use crate::devices::{Devices, Named};
use crate::error::excerpt;
use crate::format::Format;
use crate::input::Input;
use crate::line_reader::{LineParser, LineReader};
use crate::options::Setting;
use crate::units::TimeUnit;
use crate::{Op, OpenOptions, Record};

/// How the first line begins; the version and the word `iolog` follow.
const HEADER: &[u8] = b"fio version ";
const UNIT: TimeUnit = TimeUnit::Microseconds;
/// Requests of a log in us are hardly ever further apart than this, us; those of one in ns usually are.
const MOST_GAP_US: u64 = 10_000;
/// A time below this part of the last one is that of a clock that began again; one further back is out of order.
const BACK_TO_A_BEGINNING: u64 = 10;
/// The second line of what Reclaim writes, which is always in us.
const OWN: &[u8] = b"0 trace add";

pub(super) const FORMAT: Format = Format {
    name: "fio",
    about: "fio iolog, versions 2 and 3; the first line is: fio version 3 iolog",
    expected: "1308 /dev/nvme0n1 write 3173736448 4096",
    settings: &[Setting::Device, Setting::TimeUnit],
    recognise: |input| input.head().starts_with(HEADER),
    doubt,
    read: |input, how| {
        let unit_ns = how.options.time_unit.unwrap_or(UNIT).ns();
        let files = Devices::new(how, "file")?;
        let parser = Fio { unit_ns, version: None, now_ns: 0, begins_ns: 0, restarts: 0, files };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

fn doubt(input: &Input, options: &OpenOptions) -> Option<String> {
    let version = header(input.head_lines().next()?).ok()?;
    if version == Version::Two {
        let waits = |line: &[u8]| line.split(u8::is_ascii_whitespace).nth(1) == Some(b"wait");
        return (options.time_unit.is_none() && input.head_lines().any(waits)).then(|| {
            "says how long to wait, which fio's documentation counts in us and fio itself in ms; say which \
             with --time-unit us or --time-unit ms"
                .to_owned()
        });
    }
    let is_own = input.head_lines().nth(1) == Some(OWN);
    let times = times(input, |line| {
        let mut fields = line.split(u8::is_ascii_whitespace);
        let time = Cursor::new(fields.next()?).number().ok()?;
        // Lines that open files have no address.
        fields.nth(2).map(|_| time)
    });
    let usual = 0..=if is_own { u64::MAX } else { MOST_GAP_US };
    pace(&times, UNIT, usual, TimeUnit::Nanoseconds, options)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

struct Fio {
    unit_ns: u64,
    version: Option<Version>,
    /// The sum of the waits of a version 2 log so far; the last time of a version 3 log.
    now_ns: u64,
    /// When the clock of a version 3 log began to count, and how often it began again.
    begins_ns: u64,
    restarts: u64,
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
                .checked_mul(self.unit_ns)
                .ok_or("the time in the first column is too large for 64 bits of nanoseconds")?;
            if !cursor.blanks() {
                return Err("the time in the first column is not followed by a file name".to_owned());
            }
            time_ns = self.on_one_clock(time_ns)?;
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

    fn missing_at_end(&self) -> Option<String> {
        let restarts = self.restarts;
        (restarts > 0).then(|| {
            format!(
                "the clock of the log begins again {restarts} times, as with loops of a job; its rounds \
                 come one behind the other here, without the time between them"
            )
        })
    }
}

impl Fio {
    /// A time of a version 3 log, by a clock that does not begin again where that of the log does.
    #[inline]
    fn on_one_clock(&mut self, time_ns: u64) -> Result<u64, String> {
        let passed_ns = self.now_ns - self.begins_ns;
        if time_ns < passed_ns / BACK_TO_A_BEGINNING {
            self.begins_ns = self.now_ns;
            self.restarts += 1;
        }
        let time_ns = self.begins_ns.checked_add(time_ns);
        let time_ns = time_ns.ok_or("the rounds of the log add up to more than 64 bits of nanoseconds")?;
        self.now_ns = self.now_ns.max(time_ns);
        Ok(time_ns)
    }

    /// `file wait microseconds [0]`
    fn wait(&mut self, mut cursor: Cursor) -> Result<Parsed, String> {
        let wait = cursor.number().map_err(|fault| fault.of("the time to wait"))?;
        if cursor.blanks() && !cursor.rest().is_empty() {
            length(&mut cursor)?;
        } else if !cursor.rest().is_empty() {
            return Err(format!("unexpected \"{}\" after the time to wait", excerpt(cursor.rest())));
        }
        self.now_ns = wait
            .checked_mul(self.unit_ns)
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
