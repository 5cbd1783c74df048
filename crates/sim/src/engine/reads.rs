//! Reads of the host, and of what a partial write does not cover: where they go, and what follows when they are done.

use super::drive::Drive;
use crate::engine::{OpKind, Role};
use crate::host::OfferedPage;
use crate::ids::OpId;
use crate::mapping::Place;

impl Drive {
    pub(super) fn read_page(&mut self, page: OfferedPage) {
        let mut op = self.host_op(OpKind::Read, page.request, page.lpn, page.bytes);
        op.spent = page.spent;
        let id = self.ops.insert(op);
        self.route_read(id);
    }

    /// Send a read to where its page is now; answer it at once when that is not the flash.
    pub(crate) fn route_read(&mut self, id: OpId) {
        let lpn = self.ops[id].lpn;
        if self.needs.striped && self.rebuild_page(id) {
            return;
        }
        if let Some(ppn) = self.ftl.map().flash_copy(lpn) {
            let plane = self.geometry.plane_of(self.geometry.block_of(ppn));
            let version = self.ftl.versions().map_or(0, |v| v.in_flash(ppn));
            let op = &mut self.ops[id];
            op.ppn = ppn;
            op.plane = plane;
            op.version = op.version.max(version);
            self.enqueue(id);
            return;
        }
        let nowhere = self.ftl.map().place(lpn) == Place::Nowhere;
        if nowhere && self.ftl.versions().is_some_and(|versions| versions.is_live(lpn)) {
            self.recorder.fault(format!("{lpn:?} was written, but a read finds it nowhere"));
        }
        // The read before a partial write may find that a newer write has made it unnecessary: that is no host read.
        if self.ops[id].role == Role::Plain {
            self.recorder.flash.unmapped_reads += u64::from(nowhere);
            self.recorder.flash.buffer_hits += u64::from(!nowhere);
        }
        self.host_read_done(id);
    }

    /// A host read is answered: the request's part is done, or the write that waited for it can go.
    pub(crate) fn host_read_done(&mut self, id: OpId) {
        match self.ops[id].role {
            Role::RestOf(program) => self.rest_read(id, program),
            Role::OfStripe(join) => self.stripe_page_read(id, join),
            Role::Plain | Role::OfUnit(_) => self.part_done(id),
        }
    }

    /// What a partial write does not cover has been read: it can go, unless its data is still on its way.
    fn rest_read(&mut self, id: OpId, program: OpId) {
        let spent = self.ops[id].spent;
        self.ops.remove(id);
        let now = self.events.now();
        let write = &mut self.ops[program];
        write.spent.charge_all_of(&spent);
        write.since = now;
        write.waits_for -= 1;
        let complete = write.waits_for == 0;
        self.ftl.drop_backing(write.slot);
        if complete {
            self.place_write(program);
        }
    }

    /// Audits a read: it returned the page it was sent for, in a version not older than when it was sent.
    #[inline]
    pub(crate) fn check_read(&mut self, id: OpId) {
        if self.ftl.versions().is_some() {
            self.check_version(id);
        }
    }

    fn check_version(&mut self, id: OpId) {
        let op = &self.ops[id];
        if let Role::RestOf(program) = op.role {
            self.ftl.note_rest_read(self.ops[program].slot);
        }
        let Some(versions) = self.ftl.versions() else { return };
        let (found, owner) = (versions.in_flash(op.ppn), self.ftl.map().owner(op.ppn));
        if found < op.version || owner != op.lpn {
            self.recorder.fault(format!(
                "a read of {:?} at {:?} found version {found} of {owner:?}, but version {} was there when \
                 it was sent",
                op.lpn, op.ppn, op.version
            ));
        }
    }
}
