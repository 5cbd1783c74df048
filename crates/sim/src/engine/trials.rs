//! What is tried at random moments of a run that goes on: the power is cut, chips are lost.

use super::dies::Dies;
use super::ops::OpArena;
use super::power_cuts::{PowerCutResult, PowerCuts};
use crate::ftl::Ftl;
use crate::losses::Losses;
use crate::random::RandomStream;
use crate::settings::Config;

/// When each is tried next, and what was found so far.
pub(super) struct Trials {
    power_cuts: Option<Box<PowerCuts>>,
    chip_losses: LossTrials,
}

impl Trials {
    /// Those that the configuration asks for.
    pub(super) fn new(config: &Config) -> Self {
        let cuts = |every| Box::new(PowerCuts::new(every, config.seed));
        Self { power_cuts: config.measure.power_cut_every.map(cuts), chip_losses: LossTrials::NEVER }
    }

    /// From now on every chip is lost, on trial, at moments so many events apart on average.
    pub(super) fn lose_chips(&mut self, seed: u64, events_apart: u64) {
        self.chip_losses = LossTrials::new(seed, events_apart);
    }

    /// Whether anything is ever tried.
    pub(super) fn any(&self) -> bool {
        self.power_cuts.is_some() || self.chip_losses.losses().is_some()
    }

    /// So many events have happened: what is due is tried. Power cuts count if the run `counts`.
    ///
    /// # Errors
    /// When a page is lost that must not be: a bug in Reclaim.
    pub(super) fn after_event(
        &mut self,
        events: u64,
        (dies, ops): (&Dies, &OpArena),
        ftl: &mut Ftl,
        counts: bool,
    ) -> Result<(), String> {
        if self.chip_losses.are_due(events) {
            self.chip_losses.try_all(ftl);
        }
        match &mut self.power_cuts {
            Some(cuts) if cuts.next() == events => cuts.cut(dies, ops, ftl, counts),
            _ => Ok(()),
        }
    }

    /// What the loss of chips would have meant.
    pub(super) fn losses(&self) -> Option<Losses> {
        self.chip_losses.losses()
    }

    /// What power cuts would have destroyed, if there were any.
    pub(super) fn power_cuts(&self) -> Option<PowerCutResult> {
        self.power_cuts.as_ref().map(|cuts| cuts.result())
    }
}

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
