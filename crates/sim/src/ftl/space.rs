//! Opening blocks, and what may be taken of a plane.

use super::state::Ftl;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, Cause, SpaceAccounting, Stream, UNKNOWN_CLASS};

impl Ftl {
    pub(super) fn accounting(&self) -> SpaceAccounting<'_> {
        accounting!(self)
    }

    /// Pages left in an open block, if it is one.
    #[inline]
    pub(super) fn left(&self, open: BlockId) -> u32 {
        self.blocks.left(open, self.geometry.pages_per_block)
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
        self.left(self.points.open(plane, Stream::HOST)) > 0
            || state.free.len() > self.policies.host_stop.max(state.jobs)
    }

    /// Whether the plane has a page for a host write of `lpn`.
    pub fn has_room_for(&self, plane: PlaneId, lpn: Lpn) -> bool {
        if self.superblocks.is_some() {
            return self.accounting().has_room_of(self.stream_of(lpn), plane);
        }
        self.has_unreserved_page(plane)
    }

    /// Whether the plane has a page for one more host write than those that have reserved one.
    pub fn has_unreserved_page(&self, plane: PlaneId) -> bool {
        self.accounting().room(plane) > i64::from(self.planes[plane.index()].reserved_pages)
    }

    /// Where planes share superblocks, writes are sent only to planes that promise them a page.
    #[cold]
    fn has_host_page(&self, plane: PlaneId) -> bool {
        self.superblocks.is_some() || self.accounting().has_room(plane)
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
        if let Some(separated) = &mut self.separated {
            separated.classes.opened(block, UNKNOWN_CLASS);
        }
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

// What a plane can take before it is collected, and pages that live in another plane than their home.

impl Ftl {
    /// Number of pages that wait to be programmed in a plane, and have no page yet.
    pub fn waiting_pages(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].reserved_pages
    }

    /// Number of pages that can be programmed for the host before the plane's free blocks are down to where collection
    /// starts; the one that takes the last such block is among them.
    pub fn writable_pages(&self, plane: PlaneId) -> u32 {
        let above = self.blocks_above_start(plane);
        if above == 0 {
            return 0;
        }
        self.left(self.points.open(plane, Stream::HOST)) + (above - 1) * self.geometry.pages_per_block + 1
    }

    /// Free blocks of a plane at which its collection starts.
    pub fn start_blocks(&self) -> u32 {
        self.policies.start_blocks
    }

    /// Free blocks of a plane beyond those at which collection starts.
    pub fn blocks_above_start(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].free.len().saturating_sub(self.policies.start_blocks)
    }

    /// Whether a plane may take a page whose home is another one: all pages whose home it is must fit in beside those,
    /// and one of them twice, or their writes might wait for ever.
    pub fn guest_fits(&self, plane: PlaneId) -> bool {
        let (Some(most), Some(stripes)) = (self.settle_bound, &self.geometry.stripes) else { return false };
        self.guests[plane.index()] + stripes.pages_of_plane() + 2 <= most && self.may_hold(plane)
    }

    /// A page whose home is another plane is on its way to this one.
    pub fn add_guest(&mut self, plane: PlaneId) {
        self.guests[plane.index()] += 1;
    }

    /// Number of pages in a plane, or on their way to it, whose home is another one.
    pub fn guests(&self, plane: PlaneId) -> u32 {
        self.guests[plane.index()]
    }

    /// A page of a stripe at `ppn` is about to be invalid.
    pub(super) fn note_leaving(&mut self, lpn: Lpn, ppn: Ppn) {
        let plane = self.geometry.plane_of(self.geometry.block_of(ppn));
        let home = self.geometry.stripes.as_ref().map(|stripes| stripes.home(lpn));
        if home != Some(plane) {
            self.guests[plane.index()] -= 1;
        }
    }
}
