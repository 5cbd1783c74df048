//! Stripes in time, from where something is written: pages of a stripe are programmed with its parity, and count only
//! when all have been. `docs/model.md`, section 16.

use super::drive::Drive;
use super::joins::{JoinKind, JoinPage};
use super::ops::{OpKind, PageOp, Role};
use super::stripe_audit;
use crate::ids::{JoinId, OpId};
use crate::redundancy::{RebuildEvent, StripeEvent};

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
}
