//! Placing a page among several open blocks of its plane: by the level it should have, or by its class.

use super::state::{Ftl, Separated};
use crate::future::Future;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{Cause, MOST_OPEN_BLOCKS, OpenBlocks, Stream};

impl Ftl {
    /// The open block that a page goes to becomes the host's frontier. The host can take a page of the plane.
    ///
    /// While there are fewer than may be open, and free blocks that the collector does not need, one more is opened.
    #[cold]
    pub(super) fn place_among_open(&mut self, plane: PlaneId, lpn: Lpn) {
        if self.separated.is_some() {
            return self.place_by_class(plane, lpn);
        }
        let spare = self.accounting().has_free_for_host(plane);
        let vacancy = self.open.as_ref().and_then(|open| open.vacancy(plane)).filter(|_| spare);
        if let Some(at) = vacancy {
            let block = self.open_block(plane);
            if let (Some(open), Some(block)) = (&mut self.open, block) {
                open.occupy(plane, at, block);
            }
        }
        let Some(open) = &self.open else { return };
        let mut levels = [0; MOST_OPEN_BLOCKS];
        let mut blocks = [BlockId::NONE; MOST_OPEN_BLOCKS];
        let mut count = 0;
        for block in open.of(plane).iter().filter(|block| block.is_some()) {
            levels[count] = self.level_of_page[self.blocks.allocated(*block) as usize];
            blocks[count] = *block;
            count += 1;
        }
        let chosen = self.policies.placement.choose(lpn, &levels[..count]);
        self.planes[plane.index()].host_frontier = blocks[chosen];
    }

    /// The host writes a page: those hear of it who choose among open blocks.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; the compiler sees that no block is opened")]
    pub(super) fn note_write(&mut self, lpn: Lpn) {
        if let Some(streams) = &mut self.streams {
            streams.note_write(lpn);
        }
        self.policies.placement.on_write(lpn);
        if let Some(separated) = self.separated.as_deref_mut() {
            separated.classify(self.policies.separation.as_mut(), lpn, self.map.valid_pages());
        }
    }

    /// Whether a policy wants to know what the trace will write.
    pub(crate) fn wants_future(&mut self) -> bool {
        let relocation = self.policies.relocation.borrowing();
        self.policies.placement.wants_future()
            || self.policies.separation.wants_future()
            || relocation.is_some_and(|policy| policy.wants_future())
    }

    /// What the trace writes from now on, again and again.
    pub(crate) fn foresee(&mut self, future: Future) {
        if let Some(policy) = self.policies.relocation.borrowing()
            && policy.wants_future()
        {
            policy.foresee(future.clone());
        }
        if self.policies.separation.wants_future() {
            self.policies.separation.foresee(future.clone());
        }
        self.policies.placement.foresee(future);
    }

    /// Whether a block is one that pages of its plane go to.
    pub(crate) fn is_frontier(&self, plane: PlaneId, block: BlockId) -> bool {
        let state = &self.planes[plane.index()];
        [state.host_frontier, state.gc_frontier, state.parity_frontier].contains(&block)
            || self.open.iter().chain(self.open_of_gc()).any(|open| open.of(plane).contains(&block))
            || self.superblocks().is_some_and(|superblocks| {
                superblocks.streams().any(|stream| superblocks.open(stream, plane).contains(&block))
            })
    }
}

// Data of different classes in blocks of their own: which block takes a page.

impl Ftl {
    /// Whether it matters of which stream a request is.
    #[inline]
    pub(crate) fn hears_of_streams(&self) -> bool {
        self.separated.is_some() || self.streams.is_some()
    }

    /// Pages that come next are of a request of this stream.
    pub fn set_stream(&mut self, stream: u8) {
        if let Some(streams) = &mut self.streams {
            streams.set_current(stream);
        }
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
                self.opened_for(block, class);
            }
        }
        let nearest = self.open.as_ref().and_then(|open| open.nearest(plane, class));
        let (at, block) = nearest.expect("the host can take a page");
        self.planes[plane.index()].host_frontier = block;
        if let Some(separated) = &mut self.separated {
            separated.elsewhere[0] += u64::from(at != class);
        }
    }

    /// The number in its block of the page that a host write of `lpn` would take of a plane now, and whether that is
    /// one of the SLC cache. Where planes share superblocks, `stream` has promised it.
    #[cold]
    pub(crate) fn next_host_page(&self, plane: PlaneId, lpn: Lpn, stream: Stream) -> (u32, bool) {
        let number = |block: BlockId| if block.is_some() { self.blocks.allocated(block) } else { 0 };
        if let Some(cache) = self.cache() {
            let cached = match self.superblocks() {
                Some(superblocks) => superblocks.cache() == stream,
                None => cache.left(plane, &self.blocks) > 0,
            };
            if cached {
                return (number(cache.of(plane).open), true);
            }
        }
        if let Some(superblocks) = self.superblocks() {
            return (number(superblocks.front(stream, plane)), false);
        }
        let block = match self.open.as_ref().filter(|_| self.separated.is_some()) {
            None => self.planes[plane.index()].host_frontier,
            Some(open) => {
                let class = self.class_of(lpn);
                let opens = open.is_vacant(plane, class) && self.accounting().has_free_for_host(plane);
                let nearest = open.nearest(plane, class).filter(|_| !opens);
                nearest.map_or(BlockId::NONE, |(_, block)| block)
            }
        };
        (number(block), false)
    }

    /// The same for a page that collection relocates out of a block, where those are kept apart.
    #[cold]
    pub(super) fn collect_by_class(&mut self, plane: PlaneId, (lpn, from): (Lpn, Ppn), cause: Cause) {
        let Some(separated) = &self.separated else { return };
        let from = from.is_some().then(|| self.geometry.block_of(from));
        let page = separated.classes.relocate(lpn, from);
        let class = usize::from(self.policies.separation.relocated_class(&page));
        let vacant = separated.of_gc.as_ref().is_some_and(|open| open.is_vacant(plane, class));
        let opened =
            (vacant && !self.planes[plane.index()].free.is_empty()).then(|| self.open_gc_block(plane, cause));
        if let (Some(block), Some(of_host)) = (opened, &self.open) {
            self.opened_for(block, of_host.of(plane).len() + class);
        }
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

    /// A block was opened for a class: those of the host first, those of relocated pages behind them.
    fn opened_for(&mut self, block: BlockId, class: usize) {
        if let Some(separated) = &mut self.separated {
            separated.classes.opened(block, class as u8);
        }
    }

    /// A block becomes a victim: whoever knows of blocks hears of it.
    pub(super) fn tell_victim_class(&mut self, block: BlockId) {
        if let Some((class, lived)) =
            self.separated.as_ref().and_then(|separated| separated.classes.lived(block))
        {
            self.policies.separation.on_victim(class, lived);
        }
    }

    /// All valid pages of a victim are relocated now, at once: whoever wants to see them together does.
    pub(super) fn tell_pages_of_victim(&mut self, block: BlockId) {
        let Some(separated) = &self.separated else { return };
        if !self.policies.separation.wants_pages_of_victim() {
            return;
        }
        let (mut from, end) = (self.geometry.page(block, 0), self.end_of(block));
        let mut pages = Vec::new();
        while let Some(page) = self.map.next_valid(from, end) {
            pages.push(separated.classes.relocate(self.map.owner(page), Some(block)));
            from = Ppn(page.0 + 1);
        }
        self.policies.separation.see_pages_of_victim(&pages);
    }

    /// The open blocks for relocated pages of each class, where those are kept apart.
    #[inline]
    pub(super) fn open_of_gc(&self) -> Option<&OpenBlocks> {
        self.separated.as_ref()?.of_gc.as_ref()
    }
}
