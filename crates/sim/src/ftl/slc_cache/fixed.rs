//! A static cache: the same blocks of every plane are used in single-level mode for good.

use super::{Build, SlcCache, Terms};
use crate::mapping::CacheCounts;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::{AssignPages, CellType, Config, GcFrontier, StaticCache};

const CACHED: Metric = Metric {
    name: "cached_pages",
    unit: "pages",
    about: "Pages of the host that were programmed into the cache.",
};

const PAST: Metric = Metric {
    name: "host_pages_past_full_cache",
    unit: "pages",
    about: "Pages of the host that went to other blocks, because the cache of their plane was full.",
};

const FOLDS: Metric =
    Metric { name: "folds", unit: "jobs", about: "Jobs begun that fold a block of the cache." };

const FOLDED: Metric = Metric {
    name: "folded_pages",
    unit: "pages",
    about: "Pages programmed to fold the cache: they count as write amplification.",
};

pub const MEMBER: Member<Build> = Member {
    name: "static",
    about: "host writes go to blocks in single-level mode first, which are folded into the others",
    parameters: &ParameterSpec::of::<StaticCache>(),
    conflicts: CONFLICTS,
    metrics: &[CACHED, PAST, FOLDS, FOLDED],
    build: |choice, context| {
        let given: StaticCache = parameters(choice);
        let geometry = &context.geometry;
        let (per_plane, pages) = (geometry.blocks_per_plane, geometry.pages_per_block);
        let blocks = given.blocks_of(per_plane);
        if blocks == 0 || blocks > per_plane {
            let StaticCache { blocks, .. } = given;
            return Err(format!("blocks = \"{blocks}\", but a plane has {per_plane}: from 1 to those"));
        }
        if geometry.cache.is_none_or(|cache| cache.pages_per_block == 0) {
            return Err(format!(
                "a block of {pages} pages holds none of a single level; give blocks more pages \
                 (geometry.pages_per_block)"
            ));
        }
        let start_blocks = given.start_of(per_plane);
        if !(1..=blocks).contains(&start_blocks) {
            let StaticCache { start, .. } = given;
            return Err(format!("start = \"{start}\", but the cache of a plane has {blocks}: from 1 to all"));
        }
        Ok(Box::new(Fixed { terms: Terms { start_blocks, rested: given.rested } }))
    },
};

struct Fixed {
    terms: Terms,
}

impl SlcCache for Fixed {
    fn terms(&self) -> Option<Terms> {
        Some(self.terms)
    }

    fn metrics(&self, counts: &CacheCounts) -> Vec<Reading> {
        let CacheCounts { cached, past, folds, folded } = *counts;
        vec![CACHED.is(cached), PAST.is(past), FOLDS.is(folds), FOLDED.is(folded)]
    }
}

const KEY: &str = "ftl.slc_cache";

/// Several jobs of a plane, or one that a policy may not ask for although the plane is short of space, could leave a
/// fold without room.
fn trigger_is_simple(config: &Config) -> bool {
    let trigger = &config.gc.trigger;
    match trigger.kind.as_str() {
        "free-blocks" | "invalid-ratio" => true,
        "frontier-filled" => trigger.parameters.get("jobs").is_some_and(|jobs| jobs == 1),
        _ => false,
    }
}

const CONFLICTS: &[Conflict] = &[
    Conflict {
        key: KEY,
        with: &["flash.cell = SLC"],
        why: "static: cells of one bit are in single-level mode already; use ftl.slc_cache = \"none\", or \
              flash.cell = \"TLC\"",
        applies: |config| config.flash.cell == CellType::Slc,
    },
    Conflict {
        key: KEY,
        with: &["flash.wear"],
        why: "static: cells in single-level mode wear otherwise than a table for the drive says; leave \
              flash.wear out",
        applies: |config| !config.flash.wear.is_empty(),
    },
    Conflict {
        key: KEY,
        with: &["any ftl.placement but append"],
        why: "static: pages of the cache have one level; use ftl.placement = \"append\"",
        applies: |config| config.ftl.placement.kind != "append",
    },
    Conflict {
        key: KEY,
        with: &["ftl.separation with relocated pages by class"],
        why: "static: pages are folded into one open block, which a plane has room for; use \
              ftl.separation.relocated = \"together\"",
        applies: |config| config.ftl.relocates_by_class(),
    },
    Conflict {
        key: KEY,
        with: &["ftl.gc_frontier = shared"],
        why: "static: pages are folded into the collector's own open block; use ftl.gc_frontier = \
              \"separate\"",
        applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: KEY,
        with: &["ftl.assign_pages = on-arrival"],
        why: "static: whether the cache is full is known when a program starts; use ftl.assign_pages = \
              \"at-start\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: KEY,
        with: &["any gc.relocation but controller and copyback"],
        why: "static: folding and this gc.relocation would plan for the same open block; use gc.relocation = \
              \"controller\" or \"copyback\"",
        applies: |config| !["controller", "copyback"].contains(&config.gc.relocation.kind.as_str()),
    },
    Conflict {
        key: KEY,
        with: &["any gc.trigger but free-blocks, invalid-ratio, and frontier-filled with jobs = 1"],
        why: "static: folding and collection take turns in a plane, and collection must begin when it is \
              short of space; use gc.trigger = \"free-blocks\", or gc.trigger.jobs = 1",
        applies: |config| !trigger_is_simple(config),
    },
    Conflict {
        key: KEY,
        with: &["any gc.concurrency but all"],
        why: "static: no limit says whether folding counts; use gc.concurrency = \"all\"",
        applies: |config| config.gc.concurrency.kind != "all",
    },
    Conflict {
        key: KEY,
        with: &["redundancy = raid5"],
        why: "static: the pages of a stripe have open blocks of their planes; use redundancy = \"none\"",
        applies: Config::is_striped,
    },
    Conflict {
        key: KEY,
        with: &["warmup.scheme, warmup.policies"],
        why: "static: another drive would leave no cache as this one has it; let the drive prepare itself \
              (leave warmup.scheme out)",
        applies: |config| config.warmup.policies.is_some(),
    },
    Conflict {
        key: KEY,
        with: &["host.target_utilisation"],
        why: "static: how long the host's pages keep dies busy depends on how many the cache takes; give \
              host.time_scale, or host.target_total_utilisation",
        applies: |config| config.host.target_utilisation.is_some(),
    },
];
