//! The event queue: a tournament between everything that can have an event pending.
//!
//! A die has at most one phase that will end, a group of wires at most one wake-up, the trace at most one next arrival.
//! So the queue is a fixed set of slots and a winner tree over them: no allocation, no stale events, and a change costs
//! one comparison per level of the tree. Events leave by (time, class, sequence); nothing depends on the tree's shape.

use super::time::SimTime;
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
    /// The next host request arrives. Last, so that it sees the state after everything due at that instant.
    Arrival,
}

/// When a slot's event is due: time, class and sequence from the top bits down, so that one comparison orders all.
type Key = u128;

/// Later than everything: nothing is pending.
const IDLE: Key = Key::MAX;

/// Pending events, earliest first.
#[derive(Debug)]
pub struct EventQueue {
    keys: Vec<Key>,
    /// A complete binary tree: node n's children are 2n and 2n + 1, leaf k is node `leaves + k`. Each node names the
    /// slot that wins below it.
    winners: Vec<u32>,
    leaves: u32,
    dies: u32,
    groups: u32,
    sequence: u64,
    now: SimTime,
}

impl EventQueue {
    /// A queue for so many dies and groups of wires, with nothing pending.
    pub fn new(dies: u32, groups: u32) -> Self {
        let leaves = (dies + groups + 1).next_power_of_two();
        let mut winners = vec![0; 2 * leaves as usize];
        for node in (1..2 * leaves).rev() {
            winners[node as usize] = if node >= leaves { node - leaves } else { winners[2 * node as usize] };
        }
        Self {
            keys: vec![IDLE; leaves as usize],
            winners,
            leaves,
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
        assert!(time >= self.now, "{event:?} scheduled at {time:?}, but it is already {:?}", self.now);
        let (slot, class) = match event {
            Event::Die(die) => (die.0, 0_u64),
            Event::Wake { group } => (self.dies + group, 1),
            Event::Arrival => (self.dies + self.groups, 2),
        };
        let rank = (class << 56) | self.sequence;
        self.sequence += 1;
        self.keys[slot as usize] = (Key::from(time.0) << 64) | Key::from(rank);
        self.replay(slot);
    }

    /// Take the earliest event and move the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(SimTime, Event)> {
        let slot = self.winners[1];
        let key = std::mem::replace(&mut self.keys[slot as usize], IDLE);
        if key == IDLE {
            return None;
        }
        self.replay(slot);
        self.now = SimTime((key >> 64) as u64);
        let event = if slot < self.dies {
            Event::Die(DieId(slot))
        } else if slot < self.dies + self.groups {
            Event::Wake { group: slot - self.dies }
        } else {
            Event::Arrival
        };
        Some((self.now, event))
    }

    /// Play the matches again that a changed slot takes part in.
    #[inline]
    fn replay(&mut self, slot: u32) {
        // The parent of a leaf.
        let mut node = (self.leaves + slot) >> 1;
        while node > 0 {
            let (left, right) = (self.winners[2 * node as usize], self.winners[2 * node as usize + 1]);
            let winner = if self.keys[right as usize] < self.keys[left as usize] { right } else { left };
            // If neither the old nor the new winner is the changed slot, nothing changes further up.
            if std::mem::replace(&mut self.winners[node as usize], winner) == winner && winner != slot {
                return;
            }
            node /= 2;
        }
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
