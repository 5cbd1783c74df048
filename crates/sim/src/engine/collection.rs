//! The life of one collection job: choose a victim, relocate its valid pages, erase it, ask the trigger whether to
//! collect another.

use super::drive::Drive;
use crate::engine::{OpCause, OpKind, PageOp};
use crate::ftl::PREFETCH_BATCH;
use crate::gc::Job;
use crate::gc::concurrency::JobsView;
use crate::gc::relocation::Move;
use crate::ids::{BlockId, JobId, Lpn, OpId, PlaneId, Ppn, RequestId, SlotId};
use crate::latency::LatencyAccount;
use crate::mapping::Cause;
use crate::metrics::JobRecord;
use crate::settings::AssignPages;
use crate::time::{Nanos, SimTime};

impl Drive {
    /// Ask the triggers of all planes whose space changed, and start the jobs they want.
    pub(crate) fn run_gc_triggers(&mut self) {
        while let Some(plane) = self.ftl.next_signal() {
            self.consider_collecting(plane, false);
        }
    }

    fn consider_collecting(&mut self, plane: PlaneId, under_way: bool) {
        if !self.ftl.wants_collection(plane, under_way) {
            return;
        }
        if !self.ftl.collection_is_urgent(plane) && !self.may_start(plane) {
            if !self.jobs.deferred.iter().any(|(waiting, _)| *waiting == plane) {
                self.jobs.deferred.push((plane, under_way));
            }
            return;
        }
        if let Some(victim) = self.ftl.begin_collection(plane) {
            self.begin_job(plane, victim, Cause::Gc);
        }
    }

    fn may_start(&mut self, plane: PlaneId) -> bool {
        let free = self.ftl.free_blocks();
        let view = JobsView {
            geometry: &self.geometry,
            jobs_per_channel: &self.jobs.per_channel,
            used_share: 1.0 - f64::from(free) / f64::from(self.geometry.blocks()),
        };
        self.concurrency.may_start(plane, &view)
    }

    fn begin_job(&mut self, plane: PlaneId, victim: BlockId, cause: Cause) {
        let channel = self.geometry.channel_of(self.geometry.die_of(plane));
        self.jobs.per_channel[channel.index()] += 1;
        let job = Job {
            plane,
            victim,
            cause,
            cursor: self.geometry.page(victim, 0),
            prefetched: self.geometry.page(victim, 0),
            outstanding: 0,
            erasing: false,
            started: self.events.now(),
            valid_at_start: self.ftl.blocks().valid(victim),
        };
        let id = if let Some(id) = self.jobs.free.pop() {
            self.jobs[id] = job;
            id
        } else {
            self.jobs.slots.push(job);
            JobId(self.jobs.slots.len() as u32 - 1)
        };
        self.advance_job(id);
    }

    /// Keep as many moves under way as allowed; erase when nothing is left.
    fn advance_job(&mut self, id: JobId) {
        let per_block = self.geometry.pages_per_block;
        loop {
            let job = &mut self.jobs[id];
            if job.erasing || job.outstanding >= self.config.gc.pages_in_flight {
                return;
            }
            let first = self.geometry.page(job.victim, 0);
            let Some(page) = self.ftl.map().next_valid(job.cursor, first.0 + per_block) else {
                if job.outstanding == 0 {
                    job.erasing = true;
                    self.queue_gc(OpKind::Erase, id, first, Lpn::NONE);
                }
                return;
            };
            job.cursor = Ppn(page.0 + 1);
            job.outstanding += 1;
            if page >= job.prefetched {
                job.prefetched = Ppn(page.0 + PREFETCH_BATCH as u32);
                self.ftl.prefetch_relocations(job.victim, page);
            }
            let plane = job.plane;
            let lpn = self.ftl.map().owner(page);
            let kind = match self.relocation.plan(page, plane) {
                Move::Copyback => OpKind::Copyback,
                Move::ThroughController => OpKind::Read,
            };
            self.queue_gc(kind, id, page, lpn);
        }
    }

    fn queue_gc(&mut self, kind: OpKind, job: JobId, page: Ppn, lpn: Lpn) {
        let Job { plane, cause, .. } = self.jobs[job];
        let id = self.ops.insert(PageOp {
            kind,
            cause: if cause == Cause::Wear { OpCause::Wear } else { OpCause::Gc },
            waits_for: 0,
            plane,
            lpn,
            ppn: page,
            source: page,
            slot: SlotId::NONE,
            request: RequestId::NONE,
            job,
            successor: OpId::NONE,
            next: OpId::NONE,
            bytes: u32::MAX,
            version: 0,
            sequence: 0,
            since: SimTime::ZERO,
            gc_mark: Nanos(0),
            spent: LatencyAccount::default(),
        });
        self.enqueue(id);
    }

    /// A page to be relocated has been read into the controller: program it, if it is still valid.
    pub(crate) fn moved_page_read(&mut self, id: OpId) {
        if !self.ftl.map().is_valid(self.ops[id].source) {
            self.move_dropped(id);
            return;
        }
        if self.config.ftl.assign_pages == AssignPages::OnArrival {
            let PageOp { plane, lpn, job, .. } = self.ops[id];
            let cause = self.jobs[job].cause;
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
        let PageOp { job, lpn, .. } = self.ops[id];
        self.ops.remove(id);
        self.recorder.gc.dropped_moves += 1;
        self.move_done(job, lpn);
    }

    /// One move of a job is over.
    pub(crate) fn move_done(&mut self, job: JobId, lpn: Lpn) {
        self.jobs[job].outstanding -= 1;
        if !self.blocked_pages.is_empty() {
            self.release_blocked(Some(lpn));
        }
        self.advance_job(job);
    }

    /// The victim is erased: the job is done.
    pub(crate) fn victim_erased(&mut self, id: JobId) {
        let job = self.jobs[id];
        let Job { plane, cause, .. } = job;
        self.jobs.free.push(id);
        let channel = self.geometry.channel_of(self.geometry.die_of(plane));
        self.jobs.per_channel[channel.index()] -= 1;
        self.ftl.end_collection(job.victim, cause);
        if !self.blocked_pages.is_empty() {
            self.release_blocked(None);
        }
        self.recorder.job_ended(JobRecord {
            start: job.started,
            end: self.events.now(),
            plane,
            victim: job.victim,
            valid_pages: job.valid_at_start,
            free_blocks_after: self.ftl.plane(plane).free.len(),
            cause,
        });
        // Space first, wear second.
        let coldest = if self.ftl.collection_is_urgent(plane) { None } else { self.ftl.wear_victim(plane) };
        if let Some(coldest) = coldest {
            self.begin_job(plane, coldest, Cause::Wear);
        } else {
            self.consider_collecting(plane, true);
        }
        if !self.measuring.has_begun() && self.round_is_over(plane) {
            self.first_round_ended(plane);
        }
        self.admit_parked();
        // Deferred jobs may start now; a plane that still may not is deferred again, behind the others.
        for _ in 0..self.jobs.deferred.len() {
            let (waiting, under_way) = self.jobs.deferred.remove(0);
            self.consider_collecting(waiting, under_way);
        }
    }

    /// Whether a plane of which a job has just ended is done with collecting for now.
    fn round_is_over(&self, plane: PlaneId) -> bool {
        self.ftl.plane(plane).jobs == 0 && !self.jobs.deferred.iter().any(|(waiting, _)| *waiting == plane)
    }

    /// Jobs under way.
    pub(crate) fn jobs_under_way(&self) -> usize {
        self.jobs.slots.len() - self.jobs.free.len()
    }
}
