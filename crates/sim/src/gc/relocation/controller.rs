//! Through the controller: read over the channel, check, write back over the channel to the same plane.

use super::{Build, JobView, Relocation, Step, Way};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "controller",
    about: "read over the channel, written back over the channel to the same plane",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, _| Ok(Box::new(Controller)),
};

struct Controller;

impl Relocation for Controller {
    fn next(&mut self, job: &JobView<'_>) -> Step {
        job.whole_unit(Way::Controller)
    }

    fn every_page(&self) -> Option<Way> {
        Some(Way::Controller)
    }
}
