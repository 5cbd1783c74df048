//! The same requests several times over, at the same addresses, one round after the other in time; in the same order,
//! or in another in every round.

use super::shuffle::Shuffle;
use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

/// Playing a trace several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatSpec {
    /// How often it is played, at least once.
    pub times: u64,
    /// From the last arrival of one round to the first of the next, in ns; `None` takes the mean gap between the
    /// arrivals of the first round.
    pub gap_ns: Option<u64>,
    /// In every round after the first, requests come in another order, drawn from [`RepeatSpec::STREAM`] of this seed:
    /// each arrives when another did. `None`: every round is the first again.
    pub shuffled_by: Option<u64>,
}

impl RepeatSpec {
    /// The random stream that orders of rounds are drawn from.
    pub const STREAM: &str = "repeat order";

    /// Most rounds of a repeated trace.
    pub const MOST: u64 = 1_000_000;

    pub(super) fn describe(self) -> String {
        let gap = self.gap_ns.map_or("the mean gap".to_owned(), |ns| format!("{ns} ns"));
        let order = self.shuffled_by.map_or_else(String::new, |seed| {
            format!(", the requests of each after the first in another order (seed {seed})")
        });
        format!("played {} times, {gap} between rounds{order}", self.times)
    }

    pub(super) fn fault(self) -> Option<String> {
        let times = self.times;
        (!(1..=Self::MOST).contains(&times))
            .then(|| format!("repeat must be from 1 to {}, not {times}", Self::MOST))
    }
}

type Make = Box<dyn Fn() -> Result<Box<dyn RecordSource>, TraceError> + Send>;

pub(super) struct Repeat {
    name: String,
    make: Make,
    round: Box<dyn RecordSource>,
    rounds_left: u64,
    gap_ns: Option<u64>,
    /// When the present round begins, and whether it is the first.
    begins_ns: u64,
    first: bool,
    /// Last arrival and number of requests of the first round.
    last_ns: u64,
    requests: u64,
    /// Its requests, where they come in another order later; and how many of the present round were played.
    shuffle: Option<Shuffle>,
    played: usize,
}

impl Repeat {
    pub(super) fn new(name: &str, make: Make, spec: RepeatSpec) -> Result<Self, TraceError> {
        let round = make()?;
        Ok(Self {
            name: name.to_owned(),
            make,
            round,
            rounds_left: spec.times - 1,
            gap_ns: spec.gap_ns,
            begins_ns: 0,
            first: true,
            last_ns: 0,
            requests: 0,
            shuffle: spec.shuffled_by.map(|seed| Shuffle::new(seed, RepeatSpec::STREAM)),
            played: 0,
        })
    }

    /// From the last arrival of a round to the first of the next: in a round the gaps are one fewer than requests.
    fn gap(&self) -> u64 {
        self.gap_ns.unwrap_or_else(|| match self.requests {
            0 | 1 => 0,
            requests => self.last_ns / (requests - 1),
        })
    }

    /// Notes the requests of the first round; in later ones, puts others in their places, at the same times.
    fn reorder(&mut self, records: &mut [Record]) -> Result<(), TraceError> {
        let Some(shuffle) = &mut self.shuffle else { return Ok(()) };
        if self.first {
            return shuffle.add(&self.name, records);
        }
        for record in records {
            *record = shuffle.record(self.played, record.time_ns).ok_or_else(|| TraceError::Records {
                name: self.name.clone(),
                reason: "has more requests than when it was read first: it was changed meanwhile".to_owned(),
            })?;
            self.played += 1;
        }
        Ok(())
    }
}

impl RecordSource for Repeat {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let start = out.len();
        while self.round.fill(out, max)? == 0 {
            if max == 0 || self.rounds_left == 0 {
                return Ok(0);
            }
            self.rounds_left -= 1;
            let length_ns = self.last_ns.saturating_add(self.gap());
            self.begins_ns = self.begins_ns.checked_add(length_ns).ok_or_else(|| TraceError::Records {
                name: self.name.clone(),
                reason: "so many rounds last longer than 64 bits of nanoseconds can say".to_owned(),
            })?;
            self.round = (self.make)()?;
            self.first = false;
            self.played = 0;
            if let Some(shuffle) = &mut self.shuffle {
                shuffle.shuffle();
            }
        }
        self.reorder(&mut out[start..])?;
        for record in &mut out[start..] {
            if self.first {
                self.last_ns = record.time_ns;
                self.requests += 1;
            }
            record.time_ns = record.time_ns.saturating_add(self.begins_ns);
        }
        Ok(out.len() - start)
    }

    /// The bad lines of one round: every round has the same.
    fn bad_lines(&self) -> BadLines {
        self.round.bad_lines()
    }

    fn clock(&self) -> Option<Clock> {
        self.round.clock()
    }
}
