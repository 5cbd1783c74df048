//! Padding in a warm-up that plays the trace: a timed run would not wait for ever for the other pages of a unit.

use super::host_units::HostUnits;
use super::state::Ftl;
use crate::ids::{PlaneId, Ppn};
use crate::time::Nanos;

impl Ftl {
    /// From now on, or not any more, units of the host are padded once they have waited so long.
    pub fn pad_by_arrival(&mut self, flush_after: Option<Nanos>) {
        let planes = self.geometry.planes();
        self.host_units = flush_after.map(|flush_after| Box::new(HostUnits::new(flush_after, planes)));
    }

    /// A request arrives: units that would have been programmed by now without their other pages are padded, in the
    /// order in which they were begun.
    pub fn arrives(&mut self, now_ns: u64) {
        let Some(units) = &mut self.host_units else { return };
        units.arrives(now_ns);
        while let Some(plane) = self.host_units.as_mut().and_then(|units| units.next_due()) {
            self.finish_host_unit(plane);
        }
    }

    /// A play of the trace has ended: nothing more arrives, so that all units are padded.
    pub fn arrivals_end(&mut self) {
        if let Some(units) = &mut self.host_units {
            units.forget();
            self.finish_host_units();
        }
    }

    /// Notes a unit that begins with the page.
    #[inline]
    pub(super) fn host_has_taken(&mut self, plane: PlaneId, page: Ppn) {
        if let Some(units) = &mut self.host_units
            && self.geometry.page_in_block(page).is_multiple_of(self.geometry.unit_pages)
        {
            units.begin(plane);
        }
    }
}
