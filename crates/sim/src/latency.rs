//! Where a request's time went.

use std::ops::AddAssign;

use crate::time::Nanos;

/// Shares of a latency; they add up to it exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// Waiting behind other host operations, for the die or for wires.
    pub queue: Nanos,
    /// Waiting for garbage collection: for the die, for wires, or for space.
    pub gc: Nanos,
    /// On the channel: commands, addresses, data.
    pub wires: Nanos,
    /// In the flash array: tR, tPROG.
    pub array: Nanos,
}

impl Breakdown {
    /// The whole.
    pub fn total(&self) -> Nanos {
        self.queue + self.gc + self.wires + self.array
    }
}

impl AddAssign for Breakdown {
    fn add_assign(&mut self, rhs: Self) {
        self.queue += rhs.queue;
        self.gc += rhs.gc;
        self.wires += rhs.wires;
        self.array += rhs.array;
    }
}
