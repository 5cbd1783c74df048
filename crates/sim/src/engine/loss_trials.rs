//! At random moments of an audited run it is tried what the loss of a chip would mean.

use crate::ftl::Ftl;
use crate::losses::Losses;
use crate::random::RandomStream;

/// When that is tried next, and what was found so far.
pub(super) struct LossTrials {
    /// Number of events before the next moment.
    next: u64,
    tried: Option<(RandomStream, u64, Losses)>,
}

impl LossTrials {
    /// Nothing is tried.
    pub(super) const NEVER: Self = Self { next: u64::MAX, tried: None };

    /// Every chip is lost at moments so many events apart on average.
    pub(super) fn new(seed: u64, events_apart: u64) -> Self {
        let stream = RandomStream::new(seed, "losses");
        let mut trials = Self { next: 0, tried: Some((stream, events_apart, Losses::default())) };
        trials.draw_moment();
        trials
    }

    /// Whether it is to be tried after so many events.
    #[inline]
    pub(super) fn are_due(&self, events: u64) -> bool {
        events == self.next
    }

    /// Loses every chip, one after the other.
    #[cold]
    pub(super) fn try_all(&mut self, ftl: &Ftl) {
        if let Some((_, _, losses)) = &mut self.tried {
            losses.try_all(ftl);
        }
        self.draw_moment();
    }

    /// What was found.
    pub(super) fn losses(&self) -> Option<Losses> {
        self.tried.as_ref().map(|(_, _, losses)| *losses)
    }

    fn draw_moment(&mut self) {
        if let Some((stream, apart, _)) = &mut self.tried {
            // Evenly from 1 to twice the average.
            let gap = stream.below((*apart * 2 - 1).clamp(1, u64::from(u32::MAX)) as u32);
            self.next += 1 + u64::from(gap);
        }
    }
}
