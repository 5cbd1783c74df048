//! Through the controller: read over the wires, check, write back over the wires to the same plane.

use super::{Build, Migration, Move};
use crate::ids::{PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "controller",
    about: "read over the wires, written back over the wires to the same plane",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    build: |_, _| Box::new(Controller),
};

struct Controller;

impl Migration for Controller {
    fn plan(&self, _: Ppn, _: PlaneId) -> Move {
        Move::ThroughController
    }
}
