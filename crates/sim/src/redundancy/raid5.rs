//! RAID-5 over chips: every stripe has a page of parity, which moves from chip to chip, row by row. Liang et al., IEICE
//! Electronics Express 2018, section 2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, ReadBefore, Rebuild, RebuildEvent, RebuildOrder, Redundancy, StripeEvent, StripeUpdate};
use crate::flash::Stripes;
use crate::ids::ChipId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::alternatives::{SWITCH, reading, scope, unprinted};
use crate::settings::{Acknowledge, AssignPages, BufferPath, Config, GcFrontier, Time};
use crate::time::Nanos;

const METRICS: &[Metric] = &[
    Metric { name: "stripe_reads", unit: "pages", about: "Pages read to make parity or to rebuild a page." },
    Metric {
        name: "full_stripe_writes",
        unit: "writes",
        about: "Writes of whole stripes, before which nothing is read.",
    },
    Metric {
        name: "update_writes",
        unit: "writes",
        about: "Writes to stripes that read what they replace, and the parity (read-modify-write).",
    },
    Metric {
        name: "rebuild_writes",
        unit: "writes",
        about: "Writes to stripes that read what they do not replace (reconstruct-write).",
    },
    Metric {
        name: "stripe_waits",
        unit: "writes",
        about: "Writes, and reads of an unreadable chip, that waited because their stripe was being written.",
    },
    Metric {
        name: "room_waits",
        unit: "writes",
        about: "Writes that waited until every plane of their stripe could hold a page more.",
    },
    Metric {
        name: "degraded_reads",
        unit: "pages",
        about: "Pages of the unreadable chip that were rebuilt from the rest of their stripe.",
    },
    Metric {
        name: "read_arounds",
        unit: "pages",
        about: "Pages of chips under collection that were made up from the rest of their stripe.",
    },
    Metric {
        name: "trim_updates",
        unit: "trims",
        about: "Trims of parts of stripes, for which parity was written anew.",
    },
    Metric {
        name: "rebuilt_pages",
        unit: "pages",
        about: "Pages of the lost chip that were rebuilt on the erased one; they count as parity programs.",
    },
    Metric {
        name: "rebuild_ns",
        unit: "ns",
        about: "Time until no page was lost any more: all were rebuilt, overwritten or trimmed.",
    },
    Metric { name: "rebuilding_reads", unit: "reads", about: "Reads of the host that ended before that." },
    Metric { name: "rebuilding_read_ns", unit: "ns", about: "Their latencies, added up." },
    Metric { name: "rebuilding_writes", unit: "writes", about: "Writes of the host that ended before that." },
    Metric { name: "rebuilding_write_ns", unit: "ns", about: "Their latencies, added up." },
];

fn has_own_blocks(config: &Config) -> bool {
    config.redundancy.text("parity_blocks") == Some("own")
}

pub const MEMBER: Member<Build> = Member {
    name: "raid5",
    about: "stripes over chips with rotating parity; the fewest reads before each write (RAID-5)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        Conflict {
            key: "ftl.allocation",
            with: &["ftl.allocation = dynamic", "ftl.allocation = striping, by = arrival"],
            why: "the stripe says where each page lives; use ftl.allocation = { kind = \"striping\", by = \
                  \"lpn\" }",
            applies: |config| {
                let allocation = &config.ftl.allocation;
                allocation.kind != "striping" || allocation.text("by").is_some_and(|by| by != "lpn")
            },
        },
        Conflict {
            key: "controller.acknowledge",
            with: &["controller.acknowledge = staged"],
            why: "staged: pages of a stripe are done together, with their parity; use \
                  controller.acknowledge = \"programmed\"",
            applies: |config| config.controller.acknowledge == Acknowledge::Staged,
        },
        Conflict {
            key: "gc.relocation",
            with: &["gc.relocation = buffered"],
            why: "buffered: a page in the collector's buffer has no flash copy that its stripe could fall \
                  back on; use gc.relocation = \"controller\"",
            applies: |config| config.gc.relocation.kind == "buffered",
        },
        Conflict {
            key: "channel.host_buffer_path",
            with: &["channel.host_buffer_path = controller"],
            why: "controller: pages of a stripe are written together with parity, which no host sends; \
                  use channel.host_buffer_path = \"channel\"",
            applies: |config| config.channel.host_buffer_path == Some(BufferPath::Controller),
        },
        Conflict {
            key: "ftl.assign_pages",
            with: &["ftl.assign_pages = on-arrival"],
            why: "on-arrival: pages of a stripe get their places when they are programmed; use \
                  ftl.assign_pages = \"at-start\"",
            applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
        },
        Conflict {
            key: "gc.block_victim_access",
            with: &["gc.block_victim_access = true"],
            why: "true: pages of a stripe are written together, or not at all; use \
                  gc.block_victim_access = false",
            applies: |config| config.gc.block_victim_access,
        },
        Conflict {
            key: "redundancy.parity_blocks",
            with: &["parity_blocks = own, ftl.gc_frontier = shared"],
            why: "own: parity would have blocks of its own and collected pages none; use ftl.gc_frontier = \
                  \"separate\"",
            applies: |config| has_own_blocks(config) && config.ftl.gc_frontier == GcFrontier::Shared,
        },
        Conflict {
            key: "redundancy.parity_blocks",
            with: &["parity_blocks = own, flash.program_unit = word-line or geometry.mapping_unit"],
            why: "own: a program of a whole word line, or of a page in parts, would mix pages of both kinds; \
                  use parity_blocks = \"shared\"",
            applies: |config| {
                let in_units = config.flash.programs_word_lines() || config.geometry.parts_of_page() > 1;
                has_own_blocks(config) && in_units
            },
        },
        Conflict {
            key: "redundancy.rebuild_chip",
            with: &["rebuild_chip, unreadable_chip"],
            why: "rebuild_chip: a stripe bears the loss of one chip only; leave out unreadable_chip",
            applies: |config| {
                let given = |key| config.redundancy.parameters.contains_key(key);
                given("rebuild_chip") && given("unreadable_chip")
            },
        },
        Conflict {
            key: "measure.power_cut_every",
            with: &["rebuild_chip, measure.power_cut_every"],
            why: "rebuild_chip: what a power cut destroys while pages are lost is not modelled; leave out \
                  measure.power_cut_every",
            applies: |config| {
                config.redundancy.parameters.contains_key("rebuild_chip")
                    && config.measure.power_cut_every.is_some()
            },
        },
        Conflict {
            key: "controller.write_buffer",
            with: &["a controller.write_buffer of less than a stripe"],
            why: "it holds no whole stripe, which is written at once; give it stripe_chips pages at least, \
                  or \"unlimited\"",
            applies: |config| {
                let given = config.redundancy.parameters.get("stripe_chips");
                let chips = given.and_then(serde_json::Value::as_u64).unwrap_or(0);
                let page_bytes = u32::try_from(config.geometry.mapped().0).unwrap_or(u32::MAX);
                let pages = config.controller.write_buffer.pages(page_bytes);
                pages.is_some_and(|pages| u64::from(pages) < chips)
            },
        },
    ],
    metrics: METRICS,
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        let chips = context.geometry.chips();
        if given.stripe_chips.is_none() {
            return Err(format!("raid5 needs stripe_chips; {}", Stripes::possible(chips)));
        }
        if let Some(chip) = given.unreadable_chip.filter(|chip| *chip >= chips) {
            return Err(format!("unreadable_chip {chip}: the drive has {chips} chips, numbered from 0"));
        }
        if let Some(chip) = given.rebuild_chip.filter(|chip| *chip >= chips) {
            return Err(format!("rebuild_chip {chip}: the drive has {chips} chips, numbered from 0"));
        }
        if given.rebuild_stripes == 0 {
            return Err("rebuild_stripes 0: nothing would ever be rebuilt; at least 1".to_owned());
        }
        Ok(Box::new(Raid5 {
            rebuild: given.rebuild_chip.map(|chip| Rebuild {
                chip: ChipId(chip),
                order: given.rebuild_order,
                stripes: given.rebuild_stripes,
            }),
            unreadable_chip: given.unreadable_chip.map(ChipId),
            read_around: given.read_around,
            xor: given.xor.0,
            own_blocks: given.parity_blocks == ParityBlocks::Own,
            counted: [0; METRICS.len()],
        }))
    },
};

struct Raid5 {
    rebuild: Option<Rebuild>,
    unreadable_chip: Option<ChipId>,
    own_blocks: bool,
    read_around: bool,
    xor: Nanos,
    /// In the order in which they are declared.
    counted: [u64; METRICS.len()],
}

impl Redundancy for Raid5 {
    fn read_before(&mut self, update: &StripeUpdate) -> ReadBefore {
        let replaced = update.written_there + u32::from(update.parity_there);
        let others = update.others_there + update.partly_written_there;
        let (read, counter) = if update.written == update.data_pages && update.whole_pages {
            (ReadBefore::Nothing, 1)
        } else if replaced <= others {
            (ReadBefore::Replaced, 2)
        } else {
            (ReadBefore::Others, 3)
        };
        self.counted[counter] += 1;
        read
    }

    fn note(&mut self, event: StripeEvent) {
        let counter = match event {
            StripeEvent::PageRead => 0,
            StripeEvent::Waits => 4,
            StripeEvent::WaitsForRoom => 5,
            StripeEvent::DegradedRead => 6,
            StripeEvent::ReadAround => 7,
            StripeEvent::TrimUpdate => 8,
        };
        self.counted[counter] += 1;
    }

    fn rebuild(&self) -> Option<Rebuild> {
        self.rebuild
    }

    fn note_rebuild(&mut self, event: RebuildEvent) {
        match event {
            RebuildEvent::PageRebuilt => self.counted[9] += 1,
            RebuildEvent::Ended(ns) => self.counted[10] += ns,
            RebuildEvent::ReadMeanwhile(ns) => {
                self.counted[11] += 1;
                self.counted[12] += ns;
            }
            RebuildEvent::WriteMeanwhile(ns) => {
                self.counted[13] += 1;
                self.counted[14] += ns;
            }
        }
    }

    fn unreadable_chip(&self) -> Option<ChipId> {
        self.unreadable_chip
    }

    fn reads_around(&self) -> bool {
        self.read_around
    }

    fn sum_time(&self) -> Nanos {
        self.xor
    }

    fn has_own_blocks(&self) -> bool {
        self.own_blocks
    }

    fn metrics(&self) -> Vec<Reading> {
        METRICS.iter().zip(self.counted).map(|(metric, count)| metric.is(count)).collect()
    }
}

/// Where parity is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ParityBlocks {
    /// Among the host's pages.
    #[default]
    Shared,
    /// To open blocks of its own: it is replaced more often than most data.
    Own,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the geometry reads the number of chips")]
struct Parameters {
    /// Number of chips that share a stripe, one of them for parity: a divisor of the number of chips, at least 2.
    #[schemars(required)]
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "The paper varies the number of chips of a stripe itself."
    )))]
    stripe_chips: Option<u32>,
    /// A chip whose pages the host cannot read, numbered channel by channel: they are rebuilt from the rest of their
    /// stripes. Writes and collection go on there. Absent: every chip can be read.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = scope(&["0"], "A drive serves requests with a chip lost, too.")))]
    unreadable_chip: Option<u32>,
    /// A chip that was lost before the run, by its number. An erased chip replaces it; its pages are rebuilt from the
    /// rest of their stripes while the host goes on.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = scope(
        &["0"],
        "A drive serves requests while a chip is rebuilt, too."
    )))]
    rebuild_chip: Option<u32>,
    /// Who goes first meanwhile.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = unprinted(
        &["host-first", "rebuild-first"],
        "Who goes first during a rebuild is seldom printed."
    )))]
    rebuild_order: RebuildOrder,
    /// Number of stripes that are rebuilt at once, at most.
    #[serde(default = "some_stripes")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How many stripes are rebuilt at once is seldom printed."
    )))]
    rebuild_stripes: u32,
    /// Where parity is written.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["shared", "own"],
        "Parity lies among data, or in blocks of its own."
    )))]
    parity_blocks: ParityBlocks,
    /// Whether a host read of a page is answered from the rest of its stripe while its chip, and no other of the
    /// stripe, is under collection.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "A page of a chip under collection can be made up from the rest of its stripe."
    )))]
    read_around: bool,
    /// How long the controller takes to add pages up (exclusive or), once they have been read.
    #[serde(default = "no_time")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "10us"],
        "What the controller takes for the exclusive or is seldom printed."
    )))]
    xor: Time,
}

fn some_stripes() -> u32 {
    4
}

fn no_time() -> Time {
    Time(Nanos(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raid5() -> Raid5 {
        Raid5 {
            rebuild: None,
            unreadable_chip: None,
            own_blocks: false,
            read_around: false,
            xor: Nanos(0),
            counted: [0; METRICS.len()],
        }
    }

    /// A stripe of `chips` pages, all of them in flash, of which `written` are written wholly.
    fn update(chips: u32, written: u32) -> StripeUpdate {
        StripeUpdate {
            data_pages: chips - 1,
            written,
            written_there: written,
            partly_written_there: 0,
            whole_pages: true,
            others_there: chips - 1 - written,
            parity_there: true,
        }
    }

    #[test]
    fn a_page_written_in_part_is_read_either_way() {
        let mut partly = update(4, 2);
        (partly.whole_pages, partly.partly_written_there) = (false, 2);
        // Update: two pages and the parity; else the other page and both partly written ones.
        assert_eq!(raid5().read_before(&partly), ReadBefore::Replaced);
        let mut whole_but_one = update(4, 3);
        (whole_but_one.whole_pages, whole_but_one.partly_written_there) = (false, 1);
        assert_eq!(raid5().read_before(&whole_but_one), ReadBefore::Others);
    }
}
