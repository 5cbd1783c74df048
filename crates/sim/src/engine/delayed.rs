//! Requests whose pages are looked up, and stripes whose pages are added up, in time.

use reclaim_trace::Op;

use super::drive::Drive;
use crate::host::{AddressMapper, RemapError};
use crate::ids::{JoinId, RequestId};

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
}
