//! Stripes in time, from where something is written: pages of a stripe are programmed with its parity, and count only
//! when all have been (`docs/model.md`, section 16). Whole stripes are trimmed at once; of others the parity is written
//! anew, and the pages go with that.

use super::drive::Drive;
use super::join::{JoinKind, JoinPage};
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
        let parity = stripes.parity_of(join.stripe());
        let parity = (join.kind() != JoinKind::Restore).then_some(parity);
        let mut written = join.new_data().iter().map(|page| page.lpn).chain(parity);
        written.all(|lpn| self.ftl.may_hold(stripes.home(lpn)))
    }

    /// Pages and parity are in the buffer in their new version, and on their way to flash.
    pub(super) fn write_join(&mut self, id: JoinId) {
        if self.joins[id].kind() == JoinKind::Restore {
            self.accept_rebuilt(id);
        } else {
            self.accept_with_parity(id);
        }
        self.program_join(id);
    }

    fn accept_with_parity(&mut self, id: JoinId) {
        let parity = self.stripes().parity_of(self.joins[id].stripe());
        self.joins[id].add_parity(parity, |lpn| self.ftl.accept_beside(lpn));
        if self.ftl.versions().is_some() {
            let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
            stripe_audit::make_parity(&self.joins[id], stripes, &mut self.ftl);
        }
    }

    fn program_join(&mut self, id: JoinId) {
        let may_leave = self.needs.defers && self.joins[id].kind() != JoinKind::Restore;
        let join = &mut self.joins[id];
        let (request, spent, count) = (join.request(), join.spent(), join.begin_programs());
        for at in 0..count {
            let JoinPage { lpn, slot, .. } = self.joins[id].trimmed_and_written().1[at];
            let plane = self.stripes().home(lpn);
            self.joins[id].send(lpn, plane);
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
        if !self.joins[id].end_program() {
            return;
        }
        self.defer_starts();
        let (trimmed, written) = self.joins[id].trimmed_and_written();
        written.iter().for_each(|page| self.ftl.commit_landed(page.slot));
        if self.joins[id].kind() == JoinKind::Restore {
            self.ftl.note_rebuild(RebuildEvent::PageRebuilt);
            self.leave_rebuild(id);
            self.start_deferred();
            return;
        }
        // The parity has been written without these: they are nowhere now.
        let gone = trimmed.iter().filter(|page| self.ftl.trim_page(page.lpn)).count();
        self.recorder.flash.trimmed_pages += gone as u64;
        let (pages, request) = (written.len() as u32, self.joins[id].request());
        self.joins.give_back_pages(pages);
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
        let (request, spent) = (self.joins[id].request(), self.joins[id].spent());
        self.release_part(request, &spent);
        self.leave_stripe(id);
        if gathers {
            self.start_deferred();
        }
    }

    /// The holder of a stripe is done: the next one begins, and those who wait for room look again.
    pub(super) fn leave_stripe(&mut self, id: JoinId) {
        let now = self.events.now();
        let next = self.joins.give_up(id, now);
        self.joins.remove(id);
        if let Some(next) = next {
            self.begin_join(next);
        }
        while let Some(first) = self.joins.first_for_room()
            && self.planes_may_hold(first)
        {
            self.joins.leave_for_room(now);
            self.write_join(first);
        }
        while let Some(first) = self.joins.first_outside()
            && self.fits_in(first)
        {
            let waited = self.joins.leave_outside(now);
            let pages = self.joins[first].new_data().len() as u64;
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
            of_one.iter().for_each(|lpn| self.joins[id].add_page(*lpn, u32::MAX));
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
        self.joins[id].keep_pages(|lpn| self.ftl.is_there(lpn));
        let (join, stripes) = (&self.joins[id], self.stripes());
        let (pages, parity) = (join.pages(), stripes.parity_of(join.stripe()));
        reads.extend(stripes.data(join.stripe()).filter(|lpn| !join.covers(*lpn) && self.ftl.is_there(*lpn)));
        let mut read_before = ReadBefore::Nothing;
        if pages.is_empty() || reads.is_empty() {
            reads.clear();
        } else {
            self.ftl.note_stripe(StripeEvent::TrimUpdate);
            read_before = ReadBefore::Others;
            if pages.len() < reads.len() {
                read_before = ReadBefore::Replaced;
                reads.clear();
                reads.extend(pages.iter().map(|page| page.lpn).chain([parity]));
            }
            self.read_around_lost(id, reads);
        }
        self.joins[id].plan(read_before);
    }

    /// All is read for a trim: the parity is written, unless none of its pages is left, or nothing but them.
    pub(super) fn await_room_or_trim(&mut self, id: JoinId) {
        if self.joins[id].read_before() != ReadBefore::Nothing {
            self.await_room(id);
            return;
        }
        if !self.joins[id].pages().is_empty() {
            let stripe = self.joins[id].stripe();
            self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
        }
        self.joins.give_back_pages(1);
        self.release_and_leave(id);
    }
}
