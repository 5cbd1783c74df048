//! Settings that cannot be combined with each other, whatever the policies.

use super::superblocks;
use crate::gc::trigger::has_several_jobs;
use crate::registry::Conflict;
use crate::settings::{Acknowledge, AssignPages, ChannelArbitration, Config, GcFrontier, RepeatOrder};

const MAPPING_UNIT: &str = "geometry.mapping_unit";

fn maps_parts(config: &Config) -> bool {
    config.geometry.parts_of_page() > 1
}

/// Settings that cannot be combined with each other, whatever the policies; each policy has its own beside these.
pub fn refused() -> impl Iterator<Item = &'static Conflict> {
    REFUSED.iter().chain(superblocks::REFUSED)
}

const REFUSED: &[Conflict] = &[
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
        with: &["geometry.mapping_unit below page_size", "redundancy = raid5"],
        why: "stripes are made of whole pages; use redundancy = \"none\", or leave geometry.mapping_unit out",
        applies: |config| maps_parts(config) && config.redundancy.kind != "none",
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
        with: &["any gc.pace but off", "gc.relocation = buffered, or redundancy = raid5"],
        why: "paced: what others wait for, room in the collector's buffer or copies of stripes, could wait \
              for the host in turn; use gc.pace = \"off\"",
        applies: |config| {
            !config.gc.pace.is_off()
                && (config.gc.relocation.kind == "buffered" || config.redundancy.kind != "none")
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
        key: "trace.repeat_order",
        with: &[
            "trace.repeat_order = shuffled",
            "ftl.placement = level-by-future, or gc.relocation.admission = future",
        ],
        why: "shuffled: what a policy foresees is that the requests come again in the order of the trace; \
              use trace.repeat_order = \"same\", or a policy that foresees nothing",
        applies: |config| {
            let admits = config.gc.relocation.parameters.get("admission");
            let foresees = config.ftl.placement.kind == "level-by-future"
                || admits.is_some_and(|admission| admission == "future");
            config.trace.repeat_order == RepeatOrder::Shuffled && foresees
        },
    },
];
