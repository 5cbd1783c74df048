//! What is found at looks at the drive now and then while the host writes: the space that collection works with.
//!
//! Formulas for write amplification mean a drive whose pages all hold data or garbage until their block is chosen. Erased
//! pages hold neither, and blocks under collection have been chosen, so both come off. Means are taken over the pages
//! that the host writes: by Little's law, such pages are as many as are programmed for each page of the host, times the
//! pages the host writes from a page's program to the choice of its block, and that life is what the formulas are about.

use super::Ftl;
use crate::ids::PlaneId;

/// Pages the host writes between two looks. A prime, so as not to keep step with blocks.
const PAGES_PER_LOOK: u64 = 61;

/// Sums over the looks. Each is at the plane that is about to be written to, of which a drive has so many alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Looks {
    /// How many.
    pub count: u64,
    /// Free blocks of the plane.
    pub free_blocks: u64,
    /// Pages of the plane that are out of play: erased ones, of free blocks and behind what is written of open ones, and
    /// all of blocks under collection.
    pub idle_pages: u64,
    /// Pages in play that hold data, of the whole drive.
    pub valid_pages: u64,
}

impl Looks {
    /// Mean free blocks of a plane; NaN without a look.
    pub fn free_blocks(&self) -> f64 {
        self.free_blocks as f64 / self.count as f64
    }

    /// Spare factor of what is in play, on a drive of so many planes and pages: 1 - valid / (all - idle). NaN without a
    /// look.
    pub fn spare_factor(&self, planes: u32, pages: u32) -> f64 {
        let mean = |sum: u64| sum as f64 / self.count as f64;
        let idle = mean(self.idle_pages) * f64::from(planes);
        1.0 - mean(self.valid_pages) / (f64::from(pages) - idle)
    }
}

impl Ftl {
    /// The host is about to take a page of the plane.
    #[inline]
    pub(super) fn look_now_and_then(&mut self, plane: PlaneId) {
        if self.counters.host_programs.is_multiple_of(PAGES_PER_LOOK) {
            self.look(plane);
        }
    }

    fn look(&mut self, plane: PlaneId) {
        let books = &self.planes[plane.index()];
        let free = books.free.len();
        let per_block = self.geometry.pages_per_block;
        let mut idle = free * per_block + self.left(books.host_frontier);
        if books.gc_frontier != books.host_frontier {
            idle += self.left(books.gc_frontier);
        }
        let mut in_play = f64::from(self.valid_pages);
        if books.jobs > 0 {
            // Where several are under way, the one begun last stands for all.
            idle += books.jobs * per_block;
            let planes = self.geometry.planes();
            in_play -= f64::from(planes * books.jobs * self.blocks.valid(books.victim));
        }
        let looks = &mut self.counters.looks;
        looks.count += 1;
        looks.free_blocks += u64::from(free);
        looks.idle_pages += u64::from(idle);
        looks.valid_pages += in_play as u64;
    }
}
