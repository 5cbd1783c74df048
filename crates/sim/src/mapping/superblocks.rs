//! Superblocks: blocks of the same number, one of each plane of a *scope*, opened, collected and erased as one.
//!
//! The planes of a scope have the same free blocks at any time. Pages are taken plane by plane, so that a plane may be
//! ahead of another: a superblock that is opened meanwhile waits in it behind the one before. Each *stream* of pages
//! has superblocks of its own: each class of the host's pages, and of the pages that collection relocates.

use std::collections::VecDeque;

use super::blocks::{BlockState, BlockTable};
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};

/// Whose pages a superblock is opened for: a class of the host's, from 0 on, or behind these one of collection's. The
/// last stream is of pages that the SLC cache of their plane takes, which has no superblocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stream(pub u8);

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
    /// Number of parts of each.
    parts: u32,
    scopes: Box<[Scope]>,
    /// Number of classes of the host's pages.
    classes: u8,
    /// The same of those that collection relocates.
    relocated: u8,
    /// Stream by stream, plane by plane: parts with pages that are not taken. The first is the open block.
    open: Box<[VecDeque<BlockId>]>,
    /// In the same order: how many of these pages are promised.
    promised: Box<[u32]>,
}

impl Superblocks {
    /// Those of a drive that has any, nothing of which is written; the host's pages, and those that collection
    /// relocates, are of so many classes.
    pub fn new(geometry: &Geometry, classes: u32, relocated: u32) -> Option<Box<Self>> {
        if geometry.superblock_planes == 1 {
            return None;
        }
        let of_scopes = geometry.of_superblocks();
        let streams = (classes + relocated + 1) * geometry.planes();
        Some(Box::new(Self {
            table: BlockTable::new(of_scopes.blocks(), 0),
            sealed: vec![0; of_scopes.blocks() as usize].into(),
            parts: geometry.superblock_planes,
            scopes: vec![Scope::default(); of_scopes.planes() as usize].into(),
            classes: classes as u8,
            relocated: relocated as u8,
            open: vec![VecDeque::new(); streams as usize].into(),
            promised: vec![0; streams as usize].into(),
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
        let units = (valid + self.parts * (unit_pages - 1)) / unit_pages;
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

    /// The stream of pages of a class that collection relocates.
    pub fn collection(&self, class: u8) -> Stream {
        Stream(self.classes + class)
    }

    /// All streams of pages that collection relocates.
    pub fn of_collection(&self) -> impl Iterator<Item = Stream> + use<> {
        (self.classes..self.classes + self.relocated).map(Stream)
    }

    /// All streams of the host's pages.
    pub fn of_host(&self) -> impl Iterator<Item = Stream> + use<> {
        (0..self.classes).map(Stream)
    }

    /// That of pages that the SLC cache takes.
    pub fn cache(&self) -> Stream {
        Stream(self.classes + self.relocated)
    }

    /// All streams that have superblocks.
    pub fn streams(&self) -> impl Iterator<Item = Stream> + use<> {
        self.of_host().chain(self.of_collection())
    }

    fn place(&self, stream: Stream, plane: PlaneId) -> usize {
        usize::from(stream.0) * self.open.len() / (usize::from(self.cache().0) + 1) + plane.index()
    }

    /// Parts of open superblocks in a plane, in the order in which their pages are taken.
    pub fn open(&self, stream: Stream, plane: PlaneId) -> &VecDeque<BlockId> {
        &self.open[self.place(stream, plane)]
    }

    /// The open block of a stream in a plane.
    pub(crate) fn front(&self, stream: Stream, plane: PlaneId) -> BlockId {
        self.open(stream, plane).front().copied().unwrap_or(BlockId::NONE)
    }

    /// A superblock is opened, with this part in a plane.
    pub(crate) fn push(&mut self, stream: Stream, plane: PlaneId, part: BlockId) {
        self.open[self.place(stream, plane)].push_back(part);
    }

    /// No page of a part in a plane is left to be taken.
    pub(crate) fn leave(&mut self, plane: PlaneId, part: BlockId) {
        if let Some(stream) = self.streams().find(|stream| self.front(*stream, plane) == part) {
            self.open[self.place(stream, plane)].pop_front();
        }
    }

    /// Number of pages of a plane that are promised.
    pub fn promised(&self, stream: Stream, plane: PlaneId) -> u32 {
        self.promised[self.place(stream, plane)]
    }

    /// So many pages of a plane are promised.
    pub(crate) fn promise(&mut self, stream: Stream, plane: PlaneId, pages: u32) {
        self.promised[self.place(stream, plane)] += pages;
    }

    /// So many are taken that were, or not needed any more.
    pub(crate) fn keep_promise(&mut self, stream: Stream, plane: PlaneId, pages: u32) {
        self.promised[self.place(stream, plane)] -= pages;
    }

    /// All that are open, to be saved.
    pub(crate) fn all_open(&self) -> Vec<VecDeque<BlockId>> {
        self.open.to_vec()
    }

    /// What is saved of a drive at rest, of which the blocks are there again. Tells whether it fits.
    pub(crate) fn restore(
        &mut self,
        open: &[VecDeque<BlockId>],
        geometry: &Geometry,
        blocks: &BlockTable,
    ) -> bool {
        if open.len() != self.open.len() {
            return false;
        }
        self.open.clone_from_slice(open);
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
