//! Rows of superblocks: the same page of the parts of all dies, in planes of one number. With the last of its pages of
//! data a row is complete, and its parity, which the controller has added up until then, can be programmed.

use std::collections::VecDeque;

use super::blocks::{BlockState, BlockTable};
use crate::flash::{Geometry, ParityRows};
use crate::ids::{BlockId, PlaneId, Ppn};

/// The rows of a drive.
#[derive(Debug)]
pub struct Rows {
    layout: ParityRows,
    /// Superblock by superblock, of each number of planes, row by row: how many pages were taken; 0 again of a complete
    /// one.
    taken: Box<[u16]>,
    /// Number of rows of which some pages were taken, and not all.
    open: u32,
    /// First pages of units of parity that are to be programmed.
    due: VecDeque<Ppn>,
    /// By plane: pages of open parts with parity that are not taken.
    erased: Box<[u32]>,
}

impl Rows {
    /// Nothing is written.
    pub fn new(layout: ParityRows, geometry: &Geometry) -> Self {
        let rows = geometry.pages() / layout.dies;
        Self {
            layout,
            taken: vec![0; rows as usize].into(),
            open: 0,
            due: VecDeque::new(),
            erased: vec![0; geometry.planes() as usize].into(),
        }
    }

    /// A part with parity is open from now on.
    pub(crate) fn open_part(&mut self, geometry: &Geometry, plane: PlaneId) {
        self.erased[plane.index()] += geometry.pages_per_block;
    }

    /// Pages of open parts with parity of a plane that are not taken.
    pub(crate) fn erased_pages(&self, plane: PlaneId) -> u32 {
        self.erased[plane.index()]
    }

    /// A page of a block is taken, whatever for. If its row is complete with that: how many were open before.
    pub(crate) fn take(&mut self, geometry: &Geometry, page: Ppn) -> Option<u32> {
        let block = geometry.block_of(page);
        if geometry.is_parity_part(block) {
            return None;
        }
        let (row, number) = (self.row(geometry, block), geometry.page_in_block(page));
        let taken = &mut self.taken[row + number as usize];
        self.open += u32::from(*taken == 0);
        *taken += 1;
        if u32::from(*taken) < self.layout.dies - 1 {
            return None;
        }
        *taken = 0;
        let unit = geometry.unit_pages;
        if (number + 1).is_multiple_of(unit) {
            self.due.push_back(geometry.page(self.parity_of(geometry, block), number + 1 - unit));
        }
        self.open -= 1;
        Some(self.open + 1)
    }

    /// The next unit of parity that is to be programmed: its first page.
    pub(crate) fn take_due(&mut self, geometry: &Geometry) -> Option<Ppn> {
        let first = self.due.pop_front()?;
        self.erased[geometry.plane_of(geometry.block_of(first)).index()] -= geometry.unit_pages;
        Some(first)
    }

    /// Whether there is one.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// The part with the parity of a block.
    pub(crate) fn parity_of(&self, geometry: &Geometry, block: BlockId) -> BlockId {
        let number = block.0 % geometry.blocks_per_plane;
        let plane = self.layout.parity_plane(geometry.plane_of(block), number);
        BlockId(plane.0 * geometry.blocks_per_plane + number)
    }

    /// Where the rows of a block begin.
    fn row(&self, geometry: &Geometry, block: BlockId) -> usize {
        let (superblock, plane) = (geometry.superblock_of(block).0, geometry.plane_of(block).0);
        let of_planes = superblock * self.layout.planes_of_die + plane % self.layout.planes_of_die;
        of_planes as usize * geometry.pages_per_block as usize
    }

    /// What follows from the blocks of a drive at rest.
    pub(crate) fn restore(&mut self, geometry: &Geometry, blocks: &BlockTable) {
        self.taken.fill(0);
        self.erased.fill(0);
        for block in (0..geometry.blocks()).map(BlockId) {
            if geometry.is_cache_block(block) {
                continue;
            }
            let (parity, row) = (self.parity_of(geometry, block), self.row(geometry, block));
            let is_open = matches!(blocks.state(parity), BlockState::Open | BlockState::Filling);
            if is_open && block == parity {
                self.erased[geometry.plane_of(block).index()] +=
                    geometry.pages_per_block - blocks.allocated(parity);
            } else if is_open {
                for number in blocks.allocated(parity)..blocks.allocated(block) {
                    self.taken[row + number as usize] += 1;
                }
            }
        }
        self.open = self.taken.iter().filter(|taken| **taken > 0).count() as u32;
    }

    /// # Errors
    /// When parity is not that of the complete rows of what lies in flash.
    pub(crate) fn check(&self, geometry: &Geometry, blocks: &BlockTable) -> Result<(), String> {
        for part in (0..geometry.blocks()).map(BlockId).filter(|block| geometry.is_parity_part(*block)) {
            let state = blocks.state(part);
            if !matches!(state, BlockState::Open | BlockState::Filling | BlockState::Sealed) {
                continue;
            }
            let of_scope = geometry.parts_of(geometry.superblock_of(part));
            let data = of_scope
                .filter(|block| !geometry.is_parity_part(*block) && self.parity_of(geometry, *block) == part);
            let complete = data.map(|block| blocks.allocated(block)).min().unwrap_or(0);
            let waiting = self.due.iter().filter(|page| geometry.block_of(**page) == part).count() as u32;
            let programmed = blocks.allocated(part) + waiting * geometry.unit_pages;
            if programmed != complete - complete % geometry.unit_pages {
                return Err(format!("{part:?} has parity of {programmed} rows, but {complete} are complete"));
            }
        }
        Ok(())
    }
}
