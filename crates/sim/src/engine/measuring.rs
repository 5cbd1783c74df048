//! From when on a run is measured.
//!
//! A warmed-up drive stands close before its next round of collection in every plane. A round wins space for many pages;
//! a run that begins with a round in every plane and writes few pages has paid for space that it does not use. And time
//! changes what a warm-up without it has left: planes that filled up in step fall out of it. Measuring can wait until
//! that is over.

use crate::config::MeasureAfter;
use crate::drive::Drive;
use crate::engine::{Nanos, SimTime};
use crate::flash::{Geometry, Phase};
use crate::ids::PlaneId;
use crate::metrics::MeasureResult;

/// Whether the run is measured yet, and what must happen before it is.
#[derive(Debug)]
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
    /// What the clocks of the wires showed when measuring began.
    wires_before: Vec<Nanos>,
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
            wires_before: Vec::new(),
        }
    }

    /// Whether what happens now counts.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.from.is_some()
    }
}

impl Drive {
    /// The run begins; the trace has so many requests.
    pub(crate) fn await_measuring(&mut self, requests: u64) {
        if let MeasureAfter::Share(share) = self.measuring.after {
            self.measuring.from_request = share.of(requests);
        }
    }

    /// A request is about to arrive: tells whether it counts.
    #[inline]
    pub(crate) fn counts_next(&mut self) -> bool {
        if !self.measuring.has_begun() && self.requests.arrived >= self.measuring.from_request {
            self.begin_measuring();
        }
        self.measuring.has_begun()
    }

    /// A round of collection of a plane is over.
    #[cold]
    pub(crate) fn first_round_ended(&mut self, plane: PlaneId) {
        let Some(first) = self.measuring.collects_first.get_mut(plane.index()).map(std::mem::take) else {
            return;
        };
        self.measuring.planes_left -= u32::from(first);
        if self.measuring.planes_left == 0 {
            self.begin_measuring();
        }
    }

    fn begin_measuring(&mut self) {
        let now = self.now();
        self.measuring.from = Some(now);
        self.measuring.requests_before = self.requests.arrived;
        self.measuring.wires_before = self.interconnect.busy_time().to_vec();
        for die in &mut self.dies {
            die.held = Nanos(0);
            if die.phase != Phase::Idle {
                die.held_since = now;
            }
        }
        self.count_afresh();
    }

    fn count_afresh(&mut self) {
        self.ftl.reset_counters();
        self.write_buffer.start_afresh();
        self.recorder.start_afresh();
    }

    /// The run is over. If measuring never began, nothing was measured.
    pub(crate) fn end_measuring(&mut self) {
        if !self.measuring.has_begun() {
            self.count_afresh();
        }
    }

    /// When measuring began; the end of the run if it never did.
    pub(crate) fn measured_from(&self) -> SimTime {
        self.measuring.from.unwrap_or(self.now())
    }

    /// The part of a time up to now that lies in what is measured.
    #[inline]
    pub(crate) fn measured_part(&self, waited: Nanos) -> Nanos {
        waited.min(self.now().since(self.measured_from()))
    }

    /// Time each group's wires were in use while the run was measured. What was on them when that began counts wholly or
    /// not at all.
    pub(crate) fn measured_wire_time(&self) -> impl Iterator<Item = Nanos> {
        let before = self.measuring.wires_before.iter().copied().chain(std::iter::repeat(Nanos(0)));
        let most = self.now().since(self.measured_from());
        self.interconnect.busy_time().iter().zip(before).map(move |(busy, before)| (*busy - before).min(most))
    }

    /// What results say of all this.
    pub(crate) fn measure_result(&self) -> MeasureResult {
        let measuring = &self.measuring;
        let planes = measuring.collects_first.len() as u32;
        MeasureResult {
            after: measuring.after.to_string(),
            from_ns: measuring.from.map(|from| from.0),
            requests_before: if measuring.has_begun() {
                measuring.requests_before
            } else {
                self.requests.arrived
            },
            planes_awaited: planes,
            planes_ready: planes - measuring.planes_left,
        }
    }
}
