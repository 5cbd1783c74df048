//! What policies that a user writes see of candidates, quantity by quantity: `score` in numbers, `python` in arrays.

use serde::{Deserialize, Serialize};

use super::BlockView;
use crate::flash::{Geometry, Timing};
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::mapping::BlockState;

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
    levels: u32,
    /// Level of each page of a block; empty where levels are not counted.
    level_of: Box<[u32]>,
    kept: Kept,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    /// *Programmed* at the last change of each block; empty where nobody asks for ages.
    changed_at: Vec<u64>,
    /// Valid pages of each block by level; empty where they are not counted.
    of_level: Vec<u32>,
}

impl Candidates {
    /// For a drive: what is kept is what `needs` asks for.
    pub fn new(geometry: &Geometry, timing: &Timing, needs: impl Fn(Quantity) -> bool) -> Self {
        let (blocks, levels) = (geometry.blocks() as usize, timing.by_level().len() as u32);
        let counted = (0..levels).any(|level| needs(Quantity::OfLevel(level)));
        let pages = if counted { geometry.pages_per_block } else { 0 };
        let kept = Kept {
            changed_at: vec![0; if needs(Quantity::Age) { blocks } else { 0 }],
            of_level: vec![0; if counted { blocks * levels as usize } else { 0 }],
        };
        Self { levels, level_of: (0..pages).map(|page| timing.level(page)).collect(), kept }
    }

    /// Number of page levels.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The candidates of a plane, the lowest number first: sealed blocks that win at least a page.
    pub fn of_plane<'v>(plane: PlaneId, view: &'v BlockView<'_>) -> impl Iterator<Item = BlockId> + 'v {
        let first = view.geometry.first_block(plane).0;
        (first..first + view.geometry.blocks_per_plane).map(BlockId).filter(|block| {
            view.blocks.state(*block) == BlockState::Sealed
                && view.geometry.reclaimable(view.blocks.valid(*block)) > 0
        })
    }

    /// A quantity of a block.
    #[inline]
    pub fn of(&self, quantity: Quantity, block: BlockId, view: &BlockView<'_>) -> u64 {
        match quantity {
            Quantity::Valid => u64::from(view.blocks.valid(block)),
            Quantity::Invalid => u64::from(view.geometry.pages_per_block - view.blocks.valid(block)),
            Quantity::Erases => u64::from(view.blocks.erases(block)),
            Quantity::Age => view.programmed - self.kept.changed_at[block.index()] + 1,
            Quantity::SinceSealed => view.programmed - view.blocks.sealed_at(block) + 1,
            Quantity::OfLevel(level) => u64::from(self.kept.of_level[self.counter(block, level)]),
        }
    }

    fn counter(&self, block: BlockId, level: u32) -> usize {
        block.index() * self.levels as usize + level as usize
    }

    /// A block was sealed, or lost a page as a candidate.
    #[inline]
    pub fn changed(&mut self, block: BlockId, view: &BlockView<'_>) {
        if let Some(at) = self.kept.changed_at.get_mut(block.index()) {
            *at = view.programmed;
        }
    }

    /// Events to be told of.
    pub fn listens(&self) -> BlockEvents {
        if self.level_of.is_empty() {
            BlockEvents::NONE
        } else {
            BlockEvents::PROGRAMMED.and(BlockEvents::INVALIDATED)
        }
    }

    /// One of them.
    pub fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) {
        let level = |page: Ppn| self.level_of[view.geometry.page_in_block(page) as usize];
        match event {
            BlockEvent::Programmed(page) => {
                let counter = self.counter(block, level(page));
                self.kept.of_level[counter] += 1;
            }
            BlockEvent::Invalidated(page) => {
                let counter = self.counter(block, level(page));
                self.kept.of_level[counter] -= 1;
            }
            BlockEvent::Sealed | BlockEvent::Removed | BlockEvent::Erased => {}
        }
    }

    /// What that depends on beside the needs and the drive's dimensions: which page is of which level.
    pub fn depends_on(&self) -> String {
        format!("{:?}", self.level_of)
    }

    /// What is kept, for a snapshot.
    pub fn save(&self) -> impl Serialize + '_ {
        &self.kept
    }

    /// Take up what was kept on such a drive.
    pub fn load(&mut self, bytes: &[u8]) -> bool {
        super::support::from_bytes(&mut self.kept, bytes)
    }
}
