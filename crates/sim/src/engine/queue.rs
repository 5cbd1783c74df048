//! The event queue: a binary heap ordered by (time, class, sequence).
//!
//! Events at the same instant leave in class order, and within a class in the order they were scheduled, so the
//! outcome never depends on how the heap happens to be laid out.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::time::SimTime;
use crate::ids::DieId;

/// What is to happen. The order of the variants is the order of events at one instant (their *class*).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The current phase of a die ends (transfer or array time). First, so that resources freed at an instant are
    /// free for whatever else happens at that instant. `generation` tells a phase from one that was suspended.
    Die {
        /// Whose phase ends.
        die: DieId,
        /// Must equal the die's generation, else the event is stale.
        generation: u32,
    },
    /// A group of wires falls idle while somebody waits for it.
    Wake {
        /// The interconnect's number of the group (the channel, on a bus).
        group: u32,
    },
    /// The next host request arrives. Last, so that it sees the state after everything due at that instant.
    Arrival,
}

impl Event {
    fn class(self) -> u64 {
        match self {
            Self::Die { .. } => 0,
            Self::Wake { .. } => 1,
            Self::Arrival => 2,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    time: SimTime,
    /// Class in the top byte, sequence below: one comparison orders both.
    rank: u64,
    event: Event,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Reversed: `BinaryHeap` is a max-heap and the earliest event must come first.
        (other.time, other.rank).cmp(&(self.time, self.rank))
    }
}

/// Pending events, earliest first.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: BinaryHeap<Entry>,
    sequence: u64,
    now: SimTime,
}

impl EventQueue {
    /// The time of the event taken last.
    #[inline]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Let `event` happen at `time`.
    ///
    /// # Panics
    /// When `time` lies in the past: the simulation would break causality.
    #[inline]
    pub fn schedule(&mut self, time: SimTime, event: Event) {
        assert!(time >= self.now, "{event:?} scheduled at {time:?}, but it is already {:?}", self.now);
        let rank = (event.class() << 56) | self.sequence;
        self.sequence += 1;
        self.heap.push(Entry { time, rank, event });
    }

    /// Take the earliest event and move the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        let entry = self.heap.pop()?;
        self.now = entry.time;
        Some((entry.time, entry.event))
    }

    /// Events scheduled so far.
    pub fn scheduled(&self) -> u64 {
        self.sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_leave_by_class_then_in_scheduling_order() {
        let mut queue = EventQueue::default();
        let at = SimTime(5);
        let die = |n| Event::Die { die: DieId(n), generation: 0 };
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
        let mut queue = EventQueue::default();
        queue.schedule(SimTime(5), Event::Arrival);
        queue.pop();
        queue.schedule(SimTime(4), Event::Arrival);
    }
}
