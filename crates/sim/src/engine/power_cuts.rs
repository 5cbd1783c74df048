//! The power is cut at random instants of a run that goes on: what that would have destroyed.

use super::dies::Dies;
use super::ops::{OpArena, OpKind};
use crate::ftl::Ftl;
use crate::ids::{OpId, Ppn};
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
        /// Stripes of which some pages of a write were programmed and others not, so that parity does not fit the
        /// newest pages. Over all cuts.
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
    next: u64,
    /// First pages of the blocks that are being erased.
    erasing: Vec<Ppn>,
    result: PowerCutResult,
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

    /// The number of the event after which the power is cut next.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// What the cuts destroyed.
    pub(super) fn result(&self) -> PowerCutResult {
        self.result.clone()
    }

    /// The power is cut: what that destroys is counted, if it `counts`, and the run goes on.
    ///
    /// # Errors
    /// When a page is lost that a capacitor would not save, or a stripe comes back otherwise than it was acknowledged:
    /// a bug in Reclaim.
    pub(super) fn cut(
        &mut self,
        dies: &Dies,
        ops: &OpArena,
        ftl: &mut Ftl,
        counts: bool,
    ) -> Result<(), String> {
        self.draw();
        if !counts {
            return Ok(());
        }
        self.erasing.clear();
        for die in dies.iter() {
            die.interrupted().into_iter().for_each(|first| self.note_erases(first, ops));
        }
        let lost = ftl.lost_by_power_cut(&self.erasing);
        if let Some(breach) = lost.breach {
            return Err(breach);
        }
        let stripes = ftl.recover_stripes(&self.erasing)?;
        let result = &mut self.result;
        result.cuts += 1;
        result.losing_cuts += u64::from(lost.collector_pages + lost.replaced_pages > 0);
        result.collector_pages += u64::from(lost.collector_pages);
        result.max_collector_pages = result.max_collector_pages.max(lost.collector_pages);
        result.replaced_pages += u64::from(lost.replaced_pages);
        result.max_replaced_pages = result.max_replaced_pages.max(lost.replaced_pages);
        result.torn_stripes += u64::from(stripes.torn_stripes);
        result.max_torn_stripes = result.max_torn_stripes.max(stripes.torn_stripes);
        result.revived_pages += u64::from(stripes.revived_pages);
        Ok(())
    }

    fn note_erases(&mut self, first: OpId, ops: &OpArena) {
        let mut id = first;
        while id.is_some() {
            let op = &ops[id];
            if op.kind == OpKind::Erase {
                self.erasing.push(op.ppn);
            }
            id = op.next;
        }
    }

    /// From one event to twice the mean less one, all equally likely.
    fn draw(&mut self) {
        self.next += 1 + u64::from(self.stream.below(2 * self.every - 1));
    }
}
