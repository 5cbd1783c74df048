//! What a timeline reads off the drive, and when.

use super::drive::Drive;
use crate::metrics::Sample;
use crate::time::SimTime;

impl Drive {
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
        let limit = self.ftl.channel_limit(&self.jobs.per_channel).unwrap_or(self.geometry.channels);
        Sample {
            free_blocks: u64::from(self.ftl.free_blocks()),
            used_pages: self.ftl.used_pages(),
            valid_pages: self.ftl.map().valid_pages(),
            gc_jobs: self.jobs_under_way() as u64,
            gc_channels: self.jobs.per_channel.iter().filter(|jobs| **jobs > 0).count() as u64,
            allowed_channels: u64::from(limit),
            pending_operations: self.dies.pending_per_die().iter().map(|pending| u64::from(*pending)).sum(),
            outstanding_requests: self.requests.outstanding(),
            buffered_pages: self.ftl.map().host_slots() as u64,
            completed_requests: sums.iter().map(|sums| sums.count).sum(),
            latency_ns: sums.iter().map(|sums| sums.latency_ns).sum(),
            counters: *self.ftl.counters(),
        }
    }
}
