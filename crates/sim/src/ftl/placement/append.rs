//! Append: one open block of the host in each plane, filled page after page.

use super::{Build, Placement};
use crate::ids::Lpn;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "append",
    about: "one open block, filled page after page",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(Append)),
};

struct Append;

impl Placement for Append {
    fn choose(&mut self, _: Lpn, _: &[u32]) -> usize {
        0
    }
}
