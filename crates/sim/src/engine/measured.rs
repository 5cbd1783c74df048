//! From when on a drive is measured, in time, and what a timeline and results read off it: the counters that policies
//! declare among it.

use super::drive::Drive;
use super::ops::OpKind;
use super::spans;
use crate::ftl::{Ftl, allocation, mapping_cache, placement, separation, slc_cache};
use crate::gc::{concurrency, deferral, relocation, trigger, victim};
use crate::ids::{DieId, PlaneId};
use crate::interconnect::Interconnect;
use crate::metric::Reading;
use crate::metrics::{MeasureResult, PolicyReadings, PolicyResults, Sample};
use crate::scheduler;
use crate::scheduler::Scheduler;
use crate::settings::Config;
use crate::time::{Nanos, SimTime};
use crate::{interconnect, redundancy};

impl<const PLAIN: bool> Drive<PLAIN> {
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
        self.recorder.measuring.counts(self.requests.arrived())
    }

    /// Whether all requests of a window have been completed, before the next arrives: what is under way is of later
    /// ones.
    #[inline]
    pub(super) fn window_is_over(&self) -> bool {
        let completed = || self.recorder.sums.iter().map(|sums| sums.count).sum::<u64>();
        self.recorder.measuring.ends_after(self.requests.arrived()) && completed() == self.measured_requests()
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
    pub(crate) fn note_policies(&mut self) {
        let readings = self.policy_readings();
        self.recorder.measuring.forget_policies(readings);
    }

    /// The run is over. If measuring never began, nothing was measured.
    pub(crate) fn end_measuring(&mut self) {
        if self.recorder.measuring.has_begun() {
            self.end_timeline();
        } else {
            self.dies.start_afresh(self.now());
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

    /// Requests that arrived while the run was measured.
    pub(crate) fn measured_requests(&self) -> u64 {
        self.recorder.measuring.requests(self.requests.arrived())
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
        if let Some(frames) = &mut self.recorder.block_frames {
            frames.look(at, self.ftl.blocks());
        }
    }

    /// Measuring begins, and the timeline with it.
    pub(crate) fn begin_timeline(&mut self) {
        let now = self.now();
        if let Some(timeline) = &mut self.recorder.timeline {
            timeline.begin(now);
        }
        if let Some(frames) = &mut self.recorder.block_frames {
            frames.begin(now, self.ftl.blocks());
        }
    }

    /// The run is over.
    pub(crate) fn end_timeline(&mut self) {
        let (now, sample) = (self.now(), self.sample());
        if let Some(timeline) = &mut self.recorder.timeline {
            timeline.end(now, sample);
        }
        if let Some(frames) = &mut self.recorder.block_frames {
            frames.end(now, self.ftl.blocks());
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
            buffered_pages: self.buffered_pages(),
            completed_requests: sums.iter().map(|sums| sums.count).sum(),
            latency_ns: sums.iter().map(|sums| sums.latency_ns).sum(),
            counters: *self.ftl.counters(),
        }
    }

    /// Where the counters of all policies stand.
    fn policy_readings(&self) -> PolicyReadings {
        let deferral = self.deferring.metrics();
        readings(&self.config, &self.ftl, &*self.interconnect, &*self.scheduler, deferral)
    }

    /// What policies have counted while the run was measured.
    pub(crate) fn policy_results(&self) -> PolicyResults {
        self.recorder.measuring.policies_since(&self.policy_readings())
    }

    /// A die has ended or set aside what it did since `start`.
    #[cold]
    pub(super) fn note_end(&mut self, die: DieId, start: SimTime, now: SimTime) {
        let held = self.held_pages();
        if let Some(spans) = &mut self.recorder.spans {
            spans::note_end(spans, die, (start, now), held);
        }
    }

    /// A part of a die has done what it did by itself.
    #[cold]
    pub(super) fn note_part_done(&mut self, die: DieId, doing: (OpKind, bool), lasted: (SimTime, SimTime)) {
        let held = self.held_pages();
        if let Some(spans) = &mut self.recorder.spans {
            spans::note_part_done(spans, die, doing, lasted, held);
        }
    }

    /// Pages in the write buffer, and lifted ones of the collector.
    fn held_pages(&self) -> [u64; 2] {
        [self.buffered_pages(), u64::from(self.ftl.map().lifted_slots())]
    }
}

macro_rules! add {
    ($to:ident, $kind:ident, $choice:expr, $readings:expr) => {
        $to.add($kind::MEMBERS.key, $kind::MEMBERS.get($choice).metrics, $readings)
    };
}

/// Where the counters of all policies stand.
pub(super) fn readings(
    config: &Config,
    ftl: &Ftl,
    interconnect: &dyn Interconnect,
    scheduler: &dyn Scheduler,
    of_deferral: Vec<Reading>,
) -> PolicyReadings {
    let gc = &config.gc;
    let of_ftl = ftl.policy_readings();
    let mut all = PolicyReadings::default();
    add!(all, interconnect, &config.interconnect, interconnect.metrics());
    add!(all, allocation, &config.ftl.allocation, of_ftl.allocation);
    add!(all, placement, &config.ftl.placement, of_ftl.placement);
    add!(all, separation, &config.ftl.separation, of_ftl.separation);
    add!(all, slc_cache, &config.ftl.slc_cache, of_ftl.slc_cache);
    add!(all, mapping_cache, &config.ftl.mapping_cache, of_ftl.mapping_cache);
    add!(all, trigger, &gc.trigger, of_ftl.trigger);
    add!(all, victim, &gc.victim, of_ftl.victim);
    add!(all, relocation, &gc.relocation, of_ftl.relocation);
    add!(all, concurrency, &gc.concurrency, of_ftl.concurrency);
    add!(all, deferral, &gc.deferral, of_deferral);
    add!(all, redundancy, &config.redundancy, of_ftl.redundancy);
    add!(all, scheduler, &config.scheduler, scheduler.metrics());
    all
}
