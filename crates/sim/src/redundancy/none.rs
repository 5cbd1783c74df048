//! No redundancy: a host write is the only write.

use super::{Build, Companions, Redundancy};
use crate::ids::Lpn;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "none",
    about: "no redundancy: a host write is the only write",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(None)),
};

struct None;

impl Redundancy for None {
    fn extra_logical_pages(&self, _: u32) -> u32 {
        0
    }

    fn companions(&self, _: Lpn, _: &mut Companions) {}
}
