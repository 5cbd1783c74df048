//! From when on a run is measured.
//!
//! A warmed-up drive stands close before its next round of collection in every plane. A round frees space for many
//! pages; a run that begins with a round in every plane and writes few pages has paid for space that it does not use.
//! And time changes what a warm-up without it has left: planes that filled up in step fall out of it. Measuring can
//! wait until that is over.

use super::policies::PolicyReadings;
use crate::flash::Geometry;
use crate::settings::MeasureAfter;
use crate::time::{Nanos, SimTime};

/// Whether the run is measured yet, and what must happen before it is.
#[derive(Debug)]
pub struct Measuring {
    pub(crate) after: MeasureAfter,
    /// Measuring begins with the request that arrives after so many.
    pub(crate) from_request: u64,
    /// When measuring began.
    pub(crate) from: Option<SimTime>,
    /// Requests that had arrived by then.
    pub(crate) requests_before: u64,
    /// Planes whose first round of collection has not ended.
    pub(crate) collects_first: Vec<bool>,
    pub(crate) planes_left: u32,
    /// How long each channel had been busy when measuring began.
    pub(crate) channels_before: Vec<Nanos>,
    /// The same of each link of a network, and how many transfers had gone over how many links.
    pub(crate) links_before: Vec<Nanos>,
    pub(crate) ways_before: Vec<u64>,
    /// Where the counters of the policies stood then.
    pub(crate) policies_before: PolicyReadings,
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

    /// Whether what happens now counts.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.from.is_some()
    }
}
