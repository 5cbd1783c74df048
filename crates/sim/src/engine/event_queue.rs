//! The event queue: sorted runs, told apart by how far ahead their events lie.
//!
//! A die has at most one phase that will end, a contention domain at most one wake-up, a plane at most one timer, the
//! trace at most one next arrival. Nearly all events are due a constant after they are scheduled (a transfer, tR,
//! tPROG, tBERS), so events of one kind come in the order in which they leave: each is appended to a run whose last
//! event is not later (the one that took the last event as far ahead, if it can, else the first), and the earliest
//! event is the earliest head of a run. There are about as many runs as different constants; in the worst case as many
//! as events. Events leave by (time, class, sequence); nothing depends on which run they were in.

use std::collections::VecDeque;

use crate::host::Direction;
use crate::ids::{DieId, PlaneId};
use crate::time::SimTime;

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

/// When a slot's event is due and whose it is: time (64 bits), class (3), sequence (39), slot (22), from the top bits
/// down, so that one comparison orders all.
type Key = u128;

const SLOT_BITS: u32 = 22;
const SEQUENCE_BITS: u32 = 39;

/// Later than everything: no arrival is due.
const NEVER: Key = Key::MAX;

/// No event of a slot is pending.
const IDLE: u64 = u64::MAX;

/// Spreads lengths of time over the table of guesses: 2^64 divided by the golden ratio.
const MIXER: u64 = 0x9E37_79B9_7F4A_7C15;
const GUESS_SHIFT: u32 = 59;
/// For hashes, wake-ups, messages on the host link and timers.
const GUESSES: usize = (1 << (64 - GUESS_SHIFT)) + 3;

/// An arrival comes after everything else at the same instant.
const ARRIVAL_CLASS: u64 = 4;

/// Events in the order in which they leave.
#[derive(Debug, Default)]
struct Run {
    /// The last key; 0 when the run is empty.
    tail: Key,
    /// The keys after the first.
    rest: VecDeque<Key>,
    /// Whether there is a first.
    has_head: bool,
}

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    /// The first key of each run that has any, and which run: the earliest comes last.
    heads: Vec<(Key, u32)>,
    runs: Vec<Run>,
    /// By a hash of how far ahead an event of a die is, and for each other class: the run that took the last such
    /// event.
    guesses: [u8; GUESSES],
    /// The next arrival: there is never more than one.
    arrival: Key,
    /// The lower half of each slot's pending key. Keys that are not their slot's any more were replaced.
    pending: Box<[u64]>,
    dies: u32,
    domains: u32,
    planes: u32,
    sequence: u64,
    now: SimTime,
}

impl EventQueue {
    /// A queue for so many dies, contention domains and planes, with nothing pending.
    ///
    /// # Panics
    /// When there are more than four million of them together.
    pub fn new(dies: u32, domains: u32, planes: u32) -> Self {
        let slots = dies + domains + 2 + planes + 4;
        assert!(
            slots <= 1 << SLOT_BITS,
            "{dies} dies, {domains} contention domains and {planes} planes are too many"
        );
        Self {
            heads: Vec::new(),
            runs: Vec::new(),
            guesses: [0; GUESSES],
            arrival: NEVER,
            pending: vec![IDLE; slots as usize].into_boxed_slice(),
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
        if time < self.now {
            self.refuse_past(time, event);
        }
        debug_assert!(self.sequence < 1 << SEQUENCE_BITS);
        let (slot, class) = match event {
            Event::Die(die) => return self.schedule_die(time, die),
            Event::Wake { domain } => (self.dies + domain, 1_u64),
            Event::Link(direction) => (self.dies + self.domains + direction as u32, 2),
            Event::Timer(timer) => (self.timer_slot(timer), 3),
            Event::Arrival => (0, ARRIVAL_CLASS),
        };
        let rank = class << (SEQUENCE_BITS + SLOT_BITS) | self.sequence << SLOT_BITS | u64::from(slot);
        let key = Key::from(time.0) << 64 | Key::from(rank);
        self.sequence += 1;
        if class == ARRIVAL_CLASS {
            self.arrival = key;
            return;
        }
        self.pending[slot as usize] = rank;
        // Only a die's events come in few lengths; the others keep to a place of their own.
        self.append(key, (1 << (64 - GUESS_SHIFT)) - 1 + class as usize);
    }

    /// [`Self::schedule`] of the event of a die: three of four.
    #[inline]
    pub fn schedule_die(&mut self, time: SimTime, die: DieId) {
        if time < self.now {
            self.refuse_past(time, Event::Die(die));
        }
        let rank = self.sequence << SLOT_BITS | u64::from(die.0);
        self.sequence += 1;
        self.pending[die.index()] = rank;
        let guess = (time.0 - self.now.0).wrapping_mul(MIXER) >> GUESS_SHIFT;
        self.append(Key::from(time.0) << 64 | Key::from(rank), guess as usize);
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

    fn timer_of(&self, slot: u32) -> Timer {
        match slot - self.dies - self.domains - 2 {
            plane if plane < self.planes => Timer::Flush(PlaneId(plane)),
            number if number == self.planes => Timer::Lookup,
            number if number == self.planes + 1 => Timer::Sum,
            number if number == self.planes + 2 => Timer::Passage,
            _ => Timer::Command,
        }
    }

    /// The pending event of a timer will not happen.
    pub fn cancel(&mut self, timer: Timer) {
        let slot = self.timer_slot(timer);
        self.pending[slot as usize] = IDLE;
    }

    /// Whether any timer will go off.
    pub fn timer_is_pending(&self) -> bool {
        self.pending[(self.dies + self.domains + 2) as usize..].iter().any(|pending| *pending != IDLE)
    }

    /// Append to the run that took the last event as far ahead, or to the first run that may have it.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event")]
    fn append(&mut self, key: Key, guess: usize) {
        let mut run = usize::from(self.guesses[guess]);
        if self.runs.get(run).is_none_or(|run| key < run.tail) {
            run = self.run_for(key);
            self.guesses[guess] = run as u8;
        }
        let into = &mut self.runs[run];
        into.tail = key;
        if into.has_head {
            into.rest.push_back(key);
            return;
        }
        into.has_head = true;
        self.heads.push((key, run as u32));
        self.settle_last();
    }

    /// The last head has changed: it goes to its place. Those that are due soon are near the end.
    #[inline]
    fn settle_last(&mut self) {
        let heads = self.heads.as_mut_slice();
        let Some(mut at) = heads.len().checked_sub(1) else { return };
        let settled = heads[at];
        while at > 0 && heads[at - 1].0 < settled.0 {
            heads[at] = heads[at - 1];
            at -= 1;
        }
        heads[at] = settled;
    }

    /// The first run that may have an event; a new one when there is none.
    fn run_for(&mut self, key: Key) -> usize {
        self.runs.iter().position(|run| run.tail <= key).unwrap_or_else(|| {
            self.runs.push(Run::default());
            self.runs.len() - 1
        })
    }

    /// Take the earliest event and move the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        loop {
            let arrival = self.arrival;
            let Some((head, run)) = self.heads.last_mut().filter(|(key, _)| *key < arrival) else {
                if arrival == NEVER {
                    return None;
                }
                self.arrival = NEVER;
                self.now = SimTime((arrival >> 64) as u64);
                return Some((self.now, Event::Arrival));
            };
            let key = *head;
            let run = &mut self.runs[*run as usize];
            if let Some(next) = run.rest.pop_front() {
                *head = next;
                self.settle_last();
            } else {
                (run.tail, run.has_head) = (0, false);
                self.heads.pop();
            }
            let rank = key as u64;
            let slot = rank as u32 & ((1 << SLOT_BITS) - 1);
            let pending = &mut self.pending[slot as usize];
            if *pending != rank {
                continue;
            }
            *pending = IDLE;
            self.now = SimTime((key >> 64) as u64);
            let event = if slot < self.dies {
                Event::Die(DieId(slot))
            } else if slot < self.dies + self.domains {
                Event::Wake { domain: slot - self.dies }
            } else if slot == self.dies + self.domains {
                Event::Link(Direction::Down)
            } else if slot == self.dies + self.domains + 1 {
                Event::Link(Direction::Up)
            } else {
                Event::Timer(self.timer_of(slot))
            };
            return Some((self.now, event));
        }
    }

    #[cold]
    fn refuse_past(&self, time: SimTime, event: Event) -> ! {
        panic!("{event:?} scheduled at {time:?}, but it is already {:?}", self.now)
    }

    /// Events scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_leave_by_class_then_in_scheduling_order() {
        let mut queue = EventQueue::new(5, 8, 0);
        let at = SimTime(5);
        let die = |n| Event::Die(DieId(n));
        queue.schedule(at, Event::Arrival);
        queue.schedule(at, die(2));
        queue.schedule(at, Event::Wake { domain: 7 });
        queue.schedule(at, die(1));
        queue.schedule(SimTime(3), Event::Wake { domain: 1 });
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(
            order,
            [Event::Wake { domain: 1 }, die(2), die(1), Event::Wake { domain: 7 }, Event::Arrival]
        );
    }

    #[test]
    #[should_panic(expected = "already")]
    fn scheduling_into_the_past_panics() {
        let mut queue = EventQueue::new(1, 1, 0);
        queue.schedule(SimTime(5), Event::Arrival);
        queue.pop();
        queue.schedule(SimTime(4), Event::Arrival);
    }

    proptest! {
        /// Against a sorted list: whatever is scheduled, replaced and taken, the earliest comes first.
        #[test]
        fn agrees_with_a_sorted_list(
            steps in prop::collection::vec((0_u32..20, 0_u64..50, any::<bool>()), 0..200),
        ) {
            let mut queue = EventQueue::new(20, 3, 0);
            let mut list: Vec<(u64, u64, u32)> = Vec::new();
            for (sequence, (die, after, pop)) in steps.into_iter().enumerate() {
                if pop {
                    list.sort_unstable();
                    let expected = if list.is_empty() { None } else { Some(list.remove(0)) };
                    let taken = queue.pop();
                    prop_assert_eq!(taken, expected.map(|(t, _, d)| (SimTime(t), Event::Die(DieId(d)))));
                } else {
                    let time = queue.now().0 + after;
                    list.retain(|(_, _, pending)| *pending != die);
                    list.push((time, sequence as u64, die));
                    queue.schedule(SimTime(time), Event::Die(DieId(die)));
                }
            }
        }
    }
}
