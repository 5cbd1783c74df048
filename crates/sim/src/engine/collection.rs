//! The life of one collection job: choose a victim, relocate its valid pages, erase it, ask the trigger whether to
//! collect another.

use super::drive::Drive;
use super::limit_audit;
use super::needs::begins_with;
use super::ops::cause_of;
use super::spans;
use crate::engine::{OpKind, PageOp, Role};
use crate::ftl::{NoVictim, PREFETCH_BATCH};
use crate::gc::relocation::Step;
use crate::gc::{Job, JobFacts};
use crate::ids::{BlockId, DieId, JobId, Lpn, OpId, PlaneId, Ppn};
use crate::mapping::Cause;
use crate::settings::AssignPages;

impl Drive {
    /// Ask the triggers of all planes whose space changed, and start the jobs they want.
    pub(crate) fn run_gc_triggers(&mut self) {
        while let Some(plane) = self.ftl.next_signal() {
            self.consider_collecting(plane, false);
        }
    }

    /// What follows every event: triggers are asked, those that wait for a channel to fall idle included, and deferred
    /// planes, if more channels may collect now.
    #[inline]
    pub(crate) fn after_event(&mut self) {
        if self.needs.has_occasions {
            self.take_occasions();
        } else {
            self.run_gc_triggers();
        }
    }

    #[cold]
    fn take_occasions(&mut self) {
        let fell_idle = self.needs.limit_waits_for_idle && self.dies.has_idle_channels();
        self.note_idle_channels();
        self.run_gc_triggers();
        let stall_began = self.needs.limits_jobs && self.stalls.take_has_begun();
        if !self.jobs.deferred.is_empty() && (self.limit_has_grown() || fell_idle || stall_began) {
            self.consider_deferred();
        }
        while self.needs.lifts && self.ftl.gc_buffer_mut().take_has_room_again() {
            self.consider_deferred();
            self.admit_parked();
        }
        if self.needs.limit_remembers {
            let nothing_waits = self.jobs.deferred.is_empty() && self.jobs.under_way() == 0;
            self.ftl.look_at_limit(self.jobs.per_channel(), nothing_waits);
        }
        if self.deferring.collects_when_idle() {
            self.collect_idle_dies();
        }
        if self.joins.is_rebuilding() {
            self.rebuild_more();
        }
    }

    fn note_idle_channels(&mut self) {
        for channel in self.dies.take_idle_channels() {
            self.ftl.note_idle(channel);
        }
    }

    /// Whether the limit has grown since planes were deferred; it is then noted anew.
    fn limit_has_grown(&mut self) -> bool {
        if !self.needs.limit_changes {
            return false;
        }
        let Some(limit) = self.ftl.channel_limit(self.jobs.per_channel()) else { return false };
        self.jobs.limit_has_grown_to(limit)
    }

    /// Every deferred plane is asked again; one that still may not is deferred again, behind the others.
    pub(super) fn consider_deferred(&mut self) {
        for _ in 0..self.jobs.deferred.len() {
            if let Some((waiting, under_way)) = self.jobs.deferred.take_first() {
                self.consider_collecting(waiting, under_way);
            }
        }
    }

    pub(super) fn consider_collecting(&mut self, plane: PlaneId, under_way: bool) {
        let idle = self.needs.notes_idle && self.channel_is_idle(plane);
        let waits =
            self.needs.asks_when_queued == 0 || self.queues.waiting(plane) & self.needs.asks_when_queued != 0;
        if !self.ftl.wants_collection_for(plane, under_way, idle, waits) {
            return;
        }
        let stalled = self.is_stalled(plane);
        if !stalled && !self.ftl.may_start(plane, self.jobs.per_channel(), idle) {
            self.defer_collecting(plane, under_way);
            return;
        }
        match self.ftl.try_collection(plane) {
            Ok(victim) => {
                if stalled {
                    self.ftl.note_emergency(plane, self.jobs.per_channel());
                } else {
                    self.check_limit(plane);
                }
                self.begin_job(plane, victim, Cause::Gc, stalled);
            }
            Err(NoVictim::BufferFull) => self.defer_collecting(plane, under_way),
            Err(NoVictim::Starved) => {}
        }
    }

    /// Deferred planes are asked again if a write has begun to wait for a page since that was done last.
    pub(super) fn consider_stalled(&mut self) {
        if self.stalls.take_has_begun() {
            self.consider_deferred();
        }
    }

    /// Whether a host write waits for a page of a plane, which has none to give: no limit of jobs holds its collection
    /// back then. A write that no plane has room for waits for one of each.
    fn is_stalled(&self, plane: PlaneId) -> bool {
        let waits_here = self.stalls.is_stalled(plane) && !self.has_room(plane);
        waits_here || (!self.requests.parked.is_empty() && !self.ftl.has_unreserved_page(plane))
    }

    /// A job is about to begin that the limit of jobs could have held back.
    pub(super) fn check_limit(&mut self, plane: PlaneId) {
        if let Err(fault) = limit_audit::check(&self.ftl, &self.jobs, plane, self.events.now()) {
            self.recorder.fault(fault);
        }
    }

    fn defer_collecting(&mut self, plane: PlaneId, under_way: bool) {
        if !self.jobs.deferred.add(plane, under_way) || !self.needs.limit_changes {
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
        if self.needs.watches_idle && left == 0 {
            self.note_idle_die(die);
        }
    }

    #[cold]
    fn note_idle_die(&mut self, die: DieId) {
        if self.needs.notes_idle {
            self.dies.note_idle_channel(self.geometry.channel_of(die));
        }
        if self.deferring.collects_when_idle() {
            self.deferring.note_idle(die);
        }
    }

    pub(super) fn begin_job(&mut self, plane: PlaneId, victim: BlockId, cause: Cause, emergency: bool) {
        let (started, die) = (self.events.now(), self.geometry.die_of(plane));
        let (valid_pages, used_pages) = (self.ftl.blocks().valid(victim), self.ftl.used_pages());
        let facts = JobFacts { plane, victim, cause, started, valid_pages, used_pages, emergency };
        let job = Job::new(facts, self.geometry.page(victim, 0), self.ftl.pages_of_batch(victim));
        if self.needs.defers {
            self.deferring.note_job(die, started, valid_pages);
        }
        self.ftl.begin_relocation(plane, victim);
        let id = self.jobs.begin(job, self.geometry.channel_of(die));
        self.advance_job(id);
    }

    /// Keep as many steps under way as allowed; erase when nothing is left.
    pub(super) fn advance_job(&mut self, id: JobId) {
        loop {
            if !self.jobs[id].may_step(self.config.gc.pages_in_flight) {
                return;
            }
            if let Some(kind) = self.needs.every_page {
                if self.advance_by_page(id, kind) {
                    continue;
                }
                return;
            }
            if self.needs.lifts_in_batches && self.batch_waits(id) {
                return;
            }
            let job = &mut self.jobs[id];
            let &JobFacts { plane, victim, .. } = job.facts();
            let step = match self.ftl.next_step(plane, victim, job.cursor(), job.outstanding()) {
                Step::Move(step) => step,
                Step::Wait => return,
                Step::Done => {
                    if job.outstanding() == 0 {
                        if self.needs.lifts {
                            self.ftl.gc_buffer_mut().all_lifted(job.batch());
                        }
                        self.erase_victim(id);
                    }
                    return;
                }
            };
            job.take_of_batch(step.pages.len());
            let page = step.pages.first();
            self.begin_step(id, page, step.pages.last());
            if self.needs.unit_pages > 1 {
                self.queue_unit(id, &step);
                continue;
            }
            let lpn = self.ftl.map().owner(page);
            self.queue_gc(begins_with(step.way), id, page, lpn);
        }
    }

    /// The same where each step is the next valid page by itself. Tells whether there was one.
    #[inline]
    fn advance_by_page(&mut self, id: JobId, kind: OpKind) -> bool {
        let job = &self.jobs[id];
        let first = self.geometry.page(job.facts().victim, 0);
        let end = first.0 + self.geometry.pages_per_block;
        let Some(page) = self.ftl.map().next_valid(job.cursor(), end) else {
            if job.outstanding() == 0 {
                self.erase_victim(id);
            }
            return false;
        };
        self.begin_step(id, page, page);
        let lpn = self.ftl.map().owner(page);
        self.queue_gc(kind, id, page, lpn);
        true
    }

    /// A job relocates the valid pages from `first` to `last` next: what follows them is prefetched.
    #[inline]
    fn begin_step(&mut self, id: JobId, first: Ppn, last: Ppn) {
        let job = &mut self.jobs[id];
        if job.begin_step(first, last, PREFETCH_BATCH as u32) {
            self.ftl.prefetch_relocations(job.facts().victim, first);
        }
    }

    /// All pages of a job are relocated: its victim is erased.
    fn erase_victim(&mut self, id: JobId) {
        let job = &mut self.jobs[id];
        job.begin_erase();
        let first = self.geometry.page(job.facts().victim, 0);
        self.queue_gc(OpKind::Erase, id, first, Lpn::NONE);
    }

    fn queue_gc(&mut self, kind: OpKind, job: JobId, page: Ppn, lpn: Lpn) {
        let op = self.gc_op(kind, job, page, lpn);
        let id = self.ops.insert(op);
        self.enqueue(id);
    }

    pub(super) fn gc_op(&self, kind: OpKind, job: JobId, page: Ppn, lpn: Lpn) -> PageOp {
        let &JobFacts { plane, cause, .. } = self.jobs[job].facts();
        PageOp { ppn: page, source: page, job, ..PageOp::new(kind, cause_of(cause), plane, lpn) }
    }

    /// A page to be relocated has been read into the controller: program it, if it is still valid.
    pub(crate) fn moved_page_read(&mut self, id: OpId) {
        if !self.ftl.map().is_valid(self.ops[id].source) {
            self.move_dropped(id);
            return;
        }
        if self.needs.unit_pages > 1 {
            self.unit_page_read(id);
            return;
        }
        if self.needs.lifts {
            self.page_lifted(id);
            return;
        }
        if self.config.ftl.assign_pages == AssignPages::OnArrival {
            let PageOp { plane, lpn, job, .. } = self.ops[id];
            let cause = self.jobs[job].facts().cause;
            self.ops[id].ppn = self.ftl.take_gc_page(plane, lpn, cause);
            if self.ftl.open_ahead(plane, Some(cause)) {
                self.run_gc_triggers();
            }
        }
        self.ops[id].kind = OpKind::Program;
        self.enqueue(id);
    }

    /// The host overwrote or trimmed a page before it was relocated, which cancels the relocation.
    pub(crate) fn move_dropped(&mut self, id: OpId) {
        let PageOp { job, lpn, kind, slot, plane, role, .. } = self.ops[id];
        self.ops.remove(id);
        if slot.is_some() {
            self.write_back_dropped(job, slot, plane);
            return;
        }
        self.recorder.gc.dropped_moves += 1;
        if self.needs.lifts {
            self.ftl.gc_buffer_mut().is_passed_over();
        }
        let others_wait = match role {
            Role::OfUnit(unit) if kind == OpKind::Read && self.unit_loses_read(unit) => Some(unit),
            _ => None,
        };
        self.move_done(job, lpn, role);
        if let Some(unit) = others_wait {
            self.program_unit(unit);
        }
    }

    /// One move of a job is over; it may have belonged to a step with others.
    pub(crate) fn move_done(&mut self, job: JobId, lpn: Lpn, role: Role) {
        let step_done = match role {
            Role::OfUnit(unit) => self.unit_is_done(unit),
            _ => true,
        };
        if step_done {
            self.jobs[job].end_step();
        }
        if !self.requests.blocked.is_empty() {
            self.release_blocked(Some(lpn));
        }
        if step_done {
            self.advance_job(job);
        }
    }

    /// The victim is erased: the job is done.
    pub(crate) fn victim_erased(&mut self, id: JobId) {
        let plane = self.jobs[id].facts().plane;
        let job = self.jobs.end(id, self.geometry.channel_of(self.geometry.die_of(plane)));
        let facts = job.facts();
        self.end_rest(plane, id);
        self.ftl.end_collection(facts.victim, facts.cause);
        if self.needs.defers {
            self.deferring.note_job_end(plane, self.ftl.blocks_above_start(plane));
        }
        if self.needs.lifts {
            self.write_back(facts, job.first_lifted(), JobId::NONE);
        }
        if !self.requests.blocked.is_empty() {
            self.release_blocked(None);
        }
        if let Some(spans) = &mut self.recorder.spans {
            spans::note_job(spans, facts, self.events.now());
        }
        let free_blocks = self.ftl.plane(plane).free.len();
        self.recorder.job_ended(facts, self.events.now(), free_blocks);
        // Space first, wear second.
        let coldest = if self.ftl.collection_is_urgent(plane) { None } else { self.ftl.wear_victim(plane) };
        if let Some(coldest) = coldest {
            self.begin_job(plane, coldest, Cause::Wear, false);
        } else {
            self.consider_collecting(plane, true);
        }
        if !self.measuring.has_begun() && self.round_is_over(plane) {
            self.first_round_ended(plane);
        }
        self.admit_parked();
        self.consider_deferred();
    }

    /// Whether a plane of which a job has just ended is done with collecting for now.
    fn round_is_over(&self, plane: PlaneId) -> bool {
        self.ftl.plane(plane).jobs == 0 && !self.jobs.deferred.contains(plane)
    }
}
