//! What is estimated and noted for writes that leave their chips, and for idle collection.

use crate::building::BuildContext;
use crate::gc::deferral::{Deferral, Target};
use crate::ids::{DieId, PlaneId};
use crate::time::{Nanos, SimTime};

/// Later than everything.
pub(super) const NEVER: SimTime = SimTime(u64::MAX);

/// The policy, and what it is told.
pub(super) struct Deferring {
    pub(super) policy: Box<dyn Deferral>,
    pub(super) collects_when_idle: bool,
    pub(super) redirects_parity: bool,
    /// Number of requests to come that are looked at.
    pub(super) looks_ahead: u32,
    /// Per die: when it will have done all that was queued there, as estimated.
    pub(super) completes: Box<[SimTime]>,
    pub(super) read_unit: Nanos,
    pub(super) write_unit: Nanos,
    pub(super) erase_unit: Nanos,
    /// Dies that have had nothing to do since that was looked at last.
    pub(super) idle_dies: Vec<DieId>,
    /// Those that the limit of jobs held back since a job ended last.
    pub(super) held_back: Vec<DieId>,
    /// Requests to come: when, and the home of one of their pages.
    pub(super) upcoming: Vec<(SimTime, PlaneId)>,
    /// Per plane, while a page is redirected: when a write to come will be queued there.
    pub(super) next: Box<[SimTime]>,
    pub(super) targets: Vec<Target>,
}

impl std::fmt::Debug for Deferring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deferring").field("completes", &self.completes).finish_non_exhaustive()
    }
}

impl Deferring {
    pub(super) fn new(policy: Box<dyn Deferral>, context: &BuildContext) -> Self {
        let (geometry, timing) = (&context.geometry, &context.timing);
        let planes = if policy.is_active() { geometry.planes() as usize } else { 0 };
        Self {
            collects_when_idle: policy.collects_when_idle(),
            redirects_parity: policy.redirects_parity(),
            looks_ahead: policy.looks_ahead(),
            completes: vec![SimTime::ZERO; geometry.dies() as usize].into(),
            read_unit: timing.unloaded_read(),
            write_unit: timing.unloaded_program(),
            erase_unit: timing.unloaded_erase(),
            idle_dies: Vec::new(),
            held_back: Vec::new(),
            upcoming: Vec::new(),
            next: vec![NEVER; planes].into(),
            targets: Vec::with_capacity(planes),
            policy,
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.policy.is_active()
    }
}
