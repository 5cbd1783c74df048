//! Pages that collection has lifted out of flash: in the controller's buffer until they are written back.

use super::state::Ftl;
use crate::gc::Batch;
use crate::gc::events::BlockEvent;
use crate::gc::relocation::{DestinationView, GcBuffer};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn, SlotId};
use crate::mapping::{Cause, Place};

impl Ftl {
    /// The collector's buffer, if relocation has one.
    #[inline]
    pub fn gc_buffer(&self) -> Option<&GcBuffer> {
        self.gc_buffer.as_ref()
    }

    /// The same, where pages are lifted.
    ///
    /// # Panics
    /// When there is none.
    pub fn gc_buffer_mut(&mut self) -> &mut GcBuffer {
        self.gc_buffer.as_mut().expect("only who has a buffer lifts pages")
    }

    /// Number of valid pages of a victim that a job lifts before it writes any back; all of them without a buffer.
    pub fn pages_of_batch(&self, victim: BlockId) -> u32 {
        let valid = self.blocks.valid(victim);
        self.gc_buffer.as_ref().map_or(valid, |buffer| buffer.pages_of_batch(valid))
    }

    /// Whether the buffer, if there is one, has room for the pages of a victim, which take it then.
    pub(super) fn fits_in_buffer(&mut self, victim: BlockId) -> bool {
        let valid = self.blocks.valid(victim);
        self.gc_buffer.as_mut().is_none_or(|buffer| buffer.admits(valid))
    }

    /// A page of a write is replaced in the collector's buffer, if it waits there and the relocation policy has it so.
    /// Tells whether it is.
    pub fn absorb_write(&mut self, lpn: Lpn) -> bool {
        let Place::Buffer(slot) = self.map.place(lpn) else { return false };
        if !self.gc_buffer_mut().rules().absorbs_writes || !self.map.slot(slot).waits_in_buffer {
            return false;
        }
        self.gc_buffer_mut().absorbs();
        if self.notes_writes {
            self.note_write(lpn);
        }
        if let Some(versions) = &mut self.versions {
            versions.absorbed(lpn, slot);
        }
        true
    }

    /// Pages of a job are about to be written back together.
    pub fn begin_batch(&mut self) {
        if let Some(destinations) = self.policies.relocation.destinations() {
            destinations.begin_batch();
        }
    }

    /// The valid page at `from` has been read into the buffer: its slot there. `None` if a partial write had waited for
    /// it, which has all of its page now.
    pub fn lift(&mut self, from: Ppn) -> Option<SlotId> {
        let slot = match self.map.place(self.map.owner(from)) {
            Place::Buffer(slot) => {
                self.map.set_backing(slot, Ppn::NONE);
                self.map.invalidate(from);
                self.note_rest_read(slot);
                None
            }
            _ => Some(self.map.lift(from)),
        };
        if let (Some(versions), Some(slot)) = (&mut self.versions, slot) {
            versions.lifted(from, slot);
        }
        let block = self.geometry.block_of(from);
        self.blocks.lose_valid(block);
        self.tell(BlockEvent::Invalidated(from), block);
        if slot.is_none() {
            self.gc_buffer_mut().is_passed_over();
        }
        slot
    }

    /// The plane that a lifted page is written back to, which owes it a page from now on. `None` if the host has
    /// replaced it: its slot is given up, its room only where its job does not need that any more.
    pub fn send_back(
        &mut self,
        slot: SlotId,
        home: PlaneId,
        pending_per_die: &[u32],
        needs_room: bool,
    ) -> Option<PlaneId> {
        if !self.map.is_newest(slot) {
            self.cancel(slot, needs_room);
            return None;
        }
        let accounting = accounting!(self);
        let view = DestinationView {
            planes: &self.planes,
            accounting: &accounting,
            geometry: &self.geometry,
            pending_per_die,
        };
        let destinations = self.policies.relocation.destinations();
        let plane = destinations.map_or(home, |destinations| destinations.choose(home, &view));
        self.planes[plane.index()].owed_pages += 1;
        self.gc_buffer_mut().is_sent(plane != home);
        Some(plane)
    }

    /// Whether the host has replaced a lifted page.
    pub fn is_replaced(&self, slot: SlotId) -> bool {
        !self.map.is_newest(slot)
    }

    /// The host has replaced a lifted page: it is not written back.
    fn cancel(&mut self, slot: SlotId, needs_room: bool) {
        self.map.give_up(slot);
        self.map.lower();
        self.gc_buffer_mut().is_cancelled(needs_room);
    }

    /// The same of one whose write-back was queued at `plane`.
    pub fn cancel_owed(&mut self, slot: SlotId, plane: PlaneId, needs_room: bool) {
        self.planes[plane.index()].owed_pages -= 1;
        self.cancel(slot, needs_room);
    }

    /// Take the page that a plane owes to a lifted one.
    pub fn take_owed_page(&mut self, plane: PlaneId, slot: SlotId, cause: Cause) -> Ppn {
        self.planes[plane.index()].owed_pages -= 1;
        self.map.begin_program(slot);
        self.take_gc_page(plane, self.map.slot(slot).lpn, Ppn::NONE, cause)
    }

    /// The write-back of a lifted page ended.
    #[inline(never)]
    pub fn commit_lifted(&mut self, ppn: Ppn, slot: SlotId, needs_room: bool) {
        self.commit_host(ppn, slot);
        self.map.lower();
        self.gc_buffer_mut().leaves(needs_room);
    }

    /// Without time: lift all valid pages of a victim, batch by batch, erase it, and write back what is left.
    pub(super) fn lift_all_now(&mut self, victim: BlockId, plane: PlaneId, cause: Cause) {
        let first = self.geometry.page(victim, 0).0;
        let end = first + self.geometry.pages_per_block;
        let batch = self.pages_of_batch(victim);
        let mut slots = std::mem::take(&mut self.lifted_now);
        let mut from = Ppn(first);
        while let Some(page) = self.map.next_valid(from, end) {
            if slots.len() as u32 == batch {
                self.write_back_now(&mut slots, plane, cause, true);
            }
            slots.extend(self.lift(page));
            from = Ppn(page.0 + 1);
        }
        self.gc_buffer_mut().all_lifted(Batch { pages: batch, taken: batch, lifted: slots.len() as u32 });
        self.end_collection(victim, cause);
        self.write_back_now(&mut slots, plane, cause, false);
        self.lifted_now = slots;
        // Nobody waits for room.
        self.gc_buffer_mut().take_has_room_again();
    }

    fn write_back_now(&mut self, slots: &mut Vec<SlotId>, home: PlaneId, cause: Cause, needs_room: bool) {
        self.begin_batch();
        for slot in slots.drain(..) {
            if let Some(to) = self.send_back(slot, home, &[], needs_room) {
                let ppn = self.take_owed_page(to, slot, cause);
                self.commit_lifted(ppn, slot, needs_room);
            }
        }
    }
}
