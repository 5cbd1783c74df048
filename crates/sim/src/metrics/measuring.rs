//! From when on a run is measured.
//!
//! A warmed-up drive stands close before its next round of collection in every plane. A round frees space for many
//! pages; a run that begins with a round in every plane and writes few pages has paid for space that it does not use.
//! And time changes what a warm-up without it has left: planes that filled up in step fall out of it. Measuring can
//! wait until that is over.

use super::{MeasureResult, PolicyReadings, PolicyResults};
use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::interconnect::Interconnect;
use crate::settings::MeasureAfter;
use crate::time::{Nanos, SimTime};

/// Whether the run is measured yet, and what must happen before it is.
#[derive(Debug, Default)]
pub struct Measuring {
    after: MeasureAfter,
    /// Measuring begins with the request that arrives after so many.
    from_request: u64,
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
        }
    }
}
