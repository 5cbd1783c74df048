//! Blocks queue up to be collected once enough of their pages are invalid; a channel that falls idle collects the one
//! that has waited longest on it (or it does so at once, with `idle = false`). The garbage collection of channel-aware
//! GC, section 2.
//!
//! Each channel has one list over all its planes, first in, first out, as the paper has it; with
//! `order = "most-invalid"` the block that would win most space comes first. A plane that runs out of free blocks is
//! collected without regard to the list, and `gc.victim` chooses the block.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, SpaceView, Terms, Trigger, urgent_level};
use crate::flash::Geometry;
use crate::gc::events::{BlockEvent, BlockEvents, BlockView};
use crate::ids::{BlockId, ChannelId, PlaneId};
use crate::mapping::{BlockState, GC_RESERVE_BLOCKS};
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::alternatives::{SWITCH, reading, unprinted};
use crate::settings::{BlockCount, HardLevel, Ratio};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// A full block joins its channel's list when at least this share of its pages is invalid, and at least a program
    /// unit of them.
    #[schemars(extend("x-alternatives" = unprinted(
        &["70%", "75%", "80%"],
        "The paper calls a range of ratios common and prints none for its runs."
    )))]
    ratio: Ratio,
    /// At so many free blocks or fewer a plane is collected at once, listed or not, if the limit of jobs permits, and
    /// before host operations. `off`: at 1 block, and never before them.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    hard: HardLevel,
    /// Whether the first listed block of a channel is collected only while nothing is queued or under way on any die
    /// of the channel.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "A listed block waits for an idle channel, or is collected at once."
    )))]
    idle: bool,
    /// Which listed block of a channel is collected first: the one that was listed first, or the one with the most
    /// invalid pages (among equals the one that has had so many for longest).
    #[schemars(extend("x-alternatives" = unprinted(
        &["first-listed", "most-invalid"],
        "The paper's list is first in, first out; what that costs or gains it does not measure."
    )))]
    order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Order {
    FirstListed,
    MostInvalid,
}

impl Default for Parameters {
    fn default() -> Self {
        let hard = HardLevel::At(BlockCount::Share(Ratio { ppm: 5_000 }));
        Self { ratio: Ratio { ppm: 700_000 }, hard, idle: true, order: Order::FirstListed }
    }
}

const LISTED: Metric = Metric {
    name: "blocks_listed",
    unit: "blocks",
    about: "Blocks that joined the victim list of their channel.",
};

const URGENT: Metric = Metric {
    name: "urgent_answers",
    unit: "answers",
    about: "Times a plane opened or got back a block and was told that its collection goes before the host.",
};

pub const MEMBER: Member<Build> = Member {
    name: "invalid-ratio",
    about: "idle channels collect the block that was first to hold enough invalid pages (channel-aware GC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[Conflict {
        with: &["measure.untimed = true, or measure.windows, with gc.trigger.idle = true"],
        applies: |config| {
            config.measure.plays_without_time() && parameters::<Parameters>(&config.gc.trigger).idle
        },
        ..Conflict::with_untimed(
            "invalid-ratio: collects when a channel falls idle, and without time none does; use \
             gc.trigger.idle = false, or a timed run",
        )
    }],
    metrics: &[LISTED, URGENT],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        let hard = urgent_level(given.hard, geometry)?;
        if hard.is_some_and(|hard| hard < GC_RESERVE_BLOCKS) {
            return Err(format!(
                "hard 0 blocks: must be at least {GC_RESERVE_BLOCKS}, because a plane out of space is \
                 collected then; hard = \"off\" collects it, but not before the host"
            ));
        }
        if given.ratio.ppm > 1_000_000 {
            return Err(format!("ratio {}: no block has more invalid pages than pages", given.ratio));
        }
        let share = u64::from(given.ratio.ppm) * u64::from(geometry.pages_per_block);
        // Less than a unit wins nothing.
        let invalid = (share.div_ceil(1_000_000) as u32).max(geometry.unit_pages);
        let levels = match given.order {
            Order::FirstListed => 1,
            Order::MostInvalid => geometry.pages_per_block - invalid + 1,
        };
        Ok(Box::new(InvalidRatio {
            invalid,
            forced: hard.unwrap_or(GC_RESERVE_BLOCKS),
            hard,
            idle: given.idle,
            lists: Lists::new(geometry, levels),
            listed: 0,
            urgent: 0,
        }))
    },
};

/// Lists of blocks, linked through arrays. A channel has one for each level, and the highest goes first; within a
/// level, first in, first out.
#[derive(Debug, Serialize, Deserialize)]
struct Lists {
    levels: u32,
    head: Vec<BlockId>,
    tail: Vec<BlockId>,
    next: Vec<BlockId>,
    previous: Vec<BlockId>,
    /// The level of each block; none: it is not listed.
    level: Vec<Option<u32>>,
}

impl Lists {
    fn new(geometry: &Geometry, levels: u32) -> Self {
        let (lists, blocks) = ((geometry.channels * levels) as usize, geometry.blocks() as usize);
        Self {
            levels,
            head: vec![BlockId::NONE; lists],
            tail: vec![BlockId::NONE; lists],
            next: vec![BlockId::NONE; blocks],
            previous: vec![BlockId::NONE; blocks],
            level: vec![None; blocks],
        }
    }

    fn index(&self, channel: ChannelId, level: u32) -> usize {
        (channel.0 * self.levels + level) as usize
    }

    /// To the end of a level, from wherever it stood.
    fn join(&mut self, channel: ChannelId, block: BlockId, level: u32) {
        self.leave(channel, block);
        let list = self.index(channel, level);
        let tail = std::mem::replace(&mut self.tail[list], block);
        (self.previous[block.index()], self.next[block.index()]) = (tail, BlockId::NONE);
        let link = if tail.is_some() { &mut self.next[tail.index()] } else { &mut self.head[list] };
        *link = block;
        self.level[block.index()] = Some(level);
    }

    fn leave(&mut self, channel: ChannelId, block: BlockId) {
        let Some(level) = self.level[block.index()].take() else { return };
        let list = self.index(channel, level);
        let (previous, next) = (self.previous[block.index()], self.next[block.index()]);
        let ahead = if previous.is_some() { &mut self.next[previous.index()] } else { &mut self.head[list] };
        *ahead = next;
        let behind = if next.is_some() { &mut self.previous[next.index()] } else { &mut self.tail[list] };
        *behind = previous;
    }

    fn first(&self, channel: ChannelId) -> Option<BlockId> {
        let heads = &self.head[self.index(channel, 0)..self.index(channel, self.levels)];
        heads.iter().rev().copied().find(|block| block.is_some())
    }
}

struct InvalidRatio {
    /// Invalid pages with which a block joins.
    invalid: u32,
    /// Free blocks at which a plane is collected whatever is listed.
    forced: u32,
    /// Those at which that goes before the host; none: never.
    hard: Option<u32>,
    /// Whether a channel must rest before its first listed block is collected.
    idle: bool,
    lists: Lists,
    listed: u64,
    urgent: u64,
}

fn channel_of(plane: PlaneId, geometry: &Geometry) -> ChannelId {
    geometry.channel_of(geometry.die_of(plane))
}

impl InvalidRatio {
    fn plane_of_first(&self, channel: ChannelId, geometry: &Geometry) -> Option<PlaneId> {
        self.lists.first(channel).map(|block| geometry.plane_of(block))
    }
}

impl Trigger for InvalidRatio {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        // The list's next block may lie in another plane: the erase that ended the job has that asked.
        let listed = || self.nominee(view.plane, view.geometry).is_some();
        view.free_blocks <= self.forced || (!goes_on && (view.channel_idle || !self.idle) && listed())
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        let urgent = self.hard.is_some_and(|hard| view.free_blocks <= hard);
        self.urgent += u64::from(urgent);
        urgent
    }

    fn terms(&self) -> Terms {
        Terms {
            goes_by_free_blocks: false,
            starts_by_level: false,
            listens: BlockEvents::SEALED
                .and(BlockEvents::INVALIDATED)
                .and(BlockEvents::REMOVED)
                .and(BlockEvents::ERASED),
            waits_for_idle: self.idle,
            ..Terms::by_free_blocks(self.forced, self.hard, self.forced)
        }
    }

    fn nominee(&self, plane: PlaneId, geometry: &Geometry) -> Option<BlockId> {
        self.lists.first(channel_of(plane, geometry)).filter(|block| geometry.plane_of(*block) == plane)
    }

    fn has_listed(&self) -> bool {
        self.lists.head.iter().any(|block| block.is_some())
    }

    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) -> Option<PlaneId> {
        let geometry = view.geometry;
        let channel = channel_of(geometry.plane_of(block), geometry);
        match event {
            BlockEvent::Removed => {
                self.lists.leave(channel, block);
                return None;
            }
            BlockEvent::Erased => {}
            BlockEvent::Sealed | BlockEvent::Invalidated(_) | BlockEvent::Programmed(_) => {
                let invalid = geometry.pages_per_block - view.blocks.valid(block);
                let sealed = view.blocks.state(block) == BlockState::Sealed;
                if !sealed || invalid < self.invalid {
                    return None;
                }
                let level = (invalid - self.invalid).min(self.lists.levels - 1);
                let before = self.lists.level[block.index()];
                if before == Some(level) {
                    return None;
                }
                self.lists.join(channel, block, level);
                self.listed += u64::from(before.is_none());
            }
        }
        self.plane_of_first(channel, geometry)
    }

    fn on_channel_idle(&mut self, channel: ChannelId, geometry: &Geometry, signals: &mut Vec<PlaneId>) {
        // A limit of jobs can wait for idle channels where the trigger does not.
        if self.idle {
            signals.extend(self.plane_of_first(channel, geometry));
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.lists).expect("plain tables can be written down")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        postcard::from_bytes(state).map(|lists| self.lists = lists).is_ok()
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![LISTED.is(self.listed), URGENT.is(self.urgent)]
    }
}
