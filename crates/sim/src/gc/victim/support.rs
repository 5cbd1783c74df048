//! Incremental structures that several victim policies share.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::BlockView;
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};
use crate::prefetch::prefetch;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Ends {
    head: BlockId,
    tail: BlockId,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Links {
    next: BlockId,
    previous: BlockId,
}

/// Candidates of each plane, in one list per valid count; each list in order of arrival.
///
/// Doubly linked through arrays, so moving a block costs O(1) and nothing is allocated. A block arrives at the tail
/// of a list when it is sealed or loses a valid page, so the head is the one left unchanged longest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BucketLists {
    counts: u32,
    /// First and last block of each list.
    ends: Vec<Ends>,
    /// The neighbours of each block in its list.
    links: Vec<Links>,
    /// No list of the plane below this count holds anything.
    lowest: Vec<u32>,
}

impl BucketLists {
    /// Lists for every plane and valid count of the drive, without a candidate.
    pub fn new(geometry: &Geometry) -> Self {
        let counts = geometry.pages_per_block + 1;
        let lists = (geometry.planes() * counts) as usize;
        let blocks = geometry.blocks() as usize;
        Self {
            counts,
            ends: vec![Ends { head: BlockId::NONE, tail: BlockId::NONE }; lists],
            links: vec![Links { next: BlockId::NONE, previous: BlockId::NONE }; blocks],
            lowest: vec![counts; geometry.planes() as usize],
        }
    }

    #[inline]
    fn list(&self, plane: PlaneId, valid: u32) -> usize {
        (plane.0 * self.counts + valid) as usize
    }

    /// A block will soon leave its list: what is kept of it is fetched, and once that `is_here`, of its neighbours.
    #[inline]
    pub fn prefetch(&self, block: BlockId, is_here: bool, view: &BlockView<'_>) {
        if !is_here {
            return prefetch(&self.links, block.index());
        }
        // Blocks of superblocks are more than the lists know.
        let Some(Links { next, previous }) = self.links.get(block.index()) else { return };
        prefetch(&self.links, next.index());
        prefetch(&self.links, previous.index());
        // Where it leaves from; what it goes to lies beside that.
        prefetch(&self.ends, self.list(view.geometry.plane_of(block), view.blocks.valid(block)));
    }

    /// Append a block to the list of its valid count.
    #[inline]
    pub fn insert(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.insert_in(view.geometry.plane_of(block), block, view.blocks.valid(block));
    }

    #[inline]
    fn insert_in(&mut self, plane: PlaneId, block: BlockId, valid: u32) {
        let list = self.list(plane, valid);
        let ends = &mut self.ends[list];
        let tail = std::mem::replace(&mut ends.tail, block);
        self.links[block.index()] = Links { next: BlockId::NONE, previous: tail };
        if tail.is_some() {
            self.links[tail.index()].next = block;
        } else {
            ends.head = block;
        }
        let lowest = &mut self.lowest[plane.index()];
        *lowest = (*lowest).min(valid);
    }

    /// Take a block out of the list for `valid`, where it was.
    #[inline]
    pub fn remove(&mut self, block: BlockId, valid: u32, view: &BlockView<'_>) {
        self.remove_in(view.geometry.plane_of(block), block, valid);
    }

    #[inline]
    fn remove_in(&mut self, plane: PlaneId, block: BlockId, valid: u32) {
        let list = self.list(plane, valid);
        let Links { next, previous } = self.links[block.index()];
        if previous.is_some() {
            self.links[previous.index()].next = next;
        } else {
            self.ends[list].head = next;
        }
        if next.is_some() {
            self.links[next.index()].previous = previous;
        } else {
            self.ends[list].tail = previous;
        }
    }

    /// Move a block that lost one valid page.
    #[inline]
    pub fn demote(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.demote_in(view.geometry.plane_of(block), block, view.blocks.valid(block));
    }

    /// The same of a block of a plane that has so many valid pages left.
    #[inline]
    pub(crate) fn demote_in(&mut self, plane: PlaneId, block: BlockId, valid: u32) {
        self.remove_in(plane, block, valid + 1);
        self.insert_in(plane, block, valid);
    }

    /// The longest-unchanged block with the fewest valid pages. Amortised O(1): the search only goes up from where
    /// it ended, and each step up is paid for by a page that was invalidated.
    #[inline]
    pub fn first(&mut self, plane: PlaneId) -> Option<BlockId> {
        let begin = self.lowest[plane.index()];
        let found = (begin..self.counts).find(|valid| self.ends[self.list(plane, *valid)].head.is_some());
        self.lowest[plane.index()] = found.unwrap_or(self.counts);
        found.map(|valid| self.ends[self.list(plane, valid)].head)
    }

    /// The block of the lowest number among those with the fewest valid pages. Looks at all of these.
    pub fn lowest_number(&mut self, plane: PlaneId) -> Option<BlockId> {
        let head = self.first(plane)?;
        let next = |block: &BlockId| Some(self.links[block.index()].next).filter(|next| next.is_some());
        std::iter::successors(Some(head), next).min()
    }

    /// The longest-unchanged block of every valid count that has one, fewest valid pages first.
    pub fn heads(&self, plane: PlaneId) -> impl Iterator<Item = (u32, BlockId)> + '_ {
        (self.lowest[plane.index()]..self.counts)
            .map(move |valid| (valid, self.ends[self.list(plane, valid)].head))
            .filter(|(_, block)| block.is_some())
    }
}

/// Candidates of each plane as a set from which one can be drawn with equal probability.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CandidateSet {
    per_plane: u32,
    /// Candidates of plane p lie at `p * per_plane ..`, `count[p]` of them.
    members: Vec<BlockId>,
    count: Vec<u32>,
    position: Vec<u32>,
}

impl CandidateSet {
    /// A set for every plane of the drive, without a candidate.
    pub fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() as usize;
        Self {
            per_plane: geometry.blocks_per_plane,
            members: vec![BlockId::NONE; blocks],
            count: vec![0; geometry.planes() as usize],
            position: vec![u32::MAX; blocks],
        }
    }

    /// Add a block.
    pub fn insert(&mut self, block: BlockId, view: &BlockView<'_>) {
        let plane = view.geometry.plane_of(block);
        let at = plane.0 * self.per_plane + self.count[plane.index()];
        self.members[at as usize] = block;
        self.position[block.index()] = at;
        self.count[plane.index()] += 1;
    }

    /// Take a block out; the last one takes its place.
    pub fn remove(&mut self, block: BlockId, view: &BlockView<'_>) {
        let plane = view.geometry.plane_of(block);
        self.count[plane.index()] -= 1;
        let last = self.members[(plane.0 * self.per_plane + self.count[plane.index()]) as usize];
        let at = self.position[block.index()];
        self.members[at as usize] = last;
        self.position[last.index()] = at;
        self.position[block.index()] = u32::MAX;
    }

    /// Candidates in the plane.
    pub fn len(&self, plane: PlaneId) -> u32 {
        self.count[plane.index()]
    }

    /// The candidate at a position below [`Self::len`].
    pub fn at(&self, plane: PlaneId, position: u32) -> BlockId {
        self.members[(plane.0 * self.per_plane + position) as usize]
    }
}

/// Candidates of each plane in a binary heap by a weight that the policy keeps; the lowest number among equals.
///
/// Each block knows its position, so that a change of its weight costs O(log n) and nothing is searched or allocated.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MinHeaps {
    per_plane: u32,
    /// The heap of plane p lies at `p * per_plane ..`, `count[p]` blocks long.
    blocks: Vec<BlockId>,
    count: Vec<u32>,
    /// Position of each block within its plane's heap; `u32::MAX` for one that is no candidate.
    position: Vec<u32>,
}

impl MinHeaps {
    /// A heap for every plane of the drive, without a candidate.
    pub fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() as usize;
        Self {
            per_plane: geometry.blocks_per_plane,
            blocks: vec![BlockId::NONE; blocks],
            count: vec![0; geometry.planes() as usize],
            position: vec![u32::MAX; blocks],
        }
    }

    fn at(&self, plane: PlaneId, position: u32) -> BlockId {
        self.blocks[(plane.0 * self.per_plane + position) as usize]
    }

    fn put(&mut self, plane: PlaneId, position: u32, block: BlockId) {
        self.blocks[(plane.0 * self.per_plane + position) as usize] = block;
        self.position[block.index()] = position;
    }

    fn rise(&mut self, plane: PlaneId, block: BlockId, weights: &[u128]) {
        let mut position = self.position[block.index()];
        while position > 0 {
            let above = self.at(plane, (position - 1) / 2);
            if (weights[above.index()], above) <= (weights[block.index()], block) {
                break;
            }
            self.put(plane, position, above);
            position = (position - 1) / 2;
        }
        self.put(plane, position, block);
    }

    fn sink(&mut self, plane: PlaneId, block: BlockId, weights: &[u128]) {
        let mut position = self.position[block.index()];
        while let Some(below) = self.lighter_child(plane, position, weights) {
            if (weights[block.index()], block) <= (weights[below.index()], below) {
                break;
            }
            let next = self.position[below.index()];
            self.put(plane, position, below);
            position = next;
        }
        self.put(plane, position, block);
    }

    fn lighter_child(&self, plane: PlaneId, position: u32, weights: &[u128]) -> Option<BlockId> {
        let children = 2 * position + 1..(2 * position + 3).min(self.count[plane.index()]);
        children.map(|child| self.at(plane, child)).min_by_key(|block| (weights[block.index()], *block))
    }

    /// A block has become lighter or, at the same weight, heavier; one that is not in the heap joins it.
    pub fn update(&mut self, plane: PlaneId, block: BlockId, weights: &[u128]) {
        if self.position[block.index()] == u32::MAX {
            let position = self.count[plane.index()];
            self.count[plane.index()] += 1;
            self.put(plane, position, block);
        }
        self.rise(plane, block, weights);
        self.sink(plane, block, weights);
    }

    /// Take a block out, if it is in the heap.
    pub fn remove(&mut self, plane: PlaneId, block: BlockId, weights: &[u128]) {
        if self.position[block.index()] == u32::MAX {
            return;
        }
        self.count[plane.index()] -= 1;
        let last = self.at(plane, self.count[plane.index()]);
        let position = std::mem::replace(&mut self.position[block.index()], u32::MAX);
        if last != block {
            self.put(plane, position, last);
            self.rise(plane, last, weights);
            self.sink(plane, last, weights);
        }
    }

    /// The lightest block.
    pub fn first(&self, plane: PlaneId) -> Option<BlockId> {
        (self.count[plane.index()] > 0).then(|| self.at(plane, 0))
    }

    /// The lightest but one.
    pub fn second(&self, plane: PlaneId, weights: &[u128]) -> Option<BlockId> {
        self.lighter_child(plane, 0, weights)
    }
}

/// A policy's state as bytes.
pub fn to_bytes(state: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(state).expect("plain tables can be written down")
}

/// Replaces `state` by what `bytes` hold, if they are readable.
pub fn from_bytes<T: DeserializeOwned>(state: &mut T, bytes: &[u8]) -> bool {
    restored(bytes).map(|read| *state = read).is_some()
}

/// What `bytes` hold, if they are readable.
pub fn restored<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
