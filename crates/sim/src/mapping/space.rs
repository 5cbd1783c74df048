//! Who may take which page: the host leaves the collector a reserve, so that collection can always finish.

use super::blocks::BlockTable;
use super::planes::{FreeBlocks, Plane};
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// Free blocks of each plane that only the collector may open. A victim holds at most one block of valid pages, so
/// one block is enough for a job to finish; the job then gives one back.
pub const GC_RESERVE_BLOCKS: u32 = 1;

pub(crate) fn fresh_planes(geometry: &Geometry, dynamic_wear: bool) -> Vec<Plane> {
    let fresh = |plane: u32| {
        let first = geometry.first_block(PlaneId(plane)).0;
        let blocks = (first..first + geometry.blocks_per_plane).map(BlockId);
        Plane {
            free: if dynamic_wear {
                FreeBlocks::LeastErased(blocks.map(|block| (0, block)).collect())
            } else {
                FreeBlocks::Fifo(blocks.collect())
            },
            host_frontier: BlockId::NONE,
            gc_frontier: BlockId::NONE,
            reclaimable: 0,
            promised: 0,
            jobs: 0,
            victim: BlockId::NONE,
            low_water: geometry.blocks_per_plane,
            erases_since_check: 0,
            urgent: false,
            starved: false,
        }
    };
    (0..geometry.planes()).map(fresh).collect()
}

/// The books a placement may look at.
pub struct SpaceBooks<'a> {
    pub(crate) planes: &'a [Plane],
    pub(crate) blocks: &'a BlockTable,
    pub(crate) geometry: &'a Geometry,
    pub(crate) shared: bool,
    pub(crate) host_stop: u32,
}

impl SpaceBooks<'_> {
    fn left(&self, frontier: BlockId) -> u32 {
        self.blocks.left(frontier, self.geometry.pages_per_block)
    }

    /// Pages the host may still take in this plane; negative when more is promised than there is.
    #[inline]
    pub fn room(&self, plane: PlaneId) -> i64 {
        let books = &self.planes[plane.index()];
        let per_block = i64::from(self.geometry.pages_per_block);
        let free = i64::from(books.free.len()) * per_block;
        let left = i64::from(self.left(books.host_frontier));
        if self.shared {
            // The collector writes to the same block: what the victim still holds must fit, or a whole block.
            let needed = if books.victim.is_some() {
                i64::from(self.blocks.valid(books.victim))
            } else {
                per_block * i64::from(GC_RESERVE_BLOCKS)
            };
            left + free - needed
        } else {
            left + (free - per_block * i64::from(self.host_stop.max(books.jobs))).max(0)
        }
    }
}
