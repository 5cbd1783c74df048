//! Collection of a plane: whether it is wanted, which block, and what becomes of it.

use super::state::Ftl;
use crate::gc::trigger::SpaceView;
use crate::ids::{BlockId, PlaneId};
use crate::mapping::{BlockState, Cause};

impl Ftl {
    /// Whether the plane's trigger asks for (more) collection, and another job finds room for what it would move: each
    /// has less than a block.
    #[inline]
    pub fn wants_collection(&self, plane: PlaneId, under_way: bool) -> bool {
        let state = &self.planes[plane.index()];
        if state.jobs > 0 && (state.jobs >= self.jobs_per_plane || state.free.len() <= state.jobs) {
            return false;
        }
        self.trigger.wants(&self.space_view(plane), under_way)
    }

    /// Whether collection of the plane must go before host operations.
    #[inline]
    pub fn collection_is_urgent(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].urgent
    }

    /// The plane's free blocks have changed.
    pub(super) fn note_free(&mut self, plane: PlaneId) {
        let view = self.space_view(plane);
        let urgent = self.trigger.urgent(&view);
        self.planes[plane.index()].urgent = urgent;
    }

    #[inline]
    pub(super) fn space_view(&self, plane: PlaneId) -> SpaceView {
        let state = &self.planes[plane.index()];
        SpaceView { plane, free_blocks: state.free.len(), reclaimable_pages: state.reclaimable }
    }

    /// A plane whose trigger should be asked, because its space changed.
    #[inline]
    pub fn next_signal(&mut self) -> Option<PlaneId> {
        self.signals.pop()
    }

    /// Mark every plane's trigger to be asked: warm-up or a restored state may have left something to collect.
    pub fn signal_all(&mut self) {
        self.signals.clear();
        self.signals.extend((0..self.geometry.planes()).rev().map(PlaneId));
    }

    /// Choose a victim of the plane and take it out of circulation.
    pub fn begin_collection(&mut self, plane: PlaneId) -> Option<BlockId> {
        let chosen = if self.planes[plane.index()].reclaimable == 0 {
            None
        } else {
            let view = block_view!(self);
            self.victim.select(plane, &view, &mut self.victim_stream)
        };
        let Some(block) = chosen else {
            self.planes[plane.index()].starved = true;
            return None;
        };
        self.remove_from_circulation(block);
        self.counters.jobs += 1;
        self.counters.victim_valid_pages += u64::from(self.blocks.valid(block));
        Some(block)
    }

    pub(super) fn remove_from_circulation(&mut self, block: BlockId) {
        assert_eq!(self.blocks.state(block), BlockState::Sealed, "only a sealed block can be a victim");
        self.victim.on_removed(block, &block_view!(self));
        self.blocks.set_state(block, BlockState::Victim);
        let state = &mut self.planes[self.geometry.plane_of(block).index()];
        state.reclaimable -= self.geometry.pages_per_block - self.blocks.valid(block);
        state.jobs += 1;
        state.victim = block;
    }

    /// The emptied victim was erased.
    pub fn end_collection(&mut self, block: BlockId, cause: Cause) {
        self.blocks.erase(block);
        self.erased += u64::from(self.geometry.pages_per_block);
        let state = &mut self.planes[self.geometry.plane_of(block).index()];
        state.free.push(block, self.blocks.erases(block));
        self.free_blocks += 1;
        state.jobs -= 1;
        if state.jobs == 0 {
            state.victim = BlockId::NONE;
        }
        state.erases_since_check += 1;
        self.note_free(self.geometry.plane_of(block));
        match cause {
            Cause::Gc => self.counters.erases += 1,
            Cause::Wear => self.counters.wear_erases += 1,
        }
        if let Some(versions) = &mut self.versions {
            let first = self.geometry.page(block, 0);
            versions.erased(first, self.geometry.pages_per_block);
        }
    }
}
