//! The block table: what every block holds and how worn it is. What is needed together lies together.

use serde::{Deserialize, Serialize};

use crate::ids::BlockId;
use crate::prefetch::prefetch;

/// Where a block is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum BlockState {
    /// Erased and in the free list.
    Free,
    /// A frontier: pages are being allocated from it.
    Open,
    /// Every page allocated, programs still under way.
    Filling,
    /// Fully programmed: may be collected.
    Sealed,
    /// A job is relocating its valid pages or erasing it; it is no candidate.
    Victim,
    /// A full block of the SLC cache: no candidate of a victim policy, but folded in its turn.
    Cached,
    /// It was erased more often than it bears: nothing is written to it any more.
    Failed,
}

/// Why a block is being emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Garbage collection: to reclaim space.
    Gc,
    /// Static wear levelling: to spread erases.
    Wear,
    /// Folding: to empty the SLC cache.
    Fold,
}

/// What whoever invalidates a page of a block looks at.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Content {
    /// Pages holding valid data.
    valid: u16,
    state: BlockState,
}

/// What whoever programs a page of a block looks at.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Filling {
    /// Pages allocated so far: the number of the next one.
    allocated: u16,
    /// Programs under way.
    in_flight: u16,
}

/// Per-block state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BlockTable {
    content: Vec<Content>,
    filling: Vec<Filling>,
    erases: Vec<u32>,
    /// Pages that had been programmed when the block was sealed last: in this order another drive's policies hear of
    /// it.
    sealed_at: Vec<u64>,
}

impl BlockTable {
    /// All blocks free, each erased so often before.
    pub fn new(blocks: u32, initial_erases: u32) -> Self {
        let count = blocks as usize;
        Self {
            content: vec![Content { valid: 0, state: BlockState::Free }; count],
            filling: vec![Filling::default(); count],
            erases: vec![initial_erases; count],
            sealed_at: vec![0; count],
        }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.content.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Where the block is in its life.
    #[inline]
    pub fn state(&self, block: BlockId) -> BlockState {
        self.content[block.index()].state
    }

    /// A page of the block will be invalidated soon.
    #[inline]
    pub(crate) fn prefetch(&self, block: BlockId) {
        prefetch(&self.content, block.index());
    }

    /// Pages of the block holding valid data.
    #[inline]
    pub fn valid(&self, block: BlockId) -> u32 {
        u32::from(self.content[block.index()].valid)
    }

    /// Calls `each` with every sealed one of so many blocks from `first` on, and its pages that hold valid data.
    #[inline]
    pub fn each_sealed(&self, first: BlockId, count: u32, mut each: impl FnMut(BlockId, u32)) {
        let content = &self.content[first.index()..][..count as usize];
        for (block, content) in (first.0..).zip(content) {
            if content.state == BlockState::Sealed {
                each(BlockId(block), u32::from(content.valid));
            }
        }
    }

    /// Pages of the block allocated so far.
    #[inline]
    pub fn allocated(&self, block: BlockId) -> u32 {
        u32::from(self.filling[block.index()].allocated)
    }

    /// Pages of a frontier not allocated yet; none when there is no frontier.
    #[inline]
    pub fn left(&self, frontier: BlockId, pages_per_block: u32) -> u32 {
        if frontier.is_some() { pages_per_block - self.allocated(frontier) } else { 0 }
    }

    /// Programs of the block under way.
    #[inline]
    pub fn in_flight(&self, block: BlockId) -> u32 {
        u32::from(self.filling[block.index()].in_flight)
    }

    /// How often the block was erased, before it came to this drive included.
    #[inline]
    pub fn erases(&self, block: BlockId) -> u32 {
        self.erases[block.index()]
    }

    /// Erase counts of all blocks.
    pub fn all_erases(&self) -> &[u32] {
        &self.erases
    }

    /// Pages that had been programmed when the block was sealed last.
    #[inline]
    pub fn sealed_at(&self, block: BlockId) -> u64 {
        self.sealed_at[block.index()]
    }

    /// Calls `each` with when every block was sealed last, which may be changed.
    pub(crate) fn for_seals(&mut self, each: impl FnMut(&mut u64)) {
        self.sealed_at.iter_mut().for_each(each);
    }

    /// The block is full, and every program of it has ended.
    #[inline]
    pub(crate) fn seal(&mut self, block: BlockId, programmed: u64) {
        self.content[block.index()].state = BlockState::Sealed;
        self.sealed_at[block.index()] = programmed;
    }

    #[inline]
    pub(crate) fn set_state(&mut self, block: BlockId, state: BlockState) {
        self.content[block.index()].state = state;
    }

    /// Hands out the next page of an open block.
    #[inline]
    pub(crate) fn allocate(&mut self, block: BlockId) -> u32 {
        debug_assert_eq!(self.state(block), BlockState::Open);
        let filling = &mut self.filling[block.index()];
        let page = filling.allocated;
        filling.allocated += 1;
        filling.in_flight += 1;
        u32::from(page)
    }

    /// Hands out the next pages of an open block, which hold valid data at once; tells the first.
    pub(crate) fn fill(&mut self, block: BlockId, pages: u32) -> u32 {
        debug_assert_eq!(self.state(block), BlockState::Open);
        let first = self.filling[block.index()].allocated;
        self.filling[block.index()].allocated += pages as u16;
        self.content[block.index()].valid += pages as u16;
        u32::from(first)
    }

    /// A program of the block ended.
    #[inline]
    pub(crate) fn settle(&mut self, block: BlockId) {
        self.filling[block.index()].in_flight -= 1;
    }

    #[inline]
    pub(crate) fn gain_valid(&mut self, block: BlockId) {
        self.content[block.index()].valid += 1;
    }

    #[inline]
    pub(crate) fn lose_valid(&mut self, block: BlockId) {
        self.content[block.index()].valid -= 1;
    }

    pub(crate) fn set_valid(&mut self, block: BlockId, pages: u32) {
        self.content[block.index()].valid = pages as u16;
    }

    pub(crate) fn lose_valid_pages(&mut self, block: BlockId, pages: u32) {
        self.content[block.index()].valid -= pages as u16;
    }

    #[inline]
    pub(crate) fn erase(&mut self, block: BlockId) {
        assert_eq!(self.valid(block), 0, "{block:?} is erased although it holds valid data");
        let index = block.index();
        self.content[index].state = BlockState::Free;
        self.filling[index].allocated = 0;
        self.erases[index] += 1;
    }
}
