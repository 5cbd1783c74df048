//! One die: what it is doing, and the clocks that say why operations wait for it.

use crate::ids::OpId;
use crate::interconnect::Lease;
use crate::time::{Nanos, SimTime};

/// What a die is doing. A die does one operation (or one multi-plane operation of several pages) at a time, and is
/// occupied by it from the command until its data has left the page register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No operation occupies the die; it can start one.
    Idle,
    /// An operation is being put together; no time passes.
    Starting,
    /// Command (and data in) on the channel, then array time; the event marks the end of the array time.
    Array,
    /// The array is done; the channel is needed to finish (data out, or a copyback's second command).
    AwaitChannel,
    /// Data of the first active operation moves over the channel; the others follow one by one.
    DataOut,
    /// A program or an erase is being suspended, so that the array is free for a read.
    Suspending,
    /// Data of programs come into the cache register, while the array may work; the event marks their end.
    Loading,
    /// They wait there for the array.
    Loaded,
}

/// An operation set aside for a read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspended {
    /// First of the operations set aside (several in a multi-plane operation); the others are linked behind.
    pub(super) active_ops: OpId,
    /// Array time it still needs.
    pub(super) remaining: Nanos,
    /// Reads with an arrival number below this are served first; later ones wait, so that the operation resumes at
    /// some time.
    reads_before: u64,
}

/// How a die's GC clock runs.
#[derive(Debug, Clone, Copy)]
enum GcClock {
    /// It is stopped: whoever waits for the die waits for operations of the host.
    Stopped,
    /// It runs: the die works for the collector since that instant.
    Running(SimTime),
    /// The die is idle but waits for the channel; it runs while the channel carries collected pages. Holds the reading
    /// of the channel's GC clock when the wait began, ns.
    Channel(Nanos),
}

/// State of one die. What every operation changes comes first and fills a cache line.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Die {
    /// What the die is doing now.
    phase: Phase,
    /// Whether the die is in a wait list for the channel, to start an operation.
    waits_to_start: bool,
    /// Whether the die is choosing among its queues, so that what is queued meanwhile does not choose again.
    choosing: bool,
    /// A copyback's second half is under way.
    second_half: bool,
    /// First of the operations on the die (several in a multi-plane operation); the others are linked behind.
    active_ops: OpId,
    /// The channel, where the interconnect lets the die keep it beyond the current transfer.
    lease: Option<Lease>,
    /// How the time that operations lose to collection goes on growing.
    gc_clock: GcClock,
    /// Time that operations waiting for the die lost to garbage collection, ns, up to the last change of the clock.
    gc_time: Nanos,
    /// When the active operations began to occupy the die.
    busy_since: SimTime,
    /// Time the die was occupied since measuring began, ns: the numerator of its utilisation.
    busy_time: Nanos,
    /// Whether the active operations are of the host.
    for_host: bool,
    /// How often the operation under way was suspended.
    suspensions: u32,
    /// The part of its time in which the die did operations of the host, ns.
    host_time: Nanos,
    /// When the array began to work on the active operations.
    array_from: SimTime,
    /// When the array will be done with them.
    array_to: SimTime,
    /// The operation set aside for reads, if there is one: then it was suspended at least once.
    suspended: Option<Suspended>,
    /// Host reads that it has begun in a row while a host program waited.
    reads_in_a_row: u32,
}

const _: () = assert!(std::mem::offset_of!(Die, host_time) == 64);

impl Default for Die {
    fn default() -> Self {
        Self {
            phase: Phase::Idle,
            active_ops: OpId::NONE,
            lease: None,
            waits_to_start: false,
            choosing: false,
            second_half: false,
            array_from: SimTime::ZERO,
            array_to: SimTime::ZERO,
            busy_since: SimTime::ZERO,
            busy_time: Nanos(0),
            host_time: Nanos(0),
            for_host: false,
            suspended: None,
            reads_in_a_row: 0,
            suspensions: 0,
            gc_time: Nanos(0),
            gc_clock: GcClock::Stopped,
        }
    }
}

// What it does, and can do.
impl Die {
    /// What the die is doing now.
    #[inline]
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// First of the operations on the die.
    #[inline]
    pub(super) fn active_ops(&self) -> OpId {
        self.active_ops
    }

    /// Whether it may choose an operation to start: nothing occupies it, and it is not choosing already.
    #[inline]
    pub(super) fn may_choose(&self) -> bool {
        self.phase == Phase::Idle && !self.choosing
    }

    /// Whether it may start one at once: besides, it is in no wait list.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.may_choose() && !self.waits_to_start
    }

    /// Host reads that it has begun in a row while a host program waited.
    #[inline]
    pub(super) fn reads_in_a_row(&self) -> u32 {
        self.reads_in_a_row
    }

    /// It begins a host read while a host program waits.
    pub(super) fn begin_read_before_write(&mut self) {
        self.reads_in_a_row += 1;
    }

    /// It begins a host program, or a host read while none waits.
    pub(super) fn end_reads_in_a_row(&mut self) {
        self.reads_in_a_row = 0;
    }

    /// It chooses among its queues from now on; what [`Self::end_choosing`] is to be told.
    pub(super) fn begin_choosing(&mut self) -> bool {
        std::mem::replace(&mut self.choosing, true)
    }

    /// It has chosen, unless it was choosing before.
    pub(super) fn end_choosing(&mut self, before: bool) {
        self.choosing = before;
    }

    /// An operation, with others of a multi-plane operation linked behind, occupies the die from now on. `gc_time` is
    /// what operations that wait for it have lost so far.
    #[inline]
    pub(super) fn begin(&mut self, ops: OpId, for_gc: bool, now: SimTime, gc_time: Nanos) {
        self.busy_since = now;
        self.for_host = !for_gc;
        self.phase = Phase::Starting;
        if !self.has_suspended() {
            self.suspensions = 0;
        }
        self.gc_time = gc_time;
        self.gc_clock = if for_gc { GcClock::Running(now) } else { GcClock::Stopped };
        self.active_ops = ops;
        self.second_half = false;
    }

    /// The array works from `from` on. Tells when it will be done.
    #[inline]
    pub(super) fn work(&mut self, from: SimTime, length: Nanos) -> SimTime {
        (self.phase, self.array_from, self.array_to) = (Phase::Array, from, from + length);
        self.array_to
    }

    /// The array is done, and the channel is needed to finish. Tells the first of the operations.
    #[inline]
    pub(super) fn await_channel(&mut self) -> OpId {
        self.phase = Phase::AwaitChannel;
        self.active_ops
    }

    /// Whether the array is done, and data wait to leave.
    pub(super) fn holds_data(&self) -> bool {
        self.phase == Phase::AwaitChannel
    }

    /// Data of the first active operation moves over the channel.
    #[inline]
    pub(super) fn send_data(&mut self) {
        self.phase = Phase::DataOut;
    }

    /// That data has arrived: the operation behind is the first now, if there is one.
    #[inline]
    pub(super) fn data_is_out(&mut self, next: OpId) {
        self.active_ops = next;
    }

    /// The second half of a copyback begins.
    #[inline]
    pub(super) fn begin_second_half(&mut self) {
        self.second_half = true;
    }

    /// Whether that has begun.
    #[inline]
    pub(super) fn is_in_second_half(&self) -> bool {
        self.second_half
    }

    /// Nothing occupies the die any more. Tells since when something has.
    #[inline]
    pub(super) fn end(&mut self, now: SimTime) -> SimTime {
        self.gc_time = self.gc_time(now, || unreachable!("a die at work does not wait for the channel"));
        self.gc_clock = GcClock::Stopped;
        self.phase = Phase::Idle;
        self.active_ops = OpId::NONE;
        let busy = now.since(self.busy_since);
        self.busy_time += busy;
        if self.for_host {
            self.host_time += busy;
        }
        self.busy_since
    }
}

// The channel.
impl Die {
    /// Whether it is in a wait list, to start an operation.
    #[inline]
    pub(super) fn waits_to_start(&self) -> bool {
        self.waits_to_start
    }

    /// It is from now on. What operations that wait for it have lost grows with the GC clock of the channel, which
    /// stands at `mark`.
    #[inline]
    pub(super) fn wait_to_start(&mut self, gc_time: Nanos, mark: Nanos) {
        self.waits_to_start = true;
        (self.gc_time, self.gc_clock) = (gc_time, GcClock::Channel(mark));
    }

    /// It has left that list. Tells whether it has nothing to start.
    #[inline]
    pub(super) fn leave_wait_list(&mut self) -> bool {
        self.waits_to_start = false;
        self.phase == Phase::Idle
    }

    /// What it waited to start is gone.
    pub(super) fn stop_clock(&mut self, gc_time: Nanos) {
        (self.gc_time, self.gc_clock) = (gc_time, GcClock::Stopped);
    }

    /// It keeps the channel beyond the current transfer.
    #[inline]
    pub(super) fn keep_lease(&mut self, lease: Lease) {
        self.lease = Some(lease);
    }

    /// The channel, if it has kept that.
    #[inline]
    pub(super) fn lease(&self) -> Option<Lease> {
        self.lease
    }

    /// The same, which it gives up.
    #[inline]
    pub(super) fn take_lease(&mut self) -> Option<Lease> {
        self.lease.take()
    }
}

// Programs that are loaded while the array works for itself.
impl Die {
    /// The data of programs are in the cache register at `arrived`; the array will work on them for so long.
    pub(super) fn load(&mut self, arrived: SimTime, in_array: Nanos) {
        (self.phase, self.array_from, self.array_to) = (Phase::Loading, arrived, arrived + in_array);
    }

    /// Whether their data are still on the way when the array has done with what it works on.
    pub(super) fn is_loaded_after(&self, array: &Self) -> bool {
        self.phase == Phase::Loading && self.array_from > array.array_to
    }

    /// They are there, and the array is not free.
    pub(super) fn wait_for_array(&mut self) {
        self.phase = Phase::Loaded;
    }

    /// They go over to the array: what they are of, for how long that works, and since when the die was occupied.
    pub(super) fn hand_over(&mut self) -> (OpId, Nanos, SimTime) {
        self.phase = Phase::Idle;
        let ops = std::mem::replace(&mut self.active_ops, OpId::NONE);
        (ops, self.array_to.since(self.array_from), self.busy_since)
    }

    /// What operations that wait for the die have lost is `gc_time`; it grows from now on if work is for the collector,
    /// and without work with the clock of the channel, which stands at `mark`, if the die waits for that.
    pub(super) fn go_by(&mut self, for_gc: Option<bool>, now: SimTime, gc_time: Nanos, mark: Nanos) {
        self.gc_time = gc_time;
        self.gc_clock = match for_gc {
            Some(true) => GcClock::Running(now),
            None if self.waits_to_start => GcClock::Channel(mark),
            _ => GcClock::Stopped,
        };
    }
}

// Operations that are set aside for reads.
impl Die {
    /// Array time still to come, if an array is at work and nothing is set aside yet; and how often the operation was
    /// suspended so far.
    pub(super) fn interruptible(&self, now: SimTime) -> Option<(Nanos, u32)> {
        let works = self.phase == Phase::Array && self.suspended.is_none() && now >= self.array_from;
        works.then(|| (self.array_to.since(now), self.suspensions))
    }

    /// What is on the die is set aside, for reads whose arrival numbers are below `reads_before`.
    pub(super) fn suspend(&mut self, now: SimTime, reads_before: u64) {
        let active_ops = std::mem::replace(&mut self.active_ops, OpId::NONE);
        let remaining = self.array_to.since(now);
        self.suspended = Some(Suspended { active_ops, remaining, reads_before });
        self.suspensions += 1;
        self.phase = Phase::Suspending;
    }

    /// Whether something is set aside.
    #[inline]
    pub(super) fn has_suspended(&self) -> bool {
        self.suspensions != 0 && self.suspended.is_some()
    }

    /// If so: only reads with an arrival number below this may start.
    #[inline]
    pub(super) fn reads_before(&self) -> Option<u64> {
        if self.has_suspended() { self.suspended.map(|suspended| suspended.reads_before) } else { None }
    }

    /// What was set aside is so no more; [`Self::resume`] follows.
    #[inline]
    pub(super) fn take_suspended(&mut self) -> Option<Suspended> {
        self.suspended.take()
    }

    /// It occupies the die again.
    pub(super) fn resume(&mut self, ops: OpId, for_gc: bool, now: SimTime) {
        debug_assert!(matches!(self.gc_clock, GcClock::Stopped), "an idle die waits for nothing");
        if for_gc {
            self.gc_clock = GcClock::Running(now);
        }
        self.active_ops = ops;
        self.busy_since = now;
        self.for_host = !for_gc;
    }

    /// First of the operations that the array works on, and of those set aside, where there are any: what a power cut
    /// interrupts.
    pub(super) fn interrupted(&self) -> [OpId; 2] {
        let in_array = if self.phase == Phase::Array { self.active_ops } else { OpId::NONE };
        [in_array, self.suspended.map_or(OpId::NONE, |suspended| suspended.active_ops)]
    }
}

// How its time is spent.
impl Die {
    /// Time that operations waiting for this die have lost to garbage collection, up to `now`. `channel_clock` reads
    /// the channel's own GC clock and is called only when needed.
    #[inline]
    pub(super) fn gc_time(&self, now: SimTime, channel_clock: impl FnOnce() -> Nanos) -> Nanos {
        match self.gc_clock {
            GcClock::Stopped => self.gc_time,
            GcClock::Running(since) => self.gc_time + now.since(since),
            GcClock::Channel(mark) => self.gc_time + (channel_clock() - mark),
        }
    }

    /// Measuring begins.
    pub(super) fn start_afresh(&mut self, now: SimTime) {
        self.busy_time = Nanos(0);
        self.host_time = Nanos(0);
        if self.phase != Phase::Idle {
            self.busy_since = now;
        }
    }

    /// Time the die was occupied since measuring began, ns: the numerator of its utilisation.
    pub(crate) fn busy_time(&self) -> Nanos {
        self.busy_time
    }

    /// The part of it in which the die did operations of the host, ns.
    pub(crate) fn host_time(&self) -> Nanos {
        self.host_time
    }
}
