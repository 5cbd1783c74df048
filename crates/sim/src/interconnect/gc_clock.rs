//! Clocks that run while something is carried for collection: one for each of several things, read by chip.

use crate::time::{Nanos, SimTime};

/// Each clock runs from the begin of a transfer to its end, instants that several share counted once.
pub(super) struct GcClocks {
    /// The clock of each chip.
    of_chip: Box<[u32]>,
    /// Time that each has run when what has begun is over, and when that is.
    run: Box<[Nanos]>,
    end: Box<[SimTime]>,
}

impl GcClocks {
    /// So many clocks, and which of them each chip reads.
    pub(super) fn new(of_chip: Box<[u32]>, clocks: usize) -> Self {
        Self { of_chip, run: vec![Nanos(0); clocks].into(), end: vec![SimTime::ZERO; clocks].into() }
    }

    /// A clock runs until `end`, or for longer if it does already.
    #[inline]
    pub(super) fn run(&mut self, now: SimTime, end: SimTime, clock: u32) {
        let until = self.end[clock as usize].max(now);
        if end > until {
            self.run[clock as usize] += end.since(until);
            self.end[clock as usize] = end;
        }
    }

    /// What the clock of a chip shows.
    #[inline]
    pub(super) fn read(&self, now: SimTime, chip: u32) -> Nanos {
        let clock = self.of_chip[chip as usize] as usize;
        let ahead = self.end[clock].0.saturating_sub(now.0);
        self.run[clock] - Nanos(ahead)
    }
}
