//! A lost chip as a change of state: its pages are lost, its blocks erased, and one page after the other comes back.

use super::state::Ftl;
use crate::ids::{BlockId, ChipId, Lpn, PlaneId, SlotId};
use crate::mapping::{BlockState, Place};
use crate::redundancy::{Rebuild, RebuildEvent};

impl Ftl {
    /// The chip to be rebuilt, if one is.
    pub fn rebuild(&self) -> Option<Rebuild> {
        self.policies.redundancy.rebuild()
    }

    /// Something has happened to the rebuild that the policy may count.
    pub fn note_rebuild(&mut self, event: RebuildEvent) {
        self.policies.redundancy.note_rebuild(event);
    }

    /// Lose a chip of a drive at rest, and put an erased one in its place. Returns the pages lost, by stripe.
    pub(crate) fn lose_chip(&mut self, chip: ChipId) -> Vec<Lpn> {
        let stripes = self.geometry.stripes.clone().expect("asked only where there are stripes");
        let mut lost = Vec::new();
        for plane in stripes.planes_of_chip(chip) {
            let first = self.geometry.first_block(plane).0;
            for block in (first..first + self.geometry.blocks_per_plane).map(BlockId) {
                self.lose_block(plane, block, &mut lost);
            }
        }
        lost.sort_unstable_by_key(|lpn| stripes.stripe_of(*lpn));
        lost
    }

    fn lose_block(&mut self, plane: PlaneId, block: BlockId, lost: &mut Vec<Lpn>) {
        if matches!(self.blocks.state(block), BlockState::Free | BlockState::Failed) {
            return;
        }
        let first = self.geometry.page(block, 0);
        let end = first.0 + self.geometry.pages_per_block;
        let mut from = first;
        while let Some(page) = self.map.next_valid(from, end) {
            let lpn = self.map.owner(page);
            self.note_leaving(lpn, page);
            self.map.lose(lpn);
            self.invalidate(page);
            lost.push(lpn);
            from.0 = page.0 + 1;
        }
        if self.blocks.state(block) == BlockState::Sealed {
            // As a victim that has nothing left to move.
            self.remove_from_circulation(block);
            self.planes[plane.index()].jobs -= 1;
            self.planes[plane.index()].victim = BlockId::NONE;
        } else {
            self.points.leave(plane, block);
        }
        self.tally.note_gone(self.blocks.allocated(block));
        self.blocks.erase(block);
        let state = &mut self.planes[plane.index()];
        state.free.push(block, self.blocks.erases(block));
        state.erases += 1;
        self.free_blocks += 1;
        self.note_free(plane);
        self.note_erased(block);
    }

    /// Whether a page is in flash, or would be if its chip had not been lost.
    pub(crate) fn is_there(&self, lpn: Lpn) -> bool {
        matches!(self.map.place(lpn), Place::Flash(_) | Place::Lost)
    }

    /// Whether a page was lost with its chip, and is not there again.
    #[inline]
    pub(crate) fn is_lost(&self, lpn: Lpn) -> bool {
        self.map.place(lpn) == Place::Lost
    }

    /// A lost page is known again: it is in the buffer, as it was before.
    ///
    /// # Errors
    /// When the audit knows that it was something else.
    pub(crate) fn accept_rebuilt(&mut self, lpn: Lpn, content: u64) -> Result<SlotId, String> {
        let slot = self.map.buffer_beside(lpn);
        let is_data = self.geometry.stripes.as_ref().is_some_and(|stripes| !stripes.is_parity(lpn));
        let Some(versions) = &mut self.versions else { return Ok(slot) };
        versions.rebuilt(lpn, slot, content);
        if is_data && !versions.is_newest(lpn, content) {
            return Err(format!("{lpn:?} was lost, and something else was rebuilt: {content:#018x}"));
        }
        Ok(slot)
    }
}
