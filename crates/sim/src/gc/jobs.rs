//! Collection jobs under way: what each has done of its victim.

use super::deferred_planes::DeferredPlanes;
use super::units::Units;
use crate::flash::Geometry;
use crate::ids::{BlockId, ChannelId, JobId, PlaneId, Ppn, SlotId};
use crate::mapping::Cause;
use crate::time::SimTime;

/// One job.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub(crate) plane: PlaneId,
    pub(crate) victim: BlockId,
    pub(crate) cause: Cause,
    /// Where the search for valid pages goes on.
    pub(crate) cursor: Ppn,
    /// First page whose mapping entry has not been prefetched.
    pub(crate) prefetched: Ppn,
    /// Number of steps under way, at most `gc.pages_in_flight`: a page, or a program unit of pages, each.
    pub(crate) outstanding: u32,
    pub(crate) erasing: bool,
    pub(crate) started: SimTime,
    pub(crate) valid_at_start: u32,
    /// Pages of the drive in use when it began.
    pub(crate) used_at_start: u64,
    /// Its pages in the controller's buffer, linked through `Jobs::next_lifted`, in the order in which they came.
    pub(crate) lifted: SlotId,
    pub(crate) last_lifted: SlotId,
    /// A host write waited for a page of its plane, so that nothing could hold it back.
    pub(crate) emergency: bool,
    /// Pages of a batch; those that steps of the present one have had; and those of it in the buffer.
    pub(crate) batch: u32,
    pub(crate) batch_taken: u32,
    pub(crate) batch_lifted: u32,
    /// Pages of it that are being written back before the next one is lifted.
    pub(crate) writing_back: u32,
}

/// All jobs under way.
#[derive(Debug)]
pub struct Jobs {
    slots: Vec<Job>,
    free: Vec<JobId>,
    per_channel: Vec<u32>,
    /// Planes that wait to be collected.
    pub(crate) deferred: DeferredPlanes,
    /// Channels that could collect when a plane was deferred last, or the deferred planes were asked last.
    limit_noted: u32,
    /// By slot: the slot of the same job that was lifted next.
    next_lifted: Vec<SlotId>,
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
            deferred: DeferredPlanes::new(geometry.planes()),
            limit_noted: 0,
            next_lifted: Vec::new(),
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

    /// As many channels may collect, and a plane is deferred all the same.
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
        self[job].batch_lifted += 1;
        let last = std::mem::replace(&mut self[job].last_lifted, slot);
        if last.is_some() {
            self.next_lifted[last.index()] = slot;
        } else {
            self[job].lifted = slot;
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
