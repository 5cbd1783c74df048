//! The controller's write buffer: how many pages of host writes may be on their way to flash, and who waits outside.

use std::collections::VecDeque;

use crate::ids::{Lpn, RequestId, SlotId};
use crate::latency::{Holding, LatencyAccount};
use crate::metric::figures;
use crate::time::{Nanos, SimTime};

figures! {
    /// What the controller's write buffer held, and what waited for it.
    #[derive(Default, Eq)]
    pub struct BufferResult {
        /// Pages it has room for; null without bound.
        capacity_pages: Option<u32> => "pages",
        /// Most pages in it at once, from the start of the trace on.
        max_pages: u32 => "pages",
        /// Pages that had to wait outside for room.
        waits: u64 => "pages",
        /// Their time outside, summed.
        wait_ns: u64 => "ns",
    }
}

/// A page of a write, before the drive has accepted it.
#[derive(Debug, Clone, Copy)]
pub struct OfferedPage {
    pub(crate) request: RequestId,
    pub(crate) lpn: Lpn,
    pub(crate) bytes: u32,
    /// Where its time went so far.
    pub(crate) spent: LatencyAccount,
}

/// The bound and the line before it. The pages inside are the mapping's slots.
#[derive(Debug)]
pub struct WriteBuffer {
    capacity_pages: Option<u32>,
    /// Pages that wait outside, in order of arrival, since when, and what had been held then.
    line: VecDeque<(OfferedPage, SimTime, Holding)>,
    /// Since when each slot is held, and what its write had lost to collection then; empty without bound.
    inside: Vec<(SimTime, Nanos)>,
    /// What was held by those that have left.
    held: Holding,
    /// What is counted as it happens: waiting.
    counted: BufferResult,
}

impl WriteBuffer {
    /// An empty buffer for so many pages; `None` is without bound.
    pub fn new(capacity_pages: Option<u32>) -> Self {
        let (line, inside, held) = (VecDeque::new(), Vec::new(), Holding::default());
        Self { capacity_pages, line, inside, held, counted: BufferResult::default() }
    }

    /// Pages it has room for; `None` is without bound.
    pub fn capacity_pages(&self) -> Option<u32> {
        self.capacity_pages
    }

    /// Whether nobody waits outside.
    #[inline]
    pub fn line_is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// A page waits outside from now on.
    pub(crate) fn wait(&mut self, page: OfferedPage, now: SimTime) {
        self.note_waits(1);
        self.line.push_back((page, now, self.held));
    }

    /// The page that has waited longest, which does so no more, and for how long it has. It has lost to collection what
    /// those have that have left meanwhile.
    pub(crate) fn leave_line(&mut self, now: SimTime) -> Option<(OfferedPage, Nanos)> {
        let (mut page, since, before) = self.line.pop_front()?;
        let waited = now.since(since);
        page.spent.charge_wait(waited, self.held.lost(before, waited));
        Some((page, waited))
    }

    /// A page of a write holds a slot from now on; it has lost `gc` to collection so far.
    #[inline]
    pub(crate) fn enter(&mut self, slot: SlotId, now: SimTime, gc: Nanos) {
        if self.capacity_pages.is_some() {
            if self.inside.len() <= slot.index() {
                self.inside.resize(slot.index() + 1, (SimTime::ZERO, Nanos(0)));
            }
            self.inside[slot.index()] = (now, gc);
        }
    }

    /// It does so no longer.
    #[inline]
    pub(crate) fn leave(&mut self, slot: SlotId, now: SimTime, gc: Nanos) {
        if let Some((since, before)) = self.inside.get(slot.index()) {
            self.held.end(1, now.since(*since), gc - *before);
        }
    }

    /// So many pages wait outside.
    pub(crate) fn note_waits(&mut self, pages: u64) {
        self.counted.waits += pages;
    }

    /// So many have waited so long, as far as that is measured.
    pub(crate) fn note_waited(&mut self, pages: u64, each: Nanos) {
        self.counted.wait_ns += each.0 * pages;
    }

    /// What is known of it when at most `max_pages` were in it at once.
    pub(crate) fn result(&self, max_pages: u32) -> BufferResult {
        BufferResult { capacity_pages: self.capacity_pages, max_pages, ..self.counted.clone() }
    }

    /// Counts from now on.
    pub(crate) fn start_afresh(&mut self) {
        self.counted = BufferResult::default();
    }

    #[inline]
    pub(crate) fn has_room(&self, in_use: usize) -> bool {
        self.capacity_pages.is_none_or(|capacity| in_use < capacity as usize)
    }
}
