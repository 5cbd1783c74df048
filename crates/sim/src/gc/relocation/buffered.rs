//! Through a buffer in the controller: the valid pages of a victim are read into it, the victim is erased, and only
//! then are they written back, to the plane they came from or to any that has time and room. GC bypass, sections 3.1
//! and 3.4.
//!
//! The buffer is one for the whole drive. A job begins when there is room for all its pages, and waits for it
//! otherwise, however urgent it is. A page in the buffer answers host reads; a host write replaces it, and its write-
//! back is cancelled.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, DestinationView, JobView, Relocation, Step, Way};
use crate::ids::PlaneId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::{AssignPages, BlockCount, GcFrontier};

/// Where pages are written back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Destination {
    /// The plane of the victim.
    #[default]
    Home,
    /// The least-worn plane with room whose die is idle; the plane of the victim if there is none.
    Free,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Size of the buffer, at least a block.
    capacity: BlockCount,
    /// Where pages are written back.
    destination: Destination,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { capacity: BlockCount::Blocks(1), destination: Destination::default() }
    }
}

const LIFTED: Metric = Metric {
    name: "lifted_pages",
    unit: "pages",
    about: "Pages written back from the buffer after their erase.",
};

const STALLS: Metric = Metric {
    name: "buffer_stalls",
    unit: "answers",
    about: "Times a job had to wait because the buffer had no room for its pages; it asks again.",
};

const REDIRECTED: Metric = Metric {
    name: "redirected_pages",
    unit: "pages",
    about: "Pages whose write-back was sent to another plane than the victim's.",
};

const CANCELLED: Metric = Metric {
    name: "cancelled_write_backs",
    unit: "pages",
    about: "Pages that the host overwrote or trimmed in the buffer, so that they were not written back.",
};

pub const MEMBER: Member<Build> = Member {
    name: "buffered",
    about: "read into a buffer, erase, then write back, to an idle plane if there is one (GC bypass)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        Conflict {
            key: "ftl.assign_pages",
            with: &["ftl.assign_pages = on-arrival"],
            why: "on-arrival: write-backs get their page when they start; use ftl.assign_pages = \
                  \"at-start\"",
            applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
        },
        Conflict {
            key: "ftl.gc_frontier",
            with: &["ftl.gc_frontier = shared"],
            why: "shared: what is owed to a plane needs an open block of the collector's own; use \
                  ftl.gc_frontier = \"separate\"",
            applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
        },
        Conflict {
            key: "flash.program_unit",
            with: &["flash.program_unit = word-line"],
            why: "word-line: pages are written back one by one; use flash.program_unit = \"page\"",
            applies: |config| config.flash.programs_units(),
        },
        Conflict {
            key: "gc.relocation.destination",
            with: &["ftl.allocation = striping, by = lpn"],
            why: "free: pages of others would fill the only plane that a page may be written to; use \
                  ftl.allocation = \"dynamic\", or by = \"arrival\", or gc.relocation.destination = \"home\"",
            applies: |config| {
                let allocation = &config.ftl.allocation;
                config.gc.relocation.text("destination") == Some("free")
                    && allocation.kind == "striping"
                    && allocation.text("by").is_none_or(|by| by == "lpn")
            },
        },
    ],
    metrics: &[LIFTED, STALLS, REDIRECTED, CANCELLED],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        let blocks = given.capacity.resolve(context.geometry.blocks_per_plane);
        if blocks == 0 {
            return Err(format!("capacity {}: at least a block, or no victim would fit in", given.capacity));
        }
        Ok(Box::new(Buffered {
            capacity: blocks.saturating_mul(context.geometry.pages_per_block),
            destination: given.destination,
            occupied: 0,
            counted: [0; 4],
        }))
    },
};

struct Buffered {
    /// Pages it has room for.
    capacity: u32,
    destination: Destination,
    /// Pages in it, and those of jobs that are still to be read.
    occupied: u32,
    /// Lifted, stalls, redirected, cancelled.
    counted: [u64; 4],
}

impl Relocation for Buffered {
    fn next(&mut self, job: &JobView<'_>) -> Step {
        job.whole_unit(Way::Lift)
    }

    fn lifts(&self) -> bool {
        true
    }

    fn admits(&mut self, pages: u32) -> bool {
        let fits = self.occupied + pages <= self.capacity;
        if fits {
            self.occupied += pages;
        } else {
            self.counted[1] += 1;
        }
        fits
    }

    fn gives_up(&mut self, pages: u32) {
        self.occupied -= pages;
    }

    fn cancelled(&mut self) {
        self.occupied -= 1;
        self.counted[3] += 1;
    }

    fn occupied(&self) -> u32 {
        self.occupied
    }

    fn destination(&mut self, home: PlaneId, view: &DestinationView<'_>) -> PlaneId {
        self.counted[0] += 1;
        if self.destination == Destination::Home {
            return home;
        }
        let planes = (0..view.planes.len() as u32).map(PlaneId);
        let free = planes.filter(|plane| *plane != home && view.is_idle(*plane) && view.has_room(*plane));
        let chosen = free.min_by_key(|plane| (view.planes[plane.index()].erases, *plane));
        self.counted[2] += u64::from(chosen.is_some());
        chosen.unwrap_or(home)
    }

    fn metrics(&self) -> Vec<Reading> {
        let [lifted, stalls, redirected, cancelled] = self.counted;
        vec![LIFTED.is(lifted), STALLS.is(stalls), REDIRECTED.is(redirected), CANCELLED.is(cancelled)]
    }
}
