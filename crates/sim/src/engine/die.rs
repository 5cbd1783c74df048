//! One die: what it is doing, and the clocks that say why operations wait for it.

use crate::ids::OpId;
use crate::interconnect::Lease;
use crate::time::{Nanos, SimTime};

/// What a die is doing. A die does one operation (or one multi-plane operation of several pages) at a time, and is
/// occupied by it from the command until its data has left the page register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
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
}

/// An operation set aside for a read.
#[derive(Debug, Clone, Copy)]
pub struct Suspended {
    /// First of the operations set aside (several in a multi-plane operation); the others are linked behind.
    pub active_ops: OpId,
    /// Array time it still needs.
    pub remaining: Nanos,
    /// When it was set aside.
    pub at: SimTime,
    /// Reads with an arrival number below this are served first; later ones wait, so that the operation resumes at
    /// some time.
    pub reads_before: u64,
}

/// How a die's GC clock runs.
#[derive(Debug, Clone, Copy)]
pub enum GcClock {
    /// It is stopped: whoever waits for the die waits for operations of the host.
    Stopped,
    /// It runs: the die works for the collector since that instant.
    Running(SimTime),
    /// The die is idle but waits for the channel; it runs while the channel carries collected pages. Holds the reading
    /// of the channel's GC clock when the wait began, ns.
    Channel(Nanos),
}

/// State of one die.
#[derive(Debug, Clone)]
pub struct Die {
    /// What the die is doing now.
    pub phase: Phase,
    /// First of the operations on the die (several in a multi-plane operation); the others are linked behind.
    pub active_ops: OpId,
    /// The channel, where the interconnect lets the die keep it beyond the current transfer.
    pub lease: Option<Lease>,
    /// Whether the die is in a wait list for the channel, to start an operation.
    pub waits_to_start: bool,
    /// Whether the die is choosing among its queues, so that what is queued meanwhile does not choose again.
    pub choosing: bool,
    /// A copyback's second half is under way.
    pub second_half: bool,
    /// When the array began to work on the active operations.
    pub array_from: SimTime,
    /// When the array will be done with them.
    pub array_to: SimTime,
    /// When the active operations began to occupy the die.
    pub busy_since: SimTime,
    /// Time the die was occupied since measuring began, ns: the numerator of its utilisation.
    pub busy_time: Nanos,
    /// The part of it in which the die did operations of the host, ns.
    pub host_time: Nanos,
    /// Whether the active operations are of the host.
    pub for_host: bool,
    /// The operation set aside for reads, if there is one.
    pub suspended: Option<Suspended>,
    /// How often the operation under way was suspended.
    pub suspensions: u32,
    /// Time that operations waiting for the die lost to garbage collection, ns, up to the last change of the clock.
    pub gc_time: Nanos,
    /// How that time goes on growing.
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
            host_time: Nanos(0),
            for_host: false,
            suspended: None,
            suspensions: 0,
            gc_time: Nanos(0),
            gc_clock: GcClock::Stopped,
        }
    }
}

impl Die {
    /// Time that operations waiting for this die have lost to garbage collection, up to `now`. `channel_clock` reads
    /// the channel's own GC clock and is called only when needed.
    #[inline]
    pub fn gc_time(&self, now: SimTime, channel_clock: impl FnOnce() -> Nanos) -> Nanos {
        match self.gc_clock {
            GcClock::Stopped => self.gc_time,
            GcClock::Running(since) => self.gc_time + now.since(since),
            GcClock::Channel(mark) => self.gc_time + (channel_clock() - mark),
        }
    }
}
