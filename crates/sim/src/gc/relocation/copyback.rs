//! Copyback: pages move inside their plane, with no data on the channel and no check by the controller.

use super::{Build, JobView, Relocation, Step, Way};
use crate::registry::{Conflict, Member, NoParameters, ParameterSpec};
use crate::settings::AssignPages;

pub const MEMBER: Member<Build> = Member {
    name: "copyback",
    about: "inside the plane, array to page register to array; only commands use the channel",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[Conflict {
        key: "ftl.assign_pages",
        with: &["ftl.assign_pages = on-arrival"],
        why: "on-arrival: copybacks get their page when they start; use gc.relocation.kind = \"controller\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    }],
    metrics: &[],
    build: |_, _| Ok(Box::new(Copyback)),
};

struct Copyback;

impl Relocation for Copyback {
    fn next(&mut self, job: &JobView<'_>) -> Step {
        job.whole_unit(Way::Copyback)
    }

    fn every_page(&self) -> Option<Way> {
        Some(Way::Copyback)
    }
}
