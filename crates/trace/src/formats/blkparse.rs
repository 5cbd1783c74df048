//! The text that `blkparse` prints in its default layout from a Linux block-layer recording.
//!
//! `major,minor cpu sequence seconds.nanoseconds pid action RWBS sector + sectors [command]`

use super::block_layer::{self, Action, Asked, Requests, Role, Rwbs};
use crate::checked::Parsed;
use crate::cursor::Cursor;
use crate::devices::MajorMinor;
use crate::error::excerpt;
use crate::format::{Format, any_early_line};
use crate::input::Input;
use crate::line_reader::{LineParser, LineReader};
use crate::options::{Event, Setting};
use crate::units::{SECTOR_BYTES, in_bytes};

pub(super) const FORMAT: Format = Format {
    name: "blkparse",
    settings: &[Setting::Device, Setting::Event],
    about: "text output of blkparse, default layout, one device",
    expected: "8,0 1 42 0.062712996 4957 D WS 16777088 + 8 [command]",
    recognise: |input| any_early_line(input, |line| Line::parse(line).is_ok()),
    events: |input, options| Some(options.event.unwrap_or_else(|| usual(input)).describe()),
    read: |input, how| {
        let requests = Requests::new(how, || usual(&input))?;
        let parser = Blkparse { requests, summary: false };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

fn usual(input: &Input) -> Event {
    let lines = input.head_lines().filter_map(|line| Line::parse(line).ok());
    block_layer::usual(lines.filter_map(|line| action(line.action)))
}

struct Blkparse {
    requests: Requests,
    /// Whether the summary that closes the output has begun.
    summary: bool,
}

impl LineParser for Blkparse {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        if self.summary {
            return if Line::parse(line).is_ok() {
                Err("an event after the closing summary: two outputs of blkparse have been joined".to_owned())
            } else {
                Ok(Parsed::Nothing)
            };
        }
        let event = match Line::parse(line) {
            Ok(event) => event,
            Err(_) if begins_summary(line) => {
                self.summary = true;
                return Ok(Parsed::Nothing);
            }
            Err(reason) => return Err(reason),
        };
        let Some(action) = action(event.action) else {
            return Err(format!("unknown action \"{}\" in the sixth field", excerpt(event.action)));
        };
        match self.requests.role(action)? {
            Role::Passed => Ok(Parsed::Nothing),
            Role::Stands => match asked(&event)? {
                Some(asked) => self.requests.take(Role::Stands, &asked),
                None => Ok(Parsed::Nothing),
            },
            // What cannot be read of an event that does not count is as little of interest as the event.
            role => match asked(&event) {
                Ok(Some(asked)) => self.requests.take(role, &asked),
                _ => Ok(Parsed::Nothing),
            },
        }
    }

    fn nothing_found(&self) -> Option<String> {
        Some(self.requests.nothing_found())
    }

    fn missing_at_end(&self) -> Option<String> {
        // Where only the events that count were picked from the text, the summary was left behind, too.
        (!self.summary && self.requests.is_whole()).then(|| {
            "the text ends without the summary that closes blkparse's output: unless it was left out on \
             purpose (blkparse -q), the end of the recording may be missing"
                .to_owned()
        })
    }
}

/// What an event asks of the drive, if anything.
#[inline]
fn asked(event: &Line) -> Result<Option<Asked>, String> {
    let rwbs = Rwbs::parse(event.rwbs)?;
    if rwbs.manages {
        return Ok(None);
    }
    let (sector, sectors) = match Payload::parse(event.rest)? {
        Payload::Sectors { first, count } => (first, count),
        // A completed flush is printed without its sectors.
        Payload::Passthrough if rwbs.flush && rwbs.op.is_none() => (0, 0),
        // A command passed through to the device (SCSI inquiry and the like) addresses no blocks.
        Payload::Passthrough => return Ok(None),
    };
    if rwbs.op.is_none() && sectors > 0 {
        return Err(format!(
            "RWBS \"{}\" is neither read, write nor discard, yet has {sectors} sectors",
            excerpt(event.rwbs)
        ));
    }
    Ok(Some(Asked {
        device: event.device,
        time_ns: event.time_ns,
        flush: rwbs.flush,
        op: rwbs.op,
        appends: rwbs.appends,
        // A flush alone has the sector -1.
        offset_bytes: if sectors == 0 { 0 } else { in_bytes(sector, SECTOR_BYTES, "the start sector")? },
        size_bytes: in_bytes(sectors, SECTOR_BYTES, "the number of sectors")?,
    }))
}

/// What every event line begins with.
struct Line<'a> {
    device: MajorMinor,
    time_ns: u64,
    action: &'a [u8],
    rwbs: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Line<'a> {
    #[inline]
    fn parse(line: &'a [u8]) -> Result<Self, String> {
        let mut cursor = Cursor::new(line);
        cursor.blanks();
        let major =
            cursor.number().map_err(|fault| fault.of("the device (major,minor) in the first field"))?;
        if !cursor.eat(b',') {
            return Err("the first field is not a device (major,minor)".to_owned());
        }
        let minor = field(&mut cursor, "the device's minor number in the first field")?;
        field(&mut cursor, "the processor in the second field")?;
        field(&mut cursor, "the sequence number in the third field")?;
        let seconds = cursor.number().map_err(|fault| fault.of("the time in the fourth field"))?;
        let fraction_ns = match cursor.eat(b'.').then(|| cursor.digits()) {
            Some(Ok((ns, 9))) if cursor.blanks() => ns,
            _ => {
                return Err(
                    "the time in the fourth field is not seconds.nanoseconds with nine decimals".to_owned()
                );
            }
        };
        let time_ns = seconds
            .checked_mul(1_000_000_000)
            .and_then(|ns| ns.checked_add(fraction_ns))
            .ok_or("the time in the fourth field is too large for 64 bits of nanoseconds")?;
        field(&mut cursor, "the process in the fifth field")?;
        let action = cursor.word();
        if action.is_empty() {
            return Err("the line ends before the action in the sixth field".to_owned());
        }
        cursor.blanks();
        let rwbs = cursor.word();
        cursor.blanks();
        Ok(Self { device: MajorMinor(major, minor), time_ns, action, rwbs, rest: cursor.rest() })
    }
}

/// A number and the blanks after it.
#[inline]
fn field(cursor: &mut Cursor, what: &str) -> Result<u64, String> {
    let value = cursor.number().map_err(|fault| fault.of(what))?;
    if cursor.blanks() {
        return Ok(value);
    }
    Err(match cursor.peek() {
        None => format!("the line ends after {what}"),
        Some(_) => format!("{what} is not a whole number"),
    })
}

/// What an action that blkparse prints stands for; `None` if it prints no such action.
#[inline]
fn action(name: &[u8]) -> Option<Action> {
    const OTHERS: &[u8] = b"ABFGIMPSTUWXm";
    match name {
        b"D" => Some(Action::Issued),
        b"Q" => Some(Action::Queued),
        b"C" => Some(Action::Completed),
        b"R" => Some(Action::Requeued),
        [single] if OTHERS.contains(single) => Some(Action::Other),
        // Unplugged by a timer.
        b"UT" => Some(Action::Other),
        _ => None,
    }
}

fn begins_summary(line: &[u8]) -> bool {
    let numbered_cpu =
        line.strip_prefix(b"CPU").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit));
    numbered_cpu || line.starts_with(b"Total (")
}

// The fields of a blkparse event that say where a request goes.

/// What follows the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Payload {
    /// `first + count [command]`, or only `[command]`, which is how blkparse prints a request without sectors.
    /// Newer ones print the priority of the request before it.
    Sectors { first: u64, count: u64 },
    /// `bytes (command block in hexadecimal) [command]`: a device command that went past the block layer.
    Passthrough,
}

impl Payload {
    #[inline]
    fn parse(rest: &[u8]) -> Result<Self, String> {
        let (rest, completed) = without_completion(rest.trim_ascii_end());
        let mut cursor = Cursor::new(rest);
        if matches!(cursor.peek(), Some(first) if first.is_ascii_alphabetic()) {
            cursor.word();
            cursor.blanks();
        }
        match cursor.peek() {
            Some(b'[') => return closed(cursor, Self::Sectors { first: 0, count: 0 }),
            // The completion of a command is printed without a sector before its bytes.
            Some(b'(') => return closed(cursor, Self::Passthrough),
            _ => {}
        }
        let mut first = cursor.number().map_err(|fault| fault.of("the start sector"))?;
        cursor.blanks();
        if matches!(cursor.peek(), Some(b'0'..=b'9')) {
            // What came before the sector was a priority.
            first = cursor.number().map_err(|fault| fault.of("the start sector"))?;
            cursor.blanks();
        }
        if matches!(cursor.peek(), Some(b'[' | b'(')) {
            return closed(cursor, Self::Passthrough);
        }
        if !(cursor.eat(b'+') && cursor.blanks()) {
            return Err("the start sector is not followed by \"+ sectors\"".to_owned());
        }
        let count = cursor.number().map_err(|fault| fault.of("the number of sectors"))?;
        if !cursor.blanks() {
            return Err("the line ends before the command in brackets".to_owned());
        }
        closed(cursor, Self::Sectors { first: completed.unwrap_or(first), count })
    }
}

/// A line without the sector at which the drive has put a zone append, which some versions print behind it:
/// `[0] <262144>`.
#[inline]
fn without_completion(rest: &[u8]) -> (&[u8], Option<u64>) {
    let Some(inner) = rest.strip_suffix(b">") else { return (rest, None) };
    let Some(at) = inner.iter().rposition(|byte| *byte == b'<') else { return (rest, None) };
    let mut cursor = Cursor::new(&inner[at + 1..]);
    match cursor.number() {
        Ok(sector) if cursor.rest().is_empty() => (rest[..at].trim_ascii_end(), Some(sector)),
        _ => (rest, None),
    }
}

/// `payload`, if the line ends as it should: `[command]`, before it perhaps something in parentheses (how long the
/// previous step took, or the bytes of a passed-through command).
#[inline]
fn closed(mut cursor: Cursor, payload: Payload) -> Result<Payload, String> {
    if cursor.eat(b'(') {
        cursor.until(b')');
        cursor.blanks();
    }
    match cursor.rest() {
        [b'[', .., b']'] => Ok(payload),
        _ => Err("the line does not end with the command in brackets".to_owned()),
    }
}
