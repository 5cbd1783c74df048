//! Write-amplification experiments that closed forms know the answer to.
//!
//! One plane, the untimed path, random page writes. The experiment also tells how much of the drive held neither data
//! nor anything to reclaim, because a formula must be given the spare space that is left without it.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::config::{LoadRequest, load};
use crate::engine::Progress;
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::ids::{Lpn, PlaneId};
use crate::random::RandomStream;
use crate::settings::{Config, GcFrontier};
use crate::sim_error::SimError;

/// Which pages the requests address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Workload {
    /// Writes, every page equally likely.
    Uniform,
    /// Writes of two kinds, each spread evenly over its part of the pages.
    HotCold {
        /// Share of the pages that are hot.
        data: f64,
        /// Share of the writes that go to hot pages.
        writes: f64,
    },
    /// Uniform writes, and trims of pages that hold data.
    Trims {
        /// Share of the requests that are trims.
        share: f64,
    },
}

/// One experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Victim policy, a member of `gc.victim`.
    pub victim: String,
    /// Blocks drawn by `d-choices`.
    pub d: Option<u32>,
    /// Whether host and collector share an open block; closed forms mean a shared one.
    pub frontier: GcFrontier,
    /// Blocks of the plane.
    pub blocks: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Spare pages per hundred, thousand, … pages: an exact fraction of all pages, rounded down to whole pages.
    pub spare: (u32, u32),
    /// What is written.
    pub workload: Workload,
    /// Requests before counting starts, in multiples of the pages the host sees.
    pub warm_up: f64,
    /// Requests that count, in the same multiples.
    pub measured: f64,
    /// Of every random draw.
    pub seed: u64,
}

/// What an experiment measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// Pages programmed per page the host wrote.
    pub write_amplification: f64,
    /// Mean share of the host's pages that held data.
    pub in_use: f64,
    /// Pages the host sees.
    pub logical_pages: u32,
    /// Spare share of all pages.
    pub spare_factor: f64,
    /// Mean blocks' worth of pages that were erased or not yet written: free blocks and the rest of open ones.
    pub reserve_blocks: f64,
    /// Spare share of the pages that are left without the reserve: 1 - U / ((blocks - reserve) pages per block).
    pub effective_spare_factor: f64,
    /// Pages written by the host while it counted.
    pub host_writes: u64,
    /// Blocks collected while it counted.
    pub collections: u64,
}

/// Requests between two looks at the caller.
const REQUESTS_PER_LOOK: u64 = 1 << 16;

/// Requests between two looks at the state of the drive. A prime, so as not to keep step with blocks.
const REQUESTS_PER_SAMPLE: u64 = 61;

/// Runs an experiment: fills the plane, writes `warm_up`, measures.
///
/// # Errors
/// When the drive is impossible, or the caller interrupts.
pub fn write_amplification(
    experiment: &Experiment,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Measured, SimError> {
    let config = one_plane(experiment)?;
    let geometry = Geometry::new(&config)?;
    let mut ftl = Ftl::new(&config, &geometry, false);
    let pages = geometry.logical_pages;
    (0..pages).for_each(|page| ftl.write_now(Lpn(page)));

    let requests = |capacities: f64| (capacities * f64::from(pages)).round() as u64;
    let (warm_up, measured) = (requests(experiment.warm_up), requests(experiment.measured));
    let mut writer = Writer::new(experiment, pages);
    let mut means = Means::default();
    for done in 0..warm_up + measured {
        if done == warm_up {
            ftl.reset_counters();
        }
        writer.request(&mut ftl);
        if done >= warm_up && done.is_multiple_of(REQUESTS_PER_SAMPLE) {
            means.sample(&ftl, writer.pages_in_use());
        }
        if done.is_multiple_of(REQUESTS_PER_LOOK) {
            let total = warm_up + measured;
            let progress = Progress::of("write amplification", done, total);
            if control(&progress).is_break() {
                return Err(SimError::Interrupted);
            }
        }
    }
    let reserve_blocks = means.unwritten_pages() / f64::from(geometry.pages_per_block);
    let left = (f64::from(geometry.blocks()) - reserve_blocks) * f64::from(geometry.pages_per_block);
    let counters = ftl.counters();
    Ok(Measured {
        write_amplification: counters.write_amplification(),
        in_use: means.in_use() / f64::from(pages),
        logical_pages: pages,
        spare_factor: geometry.spare_factor(),
        reserve_blocks,
        effective_spare_factor: 1.0 - f64::from(pages) / left,
        host_writes: counters.host_programs,
        collections: counters.jobs,
    })
}

/// The drive: one plane, collected when one free block is left.
fn one_plane(experiment: &Experiment) -> Result<Config, SimError> {
    let pages = u64::from(experiment.blocks) * u64::from(experiment.pages_per_block);
    let (part, whole) = experiment.spare;
    let spare_pages = pages * u64::from(part) / u64::from(whole.max(1));
    let mut set: Vec<(String, String)> = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
        .map(|dimension| (format!("geometry.{dimension}"), "1".to_owned()))
        .into();
    let frontier = if experiment.frontier == GcFrontier::Shared { "shared" } else { "separate" };
    let settings = [
        ("geometry.blocks_per_plane", experiment.blocks.to_string()),
        ("geometry.pages_per_block", experiment.pages_per_block.to_string()),
        ("geometry.page_size", "4KiB".to_owned()),
        ("geometry.user_capacity", format!("{}KiB", 4 * pages.saturating_sub(spare_pages))),
        ("ftl.gc_frontier", frontier.to_owned()),
        ("gc.trigger.start", "1 block".to_owned()),
        ("gc.victim", experiment.victim.clone()),
        ("seed", experiment.seed.to_string()),
    ];
    set.extend(settings.map(|(key, value)| (key.to_owned(), value)));
    set.extend(experiment.d.map(|d| ("gc.victim.d".to_owned(), d.to_string())));
    Ok(load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set })?)
}

/// Makes the requests.
struct Writer {
    workload: Workload,
    pages: u32,
    hot: u32,
    places: RandomStream,
    choices: RandomStream,
    /// Pages that hold data, in no order, and where each page is in that list: only kept where trims need it.
    used: Vec<u32>,
    position: Vec<u32>,
}

/// Shares are drawn as a number below this.
const WHOLE: u32 = 1 << 31;

impl Writer {
    /// Requests to a drive whose pages are all in use.
    fn new(experiment: &Experiment, pages: u32) -> Self {
        let hot = match experiment.workload {
            Workload::HotCold { data, .. } => ((data * f64::from(pages)) as u32).clamp(1, pages.max(2) - 1),
            Workload::Uniform | Workload::Trims { .. } => 0,
        };
        let trims = matches!(experiment.workload, Workload::Trims { .. });
        let all = || if trims { (0..pages).collect() } else { Vec::new() };
        Self {
            workload: experiment.workload,
            pages,
            hot,
            places: RandomStream::new(experiment.seed, "validation places"),
            choices: RandomStream::new(experiment.seed, "validation choices"),
            used: all(),
            position: all(),
        }
    }

    fn happens(&mut self, share: f64) -> bool {
        self.choices.below(WHOLE) < (share * f64::from(WHOLE)) as u32
    }

    fn request(&mut self, ftl: &mut Ftl) {
        let page = match self.workload {
            Workload::Uniform => self.places.below(self.pages),
            Workload::HotCold { writes, .. } => {
                if self.happens(writes) {
                    self.places.below(self.hot)
                } else {
                    self.hot + self.places.below(self.pages - self.hot)
                }
            }
            Workload::Trims { share } => {
                if !self.used.is_empty() && self.happens(share) {
                    self.trim(ftl);
                    return;
                }
                let page = self.places.below(self.pages);
                self.note_used(page);
                page
            }
        };
        ftl.write_now(Lpn(page));
    }

    fn trim(&mut self, ftl: &mut Ftl) {
        let index = self.choices.below(self.used.len() as u32);
        let page = self.used.swap_remove(index as usize);
        if let Some(moved) = self.used.get(index as usize) {
            self.position[*moved as usize] = index;
        }
        self.position[page as usize] = u32::MAX;
        ftl.trim(Lpn(page));
    }

    fn note_used(&mut self, page: u32) {
        if self.position[page as usize] == u32::MAX {
            self.position[page as usize] = self.used.len() as u32;
            self.used.push(page);
        }
    }

    fn pages_in_use(&self) -> u64 {
        match self.workload {
            Workload::Trims { .. } => self.used.len() as u64,
            Workload::Uniform | Workload::HotCold { .. } => u64::from(self.pages),
        }
    }
}

/// Means over samples of the drive's state.
#[derive(Default)]
struct Means {
    samples: u64,
    unwritten: u64,
    used: u64,
}

impl Means {
    fn sample(&mut self, ftl: &Ftl, used: u64) {
        self.samples += 1;
        self.unwritten += ftl.erased_pages(PlaneId(0));
        self.used += used;
    }

    fn unwritten_pages(&self) -> f64 {
        self.unwritten as f64 / self.samples as f64
    }

    fn in_use(&self) -> f64 {
        self.used as f64 / self.samples as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment() -> Experiment {
        Experiment {
            victim: "greedy".to_owned(),
            d: None,
            frontier: GcFrontier::Shared,
            blocks: 512,
            pages_per_block: 32,
            spare: (10, 100),
            workload: Workload::Uniform,
            warm_up: 4.0,
            measured: 2.0,
            seed: 1,
        }
    }

    fn run(experiment: &Experiment) -> Measured {
        write_amplification(experiment, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn the_reserve_is_what_the_trigger_and_the_open_block_keep() {
        let measured = run(&experiment());
        assert_eq!(measured.logical_pages, 512 * 32 - 1638);
        // Collection leaves two blocks free and the open one with room for the host's share of a block.
        let expected = 2.0 + 0.5 / measured.write_amplification;
        assert!((measured.reserve_blocks - expected).abs() < 0.05, "{measured:?}, expected {expected}");
        assert!(measured.effective_spare_factor < measured.spare_factor, "{measured:?}");
        let separate = run(&Experiment { frontier: GcFrontier::Separate, ..experiment() });
        // A second open block takes half a block more.
        assert!((separate.reserve_blocks - expected - 0.5).abs() < 0.1, "{separate:?}, expected {expected}");
        // Every collection reclaims one block, and so many are written in the long run.
        let written = measured.write_amplification * measured.host_writes as f64 / 32.0;
        assert!((written / measured.collections as f64 - 1.0).abs() < 0.01, "{measured:?}");
    }

    #[test]
    fn trims_leave_the_expected_share_in_use() {
        let measured = run(&Experiment { workload: Workload::Trims { share: 0.2 }, ..experiment() });
        assert!((measured.in_use - 0.75).abs() < 0.01, "{measured:?}");
        assert!(measured.write_amplification < run(&experiment()).write_amplification);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let skewed = Experiment { workload: Workload::HotCold { data: 0.2, writes: 0.8 }, ..experiment() };
        assert_eq!(run(&skewed), run(&skewed));
        assert_ne!(run(&skewed), run(&Experiment { seed: 2, ..skewed }));
    }

    #[test]
    fn it_can_be_interrupted_and_refuses_what_cannot_be() {
        let stopped = write_amplification(&experiment(), &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(SimError::Interrupted)));
        for (blocks, spare) in [(0, (10, 100)), (512, (0, 100)), (512, (200, 100)), (512, (1, 0))] {
            let impossible = Experiment { blocks, spare, ..experiment() };
            let refused = write_amplification(&impossible, &mut |_| ControlFlow::Continue(()));
            assert!(matches!(refused, Err(SimError::Config(_))), "{blocks} {spare:?}");
        }
    }
}
