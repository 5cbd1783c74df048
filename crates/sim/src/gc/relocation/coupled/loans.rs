//! Pages that were relocated ahead of the collection of their block: does the host overwrite them before that?

use serde::{Deserialize, Serialize};

use crate::flash::Geometry;
use crate::gc::relocation::DriveView;
use crate::ids::{BlockId, Lpn, PlaneId};

/// When a logical page was relocated ahead.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Loan {
    /// The block that it left.
    lender: BlockId,
    /// Erases of that block then: one more, and the block was collected.
    erases: u32,
    /// Jobs that had begun in the plane then.
    jobs: u32,
}

const NO_LOAN: Loan = Loan { lender: BlockId::NONE, erases: 0, jobs: 0 };

/// What is known of blocks that lent pages and were not collected since.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Loans {
    of_page: Vec<Loan>,
    /// Of each plane: jobs that have begun.
    jobs: Vec<u32>,
    /// Of each block, since it was erased: pages lent, and those of them that the host has overwritten or trimmed.
    lent: Vec<u16>,
    changed: Vec<u16>,
    /// Pages lent in all; those changed before their block was collected; those changed before the plane's next job.
    pub(super) counted: [u64; 3],
}

impl Loans {
    /// No page is lent.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() as usize;
        Self {
            of_page: vec![NO_LOAN; geometry.stored_pages as usize],
            jobs: vec![0; geometry.planes() as usize],
            lent: vec![0; blocks],
            changed: vec![0; blocks],
            counted: [0; 3],
        }
    }

    /// A job begins in a plane.
    pub(super) fn job(&mut self, plane: PlaneId) {
        self.jobs[plane.index()] += 1;
    }

    /// A page was relocated out of a block that is not collected yet.
    pub(super) fn lend(&mut self, lpn: Lpn, lender: BlockId, drive: &DriveView<'_>) {
        let jobs = self.jobs[drive.geometry.plane_of(lender).index()];
        self.of_page[lpn.index()] = Loan { lender, erases: drive.blocks.erases(lender), jobs };
        self.lent[lender.index()] += 1;
        self.counted[0] += 1;
    }

    /// The host overwrites or trims a page.
    pub(super) fn end(&mut self, lpn: Lpn, drive: &DriveView<'_>) {
        let Loan { lender, erases, jobs } = self.of_page[lpn.index()];
        if !lender.is_some() {
            return;
        }
        self.of_page[lpn.index()] = NO_LOAN;
        if drive.blocks.erases(lender) != erases {
            return;
        }
        self.changed[lender.index()] += 1;
        self.counted[1] += 1;
        self.counted[2] += u64::from(self.jobs[drive.geometry.plane_of(lender).index()] == jobs);
    }

    /// A block was collected.
    pub(super) fn erased(&mut self, block: BlockId) {
        self.lent[block.index()] = 0;
        self.changed[block.index()] = 0;
    }

    /// Pages that a block still vouches for: lent, and not changed by the host since.
    pub(super) fn unchanged(&self, block: BlockId) -> u32 {
        u32::from(self.lent[block.index()] - self.changed[block.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mini;

    /// What a block has lent counts until the host changes it, or the block is erased.
    #[test]
    fn an_erase_ends_what_a_block_has_lent() {
        let mut loans = Loans::new(&mini());
        (loans.lent[3], loans.changed[3], loans.lent[4]) = (5, 2, 1);
        assert_eq!([3, 4].map(|block| loans.unchanged(BlockId(block))), [3, 1]);
        loans.erased(BlockId(3));
        assert_eq!([3, 4].map(|block| loans.unchanged(BlockId(block))), [0, 1]);
    }
}
