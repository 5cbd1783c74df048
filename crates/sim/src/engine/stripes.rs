//! Stripes in time, up to where something is written: pages of a write that share a stripe are gathered, get hold of
//! it, and what is needed of it is read (`docs/model.md`, section 16). A chip that was lost before the run is rebuilt
//! from them on an erased one while the host goes on (section 18).

use reclaim_trace::Op;

use super::drive::Drive;
use super::join::{Join, JoinKind, JoinPage};
use super::joins::LostPages;
use super::ops::{OpKind, PageOp, Role};
use crate::flash::Stripes;
use crate::ftl::Ftl;
use crate::host::{AddressMapper, RemapError, Request};
use crate::ids::{ChipId, DieId, JoinId, Lpn, OpId, RequestId};
use crate::latency::LatencyAccount;
use crate::mapping::Place;
use crate::redundancy::{ReadBefore, RebuildEvent, RebuildOrder, StripeEvent, StripeUpdate};
use crate::time::SimTime;

impl<const PLAIN: bool> Drive<PLAIN> {
    pub(super) fn stripes(&self) -> &Stripes {
        self.geometry.stripes.as_ref().expect("asked only where there are stripes")
    }

    /// Pages of a write are gathered: neighbours that share a stripe are written together.
    ///
    /// # Errors
    /// When a page cannot be mapped to the drive's.
    pub(super) fn admit_stripe_writes(
        &mut self,
        id: RequestId,
        request: &Request,
        pages: std::ops::Range<u64>,
        mapper: &mut AddressMapper,
    ) -> Result<(), RemapError> {
        let mut gathered: Option<(JoinId, Lpn)> = None;
        for page in pages {
            let lpn = mapper.place(page)?;
            let bytes = mapper.covered(page, request.offset_bytes, request.size_bytes);
            let stripes = self.stripes();
            let join = match gathered {
                Some((join, last)) if stripes.are_written_together(last, lpn) => join,
                before => {
                    let stripe = stripes.stripe_of(lpn);
                    if let Some((complete, _)) = before {
                        self.offer_stripe_write(complete);
                    }
                    self.new_join(JoinKind::Write, id, stripe)
                }
            };
            self.joins[join].add_page(lpn, bytes);
            gathered = Some((join, lpn));
        }
        if let Some((complete, _)) = gathered {
            self.offer_stripe_write(complete);
        }
        Ok(())
    }

    /// An access to a stripe, without pages yet, for a request whose pages have been looked up.
    pub(super) fn new_join(&mut self, kind: JoinKind, request: RequestId, stripe: u32) -> JoinId {
        self.joins.insert(Join::new(kind, request, stripe, self.of_lookup()))
    }

    /// A write of pages of a stripe, or a trim, reaches the buffer: it is let in, or waits in line.
    pub(super) fn offer_stripe_write(&mut self, id: JoinId) {
        if self.joins.first_outside().is_none() && self.fits_in(id) {
            self.let_in(id);
            return;
        }
        self.write_buffer.note_waits(self.joins[id].new_data().len() as u64);
        self.joins.wait_outside(id, self.events.now());
    }

    /// Whether the buffer has room for a write and its parity.
    pub(super) fn fits_in(&self, id: JoinId) -> bool {
        self.write_buffer.has_room(self.joins.pages_with(id) as usize)
    }

    pub(super) fn let_in(&mut self, id: JoinId) {
        self.joins.take_pages(id, self.events.now());
        if self.ftl.hears_of_streams() {
            self.ftl.set_stream(self.requests[self.joins[id].request()].stream);
        }
        self.ftl.note_host_bytes(self.joins[id].new_data().iter().map(|page| u64::from(page.bytes)).sum());
        self.ask_for_stripe(id);
    }

    pub(super) fn ask_for_stripe(&mut self, id: JoinId) {
        if self.joins.ask(id, self.events.now()) {
            self.begin_join(id);
        } else {
            self.ftl.note_stripe(StripeEvent::Waits);
        }
    }

    /// A read of the host for a page of the unreadable chip, or of one that should be left to collect: it is rebuilt
    /// from the rest of its stripe. Tells whether the page is such a one.
    pub(super) fn rebuild_page(&mut self, read: OpId) -> bool {
        let PageOp { request, lpn, spent, role, .. } = self.ops[read];
        // Reads for a stripe are no reads of the host.
        if role != Role::Plain || !self.needs.rebuilds_pages() {
            return false;
        }
        let event = if self.cannot_read(lpn) {
            StripeEvent::DegradedRead
        } else if self.needs.reads_around()
            && self.chip_with(lpn).is_some_and(|chip| self.should_read_around(lpn, chip))
        {
            StripeEvent::ReadAround
        } else {
            return false;
        };
        self.ftl.note_stripe(event);
        self.ops.remove(read);
        let stripe = self.stripes().stripe_of(lpn);
        let id = self.joins.insert(Join::new(JoinKind::Rebuild, request, stripe, spent));
        self.joins[id].add_page(lpn, u32::MAX);
        self.ask_for_stripe(id);
        true
    }

    /// Whether the chip of a page is under collection, and the rest of its stripe is free to be read.
    fn should_read_around(&self, lpn: Lpn, chip: ChipId) -> bool {
        let stripes = self.stripes();
        let stripe = stripes.stripe_of(lpn);
        self.is_collecting(chip)
            && !self.joins.is_held(stripe)
            && stripes.members(stripe).filter(|other| *other != lpn).all(|other| {
                let collects = self.chip_with(other).is_some_and(|chip| self.is_collecting(chip));
                !collects && !self.cannot_read(other)
            })
    }

    /// Whether a page is there, and cannot be read: it is on the unreadable chip, or was on one that is being rebuilt.
    fn cannot_read(&self, lpn: Lpn) -> bool {
        let chip = self.chip_with(lpn);
        (chip.is_some() && chip == self.ftl.unreadable_chip()) || self.ftl.is_lost(lpn)
    }

    /// Whether a job is under way on a chip.
    fn is_collecting(&self, chip: ChipId) -> bool {
        let mut planes = self.stripes().planes_of_chip(chip);
        planes.any(|plane| self.ftl.plane(plane).jobs > 0)
    }

    /// The chip that holds a page, if it is in flash.
    pub(super) fn chip_with(&self, lpn: Lpn) -> Option<ChipId> {
        let Place::Flash(ppn) = self.ftl.map().place(lpn) else { return None };
        Some(self.stripes().chip_of_plane(self.geometry.plane_of(self.geometry.block_of(ppn))))
    }

    /// An access holds its stripe: what it needs of it is read.
    pub(super) fn begin_join(&mut self, id: JoinId) {
        let mut reads = self.joins.take_reads();
        match self.joins[id].kind() {
            JoinKind::Write => self.choose_reads(id, &mut reads),
            JoinKind::Trim => self.choose_reads_of_trim(id, &mut reads),
            JoinKind::Rebuild => {
                let join = &self.joins[id];
                self.all_but(join.stripe(), join.rebuilt_page(), &mut reads);
            }
            JoinKind::Restore => self.choose_reads_of_rebuild(id, &mut reads),
        }
        self.joins[id].begin_reads(reads.len() as u32);
        let mut release = self.events.now();
        for lpn in &reads {
            self.ftl.note_stripe(StripeEvent::PageRead);
            let request = self.joins[id].request();
            let read = self.host_op(OpKind::Read, request, *lpn, u32::MAX);
            let read = self.ops.insert(PageOp { role: Role::OfStripe(id), ..read });
            self.route_read(read);
            release = release.max(self.completes(self.geometry.die_of(self.ops[read].plane)));
        }
        self.joins[id].note_release(release);
        let writes = matches!(self.joins[id].kind(), JoinKind::Write | JoinKind::Trim);
        if self.needs.defers() && !reads.is_empty() && writes {
            self.joins.note_reading(id);
        }
        let nothing_to_read = reads.is_empty();
        self.joins.keep_reads(reads);
        if nothing_to_read {
            self.join_has_read(id);
        }
    }

    /// When a die will have done all that was queued there, as estimated.
    pub(super) fn completes(&self, die: DieId) -> SimTime {
        self.deferring.completes(die, self.events.now())
    }

    /// What is read before a stripe is written, as redundancy decides.
    fn choose_reads(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        let join = &self.joins[id];
        let (stripe, pages, page_bytes) = (join.stripe(), join.pages(), self.geometry.page_bytes);
        let is_part = |page: &JoinPage| page.bytes < page_bytes;
        let written_there = |page: &&JoinPage| self.ftl.is_there(page.lpn);
        let is_other = |lpn: &Lpn| !join.covers(*lpn);
        let parity = stripes.parity_of(stripe);
        let update = StripeUpdate {
            data_pages: stripes.data_pages(),
            written: pages.len() as u32,
            written_there: pages.iter().filter(written_there).count() as u32,
            partly_written_there: pages.iter().filter(|p| is_part(p) && written_there(p)).count() as u32,
            whole_pages: !pages.iter().any(is_part),
            others_there: stripes.data(stripe).filter(|lpn| is_other(lpn) && self.ftl.is_there(*lpn)).count()
                as u32,
            parity_there: self.ftl.is_there(parity),
        };
        let read_before = self.ftl.read_before(&update);
        match read_before {
            ReadBefore::Nothing => {}
            ReadBefore::Replaced => {
                let replaced = pages.iter().map(|page| page.lpn).chain([parity]);
                reads.extend(replaced.filter(|lpn| self.ftl.is_there(*lpn)));
            }
            ReadBefore::Others => {
                let partly = |lpn: &Lpn| pages.iter().any(|page| page.lpn == *lpn && is_part(page));
                let needed = stripes.data(stripe).filter(|lpn| is_other(lpn) || partly(lpn));
                reads.extend(needed.filter(|lpn| self.ftl.is_there(*lpn)));
            }
        }
        self.joins[id].plan(read_before);
        self.read_around_lost(id, reads);
    }

    /// If what is to be read before a stripe is written has a page that cannot be read: all others are read.
    pub(super) fn read_around_lost(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        if !self.needs.rebuilds_pages() {
            return;
        }
        if let Some(lost) = reads.iter().copied().find(|lpn| self.cannot_read(*lpn)) {
            self.joins[id].lose(lost);
            self.all_but(self.joins[id].stripe(), lost, reads);
        }
    }

    /// Every page of a stripe that is in flash, but for one: what that can be rebuilt from.
    pub(super) fn all_but(&self, stripe: u32, lost: Lpn, reads: &mut Vec<Lpn>) {
        reads.clear();
        reads.extend(self.stripes().members(stripe).filter(|lpn| *lpn != lost && self.ftl.is_there(*lpn)));
    }

    /// A page that a stripe was read for has arrived.
    pub(super) fn stripe_page_read(&mut self, read: OpId, id: JoinId) {
        let PageOp { spent, lpn, ppn, .. } = self.ops[read];
        self.ops.remove(read);
        if self.ftl.versions().is_some() {
            let content = self.ftl.content(ppn);
            self.joins[id].note_found(lpn, content);
        }
        if self.joins[id].end_read(&spent) {
            if self.needs.defers() {
                self.joins.note_read(id);
            }
            self.join_has_read(id);
        }
    }

    fn join_has_read(&mut self, id: JoinId) {
        if !self.begin_sum(id) {
            self.join_is_summed(id);
        }
    }

    /// What was read for an access to a stripe has been added up.
    pub(super) fn join_is_summed(&mut self, id: JoinId) {
        match self.joins[id].kind() {
            JoinKind::Write => self.await_room(id),
            JoinKind::Trim => self.await_room_or_trim(id),
            JoinKind::Rebuild => self.page_rebuilt(id),
            JoinKind::Restore => self.await_room_or_leave(id),
        }
    }

    /// Before the first event: the chip is lost, with all that is on it, and an erased one is in its place.
    pub(super) fn lose_chip(&mut self) {
        let Some(rebuild) = self.ftl.rebuild() else { return };
        let pages = self.ftl.lose_chip(rebuild.chip);
        let host_first = rebuild.order == RebuildOrder::HostFirst;
        self.joins.lose(LostPages::new(pages, rebuild.stripes, host_first));
    }

    /// After every event: as many stripes are rebuilt as may be.
    pub(super) fn rebuild_more(&mut self) {
        while let Some(lost) = self.joins.lost_pages()
            && let Some(lpn) = lost.next(|lpn| self.ftl.is_lost(lpn))
        {
            if lost.host_first() && !self.is_stripe_idle(lpn) {
                break;
            }
            self.joins.begin_rebuild();
            let (stripe, spent) = (self.stripes().stripe_of(lpn), LatencyAccount::default());
            let id = self.joins.insert(Join::new(JoinKind::Restore, RequestId::NONE, stripe, spent));
            self.joins[id].add_page(lpn, u32::MAX);
            self.ask_for_stripe(id);
        }
        if self.joins.end_rebuild() {
            self.ftl.note_rebuild(RebuildEvent::Ended(self.events.now().0));
        }
    }

    /// Whether no die that a lost page is rebuilt from, or on, has anything to do.
    fn is_stripe_idle(&self, lost: Lpn) -> bool {
        let stripes = self.stripes();
        let is_idle = |plane| self.dies.pending(self.geometry.die_of(plane)) == 0;
        is_idle(stripes.home(lost))
            && stripes.members(stripes.stripe_of(lost)).all(|lpn| match self.ftl.map().place(lpn) {
                Place::Flash(ppn) => is_idle(self.geometry.plane_of(self.geometry.block_of(ppn))),
                Place::Nowhere | Place::Lost | Place::Buffer(_) => true,
            })
    }

    /// Pages of a stripe, and among them the one that is rebuilt, if it is still lost.
    pub(super) fn choose_reads_of_rebuild(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let (stripe, lpn) = (self.joins[id].stripe(), self.joins[id].rebuilt_page());
        if self.ftl.is_lost(lpn) {
            self.all_but(stripe, lpn, reads);
        }
    }

    /// All is read for a rebuild: the page is written, unless somebody else has done that, or trimmed it.
    pub(super) fn await_room_or_leave(&mut self, id: JoinId) {
        if self.ftl.is_lost(self.joins[id].rebuilt_page()) {
            self.await_room(id);
            return;
        }
        let gathers = !self.dies.gathers_starts();
        if gathers {
            self.gather_starts();
        }
        self.leave_rebuild(id);
        if gathers {
            self.start_gathered();
        }
    }

    /// A rebuild holds its stripe no longer.
    pub(super) fn leave_rebuild(&mut self, id: JoinId) {
        if let Some(lost) = self.joins.lost_pages() {
            lost.end_one();
        }
        self.leave_stripe(id);
    }

    /// The page is in the buffer as it was.
    pub(super) fn accept_rebuilt(&mut self, id: JoinId) {
        let join = &self.joins[id];
        match self.ftl.accept_rebuilt(join.rebuilt_page(), join.found().1) {
            Ok(slot) => self.joins[id].accept_rebuilt(slot),
            Err(fault) => self.recorder.fault(fault),
        }
    }

    /// A request has ended: how long it took counts while a chip is rebuilt.
    #[cold]
    pub(super) fn note_meanwhile(&mut self, request: &Request) {
        let took = self.events.now().since(request.arrival).0;
        match request.op {
            Op::Read => self.ftl.note_rebuild(RebuildEvent::ReadMeanwhile(took)),
            Op::Write => self.ftl.note_rebuild(RebuildEvent::WriteMeanwhile(took)),
            Op::Trim | Op::Flush => {}
        }
    }
}

/// The pages that a trim of a range of trace pages covers and that are somewhere, in ascending order.
pub(crate) fn trimmed_pages(
    ftl: &Ftl,
    mapper: &AddressMapper,
    (first, count): (u64, u64),
    pages: &mut Vec<Lpn>,
) {
    pages.clear();
    if mapper.is_identity() {
        // What was never written is stepped over quickly.
        let (mut from, end) = (first as u32, (first + count) as u32);
        while let Some(lpn) = ftl.map().next_mapped(from, end.max(from)) {
            pages.push(lpn);
            from = lpn.0 + 1;
        }
        return;
    }
    mapper.for_touched(first, count, |lpn| pages.push(lpn));
    pages.sort_unstable();
    pages.dedup();
    pages.retain(|lpn| ftl.map().place(*lpn) != Place::Nowhere);
}
