//! The clocks that say how long operations have waited, and for whom.

use super::die::GcClock;
use super::drive::Drive;
use crate::ids::{DieId, OpId, PlaneId};
use crate::scheduler::Class;
use crate::time::Nanos;

impl Drive {
    /// Time that operations of a class waiting at a plane have lost to garbage collection: the die's clock, and for
    /// host writes the plane's, which adds the time they were stalled for want of space.
    #[inline]
    pub(super) fn waiting_for_gc(&self, plane: PlaneId, class: Class) -> Nanos {
        let die_time = self.die_gc_time(self.geometry.die_of(plane));
        if class != Class::HostWrite {
            return die_time;
        }
        die_time + self.stalls.time(plane, self.events.now(), die_time)
    }

    #[inline]
    pub(super) fn die_gc_time(&self, die: DieId) -> Nanos {
        let state = &self.dies[die];
        match state.gc_clock {
            GcClock::Stopped => state.gc_time,
            _ => self.running_gc_time(die),
        }
    }

    fn running_gc_time(&self, die: DieId) -> Nanos {
        let now = self.events.now();
        self.dies[die].gc_time(now, || self.interconnect.gc_time(now, die))
    }

    #[inline]
    pub(super) fn set_gc_clock(&mut self, die: DieId, clock: GcClock) {
        let time = self.die_gc_time(die);
        let die = &mut self.dies[die];
        die.gc_time = time;
        die.gc_clock = clock;
    }

    /// Whether the host may write to a plane; keeps the plane's stall clock.
    #[inline]
    pub(super) fn note_room(&mut self, die: DieId, plane: PlaneId) -> bool {
        let room = self.has_room(plane);
        if room == self.stalls.is_stalled(plane) {
            self.room_changed(die, plane, room);
        }
        room
    }

    /// Whether a plane has a page for the host program that waits longest there.
    #[inline]
    pub(super) fn has_room(&self, plane: PlaneId) -> bool {
        if self.needs.own_parity_blocks {
            self.has_room_for_next(plane)
        } else {
            self.ftl.host_can_take(plane)
        }
    }

    /// Whether a plane has a page where parity has open blocks of its own: the page that waits longest says which block
    /// is meant.
    #[cold]
    fn has_room_for_next(&self, plane: PlaneId) -> bool {
        self.ftl.can_take(plane, self.ops[self.queues.head(plane, Class::HostWrite)].lpn)
    }

    #[cold]
    pub(super) fn room_changed(&mut self, die: DieId, plane: PlaneId, room: bool) {
        let (now, die_time) = (self.events.now(), self.die_gc_time(die));
        if room {
            let stood = self.stalls.end(plane, now, die_time);
            self.recorder.gc.host_write_stall_ns += self.measured_part(stood).0;
        } else {
            self.stalls.begin(plane, now, die_time);
            self.recorder.gc.stalled_writes += 1;
        }
    }

    /// Charge the time an operation has waited so far to garbage collection and to the queue.
    #[inline]
    pub(super) fn account_wait(&mut self, id: OpId, class: Class) {
        let now = self.events.now();
        let gc_time = self.waiting_for_gc(self.ops[id].plane, class);
        let op = &mut self.ops[id];
        let waited = now.since(op.since);
        let for_gc = gc_time - op.gc_mark;
        op.spent.charge_wait(waited, for_gc);
        op.since = now;
        op.gc_mark = gc_time;
    }
}
