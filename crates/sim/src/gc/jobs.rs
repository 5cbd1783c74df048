//! Collection jobs under way: what each has done of its victim.

use std::collections::VecDeque;

use super::units::Units;
use crate::flash::Geometry;
use crate::ids::{BlockId, ChannelId, JobId, PlaneId, Ppn, SlotId};
use crate::mapping::Cause;
use crate::time::SimTime;

/// What is known of a job from its beginning on.
#[derive(Debug, Clone, Copy)]
pub struct JobFacts {
    /// The plane that is collected.
    pub plane: PlaneId,
    /// The block that is emptied and erased.
    pub victim: BlockId,
    /// Why it is emptied.
    pub cause: Cause,
    /// When the job began.
    pub started: SimTime,
    /// Valid pages of the victim then.
    pub valid_pages: u32,
    /// Pages of the drive in use then.
    pub used_pages: u64,
    /// A host write waited for a page of the plane, so that nothing could hold the job back.
    pub emergency: bool,
}

/// The pages that a job lifts into the collector's buffer before it writes them back. Without such a buffer all pages
/// of a paced job are one batch, of which only those taken are counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Batch {
    /// Number of pages that it may have.
    pub pages: u32,
    /// Number of pages of the steps that have begun.
    pub taken: u32,
    /// Number of pages in the buffer.
    pub lifted: u32,
}

/// One job: how far it has got.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    facts: JobFacts,
    /// Where the search for valid pages goes on.
    cursor: Ppn,
    /// Number of steps under way: a page, or a program unit of pages, each.
    outstanding: u32,
    erasing: bool,
    batch: Batch,
    /// The first and the last page of the batch in the buffer, linked through `Jobs::next_lifted`.
    lifted: SlotId,
    last_lifted: SlotId,
    /// Number of pages that are being written back before the next batch is lifted.
    writing_back: u32,
}

impl Job {
    /// Nothing of the victim, whose first page is given, is relocated yet; a batch may have so many pages.
    pub(crate) fn new(facts: JobFacts, first: Ppn, pages_of_batch: u32) -> Self {
        Self {
            facts,
            cursor: first,
            outstanding: 0,
            erasing: false,
            batch: Batch { pages: pages_of_batch, ..Batch::default() },
            lifted: SlotId::NONE,
            last_lifted: SlotId::NONE,
            writing_back: 0,
        }
    }

    /// What is known of it from its beginning on.
    #[inline]
    pub(crate) fn facts(&self) -> &JobFacts {
        &self.facts
    }

    /// Whether another step may begin, with at most so many under way.
    #[inline]
    pub(crate) fn may_step(&self, most: u32) -> bool {
        !self.erasing && self.outstanding < most
    }

    /// Where the search for valid pages goes on.
    #[inline]
    pub(crate) fn cursor(&self) -> Ppn {
        self.cursor
    }

    /// Number of steps under way.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// A step relocates the valid pages up to `last`.
    #[inline]
    pub(crate) fn begin_step(&mut self, last: Ppn) {
        self.cursor = Ppn(last.0 + 1);
        self.outstanding += 1;
    }

    /// A step has ended.
    #[inline]
    pub(crate) fn end_step(&mut self) {
        self.outstanding -= 1;
    }

    /// All pages are relocated: the victim is being erased.
    #[inline]
    pub(crate) fn begin_erase(&mut self) {
        self.erasing = true;
    }
}

// Pages in the collector's buffer.
impl Job {
    /// The present batch.
    pub(crate) fn batch(&self) -> Batch {
        self.batch
    }

    /// A step that begins has so many pages.
    #[inline]
    pub(crate) fn take_of_batch(&mut self, pages: u32) {
        self.batch.taken += pages;
    }

    /// The first page in the buffer.
    pub(crate) fn first_lifted(&self) -> SlotId {
        self.lifted
    }

    /// The batch is complete, and the next one begins. Returns the first page of the one in the buffer.
    pub(crate) fn end_batch(&mut self) -> SlotId {
        (self.batch.taken, self.batch.lifted) = (0, 0);
        self.last_lifted = SlotId::NONE;
        std::mem::replace(&mut self.lifted, SlotId::NONE)
    }

    /// A page is written back before the next batch is lifted.
    pub(crate) fn begin_write_back(&mut self) {
        self.writing_back += 1;
    }

    /// Such a page is in flash again, or not wanted there any more. Tells whether it was the last.
    pub(crate) fn end_write_back(&mut self) -> bool {
        self.writing_back -= 1;
        !self.writes_back()
    }

    /// Whether there are any.
    pub(crate) fn writes_back(&self) -> bool {
        self.writing_back > 0
    }
}

/// All jobs under way.
#[derive(Debug)]
pub struct Jobs {
    slots: Vec<Job>,
    free: Vec<JobId>,
    per_channel: Vec<u32>,
    /// Planes that wait to be collected.
    pub(crate) held_back: HeldBackPlanes,
    /// Channels that could collect when a plane was held back last, or the planes held back were asked last.
    limit_noted: u32,
    /// What a limit that changes with everything could see after the event before: pages in use and valid, and jobs of
    /// each channel.
    seen: ((u64, u64), Vec<u32>),
    /// By slot: the slot of the same job that was lifted next.
    next_lifted: Vec<SlotId>,
    /// By plane, where planes share superblocks: the job that began there last.
    pub(crate) of_plane: Box<[JobId]>,
    /// Steps under way that relocate a program unit of several pages.
    pub(crate) units: Units,
}

impl Jobs {
    /// No jobs, with room for one in each plane of the drive.
    pub fn new(geometry: &Geometry) -> Self {
        Self {
            slots: Vec::with_capacity(geometry.planes() as usize),
            free: Vec::with_capacity(geometry.planes() as usize),
            per_channel: vec![0; geometry.channels as usize],
            held_back: HeldBackPlanes::new(geometry.planes()),
            limit_noted: 0,
            seen: ((u64::MAX, 0), Vec::new()),
            next_lifted: Vec::new(),
            of_plane: match geometry.superblock_planes {
                1 => [].into(),
                _ => vec![JobId::NONE; geometry.planes() as usize].into(),
            },
            units: Units::default(),
        }
    }
}

impl Jobs {
    /// A job begins on a channel; its number may be one that was freed.
    pub(crate) fn begin(&mut self, job: Job, channel: ChannelId) -> JobId {
        self.per_channel[channel.index()] += 1;
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = job;
            id
        } else {
            self.slots.push(job);
            JobId(self.slots.len() as u32 - 1)
        }
    }

    /// A job of a channel has ended; what it was.
    pub(crate) fn end(&mut self, id: JobId, channel: ChannelId) -> Job {
        self.per_channel[channel.index()] -= 1;
        self.free.push(id);
        self[id]
    }

    /// Number of jobs under way.
    pub(crate) fn under_way(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The same on each channel.
    pub(crate) fn per_channel(&self) -> &[u32] {
        &self.per_channel
    }

    /// Number of channels with a job under way.
    pub(crate) fn collecting_channels(&self) -> usize {
        self.per_channel.iter().filter(|jobs| **jobs > 0).count()
    }

    /// As many channels may collect, and a plane is held back all the same.
    pub(crate) fn note_limit(&mut self, limit: u32) {
        self.limit_noted = limit;
    }

    /// Whether more channels may collect than was noted last; that is then noted.
    pub(crate) fn limit_has_grown_to(&mut self, limit: u32) -> bool {
        let has_grown = limit > self.limit_noted;
        if has_grown {
            self.limit_noted = limit;
        }
        has_grown
    }

    /// An event has ended with so many pages in use and valid. Tells whether these, or the jobs of any channel, are not
    /// what they were after the event before.
    pub(crate) fn note_seen(&mut self, pages: (u64, u64)) -> bool {
        let same = self.seen.0 == pages && self.seen.1 == self.per_channel;
        if !same {
            self.seen.0 = pages;
            self.seen.1.clone_from(&self.per_channel);
        }
        !same
    }

    /// The page of the same job that was lifted after one; none of the last.
    pub(crate) fn next_lifted(&self, slot: SlotId) -> SlotId {
        self.next_lifted[slot.index()]
    }

    /// A page of a job is in the buffer.
    pub(crate) fn note_lifted(&mut self, job: JobId, slot: SlotId) {
        if self.next_lifted.len() <= slot.index() {
            self.next_lifted.resize(slot.index() + 1, SlotId::NONE);
        }
        self.next_lifted[slot.index()] = SlotId::NONE;
        let job = &mut self.slots[job.index()];
        job.batch.lifted += 1;
        let last = std::mem::replace(&mut job.last_lifted, slot);
        if last.is_some() {
            self.next_lifted[last.index()] = slot;
        } else {
            job.lifted = slot;
        }
    }
}

impl std::ops::Index<JobId> for Jobs {
    type Output = Job;
    #[inline]
    fn index(&self, id: JobId) -> &Job {
        &self.slots[id.index()]
    }
}

impl std::ops::IndexMut<JobId> for Jobs {
    #[inline]
    fn index_mut(&mut self, id: JobId) -> &mut Job {
        &mut self.slots[id.index()]
    }
}

// Planes whose job had to wait: for the concurrency policy, or for room in the collector's buffer.

/// In the order in which they asked, each once.
#[derive(Debug)]
pub struct HeldBackPlanes {
    /// With whether a job of the plane had just ended, which the trigger is told again.
    waiting: VecDeque<(PlaneId, bool)>,
    /// Per plane: it is one of them. With many planes and little room they are asked after every page.
    waits: Box<[bool]>,
}

impl HeldBackPlanes {
    /// None, of so many planes.
    pub fn new(planes: u32) -> Self {
        Self { waiting: VecDeque::with_capacity(planes as usize), waits: vec![false; planes as usize].into() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a plane is one of them.
    pub(crate) fn contains(&self, plane: PlaneId) -> bool {
        self.waits[plane.index()]
    }

    /// Puts a plane behind the others, unless it is one of them; tells whether it was not.
    pub(crate) fn add(&mut self, plane: PlaneId, goes_on: bool) -> bool {
        let is_new = !std::mem::replace(&mut self.waits[plane.index()], true);
        if is_new {
            self.waiting.push_back((plane, goes_on));
        }
        is_new
    }

    /// Takes out the one that has waited longest.
    pub(crate) fn take_first(&mut self) -> Option<(PlaneId, bool)> {
        let first = self.waiting.pop_front();
        if let Some((plane, _)) = first {
            self.waits[plane.index()] = false;
        }
        first
    }
}
