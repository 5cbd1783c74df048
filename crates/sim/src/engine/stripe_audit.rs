//! What pages of stripes hold, when a run is audited: parity is made of what was read for it, as a controller would.

use super::drive::Drive;
use super::joins::JoinKind;
use crate::ids::{JoinId, Lpn};
use crate::mapping::Place;
use crate::redundancy::ReadBefore;

impl Drive {
    /// Audit: makes the parity of what was read and of what is written, as a controller would.
    pub(super) fn make_parity(&mut self, id: JoinId) {
        let join = &self.joins[id];
        let [written @ .., parity] = join.pages.as_slice() else { unreachable!("a write has its parity") };
        // Nothing comes in place of pages that are trimmed.
        let new = match join.kind {
            JoinKind::Trim => 0,
            _ => written.iter().fold(0, |sum, page| sum ^ self.ftl.slot_content(page.slot)),
        };
        // All but one page of the stripe that is there were read if that one could not be.
        let rebuilt = join.found.iter().fold(0, |sum, (_, content)| sum ^ content);
        let before = |lpn: Lpn| {
            let found = join.found.iter().find(|(page, _)| *page == lpn);
            found.map_or_else(|| if lpn == join.lost { rebuilt } else { 0 }, |(_, content)| *content)
        };
        let sum = match join.read_before {
            ReadBefore::Replaced => {
                written.iter().fold(new ^ before(parity.lpn), |sum, page| sum ^ before(page.lpn))
            }
            ReadBefore::Nothing | ReadBefore::Others => {
                let data = self.stripes().data(join.stripe);
                let others = data.filter(|lpn| !written.iter().any(|page| page.lpn == *lpn));
                others.fold(new, |sum, lpn| sum ^ before(lpn))
            }
        };
        let trimmed = &join.pages[..join.first_written];
        self.ftl.set_parity(parity.slot, sum, |lpn| trimmed.iter().any(|page| page.lpn == lpn));
    }

    /// Audit: the rest of the stripe sums to the page that was rebuilt.
    pub(super) fn check_rebuilt(&mut self, id: JoinId) {
        let join = &self.joins[id];
        let lpn = join.pages[0].lpn;
        let sum = join.found.iter().fold(0, |sum, (_, content)| sum ^ content);
        // It may have been trimmed while the read waited for its stripe.
        let Place::Flash(ppn) = self.ftl.map().place(lpn) else { return };
        if sum != self.ftl.content(ppn) {
            self.recorder.fault(format!("{lpn:?} was rebuilt from its stripe, but holds something else"));
        }
    }
}
