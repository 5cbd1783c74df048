//! What a plane can take before it is collected, and pages that live in another plane than their home.

use super::state::Ftl;
use crate::ids::{Lpn, PlaneId, Ppn};

impl Ftl {
    /// Number of pages that wait to be programmed in a plane, and have no page yet.
    pub fn waiting_pages(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].reserved_pages
    }

    /// Number of pages that can be programmed for the host before the plane's free blocks are down to where collection
    /// starts; the one that takes the last such block is among them.
    pub fn writable_pages(&self, plane: PlaneId) -> u32 {
        let state = &self.planes[plane.index()];
        let above = self.blocks_above_start(plane);
        if above == 0 {
            return 0;
        }
        self.left(state.host_frontier) + (above - 1) * self.geometry.pages_per_block + 1
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
