//! Stripes in time, from where something is written: pages of a stripe are programmed with its parity, and count only
//! when all have been (`docs/model.md`, section 16). Whole stripes are trimmed at once; of others the parity is written
//! anew, and the pages go with that.

use super::drive::Drive;
use super::joins::{JoinKind, JoinPage};
use super::ops::{OpKind, PageOp, Role};
use super::stripe_audit;
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::ids::{JoinId, Lpn, OpId, RequestId};
use crate::mapping::Place;
use crate::redundancy::{ReadBefore, RebuildEvent, StripeEvent};

/// Pages that a trim covers and that are somewhere: found once, and used stripe by stripe.
pub(crate) type TrimmedPages = Vec<Lpn>;

/// The pages that a trim of a range of trace pages covers and that are somewhere, in ascending order.
pub(crate) fn trimmed_stripes(
    ftl: &Ftl,
    mapper: &AddressMapper,
    (first, count): (u64, u64),
    pages: &mut TrimmedPages,
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

impl Drive {
    /// All is read: the stripe is written, or waits until its planes can hold it.
    pub(super) fn await_room(&mut self, id: JoinId) {
        if self.joins.first_for_room().is_none() && self.planes_may_hold(id) {
            self.write_join(id);
            return;
        }
        self.ftl.note_stripe(StripeEvent::WaitsForRoom);
        self.joins.wait_for_room(id, self.events.now());
    }

    fn planes_may_hold(&self, id: JoinId) -> bool {
        let (join, stripes) = (&self.joins[id], self.stripes());
        let parity = stripes.parity_of(join.stripe);
        let pages = if join.kind == JoinKind::Trim { &[] } else { join.pages.as_slice() };
        let parity = (join.kind != JoinKind::Restore).then_some(parity);
        let mut written = pages.iter().map(|page| page.lpn).chain(parity);
        written.all(|lpn| self.ftl.may_hold(stripes.home(lpn)))
    }

    /// Pages and parity are in the buffer in their new version, and on their way to flash.
    pub(super) fn write_join(&mut self, id: JoinId) {
        if self.joins[id].kind == JoinKind::Restore {
            self.accept_rebuilt(id);
        } else {
            self.accept_with_parity(id);
        }
        self.program_join(id);
    }

    fn accept_with_parity(&mut self, id: JoinId) {
        let lpn = self.stripes().parity_of(self.joins[id].stripe);
        let join = &mut self.joins[id];
        join.first_written = if join.kind == JoinKind::Trim { join.pages.len() } else { 0 };
        join.pages.push(JoinPage::new(lpn, u32::MAX));
        for page in &mut join.pages[join.first_written..] {
            page.slot = self.ftl.accept_beside(page.lpn);
        }
        if self.ftl.versions().is_some() {
            let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
            stripe_audit::make_parity(&self.joins[id], stripes, &mut self.ftl);
        }
    }

    fn program_join(&mut self, id: JoinId) {
        let may_leave = self.needs.defers && self.joins[id].kind != JoinKind::Restore;
        let join = &mut self.joins[id];
        join.programs_left = (join.pages.len() - join.first_written) as u32;
        let (request, spent) = (join.request, join.spent);
        for at in self.joins[id].first_written..self.joins[id].pages.len() {
            let JoinPage { lpn, slot, .. } = self.joins[id].pages[at];
            let plane = self.stripes().home(lpn);
            self.joins[id].pages[at].plane = plane;
            let op = self.host_op(OpKind::Program, request, lpn, u32::MAX);
            let op = self.ops.insert(PageOp { slot, plane, spent, role: Role::OfStripe(id), ..op });
            self.ftl.reserve_page(plane);
            if may_leave {
                self.queue_or_redirect(op);
            } else {
                self.enqueue(op);
            }
        }
    }

    /// A page of a stripe has been programmed; with the last of them, all take the place of what they replace.
    pub(super) fn stripe_page_programmed(&mut self, program: OpId) {
        let op = &self.ops[program];
        let PageOp { spent, slot, ppn, .. } = *op;
        let id = op.join();
        self.ops.remove(program);
        self.ftl.land(slot, ppn);
        let join = &mut self.joins[id];
        join.programs_left -= 1;
        if join.programs_left > 0 {
            return;
        }
        self.defer_starts();
        let first_written = self.joins[id].first_written;
        for at in first_written..self.joins[id].pages.len() {
            let slot = self.joins[id].pages[at].slot;
            self.ftl.commit_landed(slot);
        }
        if self.joins[id].kind == JoinKind::Restore {
            self.ftl.note_rebuild(RebuildEvent::PageRebuilt);
            self.leave_rebuild(id);
            self.start_deferred();
            return;
        }
        self.trim_pages_of(id, first_written);
        let pages = (self.joins[id].pages.len() - first_written) as u32;
        self.joins.give_back_pages(pages);
        let request = self.joins[id].request;
        // A trim is one part of its request, and a write as many as it has pages of data.
        for _ in 0..(pages - 1).max(1) {
            self.release_part(request, &spent);
        }
        self.leave_stripe(id);
        self.start_deferred();
    }

    /// A page of the unreadable chip has been rebuilt.
    pub(super) fn page_rebuilt(&mut self, id: JoinId) {
        if self.ftl.versions().is_some()
            && let Err(fault) = stripe_audit::check_rebuilt(&self.joins[id], &self.ftl)
        {
            self.recorder.fault(fault);
        }
        self.release_and_leave(id);
    }

    /// An access that has written nothing is done. It may have read nothing, either, and then starts are gathered
    /// already.
    pub(super) fn release_and_leave(&mut self, id: JoinId) {
        let gathers = !self.dies.starts_are_deferred();
        if gathers {
            self.defer_starts();
        }
        let (request, spent) = (self.joins[id].request, self.joins[id].spent);
        self.release_part(request, &spent);
        self.leave_stripe(id);
        if gathers {
            self.start_deferred();
        }
    }

    /// The holder of a stripe is done: the next one begins, and those who wait for room look again.
    pub(super) fn leave_stripe(&mut self, id: JoinId) {
        let now = self.events.now();
        let next = self.joins.give_up(id);
        self.joins.remove(id);
        if let Some(next) = next {
            let join = &mut self.joins[next];
            join.spent.charge_queue(now.since(join.since));
            self.begin_join(next);
        }
        while let Some(first) = self.joins.first_for_room()
            && self.planes_may_hold(first)
        {
            self.joins.leave_for_room();
            let join = &mut self.joins[first];
            join.spent.charge_gc(now.since(join.since));
            self.write_join(first);
        }
        while let Some(first) = self.joins.first_outside()
            && self.fits_in(first)
        {
            self.joins.leave_outside();
            let join = &mut self.joins[first];
            let waited = now.since(join.since);
            join.spent.charge_queue(waited);
            let pages = u64::from(join.written_pages());
            self.write_buffer.counted.wait_ns += self.measured_part(waited).0 * pages;
            self.let_in(first);
        }
    }

    /// The host no longer needs a range of pages: each stripe that has some of them is asked for by itself.
    pub(super) fn trim_stripes(
        &mut self,
        request: RequestId,
        first: u64,
        count: u64,
        mapper: &AddressMapper,
    ) {
        let mut pages = self.joins.take_trims();
        trimmed_stripes(&self.ftl, mapper, (first, count), &mut pages);
        let stripes = self.stripes().clone();
        self.defer_starts();
        for of_one in pages.chunk_by(|a, b| stripes.stripe_of(*a) == stripes.stripe_of(*b)) {
            let stripe = stripes.stripe_of(of_one[0]);
            let is_free = !self.joins.is_held(stripe) && self.joins.first_outside().is_none();
            if is_free && self.nothing_but(stripe, |lpn| of_one.contains(&lpn)) {
                self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
                continue;
            }
            let id = self.new_join(JoinKind::Trim, request, stripe);
            self.joins[id].pages.extend(of_one.iter().map(|lpn| JoinPage::new(*lpn, u32::MAX)));
            self.requests[request].remaining += 1;
            self.offer_stripe_write(id);
        }
        self.start_deferred();
        self.joins.keep_trims(pages);
    }

    /// Whether all pages of data of a stripe that are somewhere are among some.
    fn nothing_but(&self, stripe: u32, among: impl Fn(Lpn) -> bool) -> bool {
        self.stripes().data(stripe).all(|lpn| self.ftl.map().place(lpn) == Place::Nowhere || among(lpn))
    }

    /// A trim holds its stripe: what is read before its parity is written; nothing where no parity is left to write.
    pub(super) fn choose_reads_of_trim(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let stripe = self.joins[id].stripe;
        let mut pages = std::mem::take(&mut self.joins[id].pages);
        pages.retain(|page| self.is_there(page.lpn));
        let is_trimmed = |lpn: Lpn| pages.iter().any(|page| page.lpn == lpn);
        reads.extend(self.stripes().data(stripe).filter(|lpn| !is_trimmed(*lpn) && self.is_there(*lpn)));
        let mut read_before = ReadBefore::Nothing;
        if pages.is_empty() || reads.is_empty() {
            reads.clear();
        } else {
            self.ftl.note_stripe(StripeEvent::TrimUpdate);
            read_before = ReadBefore::Others;
            if pages.len() < reads.len() {
                read_before = ReadBefore::Replaced;
                reads.clear();
                reads.extend(pages.iter().map(|page| page.lpn).chain([self.stripes().parity_of(stripe)]));
            }
            self.read_around_lost(id, reads);
        }
        self.joins[id].pages = pages;
        self.joins[id].read_before = read_before;
    }

    /// All is read for a trim: the parity is written, unless none of its pages is left, or nothing but them.
    pub(super) fn await_room_or_trim(&mut self, id: JoinId) {
        if self.joins[id].read_before != ReadBefore::Nothing {
            self.await_room(id);
            return;
        }
        let pages = self.joins[id].pages.len();
        if pages > 0 {
            let stripe = self.joins[id].stripe;
            self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
        }
        self.joins.give_back_pages(1);
        self.release_and_leave(id);
    }

    /// The parity of a stripe has been written without its first pages: these are nowhere now.
    pub(super) fn trim_pages_of(&mut self, id: JoinId, count: usize) {
        for at in 0..count {
            let lpn = self.joins[id].pages[at].lpn;
            self.recorder.flash.trimmed_pages += u64::from(self.ftl.trim_page(lpn));
        }
    }
}
