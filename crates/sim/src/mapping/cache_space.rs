//! What the planes of an SLC cache have: erased blocks and full ones, beside the open one.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::append_points::AppendPoints;
use super::blocks::BlockTable;
use crate::flash::{CacheBlocks, Geometry};
use crate::ids::{BlockId, PlaneId};

/// The cache of one plane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachePlane {
    /// Erased blocks, in the order in which they will be opened.
    pub free: VecDeque<BlockId>,
    /// Full blocks, the one sealed first before the others.
    pub full: VecDeque<BlockId>,
}

/// What the cache has done since the drive was made.
#[derive(Debug, Clone, Copy, Default)]
pub struct CacheCounts {
    /// Pages of the host that it took.
    pub cached: u64,
    /// Pages of the host that found it full.
    pub past: u64,
    /// Blocks folded, begun.
    pub folds: u64,
    /// Pages that were taken to fold them.
    pub folded: u64,
}

/// The cache of every plane.
#[derive(Debug)]
pub struct CacheSpace {
    pages_per_block: u32,
    pub(crate) planes: Box<[CachePlane]>,
    pub(crate) counts: CacheCounts,
}

impl CacheSpace {
    /// Nothing is written.
    pub fn new(geometry: &Geometry, cache: CacheBlocks) -> Self {
        let fresh = |plane: u32| {
            let first = geometry.first_block(PlaneId(plane)).0;
            let blocks = first + geometry.ordinary_blocks()..first + geometry.blocks_per_plane;
            CachePlane { free: blocks.map(BlockId).collect(), full: VecDeque::new() }
        };
        Self {
            pages_per_block: cache.pages_per_block,
            planes: (0..geometry.planes()).map(fresh).collect(),
            counts: CacheCounts::default(),
        }
    }

    /// That of a plane.
    pub fn of(&self, plane: PlaneId) -> &CachePlane {
        &self.planes[plane.index()]
    }

    /// The same, to be changed.
    pub(crate) fn of_mut(&mut self, plane: PlaneId) -> &mut CachePlane {
        &mut self.planes[plane.index()]
    }

    /// Number of pages that host writes can still take of a plane's cache.
    pub fn left(&self, plane: PlaneId, blocks: &BlockTable, points: &AppendPoints) -> u32 {
        let open = blocks.left(points.open(plane, points.cache()), self.pages_per_block);
        self.of(plane).free.len() as u32 * self.pages_per_block + open
    }
}
