//! The controller's write buffer: how many pages of host writes may be on their way to flash, and who waits outside.

use std::collections::VecDeque;

use crate::config::AssignPages;
use crate::drive::Drive;
use crate::engine::{Nanos, SimTime};
use crate::ids::{Lpn, RequestId};
use crate::metrics::Breakdown;

/// A page of a write, before the drive has accepted it.
#[derive(Debug, Clone, Copy)]
pub struct OfferedPage {
    pub(super) request: RequestId,
    pub(super) lpn: Lpn,
    pub(super) bytes: u32,
    /// Where its time went so far.
    pub(super) spent: Breakdown,
}

/// The bound and the line before it. The pages inside are the mapping's slots.
#[derive(Debug)]
pub struct WriteBuffer {
    capacity_pages: Option<u32>,
    /// Pages that wait outside, in order of arrival, and since when.
    line: VecDeque<(OfferedPage, SimTime)>,
    /// Pages that had to wait.
    waits: u64,
    /// Their time outside, summed.
    wait_time: Nanos,
}

impl WriteBuffer {
    /// An empty buffer for so many pages; `None` is without bound.
    pub fn new(capacity_pages: Option<u32>) -> Self {
        Self { capacity_pages, line: VecDeque::new(), waits: 0, wait_time: Nanos(0) }
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

    /// Pages that had to wait outside, and their time there, summed.
    pub fn waits(&self) -> (u64, Nanos) {
        (self.waits, self.wait_time)
    }

    /// Counts from now on.
    pub(crate) fn start_afresh(&mut self) {
        (self.waits, self.wait_time) = (0, Nanos(0));
    }

    #[inline]
    fn has_room(&self, in_use: usize) -> bool {
        self.capacity_pages.is_none_or(|capacity| in_use < capacity as usize)
    }
}

impl Drive {
    /// A page of a write comes to the buffer: it is let in, or stands in line.
    pub(super) fn offer_page(&mut self, page: OfferedPage) {
        let in_use = self.ftl.map().slots_in_use();
        if self.write_buffer.line_is_empty() && self.write_buffer.has_room(in_use) {
            self.write_page(page);
            return;
        }
        self.write_buffer.waits += 1;
        let now = self.events.now();
        self.write_buffer.line.push_back((page, now));
    }

    /// Pages have left the buffer: those that wait longest come in, one after the other, each as if it arrived now.
    pub(crate) fn admit_waiting_pages(&mut self) {
        let now = self.events.now();
        while self.write_buffer.has_room(self.ftl.map().slots_in_use()) {
            let Some((mut page, since)) = self.write_buffer.line.pop_front() else { return };
            let waited = now.since(since);
            page.spent.queue += waited;
            let counted = self.measured_part(waited);
            self.write_buffer.wait_time += counted;
            let together = self.adds_writes || self.config.ftl.assign_pages == AssignPages::OnArrival;
            if together {
                self.hold_starts();
            }
            if !self.hold_page(page, true) {
                self.write_page(page);
            }
            if together {
                self.start_held();
            }
        }
    }
}
