//! What went on in a stretch of simulated time, one row for each thing that lasted.

use crate::time::{Nanos, SimTime};

/// What a row is about, and which number its track has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum SpanKind {
    /// A channel, or a controller of a network, by its number: a transfer.
    Carrier = 0,
    /// A link of a network, by its number: a transfer over it.
    Link = 1,
    /// A die, by its number: an operation from its command to its last data.
    Operation = 2,
    /// The same die: a transfer of it.
    Transfer = 3,
    /// The same die: its array works.
    Array = 4,
    /// A plane, by its number: a collection job.
    Job = 5,
    /// The write buffer: pages in it from an instant on.
    WriteBuffer = 6,
    /// The collector's buffer: the same.
    GcBuffer = 7,
}

/// The rows, as struct of arrays, in the order in which they became known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans {
    /// Number of a [`SpanKind`].
    pub kind: Vec<u8>,
    /// Number of the channel, controller, link, die or plane; 0 of a buffer.
    pub track: Vec<u32>,
    /// Begin, ns of simulated time.
    pub start_ns: Vec<u64>,
    /// End, ns; of a buffer the begin.
    pub end_ns: Vec<u64>,
    /// 0 read, 1 program, 2 erase, 3 copyback, where it is one; 0 elsewhere.
    pub operation: Vec<u8>,
    /// 1 for collection and wear levelling, 0 for the host.
    pub for_gc: Vec<u8>,
    /// Of a transfer the die at its end; of a job its victim block; of a buffer the pages in it.
    pub value: Vec<u64>,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// What it is about.
    pub kind: SpanKind,
    /// Number of its track.
    pub track: u32,
    /// When it began.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    /// Number of the operation.
    pub operation: u8,
    /// Whether it was for collection or wear levelling.
    pub for_gc: bool,
    /// See [`Spans::value`].
    pub value: u64,
}

/// The stretch of simulated time of which rows are kept, and how many at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanWindow {
    /// Rows begin here or later.
    pub from: SimTime,
    /// And before this.
    pub to: SimTime,
}

/// Rows beyond these are not kept: 35 bytes each.
const MOST_ROWS: usize = 1 << 24;

/// Keeps rows while a drive runs.
#[derive(Debug)]
pub struct SpanRecorder {
    window: SpanWindow,
    rows: Spans,
    /// Per die: what it does, and for whom; the row of its array's work.
    doing: Vec<(u8, bool)>,
    array_row: Vec<usize>,
    /// Pages in both buffers when that was noted last.
    buffered: [u64; 2],
}

impl SpanRecorder {
    /// Nothing yet of a drive of so many dies.
    pub fn new(window: SpanWindow, dies: u32) -> Self {
        let dies = dies as usize;
        Self {
            window,
            rows: Spans::default(),
            doing: vec![(0, false); dies],
            array_row: vec![usize::MAX; dies],
            buffered: [0; 2],
        }
    }

    /// A row, if it begins within the window.
    pub fn note(&mut self, span: Span) {
        if span.start < self.window.from || span.start >= self.window.to || self.rows.kind.len() >= MOST_ROWS
        {
            return;
        }
        self.rows.kind.push(span.kind as u8);
        self.rows.track.push(span.track);
        self.rows.start_ns.push(span.start.0);
        self.rows.end_ns.push(span.end.0);
        self.rows.operation.push(span.operation);
        self.rows.for_gc.push(u8::from(span.for_gc));
        self.rows.value.push(span.value);
    }

    /// A die begins an operation.
    pub fn operation_begins(&mut self, die: u32, operation: u8, for_gc: bool) {
        self.doing[die as usize] = (operation, for_gc);
    }

    /// What a die does, and for whom.
    pub fn doing(&self, die: u32) -> (u8, bool) {
        self.doing[die as usize]
    }

    /// Its array works for so long.
    pub fn array_works(&mut self, die: u32, start: SimTime, length: Nanos) {
        let (operation, for_gc) = self.doing(die);
        let before = self.rows.kind.len();
        let end = start + length;
        self.note(Span { kind: SpanKind::Array, track: die, start, end, operation, for_gc, value: 0 });
        self.array_row[die as usize] = if self.rows.kind.len() > before { before } else { usize::MAX };
    }

    /// Its array stops before that, because a read is let in.
    pub fn array_stops(&mut self, die: u32, now: SimTime) {
        if let Some(end) = self.rows.end_ns.get_mut(self.array_row[die as usize]) {
            *end = now.0;
        }
    }

    /// So many pages are in the write buffer and in the collector's.
    pub fn buffers(&mut self, now: SimTime, pages: [u64; 2]) {
        for (number, kind) in [SpanKind::WriteBuffer, SpanKind::GcBuffer].into_iter().enumerate() {
            if self.buffered[number] != pages[number] {
                self.buffered[number] = pages[number];
                let value = pages[number];
                self.note(Span { kind, track: 0, start: now, end: now, operation: 0, for_gc: false, value });
            }
        }
    }

    /// The rows.
    pub fn rows(self) -> Spans {
        self.rows
    }
}
