//! What policies that a user writes see of candidates, quantity by quantity: `score` in numbers, `python` in arrays.

use serde::Serialize;

use super::BlockView;
use crate::flash::{Geometry, Timing};
use crate::ids::{BlockId, PlaneId};

/// Something known of every candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Number of pages that hold valid data.
    Valid,
    /// Number of pages that do not.
    Invalid,
    /// How often the block was erased.
    Erases,
    /// Pages programmed on the drive since the block was sealed or lost a page, that one included.
    Age,
    /// Pages programmed on the drive since the block was sealed, the last one of it included.
    SinceSealed,
    /// Valid pages of a level, 0 the fastest.
    OfLevel(u32),
}

/// What is kept of blocks beside what the drive knows, and how candidates are looked at.
pub struct Candidates {
    /// Which pages of a block are of each level, a bit for each page; empty where there is one level, or nobody
    /// asks.
    of_level: Box<[Box<[u64]>]>,
    /// *Programmed* at the last change of each block; empty where nobody asks for ages.
    changed_at: Vec<u64>,
}

impl Candidates {
    /// For a drive: what is kept is what `needs` asks for.
    pub fn new(geometry: &Geometry, timing: &Timing, needs: impl Fn(Quantity) -> bool) -> Self {
        let (pages, levels) = (geometry.pages_per_block, timing.by_level().len() as u32);
        // Of one level are all that are valid.
        let counted = levels > 1 && (0..levels).any(|level| needs(Quantity::OfLevel(level)));
        let words = |level| {
            let word = |first: u32| {
                let pages = (first..pages.min(first + 64)).filter(|page| timing.level(*page) == level);
                pages.fold(0, |word, page| word | 1 << (page - first))
            };
            (0..pages).step_by(64).map(word).collect()
        };
        Self {
            of_level: if counted { (0..levels).map(words).collect() } else { Box::default() },
            changed_at: vec![0; if needs(Quantity::Age) { geometry.blocks() as usize } else { 0 }],
        }
    }

    /// Calls `each` with the candidates of a plane, the lowest number first: sealed blocks that win at least a page.
    // Not an iterator: as a chain of those it took three times as long.
    #[inline]
    pub fn each_of_plane(plane: PlaneId, view: &BlockView<'_>, mut each: impl FnMut(BlockId)) {
        let first = view.geometry.first_block(plane);
        view.blocks.each_sealed(first, view.geometry.blocks_per_plane, |block, valid| {
            if view.geometry.reclaimable(valid) > 0 {
                each(block);
            }
        });
    }

    /// A quantity of a block.
    #[inline]
    pub fn of(&self, quantity: Quantity, block: BlockId, view: &BlockView<'_>) -> u64 {
        match quantity {
            Quantity::Valid => u64::from(view.blocks.valid(block)),
            Quantity::Invalid => u64::from(view.geometry.pages_per_block - view.blocks.valid(block)),
            Quantity::Erases => u64::from(view.blocks.erases(block)),
            Quantity::Age => view.programmed - self.changed_at[block.index()] + 1,
            Quantity::SinceSealed => view.programmed - view.blocks.sealed_at(block) + 1,
            Quantity::OfLevel(level) => match self.of_level.get(level as usize) {
                // Counted when it is asked for: whoever hears of every page makes each relocation slower.
                Some(pages) => u64::from(view.map.count_valid(view.geometry.page(block, 0), pages)),
                None => u64::from(view.blocks.valid(block)),
            },
        }
    }

    /// A quantity of many blocks, each so far from `first`.
    pub fn of_each(
        &self,
        quantity: Quantity,
        (first, blocks): (BlockId, &[i64]),
        view: &BlockView<'_>,
        values: &mut [i64],
    ) {
        let pairs = blocks.iter().map(|offset| BlockId(first.0 + offset.cast_unsigned() as u32)).zip(values);
        // Which quantity it is is told outside the loop: asked for every block, it takes most of the time.
        match quantity {
            Quantity::Valid => write(pairs, |block| self.of(Quantity::Valid, block, view)),
            Quantity::Erases => write(pairs, |block| self.of(Quantity::Erases, block, view)),
            Quantity::Age => write(pairs, |block| self.of(Quantity::Age, block, view)),
            Quantity::SinceSealed => write(pairs, |block| self.of(Quantity::SinceSealed, block, view)),
            other => write(pairs, |block| self.of(other, block, view)),
        }
    }

    /// A block was sealed, or lost a page as a candidate.
    #[inline]
    pub fn changed(&mut self, block: BlockId, view: &BlockView<'_>) {
        if let Some(at) = self.changed_at.get_mut(block.index()) {
            *at = view.programmed;
        }
    }

    /// What its answers depend on beside the drive's dimensions: which page is of which level.
    pub fn depends_on(&self) -> String {
        format!("{:?}", self.of_level)
    }

    /// What is kept, for a snapshot.
    pub fn save(&self) -> impl Serialize + '_ {
        &self.changed_at
    }

    /// Take up what was kept on such a drive.
    pub fn load(&mut self, bytes: &[u8]) -> bool {
        super::support::from_bytes(&mut self.changed_at, bytes)
    }
}

fn write<'v>(pairs: impl Iterator<Item = (BlockId, &'v mut i64)>, value: impl Fn(BlockId) -> u64) {
    for (block, into) in pairs {
        *into = value(block).cast_signed();
    }
}
