//! The course of a job under the odd/even rule whose pages need not go in their order: which of them come next, which
//! pages of other blocks fill what they leave, and whether the job is tight.

use super::parity::{Counted, Parameters, Pointers, parity, parity_of};
use super::{Copies, JobView, Move, Pages, Step, Way};
use crate::flash::Geometry;
use crate::ids::{BlockId, Ppn};

/// Most blocks that lend pages to a job.
pub(super) const MOST_LENDERS: usize = 64;

/// How pages of a victim go, and those that fill what they leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    /// Whether the victim's pages go in their order, not parity by parity.
    pub(super) in_order: bool,
    /// Whether units into which no page of the victim goes are filled, too.
    pub(super) fills_any: bool,
}

/// The jobs of a drive.
#[derive(Debug)]
pub(super) struct Courses {
    ways: Ways,
    carry: bool,
    pub(super) copies: Copies,
    /// Of each plane: what is left of its job. A plane has one job at most.
    of_plane: Vec<Course>,
    /// Of each plane: the pages that its job may borrow, by parity, best first. Empty where blocks lend in order.
    ranked: Vec<[Vec<Ppn>; 2]>,
    pub(super) counted: Counted,
}

impl Courses {
    /// No job is under way.
    ///
    /// # Errors
    /// When the limit of copybacks is 0.
    pub(super) fn new(given: &Parameters, ways: Ways, geometry: &Geometry) -> Result<Self, String> {
        Ok(Self {
            ways,
            carry: given.carries(geometry),
            copies: given.copies(geometry)?,
            of_plane: vec![Course::NONE; geometry.planes() as usize],
            ranked: Vec::new(),
            counted: Counted::default(),
        })
    }

    /// A job begins. Tells whether it may borrow pages: a tight one has no use for them.
    pub(super) fn begin(&mut self, job: &JobView<'_>) -> bool {
        let course = Course::begin(job, self.ways, self.carry);
        self.counted.tight_jobs += u64::from(course.tight);
        self.of_plane[job.plane.index()] = course;
        !course.tight
    }

    /// One more block lends pages to a job, after the `at` blocks that do so already.
    pub(super) fn borrow_from(&mut self, at: usize, block: BlockId, job: &JobView<'_>) {
        self.of_plane[job.plane.index()].lenders[at] = Pointers::new(block, job.geometry);
    }

    /// The blocks that lend pages to a job, in the order in which they were admitted.
    pub(super) fn lenders(&self, job: &JobView<'_>) -> impl Iterator<Item = BlockId> {
        let lenders = &self.of_plane[job.plane.index()].lenders;
        lenders.iter().take_while(|lender| !lender.is_nowhere()).map(Pointers::block)
    }

    /// The pages that a job may borrow are these, best first, instead of those of its blocks in order.
    pub(super) fn rank(&mut self, pages: impl Iterator<Item = Ppn>, job: &JobView<'_>) {
        if self.ranked.is_empty() {
            self.ranked = vec![[Vec::new(), Vec::new()]; self.of_plane.len()];
        }
        let ranked = &mut self.ranked[job.plane.index()];
        ranked.iter_mut().for_each(Vec::clear);
        pages.for_each(|page| ranked[parity_of(page, job.geometry) as usize].push(page));
        self.of_plane[job.plane.index()].passed = Some([0; 2]);
    }

    /// The step that a job takes now.
    pub(super) fn next(&mut self, job: &JobView<'_>) -> Step {
        // Which page comes next in the open block must be known.
        if job.steps_under_way > 0 {
            return Step::Wait;
        }
        let limits = Limits { copies: &self.copies, ranked: self.ranked.get(job.plane.index()) };
        let step = self.of_plane[job.plane.index()].step(job, &limits);
        if let Step::Move(Move { way: Way::Controller, pages, .. }) = &step {
            let due = self.copies.are_due(pages.as_slice());
            let count = if due { &mut self.counted.checked } else { &mut self.counted.through_controller };
            *count += u64::from(pages.len());
        }
        step
    }
}

/// What decides which pages may be borrowed.
struct Limits<'a> {
    copies: &'a Copies,
    ranked: Option<&'a [Vec<Ppn>; 2]>,
}

/// What is left of a job, and how its next step is found.
#[derive(Debug, Clone, Copy)]
struct Course {
    victim: Pointers,
    /// Blocks whose pages fill what the victim's leave empty, in the order in which they are asked.
    lenders: [Pointers; MOST_LENDERS],
    /// Of each parity: ranked pages that were had, where pages are ranked.
    passed: Option<[usize; 2]>,
    ways: Ways,
    /// Whether a unit that the last pages do not fill stays open.
    carry: bool,
    /// Whether copybacks alone would win less than a unit.
    tight: bool,
}

impl Course {
    /// Of a plane without a job.
    const NONE: Self = Self {
        victim: Pointers::NOWHERE,
        lenders: [Pointers::NOWHERE; MOST_LENDERS],
        passed: None,
        ways: Ways { in_order: false, fills_any: false },
        carry: false,
        tight: false,
    };

    /// A job begins.
    fn begin(job: &JobView<'_>, ways: Ways, carry: bool) -> Self {
        let victim = Pointers::new(job.victim, job.geometry);
        let mut course = Self { victim, ways, carry, ..Self::NONE };
        course.tight = course.slots(job) + job.geometry.unit_pages > job.geometry.pages_per_block;
        course
    }

    /// The step to take now, none being under way.
    fn step(&mut self, job: &JobView<'_>, limits: &Limits<'_>) -> Step {
        if self.victim.find_any(job).is_none() {
            return Step::Done;
        }
        if self.tight { self.tight_step(job, limits) } else { self.parity_step(job, limits) }
    }

    fn parity_step(&mut self, job: &JobView<'_>, limits: &Limits<'_>) -> Step {
        let unit = job.geometry.unit_pages;
        let (room, here) = (unit - job.next_page % unit, parity(job.next_page, unit));
        let stays = self.find(here, job).is_some()
            || (self.ways.fills_any && self.lender(here, job, limits).is_some());
        let (wanted, mut most) = if stays { (here, room) } else { (1 - here, unit) };
        let mut ahead = *self;
        let mut pages = ahead.take(wanted, most, job);
        let mut way = Way::Copyback;
        if limits.copies.are_due(pages.as_slice()) {
            // Over the channel they may go anywhere, so nothing is left empty before them.
            (way, most, ahead) = (Way::Controller, room, *self);
            pages = ahead.take(wanted, most, job);
        }
        let load = ahead.loads(&pages, most, job);
        if !load && way == Way::Copyback {
            ahead.fill(wanted, most, &mut pages, job, limits);
        }
        *self = ahead;
        Step::Move(Move { pages, way, wastes: true, load })
    }

    fn tight_step(&mut self, job: &JobView<'_>, limits: &Limits<'_>) -> Step {
        let unit = job.geometry.unit_pages;
        let (room, here) = (unit - job.next_page % unit, parity(job.next_page, unit));
        let mut pages = Pages::none();
        let preferred = if self.ways.in_order { [None, None] } else { [Some(here), Some(1 - here)] };
        for wanted in preferred {
            while pages.len() < room {
                let next = match wanted {
                    Some(parity) => self.find(parity, job),
                    None => self.victim.find_any(job),
                };
                let Some(page) = next else { break };
                self.victim.pass(page, self.ways.in_order, job.geometry);
                pages.push(page);
            }
        }
        let fits = pages.as_slice().iter().all(|page| parity_of(*page, job.geometry) == here)
            && !limits.copies.are_due(pages.as_slice());
        let load = self.loads(&pages, room, job);
        let way = if fits { Way::Copyback } else { Way::Controller };
        Step::Move(Move { pages, way, wastes: true, load })
    }

    /// Whether a unit with these pages stays open for the next job.
    fn loads(&mut self, pages: &Pages, most: u32, job: &JobView<'_>) -> bool {
        self.carry && pages.len() < most && self.victim.find_any(job).is_none()
    }

    /// The next page of the victim, if it has that parity.
    fn find(&mut self, parity: u32, job: &JobView<'_>) -> Option<Ppn> {
        if !self.ways.in_order {
            return self.victim.find(parity, job);
        }
        self.victim.find_any(job).filter(|page| parity_of(*page, job.geometry) == parity)
    }

    fn take(&mut self, parity: u32, most: u32, job: &JobView<'_>) -> Pages {
        let mut pages = Pages::none();
        while pages.len() < most
            && let Some(page) = self.find(parity, job)
        {
            self.victim.pass(page, self.ways.in_order, job.geometry);
            pages.push(page);
        }
        pages
    }

    /// Which block lends a page of that parity, and which page. Pages that must be checked are not lent.
    fn lender(&mut self, parity: u32, job: &JobView<'_>, limits: &Limits<'_>) -> Option<(usize, Ppn)> {
        if let (Some(passed), Some(ranked)) = (&mut self.passed, limits.ranked) {
            let (passed, ranked) = (&mut passed[parity as usize], &ranked[parity as usize]);
            let lent = |page: &Ppn| job.map.is_valid(*page) && !limits.copies.is_due(*page);
            *passed += ranked[*passed..].iter().position(lent)?;
            return Some((0, ranked[*passed]));
        }
        for (at, lender) in self.lenders.iter_mut().enumerate() {
            if lender.is_nowhere() {
                return None;
            }
            while let Some(page) = lender.find(parity, job) {
                if !limits.copies.is_due(page) {
                    return Some((at, page));
                }
                lender.pass(page, false, job.geometry);
            }
        }
        None
    }

    fn fill(&mut self, parity: u32, most: u32, pages: &mut Pages, job: &JobView<'_>, limits: &Limits<'_>) {
        while pages.len() < most
            && let Some((at, page)) = self.lender(parity, job, limits)
        {
            match &mut self.passed {
                Some(passed) => passed[parity as usize] += 1,
                None => self.lenders[at].pass(page, false, job.geometry),
            }
            pages.push(page);
        }
    }

    /// Pages of the collector's open blocks that the job would use up if it copied back all its pages.
    fn slots(&self, job: &JobView<'_>) -> u32 {
        let (unit, per_block) = (job.geometry.unit_pages, job.geometry.pages_per_block);
        let (mut course, mut job, copies) = (*self, *job, Copies::unlimited());
        let limits = Limits { copies: &copies, ranked: None };
        let mut used = 0;
        while let Step::Move(step) = course.step(&job, &limits) {
            let mut advance = |pages: u32| {
                used += pages;
                job.next_page = (job.next_page + pages) % per_block;
                job.next_page
            };
            let source = parity_of(step.pages.first(), job.geometry);
            let mut next = advance(0);
            while parity(next, unit) != source {
                next = advance(unit - next % unit);
            }
            advance(if step.load { step.pages.len() } else { unit - next % unit });
        }
        used
    }
}
