//! No limit: every plane collects when its trigger says so.

use super::{Build, Concurrency, JobsView};
use crate::ids::PlaneId;
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "all",
    about: "every plane collects when its trigger says so",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(All)),
};

struct All;

impl Concurrency for All {
    fn may_start(&mut self, _: PlaneId, _: &JobsView<'_>) -> bool {
        true
    }

    fn holds_back(&self) -> bool {
        false
    }
}
