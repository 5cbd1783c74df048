//! Collect when a plane's free blocks fall to a level; stop above another; hurry at a third.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, SpaceView, Trigger};
use crate::config::{BlockCount, Ratio};
use crate::ftl::GC_RESERVE_BLOCKS;
use crate::registry::{Member, ParameterSpec, parameters};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Collection starts when so many free blocks are left, or fewer.
    start: BlockCount,
    /// Collection stops when more than this are free. Default: as `start`.
    stop: Option<BlockCount>,
    /// At so many free blocks or fewer, collection goes before host operations.
    hard: BlockCount,
}

impl Default for Parameters {
    fn default() -> Self {
        let share = |ppm| BlockCount::Share(Ratio { ppm });
        // MQSim's shipped levels.
        Self { start: share(50_000), stop: None, hard: share(5_000) }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "free-blocks",
    about: "start at so many free blocks in a plane, stop above another level, hurry at a third",
    parameters: &ParameterSpec::of::<Parameters>(),
    build: |choice, geometry| {
        let given: Parameters = parameters(choice);
        // The reserve is out of the host's reach, so a level below it could never be passed.
        let level = |count: BlockCount| count.resolve(geometry.blocks_per_plane).max(GC_RESERVE_BLOCKS);
        let start = level(given.start);
        let stop = given.stop.map_or(start, level).max(start);
        Box::new(FreeBlocks { start, stop, hard: level(given.hard).min(start) })
    },
};

struct FreeBlocks {
    start: u32,
    stop: u32,
    hard: u32,
}

impl Trigger for FreeBlocks {
    fn wants(&self, view: &SpaceView, under_way: bool) -> bool {
        view.free_blocks <= if under_way { self.stop } else { self.start }
    }

    fn urgent(&self, view: &SpaceView) -> bool {
        view.free_blocks <= self.hard
    }

    fn start_blocks(&self) -> u32 {
        self.stop
    }
}
