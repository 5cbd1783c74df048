//! Requests whose pages are looked up, stripes whose pages are added up, and pages that pass the controller's buffer
//! memory, in time.

use reclaim_trace::Op;

use super::drive::Drive;
use super::ops::OpKind;
use crate::host::{AddressMapper, RemapError};
use crate::ids::{JoinId, OpId, RequestId};

impl Drive {
    /// Pages of a request are looked up, if that takes time. Tells whether it does.
    pub(super) fn begin_lookup(&mut self, id: RequestId) -> bool {
        self.requests[id].op != Op::Flush && self.delays.lookups.begin(id, &mut self.events)
    }

    /// The pages of a request have been looked up.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(super) fn looked_up(&mut self, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        match self.delays.lookups.end(&mut self.events) {
            Some(id) => self.split(id, mapper),
            None => Ok(()),
        }
    }

    /// What a stripe was read for is added up, if that takes time. Tells whether it does.
    pub(super) fn begin_sum(&mut self, id: JoinId) -> bool {
        let begun = self.delays.sums.begin(id, &mut self.events);
        if begun {
            self.joins[id].spent.charge_queue(self.delays.sums.takes);
        }
        begun
    }

    /// Pages of a stripe have been added up.
    pub(super) fn summed_up(&mut self) {
        if let Some(id) = self.delays.sums.end(&mut self.events) {
            self.join_is_summed(id);
        }
    }

    /// A page that was read for the host, or that it writes, begins to pass the buffer memory, if that takes time off
    /// the channel. Tells whether it does.
    #[inline]
    pub(super) fn begin_passage(&mut self, id: OpId) -> bool {
        self.delays.passages.begin(id, &mut self.events)
    }

    /// Pages have passed the memory: reads are answered, writes sent to their planes together.
    pub(super) fn passages_end(&mut self) {
        let now = self.events.now();
        self.defer_starts();
        while let Some(id) = self.delays.passages.take_due(now) {
            let op = &mut self.ops[id];
            if op.kind == OpKind::Read {
                op.spent.charge_transfer(self.delays.passages.takes);
                self.part_done(id);
                continue;
            }
            op.waits_for -= 1;
            if op.waits_for == 0 {
                // The read of the rest may have taken the first part of this time.
                op.spent.charge_transfer(now.since(op.since));
                self.place_write(id);
            }
        }
        self.delays.passages.go_on(&mut self.events);
        self.start_deferred();
    }
}
