//! Copyback under the odd/even rule with two pointers into the victim, one to its odd and one to its even units: the
//! pages that fit come next, whatever their order (PcGC, as CoupledCB, section II, has it for program units).
//!
//! What is wasted is what the two kinds do not fill of units in turn: the rest of a unit when pages of its parity run
//! out, whole units when only the other kind is left, and the last unit, unless it is carried to the plane's next job.

use super::course::{Courses, Ways};
use super::parity::{self, Parameters};
use super::{Build, Copies, CopybackRule, JobView, Relocation, Step};
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};

pub const MEMBER: Member<Build> = Member {
    name: "pcgc",
    about: "copyback from odd units to odd and even to even, the pages that fit next (two pointers, PcGC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[parity::ON_ARRIVAL, parity::SHARED, parity::SEVERAL_JOBS],
    metrics: &parity::METRICS,
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        // Nothing lends pages here.
        let ways = Ways { in_order: false, fills_any: false };
        Ok(Box::new(Pcgc { courses: Courses::new(&given, ways, &context.geometry)? }))
    },
};

struct Pcgc {
    courses: Courses,
}

impl Relocation for Pcgc {
    fn begin(&mut self, job: &JobView<'_>) {
        self.courses.begin(job);
    }

    fn next(&mut self, job: &JobView<'_>) -> Step {
        self.courses.next(job)
    }

    fn copyback_rule(&self) -> Option<CopybackRule> {
        Some(parity::skip)
    }

    fn copies(&self) -> Option<&Copies> {
        Some(&self.courses.copies)
    }

    fn copies_mut(&mut self) -> Option<&mut Copies> {
        Some(&mut self.courses.copies)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.courses.counted.readings().to_vec()
    }
}
