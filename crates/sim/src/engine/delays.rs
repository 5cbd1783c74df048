//! What the controller itself takes time for: looking pages up, adding pages of a stripe up, and passing pages through
//! its buffer memory off the channel. Each takes the same time every time and any number at once, so whoever begins
//! first is done first.

use std::collections::VecDeque;

use super::event_queue::{Event, EventQueue, Timer};
use crate::ids::{JoinId, OpId, RequestId};
use crate::latency::LatencyAccount;
use crate::settings::ControllerConfig;
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
        let needed = self.takes != Nanos(0);
        if needed {
            self.begin_until(events.now() + self.takes, who, events);
        }
        needed
    }

    /// Somebody waits until then, which is no sooner than whoever waits already.
    fn begin_until(&mut self, due: SimTime, who: T, events: &mut EventQueue) {
        self.waiting.push_back((due, who));
        if !self.timer_is_set {
            self.go_on(events);
        }
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

/// The controller's cores, each of which takes one command at a time, in the order in which they came.
#[derive(Debug)]
pub(super) struct Cores {
    /// Requests, and since when they have been there.
    commands: Delay<(RequestId, SimTime)>,
    /// When each core is done with what it has got, soonest first.
    free_at: VecDeque<SimTime>,
}

impl Cores {
    fn new(command: Nanos, cores: u32) -> Self {
        let free_at = std::iter::repeat_n(SimTime::ZERO, cores as usize).collect();
        Self { commands: Delay::new(command, Timer::Command), free_at }
    }

    /// A request comes. Tells whether it takes any time.
    #[inline]
    pub(super) fn begin(&mut self, id: RequestId, events: &mut EventQueue) -> bool {
        self.commands.takes != Nanos(0) && self.queue(id, events)
    }

    #[cold]
    fn queue(&mut self, id: RequestId, events: &mut EventQueue) -> bool {
        let now = events.now();
        let free = self.free_at.pop_front().unwrap_or(now);
        let due = free.max(now) + self.commands.takes;
        self.free_at.push_back(due);
        self.commands.begin_until(due, (id, now), events);
        true
    }

    /// A core is done with the first; which that was, and how long it has been there.
    pub(super) fn end(&mut self, events: &mut EventQueue) -> Option<(RequestId, Nanos)> {
        let now = events.now();
        self.commands.end(events).map(|(id, since)| (id, now.since(since)))
    }
}

/// Everybody who waits for the controller itself.
#[derive(Debug)]
pub(super) struct Delays {
    cores: Cores,
    pub(super) lookups: Delay<(RequestId, Nanos)>,
    pub(super) sums: Delay<JoinId>,
    pub(super) passages: Delay<OpId>,
    /// How long the cores had the request that is being split.
    at_cores: Nanos,
}

impl Delays {
    pub(super) fn new(controller: &ControllerConfig, sum: Nanos, passage: Nanos) -> Self {
        let lookup = controller.lookup.0;
        let command = controller.command.map_or(Nanos(0), |command| command.0);
        Self {
            cores: Cores::new(command, controller.cores.unwrap_or(1)),
            at_cores: Nanos(0),
            lookups: Delay::new(lookup, Timer::Lookup),
            sums: Delay::new(sum, Timer::Sum),
            passages: Delay::new(passage, Timer::Passage),
        }
    }

    /// The cores.
    #[inline]
    pub(super) fn cores(&mut self) -> &mut Cores {
        &mut self.cores
    }

    /// A request is about to be split that the cores had so long.
    #[inline]
    pub(super) fn note_at_cores(&mut self, time: Nanos) {
        self.at_cores = time;
    }

    /// What a request has taken once its pages have been looked up.
    pub(super) fn of_lookup(&self) -> LatencyAccount {
        let mut spent = LatencyAccount::default();
        spent.charge_queue(self.at_cores + self.lookups.takes);
        spent
    }

    /// Whether anything takes any time.
    pub(super) fn take_time(&self) -> bool {
        let Self { cores, lookups, sums, passages, .. } = self;
        [cores.commands.takes, lookups.takes, sums.takes, passages.takes]
            .iter()
            .any(|takes| *takes != Nanos(0))
    }

    pub(super) fn are_over(&self) -> bool {
        self.cores.commands.waiting.is_empty()
            && self.lookups.waiting.is_empty()
            && self.sums.waiting.is_empty()
            && self.passages.waiting.is_empty()
    }
}
