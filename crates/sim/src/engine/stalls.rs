//! Planes that have no page for the host writes that wait there, and for how long: clocks of planes that run beside the
//! collection clock of their die.

use crate::ids::PlaneId;
use crate::time::{Nanos, SimTime};

/// How long the host writes of each plane were stalled for want of space, beyond what the die's collection clock counts
/// in the same time: a write that waits while its die collects waits once.
#[derive(Debug)]
pub(super) struct Stalls {
    clocks: PlaneClocks,
    has_begun: bool,
}

impl Stalls {
    /// No write of any of so many planes is stalled.
    pub(super) fn new(planes: u32) -> Self {
        Self { clocks: PlaneClocks::new(planes), has_begun: false }
    }

    /// Whether host writes of a plane are stalled.
    #[inline]
    pub(super) fn is_stalled(&self, plane: PlaneId) -> bool {
        self.clocks.runs(plane)
    }

    /// How long those of a plane were, given the reading of its die's clock.
    #[inline]
    pub(super) fn time(&self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        self.clocks.time(plane, now, die_time)
    }

    /// A plane has no page for its writes.
    pub(super) fn begin(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) {
        self.clocks.begin(plane, now, die_time);
        self.has_begun = true;
    }

    /// There is room again; returns how long there was none.
    pub(super) fn end(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        self.clocks.end(plane, now, die_time)
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

/// How long something lasted, beyond what the die's collection clock counted in the same time.
#[derive(Debug, Clone, Copy, Default)]
struct PlaneClock {
    /// When it began, and the die's clock then.
    since: Option<(SimTime, Nanos)>,
    /// Time of what has ended, ns.
    ended: Nanos,
}

/// A clock of each plane.
#[derive(Debug)]
pub(super) struct PlaneClocks(Box<[PlaneClock]>);

impl PlaneClocks {
    /// Of so many planes, all standing at zero.
    pub(super) fn new(planes: u32) -> Self {
        Self(vec![PlaneClock::default(); planes as usize].into())
    }

    /// Whether a plane's clock runs.
    #[inline]
    pub(super) fn runs(&self, plane: PlaneId) -> bool {
        self.0[plane.index()].since.is_some()
    }

    /// The reading of a plane's clock, given that of its die's.
    #[inline]
    pub(super) fn time(&self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        let clock = &self.0[plane.index()];
        match clock.since {
            None => clock.ended,
            Some((since, mark)) => clock.ended + (now.since(since) - (die_time - mark)),
        }
    }

    /// A plane's clock begins to run.
    pub(super) fn begin(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) {
        self.0[plane.index()].since = Some((now, die_time));
    }

    /// A plane's clock stops; returns how long it ran.
    pub(super) fn end(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        let ended = self.time(plane, now, die_time);
        let clock = &mut self.0[plane.index()];
        clock.ended = ended;
        clock.since.take().map_or(Nanos(0), |(since, _)| now.since(since))
    }
}
