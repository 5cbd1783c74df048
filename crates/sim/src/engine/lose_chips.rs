//! At random moments of an audited run it is tried what the loss of a chip would mean.

use super::drive::Drive;
use super::loss_trials::LossTrials;
use crate::losses::Losses;
use crate::random::RandomStream;

impl Drive {
    /// Lose every chip at moments so many events apart on average.
    pub(crate) fn lose_chips(&mut self, events_apart: u64) {
        let stream = RandomStream::new(self.config.seed, "losses");
        self.loss_trials = LossTrials { next: 0, trials: Some((stream, events_apart, Losses::default())) };
        self.draw_moment();
    }

    /// What was found.
    pub(crate) fn losses(&self) -> Option<Losses> {
        self.loss_trials.trials.as_ref().map(|(_, _, losses)| *losses)
    }

    fn draw_moment(&mut self) {
        if let Some((stream, apart, _)) = &mut self.loss_trials.trials {
            // Evenly from 1 to twice the average.
            let gap = stream.below((*apart * 2 - 1).clamp(1, u64::from(u32::MAX)) as u32);
            self.loss_trials.next += 1 + u64::from(gap);
        }
    }

    #[cold]
    pub(super) fn try_losses(&mut self) {
        if let Some((_, _, losses)) = &mut self.loss_trials.trials {
            losses.try_all(&self.ftl);
        }
        self.draw_moment();
    }
}
