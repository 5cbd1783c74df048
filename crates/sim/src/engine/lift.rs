//! Pages that collection lifts into the controller's buffer, and their way back to flash after the erase.

use super::drive::Drive;
use super::ops::{OpKind, PageOp, cause_of};
use crate::gc::Job;
use crate::ids::OpId;

impl Drive {
    /// A valid page of a victim has been read into the buffer, where it stays until the victim is erased.
    pub(super) fn page_lifted(&mut self, id: OpId) {
        let PageOp { job, lpn, source, .. } = self.ops[id];
        match self.ftl.lift(source) {
            Some(slot) => self.jobs.note_lifted(job, slot),
            None => self.buffer_drained = true,
        }
        self.ops.remove(id);
        self.move_done(job, lpn, OpId::NONE);
    }

    /// The victim of a job is erased: the pages that it held are written back.
    pub(super) fn write_back(&mut self, job: &Job) {
        let mut slot = job.lifted;
        if !slot.is_some() {
            return;
        }
        self.defer_starts();
        while slot.is_some() {
            let next = self.jobs.next_lifted[slot.index()];
            if let Some(plane) = self.ftl.send_back(slot, job.plane, &self.pending) {
                let lpn = self.ftl.map().slot(slot).lpn;
                let op = PageOp { slot, ..PageOp::new(OpKind::Program, cause_of(job.cause), plane, lpn) };
                let id = self.ops.insert(op);
                self.enqueue(id);
            } else {
                self.buffer_drained = true;
            }
            slot = next;
        }
        self.start_deferred();
    }

    /// A lifted page is in flash again.
    #[cold]
    pub(super) fn written_back(&mut self, id: OpId) {
        let PageOp { ppn, slot, .. } = self.ops[id];
        self.ops.remove(id);
        self.ftl.commit_lifted(ppn, slot);
        self.buffer_drained = true;
    }
}
