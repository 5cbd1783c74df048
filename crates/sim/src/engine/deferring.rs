//! What is estimated and noted for writes that leave their chips, and for idle collection.

use crate::building::BuildContext;
use crate::gc::deferral::{Concern, Deferral, HomeView, Target, TargetsView};
use crate::ids::{DieId, PlaneId};
use crate::metric::Reading;
use crate::scheduler::Class;
use crate::time::{Nanos, SimTime};

/// The policy, and what it is told.
pub(super) struct Deferring {
    policy: Box<dyn Deferral>,
    collects_when_idle: bool,
    redirects_parity: bool,
    /// Number of requests to come that are looked at.
    looks_ahead: u32,
    /// Per die: when it will have done all that was queued there, as estimated.
    completes: Box<[SimTime]>,
    read_unit: Nanos,
    write_unit: Nanos,
    erase_unit: Nanos,
    /// Dies that have had nothing to do since that was looked at last.
    idle_dies: Vec<DieId>,
    /// Those that the limit of jobs held back since a job ended last.
    held_back: Vec<DieId>,
    /// Requests to come: when, and the home of one of their pages.
    upcoming: Vec<(SimTime, PlaneId)>,
    /// Per plane, while a page is redirected: when a write to come will be queued there.
    next: Box<[SimTime]>,
    targets: Vec<Target>,
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
            next: vec![SimTime::NEVER; planes].into(),
            targets: Vec::with_capacity(planes),
            policy,
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.policy.is_active()
    }

    /// Whether planes collect when nothing waits for them.
    #[inline]
    pub(super) fn collects_when_idle(&self) -> bool {
        self.collects_when_idle
    }

    /// Whether a page may leave its home; of parity not all policies let it.
    pub(super) fn may_leave(&self, is_parity: bool) -> bool {
        self.redirects_parity || !is_parity
    }

    /// Where the counters of the policy stand.
    pub(super) fn metrics(&self) -> Vec<Reading> {
        self.policy.metrics()
    }
}

// What dies will have done, as estimated.
impl Deferring {
    /// When a die will have done all that was queued there.
    pub(super) fn completes(&self, die: DieId, now: SimTime) -> SimTime {
        self.completes[die.index()].max(now)
    }

    fn prolong(&mut self, die: DieId, now: SimTime, by: Nanos) {
        self.completes[die.index()] = self.completes(die, now) + by;
    }

    /// An operation is queued. Those of collection were counted when their job began.
    #[cold]
    pub(super) fn note_queued(&mut self, die: DieId, now: SimTime, class: Class) {
        match class {
            Class::HostRead => self.prolong(die, now, self.read_unit),
            Class::HostWrite => self.prolong(die, now, self.write_unit),
            Class::GcRead | Class::GcWrite | Class::Erase => {}
        }
    }

    /// A collection job begins on a victim with so many valid pages.
    pub(super) fn note_job(&mut self, die: DieId, now: SimTime, valid: u32) {
        let moves = Nanos(u64::from(valid) * (self.read_unit.0 + self.write_unit.0));
        self.prolong(die, now, moves + self.erase_unit);
    }

    /// A write that was queued for a die goes elsewhere.
    pub(super) fn note_leaving(&mut self, die: DieId) {
        let completes = &mut self.completes[die.index()];
        *completes = SimTime(completes.0.saturating_sub(self.write_unit.0));
    }
}

// Dies that collect because they have nothing else to do.
impl Deferring {
    /// A die has nothing left to do.
    pub(super) fn note_idle(&mut self, die: DieId) {
        self.idle_dies.push(die);
    }

    /// Dies that have had nothing to do since that was looked at last.
    pub(super) fn idle_dies(&self) -> &[DieId] {
        &self.idle_dies
    }

    /// All of them have been looked at.
    pub(super) fn forget_idle(&mut self) {
        self.idle_dies.clear();
    }

    /// Whether a plane with so many free blocks beyond those at which its collection starts is to be collected.
    pub(super) fn wants_when_idle(&mut self, plane: PlaneId, above_start: u32) -> bool {
        self.policy.wants_when_idle(plane, above_start)
    }

    /// It is.
    pub(super) fn begin_idle_job(&mut self, plane: PlaneId) {
        self.policy.on_idle_job(plane);
    }

    /// The limit of jobs does not let it: its die is looked at again when a job ends, once for all its planes.
    pub(super) fn hold_back(&mut self, die: DieId) {
        if !self.held_back.contains(&die) {
            self.held_back.push(die);
        }
    }

    /// A job has ended, with so many free blocks of its plane beyond those at which collection starts.
    pub(super) fn note_job_end(&mut self, plane: PlaneId, above_start: u32) {
        self.policy.on_erased(plane, above_start);
        self.idle_dies.append(&mut self.held_back);
    }
}

// Writes that go elsewhere.
impl Deferring {
    /// A page of a stripe is queued at its home.
    pub(super) fn concern(&mut self, home: PlaneId, die: DieId, view: &HomeView) -> Concern {
        let concern = self.policy.on_queued(home, view);
        if concern != Concern::Nothing && self.collects_when_idle {
            // If the page leaves, nothing may be left for its die to do.
            self.idle_dies.push(die);
        }
        concern
    }

    /// Number of requests to come that are looked at.
    #[inline]
    pub(super) fn looks_ahead(&self) -> usize {
        self.looks_ahead as usize
    }

    /// What is known of requests to come is to be noted anew.
    pub(super) fn forget_upcoming(&mut self) {
        self.upcoming.clear();
    }

    /// A page of a request to come will be queued at its home.
    pub(super) fn note_upcoming(&mut self, at: SimTime, home: PlaneId) {
        self.upcoming.push((at, home));
    }

    /// A page looks for another plane; `reading` has when writes of stripes that are being read will be queued, and
    /// where.
    pub(super) fn begin_targets(&mut self, reading: impl Iterator<Item = (SimTime, PlaneId)>) {
        self.targets.clear();
        self.next.fill(SimTime::NEVER);
        for (time, plane) in reading.chain(self.upcoming.iter().copied()) {
            let at = &mut self.next[plane.index()];
            *at = time.min(*at);
        }
    }

    /// When the next write to come will be queued at a plane, as far as that is known.
    pub(super) fn next_arrival(&self, plane: PlaneId) -> Option<SimTime> {
        let next = self.next[plane.index()];
        (next != SimTime::NEVER).then_some(next)
    }

    /// A plane that the page could go to.
    pub(super) fn add_target(&mut self, target: Target) {
        self.targets.push(target);
    }

    /// The one that it goes to, if it leaves.
    pub(super) fn choose(&mut self, home_completes: SimTime) -> Option<PlaneId> {
        let view = TargetsView { targets: &self.targets, home_completes, write_unit: self.write_unit };
        self.policy.choose(&view)
    }
}
