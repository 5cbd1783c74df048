//! CoupledCB (Li et al., section III): copyback under the odd/even rule with two pointers, and what the victim's pages
//! leave of a unit is filled with pages of other blocks of the plane, *coupled blocks*, which are so relocated ahead of
//! their own collection.
//!
//! Candidates are the full blocks of the plane, those with the fewest valid pages first. Each is admitted with the
//! probability that its data will not be overwritten before it is collected, which a logistic regression estimates;
//! `blocks` are admitted at most. The regression is trained beforehand, and again when a window of requests ends in
//! which it was right too seldom.

mod learning;
mod loans;
mod metrics;
mod parameters;
mod pretrained;
mod windows;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use self::learning::Learning;
use self::loans::Loans;
use self::metrics::{ADMITTED, CANDIDATES, CHANGED, CHANGED_SOON, FILLED, PREDICTIONS, RIGHT, TRAININGS};
use self::parameters::{Admission, Fills, Order, Parameters};
use self::windows::Windows;
use super::course::{Courses, Ways};
use super::parity;
use super::regression::{Model, Sample};
use super::{Borrowing, Build, Copies, CopybackRule, DriveView, JobView, Relocation, Step};
use crate::future::{Foresight, Future};
use crate::ids::{BlockId, Lpn, Ppn};
use crate::mapping::BlockState;
use crate::metric::Reading;
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
            applies: |config| config.redundancy.kind == "raid5",
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
