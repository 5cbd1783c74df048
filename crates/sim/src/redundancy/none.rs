//! No redundancy: a host write is the only write.

use super::{Build, Redundancy};
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

impl Redundancy for None {}
