//! Starting operations: which one, on which wires, for how long.

use super::ops::{OpKind, PageOp};
use super::queue::Event;
use super::time::{Nanos, SimTime};
use super::waiting::Want;
use crate::config::MultiPlane;
use crate::drive::Drive;
use crate::flash::{GcClock, Phase};
use crate::ftl::{Cause, Place};
use crate::ids::{DieId, OpId, PlaneId};
use crate::interconnect::{Busy, Transfer};
use crate::scheduler::{Class, DieView};

/// What came of an attempt to use wires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// They were taken, or nothing wanted them.
    Served,
    /// They are taken by somebody else.
    Refused(Busy),
}

impl Drive {
    /// Queue an operation at its plane's die.
    pub(crate) fn enqueue(&mut self, id: OpId) {
        let plane = self.ops[id].plane;
        let die = self.geometry.die_of(plane);
        let class = class_of(&self.ops[id]);
        let gc_mark = self.waiting_for_gc(plane, class);
        let op = &mut self.ops[id];
        op.sequence = self.arrivals;
        op.since = self.events.now();
        op.gc_mark = gc_mark;
        self.arrivals += 1;
        self.pending[die.index()] += 1;
        self.queues.push(plane, class, id, &mut self.ops);
        if class == Class::HostRead {
            self.consider_suspending(die);
        }
        if self.holding_starts {
            self.held_starts.push(die);
        } else {
            self.try_start(die);
        }
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
            self.try_start(self.held_starts[at]);
        }
        self.held_starts.clear();
    }

    /// Time that operations of a class waiting at a plane have lost to garbage collection: the die's clock, and for
    /// host writes the plane's, which adds the time they stood still for want of space.
    fn waiting_for_gc(&self, plane: PlaneId, class: Class) -> Nanos {
        let die_time = self.die_gc_time(self.geometry.die_of(plane));
        if class != Class::HostWrite {
            return die_time;
        }
        die_time + self.stalls[plane.index()].time(self.events.now(), die_time)
    }

    fn die_gc_time(&self, die: DieId) -> Nanos {
        let now = self.events.now();
        self.dies[die.index()].gc_time(now, || self.interconnect.gc_time(now, die))
    }

    pub(super) fn set_gc_clock(&mut self, die: DieId, clock: GcClock) {
        let time = self.die_gc_time(die);
        let die = &mut self.dies[die.index()];
        die.gc_time = time;
        die.gc_clock = clock;
    }

    /// Start something on the die if it is idle and wires are free.
    pub(crate) fn try_start(&mut self, die: DieId) {
        let state = &self.dies[die.index()];
        if state.phase != Phase::Idle || state.waits_to_start || state.choosing {
            return;
        }
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
        let want = match class {
            Class::HostRead | Class::GcRead | Class::Erase => Want::Command,
            Class::HostWrite | Class::GcWrite => Want::Program,
        };
        self.waits.join(group, want, die);
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
    pub(crate) fn release_wires(&mut self, die: DieId, at: SimTime) {
        let Some(lease) = self.dies[die.index()].lease.take() else { return };
        self.interconnect.release(at, lease);
        let group = self.group_of[die.index()];
        if !self.waits.is_empty(group) {
            self.wake_at(group, at);
        }
    }

    /// The class the scheduler picks among what could start now.
    fn next_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        if self.pending[die.index()] == 0 {
            return None;
        }
        // Dropping a stale operation can queue another one here; that must not start behind our back.
        self.dies[die.index()].choosing = true;
        let class = self.choose_class(die);
        self.dies[die.index()].choosing = false;
        class
    }

    fn choose_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        let planes = self.geometry.planes_of(die);
        // With an operation set aside, only the reads it was set aside for.
        let reads_before = self.dies[die.index()].suspended.map(|suspended| suspended.reads_before);
        loop {
            let mut view = DieView { oldest: [u64::MAX; Class::COUNT], gc_urgent: false };
            let mut at = [PlaneId::NONE; Class::COUNT];
            let mut any = false;
            for plane in planes.clone().map(PlaneId) {
                let mut waiting = self.queues.waiting(plane);
                if reads_before.is_some() {
                    waiting &= 1 << Class::HostRead as u8;
                }
                while waiting != 0 {
                    let class = Class::ALL[waiting.trailing_zeros() as usize];
                    waiting &= waiting - 1;
                    if class == Class::HostWrite && !self.note_room(die, plane) {
                        continue;
                    }
                    if !class.is_host() {
                        view.gc_urgent |= self.ftl.collection_is_urgent(plane);
                    }
                    let sequence = self.ops[self.queues.head(plane, class)].sequence;
                    if sequence < view.oldest[class as usize]
                        && reads_before.is_none_or(|before| sequence < before)
                    {
                        view.oldest[class as usize] = sequence;
                        at[class as usize] = plane;
                        any = true;
                    }
                }
            }
            if !any {
                return None;
            }
            let class = self.scheduler.pick(&view)?;
            let plane = at[class as usize];
            if !self.drop_if_stale(plane, class) {
                return Some((class, plane));
            }
        }
    }

    /// Whether the host may write to a plane; keeps the plane's stall clock.
    fn note_room(&mut self, die: DieId, plane: PlaneId) -> bool {
        let room = self.ftl.host_can_take(plane);
        if room == self.stalls[plane.index()].since.is_some() {
            let (now, die_time) = (self.events.now(), self.die_gc_time(die));
            let stall = &mut self.stalls[plane.index()];
            if room {
                self.recorder.host_write_stall += stall.end(now, die_time);
            } else {
                stall.since = Some((now, die_time));
                self.recorder.stalled_writes += 1;
            }
        }
        room
    }

    /// The head of a queue may have lost its point while it waited: its page moved or went.
    fn drop_if_stale(&mut self, plane: PlaneId, class: Class) -> bool {
        let id = self.queues.head(plane, class);
        let op = &self.ops[id];
        let stale = match class {
            Class::HostRead => !self.ftl.map().is_valid(op.ppn) || self.ftl.map().owner(op.ppn) != op.lpn,
            Class::GcRead => !self.ftl.map().is_valid(op.ppn),
            Class::GcWrite => !self.ftl.map().is_valid(op.source),
            Class::HostWrite | Class::Erase => false,
        };
        if stale {
            self.queues.pop(plane, class, &self.ops);
            self.pending[self.geometry.die_of(plane).index()] -= 1;
            self.account_wait(id);
            match class {
                Class::HostRead => self.route_read(id),
                _ => self.move_dropped(id),
            }
        }
        stale
    }

    /// Book the time an operation has waited so far.
    pub(crate) fn account_wait(&mut self, id: OpId) {
        let now = self.events.now();
        let gc_time = self.waiting_for_gc(self.ops[id].plane, class_of(&self.ops[id]));
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
        let now = self.events.now();
        let transfer = Transfer { die, for_gc: !class.is_host() };
        let lease = match self.interconnect.reserve(now, &transfer) {
            Ok(lease) => lease,
            Err(busy) => return Attempt::Refused(busy),
        };
        let state = &mut self.dies[die.index()];
        state.lease = Some(lease);
        state.held_since = now;
        state.phase = Phase::Starting;
        if state.suspended.is_none() {
            state.suspensions = 0;
        }
        self.set_gc_clock(die, if transfer.for_gc { GcClock::Running(now) } else { GcClock::Stopped });

        let first = self.take_from_queue(plane, class);
        let mut on_wires = self.wires_of(first);
        let mut in_array = self.array_of(first);
        let mut last = first;
        if self.config.flash.multi_plane != MultiPlane::Off && self.ops[first].kind != OpKind::Copyback {
            for other in self.geometry.partners_of(plane).map(PlaneId) {
                if other == plane || !self.goes_together(first, other, class) {
                    continue;
                }
                let id = self.take_from_queue(other, class);
                self.ops[last].next = id;
                last = id;
                on_wires += self.further_on_wires(id);
                in_array = in_array.max(self.array_of(id));
            }
        }
        self.ops[last].next = OpId::NONE;
        if last != first {
            self.recorder.multi_plane += 1;
        }
        let arrived = self.interconnect.activate(now, lease, &transfer, on_wires);
        let mut id = first;
        while id.is_some() {
            let op = &mut self.ops[id];
            op.spent.wires += on_wires;
            op.spent.array += in_array;
            id = op.next;
        }
        let state = &mut self.dies[die.index()];
        state.group = first;
        state.second_half = false;
        self.work(die, arrived, in_array);
        if !self.holds_wires {
            self.release_wires(die, arrived);
        }
        Attempt::Served
    }

    /// The array works from `from` on.
    pub(super) fn work(&mut self, die: DieId, from: SimTime, length: Nanos) {
        let state = &mut self.dies[die.index()];
        state.phase = Phase::Array;
        state.array_from = from;
        state.array_to = from + length;
        self.events.schedule(state.array_to, Event::Die(die));
    }

    /// Whether the head of another plane's queue can join the group begun with `first`.
    fn goes_together(&mut self, first: OpId, plane: PlaneId, class: Class) -> bool {
        if !self.queues.head(plane, class).is_some() {
            return false;
        }
        if class == Class::HostWrite && !self.ftl.host_can_take(plane) {
            return false;
        }
        while self.drop_if_stale(plane, class) {
            if !self.queues.head(plane, class).is_some() {
                return false;
            }
        }
        let head = self.ops[self.queues.head(plane, class)];
        let first = self.ops[first];
        if head.kind != first.kind {
            return false;
        }
        if self.config.flash.multi_plane == MultiPlane::AnyPage || first.kind == OpKind::Erase {
            return true;
        }
        let number = match head.kind {
            OpKind::Read => self.geometry.page_in_block(head.ppn),
            _ => self.ftl.next_page_number(plane, class == Class::GcWrite),
        };
        number == self.geometry.page_in_block(first.ppn)
    }

    /// Take the head of a queue to the flash: it gets its page, if it programs one.
    fn take_from_queue(&mut self, plane: PlaneId, class: Class) -> OpId {
        let id = self.queues.pop(plane, class, &self.ops);
        self.account_wait(id);
        let op = self.ops[id];
        let cause = gc_cause(&op);
        let page = match (op.kind, class) {
            (OpKind::Program, Class::HostWrite) => {
                self.ftl.redeem(plane);
                let page = self.ftl.take_host_page(plane, op.lpn);
                page.expect("only a plane with room is started")
            }
            (OpKind::Program, _) => self.ftl.take_gc_page(plane, op.lpn, cause),
            (OpKind::Copyback, _) => {
                self.recorder.copybacks += 1;
                self.ops[id].source = op.ppn;
                self.ftl.take_gc_page(plane, op.lpn, cause)
            }
            _ => op.ppn,
        };
        self.ops[id].ppn = page;
        id
    }

    /// Command (and data in) time of an operation on the wires.
    fn wires_of(&self, id: OpId) -> Nanos {
        let op = &self.ops[id];
        match op.kind {
            OpKind::Read | OpKind::Copyback => self.timing.read_command,
            OpKind::Program => self.timing.program_command + self.timing.program_data(op.bytes),
            OpKind::Erase => self.timing.erase_command,
        }
    }

    /// What an operation adds on the wires when it goes along with one on another plane.
    fn further_on_wires(&self, id: OpId) -> Nanos {
        let op = &self.ops[id];
        match op.kind {
            OpKind::Read | OpKind::Copyback => self.timing.read_further_plane,
            OpKind::Program => self.timing.program_further_plane + self.timing.program_data(op.bytes),
            OpKind::Erase => self.timing.erase_further_plane,
        }
    }

    /// Array time of an operation (of a copyback: of its first half).
    fn array_of(&self, id: OpId) -> Nanos {
        let op = &self.ops[id];
        match op.kind {
            OpKind::Read => self.timing.t_read(self.geometry.page_in_block(op.ppn)),
            OpKind::Copyback => self.timing.t_read(self.geometry.page_in_block(op.source)),
            OpKind::Program => self.timing.t_program(self.geometry.page_in_block(op.ppn)),
            OpKind::Erase => self.timing.erase,
        }
    }

    /// The array of the die is done and wires are needed to finish.
    pub(crate) fn await_wires(&mut self, die: DieId) {
        let state = &mut self.dies[die.index()];
        state.phase = Phase::AwaitWires;
        let first = &self.ops[state.group];
        let want = match first.cause {
            _ if first.kind == OpKind::Copyback => Want::FinishCopyback,
            super::OpCause::Host => Want::FinishHost,
            _ => Want::FinishGc,
        };
        let group = self.group_of[die.index()];
        let holds = self.dies[die.index()].lease.is_some();
        let refused = if holds || self.waits.is_empty(group) {
            match self.finish_over_wires(die) {
                Attempt::Served => return,
                Attempt::Refused(busy) => Some(busy),
            }
        } else {
            None
        };
        self.waits.join(group, want, die);
        self.wake_when_free(group, refused);
    }

    /// Data out of the group's first operation, or the second command of a copyback.
    fn finish_over_wires(&mut self, die: DieId) -> Attempt {
        let now = self.events.now();
        let id = self.dies[die.index()].group;
        let op = self.ops[id];
        let transfer = Transfer { die, for_gc: op.cause != super::OpCause::Host };
        let lease = match self.dies[die.index()].lease {
            Some(lease) => lease,
            None => match self.interconnect.reserve(now, &transfer) {
                Ok(lease) => lease,
                Err(busy) => return Attempt::Refused(busy),
            },
        };
        let gc_waited = self.wires_gc_time(die);
        let state = &mut self.dies[die.index()];
        state.lease = Some(lease);
        let copyback = op.kind == OpKind::Copyback;
        let waited = now.since(op.since);
        let for_gc = gc_waited - op.gc_mark;
        let length = if copyback { self.timing.program_command } else { self.timing.data(op.bytes) };
        let arrived = self.interconnect.activate(now, lease, &transfer, length);
        let op = &mut self.ops[id];
        op.spent.gc += for_gc;
        op.spent.queue += waited - for_gc;
        op.spent.wires += length;
        if copyback {
            let program = self.timing.t_program(self.geometry.page_in_block(op.ppn));
            op.spent.array += program;
            self.dies[die.index()].second_half = true;
            self.work(die, arrived, program);
        } else {
            let state = &mut self.dies[die.index()];
            state.phase = Phase::DataOut;
            self.events.schedule(arrived, Event::Die(die));
        }
        if !self.holds_wires {
            self.release_wires(die, arrived);
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

fn gc_cause(op: &PageOp) -> Cause {
    if op.cause == super::OpCause::Wear { Cause::Wear } else { Cause::Gc }
}
