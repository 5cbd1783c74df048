//! Dynamic allocation: the die with the least to do takes the write; dies and planes take turns among equals.
//!
//! With program units of several pages a plane that was chosen can take pages that follow, too, until a unit's worth of
//! them has gone to it: one page waits for others at its plane anyway, and may as well wait for those beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Allocation, Build, PlacementView};
use crate::flash::Geometry;
use crate::ids::{DieId, Lpn, PlaneId};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::reading;

/// Which writes go to a plane that was chosen, beside the one that it was chosen for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Together {
    /// None: a plane is chosen for every page; where pages are mapped in parts, for those that come next, until they
    /// make up a page.
    #[default]
    Page,
    /// Those whose numbers follow one another, as the pages of a request do, up to a program unit.
    Run,
    /// Those that come next, whatever their numbers, up to a program unit.
    Unit,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Which pages go to a plane together. Without program units of several pages or parts, each goes by itself.
    #[schemars(extend("x-alternatives" = reading(
        &["page", "run", "unit"],
        "Whether a request is spread over planes page by page or unit by unit is seldom printed."
    )))]
    together: Together,
}

const BEHIND_OTHERS: Metric = Metric {
    name: "writes_behind_others",
    unit: "writes",
    about: "Writes for which even the least-loaded die with room had something to do already.",
};

pub const MEMBER: Member<Build> = Member {
    name: "dynamic",
    about: "the least-loaded die with room takes the write, in turn among equals",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[BEHIND_OTHERS],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        Ok(Box::new(Dynamic::new(given.together, &context.geometry)))
    },
};

/// The plane chosen last, while less than a unit of pages has gone to it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Begun {
    plane: PlaneId,
    /// The page that went there last.
    last: Lpn,
    /// Pages that may follow.
    left: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// Position in `turn` at which the next search begins.
    next: u32,
    /// Plane of each die at which the next search begins.
    next_plane: Box<[u32]>,
    begun: Option<Begun>,
}

struct Dynamic {
    together: Together,
    /// Number of pages that may go to a plane together.
    most: u32,
    planes: u32,
    /// Dies in the order in which equals take turns: chips of different channels first, as a stripe would.
    turn: Box<[DieId]>,
    state: State,
    behind_others: u64,
}

impl Dynamic {
    fn new(together: Together, geometry: &Geometry) -> Self {
        let dies = geometry.dies();
        let per_channel = dies / geometry.channels;
        // Die k of every channel before die k + 1 of any: neighbours in turn are on different channels.
        let order = |position: u32| {
            let (channel, in_channel) = (position % geometry.channels, position / geometry.channels);
            let (die, way) =
                (in_channel / geometry.chips_per_channel, in_channel % geometry.chips_per_channel);
            DieId(channel * per_channel + way * (per_channel / geometry.chips_per_channel) + die)
        };
        Self {
            together,
            most: if together == Together::Page { geometry.parts_of_page } else { geometry.unit_pages },
            planes: geometry.planes(),
            turn: (0..dies).map(order).collect(),
            state: State { next: 0, next_plane: vec![0; dies as usize].into_boxed_slice(), begun: None },
            behind_others: 0,
        }
    }

    fn plane_with_room(&self, die: DieId, view: &PlacementView<'_>) -> Option<PlaneId> {
        let planes = view.geometry.planes_per_lun;
        let first = view.geometry.first_plane(die).0;
        let begin = self.state.next_plane[die.index()];
        (0..planes).map(|k| PlaneId(first + (begin + k) % planes)).find(|plane| view.has_room(*plane))
    }

    /// The plane chosen last, if this page goes there, too.
    fn begun_for(&self, lpn: Lpn, view: &PlacementView<'_>) -> Option<Begun> {
        let begun = self.state.begun?;
        let follows = self.together != Together::Run || begun.last.0.checked_add(1) == Some(lpn.0);
        (follows && view.has_room(begun.plane)).then_some(begun)
    }

    /// The least-loaded die with room, and its plane in turn.
    fn choose(&mut self, view: &PlacementView<'_>) -> Option<PlaneId> {
        let dies = self.turn.len() as u32;
        let mut best: Option<(u32, u32, PlaneId)> = None;
        for step in 0..dies {
            let position = (self.state.next + step) % dies;
            let die = self.turn[position as usize];
            let pending = view.pending(die);
            if best.is_some_and(|(least, _, _)| pending >= least) {
                continue;
            }
            if let Some(plane) = self.plane_with_room(die, view) {
                best = Some((pending, position, plane));
                if pending == 0 {
                    break;
                }
            }
        }
        let (pending, position, plane) = best?;
        self.behind_others += u64::from(pending > 0);
        let die = self.turn[position as usize];
        self.state.next = (position + 1) % dies;
        self.state.next_plane[die.index()] = (plane.0 + 1) % view.geometry.planes_per_lun;
        Some(plane)
    }
}

impl Allocation for Dynamic {
    fn place(&mut self, lpn: Lpn, view: &PlacementView<'_>) -> Option<PlaneId> {
        let (plane, left) = match self.begun_for(lpn, view) {
            Some(begun) => (begun.plane, begun.left - 1),
            None => (self.choose(view)?, self.most - 1),
        };
        self.state.begun = (left > 0).then_some(Begun { plane, last: lpn, left });
        Some(plane)
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("plain tables can be written down")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(state) = postcard::from_bytes::<State>(state) else { return false };
        let fits = state.next_plane.len() == self.state.next_plane.len()
            && (state.next as usize) < self.turn.len()
            && state.begun.is_none_or(|begun| begun.plane.0 < self.planes && begun.left > 0);
        self.state = state;
        fits
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![BEHIND_OTHERS.is(self.behind_others)]
    }
}
