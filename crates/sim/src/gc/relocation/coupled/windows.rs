//! What is known of the host and of blocks, window by window of requests: the inputs of the model.

use serde::{Deserialize, Serialize};

use crate::flash::Geometry;
use crate::gc::relocation::regression::INPUTS;
use crate::gc::relocation::{DriveView, JobView};
use crate::ids::BlockId;
use crate::mapping::BlockState;

/// What the host did in a window.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Host {
    requests: u32,
    writes: u32,
    pages: u64,
    updates: u64,
}

impl Host {
    fn write_ratio(&self) -> f64 {
        share(u64::from(self.writes), u64::from(self.requests))
    }

    fn update_ratio(&self) -> f64 {
        share(self.updates, self.pages)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The window that goes on, and what is kept of the one before.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Windows {
    /// Requests of a window.
    length: u32,
    /// Number of windows that have ended.
    pub(super) ended: u32,
    now: Host,
    before: Host,
    /// Of each block: invalid pages at the end of the last window, 0 if it was not full.
    invalid_before: Vec<u16>,
    /// Of each plane: what collecting its full blocks would have won then, pages.
    reclaimable_before: Vec<u32>,
}

impl Windows {
    /// Before the first request.
    pub(super) fn new(length: u32, geometry: &Geometry) -> Self {
        Self {
            length,
            ended: 0,
            now: Host::default(),
            before: Host::default(),
            invalid_before: vec![0; geometry.blocks() as usize],
            reclaimable_before: vec![0; geometry.planes() as usize],
        }
    }

    /// Whether the next request begins a window.
    pub(super) fn is_over(&self) -> bool {
        self.now.requests == self.length
    }

    /// The window ends.
    pub(super) fn end(&mut self, drive: &DriveView<'_>) {
        self.ended += 1;
        self.before = std::mem::take(&mut self.now);
        let pages = drive.geometry.pages_per_block;
        for (at, invalid) in self.invalid_before.iter_mut().enumerate() {
            let block = BlockId(at as u32);
            let full = drive.blocks.state(block) == BlockState::Sealed;
            *invalid = if full { (pages - drive.blocks.valid(block)) as u16 } else { 0 };
        }
        for (reclaimable, plane) in self.reclaimable_before.iter_mut().zip(drive.planes) {
            *reclaimable = plane.reclaimable;
        }
    }

    /// A request, in a window that is not over.
    pub(super) fn request(&mut self, writes: bool) {
        self.now.requests += 1;
        self.now.writes += u32::from(writes);
    }

    /// A page that the host writes.
    pub(super) fn page(&mut self, update: bool) {
        self.now.pages += 1;
        self.now.updates += u64::from(update);
    }

    /// The inputs of the model for a block of the plane of a job.
    pub(super) fn inputs(&self, block: BlockId, job: &JobView<'_>) -> [f64; INPUTS] {
        let pages = u64::from(job.geometry.pages_per_block);
        let of_plane = pages * u64::from(job.geometry.blocks_per_plane);
        [
            share(pages - u64::from(job.blocks.valid(block)), pages),
            share(u64::from(self.invalid_before[block.index()]), pages),
            share(u64::from(job.reclaimable), of_plane),
            share(u64::from(self.reclaimable_before[job.plane.index()]), of_plane),
            self.now.write_ratio(),
            self.before.write_ratio(),
            self.now.update_ratio(),
            self.before.update_ratio(),
        ]
    }
}
