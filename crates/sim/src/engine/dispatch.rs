//! Starting operations: which one, on which wires, for how long.

use super::ops::{OpKind, PageOp};
use super::queue::Event;
use super::time::{Nanos, SimTime};
use super::waiting::Want;
use crate::drive::Drive;
use crate::flash::{GcClock, Phase};
use crate::ftl::{Cause, Place};
use crate::ids::{DieId, OpId, PlaneId};
use crate::interconnect::{Busy, Lease, Transfer};
use crate::scheduler::{Class, DieView};

/// What came of an attempt to use wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// They were taken, or nothing wanted them.
    Served,
    /// They are taken by somebody else.
    Refused(Busy),
}

/// What waits at a die and could start.
enum Waiting {
    Nothing,
    /// A single class on a single plane.
    Class(Class, PlaneId),
    Several,
}

impl Drive {
    /// Queue an operation at its plane's die.
    pub(crate) fn enqueue(&mut self, id: OpId) {
        let op = &self.ops[id];
        let plane = op.plane;
        let die = self.geometry.die_of(plane);
        let class = class_of(op);
        let sequence = self.arrivals;
        self.arrivals += 1;
        let waiting = self.pending[die.index()];
        self.pending[die.index()] = waiting + 1;
        if waiting == 0 && !self.holding_starts && self.start_alone(die, class, plane, id, sequence) {
            return;
        }
        let gc_mark = self.waiting_for_gc(plane, class);
        let op = &mut self.ops[id];
        op.sequence = sequence;
        op.since = self.events.now();
        op.gc_mark = gc_mark;
        self.queues.push(plane, class, id, &mut self.ops);
        if class == Class::HostRead {
            self.consider_suspending(die);
        }
        if self.holding_starts {
            self.held_starts.push(die);
        } else {
            self.offer(die);
        }
    }

    /// A die has been given something: it starts it, or asks itself whether it still stands in the right line.
    #[inline]
    fn offer(&mut self, die: DieId) {
        if self.dies[die.index()].waits_to_start {
            self.reconsider(die);
        } else {
            self.try_start(die);
        }
    }

    /// Something has come to a die that waits for wires. If a command is among what it could start, it chooses again,
    /// and what would be served sooner goes to the sooner line: a read must not stand in line as the program it came
    /// after.
    fn reconsider(&mut self, die: DieId) {
        let state = &self.dies[die.index()];
        if state.phase != Phase::Idle || state.choosing || self.waits.compare(die, Want::Command).is_ge() {
            return;
        }
        let mut planes = self.geometry.planes_of(die).map(PlaneId);
        if !planes.any(|plane| self.queues.waiting(plane) & COMMANDS != 0) {
            return;
        }
        if let Some((class, _)) = self.next_class(die) {
            let want = want_of(class);
            if self.waits.compare(die, want).is_lt() {
                self.waits.rejoin(self.group_of[die.index()], want, die);
            }
        }
    }

    /// An operation comes to a die that has nothing else to do: start it without a detour through the queues, unless
    /// wires or space are short. Tells whether it was started.
    #[inline]
    fn start_alone(&mut self, die: DieId, class: Class, plane: PlaneId, id: OpId, sequence: u64) -> bool {
        let state = &self.dies[die.index()];
        let free = state.phase == Phase::Idle && !state.waits_to_start && !state.choosing;
        if !free || self.scheduler_may_idle || !self.waits.is_empty(self.group_of[die.index()]) {
            return false;
        }
        debug_assert!(state.suspended.is_none(), "what is set aside is pending");
        if class == Class::HostWrite && !self.ops[id].ppn.is_some() && !self.note_room(die, plane) {
            return false;
        }
        let transfer = Transfer { die, for_gc: !class.is_host() };
        let Ok(lease) = self.interconnect.reserve(self.events.now(), &transfer) else { return false };
        let op = &mut self.ops[id];
        op.sequence = sequence;
        op.since = self.events.now();
        op.next = OpId::NONE;
        self.take_page(id, class);
        self.begin(die, class, plane, id, lease);
        true
    }

    /// From now on operations are queued and nothing starts: the pages of a request reach the dies together, so that
    /// those which can share an operation do.
    pub(crate) fn hold_starts(&mut self) {
        self.holding_starts = true;
    }

    /// Start what was held back, dies in the order in which they were given something.
    pub(crate) fn start_held(&mut self) {
        self.holding_starts = false;
        for at in 0..self.held_starts.len() {
            self.offer(self.held_starts[at]);
        }
        self.held_starts.clear();
    }

    /// Time that operations of a class waiting at a plane have lost to garbage collection: the die's clock, and for
    /// host writes the plane's, which adds the time they stood still for want of space.
    #[inline]
    fn waiting_for_gc(&self, plane: PlaneId, class: Class) -> Nanos {
        let die_time = self.die_gc_time(self.geometry.die_of(plane));
        if class != Class::HostWrite {
            return die_time;
        }
        die_time + self.stalls[plane.index()].time(self.events.now(), die_time)
    }

    #[inline]
    fn die_gc_time(&self, die: DieId) -> Nanos {
        let state = &self.dies[die.index()];
        match state.gc_clock {
            GcClock::Stopped => state.gc_time,
            _ => self.running_gc_time(die),
        }
    }

    fn running_gc_time(&self, die: DieId) -> Nanos {
        let now = self.events.now();
        self.dies[die.index()].gc_time(now, || self.interconnect.gc_time(now, die))
    }

    #[inline]
    pub(super) fn set_gc_clock(&mut self, die: DieId, clock: GcClock) {
        let time = self.die_gc_time(die);
        let die = &mut self.dies[die.index()];
        die.gc_time = time;
        die.gc_clock = clock;
    }

    /// Start something on the die if it is idle and wires are free.
    #[inline]
    pub(crate) fn try_start(&mut self, die: DieId) {
        let state = &self.dies[die.index()];
        if state.phase == Phase::Idle && !state.waits_to_start && !state.choosing {
            self.start_next(die);
        }
    }

    fn start_next(&mut self, die: DieId) {
        let Some((class, plane)) = self.next_class(die) else {
            self.resume(die);
            return;
        };
        let group = self.group_of[die.index()];
        // Whoever has waited longer goes first, even if the wires happen to be free at this instant.
        let refused = if self.waits.is_empty(group) {
            match self.start(die, class, plane) {
                Attempt::Served => return,
                Attempt::Refused(busy) => Some(busy),
            }
        } else {
            None
        };
        self.dies[die.index()].waits_to_start = true;
        self.set_gc_clock(die, GcClock::Wires(self.interconnect.gc_time(self.events.now(), die)));
        self.waits.join(group, want_of(class), die);
        self.wake_when_free(group, refused);
    }

    fn wake_when_free(&mut self, group: u32, refused: Option<Busy>) {
        if let Some(Busy { until: Some(at) }) = refused {
            self.wake_at(group, at);
        }
    }

    fn wake_at(&mut self, group: u32, at: SimTime) {
        if self.waits.needs_wake(group, at) {
            self.events.schedule(at, Event::Wake { group });
        }
    }

    /// Wires of a group fell idle: serve those who wait, in order, until they are taken again.
    pub(crate) fn wake(&mut self, group: u32) {
        self.waits.woken(group);
        while let Some((list, die)) = self.waits.first(group) {
            let starting = self.dies[die.index()].waits_to_start;
            let attempt = if starting {
                match self.next_class(die) {
                    // What it stood in line for is gone, and what is left goes behind others.
                    Some((class, _)) if self.waits.compare(die, want_of(class)).is_gt() => {
                        self.waits.rejoin(group, want_of(class), die);
                        continue;
                    }
                    Some((class, plane)) => self.start(die, class, plane),
                    None => Attempt::Served,
                }
            } else {
                self.finish_over_wires(die)
            };
            if let Attempt::Refused(busy) = attempt {
                self.wake_when_free(group, Some(busy));
                return;
            }
            self.waits.leave(group, list);
            if starting {
                let state = &mut self.dies[die.index()];
                state.waits_to_start = false;
                if state.phase == Phase::Idle {
                    // What it waited for is gone.
                    self.set_gc_clock(die, GcClock::Stopped);
                    self.resume(die);
                }
            }
        }
    }

    /// Free the wires at `at`, and see to those who wait for a release of unknown time.
    #[inline]
    pub(crate) fn release_wires(&mut self, die: DieId, at: SimTime) {
        let Some(lease) = self.dies[die.index()].lease.take() else { return };
        self.interconnect.release(at, lease);
        self.wires_released(die, at);
    }

    #[inline]
    fn wires_released(&mut self, die: DieId, at: SimTime) {
        let group = self.group_of[die.index()];
        if !self.waits.is_empty(group) {
            self.wake_at(group, at);
        }
    }

    /// The class the scheduler picks among what could start now.
    #[inline]
    fn next_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        if self.pending[die.index()] == 0 {
            return None;
        }
        self.choose_class(die)
    }

    fn choose_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        loop {
            let (class, plane) = match self.only_class(die) {
                Waiting::Class(class, plane) => (class, plane),
                Waiting::Nothing => return None,
                Waiting::Several => self.class_of_many(die)?,
            };
            if !self.drop_if_stale(plane, class) {
                return Some((class, plane));
            }
        }
    }

    /// Where a single class waits on a single plane there is nothing to choose.
    #[inline]
    fn only_class(&mut self, die: DieId) -> Waiting {
        if self.scheduler_may_idle || self.dies[die.index()].suspended.is_some() {
            return Waiting::Several;
        }
        let planes = self.geometry.planes_of(die);
        let (mut waiting, mut at, mut count) = (0, PlaneId::NONE, 0);
        for plane in planes.map(PlaneId) {
            let here = self.queues.waiting(plane);
            if here != 0 {
                (waiting, at, count) = (here, plane, count + 1);
            }
        }
        if count > 1 || !(waiting.is_power_of_two() || waiting == 0) {
            return Waiting::Several;
        }
        if waiting == 0 {
            return Waiting::Nothing;
        }
        let class = Class::ALL[waiting.trailing_zeros() as usize];
        let can = class != Class::HostWrite || self.has_page(at) || self.note_room(die, at);
        if can { Waiting::Class(class, at) } else { Waiting::Nothing }
    }

    /// What the scheduler picks where there is a choice.
    fn class_of_many(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        // With an operation set aside, only the reads it was set aside for.
        let (classes, before) = match self.dies[die.index()].suspended {
            None => (u8::MAX, u64::MAX),
            Some(suspended) => (1 << Class::HostRead as u8, suspended.reads_before),
        };
        let mut view = DieView { oldest: [u64::MAX; Class::COUNT], gc_urgent: false };
        let mut at = [PlaneId::NONE; Class::COUNT];
        for plane in self.geometry.planes_of(die).map(PlaneId) {
            let mut waiting = self.queues.waiting(plane) & classes;
            if waiting & HOST_WRITE != 0 && !self.has_page(plane) && !self.note_room(die, plane) {
                waiting &= !HOST_WRITE;
            }
            if waiting & !HOST != 0 {
                view.gc_urgent |= self.ftl.collection_is_urgent(plane);
            }
            while waiting != 0 {
                let class = waiting.trailing_zeros() as usize;
                waiting &= waiting - 1;
                let sequence = self.queues.oldest(plane, Class::ALL[class]);
                if sequence < view.oldest[class] && sequence < before {
                    view.oldest[class] = sequence;
                    at[class] = plane;
                }
            }
        }
        let class = self.scheduler.pick(&view)?;
        Some((class, at[class as usize]))
    }

    /// Whether the host program that waits longest in a plane has got its page already.
    pub(super) fn has_page(&self, plane: PlaneId) -> bool {
        self.ops[self.queues.head(plane, Class::HostWrite)].ppn.is_some()
    }

    /// Whether the host may write to a plane; keeps the plane's stall clock.
    #[inline]
    fn note_room(&mut self, die: DieId, plane: PlaneId) -> bool {
        let room = self.ftl.host_can_take(plane);
        if room == self.stalls[plane.index()].since.is_some() {
            self.room_changed(die, plane, room);
        }
        room
    }

    #[cold]
    fn room_changed(&mut self, die: DieId, plane: PlaneId, room: bool) {
        let (now, die_time) = (self.events.now(), self.die_gc_time(die));
        let stall = &mut self.stalls[plane.index()];
        if room {
            let stood = stall.end(now, die_time);
            self.recorder.host_write_stall += self.measured_part(stood);
        } else {
            stall.since = Some((now, die_time));
            self.recorder.stalled_writes += 1;
        }
    }

    /// Whether a waiting operation has lost its point: its page moved or went.
    #[inline]
    pub(super) fn is_stale(&self, id: OpId, class: Class) -> bool {
        let (op, map) = (&self.ops[id], self.ftl.map());
        match class {
            Class::HostRead => !map.is_valid(op.ppn) || map.owner(op.ppn) != op.lpn,
            Class::GcRead => !map.is_valid(op.ppn),
            // One that has its page already must fill it.
            Class::GcWrite => op.ppn == op.source && !map.is_valid(op.source),
            Class::HostWrite | Class::Erase => false,
        }
    }

    /// The head of a queue may have lost its point while it waited: its page moved or went.
    #[inline]
    pub(super) fn drop_if_stale(&mut self, plane: PlaneId, class: Class) -> bool {
        // Writes for the host and erases never do.
        if matches!(class, Class::HostWrite | Class::Erase) {
            return false;
        }
        let stale = self.is_stale(self.queues.head(plane, class), class);
        if stale {
            self.drop_stale(plane, class);
        }
        stale
    }

    #[cold]
    fn drop_stale(&mut self, plane: PlaneId, class: Class) {
        let die = self.geometry.die_of(plane);
        // This can queue another operation here, which must not start behind the back of whoever chooses.
        let choosing = std::mem::replace(&mut self.dies[die.index()].choosing, true);
        let id = self.queues.pop(plane, class, &self.ops);
        self.pending[die.index()] -= 1;
        self.account_wait(id, class);
        match class {
            Class::HostRead => self.route_read(id),
            _ => self.move_dropped(id),
        }
        self.dies[die.index()].choosing = choosing;
    }

    /// Book the time an operation has waited so far.
    #[inline]
    fn account_wait(&mut self, id: OpId, class: Class) {
        let now = self.events.now();
        let gc_time = self.waiting_for_gc(self.ops[id].plane, class);
        let op = &mut self.ops[id];
        let waited = now.since(op.since);
        let for_gc = gc_time - op.gc_mark;
        debug_assert!(for_gc <= waited, "waited {waited:?}, for GC {for_gc:?}");
        op.spent.gc += for_gc;
        op.spent.queue += waited - for_gc;
        op.since = now;
        op.gc_mark = gc_time;
    }

    /// Begin the operations of a class that can go together.
    fn start(&mut self, die: DieId, class: Class, plane: PlaneId) -> Attempt {
        let transfer = Transfer { die, for_gc: !class.is_host() };
        let lease = match self.interconnect.reserve(self.events.now(), &transfer) {
            Ok(lease) => lease,
            Err(busy) => return Attempt::Refused(busy),
        };
        let first = self.take_from_queue(plane, class);
        self.begin(die, class, plane, first, lease);
        Attempt::Served
    }

    /// Begin an operation that has left its queue, on wires that are reserved, with those that can go along.
    fn begin(&mut self, die: DieId, class: Class, plane: PlaneId, first: OpId, lease: Lease) {
        let now = self.events.now();
        let transfer = Transfer { die, for_gc: !class.is_host() };
        let clock = if transfer.for_gc { GcClock::Running(now) } else { GcClock::Stopped };
        let time = self.die_gc_time(die);
        let state = &mut self.dies[die.index()];
        state.held_since = now;
        state.phase = Phase::Starting;
        if state.suspended.is_none() {
            state.suspensions = 0;
        }
        state.gc_time = time;
        state.gc_clock = clock;
        state.group = first;
        state.second_half = false;

        let (mut on_wires, mut in_array) = self.times_of(first, false);
        if self.multi_plane && self.pending[die.index()] > 1 && self.ops[first].kind != OpKind::Copyback {
            (on_wires, in_array) = self.take_along(first, class, plane, on_wires, in_array);
        }
        let mut id = first;
        while id.is_some() {
            let op = &mut self.ops[id];
            op.spent.wires += on_wires;
            op.spent.array += in_array;
            id = op.next;
        }
        let arrived = self.occupy(die, lease, transfer, on_wires);
        self.work(die, arrived, in_array);
    }

    /// Let operations of the die's other planes go along with `first`; the times of all together.
    fn take_along(
        &mut self,
        first: OpId,
        class: Class,
        plane: PlaneId,
        mut on_wires: Nanos,
        mut in_array: Nanos,
    ) -> (Nanos, Nanos) {
        let mut last = first;
        for other in self.geometry.partners_of(plane).map(PlaneId) {
            let Some(id) = self.take_partner(first, plane, other, class) else { continue };
            self.ops[last].next = id;
            last = id;
            let (its_wires, its_array) = self.times_of(id, true);
            on_wires += its_wires;
            in_array = in_array.max(its_array);
        }
        if last != first {
            self.recorder.multi_plane += 1;
        }
        (on_wires, in_array)
    }

    /// Use leased wires for `length` from now on, and give them back if they are not held longer. Returns when all has
    /// arrived.
    #[inline]
    fn occupy(&mut self, die: DieId, lease: Lease, transfer: Transfer, length: Nanos) -> SimTime {
        let now = self.events.now();
        if self.holds_wires {
            self.dies[die.index()].lease = Some(lease);
            return self.interconnect.activate(now, lease, &transfer, length);
        }
        let arrived = self.interconnect.send(now, lease, &transfer, length);
        self.wires_released(die, arrived);
        arrived
    }

    /// The array works from `from` on.
    #[inline]
    pub(super) fn work(&mut self, die: DieId, from: SimTime, length: Nanos) {
        let state = &mut self.dies[die.index()];
        state.phase = Phase::Array;
        state.array_from = from;
        state.array_to = from + length;
        self.events.schedule(state.array_to, Event::Die(die));
    }

    /// Take the head of a queue to the flash.
    #[inline]
    pub(super) fn take_from_queue(&mut self, plane: PlaneId, class: Class) -> OpId {
        let id = self.queues.pop(plane, class, &self.ops);
        self.bring_to_flash(id, class);
        id
    }

    /// An operation has left its queue: it gets its page, if it programs one that it has not got yet.
    #[inline]
    pub(super) fn bring_to_flash(&mut self, id: OpId, class: Class) {
        self.account_wait(id, class);
        self.ops[id].next = OpId::NONE;
        self.take_page(id, class);
    }

    #[inline]
    fn take_page(&mut self, id: OpId, class: Class) {
        let op = &mut self.ops[id];
        let plane = op.plane;
        match (op.kind, class) {
            (OpKind::Program, _) if op.ppn.is_some() && op.ppn != op.source => {}
            (OpKind::Program, Class::HostWrite) => {
                self.ftl.redeem(plane);
                op.ppn = self.ftl.take_host_page(plane, op.lpn).expect("only a plane with room is started");
            }
            (OpKind::Program, _) => op.ppn = self.ftl.take_gc_page(plane, op.lpn, gc_cause(op)),
            (OpKind::Copyback, _) => {
                self.recorder.copybacks += 1;
                op.source = op.ppn;
                op.ppn = self.ftl.take_gc_page(plane, op.lpn, gc_cause(op));
            }
            (OpKind::Read | OpKind::Erase, _) => {}
        }
    }

    /// Time of an operation on the wires (command, and data in) and in the array (of a copyback: of its first half).
    /// `further` when it goes along with one on another plane.
    #[inline]
    fn times_of(&self, id: OpId, further: bool) -> (Nanos, Nanos) {
        let op = &self.ops[id];
        let timing = &self.timing;
        let pick = |alone, along| if further { along } else { alone };
        match op.kind {
            OpKind::Read => (
                pick(timing.read_command, timing.read_further_plane),
                timing.t_read(self.geometry.page_in_block(op.ppn)),
            ),
            OpKind::Copyback => (
                pick(timing.read_command, timing.read_further_plane),
                timing.t_read(self.geometry.page_in_block(op.source)),
            ),
            OpKind::Program => (
                pick(timing.program_command, timing.program_further_plane) + timing.program_data(op.bytes),
                timing.t_program(self.geometry.page_in_block(op.ppn)),
            ),
            OpKind::Erase => (pick(timing.erase_command, timing.erase_further_plane), timing.erase),
        }
    }

    /// The array of the die is done and wires are needed to finish. Tells whether they could be had at once.
    pub(crate) fn await_wires(&mut self, die: DieId) -> bool {
        let group = self.group_of[die.index()];
        let state = &mut self.dies[die.index()];
        state.phase = Phase::AwaitWires;
        let refused = if state.lease.is_some() || self.waits.is_empty(group) {
            match self.finish_over_wires(die) {
                Attempt::Served => return true,
                Attempt::Refused(busy) => Some(busy),
            }
        } else {
            None
        };
        let first = &self.ops[self.dies[die.index()].group];
        let want = match first.cause {
            _ if first.kind == OpKind::Copyback => Want::FinishCopyback,
            super::OpCause::Host => Want::FinishHost,
            _ => Want::FinishGc,
        };
        self.waits.join(group, want, die);
        self.wake_when_free(group, refused);
        false
    }

    /// Data out of the group's first operation, or the second command of a copyback.
    fn finish_over_wires(&mut self, die: DieId) -> Attempt {
        let now = self.events.now();
        let state = &self.dies[die.index()];
        let id = state.group;
        let transfer = Transfer { die, for_gc: self.ops[id].cause != super::OpCause::Host };
        let lease = match state.lease {
            Some(lease) => lease,
            None => match self.interconnect.reserve(now, &transfer) {
                Ok(lease) => lease,
                Err(busy) => return Attempt::Refused(busy),
            },
        };
        let op = &mut self.ops[id];
        let waited = now.since(op.since);
        // Who did not wait lost nothing.
        let for_gc =
            if waited == Nanos(0) { Nanos(0) } else { self.interconnect.gc_time(now, die) - op.gc_mark };
        let copyback = op.kind == OpKind::Copyback;
        let length = if copyback { self.timing.program_command } else { self.timing.data(op.bytes) };
        op.spent.gc += for_gc;
        op.spent.queue += waited - for_gc;
        op.spent.wires += length;
        if copyback {
            let program = self.timing.t_program(self.geometry.page_in_block(op.ppn));
            op.spent.array += program;
            self.dies[die.index()].second_half = true;
            let arrived = self.occupy(die, lease, transfer, length);
            self.work(die, arrived, program);
        } else {
            self.dies[die.index()].phase = Phase::DataOut;
            let arrived = self.occupy(die, lease, transfer, length);
            self.events.schedule(arrived, Event::Die(die));
        }
        Attempt::Served
    }

    /// Where the newest version of a page is, as a read must find it.
    pub(crate) fn flash_copy(&self, lpn: crate::ids::Lpn) -> Option<crate::ids::Ppn> {
        match self.ftl.map().place(lpn) {
            Place::Flash(ppn) => Some(ppn),
            Place::Buffer(slot) => Some(self.ftl.map().slot(slot).backing).filter(|ppn| ppn.is_some()),
            Place::Nowhere => None,
        }
    }
}

/// Bits of the host's classes among those that wait.
const HOST_WRITE: u8 = 1 << Class::HostWrite as u8;
const HOST: u8 = HOST_WRITE | 1 << Class::HostRead as u8;
/// Bits of the classes that begin with a command without data.
const COMMANDS: u8 = 1 << Class::HostRead as u8 | 1 << Class::GcRead as u8 | 1 << Class::Erase as u8;

/// What a die wants wires for that is to start an operation of `class`.
#[inline]
fn want_of(class: Class) -> Want {
    match class {
        Class::HostRead | Class::GcRead | Class::Erase => Want::Command,
        Class::HostWrite | Class::GcWrite => Want::Program,
    }
}

#[inline]
fn class_of(op: &PageOp) -> Class {
    use super::OpCause::Host;
    match (op.kind, op.cause) {
        (OpKind::Read, Host) => Class::HostRead,
        (OpKind::Program, Host) => Class::HostWrite,
        (OpKind::Read | OpKind::Copyback, _) => Class::GcRead,
        (OpKind::Program, _) => Class::GcWrite,
        (OpKind::Erase, _) => Class::Erase,
    }
}

#[inline]
fn gc_cause(op: &PageOp) -> Cause {
    if op.cause == super::OpCause::Wear { Cause::Wear } else { Cause::Gc }
}
