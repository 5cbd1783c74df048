//! Pages that collection lifts into the controller's buffer, and their way back to flash after the erase.

use super::drive::Drive;
use super::ops::{OpCause, OpKind, PageOp};
use crate::gc::Job;
use crate::ids::{JobId, OpId, Ppn, RequestId};
use crate::latency::LatencyAccount;
use crate::mapping::Cause;
use crate::time::{Nanos, SimTime};

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
                let op = PageOp {
                    kind: OpKind::Program,
                    cause: if job.cause == Cause::Wear { OpCause::Wear } else { OpCause::Gc },
                    waits_for: 0,
                    unit_left: 0,
                    plane,
                    lpn: self.ftl.map().slot(slot).lpn,
                    ppn: Ppn::NONE,
                    source: Ppn::NONE,
                    slot,
                    request: RequestId::NONE,
                    job: JobId::NONE,
                    successor: OpId::NONE,
                    next: OpId::NONE,
                    bytes: u32::MAX,
                    version: 0,
                    sequence: 0,
                    since: SimTime::ZERO,
                    gc_mark: Nanos(0),
                    spent: LatencyAccount::default(),
                };
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
    pub(super) fn written_back(&mut self, id: OpId) {
        let PageOp { ppn, slot, .. } = self.ops[id];
        self.ops.remove(id);
        self.ftl.commit_lifted(ppn, slot);
        self.buffer_drained = true;
    }
}
