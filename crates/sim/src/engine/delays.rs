//! What the controller itself takes time for: looking pages up, adding pages of a stripe up, and passing pages through
//! its buffer memory off the channel. Each takes the same time every time and any number at once, so whoever begins
//! first is done first.

use std::collections::VecDeque;

use super::queue::{Event, EventQueue, Timer};
use crate::ids::{JoinId, OpId, RequestId};
use crate::latency::LatencyAccount;
use crate::time::{Nanos, SimTime};

/// Something of the controller that takes a time, and who waits for it.
#[derive(Debug)]
pub(super) struct Delay<T> {
    takes: Nanos,
    timer: Timer,
    timer_is_set: bool,
    waiting: VecDeque<(SimTime, T)>,
}

impl<T> Delay<T> {
    fn new(takes: Nanos, timer: Timer) -> Self {
        Self { takes, timer, timer_is_set: false, waiting: VecDeque::new() }
    }

    /// How long it takes.
    pub(super) fn takes(&self) -> Nanos {
        self.takes
    }

    /// Somebody begins to wait. Tells whether that is needed at all.
    pub(super) fn begin(&mut self, who: T, events: &mut EventQueue) -> bool {
        if self.takes == Nanos(0) {
            return false;
        }
        self.waiting.push_back((events.now() + self.takes, who));
        if !self.timer_is_set {
            self.go_on(events);
        }
        true
    }

    /// The first has waited long enough.
    pub(super) fn end(&mut self, events: &mut EventQueue) -> Option<T> {
        let (_, who) = self.waiting.pop_front()?;
        self.go_on(events);
        Some(who)
    }

    /// Takes the first that has waited long enough, for who takes all that are due at once; [`Self::go_on`] follows.
    pub(super) fn take_due(&mut self, now: SimTime) -> Option<T> {
        self.waiting.pop_front_if(|(due, _)| *due == now).map(|(_, who)| who)
    }

    /// Sets the timer for the one that is first now.
    pub(super) fn go_on(&mut self, events: &mut EventQueue) {
        self.timer_is_set = false;
        if let Some((due, _)) = self.waiting.front() {
            events.schedule(*due, Event::Timer(self.timer));
            self.timer_is_set = true;
        }
    }
}

/// Everybody who waits for the controller itself.
#[derive(Debug)]
pub(super) struct Delays {
    pub(super) lookups: Delay<RequestId>,
    pub(super) sums: Delay<JoinId>,
    pub(super) passages: Delay<OpId>,
}

impl Delays {
    pub(super) fn new(lookup: Nanos, sum: Nanos, passage: Nanos) -> Self {
        Self {
            lookups: Delay::new(lookup, Timer::Lookup),
            sums: Delay::new(sum, Timer::Sum),
            passages: Delay::new(passage, Timer::Passage),
        }
    }

    /// What a request has taken once its pages have been looked up.
    pub(super) fn of_lookup(&self) -> LatencyAccount {
        let mut spent = LatencyAccount::default();
        spent.charge_queue(self.lookups.takes);
        spent
    }

    pub(super) fn are_over(&self) -> bool {
        self.lookups.waiting.is_empty() && self.sums.waiting.is_empty() && self.passages.waiting.is_empty()
    }
}
