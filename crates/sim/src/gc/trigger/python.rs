//! Python: a function or class of the user's says when a plane is collected (`reclaim.trigger_policy`).

use schemars::JsonSchema;
use serde::Deserialize;

use super::free_blocks::{FreeBlocks, METRICS, Parameters as Levels};
use super::{Build, SpaceView, Terms, Trigger};
use crate::metric::Reading;
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Member, ParameterSpec, parameters};
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
    /// Free blocks per plane that the drive counts on: most that collection strives for. Default: 5%.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Papers print a threshold for the drive, for a plane, or none."
    )))]
    start: Option<BlockCount>,
    /// At so many free blocks or fewer, collection goes before host operations, whatever the function says; `off`:
    /// never before them. Default: 0.5%, or `start` if that is less.
    #[schemars(extend("x-alternatives" = unprinted(
        &["off", "1 block", "2 blocks"],
        "When collection goes before the host is printed nowhere, and decides latencies."
    )))]
    hard: Option<HardLevel>,
}

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own says when a plane is collected, in Python",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: METRICS,
    build: |choice, context| {
        let Parameters { function, code, start, hard } = parameters(choice);
        let mut levels = Levels { hard, ..Levels::default() };
        levels.start = start.unwrap_or(levels.start);
        let levels = FreeBlocks::new(&levels, context)?;
        Ok(Box::new(Python { own: make("gc.trigger", &Named { function, code }, context)?, levels }))
    },
};

struct Python {
    own: Box<dyn OwnPolicy>,
    levels: FreeBlocks,
}

impl Trigger for Python {
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool {
        let numbers = [
            i64::from(view.plane.0),
            i64::from(view.free_blocks),
            i64::from(view.reclaimable_pages),
            i64::from(goes_on),
        ];
        // A plane without blocks would stall whatever the user's code waits for.
        self.levels.terms().urgent_blocks.is_some_and(|hard| view.free_blocks <= hard)
            || or_end(self.own.ask(&numbers, &[])) != 0
    }

    fn urgent(&mut self, view: &SpaceView<'_>) -> bool {
        self.levels.urgent(view)
    }

    fn terms(&self) -> Terms {
        Terms { goes_by_free_blocks: false, ..self.levels.terms() }
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
