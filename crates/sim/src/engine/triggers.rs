//! When planes are collected: after every event triggers are asked whose answer may be another one, planes held back if
//! more channels may collect now, planes of dies that have nothing else to do, and jobs that wait for the host.

use super::drive::Drive;
use super::limit_audit;
use super::ops::HOST;
use crate::ftl::NoVictim;
use crate::ids::{DieId, PlaneId};
use crate::mapping::Cause;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Ask the triggers of all planes whose space changed, and start the jobs they want.
    pub(crate) fn run_gc_triggers(&mut self) {
        while let Some(plane) = self.ftl.next_signal() {
            self.consider_collecting(plane, false);
        }
    }

    /// What follows every event: triggers are asked, and where there are occasions of other kinds, whatever waits for
    /// them: planes held back, parked writes, idle dies, a chip that is rebuilt, jobs at the pace of the host.
    #[inline]
    pub(crate) fn after_event(&mut self) {
        if self.needs.has_occasions() {
            self.take_occasions();
        } else {
            self.run_gc_triggers();
        }
    }

    #[cold]
    fn take_occasions(&mut self) {
        if self.needs.programs_parity() {
            self.queue_parity();
        }
        let fell_idle = self.needs.limit_waits_for_idle() && self.dies.has_idle_channels();
        self.note_idle_channels();
        self.run_gc_triggers();
        let stall_began = self.needs.limits_jobs() && self.stalls.take_has_begun();
        let changed = self.needs.limit_changes_with_everything() && self.limit_sees_changes();
        if !self.jobs.held_back.is_empty() && (self.limit_has_grown() || fell_idle || stall_began || changed)
        {
            self.consider_held_back();
        }
        if self.needs.allocation_may_wait() && self.ftl.allocation_waits() {
            self.admit_parked();
        }
        while self.needs.lifts() && self.ftl.gc_buffer_mut().take_has_room_again() {
            self.consider_held_back();
            self.admit_parked();
        }
        if self.needs.limit_remembers() {
            let nothing_waits = self.jobs.held_back.is_empty() && self.jobs.under_way() == 0;
            self.ftl.look_at_limit(self.jobs.per_channel(), nothing_waits);
        }
        if self.deferring.collects_when_idle() {
            self.collect_idle_dies();
        }
        if self.joins.is_rebuilding() {
            self.rebuild_more();
        }
        if self.needs.paced() {
            self.go_on_paced();
        }
    }

    fn note_idle_channels(&mut self) {
        for channel in self.dies.take_idle_channels() {
            self.ftl.note_idle(channel);
        }
    }

    /// Whether the limit has grown since planes were held back; it is then noted anew.
    fn limit_has_grown(&mut self) -> bool {
        if !self.needs.limit_changes() {
            return false;
        }
        let Some(limit) = self.ftl.channel_limit(self.jobs.per_channel()) else { return false };
        self.jobs.limit_has_grown_to(limit)
    }

    /// Whether anything that a limit is told is other than after the event before.
    fn limit_sees_changes(&mut self) -> bool {
        let pages = (self.ftl.used_pages(), self.ftl.map().valid_pages());
        self.jobs.note_seen(pages)
    }

    /// Every plane held back is asked again; one that still may not is held back again, behind the others.
    pub(super) fn consider_held_back(&mut self) {
        for _ in 0..self.jobs.held_back.len() {
            if let Some((waiting, goes_on)) = self.jobs.held_back.take_first() {
                self.consider_collecting(waiting, goes_on);
            }
        }
    }

    /// The trigger is asked about a plane, and a job begins there if it wants one and may have it; a plane that
    /// `goes_on` has just ended one.
    pub(super) fn consider_collecting(&mut self, plane: PlaneId, goes_on: bool) {
        let plane = self.geometry.first_of_scope(plane);
        let idle = self.needs.notes_idle() && self.channel_is_idle(plane);
        let classes = match self.needs.asks_when_queued() {
            0 => HOST,
            classes => classes,
        };
        let waits = self.queues.waiting(plane) & classes != 0;
        if self.needs.superblocks() && self.needs.caches() && self.ftl.scope_must_wait(plane, goes_on) {
            return;
        }
        if !self.ftl.wants_collection_for(plane, goes_on, idle, waits) {
            self.consider_folding(plane);
            return;
        }
        let stalled = self.is_stalled(plane);
        if !stalled && !self.ftl.may_start(plane, self.jobs.per_channel(), idle) {
            self.hold_back(plane, goes_on);
            return;
        }
        if self.needs.superblocks() {
            if !self.collect_superblock(plane, stalled) {
                self.consider_folding(plane);
            }
            return;
        }
        match self.ftl.try_collection(plane) {
            Ok(victim) => {
                if stalled {
                    self.ftl.note_emergency(plane, self.jobs.per_channel(), idle);
                } else {
                    self.check_limit(plane);
                }
                self.begin_job(plane, victim, Cause::Gc, stalled);
            }
            Err(NoVictim::BufferFull) => self.hold_back(plane, goes_on),
            Err(NoVictim::Starved) => self.consider_folding(plane),
        }
    }

    /// Nothing of a plane is collected now: a block of its cache is folded, if one should be, and of those that it
    /// shares superblocks with.
    #[inline]
    fn consider_folding(&mut self, plane: PlaneId) {
        if self.needs.caches() {
            for plane in self.geometry.scope_of(plane) {
                if let Some(block) = self.ftl.begin_fold(plane) {
                    self.begin_job(plane, block, Cause::Fold, false);
                }
            }
        }
    }

    /// Planes held back are asked again if a write has begun to wait for a page since that was done last.
    pub(super) fn consider_stalled(&mut self) {
        if self.stalls.take_has_begun() {
            self.consider_held_back();
        }
    }

    /// Whether a host write waits for a page of a plane, which has none to give: no limit of jobs holds its collection
    /// back then. A write that no plane has room for waits for one of each.
    fn is_stalled(&self, plane: PlaneId) -> bool {
        let waits_here = self.stalls.is_stalled(plane) && !self.next_write_has_room(plane);
        let parked = self.requests.first_parked();
        waits_here || parked.is_some_and(|id| !self.ftl.has_room_for(plane, self.ops[id].lpn))
    }

    /// A job is about to begin that the limit of jobs could have held back.
    pub(super) fn check_limit(&mut self, plane: PlaneId) {
        if let Err(fault) = limit_audit::check(&self.ftl, &self.jobs, plane, self.events.now()) {
            self.recorder.fault(fault);
        }
    }

    fn hold_back(&mut self, plane: PlaneId, goes_on: bool) {
        if !self.jobs.held_back.add(plane, goes_on) || !self.needs.limit_changes() {
            return;
        }
        if let Some(limit) = self.ftl.channel_limit(self.jobs.per_channel()) {
            self.jobs.note_limit(limit);
        }
    }

    /// Whether nothing is queued or under way on any die of a plane's channel.
    pub(super) fn channel_is_idle(&self, plane: PlaneId) -> bool {
        let channel = self.geometry.channel_of(self.geometry.die_of(plane));
        let dies = self.geometry.dies() / self.geometry.channels;
        let first = (channel.0 * dies) as usize;
        self.dies.pending_per_die()[first..first + dies as usize].iter().all(|pending| *pending == 0)
    }

    /// An operation has left a die. If it was the last, and the trigger waits for idle channels, note that.
    #[inline]
    pub(super) fn one_less_pending(&mut self, die: DieId) {
        let left = self.dies.one_less_pending(die);
        if self.needs.watches_idle() && left == 0 {
            self.note_idle_die(die);
        }
    }

    #[cold]
    fn note_idle_die(&mut self, die: DieId) {
        if self.needs.notes_idle() {
            self.dies.note_idle_channel(self.geometry.channel_of(die));
        }
        if self.deferring.collects_when_idle() {
            self.deferring.note_idle(die);
        }
    }

    /// Every die may have something to collect before anything else happens.
    pub(super) fn note_all_idle(&mut self) {
        if self.deferring.collects_when_idle() {
            (0..self.geometry.dies()).for_each(|die| self.deferring.note_idle(DieId(die)));
        }
    }

    /// Planes of dies that have nothing to do are collected, if the policy wants that.
    pub(super) fn collect_idle_dies(&mut self) {
        for at in 0..self.deferring.idle_dies().len() {
            let die = self.deferring.idle_dies()[at];
            for plane in self.geometry.planes_of(die).map(PlaneId) {
                let above_start = self.ftl.blocks_above_start(plane);
                if self.dies.pending(die) == 0
                    && self.ftl.another_job_fits(plane)
                    && self.deferring.wants_when_idle(plane, above_start)
                {
                    self.collect_while_idle(die, plane);
                }
            }
        }
        self.deferring.forget_idle();
    }

    /// A plane is collected, although nothing waits for it, unless the limit of jobs holds that back.
    fn collect_while_idle(&mut self, die: DieId, plane: PlaneId) {
        if self.needs.limits_jobs() {
            let idle = self.needs.notes_idle() && self.channel_is_idle(plane);
            if !self.ftl.may_start(plane, self.jobs.per_channel(), idle) {
                self.deferring.hold_back(die);
                return;
            }
        }
        if let Ok(victim) = self.ftl.try_collection(plane) {
            self.check_limit(plane);
            self.deferring.begin_idle_job(plane);
            self.begin_job(plane, victim, Cause::Gc, false);
        }
    }
}
