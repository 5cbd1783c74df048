//! The block events of the kernel as text, as `trace_pipe`, `trace-cmd report` and `perf script` print them
//! (<trace/events/block.h>).
//!
//! `task-pid [cpu] flags seconds.fraction: block_rq_issue: major,minor RWBS bytes (command) sector + sectors [task]`,
//! in newer kernels with a priority before the last bracket. The names of tasks may have blanks.

use memchr::memmem::Finder;

use super::block_layer::{self, Action, Asked, Requests, Role, Rwbs};
use crate::checked::Parsed;
use crate::cursor::Cursor;
use crate::devices::MajorMinor;
use crate::error::excerpt;
use crate::format::{Format, any_early_line};
use crate::input::Input;
use crate::line_reader::{LineParser, LineReader};
use crate::options::{Event, Setting};
use crate::units::{SECTOR_BYTES, TimeUnit, in_bytes};

pub(super) const FORMAT: Format = Format {
    name: "ftrace",
    settings: &[Setting::Device, Setting::Event],
    about: "block events of ftrace, trace-cmd or perf script as text, one device",
    expected: "fio-812 [001] ..... 88.120345: block_rq_issue: 8,0 WS 4096 () 2048 + 8 [fio]",
    recognise: |input| {
        let mark = Finder::new(MARK);
        any_early_line(input, |line| matches!(Line::parse(line, &mark), Ok(Some(_))))
    },
    events: |input, options| Some(options.event.unwrap_or_else(|| usual(input)).describe()),
    read: |input, how| {
        let requests = Requests::new(how, || usual(&input))?;
        let parser = Ftrace { requests, mark: Finder::new(MARK), lost: 0 };
        Ok(Box::new(LineReader::new(input, parser, FORMAT.expected, how)))
    },
    ..Format::PLAIN
};

/// What stands between the time of an event and the rest of its name.
const MARK: &[u8] = b": block";

fn usual(input: &Input) -> Event {
    let mark = Finder::new(MARK);
    let lines = input.head_lines().filter_map(|line| Line::parse(line, &mark).ok().flatten());
    block_layer::usual(lines.filter_map(|line| action(line.event)))
}

struct Ftrace {
    requests: Requests,
    mark: Finder<'static>,
    /// Events that the kernel had no room for.
    lost: u64,
}

impl LineParser for Ftrace {
    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, String> {
        let Some(event) = Line::parse(line, &self.mark)? else {
            self.lost += lost(line);
            return Ok(Parsed::Nothing);
        };
        let Some(action) = action(event.event) else { return Ok(Parsed::Nothing) };
        let role = self.requests.role(action)?;
        if role == Role::Passed {
            return Ok(Parsed::Nothing);
        }
        match event.asked() {
            Ok(Some(asked)) => self.requests.take(role, &asked),
            Err(reason) if role == Role::Stands => Err(reason),
            Ok(None) | Err(_) => Ok(Parsed::Nothing),
        }
    }

    fn nothing_found(&self) -> Option<String> {
        Some(self.requests.nothing_found())
    }

    fn missing_at_end(&self) -> Option<String> {
        let lost = self.lost;
        (lost > 0)
            .then(|| format!("the kernel had no room for {lost} events, which are not in the recording"))
    }
}

/// How many events a line says that were lost, as in `CPU:1 [LOST 12 EVENTS]`.
fn lost(line: &[u8]) -> u64 {
    let Some(at) = memchr::memmem::find(line, b"[LOST ") else { return 0 };
    Cursor::new(&line[at + 6..]).number().unwrap_or(0)
}

/// An event of the block layer.
struct Line<'a> {
    time_ns: u64,
    event: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Line<'a> {
    /// `None` for a line that is of another kind: a comment, an event of another part of the kernel.
    #[inline]
    fn parse(line: &'a [u8], mark: &Finder) -> Result<Option<Self>, String> {
        let Some(at) = mark.find(line) else {
            let other = line.starts_with(b"#") || line.contains(&b':') || line.contains(&b'=');
            return if other { Ok(None) } else { Err("is no event of ftrace".to_owned()) };
        };
        let before = &line[..at];
        let begins =
            before.iter().rposition(|byte| matches!(byte, b' ' | b'\t')).map_or(0, |blank| blank + 1);
        let mut time = Cursor::new(&before[begins..]);
        let (time_ns, decimals) = time
            .fixed_point(TimeUnit::Seconds.decimals())
            .map_err(|fault| fault.of("the time before the name of the event"))?;
        if decimals == 0 || !time.rest().is_empty() {
            return Err("the time before the name of the event is not seconds with decimals".to_owned());
        }
        let mut cursor = Cursor::new(&line[at + 2..]);
        let mut event = cursor.until(b':');
        if event == b"block" {
            // perf script names the part of the kernel, too.
            event = cursor.until(b':');
        }
        cursor.blanks();
        Ok(Some(Self { time_ns, event, rest: cursor.rest() }))
    }

    /// What it asks of the drive, if anything.
    #[inline]
    fn asked(&self) -> Result<Option<Asked>, String> {
        let mut cursor = Cursor::new(self.rest);
        let number = |cursor: &mut Cursor, what: &str| cursor.number().map_err(|fault| fault.of(what));
        let major = number(&mut cursor, "the device (major,minor)")?;
        if !cursor.eat(b',') {
            return Err("the name of the event is not followed by a device (major,minor)".to_owned());
        }
        let minor = number(&mut cursor, "the device's minor number")?;
        cursor.blanks();
        let flags = cursor.word();
        let rwbs = Rwbs::parse(flags)?;
        cursor.blanks();
        let mut sector = None;
        if cursor.peek() != Some(b'(') {
            sector = Some(number(&mut cursor, "the start sector")?);
            cursor.blanks();
        }
        if cursor.eat(b'(') {
            // What came first were the bytes of the request.
            cursor.until(b')');
            cursor.blanks();
            sector = None;
        }
        let sector = match sector {
            Some(sector) => sector,
            None => number(&mut cursor, "the start sector")?,
        };
        cursor.blanks();
        if !(cursor.eat(b'+') && cursor.blanks()) {
            return Err("the start sector is not followed by \"+ sectors\"".to_owned());
        }
        let sectors = number(&mut cursor, "the number of sectors")?;
        if !(cursor.blanks() && cursor.rest().trim_ascii_end().ends_with(b"]")) {
            return Err("the line does not end with the task or error in brackets".to_owned());
        }
        // A command passed through to the device addresses no blocks.
        if rwbs.manages || sectors == 0 && !rwbs.flush {
            return Ok(None);
        }
        if rwbs.op.is_none() && sectors > 0 {
            return Err(format!(
                "RWBS \"{}\" is neither read, write nor discard, yet has {sectors} sectors",
                excerpt(flags)
            ));
        }
        Ok(Some(Asked {
            device: MajorMinor(major, minor),
            time_ns: self.time_ns,
            flush: rwbs.flush,
            op: rwbs.op,
            appends: rwbs.appends,
            // A flush alone has the sector -1.
            offset_bytes: if sectors == 0 { 0 } else { in_bytes(sector, SECTOR_BYTES, "the start sector")? },
            size_bytes: in_bytes(sectors, SECTOR_BYTES, "the number of sectors")?,
        }))
    }
}

/// What an event stands for; `None` for those of no request.
#[inline]
fn action(name: &[u8]) -> Option<Action> {
    match name {
        b"block_rq_issue" => Some(Action::Issued),
        b"block_bio_queue" => Some(Action::Queued),
        b"block_rq_complete" => Some(Action::Completed),
        b"block_rq_requeue" => Some(Action::Requeued),
        _ => None,
    }
}
