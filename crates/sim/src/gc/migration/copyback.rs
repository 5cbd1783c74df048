//! Copyback: pages move inside their plane, with no data on the wires and no check by the controller.

use super::{Build, Migration, Move};
use crate::ids::{PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "copyback",
    about: "inside the plane, array to page register to array; only commands use the wires",
    parameters: &ParameterSpec::of::<NoParameters>(),
    build: |_, _| Box::new(Copyback),
};

struct Copyback;

impl Migration for Copyback {
    fn plan(&self, _: Ppn, _: PlaneId) -> Move {
        Move::Copyback
    }
}
