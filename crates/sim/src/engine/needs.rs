//! What the configuration and the policies need of the engine. They are asked once, when a drive is put together; what
//! is asked at every operation must not cost a call.

use super::deferring::Deferring;
use super::dies::Dies;
use super::ops::{COMMANDS, HOST, HOST_WRITE, OpKind};
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::gc::relocation::{GcBuffer, Way};
use crate::gc::trigger::RequestsWaitedFor;
use crate::ids::DieId;
use crate::interconnect::{Domain, Interconnect};
use crate::scheduler::Scheduler;
use crate::settings::{ChannelArbitration, Config, MultiPlane};
use crate::time::Nanos;

/// Constants of a run that follow from the configuration and the policies.
#[derive(Debug)]
pub(super) struct Needs {
    /// Per die, and per part of one that waits for itself: its contention domain of the interconnect.
    pub(super) domain_of: Box<[u32]>,
    /// Whether a die keeps the channel during array time.
    pub(super) keeps_lease: bool,
    /// Whether a channel is kept for a collection job from its first operation to its last.
    pub(super) keeps_tasks: bool,
    /// Whether a die may try for what it needs while others wait.
    pub(super) others_may_try: bool,
    /// Whether it may not when they are served or about to be at that instant.
    pub(super) waiting_first: bool,
    /// Whether it says so when all is taken.
    pub(super) tells_taken: bool,
    /// Whether the interconnect looks at how much space is left.
    pub(super) asks_space: bool,
    /// Bits of the classes for which a die that waits for the channel may go to an earlier line.
    pub(super) moves_lines: u8,
    /// Whether the scheduler goes by the age of operations, and not by their classes alone.
    pub(super) goes_by_age: bool,
    /// Whether planes of a die may work together.
    pub(super) multi_plane: bool,
    /// Whether planes of a die read by themselves.
    pub(super) plane_reads: bool,
    /// Whether a plane that does so has a register for data that leave.
    pub(super) cache_reads: bool,
    /// Whether programs are loaded while the array works for itself.
    pub(super) cache_programs: bool,
    /// Whether parts of a die work beside it: any of the above.
    pub(super) parts_work: bool,
    /// Whether blocks have array times by themselves: by their erases, or in single-level mode.
    pub(super) times_by_block: bool,
    /// Whether reads may fail and be repeated.
    pub(super) retries: bool,
    /// Number of pages that one program of a plane covers.
    pub(super) unit_pages: u32,
    /// Number of them that make up a page of flash, where that is mapped in parts; otherwise 1.
    pub(super) parts_of_page: u32,
    /// How long the first page of a unit waits for the others.
    pub(super) flush_after: Nanos,
    /// Whether relocated pages need more than the next page of the collector's block.
    pub(super) in_units: bool,
    /// What begins a job's steps, where each is the next valid page by itself.
    pub(super) every_page: Option<OpKind>,
    /// Whether jobs relocate at the pace of the host.
    pub(super) paced: bool,
    /// Whether pages of writes replace older ones that wait in the write buffer.
    pub(super) merges: bool,
    /// Whether relocation lifts pages into a buffer.
    pub(super) lifts: bool,
    /// Whether a job lifts them in more than one batch.
    pub(super) lifts_in_batches: bool,
    /// Whether circuits are kept between the pages that are written back to a chip.
    pub(super) holds_circuits: bool,
    /// Bits of the classes of the host of which the trigger waits for an operation, and is asked when one is queued.
    pub(super) asks_when_queued: u8,
    /// Whether anything but the triggers must be looked at after every event: channels that fall idle, a limit that
    /// changes, room in the collector's buffer.
    pub(super) has_occasions: bool,
    /// Whether the trigger waits for channels to fall idle.
    pub(super) notes_idle: bool,
    /// Whether anybody wants to know of dies that have nothing left to do.
    pub(super) watches_idle: bool,
    /// Whether the limit of jobs waits for channels to fall idle.
    pub(super) limit_waits_for_idle: bool,
    /// Whether the limit may hold a job back at all.
    pub(super) limits_jobs: bool,
    /// Whether the limit changes.
    pub(super) limit_changes: bool,
    /// Whether the limit goes by what was, too.
    pub(super) limit_remembers: bool,
    /// Whether there is an SLC cache.
    pub(super) caches: bool,
    /// Whether planes share superblocks.
    pub(super) superblocks: bool,
    /// Whether host pages are written in stripes.
    pub(super) striped: bool,
    /// Whether parity has open blocks of its own.
    pub(super) own_parity_blocks: bool,
    /// Whether reads of a chip under collection are made up from the rest of their stripes.
    pub(super) reads_around: bool,
    /// Whether reads of the host may have to be made up from the rest of their stripes at all.
    pub(super) rebuilds_pages: bool,
    /// Whether writes may leave their chips, or idle chips collect.
    pub(super) defers: bool,
}

impl Needs {
    /// Number of contention domains.
    pub(super) fn domains(&self) -> u32 {
        self.domain_of.iter().fold(0, |domains, domain| domains.max(domain + 1))
    }

    /// Asks the configuration and each policy.
    pub(super) fn new(
        config: &Config,
        geometry: &Geometry,
        ftl: &Ftl,
        interconnect: &dyn Interconnect,
        scheduler: &dyn Scheduler,
        dies: &Dies,
        deferring: &Deferring,
    ) -> Self {
        let sharing = interconnect.sharing();
        let buffer = ftl.gc_buffer().map(GcBuffer::rules);
        let by_class = config.channel.order == ChannelArbitration::ByClass;
        Self {
            domain_of: dies.homes().map(|die| domain_of(sharing.domain, geometry, die)).collect(),
            keeps_lease: sharing.holds_during_array_time,
            keeps_tasks: sharing.keeps_tasks,
            others_may_try: sharing.others_may_try,
            waiting_first: sharing.waiting_first,
            tells_taken: sharing.tells_taken,
            asks_space: sharing.asks_space,
            moves_lines: if by_class { u8::MAX } else { COMMANDS },
            goes_by_age: scheduler.goes_by_age(),
            multi_plane: config.flash.multi_plane != MultiPlane::Off,
            plane_reads: !config.flash.plane_reads.are_shared(),
            cache_reads: config.flash.cache_reads,
            cache_programs: config.flash.cache_programs,
            parts_work: !config.flash.plane_reads.are_shared() || config.flash.cache_programs,
            times_by_block: !config.flash.wear.is_empty() || geometry.cache.is_some(),
            retries: config.flash.read_retry.rate.ppm > 0,
            unit_pages: geometry.unit_pages,
            parts_of_page: geometry.parts_of_page,
            flush_after: config.flush_after(),
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
                || !config.gc.pace.is_off()
                || deferring.collects_when_idle()
                || ftl.rebuild().is_some(),
            notes_idle: ftl.waits_for_idle(),
            watches_idle: ftl.waits_for_idle() || deferring.collects_when_idle(),
            limit_waits_for_idle: ftl.limit_waits_for_idle(),
            limits_jobs: ftl.limits_jobs(),
            limit_changes: ftl.limit_changes(),
            limit_remembers: ftl.limit_remembers(),
            caches: geometry.cache.is_some(),
            superblocks: geometry.superblock_planes > 1,
            striped: geometry.stripes.is_some(),
            own_parity_blocks: ftl.has_own_parity_blocks(),
            reads_around: ftl.reads_around(),
            rebuilds_pages: ftl.reads_around() || ftl.unreadable_chip().is_some() || ftl.rebuild().is_some(),
            defers: deferring.is_active(),
        }
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
