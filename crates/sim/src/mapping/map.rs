//! Page-level mapping: where every logical page is (nowhere, in flash, or in the controller's buffer).

use serde::{Deserialize, Serialize};

use super::bits::Bits;
use super::table::Table;
use crate::ids::{Lpn, Ppn, SlotId};

/// Stands for no place in the forward table.
const NOWHERE: u32 = u32::MAX;

/// Stands for a page whose chip was lost.
pub(super) const LOST: u32 = u32::MAX - 1;

/// Where the newest version of a logical page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Never written, or trimmed.
    Nowhere,
    /// In the flash array.
    Flash(Ppn),
    /// In the controller's buffer, on its way to flash.
    Buffer(SlotId),
    /// It was in flash on a chip that was lost: the rest of its stripe tells what it is.
    Lost,
}

/// A page in the controller's buffer.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// The logical page.
    pub lpn: Lpn,
    /// A flash copy still needed because the buffered write covers only part of the page; else [`Ppn::NONE`].
    pub backing: Ppn,
    /// No page is taken for it yet, and it may be overwritten where it is: collection has lifted it out of flash, or
    /// writes are merged.
    pub waits_in_buffer: bool,
}

/// The mapping tables: eight bytes and a bit per page, plus the buffer's slots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mapping {
    /// Per logical page: a physical page below `physical_pages`, from there on a slot; `u32::MAX` is nowhere, and one
    /// less lost.
    pub(super) forward: Table,
    physical_pages: u32,
    /// Per physical page: the logical page programmed there last.
    reverse: Table,
    /// Per physical page: whether it holds the newest flash copy of its logical page.
    pub(super) valid: Bits,
    /// Logical pages that are somewhere.
    mapped: u32,
    /// How many bits of `valid` are one. A saved state does not have it.
    #[serde(skip)]
    pub(super) valid_pages: u32,
    /// Slots of pages that collection has lifted out of flash; the others are the write buffer's.
    #[serde(skip)]
    lifted_slots: u32,
    /// Slots of translation pages, which are not the write buffer's either.
    #[serde(skip)]
    translation_slots: u32,
    /// Whether there ever was a slot that was not the write buffer's.
    #[serde(skip)]
    has_others: bool,
    /// Most slots of the write buffer at once, where there ever were others.
    #[serde(skip)]
    most_host_slots: u32,
    /// Of slots that belong to a stripe: the flash page where its page was, and the one where it was programmed.
    #[serde(skip)]
    pub(super) copies: Vec<SlotCopies>,
    #[serde(skip)]
    slots: Vec<Slot>,
    #[serde(skip)]
    pub(super) free_slots: Vec<SlotId>,
}

impl Mapping {
    /// Nothing is mapped.
    pub fn new(logical_pages: u32, physical_pages: u32) -> Self {
        Self {
            forward: Table::new(logical_pages, NOWHERE),
            physical_pages,
            reverse: Table::new(physical_pages, Lpn::NONE.0),
            valid: Bits::new(physical_pages),
            mapped: 0,
            valid_pages: 0,
            lifted_slots: 0,
            translation_slots: 0,
            has_others: false,
            most_host_slots: 0,
            copies: Vec::new(),
            slots: Vec::new(),
            free_slots: Vec::new(),
        }
    }

    /// Logical pages.
    pub fn logical_pages(&self) -> u32 {
        self.forward.as_slice().len() as u32
    }

    /// Logical pages that are somewhere.
    pub fn mapped(&self) -> u32 {
        self.mapped
    }

    /// Where the newest version of `lpn` is.
    #[inline]
    pub fn place(&self, lpn: Lpn) -> Place {
        match self.forward.get(lpn.0) {
            page if page < self.physical_pages => Place::Flash(Ppn(page)),
            NOWHERE => Place::Nowhere,
            LOST => Place::Lost,
            slot => Place::Buffer(SlotId(slot - self.physical_pages)),
        }
    }

    /// Where in flash every logical page is, in their order; `None` of one that is elsewhere, or nowhere.
    pub(crate) fn places(&self) -> impl Iterator<Item = Option<Ppn>> {
        let page = |place: &u32| Some(Ppn(*place)).filter(|page| page.0 < self.physical_pages);
        self.forward.as_slice().iter().map(page)
    }

    /// The flash page that a read of `lpn` needs: where it is, or what a partial write in the buffer still needs of it.
    #[inline]
    pub fn flash_copy(&self, lpn: Lpn) -> Option<Ppn> {
        match self.place(lpn) {
            Place::Flash(ppn) => Some(ppn),
            Place::Buffer(slot) => Some(self.slot(slot).backing).filter(|ppn| ppn.is_some()),
            Place::Nowhere | Place::Lost => None,
        }
    }

    /// Whether `ppn` holds the newest flash copy of its logical page.
    #[inline]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        self.valid.get(ppn.0)
    }

    /// The logical page programmed at `ppn` last.
    #[inline]
    pub fn owner(&self, ppn: Ppn) -> Lpn {
        Lpn(self.reverse.get(ppn.0))
    }

    /// How many of the pages from `from` on are valid, of those whose bits in `pages` are one.
    pub fn count_valid(&self, from: Ppn, pages: &[u64]) -> u32 {
        let of_word = |(place, word): (usize, &u64)| self.valid.window(from.0 + 64 * place as u32) & word;
        pages.iter().enumerate().map(|each| of_word(each).count_ones()).sum()
    }

    /// The first valid page in `from..to`.
    #[inline]
    pub fn next_valid(&self, from: Ppn, to: u32) -> Option<Ppn> {
        let found = self.valid.next_one(from.0, to).map(Ppn);
        debug_assert!(found.is_none_or(|page| (from.0..to).contains(&page.0)), "{from:?} to {to}: {found:?}");
        found
    }

    /// The first mapped logical page in `from..to`: a quick way over what was never written.
    #[inline]
    pub fn next_mapped(&self, from: u32, to: u32) -> Option<Lpn> {
        let slice = &self.forward.as_slice()[from as usize..to as usize];
        slice.iter().position(|place| *place != NOWHERE).map(|ahead| Lpn(from + ahead as u32))
    }

    /// A buffered page.
    #[inline]
    pub fn slot(&self, slot: SlotId) -> Slot {
        self.slots[slot.index()]
    }

    /// Slots in use.
    pub fn slots_in_use(&self) -> usize {
        self.slots.len() - self.free_slots.len()
    }

    /// Most slots that the write buffer had in use at once.
    pub fn most_slots(&self) -> u32 {
        // Without others there are as many slots as were ever needed.
        if self.has_others { self.most_host_slots } else { self.slots.len() as u32 }
    }

    /// `lpn` will be programmed at `ppn`; nothing is valid yet.
    #[inline]
    pub(crate) fn claim(&mut self, ppn: Ppn, lpn: Lpn) {
        debug_assert!(!self.is_valid(ppn));
        self.reverse.set(ppn.0, lpn.0);
    }

    /// The newest version of `lpn` is now in the buffer; tells where it was before.
    #[inline]
    pub(crate) fn buffer(&mut self, lpn: Lpn, backing: Ppn) -> (SlotId, Place) {
        let before = self.place(lpn);
        let content = Slot { lpn, backing, waits_in_buffer: false };
        let slot = if let Some(slot) = self.free_slots.pop() {
            self.slots[slot.index()] = content;
            slot
        } else {
            self.slots.push(content);
            SlotId(self.slots.len() as u32 - 1)
        };
        self.mapped += u32::from(before == Place::Nowhere);
        let number = self.physical_pages + slot.0;
        assert!(number < LOST, "more pages in the buffer than there are numbers for");
        self.forward.set(lpn.0, number);
        (slot, before)
    }

    /// The buffered page was programmed (or dropped): its slot is free again. Tells whether it was still the
    /// newest version; then `lpn` is now at `ppn`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page of the host; the other call is rare")]
    pub(crate) fn unbuffer(&mut self, slot: SlotId, ppn: Ppn) -> bool {
        let lpn = self.slots[slot.index()].lpn;
        self.free_slots.push(slot);
        let newest = self.place(lpn) == Place::Buffer(slot);
        if newest {
            self.forward.set(lpn.0, ppn.0);
            self.valid.set(ppn.0);
            self.valid_pages += 1;
        }
        newest
    }

    /// The page at `from` is in the buffer now and nowhere else: its slot. The flash copy is not valid any more.
    pub(crate) fn lift(&mut self, from: Ppn) -> SlotId {
        self.invalidate(from);
        let (slot, _) = self.buffer(self.owner(from), Ppn::NONE);
        self.slots[slot.index()].waits_in_buffer = true;
        self.lifted_slots += 1;
        self.has_others = true;
        slot
    }

    /// A page of the host waits for its program, and may be overwritten meanwhile.
    pub(crate) fn await_program(&mut self, slot: SlotId) {
        self.slots[slot.index()].waits_in_buffer = true;
    }

    /// A page is taken for one that could be overwritten: whatever is written now comes too late for it.
    pub(crate) fn begin_program(&mut self, slot: SlotId) {
        self.slots[slot.index()].waits_in_buffer = false;
    }

    /// A slot that lifting had taken is free again: its page was programmed, or nobody wants it any more.
    pub(crate) fn lower(&mut self) {
        self.lifted_slots -= 1;
    }

    /// Give up a slot whose page was overwritten or trimmed.
    pub(crate) fn give_up(&mut self, slot: SlotId) {
        debug_assert!(!self.is_newest(slot));
        self.free_slots.push(slot);
    }

    /// A slot is that of a translation page.
    pub(crate) fn note_translation_slot(&mut self) {
        self.translation_slots += 1;
        self.has_others = true;
    }

    /// A slot of a translation page is free again.
    pub(crate) fn end_translation_slot(&mut self) {
        self.translation_slots -= 1;
    }

    /// Whether the newest version of a slot's page is in it.
    pub fn is_newest(&self, slot: SlotId) -> bool {
        self.place(self.slots[slot.index()].lpn) == Place::Buffer(slot)
    }

    /// A page of the host has entered the buffer beside others.
    pub(crate) fn note_host_slots(&mut self) {
        self.most_host_slots = self.most_host_slots.max(self.host_slots() as u32);
    }

    /// Slots in use of the write buffer, without those of lifted and of translation pages.
    #[inline]
    pub fn host_slots(&self) -> usize {
        self.slots_in_use() - (self.lifted_slots + self.translation_slots) as usize
    }

    /// Slots in use of lifted pages.
    #[inline]
    pub fn lifted_slots(&self) -> u32 {
        self.lifted_slots
    }

    /// Forget or change the flash copy a buffered page still needs; tells what it was.
    #[inline]
    pub(crate) fn set_backing(&mut self, slot: SlotId, backing: Ppn) -> Ppn {
        std::mem::replace(&mut self.slots[slot.index()].backing, backing)
    }

    /// `lpn` is now at `ppn`, without a detour through the buffer; tells where it was before.
    #[inline]
    pub(crate) fn map(&mut self, lpn: Lpn, ppn: Ppn) -> Place {
        let before = self.place(lpn);
        self.mapped += u32::from(before == Place::Nowhere);
        self.forward.set(lpn.0, ppn.0);
        self.reverse.set(ppn.0, lpn.0);
        self.valid.set(ppn.0);
        self.valid_pages += 1;
        before
    }

    /// Of the logical pages from `first` on every `step`th, none of which is anywhere, now lives at the next of the
    /// `count` pages from `place` on.
    pub(crate) fn map_in_steps(&mut self, first: Lpn, step: usize, place: Ppn, count: u32) {
        let places = place.0..place.0 + count;
        let owners = (first.0..).step_by(step);
        let forward = self.forward.as_mut_slice()[first.index()..].iter_mut().step_by(step);
        forward.zip(places.clone()).for_each(|(entry, place)| *entry = place);
        let reverse = &mut self.reverse.as_mut_slice()[place.index()..][..count as usize];
        reverse.iter_mut().zip(owners).for_each(|(entry, owner)| *entry = owner);
        self.valid.set_all(places);
        self.mapped += count;
        self.valid_pages += count;
    }

    /// The valid page at `from` now lives at `to`.
    #[inline]
    pub(crate) fn relocate(&mut self, from: Ppn, to: Ppn) {
        let lpn = self.owner(from);
        self.valid.clear(from.0);
        self.valid.set(to.0);
        match self.place(lpn) {
            // A partial write waits in the buffer for the rest of this page.
            Place::Buffer(slot) if self.copies.is_empty() => drop(self.set_backing(slot, to)),
            Place::Buffer(slot) => self.copies[slot.index()].relocate(from, to),
            _ => self.forward.set(lpn.0, to.0),
        }
    }

    /// The valid pages between `from` and `end`, as many as `room`, now live from `to` on, in the same order; no write
    /// waits in the buffer for a rest of one. Tells how many, and where to look for the next.
    pub(crate) fn relocate_run(&mut self, from: Ppn, end: u32, to: Ppn, room: u32) -> (u32, Ppn) {
        let (forward, reverse) = (self.forward.as_mut_slice(), self.reverse.as_mut_slice());
        let mut reached = to.0;
        let next = self.valid.take_ones(from.0, end, room, |page| {
            let lpn = reverse[page as usize];
            forward[lpn as usize] = reached;
            reverse[reached as usize] = lpn;
            reached += 1;
        });
        self.valid.set_all(to.0..reached);
        (reached - to.0, Ppn(next))
    }

    /// The entry of a logical page will be needed soon.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: Lpn) {
        self.forward.prefetch(lpn.0);
    }

    /// Whether a page of flash is valid will be asked soon.
    #[inline]
    pub(crate) fn prefetch_valid(&self, ppn: Ppn) {
        self.valid.prefetch(ppn.0);
    }

    /// Whose a page of flash is will be asked soon.
    #[inline]
    pub(crate) fn prefetch_owner(&self, ppn: Ppn) {
        self.reverse.prefetch(ppn.0);
    }

    /// The valid pages between `from` and `end` will be relocated soon.
    #[inline]
    pub(crate) fn prefetch_relocations(&self, from: Ppn, end: u32) {
        self.valid.for_ones(from.0, end, |page| self.prefetch(self.owner(Ppn(page))));
    }

    /// `lpn` is nowhere; tells where it was.
    #[inline]
    pub(crate) fn unmap(&mut self, lpn: Lpn) -> Place {
        let before = self.place(lpn);
        if before != Place::Nowhere {
            self.mapped -= 1;
            self.forward.set(lpn.0, NOWHERE);
        }
        before
    }

    /// `ppn` no longer holds anything valid.
    #[inline]
    pub(crate) fn invalidate(&mut self, ppn: Ppn) {
        debug_assert!(self.is_valid(ppn));
        self.valid.clear(ppn.0);
        self.valid_pages -= 1;
    }

    /// Valid physical pages in all.
    pub fn valid_pages(&self) -> u64 {
        u64::from(self.valid_pages)
    }

    /// The same, counted anew: for the audit.
    pub(crate) fn valid_bits(&self) -> u64 {
        self.valid.ones()
    }

    /// After a state was read from a file.
    pub(crate) fn recount_valid_pages(&mut self) {
        self.valid_pages = self.valid.ones() as u32;
    }

    /// Whether the tables have these sizes (checked when a snapshot is restored).
    pub(crate) fn fits(&self, logical_pages: u32, physical_pages: u32) -> bool {
        self.logical_pages() == logical_pages
            && self.physical_pages == physical_pages
            && self.reverse.as_slice().len() == physical_pages as usize
            && self.valid.fits(physical_pages)
    }

    // Pages of stripes in the buffer: what they replace stays valid until all of a stripe's pages have been programmed.

    /// The newest version of `lpn` is in the buffer; the one before stays valid in flash, if it is there.
    pub(crate) fn buffer_beside(&mut self, lpn: Lpn) -> SlotId {
        let (slot, before) = self.buffer(lpn, Ppn::NONE);
        if self.copies.len() <= slot.index() {
            self.copies.resize(slot.index() + 1, SlotCopies::NEITHER);
        }
        let old = match before {
            Place::Flash(ppn) => ppn,
            Place::Nowhere | Place::Lost => Ppn::NONE,
            Place::Buffer(_) => unreachable!("a stripe is written by one at a time"),
        };
        self.copies[slot.index()] = SlotCopies { old, new: Ppn::NONE };
        slot
    }

    /// The chip of a page in flash is lost; the page itself is still valid there.
    pub(crate) fn lose(&mut self, lpn: Lpn) {
        self.forward.set(lpn.0, LOST);
    }

    /// The buffered page was programmed at `ppn`, and is still to be read from the buffer.
    pub(crate) fn land(&mut self, slot: SlotId, ppn: Ppn) {
        debug_assert!(!self.is_valid(ppn));
        self.copies[slot.index()].new = ppn;
        self.valid.set(ppn.0);
        self.valid_pages += 1;
    }

    /// The stripe is complete: the page is where it was programmed, and its slot is free. Returns the old copy, which
    /// is still valid.
    pub(crate) fn unbuffer_landed(&mut self, slot: SlotId) -> Ppn {
        let SlotCopies { old, new } = std::mem::replace(&mut self.copies[slot.index()], SlotCopies::NEITHER);
        let lpn = self.slot(slot).lpn;
        debug_assert_eq!(self.place(lpn), Place::Buffer(slot));
        self.forward.set(lpn.0, new.0);
        self.free_slots.push(slot);
        old
    }

    /// The flash page that a page of a stripe in the buffer replaces, if there is one.
    pub(crate) fn old_copy(&self, slot: SlotId) -> Option<Ppn> {
        self.copies.get(slot.index()).map(|copies| copies.old).filter(|old| old.is_some())
    }

    /// Where the new version of a page of a stripe was programmed, while it is in the buffer.
    pub(crate) fn new_copy(&self, slot: SlotId) -> Option<Ppn> {
        self.copies.get(slot.index()).map(|copies| copies.new).filter(|new| new.is_some())
    }

    /// The flash pages that a page in the buffer still stands for: what a partial write or a stripe keeps.
    pub(crate) fn kept_copies(&self, slot: SlotId) -> impl Iterator<Item = Ppn> {
        let of_stripe =
            self.copies.get(slot.index()).map_or([Ppn::NONE; 2], |copies| [copies.old, copies.new]);
        [self.slot(slot).backing, of_stripe[0], of_stripe[1]].into_iter().filter(|copy| copy.is_some())
    }
}

/// Flash pages of a page of a stripe that is in the buffer; each is valid while it is named here.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlotCopies {
    /// Where the version before is; [`Ppn::NONE`] without one.
    pub(super) old: Ppn,
    /// Where this version was programmed; [`Ppn::NONE`] before that.
    pub(super) new: Ppn,
}

impl SlotCopies {
    pub(super) const NEITHER: Self = Self { old: Ppn::NONE, new: Ppn::NONE };

    /// Collection has relocated one of the two.
    pub(super) fn relocate(&mut self, from: Ppn, to: Ppn) {
        let copy = if self.old == from { &mut self.old } else { &mut self.new };
        debug_assert_eq!(*copy, from);
        *copy = to;
    }
}
