//! Who may take which page: the host leaves the collector a reserve, so that collection can always finish.

use super::blocks::BlockTable;
use super::cache_space::CacheSpace;
use super::planes::{FreeBlocks, OpenBlocks, PlaneState};
use super::superblocks::{Stream, Superblocks};
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// Free blocks of each plane that only the collector may open. A victim holds at most one block of valid pages, so
/// one block is enough for a job to finish; the job then gives one back.
pub const GC_RESERVE_BLOCKS: u32 = 1;

pub(crate) fn fresh_planes(geometry: &Geometry, dynamic_wear: bool, initial_erases: u32) -> Vec<PlaneState> {
    let fresh = |plane: u32| {
        let first = geometry.first_block(PlaneId(plane)).0;
        let blocks = (first..first + geometry.ordinary_blocks()).map(BlockId);
        PlaneState {
            free: if dynamic_wear {
                FreeBlocks::LeastErased(blocks.map(|block| (initial_erases, block)).collect())
            } else {
                FreeBlocks::Fifo(blocks.collect())
            },
            host_frontier: BlockId::NONE,
            gc_frontier: BlockId::NONE,
            parity_frontier: BlockId::NONE,
            reclaimable: 0,
            reserved_pages: 0,
            owed_pages: 0,
            valid_pages: 0,
            under_way: 0,
            erases: 0,
            jobs: 0,
            victim: BlockId::NONE,
            low_water: geometry.ordinary_blocks(),
            erases_since_check: 0,
            urgent: false,
            starved: false,
        }
    };
    (0..geometry.planes()).map(fresh).collect()
}

/// Space accounting, as allocation may look at it.
pub struct SpaceAccounting<'a> {
    pub(crate) planes: &'a [PlaneState],
    pub(crate) blocks: &'a BlockTable,
    pub(crate) geometry: &'a Geometry,
    pub(crate) shared: bool,
    pub(crate) host_stop: u32,
    /// Where the host has several open blocks, and where the collector has.
    pub(crate) open: Option<&'a OpenBlocks>,
    pub(crate) open_of_gc: Option<&'a OpenBlocks>,
    /// Where the drive has an SLC cache.
    pub(crate) cache: Option<&'a CacheSpace>,
    /// Where planes share superblocks.
    pub(crate) superblocks: Option<&'a Superblocks>,
}

impl SpaceAccounting<'_> {
    fn left(&self, frontier: BlockId) -> u32 {
        self.blocks.left(frontier, self.geometry.pages_per_block)
    }

    /// Number of pages that the collector could take in this plane if it opened all its free blocks.
    pub fn collector_pages(&self, plane: PlaneId) -> u64 {
        let state = &self.planes[plane.index()];
        let free = u64::from(state.free.len()) * u64::from(self.geometry.pages_per_block);
        free + u64::from(self.left_for_gc(plane))
    }

    fn left_among(&self, open: &OpenBlocks, plane: PlaneId) -> u32 {
        open.of(plane).iter().map(|block| self.left(*block)).sum()
    }

    /// Pages left in the open blocks of the collector.
    pub(crate) fn left_for_gc(&self, plane: PlaneId) -> u32 {
        match (self.superblocks, self.open_of_gc) {
            (Some(superblocks), _) => superblocks
                .of_collection()
                .map(|stream| self.left_of_stream(superblocks, stream, plane))
                .sum(),
            (None, Some(open)) => self.left_among(open, plane),
            (None, None) => self.left(self.planes[plane.index()].gc_frontier),
        }
    }

    /// Pages left in the open blocks of the host.
    pub(crate) fn left_for_host(&self, plane: PlaneId) -> u32 {
        match (self.superblocks, self.open) {
            (Some(superblocks), _) => {
                superblocks.of_host().map(|stream| self.left_of_stream(superblocks, stream, plane)).sum()
            }
            (None, Some(open)) => self.left_among(open, plane),
            (None, None) => self.left(self.planes[plane.index()].host_frontier),
        }
    }

    /// Pages left in the parts of open superblocks, of which only the first may be begun.
    pub(crate) fn left_of_stream(&self, superblocks: &Superblocks, stream: Stream, plane: PlaneId) -> u32 {
        let open = superblocks.open(stream, plane);
        let behind = open.len().saturating_sub(1) as u32 * self.geometry.pages_per_block;
        self.left(superblocks.front(stream, plane)) + behind
    }

    /// Whether a plane has a page in an open superblock of a stream that is promised to nobody.
    pub fn has_open_page(&self, stream: Stream, plane: PlaneId) -> bool {
        self.superblocks.is_some_and(|superblocks| {
            self.left_of_stream(superblocks, stream, plane) > superblocks.promised(stream, plane)
        })
    }

    /// Whether a plane that shares superblocks has a page for one more host write of a class. The next superblock is
    /// opened when every page of those that are open for the class is taken or promised, whatever plane it lies in.
    #[cold]
    pub fn has_room_of(&self, class: Stream, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let may_open = || {
            state.free.len() > self.host_stop.max(state.jobs) + self.superblocks_owing(plane, 0)
                && !self.geometry.scope_of(plane).any(|plane| self.has_open_page(class, plane))
        };
        self.cache_has_page(plane) || self.has_open_page(class, plane) || may_open()
    }

    /// Whether the SLC cache of a plane that shares superblocks has a page that is promised to nobody.
    pub(crate) fn cache_has_page(&self, plane: PlaneId) -> bool {
        let (Some(cache), Some(superblocks)) = (self.cache, self.superblocks) else { return false };
        cache.left(plane, self.blocks) > superblocks.promised(superblocks.cache(), plane)
    }

    /// Superblocks that collection must still open for what is folded in the scope of a plane, and so many pages more.
    fn superblocks_owing(&self, plane: PlaneId, more: u32) -> u32 {
        let Some(superblocks) = self.superblocks else { return 0 };
        // Where there is a cache, all that is relocated lies together.
        let stream = superblocks.collection(0);
        let (mut owed, mut left) = (more, 0);
        for plane in self.geometry.scope_of(plane) {
            owed += self.planes[plane.index()].owed_pages;
            left += self.left_of_stream(superblocks, stream, plane) - superblocks.promised(stream, plane);
        }
        owed.saturating_sub(left).div_ceil(superblocks.geometry.pages_per_block)
    }

    /// Erased pages of a plane: of its free blocks, and behind what is written of open ones.
    pub fn erased_pages(&self, plane: PlaneId) -> u64 {
        let state = &self.planes[plane.index()];
        let open = self.left_for_host(plane)
            + self.left(state.parity_frontier)
            + if self.shared { 0 } else { self.left_for_gc(plane) };
        u64::from(state.free.len()) * u64::from(self.geometry.pages_per_block) + u64::from(open)
    }

    /// Blocks that the collector must still open for so many pages of its buffer.
    #[inline]
    fn blocks_owing(&self, state: &PlaneState, owed: u32) -> u32 {
        if owed == 0 {
            return 0;
        }
        owed.saturating_sub(self.left(state.gc_frontier)).div_ceil(self.geometry.pages_per_block)
    }

    /// Number of pages the host may still take in this plane; negative when more are reserved than there are.
    pub fn room(&self, plane: PlaneId) -> i64 {
        self.room_owing(plane, self.planes[plane.index()].owed_pages)
    }

    /// The same if so many pages of the collector's buffer were to be written there.
    pub fn room_owing(&self, plane: PlaneId, owed: u32) -> i64 {
        let state = &self.planes[plane.index()];
        let in_cache = self.cache.map_or(0, |cache| cache.left(plane, self.blocks));
        i64::from(in_cache) + self.room_beside(state, self.left_for_host(plane), owed)
    }

    /// Whether so many pages can be folded into a plane in which nothing is collected, so that the collector finds its
    /// reserve as it was.
    pub fn fold_fits(&self, plane: PlaneId, pages: u32) -> bool {
        let state = &self.planes[plane.index()];
        let owing = match self.superblocks {
            Some(_) => self.superblocks_owing(plane, pages),
            None => self.blocks_owing(state, pages),
        };
        owing <= state.free.len().saturating_sub(self.host_stop)
    }

    /// Number of pages that may still be taken for parity that has open blocks of its own.
    pub fn parity_room(&self, plane: PlaneId) -> i64 {
        let state = &self.planes[plane.index()];
        self.room_beside(state, self.left(state.parity_frontier), state.owed_pages)
    }

    /// Whether the host may open a block.
    pub fn has_free_for_host(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        state.free.len() > self.kept(state, state.owed_pages)
    }

    /// Free blocks that the host must leave: the reserve must still be there when all that is owed is written.
    fn kept(&self, state: &PlaneState, owed: u32) -> u32 {
        self.host_stop.max(state.jobs) + self.blocks_owing(state, owed)
    }

    fn room_beside(&self, state: &PlaneState, left: u32, owed: u32) -> i64 {
        let per_block = i64::from(self.geometry.pages_per_block);
        let free = i64::from(state.free.len()) * per_block;
        let left = i64::from(left);
        if self.shared {
            // The collector writes to the same block: what the victim still holds must have room, or a whole block.
            let needed = if state.victim.is_some() {
                i64::from(self.blocks.valid(state.victim))
            } else {
                per_block * i64::from(GC_RESERVE_BLOCKS)
            };
            left + free - needed
        } else {
            left + (free - per_block * i64::from(self.kept(state, owed))).max(0)
        }
    }
}
