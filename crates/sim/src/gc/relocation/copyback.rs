//! Copyback: pages move inside their plane, with no data on the channel and no check by the controller.

use schemars::JsonSchema;
use serde::Deserialize;

use super::copies::CHECKED;
use super::{Build, Copies, JobView, Move, Relocation, Step, Way};
use crate::metric::Reading;
use crate::registry::{Conflict, Member, ParameterSpec, parameters};
use crate::settings::AssignPages;
use crate::settings::alternatives::unprinted;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// After so many copybacks one after the other a page goes through the controller, which checks it. Absent: never.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "4"],
        "How often a page may be copied unchecked is a limit that papers leave out."
    )))]
    max_consecutive_copybacks: Option<u8>,
}

pub const MEMBER: Member<Build> = Member {
    name: "copyback",
    about: "inside the plane, array to page register to array; only commands use the channel",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[Conflict {
        key: "ftl.assign_pages",
        with: &["ftl.assign_pages = on-arrival"],
        why: "on-arrival: copybacks get their page when they start; use gc.relocation.kind = \"controller\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    }],
    metrics: &[CHECKED],
    build: |choice, context| {
        let limit = parameters::<Parameters>(choice).max_consecutive_copybacks;
        Ok(Box::new(Copyback { copies: Copies::new(limit, &context.geometry)?, checked: 0 }))
    },
};

struct Copyback {
    copies: Copies,
    checked: u64,
}

impl Relocation for Copyback {
    fn next(&mut self, job: &JobView<'_>) -> Step {
        let step = job.whole_unit(Way::Copyback);
        match step {
            Step::Move(unit) if self.copies.are_due(unit.pages.as_slice()) => {
                self.checked += u64::from(unit.pages.len());
                Step::Move(Move { way: Way::Controller, ..unit })
            }
            _ => step,
        }
    }

    fn every_page(&self) -> Option<Way> {
        (!self.copies.count()).then_some(Way::Copyback)
    }

    fn copies(&self) -> Option<&Copies> {
        Some(&self.copies)
    }

    fn copies_mut(&mut self) -> Option<&mut Copies> {
        Some(&mut self.copies)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![CHECKED.is(self.checked)]
    }
}
