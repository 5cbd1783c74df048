//! Copyback under the odd/even rule: a page may only go to a program unit whose number is odd where its own is odd, and
//! even where its own is even. The baseline of CoupledCB, section II; the rule is one of NAND datasheets.
//!
//! Pages move in source order, and where the next unit has the wrong parity it is left empty: *wasted*. A unit that its
//! pages do not fill is closed at the end of the victim, and the rest of it wasted, too; with `carry` it stays open for
//! the next job of the plane. (Its pages then wait in the page register. Reads of them cost what any read costs.)
//!
//! On a nearly full victim the rule wastes as much as the erase wins, and collection would never end. So a job that
//! would win less than a unit is *tight*: units that hold a page of the wrong parity go through the controller.

use super::parity::{self, Counted, Parameters, parity, parity_of};
use super::{Build, Copies, CopybackRule, JobView, Move, Pages, Relocation, Step, Way};
use crate::ids::Ppn;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};

pub const MEMBER: Member<Build> = Member {
    name: "copyback-odd-even",
    about: "copyback from odd units to odd and even to even, wasting pages in between (CoupledCB's baseline)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[parity::ON_ARRIVAL, parity::SHARED, parity::SEVERAL_JOBS],
    metrics: &parity::METRICS,
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        Ok(Box::new(CopybackOddEven {
            carry: given.carries(&context.geometry),
            copies: given.copies(&context.geometry)?,
            tight: vec![false; context.geometry.planes() as usize],
            alone: vec![false; context.geometry.planes() as usize],
            counted: Counted::default(),
        }))
    },
};

struct CopybackOddEven {
    carry: bool,
    copies: Copies,
    /// Of each plane: whether its job is tight. A plane has one job at most.
    tight: Vec<bool>,
    /// Of each plane: whether the step of its job that was given last is one of which a page must be checked.
    alone: Vec<bool>,
    counted: Counted,
}

impl CopybackOddEven {
    /// The next step of a job that copies back all its pages.
    fn copyback(&self, job: &JobView<'_>) -> Step {
        let (geometry, unit) = (job.geometry, job.geometry.unit_pages);
        let Some(first) = job.next_valid(job.cursor) else { return Step::Done };
        let wanted = parity_of(first, geometry);
        let open = job.next_page % unit;
        let goes_on = open > 0 && parity(job.next_page, unit) == wanted;
        let most = if goes_on { unit - open } else { unit };
        let Some(pages) = job.pages(most, |page| parity_of(page, geometry) == wanted) else {
            return Step::Done;
        };
        let load = self.carry && pages.len() < most && job.next_valid(Ppn(pages.last().0 + 1)).is_none();
        Step::Move(Move { pages, way: Way::Copyback, wastes: true, load })
    }

    /// The next step of a job that may waste nothing.
    fn tight(&mut self, job: &JobView<'_>) -> Step {
        let (geometry, unit) = (job.geometry, job.geometry.unit_pages);
        let most = unit - job.next_page % unit;
        let Some(pages) = job.pages(most, |_| true) else { return Step::Done };
        let target = parity(job.next_page, unit);
        let fits = pages.as_slice().iter().all(|page| parity_of(*page, geometry) == target);
        let load = self.carry && pages.len() < most && job.next_valid(Ppn(pages.last().0 + 1)).is_none();
        if !fits {
            self.counted.through_controller += u64::from(pages.len());
        }
        let way = if fits { Way::Copyback } else { Way::Controller };
        Step::Move(Move { pages, way, wastes: true, load })
    }

    /// A step of which a page must be checked. Over the channel its pages may go anywhere, so nothing is left empty
    /// before them: as many as the unit that comes next has room for.
    fn checked(&mut self, job: &JobView<'_>, unit: &Move) -> Step {
        let room = job.geometry.unit_pages - job.next_page % job.geometry.unit_pages;
        let mut pages = Pages::none();
        unit.pages.as_slice().iter().take(room as usize).for_each(|page| pages.push(*page));
        let load = self.carry && pages.len() < room && job.next_valid(Ppn(pages.last().0 + 1)).is_none();
        if unit.way == Way::Copyback {
            self.counted.checked += u64::from(pages.len());
        }
        Step::Move(Move { pages, way: Way::Controller, wastes: true, load })
    }

    /// Pages of the collector's open blocks that the job would take if it copied back all its pages.
    fn pages_taken(&self, job: &JobView<'_>) -> u32 {
        let (unit, per_block) = (job.geometry.unit_pages, job.geometry.pages_per_block);
        let mut job = *job;
        let mut taken = 0;
        while let Step::Move(step) = self.copyback(&job) {
            let mut advance = |pages: u32| {
                taken += pages;
                job.next_page = (job.next_page + pages) % per_block;
                job.next_page
            };
            let source = job.geometry.page_in_block(step.pages.first());
            let mut next = advance(0);
            while parity(next, unit) != parity(source, unit) {
                next = advance(unit - next % unit);
            }
            advance(if step.load { step.pages.len() } else { unit - next % unit });
            job.cursor = Ppn(step.pages.last().0 + 1);
        }
        taken
    }
}

impl Relocation for CopybackOddEven {
    fn begin(&mut self, job: &JobView<'_>) {
        let geometry = job.geometry;
        let tight = self.pages_taken(job) + geometry.unit_pages > geometry.pages_per_block;
        self.tight[job.plane.index()] = tight;
        self.counted.tight_jobs += u64::from(tight);
    }

    fn next(&mut self, job: &JobView<'_>) -> Step {
        let (tight, under_way) = (self.tight[job.plane.index()], job.steps_under_way > 0);
        // Which page comes next in the open block must be known to choose between the two ways, and to fill a unit up.
        // A step over the channel takes its pages of the open block later than copybacks that were given after it
        // would: beside them it would leave more of them empty than a job that is not tight may.
        if (tight || self.carry || self.alone[job.plane.index()]) && under_way {
            return if job.next_valid(job.cursor).is_some() { Step::Wait } else { Step::Done };
        }
        let step = if tight { self.tight(job) } else { self.copyback(job) };
        let Step::Move(unit) = &step else { return step };
        let due = self.copies.are_due(unit.pages.as_slice());
        if due && under_way {
            return Step::Wait;
        }
        self.alone[job.plane.index()] = due;
        if due { self.checked(job, unit) } else { step }
    }

    fn copyback_rule(&self) -> Option<CopybackRule> {
        Some(parity::skip)
    }

    fn copies(&self) -> Option<&Copies> {
        Some(&self.copies)
    }

    fn copies_mut(&mut self) -> Option<&mut Copies> {
        Some(&mut self.copies)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.counted.readings().to_vec()
    }
}
