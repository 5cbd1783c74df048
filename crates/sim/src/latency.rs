//! Where a request's time went: one account for each, and the only way to write to it.

use crate::time::Nanos;

/// For how long writes held what others waited for, summed over those that hold it no more, and how much of that they
/// lost to collection themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holding {
    time: Nanos,
    gc: Nanos,
}

impl Holding {
    /// So many more hold it no longer: each has held it for `time`, and lost `gc` of that.
    pub fn end(&mut self, count: u32, time: Nanos, gc: Nanos) {
        self.time += Nanos(time.0 * u64::from(count));
        self.gc += Nanos(gc.0 * u64::from(count));
    }

    /// The part of a wait that was lost to collection: as much of it as of the time of those whose hold has ended since
    /// it was `before`.
    pub fn lost(&self, before: Self, waited: Nanos) -> Nanos {
        let (time, gc) = (self.time - before.time, self.gc - before.gc);
        let share = u128::from(waited.0) * u128::from(gc.0) / u128::from(time.0.max(1));
        Nanos(share as u64)
    }
}

/// The parts of the time that a page operation, and in the end its request, has taken so far.
///
/// Only the `charge_*` methods add to it, each to one part, so that every nanosecond is booked once and the parts of a
/// completed request add up to its latency. `docs/results.md` defines the parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LatencyAccount {
    queue: Nanos,
    gc: Nanos,
    transfer: Nanos,
    array: Nanos,
    link: Nanos,
}

impl LatencyAccount {
    /// Waiting behind other work of the host: for a die, for the channel, for room in the write buffer.
    #[inline]
    pub fn charge_queue(&mut self, time: Nanos) {
        self.queue += time;
    }

    /// Waiting for garbage collection or wear levelling: for a die or a channel they use, for space they have yet to
    /// reclaim, for a page they are moving; and a share of waiting for writes that wait for them.
    #[inline]
    pub fn charge_gc(&mut self, time: Nanos) {
        self.gc += time;
    }

    /// Waiting of which the part `for_gc` was due to garbage collection, and the rest to the host.
    #[inline]
    pub fn charge_wait(&mut self, waited: Nanos, for_gc: Nanos) {
        debug_assert!(for_gc <= waited, "waited {waited:?}, for GC {for_gc:?}");
        self.charge_gc(for_gc);
        self.charge_queue(waited - for_gc);
    }

    /// Commands, addresses and data on the way between controller and die.
    #[inline]
    pub fn charge_transfer(&mut self, time: Nanos) {
        self.transfer += time;
    }

    /// Work of the flash array: reading, programming, and taking up a suspended operation again.
    #[inline]
    pub fn charge_array(&mut self, time: Nanos) {
        self.array += time;
    }

    /// Messages between host and drive, and waiting for the link behind other messages.
    #[inline]
    pub fn charge_link(&mut self, time: Nanos) {
        self.link += time;
    }

    /// The time of an operation that had to end before this one could begin.
    #[inline]
    pub fn charge_all_of(&mut self, before: &Self) {
        self.queue += before.queue;
        self.gc += before.gc;
        self.transfer += before.transfer;
        self.array += before.array;
        self.link += before.link;
    }

    /// Time charged with [`Self::charge_queue`].
    #[inline]
    pub fn queue(&self) -> Nanos {
        self.queue
    }

    /// Time charged with [`Self::charge_gc`].
    #[inline]
    pub fn gc(&self) -> Nanos {
        self.gc
    }

    /// Time charged with [`Self::charge_transfer`].
    #[inline]
    pub fn transfer(&self) -> Nanos {
        self.transfer
    }

    /// Time charged with [`Self::charge_array`].
    #[inline]
    pub fn array(&self) -> Nanos {
        self.array
    }

    /// Time charged with [`Self::charge_link`].
    #[inline]
    pub fn link(&self) -> Nanos {
        self.link
    }

    /// All time charged so far.
    #[inline]
    pub fn total(&self) -> Nanos {
        self.queue + self.gc + self.transfer + self.array + self.link
    }
}
