//! Pages of writes enter the controller's write buffer, or wait in line for room in it.

use super::drive::Drive;
use super::ops::PageOp;
use crate::host::OfferedPage;
use crate::ids::{OpId, RequestId};
use crate::settings::{Acknowledge, AssignPages};

impl Drive {
    /// A page of a write reaches the buffer: it is admitted, or waits in line.
    #[inline]
    pub(super) fn offer_page(&mut self, page: OfferedPage) {
        let in_use = self.ftl.map().host_slots();
        if self.write_buffer.line_is_empty() && self.write_buffer.has_room(in_use) {
            self.write_page(page);
        } else {
            self.wait_for_room(page);
        }
    }

    #[cold]
    fn wait_for_room(&mut self, page: OfferedPage) {
        self.write_buffer.counted.waits += 1;
        let now = self.events.now();
        self.write_buffer.line.push_back((page, now));
    }

    /// Pages have left the buffer: those that have waited longest are admitted, one by one, each as if it arrived now.
    pub(crate) fn admit_waiting_pages(&mut self) {
        let now = self.events.now();
        while self.write_buffer.has_room(self.ftl.map().host_slots()) {
            let Some((mut page, since)) = self.write_buffer.line.pop_front() else { return };
            let waited = now.since(since);
            page.spent.charge_queue(waited);
            let counted = self.measured_part(waited);
            self.write_buffer.counted.wait_ns += counted.0;
            let together = self.config.ftl.assign_pages == AssignPages::OnArrival;
            if together {
                self.defer_starts();
            }
            if !self.block_page(page, true) {
                self.write_page(page);
            }
            if together {
                self.start_deferred();
            }
        }
    }

    /// A page of a write has a plane: where that is asked for, it is done as far as the host is concerned, before its
    /// program.
    #[inline]
    pub(super) fn acknowledge(&mut self, id: OpId) {
        if self.config.controller.acknowledge == Acknowledge::Staged {
            let PageOp { request, spent, .. } = self.ops[id];
            self.ops[id].request = RequestId::NONE;
            self.release_part(request, &spent);
        }
    }
}
