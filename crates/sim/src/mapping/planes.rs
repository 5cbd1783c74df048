//! Per-plane space: free blocks, frontiers, several open blocks, and which pages are reserved for whom.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

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
    /// The block host writes go to; [`BlockId::NONE`] before the first.
    pub host_frontier: BlockId,
    /// The block collected pages go to. The host frontier when they share one.
    pub gc_frontier: BlockId,
    /// The block that parity goes to, where it has blocks of its own.
    pub parity_frontier: BlockId,
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

// Several open blocks in each plane: of the host, which placement or separation choose among, or of the collector.

/// Most open blocks that a plane may have of one kind.
pub const MOST_OPEN_BLOCKS: usize = 16;

/// The open blocks of one kind in every plane, each at a place of its own until it is full.
#[derive(Debug)]
pub struct OpenBlocks {
    per_plane: usize,
    /// Plane by plane; [`BlockId::NONE`] where none is open.
    places: Box<[BlockId]>,
}

impl OpenBlocks {
    /// No block is open.
    pub fn new(geometry: &Geometry, per_plane: u32) -> Self {
        let per_plane = per_plane as usize;
        let places = vec![BlockId::NONE; per_plane * geometry.planes() as usize];
        Self { per_plane, places: places.into_boxed_slice() }
    }

    fn range(&self, plane: PlaneId) -> std::ops::Range<usize> {
        let first = plane.index() * self.per_plane;
        first..first + self.per_plane
    }

    /// Those of a plane, [`BlockId::NONE`] where none is open.
    pub fn of(&self, plane: PlaneId) -> &[BlockId] {
        &self.places[self.range(plane)]
    }

    /// The first place of a plane without an open block.
    pub fn vacancy(&self, plane: PlaneId) -> Option<usize> {
        self.of(plane).iter().position(|block| !block.is_some())
    }

    /// Whether a place of a plane has no open block.
    pub fn is_vacant(&self, plane: PlaneId, at: usize) -> bool {
        !self.of(plane)[at].is_some()
    }

    /// The place with an open block that is nearest to `wanted`, the lower among equals, and its block.
    pub fn nearest(&self, plane: PlaneId, wanted: usize) -> Option<(usize, BlockId)> {
        let open = self.of(plane).iter().copied().enumerate().filter(|(_, block)| block.is_some());
        open.min_by_key(|(at, _)| at.abs_diff(wanted))
    }

    /// A block was opened for a place.
    pub fn occupy(&mut self, plane: PlaneId, at: usize, block: BlockId) {
        let range = self.range(plane);
        self.places[range][at] = block;
    }

    /// Blocks are open already: as many as there are places for get one, from the first place on.
    pub fn fill(&mut self, plane: PlaneId, blocks: &mut dyn Iterator<Item = BlockId>) {
        let range = self.range(plane);
        for place in &mut self.places[range] {
            *place = blocks.next().unwrap_or(BlockId::NONE);
        }
    }

    /// A block is full; it may be another than one of these.
    pub fn leave(&mut self, plane: PlaneId, block: BlockId) {
        let range = self.range(plane);
        if let Some(found) = self.places[range].iter_mut().find(|open| **open == block) {
            *found = BlockId::NONE;
        }
    }

    /// All places, for a saved state.
    pub fn places(&self) -> &[BlockId] {
        &self.places
    }

    /// Take up those of a saved state. Tells whether they are as many.
    pub fn restore(&mut self, places: &[BlockId]) -> bool {
        let fits = places.len() == self.places.len();
        if fits {
            self.places.copy_from_slice(places);
        }
        fits
    }
}
