//! Steps of a job: what a relocation policy looks at, and what it answers.

use crate::flash::{Geometry, MOST_UNIT_PAGES};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::mapping::{BlockTable, Mapping, PlaneState, SpaceAccounting};

/// The valid pages that one step relocates, in ascending order: one program unit's at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    list: [Ppn; MOST_UNIT_PAGES as usize],
    count: u8,
}

impl Pages {
    /// Room for the pages of a step, which has one at least.
    #[inline]
    pub fn none() -> Self {
        Self { list: [Ppn::NONE; MOST_UNIT_PAGES as usize], count: 0 }
    }

    /// A step of a single page.
    #[inline]
    pub fn one(page: Ppn) -> Self {
        let mut pages = Self::none();
        pages.push(page);
        pages
    }

    /// Add a page behind the others.
    ///
    /// # Panics
    /// When there are as many as the largest unit has.
    pub fn push(&mut self, page: Ppn) {
        self.list[usize::from(self.count)] = page;
        self.count += 1;
    }

    /// The pages, in the order in which they are relocated.
    #[inline]
    pub fn as_slice(&self) -> &[Ppn] {
        &self.list[..usize::from(self.count)]
    }

    /// Number of pages, at least 1.
    #[inline]
    pub fn len(&self) -> u32 {
        u32::from(self.count)
    }

    /// Whether there are none: never in a step.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first page.
    #[inline]
    pub fn first(&self) -> Ppn {
        self.list[0]
    }

    /// The last page.
    #[inline]
    pub fn last(&self) -> Ppn {
        self.list[usize::from(self.count) - 1]
    }
}

/// Which way pages are relocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Read over the channel into the controller, then written over the channel to the collector's frontier of the same
    /// plane. (Another plane would need room kept there for the collector, as its own plane has.)
    Controller,
    /// Inside the plane: array to page register to array, only commands on the channel.
    Copyback,
    /// Read over the channel into a buffer of the controller, where the page stays until it is written back.
    Lift,
}

/// Relocate some pages, together if they are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// What is relocated: pages of the victim, and behind them those that other full blocks of the plane lend.
    pub pages: Pages,
    /// Which way they go.
    pub way: Way,
    /// Whether what the pages leave of their unit is waste of the policy's rule; otherwise it is padding.
    pub wastes: bool,
    /// Whether the unit stays open for the next job of the plane: its pages wait in the page register.
    pub load: bool,
}

/// What a job is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Relocate these pages, in this way.
    Move(Move),
    /// Nothing until a step under way has ended.
    Wait,
    /// Nothing is left to relocate.
    Done,
}

/// What the choice of a destination may look at.
pub struct DestinationView<'a> {
    /// What every plane has left, and how worn it is.
    pub planes: &'a [PlaneState],
    pub(crate) accounting: &'a SpaceAccounting<'a>,
    pub(crate) geometry: &'a Geometry,
    /// Operations waiting or running on each die; empty where no time passes and every die is idle.
    pub pending_per_die: &'a [u32],
}

impl std::fmt::Debug for DestinationView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DestinationView").field("planes", &self.planes).finish_non_exhaustive()
    }
}

impl DestinationView<'_> {
    /// Whether no time passes, so that nobody can tell which dies would be idle.
    pub fn is_untimed(&self) -> bool {
        self.pending_per_die.is_empty()
    }

    /// Whether nothing waits or runs on the die of a plane.
    pub fn is_idle(&self, plane: PlaneId) -> bool {
        self.pending_per_die.get(self.geometry.die_of(plane).index()).is_none_or(|pending| *pending == 0)
    }

    /// Whether the plane has a page for one more of the collector, and then still all that the host has reserved.
    pub fn has_room(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let owed = state.owed_pages + 1;
        self.accounting.collector_pages(plane) >= u64::from(owed)
            && self.accounting.room_owing(plane, owed) > i64::from(state.reserved_pages)
    }

    /// Whether it has that, and beside it the blocks that its own jobs may need before they erase one.
    pub fn has_room_beside_jobs(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        let kept =
            u64::from(self.accounting.host_stop.max(state.jobs)) * u64::from(self.geometry.pages_per_block);
        self.has_room(plane) && self.accounting.collector_pages(plane) > u64::from(state.owed_pages) + kept
    }

    /// Pages that the host could still take in the plane if it were owed none, and those that collection could reclaim.
    pub fn space_pages(&self, plane: PlaneId) -> i64 {
        let state = &self.planes[plane.index()];
        let left = self.accounting.room_owing(plane, 0) - i64::from(state.reserved_pages);
        left + i64::from(state.reclaimable)
    }

    /// Pages that collection could take in the plane beside those that it is owed.
    pub fn unowed_pages(&self, plane: PlaneId) -> i64 {
        let owed = self.planes[plane.index()].owed_pages;
        self.accounting.collector_pages(plane).cast_signed() - i64::from(owed)
    }

    /// Operations waiting or running on the dies of a chip.
    pub fn load_of_chip(&self, chip: u32) -> u32 {
        let dies = self.geometry.dies() / self.chips();
        (chip * dies..(chip + 1) * dies).map(|die| self.pending_per_die[die as usize]).sum()
    }

    /// Chips of the drive.
    pub fn chips(&self) -> u32 {
        self.geometry.chips()
    }

    /// The planes of a chip.
    pub fn planes_of_chip(&self, chip: u32) -> std::ops::Range<u32> {
        let each = self.planes.len() as u32 / self.chips();
        chip * each..(chip + 1) * each
    }

    /// The chip of a plane.
    pub fn chip_of(&self, plane: PlaneId) -> u32 {
        self.geometry.chip_of(self.geometry.die_of(plane)).0
    }
}

/// What a relocation policy may look at.
#[derive(Debug, Clone, Copy)]
pub struct JobView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// Which pages are valid.
    pub map: &'a Mapping,
    /// What every block holds.
    pub blocks: &'a BlockTable,
    /// What collecting the full blocks of the plane would win, the victim left out, pages.
    pub reclaimable: u32,
    /// The plane of the victim, and of where its pages go.
    pub plane: PlaneId,
    /// The block that is collected.
    pub victim: BlockId,
    /// The first page of it that no step has had yet.
    pub cursor: Ppn,
    /// Number of steps under way.
    pub steps_under_way: u32,
    /// Number of the next page of the collector's open block of the plane; 0 if it has none.
    pub next_page: u32,
}

impl JobView<'_> {
    /// The first valid page of the victim from `from` on.
    #[inline]
    pub fn next_valid(&self, from: Ppn) -> Option<Ppn> {
        let end = self.geometry.page(self.victim, 0).0 + self.geometry.pages_per_block;
        self.map.next_valid(from, end)
    }

    /// The first valid pages from the cursor on, at most `most`, as long as `fits` holds.
    pub fn pages(&self, most: u32, fits: impl Fn(Ppn) -> bool) -> Option<Pages> {
        let mut pages = Pages::one(self.next_valid(self.cursor)?);
        while pages.len() < most {
            let next = self.next_valid(Ppn(pages.last().0 + 1)).filter(|page| fits(*page));
            let Some(next) = next else { break };
            pages.push(next);
        }
        Some(pages)
    }

    /// The step that relocates as many pages as one program takes, whichever way.
    #[inline]
    pub fn whole_unit(&self, way: Way) -> Step {
        let pages = if self.geometry.unit_pages == 1 {
            self.next_valid(self.cursor).map(Pages::one)
        } else {
            self.pages(self.geometry.unit_pages, |_| true)
        };
        pages.map_or(Step::Done, |pages| Step::Move(Move { pages, way, wastes: false, load: false }))
    }
}
