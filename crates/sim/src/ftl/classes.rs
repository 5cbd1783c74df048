//! Data of different classes in blocks of their own: which block takes a page.

use super::separated::Separated;
use super::state::Ftl;
use crate::ids::{Lpn, PlaneId};
use crate::mapping::{Cause, OpenBlocks};

impl Ftl {
    /// Whether classes of pages are kept apart.
    #[inline]
    pub(crate) fn has_classes(&self) -> bool {
        self.separated.is_some()
    }

    /// Pages that come next are of a request of this stream.
    pub fn set_stream(&mut self, stream: u8) {
        if let Some(separated) = &mut self.separated {
            separated.classes.set_stream(stream);
        }
    }

    /// The open block for the class of a page becomes the host's frontier. The host can take a page of the plane.
    ///
    /// Where that class has none, one is opened, if there is a free block that the collector does not need.
    pub(super) fn place_by_class(&mut self, plane: PlaneId, lpn: Lpn) {
        let Some(separated) = &self.separated else { return };
        let class = usize::from(separated.classes.of(lpn));
        let vacant = self.open.as_ref().is_some_and(|open| open.is_vacant(plane, class));
        if vacant && self.accounting().has_free_for_host(plane) {
            let block = self.open_block(plane);
            if let (Some(open), Some(block)) = (&mut self.open, block) {
                open.occupy(plane, class, block);
            }
        }
        let nearest = self.open.as_ref().and_then(|open| open.nearest(plane, class));
        let (at, block) = nearest.expect("the host can take a page");
        self.planes[plane.index()].host_frontier = block;
        if let Some(separated) = &mut self.separated {
            separated.elsewhere[0] += u64::from(at != class);
        }
    }

    /// The same for a page that collection relocates, where those are kept apart.
    #[cold]
    pub(super) fn collect_by_class(&mut self, plane: PlaneId, lpn: Lpn, cause: Cause) {
        let Some(separated) = &self.separated else { return };
        let class = usize::from(separated.classes.of(lpn));
        let vacant = separated.of_gc.as_ref().is_some_and(|open| open.is_vacant(plane, class));
        let opened =
            (vacant && !self.planes[plane.index()].free.is_empty()).then(|| self.open_gc_block(plane, cause));
        let Some(Separated { of_gc: Some(open), elsewhere, .. }) = self.separated.as_deref_mut() else {
            return;
        };
        if let Some(block) = opened {
            open.occupy(plane, class, block);
        }
        let (at, block) = open.nearest(plane, class).expect("the reserve of collection has room");
        elsewhere[1] += u64::from(at != class);
        self.planes[plane.index()].gc_frontier = block;
    }

    /// The open blocks for relocated pages of each class, where those are kept apart.
    #[inline]
    pub(super) fn open_of_gc(&self) -> Option<&OpenBlocks> {
        self.separated.as_ref()?.of_gc.as_ref()
    }
}
