//! Per-plane space: free blocks, and which pages are reserved for whom.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::ids::BlockId;

/// Erased blocks of a plane.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum FreeBlocks {
    /// Freed first, opened first.
    Fifo(VecDeque<BlockId>),
    /// Least-erased first (dynamic wear levelling), lowest number among equals.
    LeastErased(std::collections::BTreeSet<(u32, BlockId)>),
}

impl FreeBlocks {
    /// Number of erased blocks of the plane, not counting open ones: what triggers compare with their thresholds.
    pub fn len(&self) -> u32 {
        match self {
            Self::Fifo(queue) => queue.len() as u32,
            Self::LeastErased(set) => set.len() as u32,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The blocks in the order in which they would be opened.
    pub fn in_order(&self) -> Box<dyn Iterator<Item = BlockId> + '_> {
        match self {
            Self::Fifo(queue) => Box::new(queue.iter().copied()),
            Self::LeastErased(set) => Box::new(set.iter().map(|(_, block)| *block)),
        }
    }

    /// The block that would be opened next.
    pub fn first(&self) -> Option<BlockId> {
        match self {
            Self::Fifo(queue) => queue.front().copied(),
            Self::LeastErased(set) => set.first().map(|(_, block)| *block),
        }
    }

    pub(crate) fn push(&mut self, block: BlockId, erases: u32) {
        match self {
            Self::Fifo(queue) => queue.push_back(block),
            Self::LeastErased(set) => {
                set.insert((erases, block));
            }
        }
    }

    pub(crate) fn pop(&mut self) -> Option<BlockId> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::LeastErased(set) => set.pop_first().map(|(_, block)| block),
        }
    }

    /// The most-erased free block: where static wear levelling puts data that does not change.
    pub(crate) fn pop_most_erased(&mut self, erases: impl Fn(BlockId) -> u32) -> Option<BlockId> {
        match self {
            Self::Fifo(queue) => {
                let index = (0..queue.len()).max_by_key(|i| (erases(queue[*i]), std::cmp::Reverse(*i)))?;
                queue.remove(index)
            }
            Self::LeastErased(set) => set.pop_last().map(|(_, block)| block),
        }
    }
}

/// State of one plane. It begins on a cache line, which holds what most programs look at.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[repr(align(64))]
pub struct PlaneState {
    /// Erased blocks, in the order in which they will be opened.
    pub free: FreeBlocks,
    /// Number of pages of sealed blocks that hold nothing valid, of each block in whole program units: what collection
    /// could reclaim.
    pub reclaimable: u32,
    /// Number of pages reserved for host writes that were given this plane and have no page yet.
    pub reserved_pages: u32,
    /// Number of pages in the collector's buffer that are to be written to this plane and have no page yet.
    pub owed_pages: u32,
    /// Number of valid pages of all its blocks; counted where stripes ask for room.
    pub valid_pages: u32,
    /// Number of pages taken for writes of stripes whose program has not ended.
    pub under_way: u32,
    /// Erases of all its blocks since the drive was made.
    pub erases: u64,
    /// Number of collection jobs under way in the plane, one per victim.
    pub jobs: u32,
    /// The victim taken last; [`BlockId::NONE`] when no job is under way.
    pub victim: BlockId,
    /// Fewest free blocks since the counters were last reset.
    pub low_water: u32,
    /// Erases since the last static wear-levelling check.
    pub erases_since_check: u32,
    /// Collection must go before host operations: the trigger's answer to the last change of free blocks.
    pub urgent: bool,
    /// Collection was wanted, but no block had anything to reclaim; the next invalid page must ask the trigger again.
    pub starved: bool,
}
