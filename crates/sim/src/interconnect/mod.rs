//! Seam `interconnect`: who may use which channel or link, when.
//!
//! One contract for every topology: **reserve** a path for a transfer, **activate** it while something moves,
//! **release** it. On a bus, a path is one shared channel; on a mesh, it is a controller, links and a chip. How long a
//! transfer takes is what the interconnect says: a way of several links adds to it. A path is released *at* an instant,
//! usually the known end of a transfer, so that no event is spent on a release nobody waits for.

use crate::building;
use crate::ids::DieId;
use crate::metric::Reading;
use crate::registry::members;
use crate::time::{Nanos, SimTime};

/// Who wants to move something, and why.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The die at the far end.
    pub die: DieId,
    /// Moves for garbage collection or wear levelling rather than for the host.
    pub for_gc: bool,
}

/// The channel or links reserved for one transfer. Only the interconnect knows what the number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease(pub u32);

/// The channel or a link that a transfer needs is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    /// When to ask again; `None` when that depends on somebody's release. Whether others of the domain may ask
    /// meanwhile says [`Interconnect::others_may_try`].
    pub until: Option<SimTime>,
}

/// Decides which transfer has the channel or the links, and when.
pub trait Interconnect: Send {
    /// Number of contention domains: dies of one domain compete for the same channel or links, and wait in the same
    /// lists.
    fn domains(&self) -> u32;

    /// The contention domain a die belongs to, counted from 0.
    fn domain_of(&self, die: DieId) -> u32;

    /// Reserves the channel or the links that a transfer needs, if they are free at `now`.
    ///
    /// # Errors
    /// [`Busy`] when another transfer has them.
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy>;

    /// Something of `length` moves over the leased channel or links from `now` on; returns when it has arrived, which
    /// can be later than `length` from now.
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime;

    /// What was leased is free again from `at` on.
    fn release(&mut self, at: SimTime, lease: Lease);

    /// [`Self::activate`], and [`Self::release`] when all has arrived, in one call.
    fn send(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let arrived = self.activate(now, lease, transfer, length);
        self.release(arrived, lease);
        arrived
    }

    /// Whether dies of a domain need different things, so that a refusal of one says nothing of the others: each then
    /// tries for itself, whoever waits.
    fn others_may_try(&self) -> bool {
        false
    }

    /// Whether an operation keeps its lease while the array works.
    fn holds_during_array_time(&self) -> bool {
        false
    }

    /// Time until `now` in which the channel towards a die carried garbage collection: tells waiting for GC apart
    /// from waiting for other host operations.
    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos;

    /// Time each channel, or each controller of a network, was in use so far, ns: the numerator of their utilisation.
    fn busy_time(&self) -> &[Nanos];

    /// Links reserved so far, and those of them that are free again at `now`, each counted as often as it was.
    fn links(&self, _now: SimTime) -> (u64, u64) {
        (0, 0)
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Interconnect>;

members! {
    /// Members of the seam.
    "interconnect", Build;
    bus,
    serialized_channel,
    ideal,
    mesh,
}
