//! Collection of superblocks: a job for each part, which begin together, and whose blocks are erased together.

use super::drive::Drive;
use super::ops::{OpKind, class_of};
use super::spans;
use crate::ids::{BlockId, DieId, JobId, Lpn, OpId, PlaneId};
use crate::mapping::Cause;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// A superblock of a plane's scope is collected, if anything can be won there.
    #[cold]
    pub(super) fn collect_superblock(&mut self, plane: PlaneId, emergency: bool) {
        let Some(superblock) = self.ftl.begin_superblock(plane) else { return };
        self.gather_starts();
        for part in self.geometry.parts_of(superblock) {
            self.begin_job(self.geometry.plane_of(part), part, Cause::Gc, emergency);
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
        let plane = self.ftl.promise_collected(self.ops[id].plane);
        self.ops[id].plane = plane;
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
        let is_free = self.ftl.part_is_erased(facts.victim);
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
        self.consider_collecting(plane, true);
        for plane in self.geometry.scope_of(plane) {
            if !self.recorder.measuring.has_begun() && self.round_is_over(plane) {
                self.first_round_ended(plane);
            }
        }
        self.admit_parked();
        self.consider_held_back();
    }
}
