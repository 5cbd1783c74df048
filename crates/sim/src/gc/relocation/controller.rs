//! Through the controller: read over the channel, check, write back over the channel to the same plane.

use super::{Build, Move, Relocation};
use crate::ids::{PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "controller",
    about: "read over the channel, written back over the channel to the same plane",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Box::new(Controller),
};

struct Controller;

impl Relocation for Controller {
    fn plan(&self, _: Ppn, _: PlaneId) -> Move {
        Move::ThroughController
    }
}
