//! Opening blocks, and what may be taken of a plane.

use super::state::Ftl;
use crate::ids::{BlockId, PlaneId};
use crate::mapping::{BlockState, Cause, SpaceAccounting};

impl Ftl {
    pub(super) fn accounting(&self) -> SpaceAccounting<'_> {
        accounting!(self)
    }

    /// Pages left in a frontier block.
    #[inline]
    pub(super) fn left(&self, frontier: BlockId) -> u32 {
        self.blocks.left(frontier, self.geometry.pages_per_block)
    }

    /// Erased pages of a plane: of its free blocks, and behind what is written of open ones.
    pub fn erased_pages(&self, plane: PlaneId) -> u64 {
        self.accounting().erased_pages(plane)
    }

    /// Whether the host may take a page of this plane now.
    #[inline]
    pub fn host_can_take(&self, plane: PlaneId) -> bool {
        if self.counts_room {
            return self.has_host_page(plane);
        }
        let state = &self.planes[plane.index()];
        // A block for each job under way: it has less than a block to move.
        self.left(state.host_frontier) > 0 || state.free.len() > self.policies.host_stop.max(state.jobs)
    }

    /// Whether the plane has a page for one more host write than those that have reserved one.
    pub fn has_unreserved_page(&self, plane: PlaneId) -> bool {
        self.accounting().room(plane) > i64::from(self.planes[plane.index()].reserved_pages)
    }

    #[cold]
    fn has_host_page(&self, plane: PlaneId) -> bool {
        self.accounting().room(plane) > 0
    }

    #[inline]
    pub(super) fn open_block(&mut self, plane: PlaneId) -> Option<BlockId> {
        let state = &mut self.planes[plane.index()];
        let block = state.free.pop()?;
        self.opened(plane, block);
        Some(block)
    }

    /// Opens a block for collected pages. Static wear levelling writes data that does not change to the most-worn
    /// free block.
    pub(super) fn open_gc_block(&mut self, plane: PlaneId, cause: Cause) -> BlockId {
        let state = &mut self.planes[plane.index()];
        let blocks = &self.blocks;
        let block = match cause {
            Cause::Gc | Cause::Fold => state.free.pop(),
            Cause::Wear => state.free.pop_most_erased(|block| blocks.erases(block)),
        };
        let block = block.unwrap_or_else(|| panic!("{plane:?} has no block left for collected pages"));
        self.opened(plane, block);
        block
    }

    pub(super) fn opened(&mut self, plane: PlaneId, block: BlockId) {
        self.blocks.set_state(block, BlockState::Open);
        self.free_blocks -= 1;
        let state = &mut self.planes[plane.index()];
        state.low_water = state.low_water.min(state.free.len());
        match self.policies.asks_all_at {
            Some(level) if self.free_blocks <= level => self.signal_all_from(plane),
            _ => self.signals.push(plane),
        }
        self.note_free(plane);
    }
}
