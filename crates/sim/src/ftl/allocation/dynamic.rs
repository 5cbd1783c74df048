//! Dynamic allocation: the die with the least to do takes the write; dies and planes take turns among equals.

use super::{Allocation, Build, PlacementView};
use crate::flash::Geometry;
use crate::ids::{DieId, Lpn, PlaneId};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, NoParameters, ParameterSpec};

const BEHIND_OTHERS: Metric = Metric {
    name: "writes_behind_others",
    unit: "writes",
    about: "Writes for which even the least-loaded die with room had something to do already.",
};

pub const MEMBER: Member<Build> = Member {
    name: "dynamic",
    about: "the least-loaded die with room takes the write, in turn among equals",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[BEHIND_OTHERS],
    build: |_, context| Ok(Box::new(Dynamic::new(&context.geometry))),
};

struct Dynamic {
    /// Dies in the order in which equals take turns: chips of different channels first, as a stripe would.
    turn: Box<[DieId]>,
    /// Position in `turn` at which the next search begins.
    next: u32,
    /// Plane of each die at which the next search begins.
    next_plane: Box<[u32]>,
    behind_others: u64,
}

impl Dynamic {
    fn new(geometry: &Geometry) -> Self {
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
            turn: (0..dies).map(order).collect(),
            next: 0,
            next_plane: vec![0; dies as usize].into_boxed_slice(),
            behind_others: 0,
        }
    }

    fn plane_with_room(&self, die: DieId, view: &PlacementView<'_>) -> Option<PlaneId> {
        let planes = view.geometry.planes_per_lun;
        let first = view.geometry.first_plane(die).0;
        let begin = self.next_plane[die.index()];
        (0..planes).map(|k| PlaneId(first + (begin + k) % planes)).find(|plane| view.has_room(*plane))
    }
}

impl Allocation for Dynamic {
    fn place(&mut self, _: Lpn, view: &PlacementView<'_>) -> Option<PlaneId> {
        let dies = self.turn.len() as u32;
        let mut best: Option<(u32, u32, PlaneId)> = None;
        for step in 0..dies {
            let position = (self.next + step) % dies;
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
        self.next = (position + 1) % dies;
        self.next_plane[die.index()] = (plane.0 + 1) % view.geometry.planes_per_lun;
        Some(plane)
    }

    fn save(&self) -> Vec<u8> {
        let words = std::iter::once(&self.next).chain(&self.next_plane);
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        if state.len() != (1 + self.next_plane.len()) * 4 {
            return false;
        }
        let mut words = state.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        self.next = words.next().unwrap_or(0) % self.turn.len() as u32;
        self.next_plane.iter_mut().zip(words).for_each(|(plane, saved)| *plane = saved);
        true
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![BEHIND_OTHERS.is(self.behind_others)]
    }
}
