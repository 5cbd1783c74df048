//! Python: a function or class of the user's places each page of a write (`reclaim.allocation_policy`).

use super::{Allocation, Build, PlacementView};
use crate::ids::{DieId, Lpn, PlaneId};
use crate::metric::{Metric, Reading};
use crate::own::{Named, OwnPolicy, make, or_end};
use crate::registry::{Conflict, Member, ParameterSpec, parameters};

const DEFERRED: Metric = Metric {
    name: "deferred_placements",
    unit: "placements",
    about: "Times the function named no plane, so that the write waited.",
};

pub const MEMBER: Member<Build> = Member {
    name: "python",
    about: "a function or class of your own places each page, in Python",
    parameters: &ParameterSpec::of::<Named>(),
    conflicts: &[Conflict::with_untimed(
        "python: an allocation of one's own may ask what waits at each die, and without time nothing does; \
         use a built-in ftl.allocation, or a timed run",
    )],
    metrics: &[DEFERRED],
    build: |choice, context| {
        let own = make("ftl.allocation", &parameters::<Named>(choice), context)?;
        Ok(Box::new(Python { own, rows: Vec::new(), deferred: 0, waits: false }))
    },
};

struct Python {
    own: Box<dyn OwnPolicy>,
    /// Of every plane: operations that wait or run on its die, then whether it has room.
    rows: Vec<i64>,
    deferred: u64,
    /// Whether the last answer was none, and a plane had room.
    waits: bool,
}

/// What the front end gives for no plane.
const NONE: i64 = -1;

impl Allocation for Python {
    fn place(&mut self, lpn: Lpn, view: &PlacementView<'_>) -> Option<PlaneId> {
        let (planes, per_die) = (view.geometry.planes(), view.geometry.planes_per_lun);
        self.rows.clear();
        self.rows.extend((0..planes).map(|plane| i64::from(view.pending(DieId(plane / per_die)))));
        self.rows.extend((0..planes).map(|plane| i64::from(view.has_room(PlaneId(plane)))));
        let (pending, has_room) = self.rows.split_at(planes as usize);
        let plane = or_end(self.own.ask(&[i64::from(lpn.0)], &[pending, has_room]));
        let chosen = u32::try_from(plane).ok().map(PlaneId);
        self.deferred += u64::from(chosen.is_none());
        self.waits = chosen.is_none() && has_room.contains(&1);
        chosen
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn blame(&self, plane: Option<PlaneId>, why: &str) -> Option<String> {
        Some(self.own.blame(plane.map_or(NONE, |plane| i64::from(plane.0)), why))
    }

    fn save(&self) -> Vec<u8> {
        or_end(self.own.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.own.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![DEFERRED.is(self.deferred)]
    }
}
