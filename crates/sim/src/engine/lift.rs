//! Pages that collection lifts into the controller's buffer, and their way back to flash: after the erase, or batch by
//! batch.

use super::drive::Drive;
use super::ops::{OpKind, PageOp, Role, cause_of};
use crate::gc::JobFacts;
use crate::ids::{JobId, OpId, PlaneId, SlotId};

impl Drive {
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

    /// The victim of a job is erased, or `under_way` has a batch complete: what it holds in the buffer, from a page on, is
    /// written back.
    pub(super) fn write_back(&mut self, job: &JobFacts, mut slot: SlotId, under_way: JobId) {
        if !slot.is_some() {
            return;
        }
        self.ftl.begin_batch();
        self.defer_starts();
        let row = if under_way.is_some() { None } else { self.recorder.next_job_row() };
        while slot.is_some() {
            let next = self.jobs.next_lifted(slot);
            if let Some(plane) =
                self.ftl.send_back(slot, job.plane, self.dies.pending_per_die(), under_way.is_some())
            {
                let lpn = self.ftl.map().slot(slot).lpn;
                let op = PageOp {
                    slot,
                    job: under_way,
                    ..PageOp::new(OpKind::Program, cause_of(job.cause), plane, lpn)
                };
                let id = self.ops.insert(op);
                if self.needs.holds_circuits {
                    self.write_backs.one_more(self.geometry.chip_of(self.geometry.die_of(plane)));
                }
                if under_way.is_some() {
                    self.jobs[under_way].begin_write_back();
                } else if let Some(row) = row {
                    self.write_backs.note_row(slot, row);
                }
                self.enqueue(id);
            }
            slot = next;
        }
        self.start_deferred();
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

    /// A lifted page leaves the queue of its plane, to be programmed or because nobody wants it any more.
    pub(super) fn write_back_leaves_queue(&mut self, plane: PlaneId) {
        if !self.needs.holds_circuits {
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
