//! The fast path: the same state changes with no time between them. Warm-up and write-amplification oracles use it.

use std::ops::Range;

use super::state::{Ftl, HostUnits};
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::gc::relocation::{Step, Way};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{Cause, Place, Stream};
use crate::own;
use crate::time::Nanos;

impl Ftl {
    /// Write `lpn` and collect whatever that triggers, at once.
    ///
    /// # Panics
    /// When no plane can take the page even after collection; [`super::check_space`] makes that impossible.
    pub fn write_now(&mut self, lpn: Lpn) {
        if self.notes_writes {
            self.note_write(lpn);
        }
        if self.policies.borrows {
            self.tell_write(lpn);
        }
        if self.translation.is_some() {
            self.look_up_now(lpn);
        }
        self.write_page_now(lpn);
    }

    /// The same of a page that everybody has heard of.
    #[inline]
    pub(super) fn write_page_now(&mut self, lpn: Lpn) {
        let ppn = loop {
            // Nothing is pending in the untimed path: every die is equally idle.
            let chosen = self.place_write(lpn, &[]);
            let plane = chosen.unwrap_or_else(|| self.most_reclaimable());
            // Where a policy lets the page wait although a plane has room, what it waits for may be room. No page is
            // taken of superblocks of another class.
            let waits = chosen.is_none() && (self.allocation_waits() || self.superblocks.is_some());
            if let Some(ppn) = if waits { None } else { self.take_host_page(plane, lpn) } {
                break ppn;
            }
            if !self.collect_now(plane) {
                self.cannot_write(lpn, chosen);
            }
        };
        self.written_now(lpn, ppn);
    }

    /// No plane takes the page, whatever is collected.
    #[cold]
    fn cannot_write(&self, lpn: Lpn, chosen: Option<PlaneId>) -> ! {
        let why = match chosen {
            Some(_) => format!(
                "which is full of valid data and cannot be collected, for logical page {} in the warm-up",
                lpn.0
            ),
            None => format!(
                "for logical page {} in the warm-up, where nothing is under way, and nothing can be \
                 collected, that it could wait for; name a plane that has room",
                lpn.0
            ),
        };
        match self.blame_allocation(chosen, &why) {
            Some(message) => own::end(message),
            None => panic!("{lpn:?} has no room in {chosen:?}, which cannot be collected"),
        }
    }

    /// The page taken for `lpn` is programmed, and what follows from that is done at once.
    #[inline]
    pub(super) fn written_now(&mut self, lpn: Lpn, ppn: Ppn) {
        let before = self.map.map(lpn, ppn);
        if let Some(versions) = &mut self.versions {
            versions.written_now(lpn, ppn);
        }
        let block = self.geometry.block_of(ppn);
        self.blocks.gain_valid(block);
        self.tell(BlockEvent::Programmed(ppn), block);
        if let Place::Flash(old) = before {
            self.invalidate(old);
        }
        self.settle(block);
        self.program_parity_now();
        // Invalidating the old copy may have triggered collection in another plane than the one written to.
        self.collect_signalled();
        if self.policies.limit_remembers {
            self.look_at_limit_alone();
        }
    }

    /// Without time nothing is ever under way or waits.
    #[cold]
    fn look_at_limit_alone(&mut self) {
        let drained = !self.policies.trigger.has_listed();
        let view = jobs_view!(self, &self.no_jobs, true);
        self.policies.concurrency.note_jobs(&view, drained);
    }

    /// Asks the trigger of every plane, and collects what it wants.
    pub fn collect_all_now(&mut self) {
        self.signal_all();
        self.collect_signalled();
    }

    #[inline]
    pub(super) fn collect_signalled(&mut self) {
        while let Some(plane) = self.signals.pop() {
            self.collect_as_triggered(plane);
        }
    }

    fn collect_as_triggered(&mut self, plane: PlaneId) {
        let plane = self.geometry.first_of_scope(plane);
        loop {
            let mut goes_on = false;
            while self.wants_collection(plane, goes_on, true)
                && self.may_start_alone(plane)
                && self.collect_now(plane)
            {
                goes_on = true;
            }
            if self.cache.is_none() || !self.fold_now(plane) {
                return;
            }
        }
    }

    /// Whether the limit of jobs lets the plane collect where no other does.
    fn may_start_alone(&mut self, plane: PlaneId) -> bool {
        let view = jobs_view!(self, &self.no_jobs, true);
        self.policies.concurrency.may_start(plane, &view)
    }

    fn most_reclaimable(&self) -> PlaneId {
        if let Some(plane) = self.most_reclaimable_scope() {
            return plane;
        }
        let best = (0..self.geometry.planes())
            .max_by_key(|plane| (self.planes[*plane as usize].reclaimable, std::cmp::Reverse(*plane)));
        PlaneId(best.expect("a drive has planes"))
    }

    /// Collect one block of the plane, or one superblock that it has a part of, if there is anything to reclaim.
    pub fn collect_now(&mut self, plane: PlaneId) -> bool {
        if self.superblocks.is_some() {
            return self.collect_superblock_now(plane);
        }
        let Some(victim) = self.begin_collection(plane) else { return false };
        self.tell_pages_of_victim(victim);
        self.empty_now(victim, plane, Cause::Gc);
        if let Some(coldest) = self.wear_victim(plane) {
            self.empty_now(coldest, plane, Cause::Wear);
        }
        true
    }

    fn empty_now(&mut self, victim: BlockId, plane: PlaneId, cause: Cause) {
        if self.gc_buffer.is_some() {
            self.lift_all_now(victim, plane, cause);
            return;
        }
        if self.policies.every_page.is_some() {
            self.empty_page_by_page(victim, plane, cause);
            return;
        }
        let mut cursor = self.geometry.page(victim, 0);
        self.map.prefetch_relocations(cursor, self.end_of(victim));
        self.begin_relocation(plane, victim);
        while let Step::Move(step) = self.next_step(plane, victim, cursor, 0) {
            let first = step.pages.first();
            if self.relocates_in_units() {
                self.prepare_unit(plane, (step.way == Way::Copyback).then_some(first), cause);
            }
            for page in step.pages.as_slice() {
                let to = self.take_gc_page(plane, self.map.owner(*page), *page, cause);
                if step.way == Way::Copyback {
                    self.commit_copyback(*page, to);
                } else {
                    self.commit_move(*page, to);
                }
            }
            if !step.load {
                self.finish_gc_unit(plane, step.wastes, cause);
            }
            cursor = Ppn(step.pages.last().0 + 1);
        }
        self.end_collection(victim, cause);
    }

    /// The number of the page behind the last of a block.
    pub(super) fn end_of(&self, block: BlockId) -> u32 {
        self.geometry.page(block, 0).0 + self.geometry.pages_per_block
    }

    /// The same where the steps are known: every valid page by itself. Where nobody hears of pages, and all go to one
    /// open block, all at once that it has room for.
    fn empty_page_by_page(&mut self, victim: BlockId, plane: PlaneId, cause: Cause) {
        let alone = !self.chooses_collected && self.translation.is_none();
        if alone && !self.hears_of_pages() && self.map.slots_in_use() == 0 {
            return self.empty_in_runs(victim, plane, cause);
        }
        let end = self.end_of(victim);
        let mut from = self.geometry.page(victim, 0);
        self.map.prefetch_relocations(from, end);
        while let Some(page) = self.map.next_valid(from, end) {
            let to = self.take_gc_page(plane, self.map.owner(page), page, cause);
            self.commit_move(page, to);
            from = Ppn(page.0 + 1);
        }
        self.end_collection(victim, cause);
    }

    fn empty_in_runs(&mut self, victim: BlockId, plane: PlaneId, cause: Cause) {
        let end = self.end_of(victim);
        let mut from = self.geometry.page(victim, 0);
        self.map.prefetch_relocations(from, end);
        while self.map.next_valid(from, end).is_some() {
            self.open_for_gc(plane, cause);
            let block = self.block_for_gc(plane);
            let to = self.geometry.page(block, self.blocks.allocated(block));
            let (moved, next) = self.map.relocate_run(from, end, to, self.left(block));
            from = next;
            self.blocks.fill(block, moved);
            self.blocks.lose_valid_pages(victim, moved);
            self.tally.note_relocated_pages(plane, moved, cause);
            self.tally.note_taken(moved);
            if let Some(streams) = self.tally.streams_mut() {
                (to.0..to.0 + moved).for_each(|page| streams.note_relocation(self.map.owner(Ppn(page))));
            }
            if self.left(block) == 0 {
                self.note_full(plane, block);
                self.seal_if_settled(block);
            }
        }
        self.end_collection(victim, cause);
    }

    /// Whether anybody must hear of each page that is programmed or relocated.
    #[inline]
    pub(super) fn hears_of_pages(&self) -> bool {
        let of_pages = BlockEvents::PROGRAMMED.and(BlockEvents::INVALIDATED);
        self.versions.is_some() || self.policies.borrows || self.policies.somebody_hears.has(of_pages)
    }

    // Padding in a warm-up that plays the trace: a timed run would not wait for ever for the other pages of a unit.

    /// From now on, or not any more, units of the host are padded once they have waited so long.
    pub fn pad_by_arrival(&mut self, flush_after: Option<Nanos>) {
        self.host_units = flush_after.map(|flush_after| Box::new(HostUnits::new(flush_after)));
    }

    /// A request arrives: units that would have been programmed by now without their other pages are padded, in the
    /// order in which they were begun.
    pub fn arrives(&mut self, now_ns: u64) {
        let Some(units) = &mut self.host_units else { return };
        units.arrives(now_ns);
        while let Some(begun) = self.host_units.as_mut().and_then(|units| units.next_due()) {
            let block = self.geometry.block_of(begun.page);
            let taken = self.blocks.allocated(block).wrapping_sub(self.geometry.page_in_block(begun.page));
            if self.blocks.erases(block) == begun.erases && taken < self.geometry.unit_pages_of(block) {
                self.finish_host_unit(block);
            }
        }
        self.program_parity_now();
    }

    /// A play of the trace has ended: nothing more arrives, so that all units are padded.
    pub fn arrivals_end(&mut self) {
        if let Some(units) = &mut self.host_units {
            units.forget();
            self.finish_host_units();
        }
    }

    /// Notes a unit that begins with the page.
    #[inline]
    pub(super) fn host_has_taken(&mut self, page: Ppn) {
        if let Some(units) = &mut self.host_units {
            let block = self.geometry.block_of(page);
            if self.geometry.page_in_block(page).is_multiple_of(self.geometry.unit_pages_of(block)) {
                units.begin(page, self.blocks.erases(block));
            }
        }
    }
}

// Filling a drive many pages at a time: until the next block fills up, no policy decides or hears of a single page.

impl Ftl {
    /// Logical pages of which the host writes each by itself, in order: the same state as after [`Self::write_now`] of
    /// each.
    ///
    /// # Panics
    /// As [`Self::write_now`].
    pub fn fill_now(&mut self, pages: Range<u32>) {
        let mut next = pages.start;
        while next < pages.end {
            let quiet = next..next + self.quiet_pages().min(pages.end - next);
            if !quiet.is_empty() && self.map.next_mapped(quiet.start, quiet.end).is_none() {
                next = quiet.end;
                self.fill_quietly(quiet);
            }
            // In the turn that follows blocks fill up, or are opened.
            let turn = next..(next + self.geometry.planes()).min(pages.end);
            next = turn.end;
            for page in turn {
                self.note_request(true);
                self.write_now(Lpn(page));
            }
        }
    }

    /// How many consecutive pages that are nowhere yet can be written before a block fills up or somebody is asked.
    fn quiet_pages(&self) -> u32 {
        let policies = &self.policies;
        let each_by_itself = self.hears_of_pages()
            || self.chooses_for_host
            || self.counts_room
            || self.host_units.is_some()
            || self.geometry.parts_of_page > 1
            || policies.limit_remembers;
        let Some(order) = policies.static_order.as_ref().filter(|_| !each_by_itself) else { return 0 };
        let left = |plane: &PlaneId| self.left(self.points.open(*plane, Stream::HOST));
        let turns = order.planes().iter().map(left).min().unwrap_or(0).saturating_sub(1);
        turns * order.planes().len() as u32
    }

    fn fill_quietly(&mut self, pages: Range<u32>) {
        let Some(order) = &self.policies.static_order else { return };
        let planes = order.planes();
        let count = pages.len() as u32;
        // The first pages of those that each plane gets.
        for first in pages.start..pages.start + count.min(planes.len() as u32) {
            let plane = order.plane_of(Lpn(first));
            let block = self.points.open(plane, Stream::HOST);
            let of_plane = (pages.end - first).div_ceil(planes.len() as u32);
            let page = self.blocks.fill(block, of_plane);
            let begin = self.geometry.page(block, page);
            self.map.map_in_steps(Lpn(first), planes.len(), begin, of_plane);
            self.tally.note_host_pages(plane, of_plane);
        }
        self.tally.note_taken(count);
        if let Some(streams) = self.tally.streams_mut() {
            for lpn in pages.map(Lpn) {
                streams.note_write(lpn);
                streams.note_host_program(lpn);
            }
        }
    }
}
