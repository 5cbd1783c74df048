//! The assembler: the one place that turns a configuration into a drive, and the drive's state.

use super::deferring::Deferring;
use super::delays::Delays;
use super::die::{Die, StallClock};
use super::joins::Joins;
use super::loss_trials::LossTrials;
use super::lost_pages::LostPages;
use super::ops::{COMMANDS, HOST, HOST_WRITE, OpKind};
use super::power_cuts::PowerCuts;
use super::write_backs::WriteBacks;
use crate::building::BuildContext;
use crate::engine::{EventQueue, OpArena, PlaneQueues, WaitLists};
use crate::flash::{Geometry, Stripes, Timing};
use crate::ftl::Ftl;
use crate::gc::relocation::Way;
use crate::gc::trigger::RequestsWaitedFor;
use crate::gc::{Jobs, deferral};
use crate::host::{BlockedPage, Link, Requests, WriteBuffer};
use crate::ids::{ChannelId, DieId, Lpn};
use crate::interconnect::{self, Interconnect};
use crate::metrics::{Measuring, PolicyReadings, Recorder};
use crate::scheduler::{self, Scheduler};
use crate::settings::{ChannelArbitration, Config, MultiPlane};
use crate::time::Nanos;

/// A simulated drive in the middle of a timed run.
///
/// Its behaviour lives with the seams: `host/` admits requests, `engine/choice.rs` starts operations,
/// `engine/complete.rs` ends them, `gc/collector.rs` runs collection jobs.
pub struct Drive {
    pub(crate) config: Config,
    pub(crate) geometry: Geometry,
    pub(crate) timing: Timing,
    pub(crate) ftl: Ftl,
    pub(crate) interconnect: Box<dyn Interconnect>,
    /// Per die: its contention domain of the interconnect; whether a die keeps the channel during array time; and
    /// whether a die may try for what it needs while others wait. They are asked at every operation.
    pub(crate) domain_of: Box<[u32]>,
    pub(crate) keeps_lease: bool,
    /// Whether a channel is kept for a collection job from its first operation to its last.
    pub(crate) keeps_tasks: bool,
    pub(crate) others_may_try: bool,
    /// Whether planes of a die may work together: asked at every operation, too.
    pub(crate) multi_plane: bool,
    pub(crate) scheduler: Box<dyn Scheduler>,
    /// Whether the scheduler must be asked even where there is only one class to pick.
    pub(crate) scheduler_may_idle: bool,
    /// Number of pages that one program of a plane covers; and whether relocated pages need more than the next page of
    /// the collector's block.
    pub(crate) unit_pages: u32,
    /// How long the first page of a unit waits for the others.
    pub(crate) flush_after: Nanos,
    pub(crate) in_units: bool,
    /// Whether a job's steps are each valid page by itself, and what begins one then.
    pub(crate) takes_every_page: bool,
    pub(crate) page_kind: OpKind,
    /// Whether relocation lifts pages into a buffer; and whether room has become free there since deferred planes were
    /// asked last.
    pub(crate) lifts: bool,
    pub(super) write_backs: WriteBacks,
    /// Whether the interconnect looks at how much space is left.
    pub(super) asks_space: bool,
    pub(crate) buffer_drained: bool,
    /// Whether anything but the triggers must be looked at after every event: channels that fall idle, a limit that
    /// changes, room in the collector's buffer.
    pub(crate) has_occasions: bool,
    /// Whether the trigger waits for channels to fall idle.
    pub(crate) notes_idle: bool,
    /// Whether anybody wants to know of dies that have nothing left to do.
    pub(crate) watches_idle: bool,
    /// Whether the limit of jobs waits for that; whether it may hold a job back at all; and whether it changes.
    pub(crate) limit_waits_for_idle: bool,
    pub(crate) limits_jobs: bool,
    pub(crate) limit_changes: bool,
    /// Whether the limit of jobs goes by what was, too.
    pub(super) limit_remembers: bool,
    /// Whether a write has begun to wait for a page since deferred planes were asked last.
    pub(crate) stall_began: bool,
    /// Whether host pages are written in stripes, and whether parity has open blocks of its own: asked at every page.
    pub(crate) striped: bool,
    pub(crate) own_parity_blocks: bool,
    /// Who accesses stripes, and pages that are about to be read for one.
    pub(super) joins: Joins,
    pub(super) stripe_reads: Vec<Lpn>,
    pub(super) trimmed_pages: Vec<Lpn>,
    /// Whether reads of a chip under collection are made up from the rest of their stripes.
    pub(super) reads_around: bool,
    /// Whether reads of the host may have to be made up from the rest of their stripes at all.
    pub(super) rebuilds_pages: bool,
    /// The chip that is rebuilt, until it is.
    pub(super) rebuilding: Option<Box<LostPages>>,
    /// Writes that leave their chips, and idle collection; and whether there is any of that: asked at every operation.
    pub(super) deferring: Deferring,
    pub(super) defers: bool,
    /// Bits of the classes of the host of which the trigger waits for an operation, and is asked when one is queued.
    pub(super) asks_when_queued: u8,
    /// Who waits for the controller itself.
    pub(super) delays: Delays,
    pub(crate) events: EventQueue,
    pub(crate) ops: OpArena,
    pub(crate) queues: PlaneQueues,
    pub(crate) waits: WaitLists,
    /// Bits of the classes for which a die that waits for the channel may go to an earlier line.
    pub(super) moves_lines: u8,
    pub(crate) dies: Vec<Die>,
    /// Per plane: how long host writes were stalled for want of space.
    pub(crate) stalls: Vec<StallClock>,
    /// Operations waiting or running on each die.
    pub(crate) pending: Vec<u32>,
    pub(crate) arrivals: u64,
    /// A request is being split: dies that got an operation of it start none until all of it is queued.
    pub(crate) defers_starts: bool,
    pub(crate) deferred_starts: Vec<DieId>,
    pub(crate) requests: Requests,
    /// The link to the host, if there is one.
    pub(crate) link: Option<Link>,
    pub(crate) write_buffer: WriteBuffer,
    /// When the power is cut, if what that destroys is to be counted.
    pub(super) power_cuts: Option<Box<PowerCuts>>,
    /// Pages of requests that wait until collection has relocated them.
    pub(crate) blocked_pages: Vec<BlockedPage>,
    pub(crate) jobs: Jobs,
    /// Channels of dies that have had nothing to do since triggers were asked last, if the trigger waits for that.
    pub(crate) idle_noted: Vec<ChannelId>,
    pub(crate) measuring: Measuring,
    /// Whether everything that lasts is noted ([`Recorder::spans`]).
    pub(super) notes_spans: bool,
    pub(crate) recorder: Recorder,
    /// When chips are lost next, where that is tried.
    pub(super) loss_trials: LossTrials,
    /// Where the counters of the policies stood when the run began to be measured.
    pub(crate) policies_before: PolicyReadings,
}

impl std::fmt::Debug for Drive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drive").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Drive {
    /// Puts a drive together around a translation layer that may have been warmed up.
    pub fn new(config: &Config, ftl: Ftl, recorder: Recorder) -> Self {
        let geometry = ftl.geometry().clone();
        let context = BuildContext::new(config, &geometry);
        let interconnect = interconnect::MEMBERS.build_checked(&config.interconnect, &context);
        let scheduler = scheduler::MEMBERS.build_checked(&config.scheduler, &context);
        let policy = deferral::MEMBERS.build_checked(&config.gc.deferral, &context);
        let deferring = Deferring::new(policy, &context);
        let mut drive = Self {
            power_cuts: config
                .measure
                .power_cut_every
                .map(|every| Box::new(PowerCuts::new(every, config.seed))),
            delays: Delays::new(config.controller.lookup.0, ftl.sum_time(), context.timing.passage),
            timing: context.timing,
            waits: WaitLists::new(
                config.channel.order,
                scheduler.class_ranks(),
                interconnect.domains(),
                geometry.dies(),
            ),
            moves_lines: if config.channel.order == ChannelArbitration::ByClass { u8::MAX } else { COMMANDS },
            queues: PlaneQueues::new(geometry.planes()),
            dies: vec![Die::default(); geometry.dies() as usize],
            stalls: vec![StallClock::default(); geometry.planes() as usize],
            pending: vec![0; geometry.dies() as usize],
            jobs: Jobs::new(&geometry),
            idle_noted: Vec::new(),
            measuring: Measuring::new(config.measure.after, &geometry),
            notes_spans: recorder.spans.is_some(),
            requests: Requests::default(),
            joins: Joins::new(geometry.stripes.as_ref().map_or(0, Stripes::count)),
            stripe_reads: Vec::new(),
            trimmed_pages: Vec::new(),
            reads_around: ftl.reads_around(),
            rebuilds_pages: ftl.reads_around() || ftl.unreadable_chip().is_some() || ftl.rebuild().is_some(),
            rebuilding: None,
            defers: deferring.is_active(),
            asks_when_queued: match ftl.waits_for_requests() {
                RequestsWaitedFor::None => 0,
                RequestsWaitedFor::Any => HOST,
                RequestsWaitedFor::Writes => HOST_WRITE,
            },
            events: EventQueue::new(geometry.dies(), interconnect.domains(), geometry.planes()),
            ops: OpArena::default(),
            arrivals: 0,
            link: config.host.link.as_ref().map(Link::new),
            write_buffer: WriteBuffer::new(config.controller.write_buffer.pages(geometry.page_bytes)),
            blocked_pages: Vec::new(),
            defers_starts: false,
            deferred_starts: Vec::new(),
            domain_of: (0..geometry.dies()).map(|die| interconnect.domain_of(DieId(die))).collect(),
            keeps_lease: interconnect.holds_during_array_time(),
            keeps_tasks: interconnect.keeps_tasks(),
            others_may_try: interconnect.others_may_try(),
            multi_plane: config.flash.multi_plane != MultiPlane::Off,
            asks_space: interconnect.asks_space(),
            interconnect,
            scheduler_may_idle: scheduler.may_idle(),
            striped: geometry.stripes.is_some(),
            own_parity_blocks: ftl.has_own_parity_blocks(),
            unit_pages: geometry.unit_pages,
            flush_after: config.flush_after(),
            has_occasions: ftl.has_occasions() || deferring.collects_when_idle || ftl.rebuild().is_some(),
            notes_idle: ftl.waits_for_idle(),
            watches_idle: ftl.waits_for_idle() || deferring.collects_when_idle,
            limit_waits_for_idle: ftl.limit_waits_for_idle(),
            limits_jobs: ftl.limits_jobs(),
            limit_changes: ftl.limit_changes(),
            limit_remembers: ftl.limit_remembers(),
            stall_began: false,
            in_units: ftl.relocates_in_units(),
            takes_every_page: ftl.every_page().is_some(),
            page_kind: if ftl.every_page() == Some(Way::Copyback) { OpKind::Copyback } else { OpKind::Read },
            lifts: ftl.lifts(),
            write_backs: WriteBacks::new(&ftl, &geometry),
            buffer_drained: false,
            scheduler,
            config: config.clone(),
            geometry,
            deferring,
            ftl,
            recorder,
            loss_trials: LossTrials::NEVER,
            policies_before: PolicyReadings::default(),
        };
        drive.policies_before = drive.policy_readings();
        drive
    }

    /// Time the channel towards a die has carried collected pages, ns.
    #[inline]
    pub(crate) fn channel_gc_time(&self, die: DieId) -> Nanos {
        self.interconnect.gc_time(self.events.now(), die)
    }
}

impl Drive {
    /// Most pages of the host, and of parity, that the write buffer held at once.
    pub(crate) fn most_buffered_pages(&self) -> u32 {
        if self.striped { self.joins.most_used_pages } else { self.ftl.map().most_slots() }
    }

    /// The translation layer.
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// What was recorded.
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }

    /// Checks everything that must hold now that nothing is under way; how many checks that took.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn audit(&self) -> Result<u64, String> {
        let mut checks = crate::audit::check(&self.ftl, true)?;
        let mut must = |holds: bool, what: &str| {
            checks += 1;
            if holds { Ok(()) } else { Err(what.to_owned()) }
        };
        let counted: u64 = self.recorder.sums.iter().map(|sums| sums.count).sum();
        must(
            counted + self.requests.uncounted == self.requests.arrived,
            "a request was lost or completed twice",
        )?;
        must(self.ops.in_flight() == 0, "page operations are left over")?;
        must(self.delays.are_over(), "a request, a stripe or a page still waits for the controller")?;
        must(self.blocked_pages.is_empty(), "a request still waits for a page that was moved long ago")?;
        must(self.write_buffer.line_is_empty(), "a page still waits for room in the write buffer")?;
        let within = self.write_buffer.capacity_pages().is_none_or(|most| self.most_buffered_pages() <= most);
        must(within, "the write buffer held more pages than it has room for")?;
        must(self.joins.are_at_rest(), "an access to a stripe never ended")?;
        must(self.pending.iter().all(|pending| *pending == 0), "a die counts operations that are gone")?;
        must(self.jobs_under_way() == 0, "a collection job never ended")?;
        must(self.ftl.lifted_or_owing() == 0, "a lifted page was never written back")?;
        must(self.jobs.units.is_empty(), "a unit of relocated pages never ended")?;
        must(!self.events.timer_is_pending(), "a timer is left over")?;
        let (reserved, released) = self.interconnect.links(self.now());
        must(reserved == released, "links of the interconnect are still reserved")?;
        Ok(checks)
    }
}
