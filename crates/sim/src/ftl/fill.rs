//! Filling a drive many pages at a time: until the next block fills up, no policy decides or hears of a single page.

use std::ops::Range;

use super::state::Ftl;
use crate::ids::{Lpn, PlaneId};

impl Ftl {
    /// Logical pages of which the host writes each by itself, in order: the same state as after [`Self::write_now`] of
    /// each.
    ///
    /// # Panics
    /// As [`Self::write_now`].
    pub fn fill_now(&mut self, pages: Range<u32>) {
        let mut next = pages.start;
        while next < pages.end {
            let quiet = next..next + self.quiet_pages().min(pages.end - next);
            if !quiet.is_empty() && self.map.next_mapped(quiet.start, quiet.end).is_none() {
                next = quiet.end;
                self.fill_quietly(quiet);
            }
            // In the turn that follows blocks fill up, or are opened.
            let turn = next..(next + self.geometry.planes()).min(pages.end);
            next = turn.end;
            for page in turn {
                self.note_request(true);
                self.write_now(Lpn(page));
            }
        }
    }

    /// How many consecutive pages that are nowhere yet can be written before a block fills up or somebody is asked.
    fn quiet_pages(&self) -> u32 {
        let policies = &self.policies;
        let each_by_itself = self.hears_of_pages()
            || self.open.is_some()
            || self.counts_room
            || self.host_units.is_some()
            || self.geometry.parts_of_page > 1
            || policies.limit_remembers;
        let Some(order) = policies.static_order.as_ref().filter(|_| !each_by_itself) else { return 0 };
        let left = |plane: &PlaneId| self.left(self.planes[plane.index()].host_frontier);
        let turns = order.planes().iter().map(left).min().unwrap_or(0).saturating_sub(1);
        turns * order.planes().len() as u32
    }

    fn fill_quietly(&mut self, pages: Range<u32>) {
        let Some(order) = &self.policies.static_order else { return };
        let planes = order.planes();
        let count = pages.len() as u32;
        // The first pages of those that each plane gets.
        for first in pages.start..pages.start + count.min(planes.len() as u32) {
            let plane = order.plane_of(Lpn(first));
            let block = self.planes[plane.index()].host_frontier;
            let of_plane = (pages.end - first).div_ceil(planes.len() as u32);
            let page = self.blocks.fill(block, of_plane);
            let begin = self.geometry.page(block, page);
            self.map.map_in_steps(Lpn(first), planes.len(), begin, of_plane);
            self.plane_counters[plane.index()].host_programs += u64::from(of_plane);
        }
        self.programmed += u64::from(count);
        self.counters.host_programs += u64::from(count);
    }
}
