//! What is fetched before it is needed. The mapping tables of a large drive are far larger than any cache, so every
//! host write and every relocated page would wait for memory a few times. Which pages come next is known a little
//! ahead, though.

use super::state::Ftl;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::Place;
use crate::prefetch::prefetch;

/// Pages whose entries are prefetched together: about as many places as a processor can wait for at a time.
pub(super) const PREFETCH_BATCH: usize = 16;

impl Ftl {
    /// An operation of a plane will begin or end soon.
    #[inline]
    pub(crate) fn prefetch_plane(&self, plane: PlaneId) {
        prefetch(&self.planes, plane.index());
    }

    /// A page will be read or written soon, and [`Self::prefetch_replaced`] or [`Self::prefetch_read`] follows before.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: Lpn) {
        self.map.prefetch(lpn);
    }

    /// A page, whose entry has been fetched, will be read.
    #[inline]
    pub(crate) fn prefetch_read(&self, lpn: Lpn) {
        if let Place::Flash(ppn) = self.map.place(lpn) {
            self.map.prefetch_valid(ppn);
            self.map.prefetch_owner(ppn);
        }
    }

    /// A page, whose entry has been fetched, will be written: what it replaces becomes invalid. Once what that touches
    /// `is_here`, what it points to follows.
    #[inline]
    pub(crate) fn prefetch_replaced(&self, lpn: Lpn, is_here: bool) {
        if let Place::Flash(ppn) = self.map.place(lpn) {
            let block = self.geometry.block_of(ppn);
            if !is_here {
                self.map.prefetch_valid(ppn);
                self.blocks.prefetch(block);
            }
            self.policies.victim.prefetch(block, is_here, &block_view!(self));
        }
    }

    /// A page is being programmed that was relocated: its entry changes when that ends.
    #[inline]
    pub(crate) fn prefetch_relocated(&self, lpn: Lpn) {
        self.map.prefetch(lpn);
    }

    /// A page to be relocated is about to arrive, and whether it is still wanted will be asked.
    #[inline]
    pub(crate) fn prefetch_source(&self, page: Ppn) {
        self.map.prefetch_valid(page);
    }

    /// The valid pages of a block among the `PREFETCH_BATCH` from `from` on will be relocated soon.
    #[inline]
    pub fn prefetch_relocations(&self, block: BlockId, from: Ppn) {
        let end = self.geometry.page(block, 0).0 + self.geometry.pages_per_block;
        self.map.prefetch_relocations(from, end.min(from.0 + PREFETCH_BATCH as u32));
    }
}
