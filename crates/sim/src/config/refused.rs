//! Settings that cannot be combined with each other, whatever the policies; those of superblocks apart.

use crate::gc::trigger::has_several_jobs;
use crate::registry::Conflict;
use crate::settings::{
    Acknowledge, AssignPages, ChannelArbitration, Config, GcFrontier, MeasureAfter, RepeatOrder, Superblock,
};

const MAPPING_UNIT: &str = "geometry.mapping_unit";

fn maps_parts(config: &Config) -> bool {
    config.geometry.parts_of_page() > 1
}

const FORESEES: &str = "ftl.placement = level-by-future, ftl.separation = future-knowledge, or \
                        gc.relocation.admission = future";

/// Whether a policy knows what the trace will write.
fn foresees(config: &Config) -> bool {
    config.ftl.placement.kind == "level-by-future"
        || config.ftl.separation.kind == "future-knowledge"
        || config.gc.relocation.parameters.get("admission").is_some_and(|admission| admission == "future")
}

/// Settings that cannot be combined with each other, whatever the policies; each policy has its own beside these.
pub fn refused() -> impl Iterator<Item = &'static Conflict> {
    REFUSED.iter().chain(OF_SUPERBLOCKS)
}

const REFUSED: &[Conflict] = &[
    Conflict {
        key: "measure.windows",
        with: &["measure.windows", "measure.untimed = true"],
        why: "windows are measured with time, and an untimed run has none; leave one of them out",
        applies: |config| config.measure.windows.is_some() && config.measure.untimed,
    },
    Conflict {
        key: "measure.windows",
        with: &["measure.windows", FORESEES],
        why: "a policy that foresees the trace does so from its beginning, and windows begin anywhere in it; \
              measure the whole run, or use a policy that foresees nothing",
        applies: |config| config.measure.windows.is_some() && foresees(config),
    },
    Conflict {
        key: "measure.windows.until",
        with: &["measure.windows.until = \"worn\"", "no flash.endurance.failures"],
        why: "without flash.endurance.failures no block fails, and the drive is never worn out; say there \
              what share of blocks has failed by how many erases, or leave until out",
        applies: |config| config.measure.is_of_life() && config.flash.endurance.failures.is_empty(),
    },
    Conflict {
        key: "measure.untimed",
        with: &["measure.untimed = true, or measure.windows", "any measure.after but start"],
        why: "nothing settles after a warm-up where no time passes; use measure.after = \"start\"",
        applies: |config| config.measure.plays_without_time() && config.measure.after != MeasureAfter::Start,
    },
    Conflict {
        key: "measure.untimed",
        with: &["measure.untimed = true, or measure.windows", "measure.power_cut_every"],
        why: "without time nothing is under way when power is cut; leave measure.power_cut_every out",
        applies: |config| config.measure.plays_without_time() && config.measure.power_cut_every.is_some(),
    },
    Conflict {
        key: "measure.untimed",
        with: &[
            "measure.untimed = true, or measure.windows",
            "host.target_utilisation, or host.target_total_utilisation",
        ],
        why: "without time no die is busy; leave the target out",
        applies: |config| {
            let host = &config.host;
            let is_asked = host.target_utilisation.is_some() || host.target_total_utilisation.is_some();
            config.measure.plays_without_time() && is_asked
        },
    },
    Conflict {
        key: "measure.untimed",
        with: &["measure.untimed = true, or measure.windows", "controller.merge_overwrites = true"],
        why: "which writes meet in the buffer depends on time; use controller.merge_overwrites = false",
        applies: |config| config.measure.plays_without_time() && config.controller.merge_overwrites,
    },
    Conflict {
        key: "measure.untimed",
        with: &["measure.untimed = true, or measure.windows", "any gc.pace but off"],
        why: "without time there is no pace; use gc.pace = \"off\"",
        applies: |config| config.measure.plays_without_time() && !config.gc.pace.is_off(),
    },
    Conflict {
        key: "ftl.assign_pages",
        with: &["ftl.assign_pages = on-arrival", "ftl.gc_frontier = shared"],
        // Two sources of pages for one block would program it out of order.
        why: "on-arrival: host and collected pages of one block would wait in different queues; use \
              ftl.gc_frontier = \"separate\"",
        applies: |config| {
            config.ftl.assign_pages == AssignPages::OnArrival && config.ftl.gc_frontier == GcFrontier::Shared
        },
    },
    Conflict {
        key: "flash.program_unit",
        with: &["flash.program_unit = word-line", "ftl.gc_frontier = shared"],
        why: "word-line: a unit has pages of the host or of the collector, so they need a block each; use \
              ftl.gc_frontier = \"separate\"",
        applies: |config| config.flash.programs_word_lines() && config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: "flash.program_unit",
        with: &["flash.program_unit = word-line", "ftl.assign_pages = on-arrival"],
        why: "word-line: the pages of a unit are known when it starts; use ftl.assign_pages = \"at-start\"",
        applies: |config| {
            config.flash.programs_word_lines() && config.ftl.assign_pages == AssignPages::OnArrival
        },
    },
    Conflict {
        key: MAPPING_UNIT,
        with: &["geometry.mapping_unit below page_size", "any gc.relocation but controller"],
        why: "only gc.relocation = \"controller\" gathers valid parts of several pages: a copyback moves \
              whole pages, and a buffer writes back part by part; use that, or leave geometry.mapping_unit \
              out",
        applies: |config| maps_parts(config) && config.gc.relocation.kind != "controller",
    },
    Conflict {
        key: MAPPING_UNIT,
        with: &["geometry.mapping_unit below page_size", "any ftl.placement but append"],
        why: "parts of a page are programmed together, whatever level each of them should have; use \
              ftl.placement = \"append\", or leave geometry.mapping_unit out",
        applies: |config| maps_parts(config) && config.ftl.placement.kind != "append",
    },
    Conflict {
        key: MAPPING_UNIT,
        with: &["geometry.mapping_unit below page_size", "ftl.gc_frontier = shared"],
        why: "a page has parts of the host or of the collector, so they need a block each; use \
              ftl.gc_frontier = \"separate\", or leave geometry.mapping_unit out",
        applies: |config| maps_parts(config) && config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: MAPPING_UNIT,
        with: &["geometry.mapping_unit below page_size", "ftl.assign_pages = on-arrival"],
        why: "which parts share a page is known when its program starts; use \
              ftl.assign_pages = \"at-start\", or leave geometry.mapping_unit out",
        applies: |config| maps_parts(config) && config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: "flash.cache_reads",
        with: &["flash.cache_reads = true", "flash.plane_reads = shared"],
        why: "each plane has a cache register, and reads that share an operation leave it together; use \
              flash.plane_reads = \"independent\" (with one plane in a die it is the same die otherwise)",
        applies: |config| config.flash.cache_reads && config.flash.plane_reads.are_shared(),
    },
    Conflict {
        key: "flash.cache_programs",
        with: &["flash.cache_programs = true", "flash.suspend.program = true"],
        why: "reads that suspend a program leave by the cache register, in which the next program may wait; \
              use flash.suspend.program = false, or leave flash.cache_programs out",
        applies: |config| config.flash.cache_programs && config.flash.suspend.program,
    },
    Conflict {
        key: "flash.cache_programs",
        with: &["flash.cache_programs = true", "flash.program_unit = word-line"],
        why: "the cache register holds a page of each plane, and a program unit has a word line of them; use \
              flash.program_unit = \"page\", or leave flash.cache_programs out",
        applies: |config| config.flash.cache_programs && config.flash.programs_word_lines(),
    },
    Conflict {
        key: "channel.order",
        with: &["channel.order = by-class", "any scheduler but by-class"],
        why: "by-class: the lines of a channel have the order that the scheduler gives to classes; use \
              scheduler = { kind = \"by-class\" }, or channel.order = \"commands-first\"",
        applies: |config| {
            config.channel.order == ChannelArbitration::ByClass && config.scheduler.kind != "by-class"
        },
    },
    Conflict {
        key: "controller.merge_overwrites",
        with: &["controller.merge_overwrites = true", "controller.acknowledge = programmed"],
        why: "a page that is replaced in the buffer is never programmed; use controller.acknowledge = \
              \"staged\"",
        applies: |config| {
            config.controller.merge_overwrites && config.controller.acknowledge == Acknowledge::Programmed
        },
    },
    Conflict {
        key: "controller.merge_overwrites",
        with: &["controller.merge_overwrites = true", "gc.relocation = buffered"],
        why: "the collector's buffer has a rule of its own for pages that are overwritten there; leave it \
              out, or use another gc.relocation",
        applies: |config| config.controller.merge_overwrites && config.gc.relocation.kind == "buffered",
    },
    Conflict {
        key: "gc.pace",
        with: &["any gc.pace but off", "gc.relocation = buffered, or gc.deferral = dgc"],
        why: "paced: what others wait for, room in the collector's buffer or a plane that a page was sent \
              to, could wait for the host in turn; use gc.pace = \"off\"",
        applies: |config| {
            !config.gc.pace.is_off()
                && (config.gc.relocation.kind == "buffered" || config.gc.deferral.kind != "none")
        },
    },
    Conflict {
        key: "gc.pace",
        with: &["any gc.pace but off", "gc.block_victim_access = true, or interconnect.gc_tasks = whole"],
        why: "paced: the host would wait for a job that waits for the host; use gc.pace = \"off\"",
        applies: |config| {
            let whole = config.interconnect.text("gc_tasks") == Some("whole");
            !config.gc.pace.is_off() && (config.gc.block_victim_access || whole)
        },
    },
    Conflict {
        key: "gc.pace",
        with: &["any gc.pace but off", "gc.trigger.jobs other than 1"],
        why: "paced: a plane has one pace; use gc.trigger.jobs = 1",
        applies: |config| !config.gc.pace.is_off() && has_several_jobs(&config.gc.trigger),
    },
    Conflict {
        key: "flash.endurance.failures",
        with: &["flash.endurance.failures", "redundancy = raid5"],
        why: "the pages of a stripe have their chips, and what those do with fewer blocks is not modelled; \
              leave flash.endurance.failures out, or use redundancy = \"none\"",
        applies: |config| !config.flash.endurance.failures.is_empty() && config.is_striped(),
    },
    Conflict {
        key: "trace.repeat_order",
        with: &["trace.repeat_order = shuffled", FORESEES],
        why: "shuffled: what a policy foresees is that the requests come again in the order of the trace; \
              use trace.repeat_order = \"same\", or a policy that foresees nothing",
        applies: |config| config.trace.repeat_order == RepeatOrder::Shuffled && foresees(config),
    },
];

const SUPERBLOCK: &str = "ftl.superblock";
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
pub(super) const OF_SUPERBLOCKS: &[Conflict] = &[
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "any ftl.allocation but dynamic, ospada, and striping with by = arrival"],
        why: "a page may go to any plane that has room in the open superblock, so that all fill up together; \
              use ftl.allocation = { kind = \"striping\", by = \"arrival\" }, or \"dynamic\"",
        applies: |config| spans(config) && !is_by_room(config),
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "any ftl.placement but append"],
        why: "planes would have to agree on several open superblocks; use ftl.placement = \"append\"",
        applies: |config| spans(config) && config.ftl.placement.kind != "append",
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "relocated pages by class, any ftl.separation but by-stream and by-lifetime"],
        why: "the class of a collected page is that which the host has written; use ftl.separation = \
              \"by-stream\" or \"by-lifetime\"",
        applies: |config| {
            let as_written = ["by-stream", "by-lifetime"].contains(&config.ftl.separation.kind.as_str());
            spans(config) && config.ftl.relocates_by_class() && !as_written
        },
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "ftl.gc_frontier = shared"],
        why: "collected pages have superblocks of their own; use ftl.gc_frontier = \"separate\"",
        applies: |config| spans(config) && config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "ftl.assign_pages = on-arrival"],
        why: "superblocks are opened when pages are promised, and taken when programs start; use \
              ftl.assign_pages = \"at-start\"",
        applies: |config| spans(config) && config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: SUPERBLOCK,
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
        key: SUPERBLOCK,
        with: &[SPANS, "gc.victim = word-line, score or python"],
        why: "a superblock is chosen by its valid pages and its age; use gc.victim = \"greedy\" or another \
              policy that goes by these",
        applies: |config| spans(config) && !BY_VALID_PAGES.contains(&config.gc.victim.kind.as_str()),
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "any gc.relocation but controller and copyback"],
        why: "this gc.relocation plans for the one open block of a plane, and collected pages may go to \
              another plane; use gc.relocation = \"controller\" or \"copyback\"",
        applies: |config| {
            spans(config) && !["controller", "copyback"].contains(&config.gc.relocation.kind.as_str())
        },
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "any gc.concurrency but all"],
        why: "the planes of a superblock are collected together; use gc.concurrency = \"all\"",
        applies: |config| spans(config) && config.gc.concurrency.kind != "all",
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "any gc.pace but off"],
        why: "jobs of several planes would wait for each other's writes; use gc.pace = \"off\"",
        applies: |config| spans(config) && !config.gc.pace.is_off(),
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "redundancy = raid5"],
        why: "raid5: every page of a stripe has a plane of its own; use redundancy = \"superblock-parity\"",
        applies: |config| spans(config) && config.is_striped(),
    },
    Conflict {
        key: SUPERBLOCK,
        with: &[SPANS, "interconnect = serialized-channel"],
        why: "a job may program pages on other channels than it reads from; use another interconnect",
        applies: |config| spans(config) && config.interconnect.kind == "serialized-channel",
    },
    Conflict {
        key: SUPERBLOCK,
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
