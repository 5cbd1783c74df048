//! What superblocks cannot be combined with.

use crate::registry::Conflict;
use crate::settings::{AssignPages, Config, GcFrontier, Superblock};

const KEY: &str = "ftl.superblock";
const SPANS: &str = "any ftl.superblock but plane";

fn spans(config: &Config) -> bool {
    config.ftl.superblock() != Superblock::Plane
}

/// Pages go to planes that have room, one by one, and any of them can be chosen.
fn is_by_room(config: &Config) -> bool {
    let allocation = &config.ftl.allocation;
    match allocation.kind.as_str() {
        "striping" => allocation.text("by") == Some("arrival"),
        kind => ["dynamic", "ospada"].contains(&kind),
    }
}

const BY_VALID_PAGES: &[&str] = &[
    "greedy",
    "fifo",
    "random",
    "random-threshold",
    "d-choices",
    "cost-benefit",
    "windowed-greedy",
    "age-threshold",
];

/// Settings that go with blocks of each plane only.
pub(super) const REFUSED: &[Conflict] = &[
    Conflict {
        key: KEY,
        with: &[SPANS, "any ftl.allocation but dynamic, ospada, and striping with by = arrival"],
        why: "a page may go to any plane that has room in the open superblock, so that all fill up together; \
              use ftl.allocation = { kind = \"striping\", by = \"arrival\" }, or \"dynamic\"",
        applies: |config| spans(config) && !is_by_room(config),
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "flash.program_unit = word-line"],
        why: "pages of a superblock are taken one by one; use flash.program_unit = \"page\"",
        applies: |config| spans(config) && config.flash.programs_word_lines(),
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "geometry.mapping_unit below page_size"],
        why: "pages of a superblock are taken one by one; leave geometry.mapping_unit out",
        applies: |config| spans(config) && config.geometry.parts_of_page() > 1,
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any ftl.placement but append"],
        why: "planes would have to agree on several open superblocks; use ftl.placement = \"append\"",
        applies: |config| spans(config) && config.ftl.placement.kind != "append",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any ftl.separation but none"],
        why: "planes would have to agree on an open superblock of each class; use ftl.separation = \"none\"",
        applies: |config| spans(config) && config.ftl.separation.kind != "none",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any ftl.slc_cache but none"],
        why: "each plane folds its cache by itself; use ftl.slc_cache = \"none\"",
        applies: |config| spans(config) && config.ftl.slc_cache.kind != "none",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "ftl.gc_frontier = shared"],
        why: "collected pages have superblocks of their own; use ftl.gc_frontier = \"separate\"",
        applies: |config| spans(config) && config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "ftl.assign_pages = on-arrival"],
        why: "superblocks are opened when pages are promised, and taken when programs start; use \
              ftl.assign_pages = \"at-start\"",
        applies: |config| spans(config) && config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "ftl.wear.static_threshold"],
        why: "static wear levelling moves a block of one plane; leave ftl.wear.static_threshold out",
        applies: |config| spans(config) && config.ftl.wear.static_threshold.is_some(),
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any gc.trigger but free-blocks with of = plane"],
        why: "collection starts by the number of free superblocks; use gc.trigger = \"free-blocks\", and \
              leave gc.trigger.of out",
        applies: |config| {
            let trigger = &config.gc.trigger;
            let counts = trigger.kind == "free-blocks" && trigger.text("of") != Some("drive");
            spans(config) && !counts
        },
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "gc.victim = word-line, score or python"],
        why: "a superblock is chosen by its valid pages and its age; use gc.victim = \"greedy\" or another \
              policy that goes by these",
        applies: |config| spans(config) && !BY_VALID_PAGES.contains(&config.gc.victim.kind.as_str()),
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any gc.relocation but controller"],
        why: "collected pages may go to another plane, so they pass through the controller; use \
              gc.relocation = \"controller\"",
        applies: |config| spans(config) && config.gc.relocation.kind != "controller",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any gc.concurrency but all"],
        why: "the planes of a superblock are collected together; use gc.concurrency = \"all\"",
        applies: |config| spans(config) && config.gc.concurrency.kind != "all",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "any gc.pace but off"],
        why: "jobs of several planes would wait for each other's writes; use gc.pace = \"off\"",
        applies: |config| spans(config) && !config.gc.pace.is_off(),
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "redundancy = raid5"],
        why: "every page of a stripe has a plane of its own; use redundancy = \"none\"",
        applies: |config| spans(config) && config.redundancy.kind != "none",
    },
    Conflict {
        key: KEY,
        with: &[SPANS, "interconnect = serialized-channel"],
        why: "a job may program pages on other channels than it reads from; use another interconnect",
        applies: |config| spans(config) && config.interconnect.kind == "serialized-channel",
    },
    Conflict {
        key: KEY,
        with: &[
            "any ftl.superblock but plane, here or of the policies that prepare",
            "warmup.scheme, warmup.policies",
        ],
        why: "blocks of planes cannot be taken over as superblocks, nor the other way; let the drive prepare \
              itself (leave warmup.scheme out)",
        applies: |config| {
            let prepared = config.warmup.policies.as_ref();
            prepared.is_some_and(|policies| spans(config) || policies.ftl.superblock() != Superblock::Plane)
        },
    },
];
