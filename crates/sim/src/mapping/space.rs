//! Who may take which page: the host leaves the collector a reserve, so that collection can always finish.

use super::append_points::{AppendPoints, Stream};
use super::blocks::BlockTable;
use super::cache_space::CacheSpace;
use super::planes::{FreeBlocks, PlaneState};
use super::superblocks::Superblocks;
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
    pub(crate) points: &'a AppendPoints,
    pub(crate) host_stop: u32,
    /// Where the drive has an SLC cache.
    pub(crate) cache: Option<&'a CacheSpace>,
    /// Where planes share superblocks.
    pub(crate) superblocks: Option<&'a Superblocks>,
}

impl SpaceAccounting<'_> {
    /// Number of pages that the collector could take in this plane if it opened all its free blocks.
    pub fn collector_pages(&self, plane: PlaneId) -> u64 {
        let state = &self.planes[plane.index()];
        let free = u64::from(state.free.len()) * u64::from(self.geometry.pages_per_block);
        free + u64::from(self.left_for_gc(plane))
    }

    /// Pages left in the open blocks of the collector.
    pub(crate) fn left_for_gc(&self, plane: PlaneId) -> u32 {
        self.points.of_collection().map(|stream| self.left(plane, stream)).sum()
    }

    /// Pages left in the open blocks of the host.
    pub(crate) fn left_for_host(&self, plane: PlaneId) -> u32 {
        self.points.of_host().map(|stream| self.left(plane, stream)).sum()
    }

    /// Pages left in the open blocks of a stream, of which only the first may be begun.
    pub(crate) fn left(&self, plane: PlaneId, stream: Stream) -> u32 {
        let open = self.blocks.left(self.points.open(plane, stream), self.geometry.pages_per_block);
        open + self.points.behind(plane, stream) * self.geometry.pages_per_block
    }

    /// Whether a plane has a page in an open superblock of a stream that is promised to nobody.
    pub fn has_open_page(&self, stream: Stream, plane: PlaneId) -> bool {
        self.left(plane, stream) > self.points.promised(plane, stream)
    }

    /// Whether a plane that shares superblocks has a page for one more host write of a class. The next superblock is
    /// opened when every page of those that are open for the class is taken or promised, whatever plane it lies in; it
    /// has room in planes in which it holds data.
    #[cold]
    pub fn has_room_of(&self, class: Stream, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let may_open = || {
            state.free.len() > self.host_stop.max(state.jobs) + self.superblocks_owing(plane, 0)
                && !state.free.first().is_some_and(|next| self.geometry.is_parity_part(next))
                && !self.geometry.scope_of(plane).any(|plane| self.has_open_page(class, plane))
        };
        self.cache_has_page(plane) || self.has_open_page(class, plane) || may_open()
    }

    /// Whether the SLC cache of a plane that shares superblocks has a page that is promised to nobody.
    pub(crate) fn cache_has_page(&self, plane: PlaneId) -> bool {
        let promised = self.points.promised(plane, self.points.cache());
        self.cache.is_some_and(|cache| cache.left(plane, self.blocks, self.points) > promised)
    }

    /// Superblocks that collection must still open for what is folded in the scope of a plane, and so many pages more.
    fn superblocks_owing(&self, plane: PlaneId, more: u32) -> u32 {
        let Some(superblocks) = self.superblocks else { return 0 };
        // Where there is a cache, all that is relocated lies together.
        let stream = self.points.collection(0);
        let (mut owed, mut left) = (more, 0);
        for plane in self.geometry.scope_of(plane) {
            owed += self.planes[plane.index()].owed_pages;
            left += self.left(plane, stream) - self.points.promised(plane, stream);
        }
        owed.saturating_sub(left).div_ceil(superblocks.geometry.pages_per_block)
    }

    /// Erased pages of a plane: of its free blocks, and behind what is written of open ones.
    pub fn erased_pages(&self, plane: PlaneId) -> u64 {
        let state = &self.planes[plane.index()];
        let open = self.left_for_host(plane)
            + self.left(plane, self.points.parity())
            + if self.points.is_shared() { 0 } else { self.left_for_gc(plane) }
            + self.superblocks.and_then(Superblocks::rows).map_or(0, |rows| rows.erased_pages(plane));
        u64::from(state.free.len()) * u64::from(self.geometry.pages_per_block) + u64::from(open)
    }

    /// Blocks that the collector must still open for so many pages of its buffer.
    #[inline]
    fn blocks_owing(&self, plane: PlaneId, owed: u32) -> u32 {
        if owed == 0 {
            return 0;
        }
        let left = self.left(plane, self.points.last_collected(plane));
        owed.saturating_sub(left).div_ceil(self.geometry.pages_per_block)
    }

    /// Number of pages the host may still take in this plane; negative when more are reserved than there are.
    pub fn room(&self, plane: PlaneId) -> i64 {
        self.room_owing(plane, self.planes[plane.index()].owed_pages)
    }

    /// Whether the host may still take a page in this plane: [`Self::room`] without counting it, where that can be.
    #[inline]
    pub(crate) fn has_room(&self, plane: PlaneId) -> bool {
        (!self.points.is_shared() && self.has_free_for_host(plane)) || self.room(plane) > 0
    }

    /// The same if so many pages of the collector's buffer were to be written there.
    pub fn room_owing(&self, plane: PlaneId, owed: u32) -> i64 {
        let in_cache = self.cache.map_or(0, |cache| cache.left(plane, self.blocks, self.points));
        i64::from(in_cache) + self.room_beside(plane, self.left_for_host(plane), owed)
    }

    /// Whether so many pages can be folded into a plane in which nothing is collected, so that the collector finds its
    /// reserve as it was.
    pub fn fold_fits(&self, plane: PlaneId, pages: u32) -> bool {
        let state = &self.planes[plane.index()];
        let owing = match self.superblocks {
            Some(_) => self.superblocks_owing(plane, pages),
            None => self.blocks_owing(plane, pages),
        };
        owing <= state.free.len().saturating_sub(self.host_stop)
    }

    /// Whether a plane has what must be left for the collector, so that it can do without a block that was erased.
    pub(crate) fn keeps_reserve(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let kept = match self.superblocks {
            Some(_) => self.host_stop.max(state.jobs) + self.superblocks_owing(plane, 0),
            None => self.kept(plane, state.owed_pages),
        };
        state.free.len() >= kept
    }

    /// Number of pages that may still be taken for parity that has open blocks of its own.
    pub fn parity_room(&self, plane: PlaneId) -> i64 {
        let owed = self.planes[plane.index()].owed_pages;
        self.room_beside(plane, self.left(plane, self.points.parity()), owed)
    }

    /// Whether the host may open a block.
    pub fn has_free_for_host(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        state.free.len() > self.kept(plane, state.owed_pages)
    }

    /// Free blocks that the host must leave: the reserve must still be there when all that is owed is written.
    fn kept(&self, plane: PlaneId, owed: u32) -> u32 {
        self.host_stop.max(self.planes[plane.index()].jobs) + self.blocks_owing(plane, owed)
    }

    fn room_beside(&self, plane: PlaneId, left: u32, owed: u32) -> i64 {
        let state = &self.planes[plane.index()];
        let per_block = i64::from(self.geometry.pages_per_block);
        let free = i64::from(state.free.len()) * per_block;
        let left = i64::from(left);
        if self.points.is_shared() {
            // The collector writes to the same block: what the victim still holds must have room, or a whole block.
            let needed = if state.victim.is_some() {
                i64::from(self.blocks.valid(state.victim))
            } else {
                per_block * i64::from(GC_RESERVE_BLOCKS)
            };
            left + free - needed
        } else {
            left + (free - per_block * i64::from(self.kept(plane, owed))).max(0)
        }
    }
}
