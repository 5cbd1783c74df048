//! What a drive has that keeps data of different classes in blocks of their own.

use super::separation::{Relocated, Separation, Terms};
use crate::flash::Geometry;
use crate::ids::Lpn;
use crate::mapping::{Classes, OpenBlocks, PageWrite};

/// What a drive has where classes are kept apart, beside the open blocks of the host.
pub(super) struct Separated {
    /// The class of every page.
    pub(super) classes: Classes,
    /// The open blocks for pages that collection relocates, one for each class, where those are kept apart.
    pub(super) of_gc: Option<OpenBlocks>,
    /// Number of pages of the host, and of collection, that went to the block of another class.
    pub(super) elsewhere: [u64; 2],
}

impl Separated {
    /// Nothing was written, and no block is open.
    pub(super) fn new(policy: &dyn Separation, terms: Terms, geometry: &Geometry) -> Self {
        let of_gc = (terms.relocated == Relocated::ByClass).then(|| OpenBlocks::new(geometry, terms.classes));
        let unwritten = policy.class(&PageWrite::NONE);
        let classes = Classes::new(geometry.stored_pages, unwritten, terms.timed);
        Self { classes, of_gc, elsewhere: [0; 2] }
    }

    /// The host writes a page: it gets its class.
    #[cold]
    pub(super) fn classify(&mut self, policy: &dyn Separation, lpn: Lpn) {
        let write = self.classes.write(lpn);
        self.classes.set(lpn, policy.class(&write));
    }
}
