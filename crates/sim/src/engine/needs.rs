//! What the configuration and the policies need of the engine. They are asked once, when a drive is put together; what
//! is asked at every operation must not cost a call.

use super::deferring::Deferring;
use super::delays::Delays;
use super::dies::Dies;
use super::ops::{COMMANDS, HOST, HOST_WRITE, OpKind};
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::gc::relocation::{GcBuffer, Way};
use crate::gc::trigger::RequestsWaitedFor;
use crate::ids::DieId;
use crate::interconnect::{Domain, Interconnect};
use crate::scheduler::Scheduler;
use crate::settings::{Acknowledge, AssignPages, ChannelArbitration, Config, MultiPlane};
use crate::time::Nanos;

/// Constants of a run that follow from the configuration and the policies.
///
/// A `PLAIN` drive needs nothing of all this, and has buses: it is compiled by itself, so that its operations do not
/// even ask.
#[derive(Debug)]
pub(super) struct Needs<const PLAIN: bool> {
    /// Per die, and per part of one that waits for itself: its contention domain of the interconnect.
    pub(super) domain_of: Box<[u32]>,
    /// How long the first page of a unit waits for the others.
    pub(super) flush_after: Nanos,
    facts: Facts,
}

/// What can be asked, and what a plain drive answers.
macro_rules! questions {
    ($($(#[$about:meta])* $name:ident: $kind:ty = $plain:expr,)*) => {
        /// What a drive has beyond the plainest, or its policies ask of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        struct Facts {
            $($(#[$about])* $name: $kind,)*
        }

        impl Facts {
            const PLAIN: Self = Self { $($name: $plain,)* };
        }

        impl<const PLAIN: bool> Needs<PLAIN> {
            $(
                $(#[$about])*
                #[inline(always)]
                #[allow(clippy::inline_always, reason = "a constant, or a look into memory")]
                pub(super) fn $name(&self) -> $kind {
                    if PLAIN { $plain } else { self.facts.$name }
                }
            )*
        }
    };
}

questions! {
    /// Whether a die keeps the channel during array time.
    keeps_lease: bool = false,
    /// Whether a channel is kept for a collection job from its first operation to its last.
    keeps_tasks: bool = false,
    /// Whether a die may try for what it needs while others wait.
    others_may_try: bool = false,
    /// Whether it may not when they are served or about to be at that instant.
    waiting_first: bool = false,
    /// Whether it says so when all is taken.
    tells_taken: bool = false,
    /// Whether the interconnect looks at how much space is left.
    asks_space: bool = false,
    /// Bits of the classes for which a die that waits for the channel may go to an earlier line.
    moves_lines: u8 = COMMANDS,
    /// Whether the scheduler goes by the age of operations, and not by their classes alone.
    goes_by_age: bool = false,
    /// Host reads that a die begins in a row while a host program waits there; 0 without such a limit.
    reads_before_write: u32 = 0,
    /// Whether planes of a die may work together.
    multi_plane: bool = false,
    /// Whether planes of a die read by themselves.
    plane_reads: bool = false,
    /// Whether a plane that does so has a register for data that leave.
    cache_reads: bool = false,
    /// Whether programs are loaded while the array works for itself.
    cache_programs: bool = false,
    /// Whether parts of a die work beside it: any of the above.
    parts_work: bool = false,
    /// Whether blocks have array times by themselves: by their erases, or in single-level mode.
    times_by_block: bool = false,
    /// Whether reads may fail and be repeated.
    retries: bool = false,
    /// Number of pages that one program of a plane covers.
    unit_pages: u32 = 1,
    /// Number of them that make up a page of flash, where that is mapped in parts; otherwise 1.
    parts_of_page: u32 = 1,
    /// Whether relocated pages need more than the next page of the collector's block.
    in_units: bool = false,
    /// What begins a job's steps, where each is the next valid page by itself.
    every_page: Option<OpKind> = Some(OpKind::Read),
    /// Whether jobs relocate at the pace of the host.
    paced: bool = false,
    /// Whether pages of writes replace older ones that wait in the write buffer.
    merges: bool = false,
    /// Whether relocation lifts pages into a buffer.
    lifts: bool = false,
    /// Whether a job lifts them in more than one batch.
    lifts_in_batches: bool = false,
    /// Whether circuits are kept between the pages that are written back to a chip.
    holds_circuits: bool = false,
    /// Bits of the classes of the host of which the trigger waits for an operation, and is asked when one is queued.
    asks_when_queued: u8 = 0,
    /// Whether anything but the triggers must be looked at after every event: channels that fall idle, a limit that
    /// changes, room in the collector's buffer.
    has_occasions: bool = false,
    /// Whether the trigger waits for channels to fall idle.
    notes_idle: bool = false,
    /// Whether anybody wants to know of dies that have nothing left to do.
    watches_idle: bool = false,
    /// Whether the limit of jobs waits for channels to fall idle.
    limit_waits_for_idle: bool = false,
    /// Whether the limit may hold a job back at all.
    limits_jobs: bool = false,
    /// Whether the limit changes.
    limit_changes: bool = false,
    /// Whether its answers change with anything that it is told.
    limit_changes_with_everything: bool = false,
    /// Whether the limit goes by what was, too.
    limit_remembers: bool = false,
    /// Whether allocation may let a write wait although a plane has room.
    allocation_may_wait: bool = false,
    /// Whether there is an SLC cache.
    caches: bool = false,
    /// Whether the mapping does not all lie in memory.
    maps_on_demand: bool = false,
    /// Whether planes share superblocks.
    superblocks: bool = false,
    /// Whether rows of superblocks have parity.
    programs_parity: bool = false,
    /// Whether host pages are written in stripes.
    striped: bool = false,
    /// Whether parity has open blocks of its own.
    own_parity_blocks: bool = false,
    /// Whether reads of a chip under collection are made up from the rest of their stripes.
    reads_around: bool = false,
    /// Whether reads of the host may have to be made up from the rest of their stripes at all.
    rebuilds_pages: bool = false,
    /// Whether writes may leave their chips, or idle chips collect.
    defers: bool = false,
    /// Whether requests come over a link.
    has_link: bool = false,
    /// Whether the controller itself takes time for anything.
    controller_takes_time: bool = false,
    /// Whether a page is assigned as soon as its data arrive.
    pages_on_arrival: bool = false,
    /// Whether writes are acknowledged before their programs.
    staged: bool = false,
    /// Whether accesses to pages of a victim wait until those are relocated.
    blocks_victims: bool = false,
    /// Whether reads are checked.
    audits: bool = false,
}

impl<const PLAIN: bool> Needs<PLAIN> {
    /// Number of contention domains.
    pub(super) fn domains(&self) -> u32 {
        self.domain_of.iter().fold(0, |domains, domain| domains.max(domain + 1))
    }

    /// Whether there is nothing that a plain drive does not have.
    pub(super) fn are_plain(&self) -> bool {
        self.facts == Facts::PLAIN
    }

    /// The same for the other of two drives.
    pub(super) fn of_drive<const OTHER: bool>(self) -> Needs<OTHER> {
        debug_assert!(!OTHER || self.are_plain(), "a plain drive cannot do that");
        let Self { domain_of, flush_after, facts } = self;
        Needs { domain_of, flush_after, facts }
    }
}

impl Needs<false> {
    /// Asks the configuration and each policy.
    pub(super) fn new(
        config: &Config,
        geometry: &Geometry,
        ftl: &Ftl,
        interconnect: &dyn Interconnect,
        scheduler: &dyn Scheduler,
        (dies, deferring, delays): (&Dies, &Deferring, &Delays),
    ) -> Self {
        let sharing = interconnect.sharing();
        let buffer = ftl.gc_buffer().map(GcBuffer::rules);
        let by_class = config.channel.order == ChannelArbitration::ByClass;
        let facts = Facts {
            keeps_lease: sharing.holds_during_array_time,
            keeps_tasks: sharing.keeps_tasks,
            others_may_try: sharing.others_may_try,
            waiting_first: sharing.waiting_first,
            tells_taken: sharing.tells_taken,
            asks_space: sharing.asks_space,
            moves_lines: if by_class { u8::MAX } else { COMMANDS },
            goes_by_age: scheduler.goes_by_age(),
            reads_before_write: config.controller.reads_before_write,
            multi_plane: config.flash.multi_plane != MultiPlane::Off,
            plane_reads: !config.flash.plane_reads.are_shared(),
            cache_reads: config.flash.cache_reads,
            cache_programs: config.flash.cache_programs,
            parts_work: !config.flash.plane_reads.are_shared() || config.flash.cache_programs,
            times_by_block: !config.flash.wear.is_empty() || geometry.cache.is_some(),
            retries: config.flash.read_retry.rate.ppm > 0,
            unit_pages: geometry.unit_pages,
            parts_of_page: geometry.parts_of_page,
            in_units: ftl.relocates_in_units(),
            // Paced jobs count the pages of their steps.
            every_page: ftl.every_page().map(begins_with).filter(|_| config.gc.pace.is_off()),
            paced: !config.gc.pace.is_off(),
            merges: config.controller.merge_overwrites,
            lifts: buffer.is_some(),
            lifts_in_batches: buffer.is_some_and(|rules| rules.batches > 1),
            holds_circuits: buffer.is_some_and(|rules| rules.holds),
            asks_when_queued: match ftl.waits_for_requests() {
                RequestsWaitedFor::None => 0,
                RequestsWaitedFor::Any => HOST,
                RequestsWaitedFor::Writes => HOST_WRITE,
            },
            has_occasions: ftl.has_occasions()
                || geometry.rows.is_some()
                || !config.gc.pace.is_off()
                || deferring.collects_when_idle()
                || ftl.rebuild().is_some(),
            notes_idle: ftl.waits_for_idle(),
            watches_idle: ftl.waits_for_idle() || deferring.collects_when_idle(),
            limit_waits_for_idle: ftl.limit_waits_for_idle(),
            limits_jobs: ftl.limits_jobs(),
            limit_changes: ftl.limit_changes(),
            limit_changes_with_everything: ftl.limit_changes_with_everything(),
            limit_remembers: ftl.limit_remembers(),
            allocation_may_wait: ftl.allocation_may_wait(),
            caches: geometry.cache.is_some(),
            maps_on_demand: geometry.translation.is_some(),
            superblocks: geometry.superblock_planes > 1,
            programs_parity: geometry.rows.is_some(),
            striped: geometry.stripes.is_some(),
            own_parity_blocks: ftl.has_own_parity_blocks(),
            reads_around: ftl.reads_around(),
            rebuilds_pages: ftl.reads_around() || ftl.unreadable_chip().is_some() || ftl.rebuild().is_some(),
            defers: deferring.is_active(),
            has_link: config.host.link.is_some(),
            controller_takes_time: delays.take_time(),
            pages_on_arrival: config.ftl.assign_pages == AssignPages::OnArrival,
            staged: config.controller.acknowledge == Acknowledge::Staged,
            blocks_victims: config.gc.block_victim_access,
            audits: ftl.versions().is_some(),
        };
        let domain_of = dies.homes().map(|die| domain_of(sharing.domain, geometry, die)).collect();
        Self { domain_of, flush_after: config.flush_after(), facts }
    }
}

/// The operation with which a page is relocated one way or another.
pub(super) fn begins_with(way: Way) -> OpKind {
    match way {
        Way::Copyback => OpKind::Copyback,
        Way::Controller | Way::Lift => OpKind::Read,
    }
}

/// The contention domain that a die belongs to, counted from 0.
fn domain_of(domain: Domain, geometry: &Geometry, die: DieId) -> u32 {
    match domain {
        Domain::Whole => 0,
        Domain::Channel => geometry.channel_of(die).0,
        Domain::Die => die.0,
    }
}
