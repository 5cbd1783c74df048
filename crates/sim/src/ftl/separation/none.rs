//! Nothing is kept apart: one open block of the host in each plane, or those of `ftl.placement`.

use super::{Build, Separation, Terms};
use crate::mapping::PageWrite;
use crate::metric::Reading;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "none",
    about: "all data lies together",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(Mixed)),
};

struct Mixed;

impl Separation for Mixed {
    fn terms(&self) -> Option<Terms> {
        None
    }

    fn class(&mut self, _: &PageWrite) -> u8 {
        0
    }

    fn metrics(&self, _: [u64; 2]) -> Vec<Reading> {
        Vec::new()
    }
}
