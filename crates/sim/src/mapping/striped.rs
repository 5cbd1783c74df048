//! Pages of stripes in the buffer: what they replace stays valid until all of a stripe's pages have been programmed.

use super::copies::SlotCopies;
use super::map::{LOST, Mapping, Place};
use crate::ids::{Lpn, Ppn, SlotId};

impl Mapping {
    /// The newest version of `lpn` is in the buffer; the one before stays valid in flash, if it is there.
    pub(crate) fn buffer_beside(&mut self, lpn: Lpn) -> SlotId {
        let (slot, before) = self.buffer(lpn, Ppn::NONE);
        if self.copies.len() <= slot.index() {
            self.copies.resize(slot.index() + 1, SlotCopies::NEITHER);
        }
        let old = match before {
            Place::Flash(ppn) => ppn,
            Place::Nowhere | Place::Lost => Ppn::NONE,
            Place::Buffer(_) => unreachable!("a stripe is written by one at a time"),
        };
        self.copies[slot.index()] = SlotCopies { old, new: Ppn::NONE };
        slot
    }

    /// The chip of a page in flash is lost; the page itself is still valid there.
    pub(crate) fn lose(&mut self, lpn: Lpn) {
        self.forward.set(lpn.0, LOST);
    }

    /// The buffered page was programmed at `ppn`, and is still to be read from the buffer.
    pub(crate) fn land(&mut self, slot: SlotId, ppn: Ppn) {
        debug_assert!(!self.is_valid(ppn));
        self.copies[slot.index()].new = ppn;
        self.valid.set(ppn.0);
        self.valid_pages += 1;
    }

    /// The stripe is complete: the page is where it was programmed, and its slot is free. Returns the old copy, which
    /// is still valid.
    pub(crate) fn unbuffer_landed(&mut self, slot: SlotId) -> Ppn {
        let SlotCopies { old, new } = std::mem::replace(&mut self.copies[slot.index()], SlotCopies::NEITHER);
        let lpn = self.slot(slot).lpn;
        debug_assert_eq!(self.place(lpn), Place::Buffer(slot));
        self.forward.set(lpn.0, new.0);
        self.free_slots.push(slot);
        old
    }

    /// The flash page that a page of a stripe in the buffer replaces, if there is one.
    pub(crate) fn old_copy(&self, slot: SlotId) -> Option<Ppn> {
        self.copies.get(slot.index()).map(|copies| copies.old).filter(|old| old.is_some())
    }

    /// Where the new version of a page of a stripe was programmed, while it is in the buffer.
    pub(crate) fn new_copy(&self, slot: SlotId) -> Option<Ppn> {
        self.copies.get(slot.index()).map(|copies| copies.new).filter(|new| new.is_some())
    }

    /// The flash pages that a page in the buffer still stands for: what a partial write or a stripe keeps.
    pub(crate) fn kept_copies(&self, slot: SlotId) -> impl Iterator<Item = Ppn> {
        let of_stripe =
            self.copies.get(slot.index()).map_or([Ppn::NONE; 2], |copies| [copies.old, copies.new]);
        [self.slot(slot).backing, of_stripe[0], of_stripe[1]].into_iter().filter(|copy| copy.is_some())
    }
}
