//! Circuits at rest: who goes before them, and how often that hit the writes of each chip. `docs/model.md`, 12.22a.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Priority, Transfer};
use crate::metric::{Metric, Reading};

const PREEMPTIONS: Metric = Metric {
    name: "preemptions",
    unit: "circuits",
    about: "Circuits at rest that were removed, by who matters more or was refused often.",
};
const ELEVATIONS: Metric = Metric {
    name: "elevations",
    unit: "transfers",
    about: "Transfers of low priority that got a circuit by a scout before which circuits at rest give way.",
};
const RESUMED: Metric = Metric {
    name: "circuits_resumed",
    unit: "transfers",
    about: "Transfers that went on over a circuit at rest, without a scout.",
};

/// What a network with priorities counts besides the others.
pub(super) const METRICS: &[Metric] = &[PREEMPTIONS, ELEVATIONS, RESUMED];

/// When a transfer of low priority goes before circuits at rest, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Elevate {
    /// After `elevate_after` failures.
    #[default]
    Constant,
    /// After more of them, the more free blocks its plane has: `elevate_after` where collection starts, once at least,
    /// twice as many at most (GC bypass, section 3.2, gives no formula).
    FreeSpace,
}

/// After how many failures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elevation {
    pub(super) after: u32,
    pub(super) by: Elevate,
}

/// What has become of circuits at rest.
pub(super) struct Rests {
    /// `None` in a network in which nothing rests.
    elevation: Option<Elevation>,
    /// Per chip: scouts of low priority that turned and circuits that were removed, since one was had.
    failures: Box<[u32]>,
    /// Circuits at rest now.
    pub(super) now: [u32; 2],
    pub(super) preemptions: u64,
    pub(super) elevations: u64,
    pub(super) resumed: u64,
}

impl Rests {
    pub(super) fn new(elevation: Option<Elevation>, chips: usize) -> Self {
        let failures = vec![0; if elevation.is_some() { chips } else { 0 }].into();
        Self { elevation, failures, now: [0; 2], preemptions: 0, elevations: 0, resumed: 0 }
    }

    pub(super) fn asks_space(&self) -> bool {
        self.elevation.is_some_and(|elevation| elevation.by == Elevate::FreeSpace)
    }

    /// Whether circuits are kept at all.
    pub(super) fn are_kept(&self) -> bool {
        self.elevation.is_some()
    }

    /// Whether circuits at rest give way to a transfer.
    #[inline]
    pub(super) fn give_way(&self, chip: u32, transfer: &Transfer) -> bool {
        self.elevation.is_some_and(|elevation| {
            transfer.priority > Priority::Low || self.failures[chip as usize] >= elevation.needed(transfer)
        })
    }

    /// A transfer of low priority has turned, or the circuit that it would have taken up was removed.
    pub(super) fn failed(&mut self, chip: u32) {
        self.failures[chip as usize] += 1;
    }

    /// A transfer has its circuit.
    #[inline]
    pub(super) fn succeeded(&mut self, chip: u32, transfer: &Transfer) {
        if self.are_kept() && transfer.priority == Priority::Low {
            self.failures[chip as usize] = 0;
        }
    }

    pub(super) fn readings(&self) -> impl Iterator<Item = Reading> {
        let counted =
            [PREEMPTIONS.is(self.preemptions), ELEVATIONS.is(self.elevations), RESUMED.is(self.resumed)];
        counted.into_iter().take(if self.are_kept() { METRICS.len() } else { 0 })
    }
}

impl Elevation {
    fn needed(self, transfer: &Transfer) -> u32 {
        if self.by == Elevate::Constant {
            return self.after;
        }
        let [after, free, start] = [self.after, transfer.free_blocks, transfer.start_blocks].map(u64::from);
        let nearest = (2 * after * free + start) / (2 * start);
        nearest.clamp(1, 2 * after) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{DieId, JobId};
    use crate::interconnect::Direction;

    #[test]
    fn the_more_free_blocks_the_more_failures_are_borne() {
        let elevation = Elevation { after: 3, by: Elevate::FreeSpace };
        let after = |free_blocks| {
            let transfer = Transfer::new(DieId(0), true, Direction::ToFlash, JobId::NONE);
            elevation.needed(&Transfer { free_blocks, start_blocks: 4, ..transfer })
        };
        assert_eq!([0, 1, 2, 3, 4, 6, 8, 9, 100].map(after), [1, 1, 2, 2, 3, 5, 6, 6, 6]);
    }

    /// Failures add up until a transfer of low priority has its circuit; one that matters more changes nothing.
    #[test]
    fn a_chip_begins_anew_once_a_transfer_got_through() {
        let mut rests = Rests::new(Some(Elevation { after: 2, by: Elevate::Constant }), 2);
        let of_host = Transfer::new(DieId(0), false, Direction::ToFlash, JobId::NONE);
        let low = Transfer { priority: Priority::Low, ..of_host };
        let fails = |rests: &mut Rests| {
            rests.failed(0);
            rests.give_way(0, &low)
        };
        assert!(rests.give_way(0, &of_host) && !rests.give_way(0, &low));
        assert_eq!([fails(&mut rests), fails(&mut rests)], [false, true]);
        assert!(!rests.give_way(1, &low), "each chip has a count of its own");
        rests.succeeded(0, &of_host);
        assert!(rests.give_way(0, &low));
        rests.succeeded(0, &low);
        assert_eq!([fails(&mut rests), fails(&mut rests)], [false, true]);
    }
}
