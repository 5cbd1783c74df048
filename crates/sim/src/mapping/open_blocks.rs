//! Several open blocks in each plane: of the host, which placement or separation choose among, or of the collector.

use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

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
