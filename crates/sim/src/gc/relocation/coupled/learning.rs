//! What becomes of blocks that the model was asked about: samples to measure it by, and to train it with.

use serde::{Deserialize, Serialize};

use super::parameters::Label;
use crate::flash::Geometry;
use crate::gc::relocation::regression::{INPUTS, Model, Sample};
use crate::gc::relocation::{DriveView, JobView};
use crate::ids::BlockId;
use crate::mapping::BlockState;

/// Windows after which it is decided what became of a block that was not collected.
const HORIZON: usize = 4;

/// Most samples of a window: what comes after them is not looked at.
const MOST_SAMPLES: usize = 4096;

/// A block that the model was asked about, and that is still watched.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Watched {
    /// Number of the window, plus 1; 0 for none.
    window: u32,
    inputs: [f64; INPUTS],
    predicted: f64,
    /// Valid pages then.
    valid: u32,
    /// Valid pages then, and pages that were lent and unchanged: what the host can still invalidate.
    remaining: u32,
}

const NOTHING: Watched = Watched { window: 0, inputs: [0.0; INPUTS], predicted: 0.0, valid: 0, remaining: 0 };

/// Samples on their way, and those of the window that goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Learning {
    label: Label,
    /// Of each block, one for each of the last windows.
    watched: Vec<Watched>,
    /// Blocks watched since each of the last windows.
    blocks: [Vec<BlockId>; HORIZON],
    /// Samples whose outcome became known in this window.
    samples: Vec<Sample>,
    /// How many of them the model had right.
    right: u32,
    /// All of them so far, and how many were right.
    pub(super) counted: [u64; 2],
    /// Samples of all windows, where they are wanted.
    kept: Option<Vec<Sample>>,
}

impl Learning {
    /// Nothing is watched.
    pub(super) fn new(label: Label, geometry: &Geometry) -> Self {
        let blocks = geometry.blocks() as usize;
        Self {
            label,
            watched: vec![NOTHING; blocks * HORIZON],
            blocks: std::array::from_fn(|_| Vec::with_capacity(blocks)),
            samples: Vec::with_capacity(MOST_SAMPLES),
            right: 0,
            counted: [0; 2],
            kept: None,
        }
    }

    /// Keep all samples from now on.
    pub(super) fn keep(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// Samples that were kept.
    pub(super) fn kept(&self) -> &[Sample] {
        self.kept.as_deref().unwrap_or_default()
    }

    /// The model was asked about a block; once in a window is enough. `unchanged` are pages that it has lent and that
    /// the host has not changed since.
    pub(super) fn watch(
        &mut self,
        block: BlockId,
        window: u32,
        inputs: [f64; INPUTS],
        predicted: f64,
        [valid, unchanged]: [u32; 2],
    ) {
        let until_collected = self.label.waits_for_collection();
        // One that is watched until it is collected has no other watch.
        let place = if until_collected { 0 } else { window as usize % HORIZON };
        let watched = &mut self.watched[block.index() * HORIZON + place];
        if watched.window == window + 1 || (until_collected && watched.window > 0) {
            return;
        }
        *watched = Watched { window: window + 1, inputs, predicted, valid, remaining: valid + unchanged };
        if !until_collected {
            self.blocks[place].push(block);
        }
    }

    /// A block is collected in the window of that number: what became of it is known.
    pub(super) fn collected(&mut self, block: BlockId, window: u32, [valid, unchanged]: [u32; 2]) {
        // The oldest first: the order of samples shows in the last digits of what is learned.
        for later in 1..=HORIZON {
            let place = (window as usize + later) % HORIZON;
            if self.decide(block, place, valid + unchanged) {
                // It may be watched again before the window ends, behind those that are watched now.
                self.blocks[place].retain(|watched| *watched != block);
            }
        }
    }

    /// A window ends, the number of which is given; what was watched for long enough is decided.
    pub(super) fn window_ends(
        &mut self,
        window: u32,
        drive: &DriveView<'_>,
        unchanged: impl Fn(BlockId) -> u32,
    ) {
        // The place that the next window takes has what began to be watched HORIZON windows before that.
        let place = (window as usize + 1) % HORIZON;
        let mut blocks = std::mem::take(&mut self.blocks[place]);
        for block in blocks.drain(..) {
            self.decide(block, place, drive.blocks.valid(block) + unchanged(block));
        }
        self.blocks[place] = blocks;
    }

    /// What became of a block; tells whether it was watched.
    fn decide(&mut self, block: BlockId, place: usize, holds: u32) -> bool {
        let at = block.index() * HORIZON + place;
        let watched = std::mem::replace(&mut self.watched[at], NOTHING);
        let Watched { window, inputs, predicted, valid, remaining } = watched;
        if window == 0 {
            return false;
        }
        let lost = remaining - holds;
        let target = self.label.target(lost, valid);
        let right = (predicted >= 0.5) == (target > 0.5);
        self.counted[0] += 1;
        self.counted[1] += u64::from(right);
        let sample = Sample { inputs, target };
        if let Some(kept) = &mut self.kept {
            kept.push(sample);
        }
        if self.samples.len() < MOST_SAMPLES {
            self.samples.push(sample);
            self.right += u32::from(right);
        }
        true
    }

    /// The model is trained with the samples of the window if it had fewer right than that share. Tells whether it was.
    pub(super) fn retrain(
        &mut self,
        model: &mut Model,
        below: f64,
        rate: f64,
        steps: u32,
        bias: bool,
    ) -> bool {
        let trains = f64::from(self.right) < below * self.samples.len() as f64;
        if trains {
            model.train(&self.samples, rate, steps, bias);
        }
        self.samples.clear();
        self.right = 0;
        trains
    }
}

// What is known of the host and of blocks, window by window of requests: the inputs of the model.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mini;

    /// What is learned of a block of so many valid pages, and one lent, when so many were lost.
    fn target(label: Label, valid: u32, lost: u32) -> f64 {
        let mut learning = Learning::new(label, &mini());
        learning.keep();
        learning.watch(BlockId(3), 7, [0.0; INPUTS], 0.5, [valid, 1]);
        learning.collected(BlockId(3), 8, [valid - lost, 1]);
        let [sample] = learning.kept() else { panic!("one sample") };
        // The model said that it would be.
        assert_eq!(learning.counted, [1, u64::from(sample.target > 0.5)]);
        sample.target
    }

    #[test]
    fn a_block_is_invalidated_with_more_than_half_of_its_pages_or_with_any() {
        let by_lost = |label, valid| (0..=valid).map(|lost| target(label, valid, lost)).collect::<Vec<_>>();
        assert_eq!(by_lost(Label::Half, 4), [0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(by_lost(Label::Half, 3), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(by_lost(Label::Any, 3), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(by_lost(Label::Share, 4), [0.0, 0.25, 0.5, 0.75, 1.0]);
        // Two pages were valid and three had been lent: if four of them change, that is more than were valid.
        let mut learning = Learning::new(Label::Share, &mini());
        learning.keep();
        learning.watch(BlockId(3), 7, [0.0; INPUTS], 0.5, [2, 3]);
        learning.collected(BlockId(3), 8, [0, 1]);
        assert_eq!(learning.kept()[0].target, 1.0);
    }

    /// Watched in window 7 with four pages, and asked about again: nothing is decided in eight windows, then three
    /// pages are gone.
    #[test]
    fn until_it_is_collected_a_block_is_watched_once() {
        let mut learning = Learning::new(Label::Collected, &mini());
        learning.keep();
        for window in 7..15 {
            learning.watch(BlockId(3), window, [f64::from(window); INPUTS], 0.5, [4, 0]);
            assert!(learning.blocks.iter().all(Vec::is_empty), "no window decides it");
        }
        learning.collected(BlockId(3), 15, [1, 0]);
        learning.collected(BlockId(3), 15, [1, 0]);
        let [sample] = learning.kept() else { panic!("one sample") };
        assert!(sample.target == 1.0 && sample.inputs[0] == 7.0);
        learning.watch(BlockId(3), 16, [0.0; INPUTS], 0.5, [4, 0]);
        learning.collected(BlockId(3), 16, [2, 0]);
        assert_eq!(learning.kept()[1].target, 0.0, "two of four are not more than half");
    }
}
