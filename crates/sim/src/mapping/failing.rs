//! Blocks that fail: each bears so many erases, by a table over erases, and after its last one is free no more.

use super::blocks::{BlockState, BlockTable};
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};
use crate::settings::{Config, FailedBlocks, Ratio};

/// How long each block lives, and how many have failed.
#[derive(Debug)]
pub struct Failing {
    /// By block: the erase after which it fails; where planes share superblocks, that of the first part to fail.
    lives: Box<[u32]>,
    /// By plane: how many of its blocks have failed.
    failed: Box<[u32]>,
    /// So many blocks of each plane may fail.
    most: u32,
    /// As many have in one.
    worn_out: bool,
}

/// The erase after which a block fails that was drawn from so many millionths.
fn life(rows: &[FailedBlocks], drawn: u32) -> u32 {
    let mut before = (0, 0);
    for row in rows {
        let (erases, failed) = (row.erases, row.failed.ppm);
        if failed > drawn {
            let (from, share) = before;
            let along = u64::from(drawn - share) * u64::from(erases - from) / u64::from(failed - share);
            return from + along as u32 + 1;
        }
        before = (erases, failed);
    }
    u32::MAX
}

impl Failing {
    /// Of a drive whose blocks have not failed yet, of each plane of which so many may; nothing where none do.
    pub(crate) fn new(config: &Config, geometry: &Geometry, most: impl FnOnce() -> u32) -> Option<Box<Self>> {
        let rows = &config.flash.endurance.failures;
        if rows.is_empty() {
            return None;
        }
        let mut random = BuildContext::new(config, geometry).stream("endurance");
        let blocks = (0..geometry.blocks()).map(BlockId);
        // Blocks of an SLC cache bear what they must.
        let mut drawn =
            |block| if geometry.is_cache_block(block) { None } else { Some(random.below(Ratio::WHOLE.ppm)) };
        let lives = blocks.map(|block| drawn(block).map_or(u32::MAX, |drawn| life(rows, drawn)));
        let mut lives: Box<[u32]> = lives.collect();
        if geometry.superblock_planes > 1 {
            for superblock in (0..geometry.of_superblocks().blocks()).map(BlockId) {
                let parts = || geometry.parts_of(superblock);
                let least = parts().map(|part| lives[part.index()]).min().unwrap_or(u32::MAX);
                parts().for_each(|part| lives[part.index()] = least);
            }
        }
        Some(Box::new(Self {
            lives,
            failed: vec![0; geometry.planes() as usize].into(),
            most: most(),
            worn_out: false,
        }))
    }

    /// Blocks of a plane that has a block to spare: those fail, if they can still, that were erased so often as they
    /// bear. Tells whether this one does.
    pub(crate) fn fails(&mut self, plane: PlaneId, block: BlockId, erases: u32) -> bool {
        let failed = &mut self.failed[plane.index()];
        let fails = erases >= self.lives[block.index()] && *failed < self.most;
        *failed += u32::from(fails);
        self.worn_out |= *failed == self.most;
        fails
    }

    /// What has failed of a drive that is taken over.
    ///
    /// # Errors
    /// How many have failed in a plane where more have than may, which other policies could do without.
    pub(crate) fn recount(&mut self, geometry: &Geometry, blocks: &BlockTable) -> Result<(), u32> {
        self.failed.fill(0);
        for block in (0..geometry.blocks()).map(BlockId) {
            let failed = blocks.state(block) == BlockState::Failed;
            self.failed[geometry.plane_of(block).index()] += u32::from(failed);
        }
        let most = self.failed.iter().copied().max().unwrap_or(0);
        self.worn_out = most >= self.most;
        if most > self.most { Err(most) } else { Ok(()) }
    }

    /// Whether erases alone can wear the drive out: as many blocks of a plane have an end as may fail.
    pub(crate) fn can_wear_out(&self, geometry: &Geometry) -> bool {
        let of_plane = self.lives.chunks_exact(geometry.blocks_per_plane as usize);
        of_plane
            .into_iter()
            .any(|lives| lives.iter().filter(|life| **life < u32::MAX).count() as u32 >= self.most)
    }

    /// Number of blocks that have failed.
    pub(crate) fn failed(&self) -> u32 {
        self.failed.iter().sum()
    }

    /// Whether as many have in a plane as may.
    #[inline]
    pub(crate) fn is_worn_out(&self) -> bool {
        self.worn_out
    }

    /// Of the blocks of a plane that may fail those that have not, in the plane with fewest; and how many may.
    pub(crate) fn spare(&self) -> (u32, u32) {
        (self.most.saturating_sub(self.failed.iter().copied().max().unwrap_or(0)), self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None before the tenth erase, a tenth of the blocks by the twentieth, half of them by the thirtieth, no others.
    #[test]
    fn a_share_grows_from_row_to_row() {
        let rows = [(10, 0), (20, 100_000), (30, 500_000)]
            .map(|(erases, ppm)| FailedBlocks { erases, failed: Ratio { ppm } });
        let of = |drawn| life(&rows, drawn);
        assert_eq!([of(0), of(9_999), of(10_000), of(99_999)], [11, 11, 12, 20]);
        assert_eq!([of(100_000), of(139_999), of(140_000), of(499_999)], [21, 21, 22, 30]);
        assert_eq!([of(500_000), of(999_999)], [u32::MAX; 2]);
        // From nothing to the first row.
        let rows = [FailedBlocks { erases: 4, failed: Ratio::WHOLE }];
        assert_eq!([0, 249_999, 250_000, 999_999].map(|drawn| life(&rows, drawn)), [1, 1, 2, 4]);
    }
}
