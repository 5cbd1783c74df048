//! Superblocks: blocks of the same number, one of each plane of a *scope*, opened, collected and erased as one.
//!
//! The planes of a scope have the same free blocks at any time. Pages are taken plane by plane, so that a plane may be
//! ahead of another: a superblock that is opened meanwhile waits in it behind the one before. Each stream of the host's
//! pages, and of those that collection relocates, has superblocks of its own.

use super::blocks::{BlockState, BlockTable};
use super::parity_rows::Rows;
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// What planes that share superblocks have together.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    /// Number of pages that collecting its candidates wins.
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
    /// Number of parts of each, and of those with data.
    parts: u32,
    data_parts: u32,
    /// Where some parts hold parity: rows that are not complete.
    rows: Option<Rows>,
    scopes: Box<[Scope]>,
}

impl Superblocks {
    /// Those of a drive that has any, nothing of which is written.
    pub fn new(geometry: &Geometry) -> Option<Box<Self>> {
        if geometry.superblock_planes == 1 {
            return None;
        }
        let of_scopes = geometry.of_superblocks();
        Some(Box::new(Self {
            table: BlockTable::new(of_scopes.blocks(), 0),
            sealed: vec![0; of_scopes.blocks() as usize].into(),
            parts: geometry.superblock_planes,
            data_parts: geometry.data_parts(),
            rows: geometry.rows.map(|layout| Rows::new(layout, geometry)),
            scopes: vec![Scope::default(); of_scopes.planes() as usize].into(),
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

    /// Number of pages that collecting the candidates of a plane's scope wins.
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
        self.scope_with(superblock).reclaimable += u64::from(self.wins(valid));
    }

    /// A candidate has lost a valid page. Tells whether collecting it wins more than before.
    pub(crate) fn lose_valid(&mut self, superblock: BlockId) -> bool {
        let before = self.wins(self.table.valid(superblock));
        self.table.lose_valid(superblock);
        let more = self.wins(self.table.valid(superblock)) - before;
        self.scope_with(superblock).reclaimable += u64::from(more);
        more > 0
    }

    /// Number of pages that collecting a superblock with so many valid pages wins at least: whole program units, of
    /// which each part may pad one.
    pub(crate) fn wins(&self, valid: u32) -> u32 {
        let unit_pages = self.geometry.unit_pages;
        if unit_pages == 1 {
            return self.geometry.pages_per_block - valid;
        }
        let units = (valid + self.data_parts * (unit_pages - 1)) / unit_pages;
        self.geometry.pages_per_block.saturating_sub(units * unit_pages)
    }

    /// A candidate was chosen: all its parts are to be relocated, and to be erased.
    pub(crate) fn take(&mut self, superblock: BlockId) {
        let (wins, parts) = (self.wins(self.table.valid(superblock)), self.parts);
        self.sealed[superblock.index()] = 0;
        let scope = self.scope_with(superblock);
        scope.reclaimable -= u64::from(wins);
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

    /// The rows of superblocks with parity.
    pub(crate) fn rows(&self) -> Option<&Rows> {
        self.rows.as_ref()
    }

    /// The same, to be told what happens.
    pub(crate) fn rows_mut(&mut self) -> Option<&mut Rows> {
        self.rows.as_mut()
    }

    /// What follows from the blocks of a drive at rest.
    pub(crate) fn restore(&mut self, geometry: &Geometry, blocks: &BlockTable) {
        if let Some(rows) = &mut self.rows {
            rows.restore(geometry, blocks);
        }
        for superblock in (0..self.geometry.blocks()).map(BlockId) {
            let parts = || geometry.parts_of(superblock);
            let sealed = parts().filter(|part| blocks.state(*part) == BlockState::Sealed).count();
            self.sealed[superblock.index()] = sealed as u32;
            if self.is_candidate(superblock) {
                self.begin_candidate(superblock, parts().map(|part| blocks.valid(part)).sum());
            }
        }
    }
}
