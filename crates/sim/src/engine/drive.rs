//! The assembler: the one place that turns a configuration into a drive, and the drive's state.

use super::deferring::Deferring;
use super::delays::Delays;
use super::dies::Dies;
use super::joins::Joins;
use super::needs::Needs;
use super::paces::Paces;
use super::policy_metrics;
use super::power_cuts::PowerCutResult;
use super::retries::Retries;
use super::stalls::Stalls;
use super::trials::Trials;
use super::write_backs::WriteBacks;
use crate::building::BuildContext;
use crate::engine::{EventQueue, OpArena, PlaneQueues, WaitLists};
use crate::flash::{Geometry, Stripes, Timing};
use crate::ftl::Ftl;
use crate::gc::relocation::GcBuffer;
use crate::gc::{Jobs, deferral};
use crate::host::{Link, Requests, WriteBuffer};
use crate::ids::{DieId, PlaneId};
use crate::interconnect::fabric::Fabric;
use crate::losses::Losses;
use crate::metrics::{MeasureResult, Measuring, PolicyReadings, PolicyResults, Recorder, Sample};
use crate::scheduler::{self, Scheduler};
use crate::settings::Config;
use crate::time::{Nanos, SimTime};

/// A simulated drive in the middle of a timed run.
///
/// `requests.rs` splits requests into operations, `choice.rs` and `start.rs` start those, `complete.rs` ends them, and
/// `collection.rs` runs collection jobs.
pub struct Drive {
    pub(crate) config: Config,
    pub(crate) geometry: Geometry,
    pub(crate) timing: Timing,
    /// What the configuration and the policies need of the engine.
    pub(super) needs: Needs,
    pub(crate) ftl: Ftl,
    pub(crate) interconnect: Fabric,
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(super) write_backs: WriteBacks,
    /// Jobs that relocate at the pace of the host.
    pub(super) paces: Paces,
    /// Who accesses stripes, and the lost chip that is rebuilt from them.
    pub(super) joins: Joins,
    /// Writes that leave their chips, and idle collection.
    pub(super) deferring: Deferring,
    /// Who waits for the controller itself.
    pub(super) delays: Delays,
    pub(crate) events: EventQueue,
    pub(crate) ops: OpArena,
    pub(crate) queues: PlaneQueues,
    pub(crate) waits: WaitLists,
    pub(crate) dies: Dies,
    pub(super) stalls: Stalls,
    /// Reads that are repeated.
    pub(super) retries: Retries,
    pub(crate) requests: Requests,
    /// The link to the host, if there is one.
    pub(crate) link: Option<Link>,
    pub(crate) write_buffer: WriteBuffer,
    pub(crate) jobs: Jobs,
    pub(crate) recorder: Recorder,
    /// Power cuts and losses of chips, where they are tried.
    pub(super) trials: Trials,
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
        let interconnect = Fabric::new(&config.interconnect, &context);
        let scheduler = scheduler::MEMBERS.build_checked(&config.scheduler, &context);
        let policy = deferral::MEMBERS.build_checked(&config.gc.deferral, &context);
        let deferring = Deferring::new(policy, &context);
        let dies = Dies::new(&geometry, &config.flash);
        let needs = Needs::new(config, &geometry, &ftl, &*interconnect, &*scheduler, &dies, &deferring);
        let longest_program = context.timing.by_level().iter().map(|(_, program)| *program).max();
        let longest_program = longest_program.unwrap_or_default();
        let measuring = Measuring::new(config.measure.after, &geometry);
        let mut drive = Self {
            delays: Delays::new(&config.controller, ftl.sum_time(), context.timing.passage),
            timing: context.timing,
            waits: WaitLists::new(
                config.channel.order,
                scheduler.class_ranks(),
                needs.domains(),
                dies.stations(),
            ),
            queues: PlaneQueues::new(geometry.planes()),
            stalls: Stalls::new(geometry.planes()),
            retries: Retries::new(config.seed, &config.flash.read_retry),
            jobs: Jobs::new(&geometry),
            requests: Requests::default(),
            joins: Joins::new(geometry.stripes.as_ref().map_or(0, Stripes::count)),
            events: EventQueue::new(dies.stations(), needs.domains(), geometry.planes(), longest_program),
            dies,
            ops: OpArena::default(),
            link: config.host.link.as_ref().map(Link::new),
            write_buffer: WriteBuffer::new(config.controller.write_buffer.pages(geometry.page_bytes)),
            interconnect,
            write_backs: WriteBacks::new(needs.holds_circuits, &geometry),
            paces: Paces::new(config.gc.pace, geometry.planes()),
            needs,
            scheduler,
            config: config.clone(),
            geometry,
            deferring,
            ftl,
            recorder: recorder.measuring_with(measuring),
            trials: Trials::new(config),
        };
        drive.note_policies();
        drive
    }

    /// Time the channel towards a die has carried collected pages, ns.
    #[inline]
    pub(crate) fn channel_gc_time(&self, die: DieId) -> Nanos {
        self.interconnect.gc_time(self.events.now(), self.home_of(die))
    }

    /// The die that a plane's reader or outlet belongs to; a die itself otherwise.
    #[inline]
    pub(super) fn home_of(&self, part: DieId) -> DieId {
        if self.needs.plane_reads { self.dies.home(part) } else { part }
    }
}

impl Drive {
    /// Most pages of the host, and of parity, that the write buffer held at once.
    pub(crate) fn most_buffered_pages(&self) -> u32 {
        if self.needs.striped { self.joins.most_used_pages() } else { self.ftl.map().most_slots() }
    }

    /// The translation layer.
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// From now on every chip is lost, on trial, at moments so many events apart on average.
    pub(crate) fn lose_chips(&mut self, events_apart: u64) {
        self.trials.lose_chips(self.config.seed, events_apart);
    }

    /// What that would have meant.
    pub(crate) fn losses(&self) -> Option<Losses> {
        self.trials.losses()
    }

    /// What power cuts would have destroyed, if there were any.
    pub(crate) fn power_cut_result(&self) -> Option<PowerCutResult> {
        self.trials.power_cuts()
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
            counted + self.requests.uncounted() == self.requests.arrived(),
            "a request was lost or completed twice",
        )?;
        must(self.ops.in_flight() == 0, "page operations are left over")?;
        must(self.delays.are_over(), "a request, a stripe or a page still waits for the controller")?;
        must(self.requests.blocked.is_empty(), "a request still waits for a page that was moved long ago")?;
        must(self.write_buffer.line_is_empty(), "a page still waits for room in the write buffer")?;
        let within = self.write_buffer.capacity_pages().is_none_or(|most| self.most_buffered_pages() <= most);
        must(within, "the write buffer held more pages than it has room for")?;
        must(self.joins.are_at_rest(), "an access to a stripe never ended")?;
        must(
            self.dies.pending_per_die().iter().all(|pending| *pending == 0),
            "a die counts operations that are gone",
        )?;
        must(self.jobs.under_way() == 0, "a collection job never ended")?;
        let occupied = self.ftl.gc_buffer().map_or(0, GcBuffer::occupied);
        must(occupied == 0, "a lifted page was never written back")?;
        must(self.jobs.units.is_empty(), "a unit of relocated pages never ended")?;
        must(!self.events.timer_is_pending(), "a timer is left over")?;
        let links = self.interconnect.links().map(|links| links.reserved(self.now()));
        let (reserved, released) = links.unwrap_or_default();
        must(reserved == released, "links of the interconnect are still reserved")?;
        Ok(checks)
    }
}

// From when on it is measured, in time, and what a timeline and results read off it.
impl Drive {
    /// The run begins; the trace has so many requests.
    pub(crate) fn await_measuring(&mut self, requests: u64) {
        self.recorder.measuring.expect(requests);
        if self.recorder.measuring.has_begun() {
            self.begin_timeline();
        }
    }

    /// A request is about to arrive: tells whether it counts.
    #[inline]
    pub(crate) fn counts_next(&mut self) -> bool {
        if self.recorder.measuring.begins_after(self.requests.arrived()) {
            self.begin_measuring();
        }
        self.recorder.measuring.has_begun()
    }

    /// A round of collection of a plane is over: with the last that is awaited, all counters are set back.
    #[cold]
    pub(crate) fn first_round_ended(&mut self, plane: PlaneId) {
        if self.recorder.measuring.round_ended(plane) {
            self.begin_measuring();
        }
    }

    fn begin_measuring(&mut self) {
        let now = self.now();
        self.recorder.measuring.begin(now, self.requests.arrived(), &*self.interconnect);
        self.dies.start_afresh(now);
        self.count_afresh();
        self.begin_timeline();
    }

    fn count_afresh(&mut self) {
        self.ftl.reset_counters();
        self.write_buffer.start_afresh();
        self.recorder.start_afresh();
        self.note_policies();
    }

    /// What policies have counted so far does not count.
    pub(super) fn note_policies(&mut self) {
        let readings = self.policy_readings();
        self.recorder.measuring.forget_policies(readings);
    }

    /// The run is over. If measuring never began, nothing was measured.
    pub(crate) fn end_measuring(&mut self) {
        if self.recorder.measuring.has_begun() {
            self.end_timeline();
        } else {
            self.count_afresh();
        }
    }

    /// When measuring began; the end of the run if it never did.
    pub(crate) fn measured_from(&self) -> SimTime {
        self.recorder.measuring.begun_or(self.now())
    }

    /// The part of a time up to now that lies in what is measured.
    #[inline]
    pub(crate) fn measured_part(&self, waited: Nanos) -> Nanos {
        waited.min(self.now().since(self.measured_from()))
    }

    /// Time each channel was in use while the run was measured. A transfer under way when measuring began counts wholly
    /// or not at all.
    pub(crate) fn measured_channel_time(&self) -> impl Iterator<Item = Nanos> {
        let before = self.recorder.measuring.channels_before();
        let most = self.now().since(self.measured_from());
        self.interconnect.busy_time().iter().zip(before).map(move |(busy, before)| (*busy - before).min(most))
    }

    /// Time each link of a network had been in use when measuring began, and transfers by the links of their way.
    pub(crate) fn network_before(&self) -> (&[Nanos], &[u64]) {
        self.recorder.measuring.network_before()
    }

    /// What results say of all this.
    pub(crate) fn measure_result(&self) -> MeasureResult {
        self.recorder.measuring.result(self.requests.arrived())
    }

    /// The next event is at `at`: what the timeline says of intervals that end before it is what the drive shows now.
    #[inline]
    pub(crate) fn record_timeline(&mut self, at: SimTime) {
        if self.recorder.timeline.as_ref().is_some_and(|timeline| timeline.is_due(at)) {
            self.end_intervals(at);
        }
    }

    #[cold]
    fn end_intervals(&mut self, at: SimTime) {
        let sample = self.sample();
        if let Some(timeline) = &mut self.recorder.timeline {
            timeline.end_intervals(at, sample);
        }
    }

    /// Measuring begins, and the timeline with it.
    pub(crate) fn begin_timeline(&mut self) {
        let now = self.now();
        if let Some(timeline) = &mut self.recorder.timeline {
            timeline.begin(now);
        }
    }

    /// The run is over.
    pub(crate) fn end_timeline(&mut self) {
        let (now, sample) = (self.now(), self.sample());
        if let Some(timeline) = &mut self.recorder.timeline {
            timeline.end(now, sample);
        }
    }

    fn sample(&self) -> Sample {
        let sums = &self.recorder.sums;
        let limit = self.ftl.channel_limit(self.jobs.per_channel()).unwrap_or(self.geometry.channels);
        Sample {
            free_blocks: u64::from(self.ftl.free_blocks()),
            used_pages: self.ftl.used_pages(),
            valid_pages: self.ftl.map().valid_pages(),
            gc_jobs: self.jobs.under_way() as u64,
            gc_channels: self.jobs.collecting_channels() as u64,
            allowed_channels: u64::from(limit),
            pending_operations: self.dies.pending_per_die().iter().map(|pending| u64::from(*pending)).sum(),
            outstanding_requests: self.requests.outstanding(),
            buffered_pages: self.ftl.map().host_slots() as u64,
            completed_requests: sums.iter().map(|sums| sums.count).sum(),
            latency_ns: sums.iter().map(|sums| sums.latency_ns).sum(),
            counters: *self.ftl.counters(),
        }
    }

    /// Where the counters of all policies stand.
    fn policy_readings(&self) -> PolicyReadings {
        let deferral = self.deferring.metrics();
        policy_metrics::readings(&self.config, &self.ftl, &*self.interconnect, &*self.scheduler, deferral)
    }

    /// What policies have counted while the run was measured.
    pub(crate) fn policy_results(&self) -> PolicyResults {
        self.recorder.measuring.policies_since(&self.policy_readings())
    }
}
