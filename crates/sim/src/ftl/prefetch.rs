//! What is fetched before it is needed. The mapping tables of a large drive are far larger than any cache, so every
//! host write and every relocated page would wait for memory a few times. Which pages come next is known a little
//! ahead, though.

use super::state::Ftl;
use crate::ids::{Lpn, PlaneId, Ppn};
use crate::mapping::Place;
use crate::prefetch::prefetch;

impl Ftl {
    /// An operation of a plane will begin or end soon.
    #[inline]
    pub(crate) fn prefetch_plane(&self, plane: PlaneId) {
        prefetch(&self.planes, plane.index());
    }

    /// The entry of a page will be needed soon: the page is read or written, and [`Self::prefetch_read`] or
    /// [`Self::prefetch_replaced`] follows before, or the program ends with which it is relocated.
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

    /// A page to be relocated is about to arrive, and whether it is still wanted will be asked.
    #[inline]
    pub(crate) fn prefetch_source(&self, page: Ppn) {
        self.map.prefetch_valid(page);
    }
}
