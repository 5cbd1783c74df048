//! Seam `interconnect`: who may use which wires, when.
//!
//! One contract for every topology: **reserve** wires for a transfer, **activate** them while something moves,
//! **release** them. A bus is one shared link per channel; a mesh will hand out sets of links. Wires are released
//! *at* an instant, usually the known end of a transfer, so that no event is spent on a release nobody waits for.

use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::PolicyChoice;
use crate::time::{Nanos, SimTime};

/// Who wants to move something, and why.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The die at the far end.
    pub die: DieId,
    /// Moves for garbage collection or wear levelling rather than for the host.
    pub for_gc: bool,
}

/// Wires held by one transfer. What the number means is the interconnect's own business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease(pub u32);

/// Why wires cannot be had now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    /// When to ask again; `None` when that depends on somebody's release.
    pub until: Option<SimTime>,
}

/// Hands out wires.
pub trait Interconnect: Send {
    /// Domains of dies that compete for the same wires; waiting is kept per domain.
    fn domains(&self) -> u32;

    /// The domain a die belongs to.
    fn domain_of(&self, die: DieId) -> u32;

    /// Wires for a transfer, free at `now`.
    ///
    /// # Errors
    /// [`Busy`] when somebody else has them.
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy>;

    /// Something moves over the leased wires for `length` from `now` on; returns when it has arrived.
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime;

    /// The wires are free again from `at` on.
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

    /// Time each domain's wires were in use so far.
    fn busy_time(&self) -> &[Nanos];

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = fn(&PolicyChoice, &Geometry) -> Box<dyn Interconnect>;

members! {
    /// Members of the seam.
    "interconnect", Build;
    bus,
    serialized_channel,
    ideal,
}
