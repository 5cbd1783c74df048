//! One victim each time an open block has filled up, while free blocks are few: MQSim's trigger.
//!
//! The question is asked when the next block is opened, for the host or for collected pages. A job that fills the
//! collector's block asks it again, so that jobs come in chains, several at once in a plane.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, SEVERAL_JOBS, SpaceView, Terms, Trigger, level, shown, urgent_level};
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;
use crate::settings::{BlockCount, HardLevel, Ratio};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// A victim is taken when a block was opened and so many free blocks are left, or fewer.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Papers print a threshold for the drive, for a plane, or none."
    )))]
    start: BlockCount,
    /// At so many free blocks or fewer, collection is urgent (see the schedulers); `off`: never.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    hard: HardLevel,
    /// The host may not open a block when so many are left, or fewer; then an erase, too, asks for the next victim.
    #[schemars(extend("x-alternatives" = unprinted(
        &["2 blocks", "3 blocks"],
        "At which level the host may not open a block is MQSim's own."
    )))]
    host_stop: BlockCount,
    /// Most jobs at once in a plane.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "10"],
        "How many jobs a plane has at once is not printed."
    )))]
    jobs: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            start: BlockCount::Share(Ratio { ppm: 50_000 }),
            hard: HardLevel::At(BlockCount::Share(Ratio { ppm: 5_000 })),
            host_stop: BlockCount::Blocks(GC_RESERVE_BLOCKS),
            jobs: 10,
        }
    }
}

const URGENT: Metric = Metric {
    name: "urgent_answers",
    unit: "answers",
    about: "Times a plane opened or got back a block and was told that its collection goes before the host.",
};

pub const MEMBER: Member<Build> = Member {
    name: "frontier-filled",
    about: "one victim each time an open block has filled up, while free blocks are few (MQSim)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[SEVERAL_JOBS],
    metrics: &[URGENT],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        let start = level("start", given.start, geometry)?;
        let hard = urgent_level(given.hard, geometry)?;
        let host_stop = level("host_stop", given.host_stop, geometry)?;
        if host_stop < GC_RESERVE_BLOCKS {
            return Err(format!("host_stop {host_stop} blocks: must be at least {GC_RESERVE_BLOCKS}"));
        }
        // The host must be able to fill blocks while the trigger asks, or nothing would ever start a job.
        if hard.unwrap_or(0).max(host_stop) > start {
            return Err(format!(
                "start {start}, hard {}, host_stop {host_stop} blocks: start must not be the smaller",
                shown(hard)
            ));
        }
        if given.jobs == 0 {
            return Err("jobs = 0; at least 1".to_owned());
        }
        Ok(Box::new(FrontierFilled { start, hard, host_stop, jobs: given.jobs, urgent: 0 }))
    },
};

struct FrontierFilled {
    start: u32,
    /// None: never urgent.
    hard: Option<u32>,
    host_stop: u32,
    jobs: u32,
    urgent: u64,
}

impl Trigger for FrontierFilled {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        view.free_blocks <= if goes_on { self.host_stop } else { self.start }
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        let urgent = self.hard.is_some_and(|hard| view.free_blocks <= hard);
        self.urgent += u64::from(urgent);
        urgent
    }

    fn terms(&self) -> Terms {
        Terms {
            host_stop_blocks: self.host_stop,
            jobs_per_plane: self.jobs,
            ..Terms::by_free_blocks(self.start, self.hard, self.start)
        }
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![URGENT.is(self.urgent)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PlaneId;
    use rstest::rstest;

    /// Collection begins at `start` free blocks, goes on down from above `host_stop`, and is urgent at `hard`.
    #[rstest]
    #[case(7, [false, false, false])]
    #[case(6, [true, false, false])]
    #[case(4, [true, false, false])]
    #[case(3, [true, true, false])]
    #[case(2, [true, true, false])]
    #[case(1, [true, true, true])]
    fn each_level_counts_from_its_block_on(#[case] free_blocks: u32, #[case] expected: [bool; 3]) {
        let request = crate::config::LoadRequest {
            device: "gc-bypass-mini".to_owned(),
            schemes: Vec::new(),
            set: Vec::new(),
        };
        let geometry = crate::flash::Geometry::new(&crate::config::load(&request).unwrap()).unwrap();
        let view = SpaceView {
            geometry: &geometry,
            plane: PlaneId(0),
            free_blocks,
            drive_free_blocks: free_blocks,
            reclaimable_pages: 8,
            channel_idle: true,
            request_waits: true,
        };
        let mut trigger = FrontierFilled { start: 6, hard: Some(1), host_stop: 3, jobs: 2, urgent: 0 };
        let found = [trigger.wants(&view, false), trigger.wants(&view, true), trigger.urgent(&view)];
        assert_eq!(found, expected);
    }
}
