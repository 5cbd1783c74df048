//! When the power is cut, and what that would have destroyed so far.

use crate::ids::Ppn;
use crate::metric::figures;
use crate::random::RandomStream;

figures! {
    /// What power cuts at random instants of the measured part would have destroyed; null without
    /// `measure.power_cut_every`. An operation under way counts as not done, an erase under way as done. A page is
    /// acknowledged when its program has ended, and lost if no page of flash, valid or not, holds that version or a
    /// newer one. A capacitor that lets the controller program its buffers saves all of these pages.
    #[derive(Default, Eq)]
    pub struct PowerCutResult {
        /// Instants looked at.
        cuts: u64 => "cuts",
        /// Those at which an acknowledged page would have been lost.
        losing_cuts: u64 => "cuts",
        /// Pages that were in the collector's buffer only, because their block was erased: over all cuts.
        collector_pages: u64 => "pages",
        /// The most of them at one cut.
        max_collector_pages: u32 => "pages",
        /// Pages that the host was overwriting: the copy in flash was erased before its successor was programmed. Over
        /// all cuts.
        replaced_pages: u64 => "pages",
        /// The most of them at one cut.
        max_replaced_pages: u32 => "pages",
        /// Stripes that were torn: some pages of a write of theirs had been programmed, others not. Taking the newest
        /// of every page, a controller would find a parity that does not fit. Over all cuts.
        torn_stripes: u64 => "stripes",
        /// The most of them at one cut.
        max_torn_stripes: u32 => "stripes",
        /// Trimmed pages of stripes that a controller finds again, because it learns of trims from parity alone. Over
        /// all cuts.
        revived_pages: u64 => "pages",
    }
}

/// When the power is cut next, and what that destroyed so far.
pub(super) struct PowerCuts {
    every: u32,
    stream: RandomStream,
    /// The number of the event after which the next one comes.
    pub(super) next: u64,
    /// First pages of the blocks that are being erased.
    pub(super) erasing: Vec<Ppn>,
    pub(super) result: PowerCutResult,
}

impl PowerCuts {
    /// Cuts so many events apart on the average.
    pub(super) fn new(every: u32, seed: u64) -> Self {
        let stream = RandomStream::new(seed, "power cuts");
        let mut cuts =
            Self { every, stream, next: 0, erasing: Vec::new(), result: PowerCutResult::default() };
        cuts.draw();
        cuts
    }

    /// From one event to twice the mean less one, all equally likely.
    pub(super) fn draw(&mut self) {
        self.next += 1 + u64::from(self.stream.below(2 * self.every - 1));
    }
}
