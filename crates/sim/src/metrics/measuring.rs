//! From when on a run is measured, what happened before, and what policies have counted in it.
//!
//! A warmed-up drive stands close before its next round of collection in every plane. A round frees space for many
//! pages; a run that begins with a round in every plane and writes few pages has paid for space that it does not use.
//! And time changes what a warm-up without it has left: planes that filled up in step fall out of it. Measuring can
//! wait until that is over.

use std::collections::BTreeMap;

use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::interconnect::Interconnect;
use crate::metric::{Metric, Reading, figures};
use crate::settings::MeasureAfter;
use crate::time::{Nanos, SimTime};

/// Whether the run is measured yet, and what must happen before it is.
#[derive(Debug, Default)]
pub struct Measuring {
    after: MeasureAfter,
    /// Measuring begins with the request that arrives after so many.
    from_request: u64,
    /// Requests that arrive after so many do not count any more.
    until_request: u64,
    /// Whether one of those has arrived.
    is_over: bool,
    /// Whether the run was stopped there.
    is_stopped: bool,
    /// When measuring began.
    from: Option<SimTime>,
    /// Requests that had arrived by then.
    requests_before: u64,
    /// Planes whose first round of collection has not ended.
    collects_first: Vec<bool>,
    planes_left: u32,
    /// How long each channel had been busy when measuring began.
    channels_before: Vec<Nanos>,
    /// The same of each link of a network, and how many transfers had gone over how many links.
    links_before: Vec<Nanos>,
    ways_before: Vec<u64>,
    /// Where the counters of the policies stood then.
    policies_before: PolicyReadings,
}

impl Measuring {
    /// Of a run that has not begun.
    pub fn new(after: MeasureAfter, geometry: &Geometry) -> Self {
        let planes = if after == MeasureAfter::FirstRound { geometry.planes() } else { 0 };
        Self {
            after,
            from_request: u64::MAX,
            until_request: u64::MAX,
            is_over: false,
            is_stopped: false,
            from: (after == MeasureAfter::Start).then_some(SimTime::ZERO),
            requests_before: 0,
            collects_first: vec![true; planes as usize],
            planes_left: planes,
            channels_before: Vec::new(),
            links_before: Vec::new(),
            ways_before: Vec::new(),
            policies_before: PolicyReadings::default(),
        }
    }

    /// Of a window of so many requests, after those that lead in to it; none where it begins as the run does.
    pub(crate) fn of_window(lead_in: Option<u64>, requests: u64, geometry: &Geometry) -> Self {
        let whole = Self::new(MeasureAfter::Start, geometry);
        let until_request = lead_in.unwrap_or(0) + requests;
        match lead_in {
            None => Self { until_request, ..whole },
            Some(from_request) => Self { from_request, until_request, from: None, ..whole },
        }
    }

    /// Whether no request counts that arrives after so many.
    #[inline]
    pub(crate) fn ends_after(&self, arrived: u64) -> bool {
        arrived >= self.until_request
    }

    /// Whether a request counts that arrives after so many.
    #[inline]
    pub(crate) fn counts(&mut self, arrived: u64) -> bool {
        self.is_over |= self.ends_after(arrived);
        self.has_begun() && !self.is_over
    }

    /// Whether requests that arrive do not count any more.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The run is stopped at the end of its window, with work under way.
    pub(crate) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Whether it was.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// How many requests that count have arrived, of so many.
    pub(crate) fn requests(&self, arrived: u64) -> u64 {
        arrived.min(self.until_request) - self.result(arrived).requests_before
    }

    /// The trace has so many requests.
    pub(crate) fn expect(&mut self, requests: u64) {
        if let MeasureAfter::Share(share) = self.after {
            self.from_request = share.of(requests);
        }
    }

    /// Whether what happens now counts.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.from.is_some()
    }

    /// Whether measuring begins with the request that comes after so many.
    #[inline]
    pub(crate) fn begins_after(&self, arrived: u64) -> bool {
        !self.has_begun() && arrived >= self.from_request
    }

    /// A plane has ended a round of collection: tells whether it was the last whose first was awaited.
    pub(crate) fn round_ended(&mut self, plane: PlaneId) -> bool {
        let Some(first) = self.collects_first.get_mut(plane.index()).map(std::mem::take) else {
            return false;
        };
        self.planes_left -= u32::from(first);
        self.planes_left == 0
    }

    /// Measuring begins: where everything stands that is not set back.
    pub(crate) fn begin(&mut self, now: SimTime, requests: u64, interconnect: &dyn Interconnect) {
        self.from = Some(now);
        self.requests_before = requests;
        self.channels_before = interconnect.busy_time().to_vec();
        if let Some(links) = interconnect.links() {
            self.links_before = links.busy_time().to_vec();
            self.ways_before = links.way_lengths().to_vec();
        }
    }

    /// What policies have counted so far does not count.
    pub(crate) fn forget_policies(&mut self, readings: PolicyReadings) {
        self.policies_before = readings;
    }

    /// When measuring began; `end` if it never did.
    #[inline]
    pub(crate) fn begun_or(&self, end: SimTime) -> SimTime {
        self.from.unwrap_or(end)
    }

    /// Time each channel had been in use before; nothing where measuring began with the run.
    pub(crate) fn channels_before(&self) -> impl Iterator<Item = Nanos> {
        self.channels_before.iter().copied().chain(std::iter::repeat(Nanos(0)))
    }

    /// Time each link of a network had been in use, and transfers by the links of their way.
    pub(crate) fn network_before(&self) -> (&[Nanos], &[u64]) {
        (&self.links_before, &self.ways_before)
    }

    /// What policies have counted since, by what they have counted in all.
    pub(crate) fn policies_since(&self, readings: &PolicyReadings) -> PolicyResults {
        readings.since(&self.policies_before)
    }

    /// What results say of all this, after so many requests.
    pub(crate) fn result(&self, arrived: u64) -> MeasureResult {
        let planes = self.collects_first.len() as u32;
        MeasureResult {
            after: self.after.to_string(),
            from_ns: self.from.map(|from| from.0),
            requests_before: if self.has_begun() { self.requests_before } else { arrived },
            planes_awaited: planes,
            planes_ready: planes - self.planes_left,
            windows: Vec::new(),
        }
    }
}

// What happened before the measured part of a run.

figures! {
    /// What writing the trace in another order than it has does to a copy of the drive, after warm-up and without time.
    #[derive(Copy)]
    pub struct OrderOfReplay {
        /// Of the pages that a play writes, those that it writes once: only the next play overwrites them.
        written_once_share: f64 => "share",
        /// Runs of a play: requests that go on where another ended keep their order.
        runs: u64 => "runs",
        /// Host pages written to the copy in another order; 0 where the order cannot matter: few pages are written
        /// once, or there are few runs.
        host_programs: u64 => "pages",
        /// Write amplification, in pages, when the trace is replayed in its own order.
        same: Option<f64> => "pages per page",
        /// The same in another order, over the second half of what was written.
        shuffled: Option<f64> => "pages per page",
    }
}

figures! {
    /// How the drive was prepared.
    #[derive(Default)]
    pub struct WarmupResult {
        /// Setting `warmup.kind`.
        kind: String,
        /// The scheme whose policies prepared the drive, if it is not the one that was run.
        prepared_by: Option<String>,
        /// Pages written to the drive, those of filling it included.
        host_writes: u64 => "pages",
        /// Whole rounds, after any filling: of random writes a drive capacity each, of the trace as many replays as
        /// write that much.
        rounds: u32 => "rounds",
        /// Write amplification of the last round, in pages: warm-up writes whole pages. Null when there was none.
        write_amplification: Option<f64> => "pages per page",
        /// The same of each round.
        amplification_by_round: Vec<f64> => "pages per page",
        /// What another order of the requests does to write amplification; null where replaying in the same order
        /// cannot matter, or was not looked at.
        order_of_replay: Option<OrderOfReplay>,
        /// Whether write amplification was flat over the last three rounds. Null for kinds without rounds, and where
        /// there were fewer; `steady` and `workload`, which go on until it is, say false when they gave up.
        steady: Option<bool>,
    }
}

figures! {
    /// Which part of the run was measured.
    pub struct MeasureResult {
        /// Setting `measure.after`.
        after: String,
        /// When measuring began, in simulated time; null if it never did.
        from_ns: Option<u64> => "ns",
        /// Requests that had arrived by then and are not counted.
        requests_before: u64 => "requests",
        /// Planes that had to end a first round of collection before measuring began.
        planes_awaited: u32 => "planes",
        /// Those of them that did.
        planes_ready: u32 => "planes",
        /// The windows of `measure.windows`, each with the state in which it begins made without time; absent without
        /// them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        windows: Vec<MeasuredWindow>,
    }
}

figures! {
    /// One window of a run of which only windows are measured.
    pub struct MeasuredWindow {
        /// Requests of the trace before the first that is measured.
        first_request: u64 => "requests",
        /// How many requests are measured.
        requests: u64 => "requests",
        /// Requests before them that were played with time and are not counted.
        lead_in: u64 => "requests",
        /// What the host had written since the run began, before the lead-in.
        host_bytes_before: u64 => "bytes",
        /// Mean erases of a block by then.
        mean_erases: f64 => "erases",
        /// Blocks that had failed by then; absent without `flash.endurance.failures`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed_blocks: Option<u32> => "blocks",
        /// p99.9 of reads; null without.
        read_p99_9_ns: Option<u64> => "ns",
        /// p99.9 of writes; null without.
        write_p99_9_ns: Option<u64> => "ns",
        /// Mean latency of all of them; null if none was completed.
        mean_latency_ns: Option<f64> => "ns",
        /// Requests in flight when one arrives, itself included, mean.
        outstanding: Option<f64> => "requests",
        /// Write amplification, in pages; null without a page of the host.
        write_amplification: Option<f64> => "pages per page",
    }
}

// What policies have counted, as results show it.

figures! {
    /// A counter that a policy declares, over the measured part of the run.
    pub struct PolicyMetric {
        /// How often it was raised; its own `unit` says what it counts.
        value: u64 => "as declared",
        /// What it counts.
        unit: String,
        /// What raises it.
        about: String,
    }
}

/// Of each policy kind, by the key that chooses it, every counter that the chosen policy declares, by name.
pub type PolicyResults = BTreeMap<String, BTreeMap<String, PolicyMetric>>;

/// Where the counters of all policies stood at an instant.
#[derive(Debug, Clone, Default)]
pub struct PolicyReadings {
    kinds: Vec<(&'static str, Vec<Reading>)>,
}

impl PolicyReadings {
    /// Take up the counters of the policy that `key` has chosen, which declares `declared`.
    ///
    /// # Panics
    /// When it reports other counters than those it declares.
    pub fn add(&mut self, key: &'static str, declared: &[Metric], readings: Vec<Reading>) {
        let reported = readings.iter().map(|reading| &reading.metric);
        assert!(declared.iter().eq(reported), "{key} declares {declared:?}, but reports {readings:?}");
        self.kinds.push((key, readings));
    }

    /// What has been counted since `before` was taken of the same drive; kinds without a counter are left out.
    pub fn since(&self, before: &Self) -> PolicyResults {
        let counted = |(now, before): (&Reading, &Reading)| {
            let Metric { name, unit, about } = now.metric;
            let value = now.count - before.count;
            (name.to_owned(), PolicyMetric { value, unit: unit.to_owned(), about: about.to_owned() })
        };
        let kinds = self.kinds.iter().zip(&before.kinds).filter(|((_, now), _)| !now.is_empty());
        kinds
            .map(|((key, now), (_, before))| {
                ((*key).to_owned(), now.iter().zip(before).map(counted).collect())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Metric = Metric { name: "seen", unit: "blocks", about: "Blocks seen." };

    fn readings(count: u64) -> PolicyReadings {
        let mut readings = PolicyReadings::default();
        readings.add("gc.victim", &[SEEN], vec![SEEN.is(count)]);
        readings.add("redundancy", &[], Vec::new());
        readings
    }

    #[test]
    fn results_have_what_was_counted_since_with_the_declaration() {
        let found = readings(12).since(&readings(5));
        let seen = &found["gc.victim"]["seen"];
        assert_eq!((seen.value, seen.unit.as_str(), seen.about.as_str()), (7, "blocks", "Blocks seen."));
        assert_eq!(found.len(), 1, "a kind without counters is left out");
    }

    #[test]
    #[should_panic(expected = "gc.victim declares")]
    fn a_policy_that_forgets_a_counter_is_found_out() {
        PolicyReadings::default().add("gc.victim", &[SEEN], Vec::new());
    }
}
