//! The controller's write buffer: how many pages of host writes may be on their way to flash, and who waits outside.

use std::collections::VecDeque;

use crate::ids::{Lpn, RequestId};
use crate::latency::Breakdown;
use crate::time::{Nanos, SimTime};

/// A page of a write, before the drive has accepted it.
#[derive(Debug, Clone, Copy)]
pub struct OfferedPage {
    pub(crate) request: RequestId,
    pub(crate) lpn: Lpn,
    pub(crate) bytes: u32,
    /// Where its time went so far.
    pub(crate) spent: Breakdown,
}

/// A page of a request that waits until collection has relocated it.
#[derive(Debug, Clone, Copy)]
pub struct BlockedPage {
    pub(crate) page: OfferedPage,
    pub(crate) write: bool,
    pub(crate) since: SimTime,
}

/// The bound and the line before it. The pages inside are the mapping's slots.
#[derive(Debug)]
pub struct WriteBuffer {
    capacity_pages: Option<u32>,
    /// Pages that wait outside, in order of arrival, and since when.
    pub(crate) line: VecDeque<(OfferedPage, SimTime)>,
    /// Pages that had to wait.
    pub(crate) waits: u64,
    /// Their time outside, summed.
    pub(crate) wait_time: Nanos,
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
    pub(crate) fn has_room(&self, in_use: usize) -> bool {
        self.capacity_pages.is_none_or(|capacity| in_use < capacity as usize)
    }
}
