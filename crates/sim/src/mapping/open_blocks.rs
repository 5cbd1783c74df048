//! Several open blocks of the host in each plane: what placement chooses among.

use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// Most open blocks of the host that a plane may have.
pub const MOST_OPEN_BLOCKS: usize = 16;

/// The open blocks of the host in every plane, each at a place of its own until it is full.
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

    /// A block was opened for a place.
    pub fn occupy(&mut self, plane: PlaneId, at: usize, block: BlockId) {
        let range = self.range(plane);
        self.places[range][at] = block;
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
