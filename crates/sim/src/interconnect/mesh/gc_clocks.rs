//! Clocks that run while circuits of the collector are in the way of a die.

use super::ways::{Ways, bits};
use crate::time::{Nanos, SimTime};

/// Where the collector shares the controllers, a die reads the clock of the one that it belongs to, which runs during
/// that controller's transfers for collection. Where it has controllers of its own, the clock of its chip: that runs
/// while circuits of theirs have the chip's port or a link of the way from the controller that it belongs to.
pub(super) struct GcClocks {
    /// The clock of each chip.
    of_chip: Box<[u32]>,
    /// Time that each has run when what has begun is over.
    run: Box<[Nanos]>,
    /// End of what has begun.
    end: Box<[SimTime]>,
    /// With controllers of the collector's own: the chips to which each link leads from the controller they belong to,
    /// a bit each, and words of that.
    chips_over: Box<[u64]>,
    words: usize,
    /// Room to add up chips in.
    touched: Box<[u64]>,
}

impl GcClocks {
    /// Clocks for chips that belong to the controllers `own`.
    pub(super) fn new(own: Vec<u32>, controllers: usize, ways: &Ways, apart: bool) -> Self {
        let (chips, words) = (own.len(), own.len().div_ceil(64));
        let clocks = if apart { chips } else { controllers };
        let mut chips_over = Vec::new();
        if apart {
            chips_over.resize(ways.words() * 64 * words, 0_u64);
            for (chip, own) in own.iter().enumerate() {
                for link in bits(ways.mask(*own, chip as u32)) {
                    chips_over[link * words + chip / 64] |= 1 << (chip % 64);
                }
            }
        }
        Self {
            of_chip: if apart { (0..chips as u32).collect() } else { own.into() },
            run: vec![Nanos(0); clocks].into(),
            end: vec![SimTime::ZERO; clocks].into(),
            touched: vec![0; if apart { words } else { 0 }].into(),
            chips_over: chips_over.into(),
            words,
        }
    }

    /// A transfer for collection takes a circuit until `end`.
    pub(super) fn carry(&mut self, now: SimTime, end: SimTime, ways: &Ways, controller: u32, chip: u32) {
        if self.touched.is_empty() {
            self.run_on(now, end, controller as usize);
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched.fill(0);
        touched[chip as usize / 64] |= 1 << (chip % 64);
        for link in bits(ways.mask(controller, chip)) {
            let over = &self.chips_over[link * self.words..][..self.words];
            touched.iter_mut().zip(over).for_each(|(touched, over)| *touched |= over);
        }
        bits(&touched).for_each(|clock| self.run_on(now, end, clock));
        self.touched = touched;
    }

    /// A clock runs until `end`, or for longer if it does already.
    #[inline]
    fn run_on(&mut self, now: SimTime, end: SimTime, clock: usize) {
        let until = self.end[clock].max(now);
        if end > until {
            self.run[clock] += end.since(until);
            self.end[clock] = end;
        }
    }

    /// What the clock of a chip shows.
    #[inline]
    pub(super) fn read(&self, now: SimTime, chip: u32) -> Nanos {
        let clock = self.of_chip[chip as usize] as usize;
        let ahead = self.end[clock].0.saturating_sub(now.0);
        self.run[clock] - Nanos(ahead)
    }
}
