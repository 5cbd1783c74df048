//! No cache: host writes go to blocks of all levels at once.

use super::{Build, SlcCache, Terms};
use crate::mapping::CacheCounts;
use crate::metric::Reading;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "none",
    about: "no cache: every block is used with all its levels",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(NoCache)),
};

struct NoCache;

impl SlcCache for NoCache {
    fn terms(&self) -> Option<Terms> {
        None
    }

    fn metrics(&self, _: &CacheCounts) -> Vec<Reading> {
        Vec::new()
    }
}
