//! Placing a page among several open blocks of its plane: by the level it should have, or by its class.

use super::state::Ftl;
use crate::future::Future;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{Cause, MOST_OPEN_BLOCKS, Stream};

impl Ftl {
    /// The stream of the host's whose open block takes a page. The host can take a page of the plane.
    ///
    /// While there are fewer than may be open, and free blocks that the collector does not need, one more is opened.
    #[cold]
    pub(super) fn place_among_open(&mut self, plane: PlaneId, lpn: Lpn) -> Stream {
        if self.separated.is_some() {
            return self.place_by_class(plane, lpn);
        }
        if self.accounting().has_free_for_host(plane)
            && let Some(vacant) = self.points.vacancy(plane)
        {
            self.open_for_host(plane, vacant);
        }
        let mut levels = [0; MOST_OPEN_BLOCKS];
        let mut streams = [Stream::HOST; MOST_OPEN_BLOCKS];
        let mut count = 0;
        for stream in self.points.of_host() {
            let block = self.points.open(plane, stream);
            if block.is_some() {
                levels[count] = self.level_of_page[self.blocks.allocated(block) as usize];
                streams[count] = stream;
                count += 1;
            }
        }
        let chosen = streams[self.policies.placement.choose(lpn, &levels[..count])];
        self.points.choose_for_host(plane, chosen);
        chosen
    }

    /// The host writes a page: those hear of it who choose among open blocks.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; the compiler sees that no block is opened")]
    pub(super) fn note_write(&mut self, lpn: Lpn) {
        if let Some(streams) = self.tally.streams_mut() {
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
    pub(crate) fn is_open(&self, plane: PlaneId, block: BlockId) -> bool {
        self.points.has(plane, block) || self.geometry.is_parity_part(block)
    }
}

// Data of different classes in blocks of their own: which block takes a page.

impl Ftl {
    /// Whether it matters of which stream a request is.
    #[inline]
    pub(crate) fn hears_of_streams(&self) -> bool {
        self.separated.is_some() || self.tally.streams().is_some()
    }

    /// Pages that come next are of a request of this stream, and not its first.
    pub fn set_stream(&mut self, stream: u8) {
        self.set_request(stream, 0);
    }

    /// Pages that come next are of a request of this stream: the first of so many, or later ones (0).
    pub fn set_request(&mut self, stream: u8, begins: u32) {
        if let Some(streams) = self.tally.streams_mut() {
            streams.set_current(stream);
        }
        if let Some(separated) = &mut self.separated {
            separated.classes.set_request(stream, begins);
        }
    }

    /// The stream of the host's whose open block takes a page: that of its class, or the nearest with an open block.
    /// The host can take a page of the plane.
    ///
    /// Where that class has none, one is opened, if there is a free block that the collector does not need.
    fn place_by_class(&mut self, plane: PlaneId, lpn: Lpn) -> Stream {
        let wanted = self.stream_of(lpn);
        let is_open = self.points.open(plane, wanted).is_some();
        let found = if is_open { wanted } else { self.open_or_nearest(plane, wanted) };
        self.points.choose_for_host(plane, found);
        found
    }

    /// A stream of the host's has no open block in a plane: it gets one, or the nearest is told that has.
    #[cold]
    fn open_or_nearest(&mut self, plane: PlaneId, wanted: Stream) -> Stream {
        if self.accounting().has_free_for_host(plane) {
            self.open_for_host(plane, wanted);
            self.opened_for(self.points.open(plane, wanted), wanted);
        }
        let nearest = self.points.nearest(plane, self.points.of_host(), wanted);
        let found = nearest.expect("the host can take a page");
        if let Some(separated) = &mut self.separated {
            separated.elsewhere[0] += u64::from(found != wanted);
        }
        found
    }

    /// The number in its block of the page that a host write of `lpn` would take of a plane now, and whether that is
    /// one of the SLC cache. Where planes share superblocks, `stream` has promised it.
    #[cold]
    pub(crate) fn next_host_page(&self, plane: PlaneId, lpn: Lpn, stream: Stream) -> (u32, bool) {
        let number = |stream: Stream| self.next_page_of(plane, stream);
        if let Some(cache) = self.cache() {
            let cached = match self.superblocks {
                Some(_) => self.points.cache() == stream,
                None => cache.left(plane, &self.blocks, &self.points) > 0,
            };
            if cached {
                return (number(self.points.cache()), true);
            }
        }
        if self.superblocks.is_some() {
            return (number(stream), false);
        }
        if self.separated.is_none() {
            return (number(self.points.last_of_host(plane)), false);
        }
        let wanted = self.stream_of(lpn);
        let opens = !self.points.open(plane, wanted).is_some() && self.accounting().has_free_for_host(plane);
        let nearest = self.points.nearest(plane, self.points.of_host(), wanted).filter(|_| !opens);
        (nearest.map_or(0, number), false)
    }

    /// The stream of collection's to which a page goes that it relocates out of a block, where those are kept apart.
    #[inline(never)]
    pub(super) fn collect_by_class(&mut self, plane: PlaneId, (lpn, from): (Lpn, Ppn), cause: Cause) {
        let Some(separated) = &self.separated else { return };
        let from = from.is_some().then(|| self.geometry.block_of(from));
        let page = separated.classes.relocate(lpn, from);
        let asked = !self.is_translation_page(lpn);
        let class = if asked { self.policies.separation.relocated_class(&page) } else { 0 };
        let wanted = self.points.collection(class);
        let is_open = self.points.open(plane, wanted).is_some();
        let found = if is_open { wanted } else { self.open_or_nearest_collected(plane, wanted, cause) };
        self.points.choose_collected(plane, found);
    }

    /// A stream of collection's has no open block in a plane: it gets one, or the nearest is told that has.
    #[cold]
    fn open_or_nearest_collected(&mut self, plane: PlaneId, wanted: Stream, cause: Cause) -> Stream {
        if !self.planes[plane.index()].free.is_empty() {
            let block = self.open_gc_block(plane, cause);
            self.opened_for(block, wanted);
            self.points.push(plane, wanted, block);
        }
        let nearest = self.points.nearest(plane, self.points.of_collection(), wanted);
        let found = nearest.expect("the reserve of collection has room");
        if let Some(separated) = &mut self.separated {
            separated.elsewhere[1] += u64::from(found != wanted);
        }
        found
    }

    /// A block was opened for a stream, which is a class: those of the host, those of relocated pages behind them.
    pub(super) fn opened_for(&mut self, block: BlockId, stream: Stream) {
        if let Some(separated) = &mut self.separated {
            separated.classes.opened(block, stream.0);
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
            let lpn = self.map.owner(page);
            if !self.is_translation_page(lpn) {
                pages.push(separated.classes.relocate(lpn, Some(block)));
            }
            from = Ppn(page.0 + 1);
        }
        self.policies.separation.see_pages_of_victim(&pages);
    }
}
