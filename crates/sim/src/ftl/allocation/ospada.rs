//! OSPADA (Wu et al., ICCD 2018, as CoupledCB's comparison describes it): pages with neighbouring numbers never share a
//! program unit, so that they can be read in parallel. The paper's listing could not be found; this is a rule that does
//! what its summary says.
//!
//! Each plane has a *forming* unit, the pages sent to it since its last whole unit. A write goes to the first plane in
//! turn that has room and whose forming unit holds no page nearer to it than `distance`; without such a plane, to the
//! one with room whose forming unit holds the fewest pages. Planes take turns by channel first. What a timer programs
//! before a unit is whole goes unnoticed here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::striping::planes_in_turn;
use super::{Allocation, Build, PlacementView};
use crate::ids::{Lpn, PlaneId};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Pages of a unit are at least so far from each other, in logical pages. Absent: the number of planes.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "16"],
        "How far pages must be apart is described and not printed."
    )))]
    distance: Option<u32>,
}

const BESIDE_NEIGHBOURS: Metric = Metric {
    name: "writes_beside_neighbours",
    unit: "writes",
    about: "Writes for which every plane with room had a neighbouring page in its forming unit.",
};

pub const MEMBER: Member<Build> = Member {
    name: "ospada",
    about: "planes in turn, pages with neighbouring numbers never in one program unit (OSPADA)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[BESIDE_NEIGHBOURS],
    build: |choice, context| {
        let (given, geometry): (Parameters, _) = (parameters(choice), &context.geometry);
        Ok(Box::new(Ospada {
            planes: planes_in_turn(geometry),
            unit_pages: geometry.unit_pages,
            distance: given.distance.unwrap_or_else(|| geometry.planes()),
            beside_neighbours: 0,
            state: State { next: 0, forming: vec![Vec::new(); geometry.planes() as usize] },
        }))
    },
};

#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// Position in turn at which the next search begins.
    next: u32,
    /// Of each plane, by position in turn: the pages of its forming unit.
    forming: Vec<Vec<Lpn>>,
}

struct Ospada {
    planes: Box<[PlaneId]>,
    unit_pages: u32,
    distance: u32,
    beside_neighbours: u64,
    state: State,
}

impl Ospada {
    fn has_neighbour(&self, position: u32, lpn: Lpn) -> bool {
        self.state.forming[position as usize].iter().any(|other| other.0.abs_diff(lpn.0) < self.distance)
    }
}

impl Allocation for Ospada {
    fn place(&mut self, lpn: Lpn, view: &PlacementView<'_>) -> Option<PlaneId> {
        let count = self.planes.len() as u32;
        let mut emptiest: Option<(usize, u32)> = None;
        let mut apart = None;
        for step in 0..count {
            let position = (self.state.next + step) % count;
            if !view.has_room(self.planes[position as usize]) {
                continue;
            }
            if !self.has_neighbour(position, lpn) {
                apart = Some(position);
                break;
            }
            let pages = self.state.forming[position as usize].len();
            if emptiest.is_none_or(|(fewest, _)| pages < fewest) {
                emptiest = Some((pages, position));
            }
        }
        let position = apart.or(emptiest.map(|(_, position)| position))?;
        self.beside_neighbours += u64::from(apart.is_none());
        self.state.next = (position + 1) % count;
        let forming = &mut self.state.forming[position as usize];
        forming.push(lpn);
        if forming.len() as u32 == self.unit_pages {
            forming.clear();
        }
        Some(self.planes[position as usize])
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.state).expect("plain tables can be written down")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok(state) = postcard::from_bytes::<State>(state) else { return false };
        let fits = state.forming.len() == self.planes.len() && (state.next as usize) < self.planes.len();
        self.state = state;
        fits
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![BESIDE_NEIGHBOURS.is(self.beside_neighbours)]
    }
}
