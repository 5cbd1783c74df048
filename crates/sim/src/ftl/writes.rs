//! The life of a page: accepted from the host, given a physical page, committed when that is programmed, invalidated.

use super::allocation;
use super::state::Ftl;
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn, SlotId};
use crate::mapping::{BlockState, Cause, Place, Stream};

impl Ftl {
    /// The host writes `lpn`: the data is in the buffer, what it replaces is invalid. A `partial` write keeps the
    /// flash copy it does not replace wholly until [`Self::drop_backing`].
    #[inline]
    pub fn accept_write(&mut self, lpn: Lpn, partial: bool) -> SlotId {
        if self.notes_writes {
            self.note_write(lpn);
        }
        if self.policies.borrows {
            self.tell_write(lpn);
        }
        let before = self.map.place(lpn);
        let backing = match before {
            Place::Flash(ppn) => ppn,
            Place::Buffer(slot) => self.map.set_backing(slot, Ppn::NONE),
            Place::Nowhere | Place::Lost => Ppn::NONE,
        };
        let (slot, _) = self.map.buffer(lpn, if partial { backing } else { Ppn::NONE });
        if !partial && backing.is_some() {
            self.invalidate(backing);
        }
        if self.gc_buffer.is_some() || self.translation.is_some() {
            self.map.note_host_slots();
        }
        if let Some(versions) = &mut self.versions {
            versions.accepted(lpn, slot, partial && backing.is_some());
            if let Place::Buffer(older) = before {
                versions.settled(older);
            }
        }
        slot
    }

    /// A translation page is written: the slot that it is in until its program has ended.
    pub(crate) fn accept_translation_page(&mut self, page: Lpn) -> SlotId {
        let before = self.map.place(page);
        let (slot, _) = self.map.buffer(page, Ppn::NONE);
        self.map.note_translation_slot();
        if let Place::Flash(old) = before {
            self.invalidate(old);
        }
        if let Some(versions) = &mut self.versions {
            versions.accepted(page, slot, false);
            if let Place::Buffer(older) = before {
                versions.settled(older);
            }
        }
        slot
    }

    /// Its program has ended.
    pub(crate) fn commit_translation_page(&mut self, ppn: Ppn, slot: SlotId) {
        self.commit_host(ppn, slot);
        self.map.end_translation_slot();
    }

    /// A slot waits for its program, and may be overwritten until that has its page.
    pub(crate) fn await_program(&mut self, slot: SlotId) {
        self.map.await_program(slot);
    }

    /// The program of a slot has its page.
    pub(crate) fn begin_program(&mut self, slot: SlotId) {
        self.map.begin_program(slot);
    }

    /// A page of a write replaces an older one that waits in the write buffer, if there is one. Tells whether it does.
    pub(crate) fn merge_write(&mut self, lpn: Lpn) -> bool {
        let Place::Buffer(slot) = self.map.place(lpn) else { return false };
        if !self.map.slot(slot).waits_in_buffer {
            return false;
        }
        if self.notes_writes {
            self.note_write(lpn);
        }
        if self.policies.borrows {
            self.tell_write(lpn);
        }
        if let Some(versions) = &mut self.versions {
            versions.merged(lpn, slot);
        }
        true
    }

    /// A partial write has read what it needs of the old flash copy.
    pub fn drop_backing(&mut self, slot: SlotId) {
        let backing = self.map.set_backing(slot, Ppn::NONE);
        if backing.is_some() {
            self.invalidate(backing);
        }
    }

    /// The audit is told that the rest of a partly written page has come from flash.
    pub(crate) fn note_rest_read(&mut self, slot: SlotId) {
        if let Some(versions) = &mut self.versions {
            versions.settled(slot);
        }
    }

    /// The host no longer needs `lpn`. Tells whether there was anything to forget.
    pub fn trim(&mut self, lpn: Lpn) -> bool {
        let before = self.map.unmap(lpn);
        match before {
            Place::Nowhere => return false,
            Place::Flash(ppn) => self.invalidate(ppn),
            Place::Buffer(slot) => self.drop_backing(slot),
            Place::Lost => {}
        }
        if self.chooses_for_host {
            self.policies.placement.on_trim(lpn);
        }
        if self.policies.borrows {
            self.tell_trim(lpn);
        }
        if let Some(versions) = &mut self.versions {
            versions.trimmed(lpn);
            if let Place::Buffer(slot) = before {
                versions.settled(slot);
            }
        }
        self.entry_changes(lpn);
        true
    }

    /// So many bytes of a write of the host enter the write buffer.
    #[inline]
    pub fn note_host_bytes(&mut self, bytes: u64) {
        self.tally.note_host_bytes(bytes);
    }

    /// Where a host write of `lpn` should go, given the operations pending on each die.
    #[inline]
    pub fn place_write(&mut self, lpn: Lpn, pending_per_die: &[u32]) -> Option<PlaneId> {
        if let Some(order) = &self.policies.static_order {
            return Some(order.plane_of(lpn));
        }
        let accounting = accounting!(self);
        let class = self.stream_of(lpn);
        let view =
            allocation::PlacementView { ftl: &accounting, class, geometry: &self.geometry, pending_per_die };
        self.policies.allocation.place(lpn, &view)
    }

    /// A plane was chosen for a write that has no page yet.
    #[inline]
    pub fn reserve_page(&mut self, plane: PlaneId) {
        self.planes[plane.index()].reserved_pages += 1;
    }

    /// The write that had reserved a page got one (or was dropped).
    #[inline]
    pub fn consume_reservation(&mut self, plane: PlaneId) {
        self.planes[plane.index()].reserved_pages -= 1;
    }

    /// Take the next page for a host write of `lpn`, if the plane has one to give.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; what is rare of it is out of line")]
    pub fn take_host_page(&mut self, plane: PlaneId, lpn: Lpn) -> Option<Ppn> {
        if !self.host_can_take(plane) {
            return None;
        }
        if self.superblocks.is_some() {
            return Some(self.take_page_of_scope(plane, lpn));
        }
        if self.cache.is_some()
            && let Some(page) = self.take_cache_page(plane, lpn)
        {
            return Some(page);
        }
        let stream = if self.chooses_for_host {
            self.place_among_open(plane, lpn)
        } else {
            if self.left(self.points.open(plane, Stream::HOST)) == 0 {
                self.open_for_host(plane, Stream::HOST)?;
            }
            Stream::HOST
        };
        self.tally.note_host_page(plane, lpn);
        let page = self.take(plane, self.points.open(plane, stream), lpn);
        self.host_has_taken(page);
        Some(page)
    }

    #[cold]
    pub(super) fn open_for_host(&mut self, plane: PlaneId, stream: Stream) -> Option<()> {
        let block = self.open_block(plane)?;
        self.points.push(plane, stream, block);
        Some(())
    }

    /// Open the block after one that has just been filled, as far as space allows, so that the trigger is asked now and
    /// not at the next write. Tells whether it did.
    pub fn open_ahead(&mut self, plane: PlaneId, for_gc: Option<Cause>) -> bool {
        if self.points.is_shared() {
            return false;
        }
        let is_open = |stream: Stream| self.points.open(plane, stream).is_some();
        match for_gc {
            Some(cause)
                if !is_open(self.points.collection(0)) && !self.planes[plane.index()].free.is_empty() =>
            {
                self.open_next_for_gc(plane, cause);
                true
            }
            None if !is_open(Stream::HOST) && self.host_can_take(plane) => {
                self.open_for_host(plane, Stream::HOST).is_some()
            }
            _ => false,
        }
    }

    /// Take the next page for a collected page that holds `lpn` and lay at `from`; nowhere, if it waits in a buffer.
    ///
    /// # Panics
    /// When there is none: the reserve kept from the host must make that impossible.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; what is rare of it is out of line")]
    pub fn take_gc_page(&mut self, plane: PlaneId, lpn: Lpn, from: Ppn, cause: Cause) -> Ppn {
        if self.chooses_collected {
            self.collect_by_class(plane, (lpn, from), cause);
        } else {
            self.open_for_gc(plane, cause);
        }
        if cause == Cause::Fold {
            self.note_folded(plane);
        }
        self.tally.note_relocated(plane, lpn, cause);
        self.take(plane, self.block_for_gc(plane), lpn)
    }

    /// The plane has an open block for collected pages, from now on at the latest.
    #[inline]
    pub(super) fn open_for_gc(&mut self, plane: PlaneId, cause: Cause) {
        if self.left(self.block_for_gc(plane)) == 0 {
            self.open_next_for_gc(plane, cause);
        }
    }

    /// The open block for collected pages, if there is one.
    #[inline]
    pub(super) fn block_for_gc(&self, plane: PlaneId) -> BlockId {
        self.points.open(plane, self.points.last_collected(plane))
    }

    #[cold]
    fn open_next_for_gc(&mut self, plane: PlaneId, cause: Cause) {
        let block = self.open_gc_block(plane, cause);
        self.points.push(plane, self.points.last_collected(plane), block);
    }

    #[inline]
    pub(super) fn take(&mut self, plane: PlaneId, block: BlockId, lpn: Lpn) -> Ppn {
        let ppn = self.allocate(plane, block);
        self.map.claim(ppn, lpn);
        ppn
    }

    /// The next page of an open block, whatever is to be in it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; what is rare of it is `note_full`")]
    pub(super) fn allocate(&mut self, plane: PlaneId, block: BlockId) -> Ppn {
        let page = self.blocks.allocate(block);
        if page + 1 == self.geometry.pages_per_block {
            self.note_full(plane, block);
        }
        self.tally.note_taken(1);
        let ppn = self.geometry.page(block, page);
        if self.geometry.rows.is_some() {
            self.row_grows(ppn);
        }
        ppn
    }

    /// A full block is not open: it may be collected and erased before the next one is opened.
    #[cold]
    pub(super) fn note_full(&mut self, plane: PlaneId, block: BlockId) {
        self.blocks.set_state(block, BlockState::Filling);
        self.points.leave(plane, block);
    }

    /// The page of a stream that would be taken next: its number in the block.
    pub(super) fn next_page_of(&self, plane: PlaneId, stream: Stream) -> u32 {
        let open = self.points.open(plane, stream);
        if open.is_some() { self.blocks.allocated(open) } else { 0 }
    }

    /// The same of a collected page.
    pub fn next_collected_page(&self, plane: PlaneId) -> u32 {
        self.next_page_of(plane, self.points.last_collected(plane))
    }

    /// The program of a host page ended. Tells whether its data was still the newest.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page of the host; the other call is rare")]
    pub fn commit_host(&mut self, ppn: Ppn, slot: SlotId) -> bool {
        if let Some(versions) = &mut self.versions {
            versions.programmed_from_slot(ppn, slot);
            versions.acknowledge(self.map.slot(slot).lpn, slot);
        }
        let newest = self.map.unbuffer(slot, ppn);
        let block = self.geometry.block_of(ppn);
        if newest {
            self.blocks.gain_valid(block);
            self.tell(BlockEvent::Programmed(ppn), block);
        }
        self.settle(block);
        newest
    }

    /// The program of a collected page ended. Tells whether the copy was still wanted.
    #[inline]
    pub fn commit_move(&mut self, from: Ppn, to: Ppn) -> bool {
        if let Some(versions) = &mut self.versions {
            versions.copied(from, to);
        }
        let to_block = self.geometry.block_of(to);
        let wanted = self.map.is_valid(from);
        if wanted {
            if self.translation.is_some() {
                self.entry_changes(self.map.owner(from));
            }
            self.map.relocate(from, to);
            let left = self.geometry.block_of(from);
            self.blocks.lose_valid(left);
            self.blocks.gain_valid(to_block);
            if self.policies.somebody_hears != BlockEvents::NONE {
                self.tell_relocated(from, to);
            }
            if self.policies.borrows && self.blocks.state(left) == BlockState::Sealed {
                self.page_borrowed(from, left);
            }
        }
        self.settle(to_block);
        wanted
    }

    /// A program of `block` ended; the last one seals it.
    #[inline]
    pub(super) fn settle(&mut self, block: BlockId) {
        self.blocks.settle(block);
        self.seal_if_settled(block);
    }

    #[inline]
    pub(super) fn seal_if_settled(&mut self, block: BlockId) {
        if self.blocks.state(block) == BlockState::Filling && self.blocks.in_flight(block) == 0 {
            self.seal(block);
        }
    }

    pub(super) fn seal(&mut self, block: BlockId) {
        if self.geometry.is_cache_block(block) {
            return self.seal_cached(block);
        }
        self.blocks.seal(block, self.tally.programmed());
        if self.superblocks.is_some() {
            return self.part_sealed(block);
        }
        let plane = self.geometry.plane_of(block);
        let reclaimable = self.geometry.reclaimable(self.blocks.valid(block));
        self.policies.victim.on_sealed(block, &block_view!(self));
        self.tell(BlockEvent::Sealed, block);
        self.gain_reclaimable(plane, reclaimable);
    }

    pub(super) fn gain_reclaimable(&mut self, plane: PlaneId, pages: u32) {
        let state = &mut self.planes[plane.index()];
        state.reclaimable += pages;
        if state.starved && pages > 0 {
            state.starved = false;
            self.signals.push(plane);
        }
    }

    /// The flash copy at `ppn` is no longer needed.
    #[inline]
    pub(super) fn invalidate(&mut self, ppn: Ppn) {
        self.map.invalidate(ppn);
        let block = self.geometry.block_of(ppn);
        self.blocks.lose_valid(block);
        self.tell(BlockEvent::Invalidated(ppn), block);
        if self.blocks.state(block) == BlockState::Sealed {
            self.lost_page(block, ppn);
        }
    }

    /// A full block has lost a valid page.
    #[inline]
    pub(super) fn lost_page(&mut self, block: BlockId, page: Ppn) {
        if self.superblocks.is_some() {
            return self.part_lost_page(block, page);
        }
        self.policies.victim.on_invalidated(block, page, &block_view!(self));
        let gain = self.geometry.reclaimable_by_one(self.blocks.valid(block));
        self.gain_reclaimable(self.geometry.plane_of(block), gain);
    }
}
