//! Pages of the collector's buffer on their way back to flash.

use crate::flash::Geometry;
use crate::ids::{ChipId, SlotId};

/// Pages on their way back.
#[derive(Debug)]
pub(super) struct WriteBacks {
    /// Per chip, where circuits are kept between its pages: those queued there to be written back.
    to_come: Box<[u32]>,
    /// Per slot, if jobs are logged: the row of the job whose erase it waited for, while it is on its way back.
    rows: Vec<u32>,
}

impl WriteBacks {
    /// No page on its way back; of chips they are counted only where circuits are kept.
    pub(super) fn new(holds_circuits: bool, geometry: &Geometry) -> Self {
        let chips = if holds_circuits { geometry.chips() } else { 0 };
        Self { to_come: vec![0; chips as usize].into(), rows: Vec::new() }
    }

    /// A page is on its way back, of the job that gets this row.
    pub(super) fn note_row(&mut self, slot: SlotId, row: u32) {
        if self.rows.len() <= slot.index() {
            self.rows.resize(slot.index() + 1, 0);
        }
        self.rows[slot.index()] = row;
    }

    /// The row of the job of a page on its way back; none if jobs are not logged.
    pub(super) fn row(&self, slot: SlotId) -> Option<u32> {
        self.rows.get(slot.index()).copied()
    }

    /// Another page waits to be written back to a chip.
    pub(super) fn one_more(&mut self, chip: ChipId) {
        self.to_come[chip.index()] += 1;
    }

    /// One that waited does so no more. Tells whether it was the last of its chip.
    pub(super) fn one_less(&mut self, chip: ChipId) -> bool {
        let to_come = &mut self.to_come[chip.index()];
        *to_come -= 1;
        *to_come == 0
    }
}
