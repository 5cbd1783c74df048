//! Which flash pages a buffered page of a stripe stands for.

use crate::ids::Ppn;

/// Flash pages of a page of a stripe that is in the buffer; each is valid while it is named here.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlotCopies {
    /// Where the version before is; [`Ppn::NONE`] without one.
    pub(super) old: Ppn,
    /// Where this version was programmed; [`Ppn::NONE`] before that.
    pub(super) new: Ppn,
}

impl SlotCopies {
    pub(super) const NEITHER: Self = Self { old: Ppn::NONE, new: Ppn::NONE };

    /// Collection has relocated one of the two.
    pub(super) fn relocate(&mut self, from: Ppn, to: Ppn) {
        let copy = if self.old == from { &mut self.old } else { &mut self.new };
        debug_assert_eq!(*copy, from);
        *copy = to;
    }
}
