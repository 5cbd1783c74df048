//! Copyback under the odd/even rule with two pointers into the victim, one to its odd and one to its even units: the
//! pages that fit come next, whatever their order (PcGC, as CoupledCB, section II, has it for program units).
//!
//! What is wasted is what the two kinds do not fill of units in turn: the rest of a unit when pages of its parity run
//! out, whole units when only the other kind is left, and the last unit, unless it is carried to the plane's next job.

use schemars::JsonSchema;
use serde::Deserialize;

use super::copies::{CHECKED, Copies};
use super::course::Course;
use super::parity::{self, THROUGH_CONTROLLER, TIGHT};
use super::{Build, JobView, Relocation, Step, Way};
use crate::ids::{BlockId, Ppn};
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Whether a unit that the last pages of a victim do not fill stays open for the next job of the plane. Only with
    /// units of more than a page.
    carry: bool,
    /// After so many copybacks one after the other a page goes through the controller, which checks it. Absent: never.
    max_consecutive_copybacks: Option<u8>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { carry: true, max_consecutive_copybacks: None }
    }
}

pub const MEMBER: Member<Build> = Member {
    name: "pcgc",
    about: "copyback from odd units to odd and even to even, the pages that fit next (two pointers, PcGC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[parity::ON_ARRIVAL, parity::SHARED, parity::SEVERAL_JOBS],
    metrics: &[TIGHT, THROUGH_CONTROLLER, CHECKED],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        Ok(Box::new(Pcgc {
            carry: given.carry && context.geometry.unit_pages > 1,
            copies: Copies::new(given.max_consecutive_copybacks, &context.geometry)?,
            courses: vec![Course::NONE; context.geometry.planes() as usize],
            counted: Counted::default(),
        }))
    },
};

/// What is counted of jobs whose pages are chosen by parity.
#[derive(Debug, Default)]
pub(super) struct Counted {
    tight_jobs: u64,
    through_controller: u64,
    checked: u64,
}

impl Counted {
    /// A job has begun.
    pub(super) fn job(&mut self, course: &Course) {
        self.tight_jobs += u64::from(course.tight);
    }

    /// A step is given.
    pub(super) fn step(&mut self, step: &Step, copies: &Copies) {
        let Step::Move(step) = step else { return };
        if step.way == Way::Controller {
            let due = copies.are_due(step.pages.as_slice());
            let count = if due { &mut self.checked } else { &mut self.through_controller };
            *count += u64::from(step.pages.len());
        }
    }

    /// Where the counters stand.
    pub(super) fn readings(&self) -> [Reading; 3] {
        [TIGHT.is(self.tight_jobs), THROUGH_CONTROLLER.is(self.through_controller), CHECKED.is(self.checked)]
    }
}

struct Pcgc {
    carry: bool,
    copies: Copies,
    /// Of each plane: what is left of its job. A plane has one job at most.
    courses: Vec<Course>,
    counted: Counted,
}

impl Relocation for Pcgc {
    fn begin(&mut self, job: &JobView<'_>) {
        let course = Course::begin(job, false, self.carry);
        self.counted.job(&course);
        self.courses[job.plane.index()] = course;
    }

    fn next(&mut self, job: &JobView<'_>) -> Step {
        // Which page comes next in the open block must be known.
        if job.steps_under_way > 0 {
            return Step::Wait;
        }
        let step = self.courses[job.plane.index()].step(job, &self.copies);
        self.counted.step(&step, &self.copies);
        step
    }

    fn has_rule(&self) -> bool {
        true
    }

    fn skip(&self, source: u32, next: u32, unit_pages: u32) -> u32 {
        parity::skip(source, next, unit_pages)
    }

    fn counts_copybacks(&self) -> bool {
        self.copies.count()
    }

    fn on_copyback(&mut self, from: Ppn, to: Ppn) {
        self.copies.copied(from, to);
    }

    fn on_erased(&mut self, _: BlockId, first: Ppn, pages: u32) {
        self.copies.erased(first, pages);
    }

    fn save(&self) -> Vec<u8> {
        self.copies.save().to_vec()
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.copies.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.counted.readings().to_vec()
    }
}
