//! The odd/even rule: a page is copied back only to a program unit whose number is odd where that of its own is odd,
//! and even where that is even. What the policies that keep it have in common.

use schemars::JsonSchema;
use serde::Deserialize;

use super::JobView;
use super::copies::{CHECKED, Copies};
use crate::flash::Geometry;
use crate::gc::trigger::has_several_jobs;
use crate::ids::{BlockId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::Conflict;
use crate::settings::alternatives::{SWITCH, reading, unprinted};
use crate::settings::{AssignPages, GcFrontier};

const TIGHT: Metric = Metric {
    name: "tight_jobs",
    unit: "jobs",
    about: "Jobs that copybacks alone would have won less than a program unit.",
};

const THROUGH_CONTROLLER: Metric = Metric {
    name: "pages_through_controller",
    unit: "pages",
    about: "Pages of such jobs that went through the controller: a page of their unit had the wrong parity.",
};

pub(super) const ON_ARRIVAL: Conflict = Conflict {
    key: "ftl.assign_pages",
    with: &["ftl.assign_pages = on-arrival"],
    why: "on-arrival: copybacks get their page when they start; use gc.relocation.kind = \"controller\"",
    applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
};

pub(super) const SHARED: Conflict = Conflict {
    key: "ftl.gc_frontier",
    with: &["ftl.gc_frontier = shared"],
    why: "shared: pages of the host would come between those of a victim and break their order; use \
          ftl.gc_frontier = \"separate\"",
    applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
};

pub(super) const SEVERAL_JOBS: Conflict = Conflict {
    key: "gc.trigger.jobs",
    with: &["gc.trigger.jobs > 1"],
    why: "pages of several victims of a plane would come between each other and break their order; \
          use gc.trigger.jobs = 1",
    applies: |config| has_several_jobs(&config.gc.trigger),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// Whether a unit that the last pages of a victim leave unfilled stays open for the next job of the plane. Only
    /// with units of more than a page.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "A unit that is not full is closed at the end of a job, or kept."
    )))]
    pub(super) carry: bool,
    /// After so many copybacks one after the other a page goes through the controller, which checks it. Absent: never.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "4"],
        "How often a page may be copied unchecked is a limit that papers leave out."
    )))]
    pub(super) max_consecutive_copybacks: Option<u8>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { carry: true, max_consecutive_copybacks: None }
    }
}

impl Parameters {
    /// Whether units stay open, in a drive of these dimensions.
    pub(super) fn carries(&self, geometry: &Geometry) -> bool {
        self.carry && geometry.unit_pages > 1
    }

    /// Copybacks of each page, as far as they are limited.
    ///
    /// # Errors
    /// When the limit is 0.
    pub(super) fn copies(&self, geometry: &Geometry) -> Result<Copies, String> {
        Copies::new(self.max_consecutive_copybacks, geometry)
    }
}

/// What every policy of the rule counts.
pub(super) const METRICS: [Metric; 3] = [TIGHT, THROUGH_CONTROLLER, CHECKED];

/// Counters of these.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) tight_jobs: u64,
    pub(super) through_controller: u64,
    pub(super) checked: u64,
}

impl Counted {
    /// Where the counters stand.
    pub(super) fn readings(&self) -> [Reading; 3] {
        [TIGHT.is(self.tight_jobs), THROUGH_CONTROLLER.is(self.through_controller), CHECKED.is(self.checked)]
    }
}

/// Parity of the unit of the page with this number in its block.
#[inline]
pub(super) fn parity(page_in_block: u32, unit_pages: u32) -> u32 {
    page_in_block / unit_pages % 2
}

/// Parity of the unit of a page.
#[inline]
pub(super) fn parity_of(page: Ppn, geometry: &Geometry) -> u32 {
    parity(geometry.page_in_block(page), geometry.unit_pages)
}

/// Pages to leave empty from page `next` of the open block on, before the page with the number `source` of its block
/// may be copied back; asked again until none.
pub(super) fn skip(source: u32, next: u32, unit_pages: u32) -> u32 {
    if parity(source, unit_pages) == parity(next, unit_pages) { 0 } else { unit_pages - next % unit_pages }
}

/// Two pointers into a block: the first page of either parity that no step has had yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pointers {
    block: BlockId,
    next: [Ppn; 2],
}

impl Pointers {
    /// At the beginning of a block.
    pub(super) fn new(block: BlockId, geometry: &Geometry) -> Self {
        Self { block, next: [geometry.page(block, 0); 2] }
    }

    /// Of no block: nothing is found.
    pub(super) const NOWHERE: Self = Self { block: BlockId::NONE, next: [Ppn::NONE; 2] };

    /// The block that they point into.
    pub(super) fn block(&self) -> BlockId {
        self.block
    }

    /// Whether it is of no block.
    pub(super) fn is_nowhere(&self) -> bool {
        !self.block.is_some()
    }

    /// The first valid page of a parity from its pointer on. The pointer moves there: what lies before holds nothing,
    /// and pages of a full block do not become valid again.
    pub(super) fn find(&mut self, parity: u32, job: &JobView<'_>) -> Option<Ppn> {
        let (geometry, unit) = (job.geometry, job.geometry.unit_pages);
        let first = geometry.page(self.block, 0).0;
        let end = first + geometry.pages_per_block;
        let mut from = self.next[parity as usize];
        while let Some(page) = job.map.next_valid(from, end) {
            if parity_of(page, geometry) == parity {
                self.next[parity as usize] = page;
                return Some(page);
            }
            // On to the unit behind this one.
            from = Ppn(first + ((page.0 - first) / unit + 1) * unit);
        }
        self.next[parity as usize] = Ppn(end);
        None
    }

    /// The first valid page of either parity.
    pub(super) fn find_any(&mut self, job: &JobView<'_>) -> Option<Ppn> {
        if self.next[0] == self.next[1] {
            let end = job.geometry.page(self.block, 0).0 + job.geometry.pages_per_block;
            return job.map.next_valid(self.next[0], end);
        }
        let even = self.find(0, job);
        even.into_iter().chain(self.find(1, job)).min()
    }

    /// A step has had a page; with `both` all before it count as had, whatever their parity.
    pub(super) fn pass(&mut self, page: Ppn, both: bool, geometry: &Geometry) {
        let next = Ppn(page.0 + 1);
        if both {
            self.next = [next; 2];
        } else {
            self.next[parity_of(page, geometry) as usize] = next;
        }
    }
}
