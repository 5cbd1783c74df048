//! Program units of the host that a warm-up leaves open, by the time of the request that began them.

use std::collections::VecDeque;

use crate::ids::PlaneId;
use crate::time::Nanos;

/// Since when units of the host have been begun. Without time, that is when their requests arrive.
pub(super) struct HostUnits {
    flush_after: Nanos,
    now_ns: u64,
    /// Units in the order in which they were begun: since when, where, and which of its plane's.
    begun: VecDeque<(u64, PlaneId, u32)>,
    /// By plane: how many were begun there.
    count: Box<[u32]>,
}

impl HostUnits {
    pub(super) fn new(flush_after: Nanos, planes: u32) -> Self {
        Self { flush_after, now_ns: 0, begun: VecDeque::new(), count: vec![0; planes as usize].into() }
    }

    /// The time of requests from now on.
    pub(super) fn arrives(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    /// The host has taken a page that begins a unit.
    pub(super) fn begin(&mut self, plane: PlaneId) {
        let count = &mut self.count[plane.index()];
        *count = count.wrapping_add(1);
        self.begun.push_back((self.now_ns, plane, *count));
    }

    /// The plane of the next unit that has waited long enough, where no other was begun since.
    pub(super) fn next_due(&mut self) -> Option<PlaneId> {
        while let Some((since_ns, plane, number)) = self.begun.front().copied()
            && since_ns + self.flush_after.0 <= self.now_ns
        {
            self.begun.pop_front();
            if self.count[plane.index()] == number {
                return Some(plane);
            }
        }
        None
    }

    /// Those begun so far have been padded.
    pub(super) fn forget(&mut self) {
        self.begun.clear();
    }
}
