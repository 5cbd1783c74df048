//! What would be lost if a chip were, or the power: tried on what pages of flash hold, at any moment of an audited run.

use crate::ftl::Ftl;
use crate::ids::{ChipId, Lpn, Ppn};
use crate::mapping::Place;

/// What was found at some moments of a run. Everything is of the version of each page that is in force: of a stripe
/// that is being written the old one, until all of the new one has been programmed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Number of moments at which every chip was lost, each by itself.
    pub moments: u64,
    /// Number of pages that were rebuilt bit by bit from the rest of their stripe.
    pub rebuilt_pages: u64,
    /// Number of pages that were not: more of the stripe was lost with the chip, or the rest sums to something else.
    pub lost_pages: u64,
    /// Number of stripes that were being written at these moments.
    pub stripes_under_way: u64,
    /// Number of stripes whose pages in flash are not all there, or do not sum to nothing: holes after a power cut.
    pub holes: u64,
}

impl Losses {
    /// Lose every chip of an audited drive with stripes, each by itself; and its power.
    pub(crate) fn try_all(&mut self, ftl: &Ftl) {
        let Some(stripes) = &ftl.geometry().stripes else { return };
        self.moments += 1;
        let mut pages = Vec::with_capacity(stripes.chips as usize);
        for stripe in 0..stripes.count() {
            pages.clear();
            let mut is_under_way = false;
            for lpn in stripes.members(stripe) {
                let (copy, is_buffered) = in_force(ftl, lpn);
                is_under_way |= is_buffered;
                pages.extend(copy.map(|ppn| (chip(ftl, ppn), ftl.content(ppn))));
            }
            let sum = pages.iter().fold(0, |sum, (_, content)| sum ^ content);
            self.stripes_under_way += u64::from(is_under_way);
            self.holes += u64::from(sum != 0);
            for (chip, content) in &pages {
                let rest = pages.iter().filter(|(other, _)| other != chip);
                let lost_with_it = pages.iter().filter(|(other, _)| other == chip).count();
                let rebuilt = rest.fold(0, |sum, (_, content)| sum ^ content);
                if lost_with_it == 1 && rebuilt == *content {
                    self.rebuilt_pages += 1;
                } else {
                    self.lost_pages += 1;
                }
            }
        }
    }
}

/// The flash page with the version of a page that is in force, and whether a newer one is in the buffer.
fn in_force(ftl: &Ftl, lpn: Lpn) -> (Option<Ppn>, bool) {
    match ftl.map().place(lpn) {
        Place::Nowhere | Place::Lost => (None, false),
        Place::Flash(ppn) => (Some(ppn), false),
        Place::Buffer(slot) => (ftl.map().old_copy(slot), true),
    }
}

fn chip(ftl: &Ftl, ppn: Ppn) -> Option<ChipId> {
    let geometry = ftl.geometry();
    let plane = geometry.plane_of(geometry.block_of(ppn));
    geometry.stripes.as_ref().map(|stripes| stripes.chip_of_plane(plane))
}
