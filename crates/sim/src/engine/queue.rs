//! The event queue: sorted runs, told apart by how far ahead their events lie.
//!
//! A die has at most one phase that will end, a group of wires at most one wake-up, the trace at most one next arrival.
//! Nearly all events are due a constant after they are scheduled (a transfer, tR, tPROG, tBERS), so events of one kind
//! come in the order in which they leave: each is appended to the first run whose last event is not later, and the
//! earliest event is the earliest head of a run. There are about as many runs as different constants; in the worst case
//! as many as events. Events leave by (time, class, sequence); nothing depends on which run they were in.

use std::collections::VecDeque;

use super::time::SimTime;
use crate::host::Direction;
use crate::ids::DieId;

/// What is to happen. The order of the variants is the order of events at one instant (their *class*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The current phase of a die ends (transfer or array time). First, so that resources freed at an instant are
    /// free for whatever else happens at that instant.
    Die(DieId),
    /// A group of wires falls idle while somebody waits for it.
    Wake {
        /// The interconnect's number of the group (the channel, on a bus).
        group: u32,
    },
    /// A message on the host link arrives.
    Link(Direction),
    /// The next host request arrives. Last, so that it sees the state after everything due at that instant.
    Arrival,
}

/// When a slot's event is due and whose it is: time (64 bits), class (2), sequence (40), slot (22), from the top bits
/// down, so that one comparison orders all.
type Key = u128;

const SLOT_BITS: u32 = 22;
const SEQUENCE_BITS: u32 = 40;

/// Later than everything: the head of an empty run.
const NEVER: Key = Key::MAX;

/// No event of a slot is pending.
const IDLE: u64 = u64::MAX;

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    /// The first key of each run, or `NEVER`.
    heads: Vec<Key>,
    /// The last key of each run; 0 when it is empty.
    tails: Vec<Key>,
    /// The keys of each run after the first.
    runs: Vec<VecDeque<Key>>,
    /// The lower half of each slot's pending key. Keys that are not their slot's any more were replaced.
    pending: Box<[u64]>,
    dies: u32,
    groups: u32,
    sequence: u64,
    now: SimTime,
}

impl EventQueue {
    /// A queue for so many dies and groups of wires, with nothing pending.
    ///
    /// # Panics
    /// When there are more than four million of them.
    pub fn new(dies: u32, groups: u32) -> Self {
        let slots = dies + groups + 3;
        assert!(slots <= 1 << SLOT_BITS, "{dies} dies and {groups} groups of wires are too many");
        Self {
            heads: Vec::new(),
            tails: Vec::new(),
            runs: Vec::new(),
            pending: vec![IDLE; slots as usize].into_boxed_slice(),
            dies,
            groups,
            sequence: 0,
            now: SimTime::ZERO,
        }
    }

    /// The time of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Let `event` happen at `time`. A pending event of the same die, group or kind is replaced.
    ///
    /// # Panics
    /// When `time` lies in the past: the simulation would break causality.
    #[inline]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        if time < self.now {
            self.refuse_past(time, event);
        }
        let (slot, class) = match event {
            Event::Die(die) => (die.0, 0_u64),
            Event::Wake { group } => (self.dies + group, 1),
            Event::Link(direction) => (self.dies + self.groups + direction as u32, 2),
            Event::Arrival => (self.dies + self.groups + 2, 3),
        };
        debug_assert!(self.sequence < 1 << SEQUENCE_BITS);
        let rank = class << (SEQUENCE_BITS + SLOT_BITS) | self.sequence << SLOT_BITS | u64::from(slot);
        self.sequence += 1;
        self.pending[slot as usize] = rank;
        self.append(Key::from(time.0) << 64 | Key::from(rank));
    }

    #[inline]
    fn append(&mut self, key: Key) {
        let runs = self.tails.iter_mut().zip(&mut self.heads).zip(&mut self.runs);
        for ((tail, head), run) in runs {
            if *tail <= key {
                *tail = key;
                if *head == NEVER {
                    *head = key;
                } else {
                    run.push_back(key);
                }
                return;
            }
        }
        self.begin_run(key);
    }

    #[cold]
    fn begin_run(&mut self, key: Key) {
        self.heads.push(key);
        self.tails.push(key);
        self.runs.push(VecDeque::new());
    }

    /// Take the earliest event and move the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        loop {
            let (mut first, mut key) = (0, NEVER);
            for (run, head) in self.heads.iter().enumerate() {
                if *head < key {
                    (first, key) = (run, *head);
                }
            }
            if key == NEVER {
                return None;
            }
            if let Some(next) = self.runs[first].pop_front() {
                self.heads[first] = next;
            } else {
                self.heads[first] = NEVER;
                self.tails[first] = 0;
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
            } else if slot < self.dies + self.groups {
                Event::Wake { group: slot - self.dies }
            } else {
                match slot - self.dies - self.groups {
                    0 => Event::Link(Direction::Down),
                    1 => Event::Link(Direction::Up),
                    _ => Event::Arrival,
                }
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
        let mut queue = EventQueue::new(5, 8);
        let at = SimTime(5);
        let die = |n| Event::Die(DieId(n));
        queue.schedule(at, Event::Arrival);
        queue.schedule(at, die(2));
        queue.schedule(at, Event::Wake { group: 7 });
        queue.schedule(at, die(1));
        queue.schedule(SimTime(3), Event::Wake { group: 1 });
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(
            order,
            [Event::Wake { group: 1 }, die(2), die(1), Event::Wake { group: 7 }, Event::Arrival]
        );
    }

    #[test]
    #[should_panic(expected = "already")]
    fn scheduling_into_the_past_panics() {
        let mut queue = EventQueue::new(1, 1);
        queue.schedule(SimTime(5), Event::Arrival);
        queue.pop();
        queue.schedule(SimTime(4), Event::Arrival);
    }

    proptest! {
        /// Against a sorted list: whatever is scheduled, replaced and taken, the earliest comes first.
        #[test]
        fn agrees_with_a_sorted_list(steps in prop::collection::vec((0_u32..20, 0_u64..50, any::<bool>()), 0..200)) {
            let mut queue = EventQueue::new(20, 3);
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
