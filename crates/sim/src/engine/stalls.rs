//! Planes that have no page for the host writes that wait there, and for how long.

use crate::ids::PlaneId;
use crate::time::{Nanos, SimTime};

/// How long the host writes of a plane were stalled for want of space, beyond what the die's GC clock counts in
/// the same time: a write that waits while its die collects waits once.
#[derive(Debug, Clone, Copy, Default)]
struct StallClock {
    /// When the writes began to stall, and the die's GC clock then.
    since: Option<(SimTime, Nanos)>,
    /// Time of the stalls that have ended, ns.
    ended: Nanos,
}

/// The stall clocks of all planes.
#[derive(Debug)]
pub(super) struct Stalls {
    clocks: Box<[StallClock]>,
    has_begun: bool,
}

impl Stalls {
    /// No write of any of so many planes is stalled.
    pub(super) fn new(planes: u32) -> Self {
        Self { clocks: vec![StallClock::default(); planes as usize].into(), has_begun: false }
    }

    /// Whether host writes of a plane are stalled.
    #[inline]
    pub(super) fn is_stalled(&self, plane: PlaneId) -> bool {
        self.clocks[plane.index()].since.is_some()
    }

    /// The reading of a plane's clock, given that of its die's GC clock.
    #[inline]
    pub(super) fn time(&self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        let clock = &self.clocks[plane.index()];
        match clock.since {
            None => clock.ended,
            Some((since, mark)) => clock.ended + (now.since(since) - (die_time - mark)),
        }
    }

    /// A plane has no page for its writes.
    pub(super) fn begin(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) {
        self.clocks[plane.index()].since = Some((now, die_time));
        self.has_begun = true;
    }

    /// There is room again; returns how long there was none.
    pub(super) fn end(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        let ended = self.time(plane, now, die_time);
        let clock = &mut self.clocks[plane.index()];
        clock.ended = ended;
        clock.since.take().map_or(Nanos(0), |(since, _)| now.since(since))
    }

    /// A write has begun to wait until any plane has room.
    pub(super) fn begin_everywhere(&mut self) {
        self.has_begun = true;
    }

    /// Whether any write has begun to wait since this was asked last.
    pub(super) fn take_has_begun(&mut self) -> bool {
        std::mem::take(&mut self.has_begun)
    }
}
