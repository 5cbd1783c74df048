//! Collect only while a request waits for the plane: start at `start` free blocks, stop above `stop`. DiskSim's SSD
//! extension does so unless it is told to clean in the background; the baseline of deferred GC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Build, RequestsWaitedFor, SpaceView, Terms, Trigger, free_blocks};
use crate::metric::Reading;
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::alternatives::{reading, unprinted};
use crate::settings::{BlockCount, HardLevel};

/// Which requests of the host make a plane collect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum WaitsFor {
    /// Reads and writes alike, as in DiskSim.
    #[default]
    Any,
    /// Writes, which need the space.
    Writes,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Collection starts when so many free blocks are left, or fewer.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Papers print a threshold for the drive, for a plane, or none."
    )))]
    start: BlockCount,
    /// Collection stops when more than this are free. Default: as `start`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["8%", "4 blocks"],
        "Whether collection goes on past its start is seldom printed."
    )))]
    stop: Option<BlockCount>,
    /// At so many free blocks or fewer, collection goes before host operations; `off`: never. Default: 0.5%, or `start`
    /// if that is less.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    hard: Option<HardLevel>,
    /// Which requests of the host make a plane collect.
    #[schemars(extend("x-alternatives" = reading(
        &["any", "writes"],
        "DiskSim collects before any request; only writes need the space."
    )))]
    waits_for: WaitsFor,
}

impl Default for Parameters {
    fn default() -> Self {
        let free_blocks::Parameters { start, stop, hard, .. } = free_blocks::Parameters::default();
        Self { start, stop, hard, waits_for: WaitsFor::Any }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "foreground",
    about: "as free-blocks, but only while a request of the host waits for the plane",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[Conflict {
        key: "gc.trigger",
        with: &["ftl.allocation = dynamic", "ftl.allocation = striping, by = arrival"],
        why: "foreground: a write must have its plane to wait for; use ftl.allocation = { kind = \
              \"striping\", by = \"lpn\" }",
        applies: |config| {
            let allocation = &config.ftl.allocation;
            allocation.kind != "striping" || allocation.text("by").is_some_and(|by| by != "lpn")
        },
    }],
    metrics: free_blocks::METRICS,
    build: |choice, context| {
        let Parameters { start, stop, hard, waits_for } = parameters(choice);
        let levels = free_blocks::Parameters { start, stop, hard, of: free_blocks::Of::Plane };
        let levels = free_blocks::FreeBlocks::new(&levels, context)?;
        Ok(Box::new(Foreground { levels, waits_for }))
    },
};

struct Foreground {
    levels: free_blocks::FreeBlocks,
    waits_for: WaitsFor,
}

impl Trigger for Foreground {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        view.request_waits && self.levels.wants(view, goes_on)
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        self.levels.urgent(view)
    }

    fn terms(&self) -> Terms {
        let waits_for_requests = match self.waits_for {
            WaitsFor::Any => RequestsWaitedFor::Any,
            WaitsFor::Writes => RequestsWaitedFor::Writes,
        };
        Terms { waits_for_requests, ..self.levels.terms() }
    }

    fn metrics(&self) -> Vec<Reading> {
        self.levels.metrics()
    }
}
