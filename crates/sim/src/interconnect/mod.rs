//! Seam `interconnect`: who may use which channel or link, when.
//!
//! One contract for every topology: **reserve** a path for a transfer, **activate** it while something moves,
//! **release** it. On a bus, a path is one shared channel; on a mesh, it will be a set of links. A path is released
//! *at* an instant, usually the known end of a transfer, so that no event is spent on a release nobody waits for.

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
    /// When to ask again; `None` when that depends on somebody's release.
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

    /// Something moves over the leased channel or links for `length` from `now` on; returns when it has arrived.
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime;

    /// What was leased is free again from `at` on.
    fn release(&mut self, at: SimTime, lease: Lease);

    /// [`Self::activate`], and [`Self::release`] when all has arrived, in one call.
    fn send(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let arrived = self.activate(now, lease, transfer, length);
        self.release(arrived, lease);
        arrived
    }

    /// Whether an operation keeps its lease while the array works.
    fn holds_during_array_time(&self) -> bool {
        false
    }

    /// Time until `now` in which the channel towards a die carried garbage collection: tells waiting for GC apart
    /// from waiting for other host operations.
    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos;

    /// Time the channel or links of each contention domain were in use so far, ns: the numerator of their utilisation.
    fn busy_time(&self) -> &[Nanos];

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
}
