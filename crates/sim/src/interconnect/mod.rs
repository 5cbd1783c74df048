//! Seam `interconnect`: who may use which channel or link, when.
//!
//! One contract for every topology: **reserve** a path for a transfer, **activate** it while something moves,
//! **release** it. On a bus, a path is one shared channel; on a mesh, it is a controller, links and a chip. How long a
//! transfer takes is what the interconnect says: a way of several links adds to it. A path is released *at* an instant,
//! usually the known end of a transfer, so that no event is spent on a release nobody waits for.
//!
//! A circuit may stay reserved for what follows to the same chip (`venice-priority`, pages that are written back). From
//! the end of a transfer that keeps it the circuit *rests* inside the interconnect: nobody else has what it holds,
//! except who asks with a higher priority, who removes it. What is in use is never taken away, so the engine need not
//! cancel anything: whoever lost a circuit finds out by being refused, or by having to set up another.
//! `serialized-channel` may keep a channel for a collection job. All others keep nothing.

#[macro_use]
mod mesh_parameters;
pub(crate) mod fabric;
mod gc_clock;
mod rests;
pub mod routers;
mod scout_options;
mod scouted;
mod scouting;
mod transfer;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building;
use crate::ids::{DieId, JobId};
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::reading;
use crate::time::{Nanos, SimTime};

pub use routers::NetworkMap;
pub use transfer::{Direction, EntryPoint, Priority, Transfer};

/// The channel or links reserved for one transfer. Only the interconnect knows what the number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease(pub u32);

/// The channel or a link that a transfer needs is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy {
    /// When to ask again; `None` when that depends on somebody's release. Whether others of the domain may ask
    /// meanwhile says [`Sharing::others_may_try`].
    pub until: Option<SimTime>,
}

/// What dies that wait for each other have in common: their contention domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Domain {
    /// All dies of the drive are one domain.
    #[default]
    Whole,
    /// Those of a channel are.
    Channel,
    /// Each is one by itself: nobody waits for others.
    Die,
}

/// How dies share an interconnect.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sharing {
    /// Who competes with whom for the same channel or links, and waits in the same lists.
    pub domain: Domain,
    /// Whether dies of a domain need different things, so that a refusal of one says nothing of the others: each then
    /// tries for itself, whoever waits.
    pub others_may_try: bool,
    /// Whether, where others may try, nobody does while those who wait are served or about to be at that instant.
    pub waiting_first: bool,
    /// Whether [`Refusals::all_taken`] is worth asking.
    pub tells_taken: bool,
    /// Whether an operation keeps its lease while the array works.
    pub holds_during_array_time: bool,
    /// Whether a channel is kept for a collection job between its operations.
    pub keeps_tasks: bool,
    /// Whether it matters how much space is left where a transfer goes.
    pub asks_space: bool,
}

/// Decides which transfer has the channel or the links, and when.
pub trait Interconnect: Send {
    /// How dies share it: asked once.
    fn sharing(&self) -> Sharing {
        Sharing::default()
    }

    /// Reserves the channel or the links that a transfer needs, if they are free at `now`: nobody has them, or they are
    /// kept for what the transfer belongs to, or by circuits that rest with a lower priority than the transfer's. What
    /// one that is removed held beyond that is free from now on; who waits for it is woken at the end of a transfer.
    ///
    /// # Errors
    /// [`Busy`] when another transfer has them, or they are kept for others: until when, nobody knows then.
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy>;

    /// Its short answers to those it is sure to refuse, if it has any.
    fn refusals(&mut self) -> Option<&mut dyn Refusals> {
        None
    }

    /// Something of `length` moves over the leased channel or links from `now` on; returns when it has arrived, which
    /// can be later than `length` from now.
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime;

    /// What was leased is free again from `at` on, or rests from then on if the transfer keeps it.
    fn release(&mut self, at: SimTime, lease: Lease);

    /// What it keeps from one transfer to the next, if it ever does.
    fn keeping(&mut self) -> Option<&mut dyn Keeping> {
        None
    }

    /// The job for which a contention domain, counted from 0, is kept now, if for one: nobody else is served there
    /// before [`Keeping::release_kept`].
    fn kept_for(&self, _domain: u32) -> JobId {
        JobId::NONE
    }

    /// Time until `now` in which the channel towards a die carried garbage collection: tells waiting for GC apart
    /// from waiting for other host operations.
    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos;

    /// Time each channel, or each controller of a network, was in use so far, ns: the numerator of their utilisation.
    fn busy_time(&self) -> &[Nanos];

    /// The channel or controller that a lease has, numbered as in [`Self::busy_time`].
    fn carrier(&self, lease: Lease) -> u32 {
        lease.0
    }

    /// What is known of its links, if it has any.
    fn links(&self) -> Option<&dyn Links> {
        None
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

impl dyn Interconnect + '_ {
    /// [`Interconnect::activate`], and [`Interconnect::release`] when all has arrived.
    #[inline(never)]
    pub fn send(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let arrived = self.activate(now, lease, transfer, length);
        self.release(arrived, lease);
        arrived
    }
}

/// What a network on which many wait says at once to those it is sure to refuse, by what it keeps in mind.
pub trait Refusals {
    /// [`Interconnect::reserve`] of a transfer of normal priority, where that is sure to be refused: the refusal is
    /// counted as one by `reserve` is. None where it takes a closer look.
    fn refuse_at_once(
        &mut self,
        now: SimTime,
        die: DieId,
        for_gc: bool,
        direction: Direction,
    ) -> Option<Busy>;

    /// What [`Self::refuse_at_once`] says to everybody, of the host or for collection, because all is taken; nothing is
    /// counted. Whoever is refused by that was refused before, since its last transfer, and is told by
    /// [`Self::note_refused`].
    fn all_taken(&mut self, _now: SimTime, _for_gc: bool) -> Option<Busy> {
        None
    }

    /// So many were refused because all was taken.
    fn note_refused(&mut self, _count: u64) {}
}

/// What an interconnect keeps from one transfer to the next: circuits of a mesh, or a whole channel.
pub trait Keeping {
    /// An owner has no more transfers: what rests for it is free from `now` on, and what it uses will be at its end.
    /// Tells whether anything fell free, so that those who wait can be woken. Numbers of owners are used again only
    /// after this.
    fn release_kept(&mut self, _now: SimTime, _owner: JobId) -> bool {
        false
    }

    /// Nothing more is to be written back to the chip of a die: a circuit that rests there is free from `now` on, and
    /// one in use will be at its end. Tells whether anything fell free, so that those who wait can be woken.
    fn end_hold(&mut self, _now: SimTime, _die: DieId) -> bool {
        false
    }
}

/// What is known of the links of a network.
pub trait Links {
    /// Links reserved so far, and those of them that are free again at `now`, each counted as often as it was.
    fn reserved(&self, _now: SimTime) -> (u64, u64) {
        (0, 0)
    }

    /// Where its routers, chips, controllers and links are.
    fn map(&self) -> Option<NetworkMap> {
        None
    }

    /// Time each link was in use so far, ns.
    fn busy_time(&self) -> &[Nanos] {
        &[]
    }

    /// Transfers so far by the number of links on their way, from 0 on.
    fn way_lengths(&self) -> &[u64] {
        &[]
    }

    /// Tells those of what was leased last under this number, where they are known.
    fn each_of(&self, _lease: Lease, _tell: &mut dyn FnMut(u32)) {}
}

/// Builds a member.
pub type Build = building::Build<dyn Interconnect>;

members! {
    /// Members of the seam.
    "interconnect", Build, reading(
        &["bus", "serialized-channel", "ideal"],
        "Simulators keep a channel for transfers, for whole operations, or do not model it."
    );
    bus,
    serialized_channel,
    ideal,
    mesh,
    pssd,
    pnssd,
    nossd,
    venice,
    venice_priority,
    smartnetssd,
}

/// Who asks first at an instant at which dies that wait are served; `docs/model.md`, 12.13.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Order {
    /// Whoever comes asks at once, even if others are about to be served.
    #[default]
    NewcomersFirst,
    /// Whoever comes then joins its line, and is served in its turn.
    WaitingFirst,
}

impl Order {
    /// How dies share a network of which each needs something else.
    fn sharing(self) -> Sharing {
        Sharing { others_may_try: true, waiting_first: self == Self::WaitingFirst, ..Sharing::default() }
    }
}

/// Alternatives of the key, for every network that has it.
const ORDERS: &[&str] = &["newcomers-first", "waiting-first"];

/// Why there are two.
const ORDER_IS_READ: &str =
    "Venice is said to serve requests first come, first served, and not whether that holds across paths.";
