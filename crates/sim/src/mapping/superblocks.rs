//! Superblocks: blocks of the same number, one of each plane of a *scope*, opened, collected and erased as one.
//!
//! The planes of a scope have the same free blocks at any time. Pages are taken plane by plane, so that a plane may be
//! ahead of another: a superblock that is opened meanwhile waits in it behind the one before.

use std::collections::VecDeque;

use super::blocks::{BlockState, BlockTable};
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// Whose pages a superblock is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenFor {
    /// Those of the host.
    Host,
    /// Those that collection relocates.
    Collection,
}

/// What planes that share superblocks have together.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    /// Number of pages of its candidates that hold nothing valid.
    reclaimable: u64,
    /// Parts of the victim of which pages are still relocated.
    relocated: u32,
    /// Parts of it that are not erased yet.
    erased: u32,
}

/// The superblocks of a drive.
#[derive(Debug)]
pub struct Superblocks {
    /// The drive with a plane for each scope and a block for each superblock.
    pub(crate) geometry: Geometry,
    /// The valid pages of each superblock that is a candidate.
    pub(crate) table: BlockTable,
    /// Number of parts of each superblock that are full, all their programs ended.
    sealed: Box<[u32]>,
    /// Number of parts of each.
    parts: u32,
    scopes: Box<[Scope]>,
    /// By plane: parts that follow the host's open block, and those that follow the collector's.
    waiting: [Box<[VecDeque<BlockId>]>; 2],
}

impl Superblocks {
    /// Those of a drive that has any, nothing of which is written.
    pub fn new(geometry: &Geometry) -> Option<Box<Self>> {
        if geometry.superblock_planes == 1 {
            return None;
        }
        let of_scopes = geometry.of_superblocks();
        let none = || vec![VecDeque::new(); geometry.planes() as usize].into_boxed_slice();
        Some(Box::new(Self {
            table: BlockTable::new(of_scopes.blocks(), 0),
            sealed: vec![0; of_scopes.blocks() as usize].into(),
            parts: geometry.superblock_planes,
            scopes: vec![Scope::default(); of_scopes.planes() as usize].into(),
            waiting: [none(), none()],
            geometry: of_scopes,
        }))
    }

    /// The scope of a plane, as a plane of [`Self::geometry`].
    pub fn scope(&self, plane: PlaneId) -> PlaneId {
        PlaneId(plane.0 / self.parts)
    }

    fn scope_with(&mut self, superblock: BlockId) -> &mut Scope {
        &mut self.scopes[self.geometry.plane_of(superblock).index()]
    }

    /// Number of pages of the candidates of a plane's scope that hold nothing valid.
    pub(crate) fn reclaimable(&self, plane: PlaneId) -> u64 {
        self.scopes[self.scope(plane).index()].reclaimable
    }

    /// Whether a superblock is a candidate: all its parts are full, and it was not chosen.
    pub fn is_candidate(&self, superblock: BlockId) -> bool {
        self.sealed[superblock.index()] == self.parts
    }

    /// A part is full, and all its programs have ended. Tells whether it was the last.
    pub(crate) fn seal_part(&mut self, superblock: BlockId) -> bool {
        self.sealed[superblock.index()] += 1;
        self.is_candidate(superblock)
    }

    /// A superblock is a candidate from now on, with so many valid pages.
    pub(crate) fn begin_candidate(&mut self, superblock: BlockId, valid: u32) {
        self.table.set_valid(superblock, valid);
        self.scope_with(superblock).reclaimable += u64::from(self.geometry.pages_per_block - valid);
    }

    /// A candidate has lost a valid page.
    pub(crate) fn lose_valid(&mut self, superblock: BlockId) {
        self.table.lose_valid(superblock);
        self.scope_with(superblock).reclaimable += 1;
    }

    /// A candidate was chosen: all its parts are to be relocated, and to be erased.
    pub(crate) fn take(&mut self, superblock: BlockId) {
        let (invalid, parts) = (self.geometry.pages_per_block - self.table.valid(superblock), self.parts);
        self.sealed[superblock.index()] = 0;
        let scope = self.scope_with(superblock);
        scope.reclaimable -= u64::from(invalid);
        (scope.relocated, scope.erased) = (parts, parts);
    }

    /// Nothing of a part of the victim is left to be relocated. Tells whether it was the last of them.
    pub(crate) fn part_is_relocated(&mut self, superblock: BlockId) -> bool {
        let scope = self.scope_with(superblock);
        scope.relocated -= 1;
        scope.relocated == 0
    }

    /// A part of the victim is erased. Tells whether it was the last.
    pub(crate) fn part_is_erased(&mut self, superblock: BlockId) -> bool {
        let scope = self.scope_with(superblock);
        scope.erased -= 1;
        scope.erased == 0
    }

    /// Parts that follow the open block of a plane.
    pub fn waiting(&self, plane: PlaneId, open_for: OpenFor) -> &VecDeque<BlockId> {
        &self.waiting[open_for as usize][plane.index()]
    }

    pub(crate) fn waiting_mut(&mut self, plane: PlaneId, open_for: OpenFor) -> &mut VecDeque<BlockId> {
        &mut self.waiting[open_for as usize][plane.index()]
    }

    /// All that wait, to be saved.
    pub(crate) fn all_waiting(&self) -> [Vec<VecDeque<BlockId>>; 2] {
        self.waiting.clone().map(<[_]>::into_vec)
    }

    /// What is saved of a drive at rest, of which the blocks are there again. Tells whether it fits.
    pub(crate) fn restore(
        &mut self,
        waiting: &[Vec<VecDeque<BlockId>>; 2],
        geometry: &Geometry,
        blocks: &BlockTable,
    ) -> bool {
        if waiting.iter().any(|planes| planes.len() != geometry.planes() as usize) {
            return false;
        }
        self.waiting = waiting.clone().map(Vec::into_boxed_slice);
        for superblock in (0..self.geometry.blocks()).map(BlockId) {
            let parts = || geometry.parts_of(superblock);
            let sealed = parts().filter(|part| blocks.state(*part) == BlockState::Sealed).count();
            self.sealed[superblock.index()] = sealed as u32;
            if self.is_candidate(superblock) {
                self.begin_candidate(superblock, parts().map(|part| blocks.valid(part)).sum());
            }
        }
        true
    }
}
