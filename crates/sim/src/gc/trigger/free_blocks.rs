//! Start at `start` free blocks in a plane, stop above `stop`; collection is urgent at `hard`.
//!
//! With `of = "drive"` the levels `start` and `stop` are of the mean plane: collection starts by what the whole drive
//! has left, as GC bypass has it, and a plane is looked at by itself only where it is at `hard`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, SpaceView, Terms, Trigger, level, shown, urgent_level};
use crate::building::BuildContext;
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{reading, unprinted};
use crate::settings::{BlockCount, HardLevel, Ratio};

/// MQSim's shipped levels.
const START: Ratio = Ratio { ppm: 50_000 };
const HARD: Ratio = Ratio { ppm: 5_000 };

/// Whose free blocks are compared with the levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Of {
    /// Those of each plane.
    #[default]
    Plane,
    /// Those of all planes together, with the levels times the number of planes. A plane takes part whose invalid pages
    /// make a block, and one at `hard` whatever the others have left.
    #[serde(rename = "drive")]
    Whole,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// Collection starts when so many free blocks are left, or fewer.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Papers print a threshold for the drive, for a plane, or none."
    )))]
    pub(super) start: BlockCount,
    /// Collection stops when more than this are free. Default: as `start`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["8%", "4 blocks"],
        "Whether collection goes on past its start is seldom printed."
    )))]
    pub(super) stop: Option<BlockCount>,
    /// At so many free blocks or fewer, collection goes before host operations; `off`: never. Default: 0.5%, or `start`
    /// if that is less.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    pub(super) hard: Option<HardLevel>,
    /// Whose free blocks `start` and `stop` are compared with: those of each plane, or those of all planes, with the
    /// levels times the number of planes. `hard` is of each plane.
    #[schemars(extend("x-alternatives" = reading(
        &["plane", "drive"],
        "Papers say that the drive is short of space; simulators look at each plane."
    )))]
    pub(super) of: Of,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { start: BlockCount::Share(START), stop: None, hard: None, of: Of::Plane }
    }
}

const URGENT: Metric = Metric {
    name: "urgent_answers",
    unit: "answers",
    about: "Times a plane opened or got back a block and was told that its collection goes before the host.",
};

pub(super) const METRICS: &[Metric] = &[URGENT];

pub const MEMBER: Member<Build> = Member {
    name: "free-blocks",
    about: "start at `start` free blocks in a plane, stop above `stop`, urgent at `hard`",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: METRICS,
    build: |choice, context| Ok(Box::new(FreeBlocks::new(&parameters(choice), context)?)),
};

pub(super) struct FreeBlocks {
    start: u32,
    stop: u32,
    /// None: never urgent.
    hard: Option<u32>,
    of: Of,
    urgent: u64,
}

impl FreeBlocks {
    pub(super) fn new(given: &Parameters, context: &BuildContext) -> Result<Self, String> {
        let geometry = &context.geometry;
        let level = |name, count| level(name, count, geometry);
        let start = level("start", given.start)?;
        let stop = given.stop.map_or(Ok(start), |stop| level("stop", stop))?;
        let hard = match given.hard {
            Some(hard) => urgent_level(hard, geometry)?,
            None => Some(level("hard", BlockCount::Share(HARD))?.min(start)),
        };
        if !(GC_RESERVE_BLOCKS <= start && hard.is_none_or(|hard| hard <= start) && start <= stop) {
            return Err(format!(
                "hard {}, start {start}, stop {stop} blocks: must be in that order, and start at least \
                 {GC_RESERVE_BLOCKS}",
                shown(hard)
            ));
        }
        Ok(Self { start, stop, hard, of: given.of, urgent: 0 })
    }
}

impl FreeBlocks {
    /// The host may not open the last block, so that a plane without another has to collect.
    fn is_forced(&self, view: &SpaceView<'_>) -> bool {
        view.free_blocks <= self.hard.unwrap_or(GC_RESERVE_BLOCKS).max(GC_RESERVE_BLOCKS)
    }

    /// Whether the drive is short of space, and the plane can do anything about it: one whose invalid pages make less
    /// than a block would move valid pages again and again, for space that others have.
    fn takes_part(view: &SpaceView<'_>, level: u32) -> bool {
        view.drive_free_blocks <= level * view.geometry.planes()
            && view.reclaimable_pages >= view.geometry.pages_per_block
    }
}

impl Trigger for FreeBlocks {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        let level = if goes_on { self.stop } else { self.start };
        match self.of {
            Of::Plane => view.free_blocks <= level,
            Of::Whole => self.is_forced(view) || Self::takes_part(view, level),
        }
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        let urgent = self.hard.is_some_and(|hard| view.free_blocks <= hard);
        self.urgent += u64::from(urgent);
        urgent
    }

    fn terms(&self) -> Terms {
        let of_drive = self.of == Of::Whole;
        Terms { of_drive, ..Terms::by_free_blocks(self.start, self.hard, self.stop) }
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![URGENT.is(self.urgent)]
    }
}
