//! How far a simulation has got, as its caller is told.

use std::fmt;

/// How far a simulation has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// `scan`, `time scale`, `fill`, `warm-up`, `run` or `audit`.
    pub phase: &'static str,
    /// Where in a phase that ends when something has become steady.
    pub round: Option<Round>,
    /// Pages written while filling or overwriting; requests played in a warm-up with the trace, and in the run.
    pub done: u64,
    /// The same in all: with a `round`, the most that it can become. 0 while the trace is read, and in the audit.
    pub total: u64,
    /// Instant of the last event, ns after the start of the timed run; 0 in the other phases.
    pub simulated_ns: u64,
}

/// A round of a phase whose end nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// What each is: `round` of overwriting, `play` of the trace, or `run` that looks for a time scale.
    pub what: &'static str,
    /// Which of them goes on, counted from 1; 0 before the first.
    pub number: u64,
    /// How many there can be; it only shrinks as more becomes known.
    pub most: u64,
}

impl Progress {
    /// In a phase without time, whose rounds nobody counts.
    pub(crate) const fn of(phase: &'static str, done: u64, total: u64) -> Self {
        Self { phase, round: None, done, total, simulated_ns: 0 }
    }

    /// The same as a part of a phase that runs more than once; simulated time is that of the timed run alone.
    pub(crate) fn as_part_of(self, phase: &'static str, round: Round) -> Self {
        Self { phase, round: Some(round), simulated_ns: 0, ..self }
    }
}

/// The phase in words: `warm-up, round 3 of at most 40`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.round {
            None => f.write_str(self.phase),
            Some(Round { what, number: 0, most }) => {
                write!(f, "{}, filling before at most {most} {what}s", self.phase)
            }
            Some(Round { what, number, most }) => {
                write!(f, "{}, {what} {number} of at most {most}", self.phase)
            }
        }
    }
}
