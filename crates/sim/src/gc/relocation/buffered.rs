//! Through a buffer in the controller: the valid pages of a victim are read into it, the victim is erased, and then
//! they are written back, to the plane they came from or to any that has time and room. With several batches all but
//! the last go back before the erase. GC bypass, sections 3.1 and 3.4.
//!
//! The buffer is one for the whole drive. A job begins when there is room for a batch of its pages, and waits for it
//! otherwise, however urgent it is. A page in the buffer answers host reads; a host write replaces it, and its write-
//! back is cancelled, or is absorbed there (`host_writes`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gc_buffer::{self, BufferRules};
use super::{Build, DestinationView, Destinations, JobView, Relocation, Step, Way};
use crate::ids::PlaneId;
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::alternatives::{reading, scope, unprinted};
use crate::settings::{AssignPages, BlockCount, GcFrontier, Ties};
use crate::ties::TieBreaker;

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
            applies: |config| config.flash.programs_word_lines(),
        },
        Conflict {
            key: "gc.relocation.destination",
            with: &["ftl.allocation = striping, by = lpn"],
            why: "free, chip: pages of others would fill the only plane that a page may be written to; use \
                  ftl.allocation = \"dynamic\", or by = \"arrival\", or gc.relocation.destination = \"home\"",
            applies: |config| {
                let allocation = &config.ftl.allocation;
                matches!(config.gc.relocation.text("destination"), Some("free" | "chip"))
                    && allocation.kind == "striping"
                    && allocation.text("by").is_none_or(|by| by == "lpn")
            },
        },
    ],
    metrics: &gc_buffer::METRICS,
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        let blocks = given.capacity.resolve(context.geometry.blocks_per_plane);
        if blocks == 0 {
            return Err(format!("capacity {}: at least a block, or no victim would fit in", given.capacity));
        }
        if given.batches == 0 {
            return Err("batches 0: a job has one at least".to_owned());
        }
        let chips = context.geometry.chips();
        let ties_of_chips = if given.chip == Chip::Rotating { Ties::Rotating } else { given.ties };
        Ok(Box::new(Buffered {
            planes: TieBreaker::new(given.ties, context.geometry.planes(), context.stream("destination")),
            chips: TieBreaker::new(ties_of_chips, chips, context.stream("destination chip")),
            in_turn: TieBreaker::new(
                Ties::Rotating,
                context.geometry.planes(),
                context.stream("destination"),
            ),
            capacity: blocks.saturating_mul(context.geometry.pages_per_block).div_ceil(given.batches),
            given,
            chip: None,
        }))
    },
};

struct Buffered {
    /// Among planes, and among chips.
    planes: TieBreaker,
    chips: TieBreaker,
    /// Among planes or chips while no time passes. One that has just been sent pages would not be idle, so that wear
    /// would seldom decide: all with room take their turn.
    in_turn: TieBreaker,
    /// Pages it has room for.
    capacity: u32,
    given: Parameters,
    /// The chip that the present batch goes to, once it is chosen.
    chip: Option<u32>,
}

impl Parameters {
    /// Whether a page of another plane may be written to one.
    fn takes(&self, plane: PlaneId, view: &DestinationView<'_>) -> bool {
        if self.batches > 1 { view.has_room_beside_jobs(plane) } else { view.has_room(plane) }
    }
}

impl Buffered {
    fn idle_plane(&mut self, home: PlaneId, view: &DestinationView<'_>) -> Option<PlaneId> {
        let given = &self.given;
        let planes = (0..view.planes.len() as u32).map(PlaneId);
        let free = planes.filter(|plane| *plane != home && view.is_idle(*plane) && given.takes(*plane, view));
        let chosen = if view.is_untimed() {
            self.in_turn.choose(free.map(|plane| ((), plane.0)))
        } else {
            self.planes.choose(free.map(|plane| (view.planes[plane.index()].erases, plane.0)))
        };
        chosen.map(PlaneId)
    }

    /// The chip of a batch.
    fn chip_of_batch(&mut self, view: &DestinationView<'_>) -> Option<u32> {
        let given = &self.given;
        let planes = |chip| view.planes_of_chip(chip).map(PlaneId);
        let busy_too = given.chip == Chip::FewestWaiting;
        let fits = |chip: &u32| {
            (busy_too || planes(*chip).all(|plane| view.is_idle(plane)))
                && planes(*chip).any(|plane| given.takes(plane, view))
        };
        let candidates = (0..view.chips()).filter(fits);
        // Without time nobody can tell who would be idle, but who has room.
        if view.is_untimed() && matches!(given.chip, Chip::FewestErases | Chip::FewestWaiting) {
            return self.in_turn.choose(candidates.map(|chip| ((), chip)));
        }
        let erases = |plane: PlaneId| view.planes[plane.index()].erases.cast_signed();
        let rank = |chip| match given.chip {
            Chip::FewestErases => planes(chip).map(erases).sum(),
            Chip::FewestWaiting => i64::from(view.load_of_chip(chip)),
            Chip::Roomiest => -planes(chip).map(|plane| view.unowed_pages(plane)).sum::<i64>(),
            Chip::Rotating => 0,
        };
        self.chips.choose(candidates.map(|chip| (rank(chip), chip)))
    }

    fn plane_of_chip(&mut self, home: PlaneId, view: &DestinationView<'_>) -> Option<PlaneId> {
        let chip = match self.chip {
            Some(chip) => chip,
            None => self.chip_of_batch(view).unwrap_or_else(|| view.chip_of(home)),
        };
        self.chip = Some(chip);
        let given = &self.given;
        let free = view.planes_of_chip(chip).map(PlaneId).filter(|plane| given.takes(*plane, view));
        let ranked = free.map(|plane| {
            let owed = i64::from(view.planes[plane.index()].owed_pages);
            let space = match given.planes {
                Planes::Even => 0,
                Planes::BySpace => view.space_pages(plane),
            };
            (owed - space, plane.0)
        });
        self.planes.choose(ranked).map(PlaneId)
    }
}

impl Relocation for Buffered {
    fn next(&mut self, job: &JobView<'_>) -> Step {
        job.whole_unit(Way::Lift)
    }

    fn buffer_rules(&self) -> Option<BufferRules> {
        Some(BufferRules {
            capacity: self.capacity,
            batches: self.given.batches,
            holds: self.given.hold == Hold::Batch,
            absorbs_writes: self.given.host_writes == HostWrites::Absorb,
        })
    }

    fn destinations(&mut self) -> Option<&mut dyn Destinations> {
        Some(self)
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.planes, &self.chips)).expect("plain tables can be written down")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok((planes, chips)) = postcard::from_bytes::<(TieBreaker, TieBreaker)>(state) else {
            return false;
        };
        self.planes.take_up(planes) && self.chips.take_up(chips)
    }
}

impl Destinations for Buffered {
    fn begin_batch(&mut self) {
        self.chip = None;
    }

    fn choose(&mut self, home: PlaneId, view: &DestinationView<'_>) -> PlaneId {
        let chosen = match self.given.destination {
            Destination::Home => return home,
            Destination::Free => self.idle_plane(home, view),
            Destination::Chip => self.plane_of_chip(home, view),
        };
        chosen.unwrap_or(home)
    }
}

/// Where pages are written back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Destination {
    /// The plane of the victim.
    #[default]
    Home,
    /// The least-worn plane with room whose die is idle; the plane of the victim if there is none.
    Free,
    /// All pages of a batch to one chip with room, the chip of the victim if there is none (GC bypass, section 3.3).
    Chip,
}

/// Which chip with room the pages of a batch go to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Chip {
    /// Of those whose dies are all idle, the one with the fewest erases.
    #[default]
    FewestErases,
    /// Of all, busy or not, the one with the fewest operations queued at its dies or under way on them.
    FewestWaiting,
    /// Of those whose dies are all idle, the one with the most erased pages that collection could take.
    Roomiest,
    /// Of those whose dies are all idle, the one that was sent a batch longest ago.
    Rotating,
}

/// Which plane of the chip of a batch a page is written back to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Planes {
    /// The one with room that owes the fewest, so that all of them program.
    #[default]
    Even,
    /// The one with the most room and garbage, less what it owes, so that they stay as full as each other.
    BySpace,
}

/// Whether the way to a chip is kept between the pages that are written back to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Hold {
    /// Until none is queued there, where the interconnect keeps circuits; others may remove it.
    #[default]
    Batch,
    /// For each transfer by itself.
    Transfer,
}

/// What becomes of a page in the buffer that the host writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum HostWrites {
    /// The write is done as any other, and the page in the buffer is not written back.
    #[default]
    Replace,
    /// The page in the buffer becomes what was written, which is acknowledged, and is written back (GC bypass, section
    /// 3.4: its dirty bit).
    Absorb,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Size of the buffer, at least a block.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "4 blocks"],
        "How many victims the buffer takes at once is not settled by the text."
    )))]
    capacity: BlockCount,
    /// Where pages are written back.
    #[schemars(extend("x-alternatives" = reading(
        &["home", "free", "chip"],
        "Where valid pages go is given for one scheme and left open for others."
    )))]
    destination: Destination,
    /// Which chip with room gets all pages of a batch, with `destination = "chip"`. Of those whose dies are all idle:
    /// the one with the fewest erases, with the most erased pages for collection (`roomiest`), or that was sent a batch
    /// longest ago (`rotating`). `fewest-waiting`: of all chips, the one with the fewest operations queued or under
    /// way.
    #[schemars(extend("x-alternatives" = reading(
        &["fewest-erases", "fewest-waiting", "roomiest", "rotating"],
        "The paper weighs idle chips by wear and load; it does not print how."
    )))]
    chip: Chip,
    /// Which plane of a chip, with `destination = "chip"`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["even", "by-space"],
        "Which plane of the chosen chip a page goes to is not printed."
    )))]
    planes: Planes,
    /// Batches in which a job lifts its pages, each written back before the next: the buffer is so many times smaller
    /// (GC bypass, Table 2).
    #[schemars(extend("x-alternatives" = scope(
        &["1", "4"],
        "The paper itself divides the buffer into batches."
    )))]
    batches: u32,
    /// Whether the way to a chip is kept between the pages that are written back to it.
    #[schemars(extend("x-alternatives" = reading(
        &["batch", "transfer"],
        "A path is held for a batch of writes, or for each transfer."
    )))]
    hold: Hold,
    /// What becomes of a page in the buffer that the host writes.
    #[schemars(extend("x-alternatives" = reading(
        &["replace", "absorb"],
        "A write of the host replaces the buffered page, or is absorbed by it."
    )))]
    host_writes: HostWrites,
    /// Which of several planes or chips that are as good, with `destination = "free"` or `"chip"`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally worn chips is taken is not printed."
    )))]
    ties: Ties,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            capacity: BlockCount::Blocks(1),
            destination: Destination::default(),
            chip: Chip::default(),
            planes: Planes::default(),
            batches: 1,
            hold: Hold::default(),
            host_writes: HostWrites::default(),
            ties: Ties::Rotating,
        }
    }
}
