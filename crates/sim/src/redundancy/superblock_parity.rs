//! Parity over the dies of a superblock, as enterprise drives keep it: the same page of all planes of one number has
//! its sum on a die that changes from superblock to superblock. Pages of a superblock are written and erased together,
//! so that nothing is read before a write, and no parity is ever replaced.

use super::{Build, Redundancy};
use crate::flash::SUPERBLOCK_PARITY;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, NoParameters, ParameterSpec};
use crate::settings::Superblock;

const METRICS: &[Metric] = &[
    Metric { name: "parity_rows", unit: "rows", about: "Rows of superblocks that were complete." },
    Metric {
        name: "open_rows",
        unit: "rows",
        about: "Rows begun and not complete when each of those was, itself among them, added up: divided by \
                parity_rows, the pages of parity that the controller holds in the mean.",
    },
];

pub const MEMBER: Member<Build> = Member {
    name: SUPERBLOCK_PARITY,
    about: "a page of parity for every row of a superblock, on another die in each superblock",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[Conflict {
        key: "ftl.superblock",
        with: &["ftl.superblock = plane or die"],
        why: "superblock-parity: parity lies on another die than what it protects, and superblocks of one \
              die have none; use ftl.superblock = \"channel\" or \"drive\"",
        applies: |config| matches!(config.ftl.superblock(), Superblock::Plane | Superblock::Die),
    }],
    metrics: METRICS,
    build: |_, _| Ok(Box::new(SuperblockParity { counted: [0; METRICS.len()] })),
};

struct SuperblockParity {
    /// In the order in which they are declared.
    counted: [u64; METRICS.len()],
}

impl Redundancy for SuperblockParity {
    fn note_row(&mut self, open: u32) {
        self.counted[0] += 1;
        self.counted[1] += u64::from(open);
    }

    fn metrics(&self) -> Vec<Reading> {
        METRICS.iter().zip(self.counted).map(|(metric, count)| metric.is(count)).collect()
    }
}
