//! Pages that collection has lifted out of flash: in the controller's buffer until they are written back.

use super::state::Ftl;
use crate::gc::events::BlockEvent;
use crate::gc::relocation::DestinationView;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn, SlotId};
use crate::mapping::{Cause, Place};

impl Ftl {
    /// In how many batches a job lifts its pages.
    pub fn batches(&self) -> u32 {
        self.policies.relocation.batches()
    }

    /// Whether the way to a chip is held between the pages that are written back to it.
    pub fn holds(&self) -> bool {
        self.policies.relocation.holds()
    }

    /// A page of a write is replaced in the collector's buffer, if it waits there and the relocation policy has it so.
    /// Tells whether it is.
    pub fn absorb_write(&mut self, lpn: Lpn) -> bool {
        let Place::Buffer(slot) = self.map.place(lpn) else { return false };
        if !self.policies.absorbs || !self.map.slot(slot).waits_in_buffer {
            return false;
        }
        if self.open.is_some() {
            self.policies.placement.on_write(lpn);
        }
        if let Some(versions) = &mut self.versions {
            versions.absorbed(lpn, slot);
        }
        self.policies.relocation.on_absorbed();
        true
    }

    /// Pages of a job are about to be written back together.
    pub fn begin_batch(&mut self) {
        self.policies.relocation.begin_batch();
    }

    /// Whether relocation lifts pages.
    #[inline]
    pub fn lifts(&self) -> bool {
        self.policies.lifts
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
        if slot.is_none() && !self.policies.in_batches {
            self.gives_up(1);
        }
        slot
    }

    /// So many pages of a job need no room in the buffer any more.
    pub fn gives_up(&mut self, pages: u32) {
        self.policies.relocation.gives_up(pages);
    }

    /// Pages that take room in the buffer.
    pub fn lifted_or_owing(&self) -> u32 {
        self.policies.relocation.occupied()
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
        let plane = self.policies.relocation.destination(home, &view);
        self.planes[plane.index()].owed_pages += 1;
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
        self.policies.relocation.cancelled();
        self.gives_up(u32::from(!needs_room));
    }

    /// The same of one whose write-back was queued at `plane`.
    pub fn cancel_owed(&mut self, slot: SlotId, plane: PlaneId, needs_room: bool) {
        self.planes[plane.index()].owed_pages -= 1;
        self.cancel(slot, needs_room);
    }

    /// Take the page that a plane owes to a lifted one.
    pub fn take_owed_page(&mut self, plane: PlaneId, slot: SlotId, cause: Cause) -> Ppn {
        self.planes[plane.index()].owed_pages -= 1;
        self.map.begin_lowering(slot);
        self.take_gc_page(plane, self.map.slot(slot).lpn, cause)
    }

    /// The write-back of a lifted page ended.
    #[inline(never)]
    pub fn commit_lifted(&mut self, ppn: Ppn, slot: SlotId, needs_room: bool) {
        self.commit_host(ppn, slot);
        self.map.lower();
        self.gives_up(u32::from(!needs_room));
    }

    /// Without time: lift all valid pages of a victim, batch by batch, erase it, and write back what is left.
    pub(super) fn lift_all_now(&mut self, victim: BlockId, plane: PlaneId, cause: Cause) {
        let first = self.geometry.page(victim, 0).0;
        let end = first + self.geometry.pages_per_block;
        let batch = self.blocks.valid(victim).div_ceil(self.policies.relocation.batches());
        let mut slots = std::mem::take(&mut self.lifted_now);
        let mut from = Ppn(first);
        while let Some(page) = self.map.next_valid(from, end) {
            if slots.len() as u32 == batch {
                self.write_back_now(&mut slots, plane, cause, true);
            }
            slots.extend(self.lift(page));
            from = Ppn(page.0 + 1);
        }
        if self.policies.in_batches {
            self.gives_up(batch - slots.len() as u32);
        }
        self.end_collection(victim, cause);
        self.write_back_now(&mut slots, plane, cause, false);
        self.lifted_now = slots;
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
