//! Python: a function or class of the user's says when a plane is collected (`reclaim.trigger_policy`).

use schemars::JsonSchema;
use serde::Deserialize;

use super::free_blocks::{FreeBlocks, METRICS, Parameters as Levels};
use super::{Build, RequestsWaitedFor, SEVERAL_JOBS, SpaceView, Terms, Trigger, level};
use crate::flash::Geometry;
use crate::gc::events::{BlockEvent, BlockEvents, BlockView};
use crate::ids::{BlockId, ChannelId, PlaneId};
use crate::mapping::{BlockState, GC_RESERVE_BLOCKS};
use crate::metric::Reading;
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt, unprinted};
use crate::settings::{BlockCount, HardLevel};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// File and name of a function or class, as in `mine.py:when`; from the folder of the file that names it, if any.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    function: String,
    /// Digest of the file, filled in when the configuration is read: a file that has changed since is refused.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Path)))]
    code: Option<String>,
    /// What it takes as arguments, by their names, as in `params = { level = 4 }`: numbers, text, true or false.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    params: serde_json::Map<String, serde_json::Value>,
    /// Free blocks per plane at which the drive takes it that collection starts. Default: 5%.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Papers print a threshold for the drive, for a plane, or none."
    )))]
    start: Option<BlockCount>,
    /// Most free blocks per plane that collection strives for: the host cannot count on them. Default: as `start`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["8%", "4 blocks"],
        "Whether collection goes on past its start is seldom printed."
    )))]
    stop: Option<BlockCount>,
    /// At so many free blocks or fewer, collection goes before host operations, whatever the function says; `off`:
    /// never before them. Default: 0.5%, or `start` if that is less.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    hard: Option<HardLevel>,
    /// The host may not open a block when so many are left, or fewer. Default: 1 block.
    #[schemars(extend("x-alternatives" = unprinted(
        &["2 blocks", "3 blocks"],
        "At which level the host may not open a block is MQSim's own."
    )))]
    host_stop: Option<BlockCount>,
    /// Most jobs at once in a plane. Default: 1.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "10"],
        "How many jobs a plane has at once is not printed."
    )))]
    jobs: Option<u32>,
}

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own says when a plane is collected, in Python",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        SEVERAL_JOBS,
        Conflict::with_untimed(
            "python: a trigger of one's own may ask which channels are idle, and without time all are; use a \
             built-in gc.trigger, or a timed run",
        ),
    ],
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { function, code, params, start, stop, hard, host_stop, jobs } = parameters(choice);
        let mut levels = Levels { stop, hard, ..Levels::default() };
        levels.start = start.unwrap_or(levels.start);
        let levels = FreeBlocks::new(&levels, context)?;
        let jobs_per_plane = jobs.unwrap_or(1);
        if jobs_per_plane == 0 {
            return Err("jobs = 0; at least 1".to_owned());
        }
        let host_stop =
            host_stop.map_or(Ok(GC_RESERVE_BLOCKS), |given| level("host_stop", given, &context.geometry))?;
        let start_blocks = levels.terms().start_blocks;
        if !(GC_RESERVE_BLOCKS..=start_blocks).contains(&host_stop) {
            return Err(format!(
                "host_stop {host_stop} blocks: must be at least {GC_RESERVE_BLOCKS}, and at most start, \
                 {start_blocks}"
            ));
        }
        let own = make("gc.trigger", &Named { function, code, params }, context)?;
        let asked = |when: &str| own.answers(when);
        let listens = [
            (SEALED, BlockEvents::SEALED),
            (INVALIDATED, BlockEvents::INVALIDATED),
            (ERASED, BlockEvents::ERASED),
        ];
        let terms = Terms {
            goes_by_free_blocks: false,
            host_stop_blocks: host_stop,
            jobs_per_plane,
            of_drive: asked(OPENED),
            listens: listens
                .into_iter()
                .filter(|(when, _)| asked(when))
                .fold(BlockEvents::NONE, |all, (_, event)| all.and(event)),
            // It is told whether the channel is idle, whenever it is asked.
            waits_for_idle: true,
            waits_for_requests: match (asked(REQUESTS), asked(WRITES)) {
                (true, _) => RequestsWaitedFor::Any,
                (false, true) => RequestsWaitedFor::Writes,
                (false, false) => RequestsWaitedFor::None,
            },
            ..levels.terms()
        };
        let asked_when_idle = asked(IDLE);
        Ok(Box::new(Python { own, levels, terms, asked_when_idle }))
    },
};

/// On which occasions it wants to be asked, beside those of all triggers: a block of the drive was opened, a block of
/// the plane was sealed, lost a valid page or was erased, the channel of the plane fell idle, and an operation of the
/// host, or a write of it, was queued.
const OPENED: &str = "drive";
const SEALED: &str = "sealed";
const INVALIDATED: &str = "invalidated";
const ERASED: &str = "erased";
const IDLE: &str = "idle";
const REQUESTS: &str = "requests";
const WRITES: &str = "writes";

struct Python {
    own: Box<dyn OwnPolicy>,
    levels: FreeBlocks,
    terms: Terms,
    asked_when_idle: bool,
}

impl Trigger for Python {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        let numbers = [
            i64::from(view.plane.0),
            i64::from(view.free_blocks),
            i64::from(view.reclaimable_pages),
            i64::from(goes_on),
            i64::from(view.drive_free_blocks),
            i64::from(view.channel_idle),
            i64::from(view.request_waits),
        ];
        // A plane of which the host may open no block would stall whatever the user's code waits for.
        let forced = self.terms.urgent_blocks.unwrap_or(0).max(self.terms.host_stop_blocks);
        view.free_blocks <= forced || or_end(self.own.ask(&numbers, &[])) != 0
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        self.levels.urgent(view)
    }

    fn terms(&self) -> Terms {
        self.terms
    }

    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) -> Option<PlaneId> {
        let of_candidate = view.blocks.state(block) == BlockState::Sealed;
        let counts = of_candidate || !matches!(event, BlockEvent::Invalidated(_));
        counts.then(|| view.geometry.plane_of(block))
    }

    fn on_channel_idle(&mut self, channel: ChannelId, geometry: &Geometry, signals: &mut Vec<PlaneId>) {
        if self.asked_when_idle {
            let per_channel = geometry.planes() / geometry.channels;
            signals.extend((0..per_channel).rev().map(|plane| PlaneId(channel.0 * per_channel + plane)));
        }
    }

    fn save(&self) -> Vec<u8> {
        or_end(self.own.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.own.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.levels.metrics()
    }
}
