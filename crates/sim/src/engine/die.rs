//! One die: what it is doing, and the clocks that say why operations wait for it.

use crate::ids::OpId;
use crate::interconnect::Lease;
use crate::time::{Nanos, SimTime};

/// What a die is doing. A die does one operation (or one multi-plane domain) at a time, and is held by it from the
/// command until its data has left the page register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    Idle,
    /// An operation is being put together; no time passes.
    Starting,
    /// Command (and data in) on the channel, then array time; the event marks the end of the array time.
    Array,
    /// The array is done; wires are needed to finish (data out, or a copyback's second command).
    AwaitChannel,
    /// Data of the domain's first operation leaves.
    DataOut,
    /// The array is being freed for a read.
    Suspending,
}

/// An operation set aside for a read.
#[derive(Debug, Clone, Copy)]
pub struct Suspended {
    /// Its domain.
    pub active_ops: OpId,
    /// Array time it still needs.
    pub remaining: Nanos,
    /// When it was set aside.
    pub at: SimTime,
    /// Reads that arrived before this number are served first; later ones wait, so that it goes on some time.
    pub reads_before: u64,
}

/// How a die's GC clock runs.
#[derive(Debug, Clone, Copy)]
pub enum GcClock {
    /// It stands: whoever waits for the die waits for the host.
    Stopped,
    /// It runs: the die works for the collector since that instant.
    Running(SimTime),
    /// The die is idle but waits for wires; it runs while those carry collected pages. Holds the channel' clock then.
    Channel(Nanos),
}

/// State of one die.
#[derive(Debug, Clone)]
pub struct Die {
    /// What it is doing.
    pub phase: Phase,
    /// First operation of the domain on the die; the others are linked behind.
    pub active_ops: OpId,
    /// Wires it holds beyond the current transfer.
    pub lease: Option<Lease>,
    /// In a wait list for wires, to start something.
    pub waits_to_start: bool,
    /// Its queues are being looked through.
    pub choosing: bool,
    /// A copyback's second half is under way.
    pub second_half: bool,
    /// When the array began to work on the current domain.
    pub array_from: SimTime,
    /// When it will be done.
    pub array_to: SimTime,
    /// When the die was taken.
    pub busy_since: SimTime,
    /// Time it was held, in all.
    pub busy_time: Nanos,
    /// An operation set aside for reads.
    pub suspended: Option<Suspended>,
    /// How often the operation under way was suspended.
    pub suspensions: u32,
    /// Time waiters lost to garbage collection, up to the last change of the clock.
    pub gc_time: Nanos,
    /// How that goes on.
    pub gc_clock: GcClock,
}

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
            suspended: None,
            suspensions: 0,
            gc_time: Nanos(0),
            gc_clock: GcClock::Stopped,
        }
    }
}

impl Die {
    /// Time those who wait for this die have lost to garbage collection, up to `now`. `wires` reads the channel' own
    /// GC clock and is asked only when needed.
    #[inline]
    pub fn gc_time(&self, now: SimTime, wires: impl FnOnce() -> Nanos) -> Nanos {
        match self.gc_clock {
            GcClock::Stopped => self.gc_time,
            GcClock::Running(since) => self.gc_time + now.since(since),
            GcClock::Channel(mark) => self.gc_time + (wires() - mark),
        }
    }
}

/// How long the host writes of a plane have were stalled for want of space, beyond what the die's GC clock counts in
/// the same time: a write that waits while its die collects waits once.
#[derive(Debug, Clone, Copy, Default)]
pub struct StallClock {
    /// When the writes began to stall, and the die's GC clock then.
    pub since: Option<(SimTime, Nanos)>,
    /// Stalls that have ended.
    ended: Nanos,
}

impl StallClock {
    /// The clock's reading, given the die's.
    #[inline]
    pub fn time(&self, now: SimTime, die_time: Nanos) -> Nanos {
        match self.since {
            None => self.ended,
            Some((since, mark)) => self.ended + (now.since(since) - (die_time - mark)),
        }
    }

    /// There is room again; returns how long there was none.
    pub fn end(&mut self, now: SimTime, die_time: Nanos) -> Nanos {
        self.ended = self.time(now, die_time);
        self.since.take().map_or(Nanos(0), |(since, _)| now.since(since))
    }
}
