//! Reads that the planes of a die begin by themselves: each plane has a reader, beside which the die stays free for
//! other reads; with cache reads data leave by a register of their own, and the reader is free when they are there.

use super::drive::Drive;
use super::ops::{OpCause, OpKind, PageOp, class_of};
use super::spans;
use crate::ids::{DieId, OpId, PlaneId};
use crate::interconnect::{Lease, Transfer};
use crate::scheduler::Class;
use crate::time::Nanos;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// A read that has left its queue begins at the reader of its plane, on a channel that is reserved.
    #[inline(never)]
    pub(super) fn begin_plane_read(&mut self, plane: PlaneId, id: OpId, lease: Lease, transfer: Transfer) {
        let now = self.events.now();
        let (die, reader) = (transfer.die, self.dies.reader(plane));
        self.dies.read_begins(die, !transfer.for_gc, now);
        self.dies[reader].begin(id, false, now, Nanos(0));
        let die_time = self.die_gc_time(die);
        self.dies.reader_does(plane, Some(transfer.for_gc), now, die_time);
        if transfer.for_gc {
            self.dies.collector_data_comes(die, now, die_time);
        }
        let (in_transfer, t_read) = self.times_of(id, false);
        let in_array = t_read + self.drawn_retries(id, t_read);
        self.take_rest_of_page(id, class_of(&self.ops[id]), plane);
        let arrived = self.occupy(die, lease, transfer, in_transfer);
        self.ops.charge_together(id, arrived.since(now), in_array);
        let done_at = self.dies[reader].work(arrived, in_array);
        self.events.schedule_die(done_at, reader);
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans::note_part_array(spans, die, (OpKind::Read, transfer.for_gc), (arrived, done_at));
        }
    }

    /// What a die may start of its choice: while planes read, no program, erase or copyback; while the array programs
    /// what was loaded, programs alone.
    #[inline(never)]
    pub(super) fn beside_parts(
        &mut self,
        die: DieId,
        choice: Option<(Class, PlaneId)>,
    ) -> Option<(Class, PlaneId)> {
        let reads = self.needs.plane_reads() && self.dies.reads(die);
        let programs = self.needs.cache_programs() && self.dies.programs(die);
        let first = choice.map(|(class, plane)| &self.ops[self.queues.head(plane, class)]);
        let waits_for_reads = first.filter(|op| reads && op.kind != OpKind::Read);
        let waits_for_array = first.is_some_and(|op| programs && op.kind != OpKind::Program);
        if self.needs.plane_reads() {
            let held = waits_for_reads.is_some_and(|op| op.cause.is_collection());
            let waits = waits_for_reads.is_some();
            self.dies.hold(die, held, self.events.now(), self.die_gc_time(die));
            return choice.filter(|_| !waits && !waits_for_array);
        }
        choice.filter(|_| !waits_for_array)
    }

    /// Time that reads waiting for a plane lost to collection: to that of their die, whose clock shows `die_time`, and
    /// to what the plane read for it.
    pub(super) fn reads_gc_time(&self, plane: PlaneId, die_time: Nanos) -> Nanos {
        die_time + self.dies.collector_read_time(plane, self.events.now(), die_time)
    }

    /// The same of writes waiting for a die: they begin when none of its planes reads any more, nor has data to send.
    #[inline(never)]
    pub(super) fn writes_gc_time(&self, die: DieId, die_time: Nanos) -> Nanos {
        die_time + self.dies.collector_part_time(die, self.events.now(), die_time)
    }

    /// A plane's reader or outlet has nothing to do any more.
    fn free_part(&mut self, part: DieId, for_gc: bool) {
        let now = self.events.now();
        let (die, plane) = (self.dies.home(part), self.dies.plane_of(part));
        if part == self.dies.reader(plane) {
            let die_time = self.die_gc_time(die);
            self.dies.reader_does(plane, None, now, die_time);
        }
        let since = self.dies[part].end(now);
        if !PLAIN && self.recorder.spans.is_some() {
            self.note_part_done(die, (OpKind::Read, for_gc), (since, now));
        }
    }

    /// A read has begun on one plane of a die: another may begin on the next.
    #[inline(never)]
    pub(super) fn start_beside(&mut self, die: DieId) {
        self.try_start(die);
    }

    /// The array of a reader is done.
    #[inline(never)]
    pub(super) fn plane_has_read(&mut self, reader: DieId) {
        let id = self.dies[reader].active_ops();
        let mark = self.channel_gc_time(reader);
        self.ops.wait_together(id, self.events.now(), mark);
        if !self.needs.cache_reads() {
            self.await_channel(reader);
            return;
        }
        let plane = self.dies.plane_of(reader);
        if self.dies[self.dies.outlet(plane)].may_choose() {
            self.send_from_outlet(plane);
        } else {
            // It stays in the page register until the cache register is free.
            self.dies[reader].await_channel();
        }
    }

    /// The data of a plane's reader go over to its outlet, and from there over the channel; the command of the next
    /// read goes before them, so that its array time lies under them.
    fn send_from_outlet(&mut self, plane: PlaneId) {
        let now = self.events.now();
        let (reader, outlet) = (self.dies.reader(plane), self.dies.outlet(plane));
        let id = self.dies[reader].active_ops();
        self.free_part(reader, self.ops[id].cause.is_collection());
        self.dies[outlet].begin(id, false, now, Nanos(0));
        self.try_start(self.dies.home(reader));
        self.await_channel(outlet);
    }

    /// A read has waited in its reader for data of the collector to leave.
    fn account_wait_for_outlet(&mut self, reader: DieId) {
        let (now, mark) = (self.events.now(), self.channel_gc_time(reader));
        let first = self.dies[reader].active_ops();
        let mut id = first;
        while id.is_some() {
            let op = &mut self.ops[id];
            op.spent.charge_gc(now.since(op.since));
            id = op.next;
        }
        self.ops.wait_together(first, now, mark);
    }

    /// The data of a read have left its reader or its outlet.
    #[inline(never)]
    pub(super) fn plane_read_is_out(&mut self, part: DieId) {
        let now = self.events.now();
        let (die, plane) = (self.dies.home(part), self.dies.plane_of(part));
        let id = self.dies[part].active_ops();
        let PageOp { cause, next, .. } = self.ops[id];
        let for_host = cause == OpCause::Host;
        self.dies[part].data_is_out(next);
        self.finish(die, id);
        if next.is_some() {
            // The next part of the same page.
            self.await_channel(part);
            return;
        }
        self.dies.read_ends(die, for_host, now);
        if !for_host {
            let die_time = self.die_gc_time(die);
            self.dies.collector_data_is_out(die, now, die_time);
        }
        self.free_part(part, !for_host);
        // The next read of the plane may wait in its page register.
        if self.needs.cache_reads() && self.dies[self.dies.reader(plane)].holds_data() {
            if !for_host {
                self.account_wait_for_outlet(self.dies.reader(plane));
            }
            self.send_from_outlet(plane);
        } else {
            self.try_start(die);
        }
    }
}
