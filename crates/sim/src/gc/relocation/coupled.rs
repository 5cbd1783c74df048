//! CoupledCB (Li et al., section III): copyback under the odd/even rule with two pointers, and what the victim's pages
//! leave of a unit is filled with pages of other blocks of the plane, *coupled blocks*, which are so relocated ahead of
//! their own collection.
//!
//! Candidates are the full blocks of the plane, those with the fewest valid pages first. Each is admitted with the
//! probability that its data will not be overwritten before it is collected, which a logistic regression estimates;
//! `blocks` are admitted at most. The regression is trained beforehand, and again when a window of requests ends in
//! which it was right too seldom.

mod learning;
mod parameters;
mod pretrained;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use self::learning::{Learning, Windows};
use self::parameters::{Admission, Fills, Order, Parameters};
use super::course::{Courses, Ways};
use super::parity;
use super::regression::{Model, Sample};
use super::{Borrowing, Build, Copies, CopybackRule, DriveView, JobView, Relocation, Step};
use crate::flash::Geometry;
use crate::future::{Foresight, Future};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::BlockState;
use crate::metric::{Metric, Reading};
use crate::random::RandomStream;
use crate::registry::{Conflict, Member, ParameterSpec, parameters};

pub const MEMBER: Member<Build> = Member {
    name: "coupled",
    about: "the same, and pages of coupled blocks fill what would be wasted (CoupledCB)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[
        parity::ON_ARRIVAL,
        parity::SHARED,
        parity::SEVERAL_JOBS,
        Conflict {
            key: "redundancy",
            with: &["redundancy = raid5"],
            why: "raid5: requests that become stripes are not counted as the regression counts requests; \
                  use gc.relocation = \"pcgc\"",
            applies: |config| config.is_striped(),
        },
    ],
    metrics: &[
        parity::METRICS[0],
        parity::METRICS[1],
        parity::METRICS[2],
        FILLED,
        CHANGED,
        CHANGED_SOON,
        CANDIDATES,
        ADMITTED,
        PREDICTIONS,
        RIGHT,
        TRAININGS,
    ],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        given.check()?;
        let geometry = &context.geometry;
        let ways = Ways { in_order: given.order == Order::Source, fills_any: given.fills == Fills::AnyUnit };
        Ok(Box::new(Coupled {
            courses: Courses::new(&given.rule(), ways, geometry)?,
            candidates: Vec::with_capacity(geometry.blocks_per_plane as usize),
            chosen: [0; 3],
            foresight: Foresight::default(),
            ranked: Vec::new(),
            known: Known {
                model: given.model(),
                windows: Windows::new(given.window, geometry),
                learning: Learning::new(given.label, geometry),
                loans: Loans::new(geometry),
                stream: context.stream("coupled"),
            },
            given,
        }))
    },
};

/// What is known of the host and of blocks: the state that is saved.
#[derive(Serialize, Deserialize)]
struct Known {
    model: Model,
    windows: Windows,
    learning: Learning,
    loans: Loans,
    stream: RandomStream,
}

struct Coupled {
    given: Parameters,
    courses: Courses,
    /// Room to put the candidates of a job in order: valid pages and number.
    candidates: Vec<Reverse<(u32, BlockId)>>,
    /// Candidates examined, admitted, trainings.
    chosen: [u64; 3],
    known: Known,
    /// Of `future`: what the trace will write, and room to put pages of coupled blocks in order.
    foresight: Foresight,
    ranked: Vec<(Reverse<u64>, usize, Ppn)>,
}

impl Coupled {
    /// Blocks that lend pages to the job, best first.
    fn couple(&mut self, job: &JobView<'_>) {
        let first = job.geometry.first_block(job.plane).0;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for block in (first..first + job.geometry.blocks_per_plane).map(BlockId) {
            let valid = job.blocks.valid(block);
            if valid > 0 && job.blocks.state(block) == BlockState::Sealed {
                candidates.push(Reverse((valid, block)));
            }
        }
        let mut heap = BinaryHeap::from(candidates);
        let mut coupled = 0;
        while coupled < self.given.blocks
            && let Some(Reverse((_, block))) = heap.pop()
        {
            self.chosen[0] += 1;
            if self.admits(block, job) {
                self.courses.borrow_from(coupled as usize, block, job);
                coupled += 1;
            }
        }
        self.chosen[1] += u64::from(coupled);
        self.candidates = heap.into_vec();
        if self.given.admission == Admission::Future {
            self.rank(job);
        }
    }

    fn admits(&mut self, block: BlockId, job: &JobView<'_>) -> bool {
        let valid = job.blocks.valid(block);
        let by_chance = match self.given.admission {
            Admission::Always | Admission::Future => return true,
            Admission::InvalidRatio => {
                let pages = u64::from(job.geometry.pages_per_block);
                let invalid = pages - u64::from(valid);
                return invalid * 1_000_000 >= u64::from(self.given.invalid.ppm) * pages;
            }
            Admission::Text => true,
            Admission::Pseudocode => false,
        };
        let known = &mut self.known;
        let inputs = known.windows.inputs(block, job);
        let invalid = known.model.score(&inputs);
        let window = known.windows.ended;
        known.learning.watch(block, window, inputs, invalid, [valid, known.loans.unchanged(block)]);
        (draw(&mut known.stream) >= invalid) == by_chance
    }

    /// The job borrows pages first whose data lives longest, the first of equals.
    fn rank(&mut self, job: &JobView<'_>) {
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        for (at, block) in self.courses.lenders(job).enumerate() {
            let end = job.geometry.page(block, 0).0 + job.geometry.pages_per_block;
            let mut next = job.map.next_valid(job.geometry.page(block, 0), end);
            while let Some(page) = next {
                let lifetime = self.foresight.lifetime(job.map.owner(page)).unwrap_or(u64::MAX);
                ranked.push((Reverse(lifetime), at, page));
                next = job.map.next_valid(Ppn(page.0 + 1), end);
            }
        }
        ranked.sort_unstable();
        self.courses.rank(ranked.iter().map(|(_, _, page)| *page), job);
        self.ranked = ranked;
    }

    fn end_window(&mut self, drive: &DriveView<'_>) {
        let Known { model, windows, learning, loans, .. } = &mut self.known;
        learning.window_ends(windows.ended, drive, |block| loans.unchanged(block));
        windows.end(drive);
        let Parameters { retrain_below, learning_rate, iterations, lib_replica, .. } = self.given;
        let trained = learning.retrain(model, retrain_below, learning_rate, iterations, !lib_replica);
        self.chosen[2] += u64::from(trained);
    }
}

/// A number from 0 to below 1, one of 2^30.
fn draw(stream: &mut RandomStream) -> f64 {
    f64::from(stream.below(1 << 30)) / f64::from(1 << 30)
}

impl Relocation for Coupled {
    fn begin(&mut self, job: &JobView<'_>) {
        let valid = job.blocks.valid(job.victim);
        let Known { windows, learning, loans, .. } = &mut self.known;
        loans.job(job.plane);
        learning.collected(job.victim, windows.ended, [valid, loans.unchanged(job.victim)]);
        if self.courses.begin(job) && valid > 0 {
            self.couple(job);
        }
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

    fn borrowing(&mut self) -> Option<&mut dyn Borrowing> {
        Some(self)
    }

    fn save(&self) -> Vec<u8> {
        let state = (self.courses.copies.save(), &self.known);
        postcard::to_stdvec(&state).expect("plain tables can be written down")
    }

    fn load(&mut self, state: &[u8]) -> bool {
        let Ok((copies, known)) = postcard::from_bytes::<(&[u8], Known)>(state) else { return false };
        self.known = known;
        self.courses.copies.load(copies)
    }

    fn metrics(&self) -> Vec<Reading> {
        let Known { loans, learning, .. } = &self.known;
        let [filled, changed, changed_soon] = loans.counted;
        let ([predictions, right], [examined, admitted, trainings]) = (learning.counted, self.chosen);
        let mut readings = self.courses.counted.readings().to_vec();
        readings.extend([
            FILLED.is(filled),
            CHANGED.is(changed),
            CHANGED_SOON.is(changed_soon),
            CANDIDATES.is(examined),
            ADMITTED.is(admitted),
            PREDICTIONS.is(predictions),
            RIGHT.is(right),
            TRAININGS.is(trainings),
        ]);
        readings
    }
}

impl Borrowing for Coupled {
    fn on_erased(&mut self, block: BlockId) {
        self.known.loans.erased(block);
    }

    fn on_request(&mut self, writes: bool, drive: &DriveView<'_>) {
        if self.known.windows.is_over() {
            self.end_window(drive);
        }
        self.known.windows.request(writes);
    }

    fn on_write(&mut self, lpn: Lpn, update: bool, drive: &DriveView<'_>) {
        self.foresight.page_written();
        self.known.windows.page(update);
        self.known.loans.end(lpn, drive);
    }

    fn on_trim(&mut self, lpn: Lpn, drive: &DriveView<'_>) {
        self.known.loans.end(lpn, drive);
    }

    fn on_borrowed(&mut self, lpn: Lpn, lender: BlockId, drive: &DriveView<'_>) {
        self.known.loans.lend(lpn, lender, drive);
    }

    fn wants_future(&self) -> bool {
        self.given.admission == Admission::Future
    }

    fn foresee(&mut self, future: Future) {
        self.foresight.begin(future);
    }

    fn keep_samples(&mut self) {
        self.known.learning.keep();
    }

    fn samples(&self) -> &[Sample] {
        self.known.learning.kept()
    }
}

// What `coupled` counts beside what all policies of the odd/even rule count.

const FILLED: Metric = Metric {
    name: "filled_pages",
    unit: "pages",
    about: "Pages of coupled blocks that filled what would have been wasted.",
};

const CHANGED: Metric = Metric {
    name: "filled_pages_changed",
    unit: "pages",
    about: "Of these, pages that the host overwrote or trimmed before the block that they left was \
            collected: the rest of filled_pages is CoupledCB's accuracy.",
};

const CHANGED_SOON: Metric = Metric {
    name: "filled_pages_changed_soon",
    unit: "pages",
    about: "Of these, pages that the host changed before the next job of their plane.",
};

const CANDIDATES: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates that were looked at to find coupled blocks.",
};

const ADMITTED: Metric = Metric {
    name: "coupled_blocks",
    unit: "blocks",
    about: "Candidates that were admitted as coupled blocks.",
};

const PREDICTIONS: Metric = Metric {
    name: "predictions",
    unit: "predictions",
    about: "Predictions of the regression whose outcome became known.",
};

const RIGHT: Metric = Metric {
    name: "right_predictions",
    unit: "predictions",
    about: "Of these, those that were right: above or below a half, as it came.",
};

const TRAININGS: Metric = Metric {
    name: "trainings",
    unit: "trainings",
    about: "Times the regression was trained, at the end of a window of requests.",
};

// Pages that were relocated ahead of the collection of their block: does the host overwrite them before that?

/// When a logical page was relocated ahead.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Loan {
    /// The block that it left.
    lender: BlockId,
    /// Erases of that block then: one more, and the block was collected.
    erases: u32,
    /// Jobs that had begun in the plane then.
    jobs: u32,
}

const NO_LOAN: Loan = Loan { lender: BlockId::NONE, erases: 0, jobs: 0 };

/// What is known of blocks that lent pages and were not collected since.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Loans {
    of_page: Vec<Loan>,
    /// Of each plane: jobs that have begun.
    jobs: Vec<u32>,
    /// Of each block, since it was erased: pages lent, and those of them that the host has overwritten or trimmed.
    lent: Vec<u16>,
    changed: Vec<u16>,
    /// Pages lent in all; those changed before their block was collected; those changed before the plane's next job.
    counted: [u64; 3],
}

impl Loans {
    /// No page is lent.
    fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() as usize;
        Self {
            of_page: vec![NO_LOAN; geometry.stored_pages as usize],
            jobs: vec![0; geometry.planes() as usize],
            lent: vec![0; blocks],
            changed: vec![0; blocks],
            counted: [0; 3],
        }
    }

    /// A job begins in a plane.
    fn job(&mut self, plane: PlaneId) {
        self.jobs[plane.index()] += 1;
    }

    /// A page was relocated out of a block that is not collected yet.
    fn lend(&mut self, lpn: Lpn, lender: BlockId, drive: &DriveView<'_>) {
        let jobs = self.jobs[drive.geometry.plane_of(lender).index()];
        self.of_page[lpn.index()] = Loan { lender, erases: drive.blocks.erases(lender), jobs };
        self.lent[lender.index()] += 1;
        self.counted[0] += 1;
    }

    /// The host overwrites or trims a page.
    fn end(&mut self, lpn: Lpn, drive: &DriveView<'_>) {
        let Loan { lender, erases, jobs } = self.of_page[lpn.index()];
        if !lender.is_some() {
            return;
        }
        self.of_page[lpn.index()] = NO_LOAN;
        if drive.blocks.erases(lender) != erases {
            return;
        }
        self.changed[lender.index()] += 1;
        self.counted[1] += 1;
        self.counted[2] += u64::from(self.jobs[drive.geometry.plane_of(lender).index()] == jobs);
    }

    /// A block was collected.
    fn erased(&mut self, block: BlockId) {
        self.lent[block.index()] = 0;
        self.changed[block.index()] = 0;
    }

    /// Pages that a block still vouches for: lent, and not changed by the host since.
    fn unchanged(&self, block: BlockId) -> u32 {
        u32::from(self.lent[block.index()] - self.changed[block.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mini;

    /// What a block has lent counts until the host changes it, or the block is erased.
    #[test]
    fn an_erase_ends_what_a_block_has_lent() {
        let mut loans = Loans::new(&mini());
        (loans.lent[3], loans.changed[3], loans.lent[4]) = (5, 2, 1);
        assert_eq!([3, 4].map(|block| loans.unchanged(BlockId(block))), [3, 1]);
        loans.erased(BlockId(3));
        assert_eq!([3, 4].map(|block| loans.unchanged(BlockId(block))), [0, 1]);
    }
}
