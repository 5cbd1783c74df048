//! What the controller itself takes time for: looking pages up, and adding pages of a stripe up. Each takes the same
//! time every time and any number at once, so whoever begins first is done first.

use std::collections::VecDeque;

use super::queue::{Event, EventQueue, Timer};
use crate::ids::{JoinId, RequestId};
use crate::latency::LatencyAccount;
use crate::time::{Nanos, SimTime};

/// Something of the controller that takes a time, and who waits for it.
#[derive(Debug)]
pub(super) struct Delay<T> {
    pub(super) takes: Nanos,
    timer: Timer,
    waiting: VecDeque<(SimTime, T)>,
}

impl<T> Delay<T> {
    fn new(takes: Nanos, timer: Timer) -> Self {
        Self { takes, timer, waiting: VecDeque::new() }
    }

    /// Somebody begins to wait. Tells whether that is needed at all.
    pub(super) fn begin(&mut self, who: T, events: &mut EventQueue) -> bool {
        if self.takes == Nanos(0) {
            return false;
        }
        let due = events.now() + self.takes;
        self.waiting.push_back((due, who));
        if self.waiting.len() == 1 {
            events.schedule(due, Event::Timer(self.timer));
        }
        true
    }

    /// The first has waited long enough.
    pub(super) fn end(&mut self, events: &mut EventQueue) -> Option<T> {
        let (_, who) = self.waiting.pop_front()?;
        if let Some((due, _)) = self.waiting.front() {
            events.schedule(*due, Event::Timer(self.timer));
        }
        Some(who)
    }
}

/// Everybody who waits for the controller itself.
#[derive(Debug)]
pub(super) struct Delays {
    pub(super) lookups: Delay<RequestId>,
    pub(super) sums: Delay<JoinId>,
}

impl Delays {
    pub(super) fn new(lookup: Nanos, sum: Nanos) -> Self {
        Self { lookups: Delay::new(lookup, Timer::Lookup), sums: Delay::new(sum, Timer::Sum) }
    }

    /// What a request has taken once its pages have been looked up.
    pub(super) fn of_lookup(&self) -> LatencyAccount {
        let mut spent = LatencyAccount::default();
        spent.charge_queue(self.lookups.takes);
        spent
    }

    pub(super) fn are_over(&self) -> bool {
        self.lookups.waiting.is_empty() && self.sums.waiting.is_empty()
    }
}
