//! The whole mapping is in memory.

use super::{Build, LookUp, MappingCache};
use crate::ids::Lpn;
use crate::mapping::TranslationCounts;
use crate::metric::Reading;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "all",
    about: "the controller's memory holds the whole mapping",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(All)),
};

struct All;

impl MappingCache for All {
    fn look_up(&mut self, _: Lpn, _: bool) -> LookUp {
        LookUp::KNOWN
    }

    fn change(&mut self, _: Lpn) -> bool {
        true
    }

    fn written(&mut self, _: u32) {}

    fn holds_whole_pages(&self) -> bool {
        true
    }

    fn metrics(&self, _: &TranslationCounts) -> Vec<Reading> {
        Vec::new()
    }
}
