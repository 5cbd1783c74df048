//! Stripes as a change of state: their pages are accepted together, land one by one and are committed together.

use super::state::Ftl;
use super::versions::Versions;
use crate::flash::Stripes;
use crate::gc::events::BlockEvent;
use crate::ids::{ChipId, Lpn, PlaneId, Ppn, SlotId};
use crate::mapping::{Place, Stream};
use crate::redundancy::{ReadBefore, StripeEvent, StripeUpdate};
use crate::time::Nanos;

impl Ftl {
    fn stripes(&self) -> &Stripes {
        self.geometry.stripes.as_ref().expect("asked only where there are stripes")
    }

    /// Number of pages that a plane may hold, valid or on their way, where stripes ask for room.
    pub fn settle_bound(&self) -> Option<u32> {
        self.settle_bound
    }

    /// The chip whose pages host reads cannot use.
    pub fn unreadable_chip(&self) -> Option<ChipId> {
        self.policies.redundancy.unreadable_chip()
    }

    /// Whether host reads of a chip under collection are made up from the rest of the stripe.
    pub fn reads_around(&self) -> bool {
        self.policies.redundancy.reads_around()
    }

    /// How long it takes to add pages of a stripe up.
    pub fn sum_time(&self) -> Nanos {
        self.policies.redundancy.sum_time()
    }

    /// What is read before some pages of a stripe are written.
    pub fn read_before(&mut self, update: &StripeUpdate) -> ReadBefore {
        self.policies.redundancy.read_before(update)
    }

    /// Something has happened to a stripe that the policy may count.
    pub fn note_stripe(&mut self, event: StripeEvent) {
        self.policies.redundancy.note(event);
    }

    /// Whether parity goes to open blocks of its own.
    pub fn has_own_parity_blocks(&self) -> bool {
        self.own_parity_blocks
    }

    /// Whether a plane may hold one page more than it does and will, so that collection always finds something to
    /// reclaim.
    pub fn may_hold(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let most = self.settle_bound.expect("asked only where there are stripes");
        state.valid_pages + state.reserved_pages + state.under_way < most
    }

    /// A page of a stripe is written: it is in the buffer, and what it replaces stays where it is.
    pub fn accept_beside(&mut self, lpn: Lpn) -> SlotId {
        if self.notes_writes && !self.stripes().is_parity(lpn) {
            self.note_write(lpn);
        }
        let slot = self.map.buffer_beside(lpn);
        if let Some(versions) = &mut self.versions {
            versions.accepted(lpn, slot, false);
        }
        slot
    }

    /// Whether a page of a stripe goes to the open block that is parity's own.
    fn goes_to_parity_block(&self, lpn: Lpn) -> bool {
        self.own_parity_blocks && self.stripes().is_parity(lpn)
    }

    /// Whether a page of a stripe may be taken in the plane now.
    pub fn can_take(&self, plane: PlaneId, lpn: Lpn) -> bool {
        if self.goes_to_parity_block(lpn) {
            return self.accounting().parity_room(plane) > 0;
        }
        self.host_can_take(plane)
    }

    /// The number in its block of the page that a page of parity would get next, if it is one that goes to blocks of
    /// parity's own.
    pub fn next_parity_page_number(&self, plane: PlaneId, lpn: Lpn) -> Option<u32> {
        self.goes_to_parity_block(lpn).then(|| self.next_page_of(plane, self.points.parity()))
    }

    /// Take the next page for a page of a stripe, if the plane has one to give; one that is rebuilt is no page of the
    /// host's.
    pub fn take_stripe_page(&mut self, plane: PlaneId, lpn: Lpn, is_rebuilt: bool) -> Option<Ppn> {
        if !self.can_take(plane, lpn) {
            return None;
        }
        let own = self.goes_to_parity_block(lpn);
        let stream = if self.chooses_for_host && !own {
            self.place_among_open(plane, lpn)
        } else {
            let stream = if own { self.points.parity() } else { Stream::HOST };
            if !self.points.open(plane, stream).is_some() {
                self.open_for_host(plane, stream)?;
            }
            stream
        };
        if is_rebuilt || self.stripes().is_parity(lpn) {
            self.tally.note_parity(plane);
        } else {
            self.tally.note_host_page(plane, lpn);
        }
        self.planes[plane.index()].under_way += 1;
        let page = self.take(plane, self.points.open(plane, stream), lpn);
        self.host_has_taken(page);
        Some(page)
    }

    /// The program of a page of a stripe has ended; it counts only when all of the stripe have.
    pub fn land(&mut self, slot: SlotId, ppn: Ppn) {
        if let Some(versions) = &mut self.versions {
            versions.programmed_from_slot(ppn, slot);
        }
        self.map.land(slot, ppn);
        let block = self.geometry.block_of(ppn);
        self.planes[self.geometry.plane_of(block).index()].under_way -= 1;
        self.blocks.gain_valid(block);
        self.tell(BlockEvent::Programmed(ppn), block);
        self.settle(block);
    }

    /// All pages of a stripe have been programmed: this one takes the place of its old copy.
    pub fn commit_landed(&mut self, slot: SlotId) {
        let lpn = self.map.slot(slot).lpn;
        if let Some(versions) = &mut self.versions {
            versions.acknowledge(lpn, slot);
        }
        let old = self.map.unbuffer_landed(slot);
        if old.is_some() {
            self.note_leaving(lpn, old);
            self.invalidate(old);
        }
    }

    /// The host no longer needs any page of a stripe: number of its pages of data that were somewhere.
    pub fn trim_stripe(&mut self, stripe: u32) -> u64 {
        let parity = self.stripes().parity_of(stripe);
        let mut trimmed = 0;
        for lpn in self.stripes().members(stripe) {
            let was_there = self.trim_page(lpn);
            trimmed += u64::from(was_there && lpn != parity);
        }
        trimmed
    }

    /// The host no longer needs a page of a stripe, or its parity nobody. Tells whether it was somewhere.
    pub fn trim_page(&mut self, lpn: Lpn) -> bool {
        if let Place::Flash(ppn) = self.map.place(lpn) {
            self.note_leaving(lpn, ppn);
        }
        self.trim(lpn)
    }

    /// The host no longer needs some pages of a stripe: those are given up, and so is the parity with the last of them,
    /// or written anew. Number of pages of data that were somewhere. Without time.
    pub fn trim_pages_now(&mut self, pages: &[Lpn]) -> u64 {
        let Some(first) = pages.first() else { return 0 };
        let stripe = self.stripes().stripe_of(*first);
        let trimmed = pages.iter().filter(|lpn| self.trim_page(**lpn)).count() as u64;
        let parity = self.stripes().parity_of(stripe);
        if self.stripes().data(stripe).all(|lpn| self.map.place(lpn) == Place::Nowhere) {
            self.trim_page(parity);
        } else if trimmed > 0 {
            self.write_home_now(parity);
            self.note_parity(stripe);
        }
        trimmed
    }

    /// Write pages of a stripe and its parity, without time.
    pub fn write_stripe_now(&mut self, pages: &[Lpn]) {
        let Some(first) = pages.first() else { return };
        let stripe = self.stripes().stripe_of(*first);
        for lpn in pages {
            self.write_home_now(*lpn);
        }
        self.write_home_now(self.stripes().parity_of(stripe));
        self.note_parity(stripe);
    }

    fn write_home_now(&mut self, lpn: Lpn) {
        if self.notes_writes && !self.stripes().is_parity(lpn) {
            self.note_write(lpn);
        }
        let plane = self.stripes().home(lpn);
        let ppn = loop {
            if let Some(ppn) = self.take_stripe_page(plane, lpn, false) {
                break ppn;
            }
            assert!(self.collect_now(plane), "{plane:?} is full of valid data and cannot be collected");
        };
        self.planes[plane.index()].under_way -= 1;
        self.written_now(lpn, ppn);
    }

    /// What a page of flash holds, when audited.
    pub(crate) fn content(&self, ppn: Ppn) -> u64 {
        self.versions.as_ref().map_or(0, |versions| versions.content(ppn))
    }

    /// A parity is about to be programmed from a slot: what it holds, and that it is the sum of the pages of data as
    /// they will be then, without those that are trimmed.
    pub(crate) fn set_parity(&mut self, slot: SlotId, content: u64, is_trimmed: impl Fn(Lpn) -> bool) {
        let parity = self.map.slot(slot).lpn;
        let Some(versions) = &mut self.versions else { return };
        versions.set_slot_content(slot, content);
        let Some(mut names) = versions.names.take() else { return };
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        let data = stripes.data(stripes.stripe_of(parity));
        names.name_slot(
            slot,
            data.map(|lpn| if is_trimmed(lpn) { 0 } else { version_of(versions, self.map.place(lpn)) }),
        );
        versions.names = Some(names);
    }

    /// What a slot holds, when audited.
    pub(crate) fn slot_content(&self, slot: SlotId) -> u64 {
        self.versions.as_ref().map_or(0, |versions| versions.slot_content(slot))
    }

    /// The sum of a stripe's pages of data in flash, as their parity should be, when audited.
    pub(crate) fn sum_of_data(&self, stripe: u32) -> u64 {
        let content = |lpn| match self.map.place(lpn) {
            Place::Flash(ppn) => self.content(ppn),
            Place::Nowhere | Place::Lost | Place::Buffer(_) => 0,
        };
        self.stripes().data(stripe).fold(0, |sum, lpn| sum ^ content(lpn))
    }

    /// The parity of a stripe has been written without time.
    fn note_parity(&mut self, stripe: u32) {
        if self.versions.is_none() {
            return;
        }
        let sum = self.sum_of_data(stripe);
        let parity = self.map.place(self.stripes().parity_of(stripe));
        let (Some(versions), Place::Flash(ppn)) = (&mut self.versions, parity) else { return };
        versions.set_content(ppn, sum);
        let Some(mut names) = versions.names.take() else { return };
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        names.name_page(ppn, stripes.data(stripe).map(|lpn| version_of(versions, self.map.place(lpn))));
        versions.names = Some(names);
    }

    /// The content of pages was made up for a restored drive: that of parity follows from it.
    pub(super) fn adopt_parity(&mut self) {
        if self.versions.is_none() {
            return;
        }
        let count = self.geometry.stripes.as_ref().map_or(0, Stripes::count);
        (0..count).for_each(|stripe| self.note_parity(stripe));
    }
}

/// The version of a page at a place; 0 of one that is nowhere.
fn version_of(versions: &Versions, place: Place) -> u32 {
    match place {
        Place::Nowhere | Place::Lost => 0,
        Place::Flash(ppn) => versions.in_flash(ppn),
        Place::Buffer(slot) => versions.in_slot(slot),
    }
}
