//! Starting operations: which pages they get, how long they take; and the clocks
//! that say how long they have waited, and for whom.

use super::drive::Drive;
use super::join::JoinKind;
use super::ops::{OpCause, OpKind, PageOp, gc_cause, is_of_host};
use super::spans;
use super::waiting::Attempt;
use crate::flash::ArrayTimes;
use crate::ids::{BlockId, DieId, OpId, PlaneId, Ppn};
use crate::interconnect::{Direction, Lease, Transfer};
use crate::scheduler::Class;
use crate::time::{Nanos, SimTime};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// An operation comes to a die that has nothing else to do: start it without a detour through the queues, unless
    /// its channel is taken or the plane has no page for it. Returns whether it was started.
    #[inline]
    pub(super) fn start_alone(
        &mut self,
        die: DieId,
        class: Class,
        plane: PlaneId,
        id: OpId,
        sequence: u64,
    ) -> bool {
        let by_queue = self.needs.own_parity_blocks() && class == Class::HostWrite;
        let domain = self.needs.domain_of[die.index()];
        let may_try = self.may_try(domain) || self.goes_on_with_task(domain, id);
        if !self.dies[die].is_free() || by_queue || !may_try {
            return false;
        }
        if self.needs.plane_reads() && self.dies.reads(die) {
            // A read has just left the queues, but not its plane.
            return false;
        }
        debug_assert!(!self.dies[die].has_suspended(), "what is set aside is pending");
        if class == Class::HostWrite && !self.ops[id].ppn.is_some() && !self.note_room(die, plane) {
            return false;
        }
        let transfer = self.transfer_of(die, id, Direction::ToFlash);
        let Ok(lease) = self.interconnect.reserve::<PLAIN>(self.events.now(), &transfer) else {
            return false;
        };
        let op = &mut self.ops[id];
        op.sequence = sequence;
        op.since = self.events.now();
        op.next = OpId::NONE;
        if self.needs.unit_pages() == 1 {
            self.take_page(id, class);
        }
        self.begin(class, plane, id, lease, transfer);
        true
    }

    /// Begin the head of a queue, and what can share a multi-plane operation with it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation, by who chose it or by who was woken")]
    pub(super) fn start(&mut self, die: DieId, class: Class, plane: PlaneId) -> Attempt {
        let transfer = self.transfer_of(die, self.queues.head(plane, class), Direction::ToFlash);
        let lease = match self.interconnect.reserve::<PLAIN>(self.events.now(), &transfer) {
            Ok(lease) => lease,
            Err(busy) => return Attempt::Refused(busy),
        };
        let first = self.take_from_queue(plane, class);
        self.begin(class, plane, first, lease, transfer);
        Attempt::Served
    }

    /// Begin an operation that has left its queue, on a channel that is reserved, with those that can share a
    /// multi-plane operation with it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation, from the queues or past them")]
    fn begin(&mut self, class: Class, plane: PlaneId, first: OpId, lease: Lease, transfer: Transfer) {
        if self.needs.reads_before_write() > 0 {
            self.count_turns(transfer.die, class);
        }
        if self.needs.parts_work() {
            self.begin_with_parts(class, plane, first, lease, transfer);
        } else {
            self.begin_at_die::<false>(class, plane, first, lease, transfer);
        }
    }

    /// The same where parts of a die work by themselves.
    #[inline(never)]
    fn begin_with_parts(
        &mut self,
        class: Class,
        plane: PlaneId,
        first: OpId,
        lease: Lease,
        transfer: Transfer,
    ) {
        match self.ops[first].kind {
            OpKind::Read if self.needs.plane_reads() => self.begin_plane_read(plane, first, lease, transfer),
            OpKind::Program if self.needs.cache_programs() => {
                self.begin_at_die::<true>(class, plane, first, lease, transfer);
            }
            _ => self.begin_at_die::<false>(class, plane, first, lease, transfer),
        }
    }

    /// The die is occupied with what begins: to its end, or until it `IS_LOADED`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation; the other callers are rare")]
    fn begin_at_die<const IS_LOADED: bool>(
        &mut self,
        class: Class,
        plane: PlaneId,
        first: OpId,
        lease: Lease,
        transfer: Transfer,
    ) {
        let now = self.events.now();
        let die = transfer.die;
        let gc_time = self.die_gc_time(die);
        self.dies[die].begin(first, transfer.for_gc, now, gc_time);
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans::note_operation(spans, die, &self.ops[first]);
        }

        let (last, mut in_transfer, mut in_array) = self.whole_unit(first, class, plane, false);
        if self.needs.multi_plane() && self.dies.pending(die) > 1 && self.ops[first].kind != OpKind::Copyback
        {
            let of_first = (last, in_transfer, in_array);
            (in_transfer, in_array) = self.share_operation(first, class, plane, of_first);
        }
        let arrived = self.occupy(die, lease, transfer, in_transfer);
        let in_transfer = arrived.since(now);
        self.ops.charge_together(first, in_transfer, in_array);
        if IS_LOADED {
            self.load(die, transfer.for_gc, arrived, in_array);
        } else {
            self.work(die, arrived, in_array);
        }
    }

    /// Let operations of the die's other planes share a multi-plane operation with `first`; returns the times of all
    /// together.
    #[cold]
    fn share_operation(
        &mut self,
        first: OpId,
        class: Class,
        plane: PlaneId,
        (mut last, mut in_transfer, mut in_array): (OpId, Nanos, Nanos),
    ) -> (Nanos, Nanos) {
        let alone = last;
        for other in self.geometry.partners_of(plane).map(PlaneId) {
            let Some((id, class)) = self.take_partner(first, plane, other, class) else { continue };
            self.ops[last].next = id;
            let (its_last, its_transfer, its_array) = self.whole_unit(id, class, other, true);
            last = its_last;
            in_transfer += its_transfer;
            in_array = in_array.max(its_array);
        }
        if last != alone {
            self.recorder.flash.multi_plane_operations += 1;
        }
        (in_transfer, in_array)
    }

    /// An operation that has left its queue to begin, with those of its unit: the last of them, and their times on the
    /// channel and in the array. Relocations of the unit that are stale are dropped, which goes on with their jobs.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation; the other caller is rare")]
    fn whole_unit(
        &mut self,
        first: OpId,
        class: Class,
        plane: PlaneId,
        further: bool,
    ) -> (OpId, Nanos, Nanos) {
        if self.needs.unit_pages() > 1 {
            return self.gather_unit(first, class, plane, further);
        }
        let (in_transfer, in_array) = self.times_of(first, further);
        (first, in_transfer, in_array + self.drawn_retries(first, in_array))
    }

    /// What an operation, which begins now and would have its array work so long, takes longer because it fails.
    #[inline]
    pub(super) fn drawn_retries(&mut self, id: OpId, in_array: Nanos) -> Nanos {
        if self.needs.retries() { self.draw_retries(id, in_array) } else { Nanos(0) }
    }

    #[inline(never)]
    fn draw_retries(&mut self, id: OpId, in_array: Nanos) -> Nanos {
        if self.ops[id].kind != OpKind::Read {
            return Nanos(0);
        }
        let each = self.t_retry_of(self.ops[id].ppn).unwrap_or(in_array);
        Nanos(each.0 * u64::from(self.retries.draw()))
    }

    /// What the page of an operation takes longer on the channel, because it comes from the host or goes there.
    #[inline]
    pub(super) fn host_buffer_of(&self, op: &PageOp) -> Nanos {
        if op.cause == OpCause::Host { self.timing.host_buffer } else { Nanos(0) }
    }

    /// The array works from `from` on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation, where most of it is constant")]
    pub(super) fn work(&mut self, die: DieId, from: SimTime, length: Nanos) {
        let done_at = self.dies[die].work(from, length);
        self.events.schedule_die(done_at, die);
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans.array_works(die.0, from, length);
        }
    }

    /// Take the head of a queue to the flash.
    #[inline]
    pub(super) fn take_from_queue(&mut self, plane: PlaneId, class: Class) -> OpId {
        if self.needs.unit_pages() > 1 && class == Class::HostWrite {
            return self.take_first_of_unit(plane);
        }
        let id = self.queues.pop(plane, class, &self.ops);
        self.bring_to_flash(id, class);
        id
    }

    /// An operation has left its queue: it gets its page, if it programs one that it has not got yet.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation; the other callers are rare")]
    pub(super) fn bring_to_flash(&mut self, id: OpId, class: Class) {
        self.account_wait(id, class);
        self.ops[id].next = OpId::NONE;
        // Those of a unit take theirs together.
        if self.needs.unit_pages() == 1 {
            self.take_page(id, class);
        }
    }

    #[inline]
    pub(super) fn take_page(&mut self, id: OpId, class: Class) {
        // Reads and erases, half of all operations, are spared the call.
        if matches!(self.ops[id].kind, OpKind::Program | OpKind::Copyback) {
            self.take_page_to_program(id, class);
        }
    }

    #[inline(never)]
    fn take_page_to_program(&mut self, id: OpId, class: Class) {
        let op = &mut self.ops[id];
        let plane = op.plane;
        match (op.kind, class) {
            (OpKind::Program, _) if op.ppn.is_some() && op.ppn != op.source => {}
            (OpKind::Program, Class::HostWrite) if self.needs.superblocks() => {
                op.ppn = self.ftl.take_promised_page(plane, op.lpn, op.stream);
                self.end_merging(id);
            }
            (OpKind::Program, Class::HostWrite) => {
                self.ftl.consume_reservation(plane);
                let page = if self.needs.striped() {
                    let is_rebuilt = self.joins[op.join()].kind() == JoinKind::Restore;
                    self.ftl.take_stripe_page(plane, op.lpn, is_rebuilt)
                } else {
                    self.ftl.take_host_page(plane, op.lpn)
                };
                op.ppn = page.expect("only a plane with room is started");
                self.pace_by_write(plane);
                self.end_merging(id);
            }
            (OpKind::Program, _) if op.slot.is_some() => {
                op.ppn = self.ftl.take_owed_page(plane, op.slot, gc_cause(op));
                self.write_back_leaves_queue(plane);
            }
            (OpKind::Program, _) => {
                if self.needs.superblocks() && self.needs.unit_pages() == 1 {
                    self.ftl.keep_promise(plane, op.stream);
                }
                op.ppn = self.ftl.take_gc_page(plane, op.lpn, op.source, gc_cause(op));
                self.ftl.prefetch(op.lpn);
            }
            (OpKind::Copyback, _) => {
                self.recorder.flash.copybacks += 1;
                op.source = op.ppn;
                if self.needs.superblocks() && self.needs.unit_pages() == 1 {
                    self.ftl.keep_promise(plane, op.stream);
                }
                if self.needs.in_units() && self.needs.unit_pages() == 1 {
                    self.ftl.prepare_unit(plane, Some(op.source), gc_cause(op));
                }
                op.ppn = self.ftl.take_gc_page(plane, op.lpn, op.source, gc_cause(op));
                self.ftl.prefetch(op.lpn);
            }
            (OpKind::Read | OpKind::Erase, _) => {}
        }
    }

    /// Time of an operation on the channel (command, and data in) and in the array (of a copyback: of its first half).
    /// `further` when it shares a multi-plane operation that was begun on another plane.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation, where most of it is constant")]
    pub(super) fn times_of(&self, id: OpId, further: bool) -> (Nanos, Nanos) {
        let op = &self.ops[id];
        let timing = &self.timing;
        let pick = |first_plane, further_plane| if further { further_plane } else { first_plane };
        let (in_transfer, in_array) = match op.kind {
            OpKind::Read => (
                pick(timing.read_command, timing.read_further_plane),
                timing.t_read(self.geometry.page_in_block(op.ppn)),
            ),
            OpKind::Copyback => (
                pick(timing.read_command, timing.read_further_plane),
                timing.t_read(self.geometry.page_in_block(op.source)),
            ),
            OpKind::Program => (
                pick(timing.program_command, timing.program_further_plane)
                    + timing.program_data(op.bytes)
                    + self.host_buffer_of(op),
                timing.t_program(self.geometry.page_in_block(op.ppn)),
            ),
            OpKind::Erase => (pick(timing.erase_command, timing.erase_further_plane), timing.t_erase()),
        };
        (in_transfer, if self.needs.times_by_block() { self.array_time_by_block(id) } else { in_array })
    }

    /// Time that operations of a class waiting at a plane have lost to garbage collection: the die's clock, and for
    /// host writes the plane's, which adds the time they were stalled for want of space.
    #[inline]
    pub(super) fn waiting_for_gc(&self, plane: PlaneId, class: Class) -> Nanos {
        let die = self.geometry.die_of(plane);
        if class != Class::HostWrite {
            let die_time = self.die_gc_time(die);
            return if self.needs.plane_reads() { self.reads_gc_time(plane, die_time) } else { die_time };
        }
        let lost_to_die = self.die_gc_time_of_writes(die);
        lost_to_die + self.stalls.time(plane, self.events.now(), lost_to_die)
    }

    /// What writes waiting for a die have lost to garbage collection there, whatever room their planes have.
    #[inline]
    fn die_gc_time_of_writes(&self, die: DieId) -> Nanos {
        let die_time = self.die_gc_time(die);
        if self.needs.plane_reads() { self.writes_gc_time(die, die_time) } else { die_time }
    }

    /// Time that operations waiting for a die have lost to garbage collection.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "once or twice for every operation, and left out of line otherwise"
    )]
    pub(super) fn die_gc_time(&self, die: DieId) -> Nanos {
        let now = self.events.now();
        self.dies[die].gc_time(now, || self.interconnect.gc_time::<PLAIN>(now, die))
    }

    /// Whether the host may write to a plane; keeps the plane's stall clock.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "asked wherever a host program could start, and left out of line otherwise"
    )]
    pub(super) fn note_room(&mut self, die: DieId, plane: PlaneId) -> bool {
        let room = self.next_write_has_room(plane);
        if room == self.stalls.is_stalled(plane) {
            self.room_changed(die, plane, room);
        }
        room
    }

    /// Whether a plane has a page for the host program that waits longest there.
    #[inline]
    pub(super) fn next_write_has_room(&self, plane: PlaneId) -> bool {
        if self.needs.own_parity_blocks() {
            self.next_write_has_room_apart(plane)
        } else {
            self.ftl.host_can_take(plane)
        }
    }

    /// Whether a plane has a page where parity has open blocks of its own: the page that waits longest says which block
    /// is meant.
    #[cold]
    fn next_write_has_room_apart(&self, plane: PlaneId) -> bool {
        self.ftl.can_take(plane, self.ops[self.queues.head(plane, Class::HostWrite)].lpn)
    }

    #[cold]
    pub(super) fn room_changed(&mut self, die: DieId, plane: PlaneId, room: bool) {
        let (now, die_time) = (self.events.now(), self.die_gc_time_of_writes(die));
        if room {
            let stood = self.stalls.end(plane, now, die_time);
            self.recorder.gc.host_write_stall_ns += self.measured_part(stood).0;
        } else {
            self.stalls.begin(plane, now, die_time);
            self.recorder.gc.stalled_writes += 1;
        }
    }

    /// Charge the time an operation of the host has waited so far to garbage collection and to the queue.
    #[inline]
    pub(super) fn account_wait(&mut self, id: OpId, class: Class) {
        if !is_of_host(class) {
            return;
        }
        let now = self.events.now();
        let gc_time = self.waiting_for_gc(self.ops[id].plane, class);
        let op = &mut self.ops[id];
        let waited = now.since(op.since);
        let for_gc = gc_time - op.gc_mark;
        op.spent.charge_wait(waited, for_gc);
        op.since = now;
        op.gc_mark = gc_time;
    }

    // Array times of blocks by themselves: by how often they were erased (`flash.wear`), and of the SLC cache.

    fn times_of_block(&self, block: BlockId) -> &ArrayTimes {
        self.timing.of_block(self.geometry.is_cache_block(block), self.ftl.blocks().erases(block))
    }

    fn times_of_page(&self, page: Ppn) -> &ArrayTimes {
        self.times_of_block(self.geometry.block_of(page))
    }

    /// Time of an operation in the array (of a copyback: of its first half), by what its block is.
    #[inline(never)]
    pub(super) fn array_time_by_block(&self, id: OpId) -> Nanos {
        let op = &self.ops[id];
        let page = if op.kind == OpKind::Copyback { op.source } else { op.ppn };
        let (times, in_block) = (self.times_of_page(page), self.geometry.page_in_block(page));
        match op.kind {
            OpKind::Read | OpKind::Copyback => times.t_read(in_block),
            OpKind::Program => times.t_program(in_block),
            OpKind::Erase => times.erase,
        }
    }

    /// tPROG of a page: of the second half of a copyback.
    #[inline]
    pub(super) fn t_program_of(&self, page: Ppn) -> Nanos {
        let in_block = self.geometry.page_in_block(page);
        if self.needs.times_by_block() {
            self.times_of_page(page).t_program(in_block)
        } else {
            self.timing.t_program(in_block)
        }
    }

    /// tPROG of the pages of a unit of a block, which was left open and is closed.
    pub(super) fn t_program_of_unit(&self, block: BlockId) -> Nanos {
        if self.needs.times_by_block() {
            self.times_of_block(block).t_program(0)
        } else {
            self.timing.t_program(0)
        }
    }

    /// What a repetition of a read adds, if not tR of its page.
    pub(super) fn t_retry_of(&self, page: Ppn) -> Option<Nanos> {
        if self.needs.times_by_block() { self.times_of_page(page).retry } else { self.timing.t_retry() }
    }
}
