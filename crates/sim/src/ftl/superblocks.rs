//! Blocks of several planes that are opened, collected and erased as one.

use super::state::Ftl;
use crate::gc::events::BlockView;
use crate::gc::relocation::{Step, Way};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, Cause, Rows, Stream, Superblocks};

/// What victim policies see where they choose superblocks. A macro, because a method would borrow the policy too.
macro_rules! superblock_view {
    ($ftl:expr, $superblocks:expr) => {
        BlockView {
            geometry: &$superblocks.geometry,
            blocks: &$superblocks.table,
            map: &$ftl.map,
            programmed: $ftl.tally.programmed(),
        }
    };
}

// Pages are taken.
impl Ftl {
    /// A superblock is opened for a stream, in all planes of a scope: behind those of it that are open there. Without a
    /// free one, nothing.
    #[cold]
    fn open_superblock(&mut self, plane: PlaneId, stream: Stream, cause: Cause) -> Option<()> {
        for plane in self.geometry.scope_of(plane) {
            let blocks = &self.blocks;
            let state = &mut self.planes[plane.index()];
            let block = match cause {
                Cause::Gc | Cause::Fold => state.free.pop()?,
                Cause::Wear => state.free.pop_most_erased(|block| blocks.erases(block))?,
            };
            state.low_water = state.low_water.min(state.free.len());
            match self.superblocks.as_deref_mut().and_then(Superblocks::rows_mut) {
                Some(rows) if self.geometry.is_parity_part(block) => rows.open_part(&self.geometry, plane),
                _ => self.points.push(plane, stream, block),
            }
            self.blocks.set_state(block, BlockState::Open);
            self.free_blocks -= 1;
            self.note_free(plane);
        }
        self.signals.push(self.geometry.first_of_scope(plane));
        Some(())
    }

    /// The stream of a page that the host writes.
    #[inline]
    pub(super) fn stream_of(&self, lpn: Lpn) -> Stream {
        Stream(self.class_of(lpn) as u8)
    }

    /// The stream in which a plane can promise a host write a page, or has one in warm-up: its SLC cache goes first.
    fn stream_with_room(&self, plane: PlaneId, lpn: Lpn) -> Stream {
        if self.accounting().cache_has_page(plane) { self.points.cache() } else { self.stream_of(lpn) }
    }

    /// A host write of `lpn` is sent to a plane, which promises it a page of its cache, or of a superblock of the
    /// class.
    #[cold]
    pub(crate) fn promise_page(&mut self, plane: PlaneId, lpn: Lpn) -> Stream {
        let stream = self.stream_with_room(plane, lpn);
        if stream != self.points.cache() && !self.accounting().has_open_page(stream, plane) {
            let opened = self.open_superblock(plane, stream, Cause::Gc);
            debug_assert!(opened.is_some(), "{plane:?} was chosen without room");
        }
        self.points.promise(plane, stream, 1);
        self.planes[plane.index()].reserved_pages += 1;
        stream
    }

    /// That write takes its page.
    #[cold]
    pub(crate) fn take_promised_page(&mut self, plane: PlaneId, lpn: Lpn, stream: Stream) -> Ppn {
        self.planes[plane.index()].reserved_pages -= 1;
        self.points.keep_promise(plane, stream, 1);
        self.take_part_page(plane, lpn, stream)
    }

    /// The next page of a plane for a page of the host, in warm-up, where the plane has room for one.
    #[cold]
    pub(super) fn take_page_of_scope(&mut self, plane: PlaneId, lpn: Lpn) -> Ppn {
        self.take_part_page(plane, lpn, self.stream_with_room(plane, lpn))
    }

    fn take_part_page(&mut self, plane: PlaneId, lpn: Lpn, stream: Stream) -> Ppn {
        if stream == self.points.cache() {
            return self
                .take_cache_page(plane, lpn)
                .expect("the cache has a page for what it was chosen for");
        }
        if let Some(cache) = &mut self.cache {
            cache.counts.past += 1;
        }
        if !self.points.open(plane, stream).is_some() {
            let opened = self.open_superblock(plane, stream, Cause::Gc);
            assert!(opened.is_some(), "{plane:?} was chosen without room");
        }
        self.tally.note_host_page(plane, lpn);
        let page = self.take(plane, self.points.open(plane, stream), lpn);
        self.host_has_taken(page);
        page
    }

    /// The stream of a page that collection relocates; of no page, the first.
    pub(crate) fn collected_stream(&self, lpn: Lpn) -> Stream {
        let apart = lpn.is_some() && self.points.separates_collected();
        self.points.collection(if apart { self.class_of(lpn) as u8 } else { 0 })
    }

    /// The plane to which a unit of pages of a plane is relocated, and whose pages it joins there: that itself, or the
    /// next one of its scope that has room for the stream. Where none has, and no superblock can be opened, the nearest
    /// stream that has room somewhere.
    #[cold]
    fn place_collected(&mut self, plane: PlaneId, stream: Stream, cause: Cause) -> (PlaneId, Stream) {
        if let Some(found) = self.with_open_page(plane, stream) {
            return (found, stream);
        }
        if self.open_superblock(plane, stream, cause).is_some() {
            let found = self.with_open_page(plane, stream).expect("a superblock holds data");
            return (found, stream);
        }
        let found =
            self.points.of_collection().filter_map(|other| Some((self.with_open_page(plane, other)?, other)));
        let nearest = found.min_by_key(|(_, other)| (other.0.abs_diff(stream.0), other.0));
        nearest.unwrap_or_else(|| panic!("{plane:?} has no superblock left for collected pages"))
    }

    /// The plane itself, or the next one of its scope, that has a page of a stream.
    fn with_open_page(&self, plane: PlaneId, stream: Stream) -> Option<PlaneId> {
        let first = self.geometry.first_of_scope(plane).0;
        let planes = self.geometry.superblock_planes;
        let mut turn = (0..planes).map(|step| PlaneId(first + (plane.0 - first + step) % planes));
        let accounting = self.accounting();
        turn.find(|plane| accounting.has_open_page(stream, *plane))
    }

    /// The same of a page that is moved for a cause: what is folded is owed no room any more.
    pub(super) fn place_moved(&mut self, plane: PlaneId, stream: Stream, cause: Cause) -> (PlaneId, Stream) {
        if cause == Cause::Fold {
            self.planes[plane.index()].owed_pages -= self.geometry.unit_pages;
        }
        self.place_collected(plane, stream, cause)
    }

    /// Whether a step of a job may copy pages of a stream back, which cannot leave their plane: that has room for them,
    /// or gets it. If so it is promised its pages from now on: of which stream.
    #[cold]
    pub(crate) fn promise_copyback(
        &mut self,
        plane: PlaneId,
        stream: Stream,
        cause: Cause,
    ) -> Option<Stream> {
        let (chosen, found) = self.place_collected(plane, stream, cause);
        (chosen == plane).then(|| self.promise_unit(plane, stream, found))
    }

    /// The plane for a unit that is promised its pages from now on, and of which stream they are.
    #[cold]
    pub(crate) fn promise_collected(
        &mut self,
        plane: PlaneId,
        stream: Stream,
        cause: Cause,
    ) -> (PlaneId, Stream) {
        let (chosen, found) = self.place_moved(plane, stream, cause);
        (chosen, self.promise_unit(chosen, stream, found))
    }

    fn promise_unit(&mut self, plane: PlaneId, wanted: Stream, found: Stream) -> Stream {
        self.points.promise(plane, found, self.geometry.unit_pages);
        self.note_elsewhere(wanted, found);
        found
    }

    fn note_elsewhere(&mut self, wanted: Stream, found: Stream) {
        if let Some(separated) = &mut self.separated {
            separated.elsewhere[1] += u64::from(wanted != found);
        }
    }

    /// A unit of relocated pages takes those of a plane that it was promised, or needs none any more.
    #[cold]
    pub(crate) fn keep_promise(&mut self, plane: PlaneId, stream: Stream) {
        self.points.keep_promise(plane, stream, self.geometry.unit_pages);
        self.points.choose_collected(plane, stream);
    }
}

// Parity of rows.
impl Ftl {
    /// A page of a superblock is taken.
    #[cold]
    pub(super) fn row_grows(&mut self, page: Ppn) {
        let rows = self.superblocks.as_deref_mut().and_then(Superblocks::rows_mut);
        let complete = rows.and_then(|rows| rows.take(&self.geometry, page));
        if let Some(open) = complete {
            self.policies.redundancy.note_row(open);
        }
    }

    /// Whether parity is to be programmed.
    pub(crate) fn is_parity_due(&self) -> bool {
        self.superblocks().and_then(Superblocks::rows).is_some_and(Rows::is_due)
    }

    /// The next unit of parity that is to be programmed takes its pages: the first of them.
    pub(crate) fn take_parity_unit(&mut self) -> Option<Ppn> {
        let first = self.superblocks.as_deref_mut()?.rows_mut()?.take_due(&self.geometry)?;
        let block = self.geometry.block_of(first);
        let plane = self.geometry.plane_of(block);
        for at in 0..self.geometry.unit_pages {
            let page = self.allocate(plane, block);
            debug_assert_eq!(page.0, first.0 + at, "rows are complete one after the other");
            self.tally.note_parity(plane);
            if let Some(versions) = &mut self.versions {
                versions.left_empty(page);
            }
        }
        Some(first)
    }

    /// A page of parity has been programmed.
    pub(crate) fn commit_parity(&mut self, page: Ppn) {
        self.settle(self.geometry.block_of(page));
    }

    /// What is to be programmed is, where no time passes.
    #[inline]
    pub(super) fn program_parity_now(&mut self) {
        if self.geometry.rows.is_some() {
            self.program_all_parity();
        }
    }

    #[cold]
    fn program_all_parity(&mut self) {
        while let Some(first) = self.take_parity_unit() {
            (first.0..first.0 + self.geometry.unit_pages).for_each(|page| self.commit_parity(Ppn(page)));
        }
    }
}

// What victim policies hear and say.
impl Ftl {
    #[cold]
    pub(super) fn part_sealed(&mut self, part: BlockId) {
        let pages = self.geometry.reclaimable(self.blocks.valid(part));
        self.planes[self.geometry.plane_of(part).index()].reclaimable += pages;
        let superblock = self.geometry.superblock_of(part);
        let Some(superblocks) = self.superblocks.as_deref_mut() else { return };
        if superblocks.seal_part(superblock) {
            let valid = self.geometry.parts_of(superblock).map(|part| self.blocks.valid(part)).sum();
            superblocks.begin_candidate(superblock, valid);
            self.policies.victim.on_sealed(superblock, &superblock_view!(self, superblocks));
            let wins = superblocks.wins(valid) > 0;
            self.may_end_starving(part, wins);
        }
    }

    #[cold]
    pub(super) fn part_lost_page(&mut self, part: BlockId, page: Ppn) {
        let plane = self.geometry.plane_of(part);
        self.planes[plane.index()].reclaimable += self.geometry.reclaimable_by_one(self.blocks.valid(part));
        let superblock = self.geometry.superblock_of(part);
        let Some(superblocks) = self.superblocks.as_deref_mut() else { return };
        if superblocks.is_candidate(superblock) {
            let wins = superblocks.lose_valid(superblock);
            self.policies.victim.on_invalidated(superblock, page, &superblock_view!(self, superblocks));
            self.may_end_starving(part, wins);
        }
    }

    /// Collecting the candidates of a scope wins more than before, if it `wins`: its trigger is asked again, if there
    /// was nothing to be won.
    fn may_end_starving(&mut self, part: BlockId, wins: bool) {
        let first = self.geometry.first_of_scope(self.geometry.plane_of(part));
        let state = &mut self.planes[first.index()];
        if wins && state.starved {
            state.starved = false;
            self.signals.push(first);
        }
    }

    /// Choose a superblock of a plane's scope and take all its parts out of circulation.
    #[cold]
    pub(crate) fn begin_superblock(&mut self, plane: PlaneId) -> Option<BlockId> {
        let superblocks = self.superblocks.as_deref_mut()?;
        let chosen = if superblocks.reclaimable(plane) == 0 {
            None
        } else {
            let scope = superblocks.scope(plane);
            self.policies.victim.select(scope, &superblock_view!(self, superblocks))
        };
        let Some(superblock) = chosen else {
            self.planes[self.geometry.first_of_scope(plane).index()].starved = true;
            return None;
        };
        self.take_superblock(superblock, Cause::Gc);
        Some(superblock)
    }

    /// The least-erased superblock of a plane's scope, all its parts taken out of circulation, if the erase counts of
    /// the scope have grown apart by more than the threshold.
    #[cold]
    pub(crate) fn worn_superblock(&mut self, plane: PlaneId) -> Option<BlockId> {
        let first = self.geometry.first_of_scope(plane);
        if self.geometry.scope_of(plane).any(|plane| self.planes[plane.index()].jobs > 0) {
            return None;
        }
        // All parts of a superblock have the same count.
        let coldest = self.coldest(first)?;
        let superblock = self.geometry.superblock_of(coldest);
        self.take_superblock(superblock, Cause::Wear);
        Some(superblock)
    }

    fn take_superblock(&mut self, superblock: BlockId, cause: Cause) {
        let Some(superblocks) = self.superblocks.as_deref_mut() else { return };
        self.policies.victim.on_removed(superblock, &superblock_view!(self, superblocks));
        superblocks.take(superblock);
        for part in self.geometry.parts_of(superblock) {
            assert_eq!(self.blocks.state(part), BlockState::Sealed, "only sealed blocks can be victims");
            self.blocks.set_state(part, BlockState::Victim);
            let (plane, valid) = (self.geometry.plane_of(part), self.blocks.valid(part));
            let state = &mut self.planes[plane.index()];
            state.reclaimable -= self.geometry.reclaimable(valid);
            state.jobs += 1;
            state.victim = part;
            if cause == Cause::Gc {
                self.tally.note_job(plane, valid);
            }
        }
    }

    /// Nothing of a part of a victim is left to be relocated. Tells whether it was the last: all are erased then.
    pub(crate) fn part_is_relocated(&mut self, part: BlockId) -> bool {
        let superblock = self.geometry.superblock_of(part);
        self.superblocks.as_deref_mut().is_some_and(|superblocks| superblocks.part_is_relocated(superblock))
    }

    /// A part of a victim was erased. Tells whether it was the last: the superblock is free then, and no sooner.
    pub(crate) fn part_is_erased(&mut self, part: BlockId, cause: Cause) -> bool {
        let plane = self.geometry.plane_of(part);
        self.blocks.erase(part);
        self.tally.note_erased(plane, self.geometry.pages_per_block, cause);
        let state = &mut self.planes[plane.index()];
        state.erases += 1;
        state.erases_since_check += 1;
        self.note_erased(part);
        let superblock = self.geometry.superblock_of(part);
        let Some(superblocks) = self.superblocks.as_deref_mut() else { return false };
        if !superblocks.part_is_erased(superblock) {
            return false;
        }
        for part in self.geometry.parts_of(superblock) {
            let state = &mut self.planes[self.geometry.plane_of(part).index()];
            state.jobs -= 1;
            state.victim = BlockId::NONE;
        }
        for part in self.geometry.parts_of(superblock) {
            let plane = self.geometry.plane_of(part);
            self.free_or_fail(plane, part);
            self.note_free(plane);
        }
        true
    }
}

// The same without time.
impl Ftl {
    #[cold]
    pub(super) fn collect_superblock_now(&mut self, plane: PlaneId) -> bool {
        let Some(superblock) = self.begin_superblock(plane) else { return false };
        self.empty_superblock_now(superblock, Cause::Gc);
        if let Some(coldest) = self.worn_superblock(plane) {
            self.empty_superblock_now(coldest, Cause::Wear);
        }
        true
    }

    fn empty_superblock_now(&mut self, superblock: BlockId, cause: Cause) {
        for part in self.geometry.parts_of(superblock) {
            let plane = self.geometry.plane_of(part);
            let mut from = self.geometry.page(part, 0);
            while let Step::Move(step) = self.next_step(plane, part, from, 0) {
                let stream = self.collected_stream(self.map.owner(step.pages.first()));
                let (target, found) = self.place_collected(plane, stream, cause);
                self.note_elsewhere(stream, found);
                self.points.choose_collected(target, found);
                for page in step.pages.as_slice() {
                    let to = self.take_gc_page(target, self.map.owner(*page), *page, cause);
                    if step.way == Way::Copyback && target == plane {
                        self.commit_copyback(*page, to);
                    } else {
                        self.commit_move(*page, to);
                    }
                }
                self.finish_gc_unit(target, false, cause);
                self.program_parity_now();
                from = Ppn(step.pages.last().0 + 1);
            }
            self.part_is_relocated(part);
        }
        for part in self.geometry.parts_of(superblock) {
            self.part_is_erased(part, cause);
        }
    }

    /// The first plane of the scope whose candidates hold most that is not valid.
    #[cold]
    pub(super) fn most_reclaimable_scope(&self) -> Option<PlaneId> {
        let superblocks = self.superblocks.as_deref()?;
        let firsts = (0..self.geometry.planes()).step_by(self.geometry.superblock_planes as usize);
        firsts.map(PlaneId).max_by_key(|plane| (superblocks.reclaimable(*plane), std::cmp::Reverse(*plane)))
    }

    /// Whether a plane has promised more pages of open superblocks than these have.
    pub(crate) fn promises_too_much(&self, plane: PlaneId) -> bool {
        let accounting = self.accounting();
        let mut streams = self.points.streams();
        streams.any(|stream| accounting.left(plane, stream) < self.points.promised(plane, stream))
    }

    /// Whether a plane has promised any.
    pub(crate) fn promises_pages(&self, plane: PlaneId) -> bool {
        self.points.streams().any(|stream| self.points.promised(plane, stream) > 0)
    }

    /// Planes that share superblocks, where any do.
    pub(crate) fn superblocks(&self) -> Option<&Superblocks> {
        self.superblocks.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::Geometry;
    use crate::ids::Lpn;

    /// Two dies of two planes of blocks of 4 pages, each die a scope, which get pages in turn: superblocks 0 and 1 of
    /// both are full after 32 pages. Of as many pages to be had the first scope goes first; otherwise the one with
    /// more.
    #[test]
    fn the_scope_with_most_to_be_had_is_collected_first() {
        let set = [
            ("geometry.channels", "1"),
            ("geometry.chips_per_channel", "2"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "2"),
            ("geometry.blocks_per_plane", "16"),
            ("geometry.pages_per_block", "4"),
            ("geometry.spare_factor", "50%"),
            ("gc.trigger.start", "1 block"),
            ("ftl.allocation", "striping"),
            ("ftl.allocation.by", "arrival"),
            ("ftl.superblock", "die"),
        ];
        let config = crate::testing::config("gc-bypass", &set);
        let mut ftl = Ftl::new(&config, &Geometry::new(&config).unwrap(), false);
        (0..32).for_each(|page| ftl.write_now(Lpn(page)));
        let die_of = |ftl: &Ftl, page: u32| {
            let copy = ftl.map.flash_copy(Lpn(page)).unwrap();
            ftl.geometry.plane_of(ftl.geometry.block_of(copy)).0 / 2
        };
        let of_die: Vec<Vec<u32>> =
            (0..2).map(|die| (0..32).filter(|page| die_of(&ftl, *page) == die).collect()).collect();
        assert_eq!([of_die[0].len(), of_die[1].len()], [16, 16]);
        // A page of each, then a second of the second, then a second and a third of the first.
        for (die, at, most) in [(0, 0, 0), (1, 0, 0), (1, 1, 2), (0, 1, 0), (0, 2, 0)] {
            ftl.trim(Lpn(of_die[die][at]));
            assert_eq!(ftl.most_reclaimable_scope(), Some(PlaneId(most)), "page {at} of die {die}");
        }
    }
}
