//! The SLC cache: host writes go there first, and its full blocks are folded into ordinary ones.

use super::slc_cache::Terms;
use super::state::Ftl;
use crate::gc::relocation::Step;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, CacheCounts, CacheSpace, Cause};

impl Ftl {
    /// The next page of the plane's cache for a host write; `None` if it has none, or there is no cache.
    #[cold]
    #[inline(never)]
    pub(super) fn take_cache_page(&mut self, plane: PlaneId, lpn: Lpn) -> Option<Ppn> {
        let cache = self.cache.as_deref_mut()?;
        let mut block = self.points.open(plane, self.points.cache());
        if !block.is_some() {
            let Some(next) = cache.of_mut(plane).free.pop_front() else {
                cache.counts.past += 1;
                return None;
            };
            block = next;
            self.points.push(plane, self.points.cache(), block);
            self.blocks.set_state(block, BlockState::Open);
            self.signals.push(plane);
        }
        cache.counts.cached += 1;
        self.tally.note_host_page(plane, lpn);
        self.tally.note_cached();
        let page = self.allocate_cached(block);
        self.map.claim(page, lpn);
        self.host_has_taken(page);
        Some(page)
    }

    /// The next page of the open block of a plane's cache, whatever is to be in it.
    pub(super) fn allocate_cached(&mut self, block: BlockId) -> Ppn {
        let page = self.blocks.allocate(block);
        if page + 1 == self.geometry.pages_of(block) {
            self.note_full(self.geometry.plane_of(block), block);
        }
        self.tally.note_taken(1);
        self.geometry.page(block, page)
    }

    /// The last program of a full block of the cache has ended.
    #[cold]
    pub(super) fn seal_cached(&mut self, block: BlockId) {
        self.blocks.seal(block, self.tally.programmed());
        self.blocks.set_state(block, BlockState::Cached);
        let plane = self.geometry.plane_of(block);
        if let Some(cache) = &mut self.cache {
            cache.of_mut(plane).full.push_back(block);
        }
        self.signals.push(plane);
    }

    /// The block of a plane's cache that is folded next, if it may be now: no job is under way there, and its pages
    /// find room beside the reserve of collection.
    fn next_to_fold(&self, plane: PlaneId) -> Option<BlockId> {
        let block = *self.cache.as_deref()?.of(plane).full.front()?;
        let fits = self.accounting().fold_fits(plane, self.pages_to_fold(block));
        (fits && self.planes[plane.index()].jobs == 0).then_some(block)
    }

    /// Number of pages that folding a block takes at most, the padding of its last unit among them.
    fn pages_to_fold(&self, block: BlockId) -> u32 {
        self.blocks.valid(block).next_multiple_of(self.geometry.unit_pages)
    }

    /// Whether the cache of a plane has fewer free blocks than it should.
    fn wants_folding(&self, plane: PlaneId) -> bool {
        let free = self.cache.as_deref().map_or(0, |cache| cache.of(plane).free.len() as u32);
        self.policies.cache.is_some_and(|Terms { start_blocks, .. }| free < start_blocks)
    }

    /// Take a block out of the plane's cache to be folded, if one should be and may.
    pub(crate) fn begin_fold(&mut self, plane: PlaneId) -> Option<BlockId> {
        let block = self.next_to_fold(plane).filter(|_| self.wants_folding(plane))?;
        self.take_to_fold(plane, block);
        Some(block)
    }

    fn take_to_fold(&mut self, plane: PlaneId, block: BlockId) {
        if let Some(cache) = &mut self.cache {
            cache.of_mut(plane).full.pop_front();
            cache.counts.folds += 1;
        }
        self.blocks.set_state(block, BlockState::Victim);
        let owed_pages = self.pages_to_fold(block);
        let state = &mut self.planes[plane.index()];
        state.jobs += 1;
        state.victim = block;
        // The host must leave them as much room as the collector's reserve.
        state.owed_pages = owed_pages;
    }

    /// A page is taken for one that is folded.
    #[cold]
    pub(super) fn note_folded(&mut self, plane: PlaneId) {
        if self.superblocks.is_none() {
            self.planes[plane.index()].owed_pages -= 1;
        }
        if let Some(cache) = &mut self.cache {
            cache.counts.folded += 1;
        }
    }

    /// Nothing of the block that a plane folds is left to be moved: whatever was dropped needs no room.
    pub(crate) fn end_moves_of_fold(&mut self, plane: PlaneId) {
        self.planes[plane.index()].owed_pages = 0;
    }

    /// A folded block was erased: the cache has it again.
    #[cold]
    pub(super) fn end_fold(&mut self, block: BlockId) {
        self.blocks.erase(block);
        let plane = self.geometry.plane_of(block);
        self.tally.note_erased(plane, self.geometry.pages_of(block), Cause::Fold);
        let state = &mut self.planes[plane.index()];
        state.erases += 1;
        state.jobs -= 1;
        state.victim = BlockId::NONE;
        if let Some(cache) = &mut self.cache {
            cache.of_mut(plane).free.push_back(block);
        }
        self.note_erased(block);
    }

    /// Fold a block of the cache of the plane, or of one that it shares superblocks with, in no time, if one should be
    /// and may. Tells whether it did.
    pub(super) fn fold_now(&mut self, plane: PlaneId) -> bool {
        self.geometry.scope_of(plane).any(|plane| {
            let block = self.begin_fold(plane);
            block.inspect(|block| self.move_folded_now(plane, *block)).is_some()
        })
    }

    fn move_folded_now(&mut self, plane: PlaneId, block: BlockId) {
        let mut from = self.geometry.page(block, 0);
        while let Step::Move(step) = self.next_step(plane, block, from, 0) {
            let target = if self.superblocks.is_some() {
                let stream = self.collected_stream(Lpn::NONE);
                self.place_moved(plane, stream, Cause::Fold).0
            } else {
                plane
            };
            for page in step.pages.as_slice() {
                let to = self.take_gc_page(target, self.map.owner(*page), *page, Cause::Fold);
                self.commit_move(*page, to);
            }
            self.finish_gc_unit(target, false, Cause::Fold);
            self.program_parity_now();
            from = Ppn(step.pages.last().0 + 1);
        }
        self.end_moves_of_fold(plane);
        self.end_collection(block, Cause::Fold);
    }

    /// The warm-up has ended: if the drive has rested since, the full blocks of its cache are folded, as far as they
    /// find room.
    pub fn rest(&mut self) {
        if !self.policies.cache.is_some_and(|terms| terms.rested) {
            return;
        }
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            while let Some(block) = self.next_to_fold(plane) {
                self.take_to_fold(plane, block);
                self.move_folded_now(plane, block);
                self.collect_signalled();
            }
        }
    }

    /// What the cache has, if there is one.
    pub fn cache(&self) -> Option<&CacheSpace> {
        self.cache.as_deref()
    }

    /// What the cache has done since the drive was made.
    pub(super) fn cache_counts(&self) -> CacheCounts {
        self.cache.as_deref().map_or(CacheCounts::default(), |cache| cache.counts)
    }
}
