//! The event queue: a timing wheel.
//!
//! A die has at most one phase that will end, a contention domain at most one wake-up, a plane at most one timer, the
//! trace at most one next arrival: each has a *slot* for its event. The wheel has a bucket for each short stretch of
//! time to come, for about as long as the longest program takes; slots whose events lie in the same bucket are linked
//! in the order in which they leave. The few events that lie further ahead (erases, a pause of the trace) wait in
//! a heap. Events leave by (time, class, sequence); nothing depends on how long a bucket is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::host::Direction;
use crate::ids::{DieId, PlaneId};
use crate::time::{Nanos, SimTime};

/// What is to happen. The order of the variants is the order of events at one instant (their *class*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The current phase of a die ends (transfer or array time). First, so that resources freed at an instant are
    /// free for whatever else happens at that instant.
    Die(DieId),
    /// A contention domain (the channel, on a bus) falls idle while a die waits for it.
    Wake {
        /// The interconnect's number of the domain (the channel's number, on a bus).
        domain: u32,
    },
    /// A message on the host link arrives.
    Link(Direction),
    /// Somebody has waited long enough.
    Timer(Timer),
    /// The next host request arrives. Last, so that it sees the state after everything due at that instant.
    Arrival,
}

/// What waits for a time of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// The first host write of the plane, for the others of its program unit.
    Flush(PlaneId),
    /// A request, for a core of the controller to be done with it.
    Command,
    /// A request, for its pages to be looked up.
    Lookup,
    /// An access to a stripe, for its pages to be added up.
    Sum,
    /// The page that has been longest on its way through the controller's buffer memory.
    Passage,
}

/// An event that has been taken from the queue, by its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due(u32);

/// Classes of events, by [`Event`]'s order.
const DIE: u64 = 0;
const WAKE: u64 = 1;
const LINK: u64 = 2;
const TIMER: u64 = 3;
const ARRIVAL: u64 = 4;

/// Bits of a rank below the class.
const SEQUENCE_BITS: u32 = 61;

/// Rank of a slot without an event.
const IDLE: u64 = u64::MAX;

/// No slot.
const NONE: u32 = u32::MAX;

/// As the next of a slot: its event waits in the heap.
const FAR: u32 = u32::MAX - 1;

/// No bucket has an event.
const NOWHERE: u64 = u64::MAX;

/// The event of a slot.
#[derive(Debug, Clone, Copy)]
struct Pending {
    time: SimTime,
    /// Class and sequence: orders events of one instant.
    rank: u64,
    /// The slot that follows in the bucket.
    next: u32,
}

impl Pending {
    #[inline]
    fn key(&self) -> (SimTime, u64) {
        (self.time, self.rank)
    }
}

/// The slots whose events leave first and last of those in a bucket.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    first: u32,
    last: u32,
}

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    slots: Box<[Pending]>,
    buckets: Box<[Bucket; BUCKETS]>,
    filled: Buckets,
    /// The first bucket with an event, counted from time zero.
    front: u64,
    /// A bucket is 2 to this power ns long.
    bucket_bits: u32,
    /// Events beyond the wheel, by time, rank and slot. Those that are not their slot's any more were replaced.
    far: BinaryHeap<Reverse<(SimTime, u64, u32)>>,
    /// No event beyond the wheel is due before.
    far_from: SimTime,
    dies: u32,
    domains: u32,
    planes: u32,
    sequence: u64,
    now: SimTime,
}

impl EventQueue {
    /// A queue for so many dies, contention domains and planes, with nothing pending. Hardly any event is further ahead
    /// than `usual`; those that are cost more.
    pub fn new(dies: u32, domains: u32, planes: u32, usual: Nanos) -> Self {
        let slots = dies + domains + 2 + planes + 4 + 1;
        let idle = Pending { time: SimTime::ZERO, rank: IDLE, next: NONE };
        let bucket = usual.0 / BUCKETS as u64 + 1;
        Self {
            slots: vec![idle; slots as usize].into(),
            buckets: Box::new([Bucket { first: NONE, last: NONE }; BUCKETS]),
            filled: Buckets::default(),
            front: NOWHERE,
            bucket_bits: bucket.next_power_of_two().trailing_zeros(),
            far: BinaryHeap::new(),
            far_from: SimTime::NEVER,
            dies,
            domains,
            planes,
            sequence: 0,
            now: SimTime::ZERO,
        }
    }

    /// The time of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Let `event` happen at `time`. A pending event of the same die, domain or kind is replaced.
    ///
    /// # Panics
    /// When `time` lies in the past: the simulation would break causality.
    #[inline]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        let (slot, class) = match event {
            Event::Die(die) => (die.0, DIE),
            Event::Wake { domain } => (self.dies + domain, WAKE),
            Event::Link(direction) => (self.dies + self.domains + direction as u32, LINK),
            Event::Timer(timer) => (self.timer_slot(timer), TIMER),
            Event::Arrival => (self.slots.len() as u32 - 1, ARRIVAL),
        };
        self.drop_pending(slot);
        self.put(time, slot, class);
    }

    #[inline]
    fn drop_pending(&mut self, slot: u32) {
        if self.slots[slot as usize].rank != IDLE {
            self.remove(slot);
        }
    }

    /// [`Self::schedule`] of the event of a die that has none, three of four; nobody looks in a release build.
    #[inline]
    pub fn schedule_die(&mut self, time: SimTime, die: DieId) {
        debug_assert_eq!(self.slots[die.index()].rank, IDLE, "a die has one event");
        self.put(time, die.0, DIE);
    }

    /// [`Self::schedule`] of the wake-up of a domain: nearly all others. Not inlined: most find one noted before.
    #[inline(never)]
    pub(super) fn schedule_wake(&mut self, time: SimTime, domain: u32) {
        self.drop_pending(self.dies + domain);
        self.put(time, self.dies + domain, WAKE);
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event; the class is constant where it matters")]
    fn put(&mut self, time: SimTime, slot: u32, class: u64) {
        if time < self.now {
            self.refuse_past(time, slot);
        }
        let rank = class << SEQUENCE_BITS | self.sequence;
        self.sequence += 1;
        let bucket = time.0 >> self.bucket_bits;
        if bucket - (self.now.0 >> self.bucket_bits) >= BUCKETS as u64 {
            return self.put_far(time, rank, slot);
        }
        self.front = self.front.min(bucket);
        let index = bucket as usize % BUCKETS;
        let (slots, here) = (&mut *self.slots, &mut self.buckets[index]);
        slots[slot as usize] = Pending { time, rank, next: NONE };
        if here.first == NONE {
            *here = Bucket { first: slot, last: slot };
            self.filled.fill(index);
            return;
        }
        let last = &mut slots[here.last as usize];
        if last.key() < (time, rank) {
            last.next = slot;
            here.last = slot;
        } else {
            self.insert(slot, index);
        }
    }

    /// The event of a slot does not leave last of its bucket.
    #[inline(never)]
    fn insert(&mut self, slot: u32, index: usize) {
        let slots = &mut *self.slots;
        let key = slots[slot as usize].key();
        let (mut before, mut next) = (NONE, self.buckets[index].first);
        loop {
            let here = &slots[next as usize];
            if here.key() >= key {
                break;
            }
            (before, next) = (next, here.next);
        }
        slots[slot as usize].next = next;
        if before == NONE {
            self.buckets[index].first = slot;
        } else {
            slots[before as usize].next = slot;
        }
    }

    #[cold]
    fn put_far(&mut self, time: SimTime, rank: u64, slot: u32) {
        self.slots[slot as usize] = Pending { time, rank, next: FAR };
        self.far.push(Reverse((time, rank, slot)));
        self.far_from = self.far_from.min(time);
    }

    /// The event of a slot will not happen.
    #[cold]
    fn remove(&mut self, slot: u32) {
        let Pending { time, next, .. } = self.slots[slot as usize];
        self.slots[slot as usize].rank = IDLE;
        if next == FAR {
            // In the heap, where it is passed over.
            return;
        }
        let index = (time.0 >> self.bucket_bits) as usize % BUCKETS;
        if self.buckets[index].first == slot {
            return self.take_first(index, next);
        }
        let mut before = self.buckets[index].first;
        while self.slots[before as usize].next != slot {
            before = self.slots[before as usize].next;
        }
        self.slots[before as usize].next = next;
        if next == NONE {
            self.buckets[index].last = before;
        }
    }

    /// The first slot of a bucket leaves it, and `next` follows.
    #[inline]
    fn take_first(&mut self, index: usize, next: u32) {
        self.buckets[index].first = next;
        if next != NONE {
            return;
        }
        self.filled.empty(index);
        let from = self.now.0 >> self.bucket_bits;
        self.front = self.filled.ahead_of(from as usize % BUCKETS).map_or(NOWHERE, |ahead| from + ahead);
    }

    fn timer_slot(&self, timer: Timer) -> u32 {
        let number = match timer {
            Timer::Flush(plane) => plane.0,
            Timer::Lookup => self.planes,
            Timer::Sum => self.planes + 1,
            Timer::Passage => self.planes + 2,
            Timer::Command => self.planes + 3,
        };
        self.dies + self.domains + 2 + number
    }

    /// The pending event of a timer will not happen.
    pub fn cancel(&mut self, timer: Timer) {
        self.drop_pending(self.timer_slot(timer));
    }

    /// Whether any timer will go off.
    pub fn timer_is_pending(&self) -> bool {
        let first = (self.dies + self.domains + 2) as usize;
        self.slots[first..self.slots.len() - 1].iter().any(|slot| slot.rank != IDLE)
    }

    /// Take the earliest event and move the clock to it. [`Self::event_of`] tells what happens.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event")]
    pub fn pop(&mut self) -> Option<Due> {
        // With no event in the wheel no bucket has a slot, so that of nowhere has none.
        let index = self.front as usize % BUCKETS;
        let slot = self.buckets[index].first;
        let Some(pending) = self.slots.get_mut(slot as usize) else {
            return self.pop_far(SimTime::NEVER, IDLE);
        };
        let Pending { time, rank, next } = *pending;
        if time < self.far_from {
            pending.rank = IDLE;
        } else if let Some(taken) = self.pop_far(time, rank) {
            return Some(taken);
        } else {
            self.slots[slot as usize].rank = IDLE;
        }
        self.now = time;
        self.take_first(index, next);
        Some(Due(slot))
    }

    /// The die whose event is the earliest now, unless another is.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event")]
    pub(super) fn next_die(&self) -> Option<DieId> {
        // Whatever the bucket of nowhere holds is as good.
        let slot = self.buckets[self.front as usize % BUCKETS].first;
        (slot < self.dies).then_some(DieId(slot))
    }

    /// Take the earliest event beyond the wheel, if it leaves before one of the wheel.
    #[cold]
    fn pop_far(&mut self, time: SimTime, rank: u64) -> Option<Due> {
        let mut taken = None;
        while let Some(&Reverse((far_time, far_rank, slot))) = self.far.peek() {
            let here = &mut self.slots[slot as usize];
            if here.rank == far_rank {
                if taken.is_some() || (far_time, far_rank) > (time, rank) {
                    break;
                }
                here.rank = IDLE;
                taken = Some((far_time, slot));
            }
            self.far.pop();
        }
        self.far_from = self.far.peek().map_or(SimTime::NEVER, |Reverse((time, ..))| *time);
        taken.map(|(time, slot)| {
            self.now = time;
            Due(slot)
        })
    }

    /// What happens now that an event is due.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event")]
    pub fn event_of(&self, Due(slot): Due) -> Event {
        if slot < self.dies {
            Event::Die(DieId(slot))
        } else if slot < self.dies + self.domains {
            Event::Wake { domain: slot - self.dies }
        } else {
            self.other_event_of(slot - self.dies - self.domains)
        }
    }

    fn other_event_of(&self, number: u32) -> Event {
        let timer = match number {
            0 => return Event::Link(Direction::Down),
            1 => return Event::Link(Direction::Up),
            number if number < self.planes + 2 => Timer::Flush(PlaneId(number - 2)),
            number => match number - self.planes - 2 {
                0 => Timer::Lookup,
                1 => Timer::Sum,
                2 => Timer::Passage,
                3 => Timer::Command,
                _ => return Event::Arrival,
            },
        };
        Event::Timer(timer)
    }

    #[cold]
    fn refuse_past(&self, time: SimTime, slot: u32) -> ! {
        let event = self.event_of(Due(slot));
        panic!("{event:?} scheduled at {time:?}, but it is already {:?}", self.now)
    }

    /// Events scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }
}

// Which buckets of the timing wheel hold events.

/// Number of buckets. Two looks find the next one that is filled: into one word of several, and into the word of those.
pub(super) const BUCKETS: usize = WORDS * WORD;

const WORD: usize = u64::BITS as usize;
const WORDS: usize = 16;

/// A bit for each bucket, and one for each word of those.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    words: [u64; WORDS],
    summary: u16,
}

impl Buckets {
    /// A bucket has got an event.
    #[inline]
    pub(super) fn fill(&mut self, bucket: usize) {
        let word = bucket / WORD % WORDS;
        self.words[word] |= 1 << (bucket % WORD);
        self.summary |= 1 << word;
    }

    /// It has none any more.
    #[inline]
    pub(super) fn empty(&mut self, bucket: usize) {
        let word = bucket / WORD % WORDS;
        self.words[word] &= !(1 << (bucket % WORD));
        if self.words[word] == 0 {
            self.summary &= !(1 << word);
        }
    }

    /// How many buckets ahead of `bucket` the first one with an event is; behind the last comes the first.
    #[inline]
    pub(super) fn ahead_of(&self, bucket: usize) -> Option<u64> {
        let word = bucket / WORD % WORDS;
        let rest = self.words[word] >> (bucket % WORD);
        if rest != 0 {
            return Some(u64::from(rest.trailing_zeros()));
        }
        if self.summary == 0 {
            return None;
        }
        // The word itself comes last: what it has before `bucket`.
        let next = (word + 1) % WORDS;
        let words = self.summary.rotate_right(next as u32).trailing_zeros() as usize;
        let found = self.words[(next + words) % WORDS].trailing_zeros() as usize;
        Some(((words + 1) * WORD + found - bucket % WORD) as u64)
    }
}

#[cfg(test)]
mod tests;
