//! Stripes in time, from where something is written: pages of a stripe are programmed with its parity, and count only
//! when all have been (`docs/model.md`, section 16). Whole stripes are trimmed at once; of others the parity is written
//! anew, and the pages go with that. A page whose chip is about to be collected may be written elsewhere (section 17;
//! `gc/deferral/` decides).

use super::drive::Drive;
use super::join::{Join, JoinKind, JoinPage};
use super::ops::{OpKind, PageOp, Role};
use super::stripes::trimmed_pages;
use crate::flash::Stripes;
use crate::ftl::Ftl;
use crate::gc::deferral::{Concern, HomeView, Target};
use crate::host::AddressMapper;
use crate::ids::{JoinId, Lpn, OpId, PlaneId, RequestId};
use crate::mapping::Place;
use crate::redundancy::{ReadBefore, RebuildEvent, StripeEvent};
use crate::scheduler::Class;

impl<const PLAIN: bool> Drive<PLAIN> {
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
        self.tell_of_request(self.joins[id].request());
        self.joins[id].add_parity(parity, |lpn| self.ftl.accept_beside(lpn));
        if self.ftl.versions().is_some() {
            let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
            make_parity(&self.joins[id], stripes, &mut self.ftl);
        }
    }

    fn program_join(&mut self, id: JoinId) {
        let may_leave = self.needs.defers() && self.joins[id].kind() != JoinKind::Restore;
        let join = &mut self.joins[id];
        let (request, spent, count) = (join.request(), join.spent(), join.begin_programs());
        for at in 0..count {
            let JoinPage { lpn, slot, .. } = self.joins[id].trimmed_and_written().1[at];
            let plane = self.stripes().home(lpn);
            self.joins[id].send(lpn, plane);
            let op = self.host_op(OpKind::Program, request, lpn, u32::MAX);
            let op = self.ops.insert(PageOp { slot, plane, spent, role: Role::OfStripe(id), ..op });
            self.pace_by_room(plane);
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
        self.gather_starts();
        self.joins[id].end_as(&spent);
        let (trimmed, written) = self.joins[id].trimmed_and_written();
        for page in written {
            self.ftl.commit_landed(page.slot);
        }
        if self.joins[id].kind() == JoinKind::Restore {
            self.ftl.note_rebuild(RebuildEvent::PageRebuilt);
            self.leave_rebuild(id);
            self.start_gathered();
            return;
        }
        // The parity has been written without these: they are nowhere now.
        let gone = trimmed.iter().filter(|page| self.ftl.trim_page(page.lpn)).count();
        self.recorder.flash.trimmed_pages += gone as u64;
        let (pages, request) = (written.len() as u32, self.joins[id].request());
        self.joins.give_back_pages(id, pages, self.events.now());
        // A trim is one part of its request, and a write as many as it has pages of data.
        for _ in 0..(pages - 1).max(1) {
            self.release_part(request, &spent);
        }
        self.leave_stripe(id);
        self.start_gathered();
    }

    /// A page of the unreadable chip has been rebuilt.
    pub(super) fn page_rebuilt(&mut self, id: JoinId) {
        if self.ftl.versions().is_some()
            && let Err(fault) = check_rebuilt(&self.joins[id], &self.ftl)
        {
            self.recorder.fault(fault);
        }
        self.release_and_leave(id);
    }

    /// An access that has written nothing is done. It may have read nothing, either, and then starts are gathered
    /// already.
    pub(super) fn release_and_leave(&mut self, id: JoinId) {
        let gathers = !self.dies.gathers_starts();
        if gathers {
            self.gather_starts();
        }
        let (request, spent) = (self.joins[id].request(), self.joins[id].spent());
        self.release_part(request, &spent);
        self.leave_stripe(id);
        if gathers {
            self.start_gathered();
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
            self.write_buffer.note_waited(pages, self.measured_part(waited));
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
        trimmed_pages(&self.ftl, mapper, (first, count), &mut pages);
        let stripes = self.stripes().clone();
        self.gather_starts();
        for of_one in pages.chunk_by(|a, b| stripes.stripe_of(*a) == stripes.stripe_of(*b)) {
            let stripe = stripes.stripe_of(of_one[0]);
            let is_free = !self.joins.is_held(stripe) && self.joins.first_outside().is_none();
            if is_free && self.nothing_but(stripe, |lpn| of_one.contains(&lpn)) {
                self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
                continue;
            }
            let id = self.new_join(JoinKind::Trim, request, stripe);
            for lpn in of_one {
                self.joins[id].add_page(*lpn, u32::MAX);
            }
            self.requests.add_parts(request, 1);
            self.offer_stripe_write(id);
        }
        self.start_gathered();
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
        self.joins.give_back_pages(id, 1, self.events.now());
        self.release_and_leave(id);
    }
}

// Pages that are written elsewhere than at home.
impl<const PLAIN: bool> Drive<PLAIN> {
    /// A page of a stripe, for which its home has reserved a page, is queued there, or elsewhere; and perhaps one that
    /// waited there before it goes elsewhere.
    pub(super) fn queue_or_redirect(&mut self, op: OpId) {
        let home = self.ops[op].plane;
        let die = self.geometry.die_of(home);
        let view = HomeView {
            waiting: self.ftl.waiting_pages(home),
            writable: self.ftl.writable_pages(home),
            is_busy: self.dies.pending(die) > 0,
        };
        let concern = self.deferring.concern(home, die, &view);
        if concern.redirects()
            && let Some(leaving) = self.which_leaves(concern, op)
            && let Some(target) = self.choose_target(leaving)
        {
            self.redirect(leaving, op, target);
            if leaving == op {
                return;
            }
        }
        self.enqueue(op);
    }

    /// The page that leaves the plane where `op` is being queued.
    fn which_leaves(&self, concern: Concern, op: OpId) -> Option<OpId> {
        let may_leave = |id: &OpId| self.deferring.may_leave(self.stripes().is_parity(self.ops[*id].lpn));
        let home = self.ops[op].plane;
        let mut waiting = self.queues.head(home, Class::HostWrite);
        while concern == Concern::RedirectOldest && waiting.is_some() {
            // One that was redirected to here stays.
            if self.stripes().home(self.ops[waiting].lpn) == home && may_leave(&waiting) {
                return Some(waiting);
            }
            waiting = self.ops[waiting].next;
        }
        Some(op).filter(may_leave)
    }

    /// Where a page of a stripe goes instead of its home, if anywhere.
    fn choose_target(&mut self, leaving: OpId) -> Option<PlaneId> {
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        self.deferring.begin_targets(self.joins.reading().flat_map(|join| {
            let parity = [stripes.parity_of(join.stripe())];
            let pages = join.new_data().iter().map(|page| page.lpn).chain(parity);
            pages.map(|lpn| (join.release(), stripes.home(lpn)))
        }));
        let (lpn, join) = (self.ops[leaving].lpn, self.ops[leaving].join());
        for plane in stripes.elsewhere(lpn) {
            let target = Target {
                plane,
                completes: self.completes(self.geometry.die_of(plane)),
                next_arrival: self.deferring.next_arrival(plane),
                has_room: self.ftl.writable_pages(plane) > self.ftl.waiting_pages(plane)
                    && self.ftl.guest_fits(plane),
                holds_member: self.holds_member(plane, lpn, join),
                erases: self.ftl.plane(plane).erases,
            };
            self.deferring.add_target(target);
        }
        let home_completes = self.completes(self.geometry.die_of(self.ops[leaving].plane));
        self.deferring.choose(home_completes)
    }

    /// Whether the chip of a plane holds, or will hold, another page of the stripe that a page is written with.
    fn holds_member(&self, plane: PlaneId, lpn: Lpn, join: JoinId) -> bool {
        let stripes = self.stripes();
        let chip = stripes.chip_of_plane(plane);
        let written = self.joins[join].pages();
        stripes.members(stripes.stripe_of(lpn)).filter(|other| *other != lpn).any(|other| {
            let sent = written.iter().find(|page| page.lpn == other && page.plane.is_some());
            let where_it_is = match (sent, self.ftl.map().place(other)) {
                (Some(page), _) => Some(page.plane),
                (None, Place::Flash(ppn)) => Some(self.geometry.plane_of(self.geometry.block_of(ppn))),
                (None, Place::Nowhere | Place::Lost | Place::Buffer(_)) => None,
            };
            where_it_is.is_some_and(|plane| stripes.chip_of_plane(plane) == chip)
        })
    }

    /// A page that waits for its home, or is about to, goes to another plane.
    fn redirect(&mut self, leaving: OpId, queued: OpId, target: PlaneId) {
        let home = self.ops[leaving].plane;
        if leaving != queued {
            self.leave_queue(leaving, home);
        }
        self.ftl.consume_reservation(home);
        self.ftl.reserve_page(target);
        self.ftl.add_guest(target);
        self.ops[leaving].plane = target;
        let (lpn, join) = (self.ops[leaving].lpn, self.ops[leaving].join());
        self.joins[join].send(lpn, target);
        self.enqueue(leaving);
    }

    fn leave_queue(&mut self, id: OpId, plane: PlaneId) {
        let class = Class::HostWrite;
        let die = self.geometry.die_of(plane);
        let (mut previous, mut at) = (OpId::NONE, self.queues.head(plane, class));
        while at != id {
            (previous, at) = (at, self.ops[at].next);
        }
        self.queues.take(plane, class, previous, &mut self.ops);
        self.one_less_pending(die);
        self.account_wait(id, class);
        self.deferring.note_leaving(die);
        if !self.queues.head(plane, class).is_some() && self.stalls.is_stalled(plane) {
            self.room_changed(die, plane, true);
        }
    }
}

// What pages of stripes hold, when a run is audited: parity is made of what was read for it, as a controller would.

/// Makes the parity of what was read and of what is written, as a controller would.
pub(super) fn make_parity(join: &Join, stripes: &Stripes, ftl: &mut Ftl) {
    let [written @ .., parity] = join.pages() else { unreachable!("a write has its parity") };
    // Nothing comes in place of pages that are trimmed.
    let new = match join.kind() {
        JoinKind::Trim => 0,
        _ => written.iter().fold(0, |sum, page| sum ^ ftl.slot_content(page.slot)),
    };
    // All but one page of the stripe that is there were read if that one could not be.
    let (found, rebuilt) = join.found();
    let before = |lpn: Lpn| {
        let found = found.iter().find(|(page, _)| *page == lpn);
        found.map_or_else(|| if lpn == join.lost() { rebuilt } else { 0 }, |(_, content)| *content)
    };
    let sum = match join.read_before() {
        ReadBefore::Replaced => {
            written.iter().fold(new ^ before(parity.lpn), |sum, page| sum ^ before(page.lpn))
        }
        ReadBefore::Nothing | ReadBefore::Others => {
            let data = stripes.data(join.stripe());
            let others = data.filter(|lpn| !written.iter().any(|page| page.lpn == *lpn));
            others.fold(new, |sum, lpn| sum ^ before(lpn))
        }
    };
    let (trimmed, _) = join.trimmed_and_written();
    ftl.set_parity(parity.slot, sum, |lpn| trimmed.iter().any(|page| page.lpn == lpn));
}

/// Checks that the rest of the stripe sums to the page that was rebuilt.
///
/// # Errors
/// When it does not.
pub(super) fn check_rebuilt(join: &Join, ftl: &Ftl) -> Result<(), String> {
    let (lpn, (_, sum)) = (join.rebuilt_page(), join.found());
    // It may have been trimmed while the read waited for its stripe.
    let Place::Flash(ppn) = ftl.map().place(lpn) else { return Ok(()) };
    if sum == ftl.content(ppn) {
        return Ok(());
    }
    Err(format!("{lpn:?} was rebuilt from its stripe, but holds something else"))
}

#[cfg(test)]
mod tests {
    use super::super::event_queue::Event;
    use super::*;
    use crate::flash::Geometry;
    use crate::ftl::Ftl;
    use crate::ids::DieId;
    use crate::metrics::Recorder;
    use crate::time::SimTime;

    /// Four chips in parity sets of two, factory-fresh.
    fn drive() -> Drive {
        let set = [
            ("geometry.channels", "4"),
            ("geometry.chips_per_channel", "1"),
            ("geometry.spare_factor", "30%"),
            ("ftl.allocation", "striping"),
            ("redundancy", "raid5"),
            ("redundancy.stripe_chips", "2"),
            ("gc.trigger", "foreground"),
            ("gc.deferral", "dgc"),
        ];
        let config = crate::testing::config("gc-bypass-mini", &set);
        let ftl = Ftl::new(&config, &Geometry::new(&config).unwrap(), false);
        Drive::new(&config, ftl, Recorder::new(false, false, false))
    }

    fn queue_write(drive: &mut Drive, lpn: u32) -> OpId {
        let op = drive.host_op(OpKind::Program, RequestId::NONE, Lpn(lpn), 4096);
        let id = drive.ops.insert(PageOp { plane: PlaneId(0), ..op });
        drive.enqueue(id);
        id
    }

    /// Each write that waits adds a program to what its die has to do; one that leaves takes it along; and what was
    /// over long ago adds nothing.
    #[test]
    fn a_page_that_leaves_takes_its_time_along() {
        let mut drive = drive();
        let (die, plane, write) = (DieId(0), PlaneId(0), drive.timing.unloaded_program().0);
        drive.gather_starts();
        let writes = [0, 1].map(|lpn| queue_write(&mut drive, lpn));
        assert_eq!(drive.completes(die), SimTime(2 * write));
        drive.leave_queue(writes[0], plane);
        assert_eq!(drive.completes(die), SimTime(write));
        assert_eq!((drive.dies.pending(die), drive.queues.head(plane, Class::HostWrite)), (1, writes[1]));
        drive.leave_queue(writes[1], plane);
        assert_eq!((drive.completes(die), drive.dies.pending(die)), (SimTime::ZERO, 0));
        queue_write(&mut drive, 2);
        drive.events.schedule(SimTime(10 * write), Event::Arrival);
        drive.events.pop();
        queue_write(&mut drive, 3);
        assert_eq!(drive.completes(die), SimTime(11 * write));
    }
}
