//! The power is cut at random instants of a run that goes on.

use super::die::Phase;
use super::drive::Drive;
use super::ops::OpKind;
use super::power_cuts::PowerCutResult;
use crate::ids::{OpId, Ppn};

impl Drive {
    /// The number of the event after which the power is cut next.
    pub(super) fn next_power_cut(&self) -> u64 {
        self.power_cuts.as_ref().map_or(u64::MAX, |cuts| cuts.next)
    }

    /// The power is cut: count what that destroys, and go on.
    ///
    /// # Errors
    /// When a page is lost that a capacitor would not save, or a stripe comes back otherwise than it was acknowledged:
    /// a bug in Reclaim.
    #[cold]
    pub(super) fn cut_power(&mut self) -> Result<u64, String> {
        let Some(mut cuts) = self.power_cuts.take() else { return Ok(u64::MAX) };
        cuts.draw();
        if self.measuring.has_begun() {
            cuts.erasing.clear();
            for die in self.dies.iter() {
                if die.phase == Phase::Array {
                    self.note_erases(die.active_ops, &mut cuts.erasing);
                }
                if let Some(suspended) = &die.suspended {
                    self.note_erases(suspended.active_ops, &mut cuts.erasing);
                }
            }
            let lost = self.ftl.lost_by_power_cut(&cuts.erasing);
            if let Some(breach) = lost.breach {
                return Err(breach);
            }
            let stripes = self.ftl.recover_stripes(&cuts.erasing)?;
            let result = &mut cuts.result;
            result.cuts += 1;
            result.losing_cuts += u64::from(lost.collector_pages + lost.replaced_pages > 0);
            result.collector_pages += u64::from(lost.collector_pages);
            result.max_collector_pages = result.max_collector_pages.max(lost.collector_pages);
            result.replaced_pages += u64::from(lost.replaced_pages);
            result.max_replaced_pages = result.max_replaced_pages.max(lost.replaced_pages);
            result.torn_stripes += u64::from(stripes.torn_stripes);
            result.max_torn_stripes = result.max_torn_stripes.max(stripes.torn_stripes);
            result.revived_pages += u64::from(stripes.revived_pages);
        }
        let next = cuts.next;
        self.power_cuts = Some(cuts);
        Ok(next)
    }

    fn note_erases(&self, first: OpId, erasing: &mut Vec<Ppn>) {
        let mut id = first;
        while id.is_some() {
            let op = &self.ops[id];
            if op.kind == OpKind::Erase {
                erasing.push(op.ppn);
            }
            id = op.next;
        }
    }

    /// What the cuts destroyed, if there were any.
    pub(crate) fn power_cut_result(&self) -> Option<PowerCutResult> {
        self.power_cuts.as_ref().map(|cuts| cuts.result.clone())
    }
}
