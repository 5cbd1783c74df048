//! What every reader does to every record before it delivers it: checks that it is a request and that time does not go
//! backwards, and makes times relative to the first.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::error::BadLine;
use crate::options::OnError;
use crate::record::Streams;
use crate::register::Register;
use crate::source::Clock;
use crate::{BadLines, OpenOptions, Record, RecordSource, TraceError};

/// The requests of one line or event of a file. Times are by the file's own clock; [`Checked`] makes them relative.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// No request, by the rules of the format: a header, a completion, a summary.
    Nothing,
    /// One request, as most lines hold.
    One(Record),
    /// Two requests at the same time, in this order: a flush and the write behind it.
    Two(Record, Record),
}

/// Whether times are checked and made relative while reading, or left for sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Refuse time going backwards.
    Checked,
    /// Times as in the file; the caller sorts.
    AsInFile,
}

/// How a file is to be read.
pub(crate) struct ReadOptions<'a> {
    /// Whether times are checked or left for sorting.
    pub(crate) order: Order,
    /// The options that the user gave.
    pub(crate) options: &'a OpenOptions,
    /// Streams that requests may be of, where that is asked.
    pub(crate) streams: Option<Streams>,
    /// The recording whose clock the times are of.
    pub(crate) clock_of: &'a Arc<Path>,
    /// Where the device of each request is noted, for whoever lists them; then all are taken.
    pub(crate) register: Option<&'a Register>,
}

/// What checking the next record needs to know of those delivered so far.
#[derive(Debug)]
pub(crate) struct Checked {
    order: Order,
    on_error: OnError,
    streams: Option<Streams>,
    clock_of: Arc<Path>,
    first_ns: Option<u64>,
    last_ns: u64,
    /// The second record of a line or event when there was room only for the first.
    held_back: Option<Record>,
    /// Returned again to whoever asks again: a source that failed never looks finished.
    failed: Option<TraceError>,
    /// A bad line behind records that have yet to be delivered: whoever takes no more than these never gets to it.
    ahead: Option<BadLine>,
    ended: bool,
    pub(crate) bad_lines: BadLines,
}

impl Checked {
    pub(crate) fn new(how: &ReadOptions) -> Self {
        Self {
            order: how.order,
            on_error: how.options.on_error,
            streams: how.streams.clone(),
            clock_of: Arc::clone(how.clock_of),
            first_ns: None,
            last_ns: 0,
            held_back: None,
            failed: None,
            ahead: None,
            ended: false,
            bad_lines: BadLines::default(),
        }
    }

    /// Whether no record has been accepted yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.first_ns.is_none()
    }

    /// By which clock the records count: that of the file, less its time at the first record.
    fn clock(&self) -> Option<Clock> {
        let zero_ns = if self.order == Order::Checked { self.first_ns? } else { 0 };
        Some(Clock { file: Arc::clone(&self.clock_of), zero_ns })
    }

    /// Whether a record that cannot be read is counted instead of ending the reading.
    pub(crate) fn goes_on(&self) -> bool {
        self.on_error == OnError::Report
    }

    /// Leave out a line or event that cannot be read. It counts at once if nothing was `read` before it in this round,
    /// and otherwise with the next: the round must end here.
    #[cold]
    pub(crate) fn leave_out(&mut self, line: BadLine, read: bool) {
        if read {
            self.ahead = Some(line);
        } else {
            self.bad_lines.add(line);
        }
    }

    /// The file has ended, perhaps with a sign that something is missing. Whoever asks for more gets here again.
    pub(crate) fn ended(&mut self, missing: Option<String>) {
        if !self.ended {
            self.ended = true;
            self.bad_lines.warnings.extend(missing);
        }
    }

    /// Check the second record of a line or event, and put it behind `out` now or, without room, when there is some.
    pub(crate) fn accept_second(
        &mut self,
        record: Record,
        out: &mut Vec<Record>,
        target: usize,
    ) -> Result<(), String> {
        let record = self.accept(record)?;
        if out.len() < target {
            out.push(record);
        } else {
            self.held_back = Some(record);
        }
        Ok(())
    }

    /// Why a file has ended without a request; `told` is what its format knows of it.
    #[cold]
    pub(crate) fn nothing_found(&self, told: Option<String>) -> String {
        told.or_else(|| self.bad_lines.nothing_left()).unwrap_or_else(|| "holds no requests".to_owned())
    }

    /// Check a record, and its time against the one before.
    #[inline]
    pub(crate) fn accept(&mut self, record: Record) -> Result<Record, String> {
        self.accept_good(record).ok_or_else(|| self.fault(&record))
    }

    /// The same without saying what is wrong.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every record of a file")]
    pub(crate) fn accept_good(&mut self, mut record: Record) -> Option<Record> {
        let is_in_order = self.order == Order::AsInFile || record.time_ns >= self.last_ns;
        let is_asked = self.streams.is_some();
        if !(record.is_request() && is_in_order) || is_asked && self.is_of_no_stream(&record) {
            return None;
        }
        let first_ns = *self.first_ns.get_or_insert(record.time_ns);
        if self.order == Order::Checked {
            self.last_ns = record.time_ns;
            record.time_ns -= first_ns;
        }
        Some(record)
    }

    /// What is wrong with a record that was not accepted.
    #[cold]
    fn fault(&self, record: &Record) -> String {
        let of_stream = || self.streams.as_ref()?.fault(record);
        record.fault().or_else(of_stream).unwrap_or_else(|| backwards(record.time_ns, self.last_ns))
    }

    #[cold]
    fn is_of_no_stream(&self, record: &Record) -> bool {
        self.streams.as_ref().is_some_and(|streams| streams.fault(record).is_some())
    }
}

/// A reader of checked records.
pub(crate) trait Reader: Send {
    fn checked(&self) -> &Checked;

    fn checked_mut(&mut self) -> &mut Checked;

    /// Read on until `out` holds `round.end` records, the file ends, or a bad line is met and `out` holds more
    /// than `round.start`.
    fn read(&mut self, out: &mut Vec<Record>, round: Range<usize>) -> Result<(), TraceError>;
}

impl<R: Reader> RecordSource for R {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        if max > 0 && self.checked().failed.is_none() {
            let checked = self.checked_mut();
            out.extend(checked.held_back.take());
            if let Some(line) = checked.ahead.take() {
                checked.bad_lines.add(line);
            }
            self.checked_mut().failed = self.read(out, before..before + max).err();
        }
        match &self.checked().failed {
            // What was read before the error is delivered first.
            Some(error) if out.len() == before => Err(error.clone()),
            _ => Ok(out.len() - before),
        }
    }

    fn bad_lines(&self) -> BadLines {
        self.checked().bad_lines.clone()
    }

    fn clock(&self) -> Option<Clock> {
        self.checked().clock()
    }
}

#[cold]
fn backwards(time_ns: u64, last_ns: u64) -> String {
    format!(
        "time goes backwards: {} s after {} s; use --sort to put the requests in order of time first",
        seconds(time_ns),
        seconds(last_ns)
    )
}

fn seconds(time_ns: u64) -> String {
    format!("{}.{:09}", time_ns / 1_000_000_000, time_ns % 1_000_000_000)
}
