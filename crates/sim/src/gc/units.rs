//! Steps under way that relocate several pages with one program.

use crate::flash::MOST_UNIT_PAGES;
use crate::ids::{OpId, UnitId};

/// Most pages of a step.
const MOST_PAGES: usize = MOST_UNIT_PAGES as usize;

/// One step: how far its pages are.
#[derive(Debug, Clone, Copy)]
pub struct Unit {
    /// Pages whose move has not ended.
    left: u8,
    /// Pages that are still to be read into the controller.
    to_read: u8,
    wastes: bool,
    load: bool,
    /// Operations of the pages that have been read.
    read: [OpId; MOST_PAGES],
    read_count: u8,
}

impl Unit {
    /// A step of so many pages, of which so many go through the controller.
    pub fn new(pages: u32, to_read: u32, wastes: bool, load: bool) -> Self {
        let (left, to_read) = (pages as u8, to_read as u8);
        Self { left, to_read, wastes, load, read: [OpId::NONE; MOST_PAGES], read_count: 0 }
    }

    /// Whether the rest of the unit is waste of the relocation policy's rule; otherwise it is padding.
    pub fn wastes(&self) -> bool {
        self.wastes
    }

    /// Whether it stays open for the next job of the plane.
    pub fn is_loaded(&self) -> bool {
        self.load
    }

    /// A page has been read into the controller, where it waits for the others.
    pub fn note_read(&mut self, op: OpId) {
        self.read[usize::from(self.read_count)] = op;
        self.read_count += 1;
        self.to_read -= 1;
    }

    /// A page will not be read any more. Tells whether others of the step are left.
    pub fn lose_read(&mut self) -> bool {
        self.to_read -= 1;
        self.left > 1
    }

    /// The operations of the pages that were read into the controller, in the order in which that happened, once all
    /// have been.
    pub fn all_read(&mut self) -> Option<&mut [OpId]> {
        (self.to_read == 0).then(|| &mut self.read[..usize::from(self.read_count)])
    }

    /// Whether the move of one page alone has not ended.
    pub fn is_last(&self) -> bool {
        self.left == 1
    }

    /// The move of a page has ended. Tells whether it was the last.
    pub fn end_move(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }
}

/// All such steps.
#[derive(Debug, Default)]
pub struct Units {
    units: Vec<Unit>,
    free: Vec<UnitId>,
}

impl Units {
    /// Keep a step; its number may be one that was freed.
    pub fn insert(&mut self, unit: Unit) -> UnitId {
        if let Some(id) = self.free.pop() {
            self.units[id.index()] = unit;
            return id;
        }
        self.units.push(unit);
        UnitId(self.units.len() as u32 - 1)
    }

    /// Forget a step.
    pub fn remove(&mut self, id: UnitId) {
        self.free.push(id);
    }

    /// Whether no step is under way.
    pub fn is_empty(&self) -> bool {
        self.units.len() == self.free.len()
    }
}

impl std::ops::Index<UnitId> for Units {
    type Output = Unit;
    fn index(&self, id: UnitId) -> &Unit {
        &self.units[id.index()]
    }
}

impl std::ops::IndexMut<UnitId> for Units {
    fn index_mut(&mut self, id: UnitId) -> &mut Unit {
        &mut self.units[id.index()]
    }
}
