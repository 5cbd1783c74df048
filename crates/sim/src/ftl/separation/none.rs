//! Nothing of the user's is kept apart: one open block of the host in each plane, or those of `ftl.placement`. Where
//! the mapping is kept in flash, translation pages have one of their own.

use super::{Build, Knows, Separation, Terms};
use crate::mapping::PageWrite;
use crate::metric::Reading;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "none",
    about: "all data lies together",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, context| Ok(Box::new(Mixed { beside_mapping: context.geometry.translation.is_some() })),
};

struct Mixed {
    beside_mapping: bool,
}

impl Separation for Mixed {
    fn terms(&self) -> Option<Terms> {
        self.beside_mapping.then_some(Terms { classes: 2, relocated: 1, knows: Knows::Pages })
    }

    fn of_translation_pages(&self) -> u8 {
        1
    }

    fn class(&mut self, _: &PageWrite) -> u8 {
        0
    }

    fn metrics(&self, _: [u64; 2]) -> Vec<Reading> {
        Vec::new()
    }
}
