//! Relocation of a victim's pages: the steps of a job, and the program units that they fill.

use super::state::Ftl;
use crate::gc::relocation::{Sample, Step, Way};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, Cause, Place, Stream};

impl Ftl {
    /// A job is about to begin on a victim.
    pub fn begin_relocation(&mut self, plane: PlaneId, victim: BlockId) {
        if self.geometry.is_cache_block(victim) {
            return;
        }
        let view = job_view!(self, plane, victim, self.geometry.page(victim, 0), 0);
        self.policies.relocation.begin(&view);
    }

    /// The way of every page of a job, where its steps are each valid page by itself.
    pub fn every_page(&self) -> Option<Way> {
        self.policies.every_page
    }

    /// What a job is to do next; `cursor` is the first page of the victim that no step has had yet.
    #[inline]
    pub fn next_step(&mut self, plane: PlaneId, victim: BlockId, cursor: Ppn, steps_under_way: u32) -> Step {
        let view = job_view!(self, plane, victim, cursor, steps_under_way);
        if self.cache.is_some() && self.geometry.is_cache_block(victim) {
            // What is folded changes its mode, which no copyback does.
            return view.whole_unit(Way::Controller);
        }
        self.policies.relocation.next(&view)
    }

    /// Whether relocated pages need more than the next page of the collector's open block: they are programmed in
    /// units, or a rule says where they may go.
    #[inline]
    pub fn relocates_in_units(&self) -> bool {
        self.geometry.unit_pages > 1 || self.policies.copyback_rule.is_some()
    }

    /// A unit of relocated pages is about to take its pages; `source` is one of those that are copied back. Leaves
    /// empty what the relocation policy's rule asks for. Tells in which block a unit was closed that had stayed open.
    pub fn prepare_unit(&mut self, plane: PlaneId, source: Option<Ppn>, cause: Cause) -> Option<BlockId> {
        let (source, rule) = (source?, self.policies.copyback_rule?);
        let source = self.geometry.page_in_block(source);
        let unit_pages = self.geometry.unit_pages;
        let mut closed = None;
        loop {
            self.open_for_gc(plane, cause);
            let next = self.next_collected_page(plane);
            let skip = rule(source, next, unit_pages);
            if skip == 0 {
                return closed;
            }
            let open = self.block_for_gc(plane);
            // Nothing of such a unit was programmed, and nothing will be.
            let stays_empty = next.is_multiple_of(unit_pages);
            if !stays_empty {
                closed = Some(open);
            }
            self.leave_empty(open, skip);
            self.tally.note_wasted(skip, stays_empty);
        }
    }

    /// The pages of the collector's unit that no relocated page has taken hold no data.
    pub fn finish_gc_unit(&mut self, plane: PlaneId, wastes: bool, cause: Cause) {
        let open = self.block_for_gc(plane);
        let left = self.finish_unit(open);
        if cause == Cause::Fold && self.superblocks.is_none() {
            self.planes[plane.index()].owed_pages -= left;
        }
        if wastes {
            self.tally.note_wasted(left, false);
        } else {
            self.tally.note_padded(left);
        }
    }

    /// Warm-up has ended, which writes page by page: programs of the host begin with a whole unit from now on.
    pub fn finish_host_units(&mut self) {
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            for stream in std::iter::once(self.points.cache()).chain(self.points.of_host()) {
                self.finish_host_unit(self.points.open(plane, stream));
            }
        }
        self.program_parity_now();
    }

    /// The pages of the unit of an open block of the host that no page has taken are padding.
    pub(super) fn finish_host_unit(&mut self, block: BlockId) {
        let left = self.finish_unit(block);
        self.tally.note_padded(left);
    }

    /// The same of the block of the page that the host has taken last.
    pub fn finish_unit_of(&mut self, page: Ppn) {
        let block = self.geometry.block_of(page);
        if self.blocks.state(block) == BlockState::Open {
            self.finish_host_unit(block);
        }
    }

    /// How many pages that a plane has promised in a stream it programs together.
    pub fn unit_of_stream(&self, stream: Stream) -> u32 {
        if self.points.cache() == stream { self.geometry.parts_of_page } else { self.geometry.unit_pages }
    }

    /// How many pages of the host a plane programs together next, and whether they must be of one class.
    pub fn next_host_unit(&self, plane: PlaneId) -> (u32, bool) {
        match self.cache.as_deref() {
            Some(cache) if cache.left(plane, &self.blocks, &self.points) > 0 => {
                (self.geometry.parts_of_page, false)
            }
            _ => (self.geometry.unit_pages, self.separated.is_some()),
        }
    }

    /// The class of what the host has written last of a page, where classes are kept apart.
    pub fn class_of(&self, lpn: Lpn) -> usize {
        self.separated.as_ref().map_or(0, |separated| usize::from(separated.classes.of(lpn)))
    }

    /// Leaves empty what is left of the unit that the next page of an open block lies in; how many pages that is.
    fn finish_unit(&mut self, frontier: BlockId) -> u32 {
        if self.geometry.unit_pages == 1 || !frontier.is_some() {
            return 0;
        }
        let unit_pages = self.geometry.unit_pages_of(frontier);
        let taken = self.blocks.allocated(frontier) % unit_pages;
        let left = if taken == 0 { 0 } else { unit_pages - taken };
        self.leave_empty(frontier, left);
        left
    }

    /// The next pages of an open block are used up without data.
    pub(super) fn leave_empty(&mut self, block: BlockId, pages: u32) {
        let plane = self.geometry.plane_of(block);
        for _ in 0..pages {
            debug_assert_eq!(self.blocks.state(block), BlockState::Open);
            let page = if self.geometry.is_cache_block(block) {
                self.allocate_cached(block)
            } else {
                self.allocate(plane, block)
            };
            if let Some(versions) = &mut self.versions {
                versions.left_empty(page);
            }
            self.settle(block);
        }
    }

    /// A copyback ended. Tells whether the copy was still wanted.
    #[inline]
    pub fn commit_copyback(&mut self, from: Ppn, to: Ppn) -> bool {
        if self.policies.counts_copybacks
            && let Some(copies) = self.policies.relocation.copies_mut()
        {
            copies.copied(from, to);
        }
        if self.versions.is_some() {
            self.check_copyback(from, to);
        }
        self.commit_move(from, to)
    }

    /// # Panics
    /// When a copyback leaves its plane, or breaks the rule of the relocation policy.
    #[cold]
    fn check_copyback(&self, from: Ppn, to: Ppn) {
        let place =
            |page| (self.geometry.plane_of(self.geometry.block_of(page)), self.geometry.page_in_block(page));
        let ((left, source), (reached, target)) = (place(from), place(to));
        assert_eq!(left, reached, "a copyback stays in its plane");
        let Some(rule) = self.policies.copyback_rule else { return };
        let skip = rule(source, target, self.geometry.unit_pages);
        assert_eq!(skip, 0, "page {source} was copied back to page {target}: the rule forbids it");
    }

    /// A page has left a block that is a candidate still: whoever keeps lists of these hears of it.
    #[cold]
    #[inline(never)]
    pub(super) fn page_borrowed(&mut self, from: Ppn, lender: BlockId) {
        self.lost_page(lender, from);
        let lpn = self.map.owner(from);
        if let Some(policy) = self.policies.relocation.borrowing() {
            policy.on_borrowed(lpn, lender, &drive_view!(self));
        }
    }

    /// The host has sent a request that reads or writes.
    #[inline]
    pub fn note_request(&mut self, writes: bool) {
        if self.policies.borrows
            && let Some(policy) = self.policies.relocation.borrowing()
        {
            policy.on_request(writes, &drive_view!(self));
        }
    }

    /// The host writes a page.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_write(&mut self, lpn: Lpn) {
        let update = self.map.place(lpn) != Place::Nowhere;
        if let Some(policy) = self.policies.relocation.borrowing() {
            policy.on_write(lpn, update, &drive_view!(self));
        }
    }

    /// The host has trimmed a page.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_trim(&mut self, lpn: Lpn) {
        if let Some(policy) = self.policies.relocation.borrowing() {
            policy.on_trim(lpn, &drive_view!(self));
        }
    }

    /// Have the relocation policy keep what it learns from.
    pub fn keep_samples(&mut self) {
        if let Some(policy) = self.policies.relocation.borrowing() {
            policy.keep_samples();
        }
    }

    /// What it has kept.
    pub fn samples(&mut self) -> &[Sample] {
        self.policies.relocation.borrowing().map_or(&[], |policy| policy.samples())
    }
}
