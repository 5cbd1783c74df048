//! The life of one collection job: relocate the valid pages of its victim, erase that, ask the trigger whether to
//! collect another.

use super::drive::Drive;
use super::needs::begins_with;
use super::ops::{cause_of, class_of, gc_cause};
use super::spans;
use crate::engine::{OpKind, PageOp, Role};
use crate::gc::relocation::Step;
use crate::gc::{Job, JobFacts};
use crate::ids::{BlockId, DieId, JobId, Lpn, OpId, PlaneId, Ppn, SlotId};
use crate::mapping::Cause;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// A victim has been taken, which is emptied and erased from now on.
    pub(super) fn begin_job(&mut self, plane: PlaneId, victim: BlockId, cause: Cause, emergency: bool) {
        let (started, die) = (self.events.now(), self.geometry.die_of(plane));
        let (valid_pages, used_pages) = (self.ftl.blocks().valid(victim), self.ftl.used_pages());
        let facts = JobFacts { plane, victim, cause, started, valid_pages, used_pages, emergency };
        let job = Job::new(facts, self.geometry.page(victim, 0), self.ftl.pages_of_batch(victim));
        if self.needs.defers() {
            self.deferring.note_job(die, started, valid_pages);
        }
        self.ftl.begin_relocation(plane, victim);
        self.begin_pace(plane);
        let id = self.jobs.begin(job, self.geometry.channel_of(die));
        if self.needs.superblocks() {
            self.jobs.of_plane[plane.index()] = id;
        }
        self.advance_job(id);
    }

    /// Keep as many steps under way as allowed; erase when nothing is left.
    pub(super) fn advance_job(&mut self, id: JobId) {
        loop {
            if !self.jobs[id].may_step(self.config.gc.pages_in_flight) {
                return;
            }
            if self.needs.paced() && self.waits_for_host_if_paced(id) {
                return;
            }
            if let Some(kind) = self.needs.every_page() {
                // What is folded changes its mode, which no copyback does.
                let folds = self.needs.caches() && self.jobs[id].facts().cause == Cause::Fold;
                if self.advance_by_page(id, if folds { OpKind::Read } else { kind }) {
                    continue;
                }
                return;
            }
            if self.needs.lifts_in_batches() && self.batch_waits(id) {
                return;
            }
            let job = &mut self.jobs[id];
            let &JobFacts { plane, victim, .. } = job.facts();
            let step = match self.ftl.next_step(plane, victim, job.cursor(), job.outstanding()) {
                Step::Move(step) => step,
                Step::Wait => return,
                Step::Done => {
                    if job.outstanding() == 0 {
                        if self.needs.lifts() {
                            self.ftl.gc_buffer_mut().all_lifted(job.batch());
                        }
                        self.erase_victim(id);
                    }
                    return;
                }
            };
            job.take_of_batch(step.pages.len());
            job.begin_step(step.pages.last());
            if self.needs.unit_pages() > 1 {
                self.queue_unit(id, &step);
                continue;
            }
            let page = step.pages.first();
            let op = self.gc_op(begins_with(step.way), id, page, self.ftl.map().owner(page));
            let op = self.copied_back_if_it_can(op);
            let id = self.ops.insert_of_job(op);
            self.enqueue(id);
        }
    }

    /// The first operation of a step: where planes share superblocks, a page that cannot stay in its plane is not
    /// copied back.
    #[inline]
    pub(super) fn copied_back_if_it_can(&mut self, op: PageOp) -> PageOp {
        if op.kind != OpKind::Copyback || !self.needs.superblocks() {
            return op;
        }
        match self.ftl.promise_copyback(op.plane, op.stream, gc_cause(&op)) {
            Some(stream) => PageOp { stream, ..op },
            None => PageOp { kind: OpKind::Read, ..op },
        }
    }

    /// The same where each step is the next valid page by itself. Tells whether there was one.
    #[inline]
    fn advance_by_page(&mut self, id: JobId, kind: OpKind) -> bool {
        let job = &mut self.jobs[id];
        let first = self.geometry.page(job.facts().victim, 0);
        let end = first.0 + self.geometry.pages_per_block;
        let Some(page) = self.ftl.map().next_valid(job.cursor(), end) else {
            if job.outstanding() == 0 {
                self.erase_victim(id);
            }
            return false;
        };
        job.begin_step(page);
        let op = self.copied_back_if_it_can(self.gc_op(kind, id, page, self.ftl.map().owner(page)));
        let id = self.ops.insert_of_job(op);
        self.enqueue(id);
        true
    }

    /// All pages of a job are relocated: its victim is erased.
    fn erase_victim(&mut self, id: JobId) {
        let job = &mut self.jobs[id];
        job.begin_erase();
        let &JobFacts { plane, victim, cause, .. } = job.facts();
        if cause == Cause::Fold {
            self.ftl.end_moves_of_fold(plane);
        }
        if self.needs.superblocks() && cause != Cause::Fold {
            return self.part_relocated(victim);
        }
        let first = self.geometry.page(victim, 0);
        let erase = self.gc_op(OpKind::Erase, id, first, Lpn::NONE);
        let id = self.ops.insert_of_job(erase);
        self.enqueue(id);
    }

    /// An operation of a job on a page of its victim.
    pub(super) fn gc_op(&self, kind: OpKind, job: JobId, page: Ppn, lpn: Lpn) -> PageOp {
        let &JobFacts { plane, cause, .. } = self.jobs[job].facts();
        let op = PageOp { ppn: page, source: page, job, ..PageOp::new(kind, cause_of(cause), plane, lpn) };
        if self.needs.superblocks() { PageOp { stream: self.ftl.collected_stream(lpn), ..op } } else { op }
    }

    /// A page to be relocated has been read into the controller: program it, if it is still valid.
    pub(crate) fn moved_page_read(&mut self, id: OpId) {
        if !self.ftl.map().is_valid(self.ops[id].source) {
            self.move_dropped(id);
            return;
        }
        if self.needs.unit_pages() > 1 {
            self.unit_page_read(id);
            return;
        }
        if self.needs.lifts() {
            self.page_lifted(id);
            return;
        }
        if self.needs.pages_on_arrival() {
            let PageOp { plane, lpn, source, job, .. } = self.ops[id];
            let cause = self.jobs[job].facts().cause;
            self.ops[id].ppn = self.ftl.take_gc_page(plane, lpn, source, cause);
            if self.ftl.open_ahead(plane, Some(cause)) {
                self.run_gc_triggers();
            }
        }
        self.ops[id].kind = OpKind::Program;
        if self.needs.superblocks() {
            return self.program_in_scope(id);
        }
        self.enqueue(id);
    }

    /// The host overwrote or trimmed a page before it was relocated, which cancels the relocation.
    pub(crate) fn move_dropped(&mut self, id: OpId) {
        let PageOp { job, lpn, kind, slot, plane, stream, role, .. } = self.ops[id];
        self.ops.remove(id);
        if slot.is_some() {
            self.write_back_dropped(job, slot, plane);
            return;
        }
        self.recorder.gc.dropped_moves += 1;
        // Those of a unit are promised pages together.
        let needs_none = match role {
            Role::OfUnit(unit) => self.jobs.units[unit].is_last(),
            _ => true,
        };
        if self.needs.superblocks() && kind != OpKind::Read && needs_none {
            self.ftl.keep_promise(plane, stream);
        }
        if self.needs.lifts() {
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

    /// One move of a job is over; it may have belonged to a step with others. Requests that waited for the page are
    /// offered again, and the job goes on.
    pub(crate) fn move_done(&mut self, job: JobId, lpn: Lpn, role: Role) {
        let step_done = match role {
            Role::OfUnit(unit) => self.unit_is_done(unit),
            _ => true,
        };
        if step_done {
            self.jobs[job].end_step();
        }
        if !self.requests.blocked.is_empty() {
            self.offer_blocked_again(Some(lpn));
        }
        if step_done {
            self.advance_job(job);
        }
    }

    /// The victim is erased: the job is done.
    pub(crate) fn victim_erased(&mut self, id: JobId) {
        let &JobFacts { plane, cause, .. } = self.jobs[id].facts();
        if self.needs.superblocks() && cause != Cause::Fold {
            return self.part_erased(id);
        }
        let job = self.jobs.end(id, self.geometry.channel_of(self.geometry.die_of(plane)));
        let facts = job.facts();
        self.release_kept(plane, id);
        self.ftl.end_collection(facts.victim, facts.cause);
        if self.needs.defers() {
            self.deferring.note_job_end(plane, self.ftl.blocks_above_start(plane));
        }
        // The job's row in the log is the next one until `job_ended`.
        if self.needs.lifts() {
            self.write_back(facts, job.first_lifted(), JobId::NONE);
        }
        if !self.requests.blocked.is_empty() {
            self.offer_blocked_again(None);
        }
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans::note_job(spans, facts, self.events.now());
        }
        let free_blocks = self.ftl.plane(plane).free.len();
        self.recorder.job_ended(facts, self.events.now(), free_blocks);
        // Space first, wear second.
        let may_level = cause != Cause::Fold && !self.ftl.collection_is_urgent(plane);
        let coldest = if may_level { self.ftl.wear_victim(plane) } else { None };
        if let Some(coldest) = coldest {
            self.begin_job(plane, coldest, Cause::Wear, false);
        } else {
            self.consider_collecting(plane, facts.cause != Cause::Fold);
        }
        let fold = facts.cause == Cause::Fold;
        if !self.recorder.measuring.has_begun() && !fold && self.round_is_over(plane) {
            self.first_round_ended(plane);
        }
        self.admit_parked();
        self.consider_held_back();
    }

    /// Whether a plane of which a job has just ended is done with collecting for now.
    pub(super) fn round_is_over(&self, plane: PlaneId) -> bool {
        self.ftl.plane(plane).jobs == 0 && !self.jobs.held_back.contains(plane)
    }
}

// Pages that are lifted into the collector's buffer, and their way back to flash: after the erase, or batch by batch.
impl<const PLAIN: bool> Drive<PLAIN> {
    /// A valid page of a victim has been read into the buffer, where it stays until the victim is erased, or its batch
    /// is complete.
    pub(super) fn page_lifted(&mut self, id: OpId) {
        let PageOp { job, lpn, source, .. } = self.ops[id];
        if let Some(slot) = self.ftl.lift(source) {
            self.jobs.note_lifted(job, slot);
        }
        self.ops.remove(id);
        self.move_done(job, lpn, Role::Plain);
    }

    /// What is in the buffer from a page on is written back: because the victim of a job is erased, or, where
    /// `lifts_more` is a job, because a batch of that is complete. Starts must not be gathered already.
    pub(super) fn write_back(&mut self, job: &JobFacts, mut slot: SlotId, lifts_more: JobId) {
        if !slot.is_some() {
            return;
        }
        self.ftl.begin_batch();
        self.gather_starts();
        let row = if lifts_more.is_some() { None } else { self.recorder.next_job_row() };
        while slot.is_some() {
            let next = self.jobs.next_lifted(slot);
            if let Some(plane) =
                self.ftl.send_back(slot, job.plane, self.dies.pending_per_die(), lifts_more.is_some())
            {
                let lpn = self.ftl.map().slot(slot).lpn;
                let op = PageOp {
                    slot,
                    job: lifts_more,
                    ..PageOp::new(OpKind::Program, cause_of(job.cause), plane, lpn)
                };
                let id = self.ops.insert(op);
                if self.needs.holds_circuits() {
                    self.write_backs.one_more(self.geometry.chip_of(self.geometry.die_of(plane)));
                }
                if lifts_more.is_some() {
                    self.jobs[lifts_more].begin_write_back();
                } else if let Some(row) = row {
                    self.write_backs.note_row(slot, row);
                }
                self.enqueue(id);
            }
            slot = next;
        }
        self.start_gathered();
    }

    /// Whether a job must wait before it lifts more, because its batch is complete. That is written back, if the victim
    /// has more, as soon as all of it is lifted.
    #[cold]
    pub(super) fn batch_waits(&mut self, id: JobId) -> bool {
        let job = &mut self.jobs[id];
        debug_assert!(!job.writes_back(), "a job goes on when the last page of its batch is in flash");
        let (facts, batch) = (*job.facts(), job.batch());
        let end = self.geometry.page(facts.victim, 0).0 + self.geometry.pages_per_block;
        if batch.taken < batch.pages || self.ftl.map().next_valid(job.cursor(), end).is_none() {
            return false;
        }
        if job.outstanding() > 0 {
            return true;
        }
        let first = job.end_batch();
        self.write_back(&facts, first, id);
        self.jobs[id].writes_back()
    }

    /// A lifted page leaves the queue of its plane, to be programmed or because nobody wants it any more. With the last
    /// one for a chip, a circuit that was held for them is free, and who waits for it is woken.
    pub(super) fn write_back_leaves_queue(&mut self, plane: PlaneId) {
        if !self.needs.holds_circuits() {
            return;
        }
        let die = self.geometry.die_of(plane);
        if self.write_backs.one_less(self.geometry.chip_of(die))
            && let Some(keeping) = self.interconnect.keeping()
            && keeping.end_hold(self.events.now(), die)
        {
            self.channel_released(die, self.events.now());
        }
    }

    /// The host has replaced a lifted page whose write-back was queued.
    pub(super) fn write_back_dropped(&mut self, job: JobId, slot: SlotId, plane: PlaneId) {
        self.ftl.cancel_owed(slot, plane, job.is_some());
        self.write_back_leaves_queue(plane);
        self.write_back_ends(job);
    }

    /// A lifted page is in flash again.
    #[cold]
    pub(super) fn written_back(&mut self, id: OpId) {
        let PageOp { ppn, slot, job, .. } = self.ops[id];
        self.ops.remove(id);
        if let Some(row) = self.write_backs.row(slot).filter(|_| !job.is_some()) {
            self.recorder.written_back(row, self.events.now());
        }
        self.ftl.commit_lifted(ppn, slot, job.is_some());
        self.write_back_ends(job);
    }

    /// A job under way can lift more, if that was the last page of its batch.
    fn write_back_ends(&mut self, job: JobId) {
        if job.is_some() && self.jobs[job].end_write_back() {
            self.advance_job(job);
        }
    }
}

// Collection of superblocks: a job for each part, which begin together, and whose blocks are erased together.

impl<const PLAIN: bool> Drive<PLAIN> {
    /// A superblock of a plane's scope is collected, if anything can be won there. Tells whether it is.
    #[cold]
    pub(super) fn collect_superblock(&mut self, plane: PlaneId, emergency: bool) -> bool {
        let Some(superblock) = self.ftl.begin_superblock(plane) else { return false };
        self.begin_jobs(superblock, Cause::Gc, emergency);
        true
    }

    /// A job begins on each part of a superblock that was taken.
    fn begin_jobs(&mut self, superblock: BlockId, cause: Cause, emergency: bool) {
        self.gather_starts();
        for part in self.geometry.parts_of(superblock) {
            self.begin_job(self.geometry.plane_of(part), part, cause, emergency);
        }
        self.start_gathered();
    }

    /// A job has nothing left to relocate. With the last one of a superblock, all parts of that are erased: those of
    /// a die are queued before it is offered any, so that they can share a multi-plane operation.
    #[cold]
    pub(super) fn part_relocated(&mut self, part: BlockId) {
        if !self.ftl.part_is_relocated(part) {
            return;
        }
        let mut queued_for = DieId::NONE;
        for part in self.geometry.parts_of(self.geometry.superblock_of(part)) {
            let plane = self.geometry.plane_of(part);
            let die = self.geometry.die_of(plane);
            if queued_for.is_some() && queued_for != die {
                self.offer_or_gather(queued_for);
            }
            let job = self.jobs.of_plane[plane.index()];
            let op = self.gc_op(OpKind::Erase, job, self.geometry.page(part, 0), Lpn::NONE);
            let id = self.ops.insert(op);
            self.queue_alone(id, die);
            queued_for = die;
        }
        self.offer_or_gather(queued_for);
    }

    /// A page that has been read to be relocated is programmed in a plane of its scope.
    ///
    /// That can be a plane of a die that has nothing else to do. Such a die is offered the program once: it must not
    /// ask for the channel, be refused, and ask again at once, since a network may answer otherwise to whoever it
    /// turned away.
    #[cold]
    pub(super) fn program_in_scope(&mut self, id: OpId) {
        let op = &mut self.ops[id];
        (op.plane, op.stream) = self.ftl.promise_collected(op.plane, op.stream, gc_cause(op));
        let plane = op.plane;
        let die = self.geometry.die_of(plane);
        self.queue_alone(id, die);
        self.offer_or_gather(die);
    }

    /// An operation joins the queue of its plane; its die is offered it later.
    fn queue_alone(&mut self, id: OpId, die: DieId) {
        let (now, sequence) = (self.events.now(), self.queues.next_sequence());
        self.dies.one_more_pending(die);
        let op = &mut self.ops[id];
        (op.sequence, op.since) = (sequence, now);
        let (plane, class) = (op.plane, class_of(op));
        self.queues.push(plane, class, id, &mut self.ops);
    }

    /// A part of a victim is erased: its job is done. With the last one the superblock is free, and it is asked whether
    /// to collect another.
    #[cold]
    pub(super) fn part_erased(&mut self, id: JobId) {
        let plane = self.jobs[id].facts().plane;
        let job = self.jobs.end(id, self.geometry.channel_of(self.geometry.die_of(plane)));
        let facts = job.facts();
        let is_free = self.ftl.part_is_erased(facts.victim, facts.cause);
        if !self.requests.blocked.is_empty() {
            self.offer_blocked_again(None);
        }
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans::note_job(spans, facts, self.events.now());
        }
        self.recorder.job_ended(facts, self.events.now(), self.ftl.plane(plane).free.len());
        if !is_free {
            return;
        }
        let coldest =
            if self.ftl.collection_is_urgent(plane) { None } else { self.ftl.worn_superblock(plane) };
        if let Some(coldest) = coldest {
            self.begin_jobs(coldest, Cause::Wear, false);
        } else {
            self.consider_collecting(plane, true);
        }
        for plane in self.geometry.scope_of(plane) {
            if !self.recorder.measuring.has_begun() && self.round_is_over(plane) {
                self.first_round_ended(plane);
            }
        }
        self.admit_parked();
        self.consider_held_back();
    }
}
