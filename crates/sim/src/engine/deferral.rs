//! Writes that leave chips about to be collected, and collection of chips that have nothing to do, in time. What is
//! decided is that of `gc/deferral/`; `docs/model.md`, section 17.

use reclaim_trace::{Op, Record};

use super::drive::Drive;
use crate::gc::deferral::{Concern, HomeView, Target};
use crate::host::AddressMapper;
use crate::ids::{DieId, JoinId, Lpn, OpId, PlaneId};
use crate::mapping::{Cause, Place};
use crate::scheduler::Class;
use crate::time::SimTime;

impl Drive {
    /// When a die will have done all that was queued there, as estimated.
    pub(super) fn completes(&self, die: DieId) -> SimTime {
        self.deferring.completes(die, self.events.now())
    }

    /// Every die may have something to collect before anything else happens.
    pub(super) fn note_all_idle(&mut self) {
        if self.deferring.collects_when_idle() {
            (0..self.geometry.dies()).for_each(|die| self.deferring.note_idle(DieId(die)));
        }
    }

    /// Planes of dies that have nothing to do are collected, if the policy wants that.
    pub(super) fn collect_idle_dies(&mut self) {
        for at in 0..self.deferring.idle_dies().len() {
            let die = self.deferring.idle_dies()[at];
            for plane in self.geometry.planes_of(die).map(PlaneId) {
                let above_start = self.ftl.blocks_above_start(plane);
                if self.dies.pending(die) == 0
                    && self.ftl.another_job_fits(plane)
                    && self.deferring.wants_when_idle(plane, above_start)
                {
                    self.collect_while_idle(die, plane);
                }
            }
        }
        self.deferring.forget_idle();
    }

    /// A plane is collected, although nothing waits for it, unless the limit of jobs holds that back.
    fn collect_while_idle(&mut self, die: DieId, plane: PlaneId) {
        if self.needs.limits_jobs {
            let idle = self.needs.notes_idle && self.channel_is_idle(plane);
            if !self.ftl.may_start(plane, self.jobs.per_channel(), idle) {
                self.deferring.hold_back(die);
                return;
            }
        }
        if let Ok(victim) = self.ftl.try_collection(plane) {
            self.check_limit(plane);
            self.deferring.begin_idle_job(plane);
            self.begin_job(plane, victim, Cause::Gc, false);
        }
    }

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

    /// Requests to come: when they will arrive, and to which planes they will go.
    pub(super) fn foresee_arrivals(&mut self, coming: &[Record], mapper: &AddressMapper) {
        self.deferring.forget_upcoming();
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        let page_bytes = u64::from(self.geometry.page_bytes);
        for record in coming.iter().take(self.deferring.looks_ahead()) {
            if !matches!(record.op, Op::Read | Op::Write) {
                continue;
            }
            let at = self.scaled_time(record);
            let (first, count) = mapper.pages(record.offset_bytes, record.size_bytes);
            let known = (first..first + count).filter_map(|page| mapper.known(page * page_bytes));
            for lpn in known.filter(|lpn| lpn.0 < self.geometry.logical_pages) {
                self.deferring.note_upcoming(at, stripes.home(lpn));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ops::{OpKind, PageOp};
    use super::super::queue::Event;
    use super::*;
    use crate::config::{LoadRequest, load};
    use crate::flash::Geometry;
    use crate::ftl::Ftl;
    use crate::ids::RequestId;
    use crate::metrics::Recorder;

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
        let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let request = LoadRequest { device: "gc-bypass-mini".to_owned(), schemes: Vec::new(), set };
        let config = load(&request).unwrap();
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
        drive.defer_starts();
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
