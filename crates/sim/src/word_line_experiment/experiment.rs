//! What an experiment is made of, and what follows from it for one block.

use crate::settings::ConfigError;

/// Page levels of a QLC block.
pub const LEVELS: usize = 4;

/// Valid pages of a block on each level.
pub type Counts = [u16; LEVELS];

/// How valid pages are drawn. Both ways have the same distribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Drawing {
    /// The number of valid pages of each level of a block at once.
    #[default]
    ByLevel,
    /// Each page by itself, as the published program does.
    ByPage,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Blocks of a pool.
    pub blocks: u32,
    /// Pages of a block, a quarter on each level.
    pub pages_per_block: u32,
    /// Chance of a page to be valid, in per cent: a pool for each and for each batch.
    pub valid_percents: Vec<u32>,
    /// Pools of the same chance.
    pub batches: u32,
    /// How validity is drawn.
    pub drawing: Drawing,
    /// Weight of a valid page of each level, by which word-line-aware GC compares blocks.
    pub weights: [u32; LEVELS],
    /// Time to relocate a valid page of each level, ns.
    pub relocation_ns: [u32; LEVELS],
    /// Time to erase a block, ns.
    pub erase_ns: u32,
    /// Of every draw.
    pub seed: u64,
}

impl Experiment {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let most_pages = LEVELS as u32 * u32::from(u16::MAX);
        let refuse = |key, reason: &str| Err(ConfigError::at(key, reason));
        if self.blocks < 4 {
            return refuse("blocks", "a quarter of them is chosen: give 4 or more");
        }
        let pages = self.pages_per_block;
        if pages == 0 || !pages.is_multiple_of(LEVELS as u32) || pages > most_pages {
            return refuse("pages_per_block", "give a multiple of 4, for 4 levels, up to 262140");
        }
        if self.batches == 0 {
            return refuse("batches", "give 1 or more");
        }
        if self.valid_percents.iter().any(|percent| *percent > 100) {
            return refuse("valid_percents", "give whole percentages, 100 at most");
        }
        for (key, of_level) in [("weights", self.weights), ("relocation_ns", self.relocation_ns)] {
            let of_full_block: u64 = of_level.iter().map(|of_page| u64::from(*of_page)).sum();
            if of_full_block * u64::from(self.pages_per_level()) > u64::from(u32::MAX) {
                return refuse(key, "those of all pages of a block must add up to less than 2^32");
            }
        }
        Ok(())
    }

    pub(super) fn pages_per_level(&self) -> u16 {
        (self.pages_per_block / LEVELS as u32) as u16
    }

    pub(super) fn victims(&self) -> u32 {
        self.blocks / 4
    }

    pub(super) fn weight(&self, block: Counts) -> u32 {
        sum_of(block, &self.weights)
    }

    pub(super) fn relocation_ns(&self, block: Counts) -> u32 {
        sum_of(block, &self.relocation_ns)
    }

    pub(super) fn latency_ns(&self, block: Counts) -> u64 {
        u64::from(self.relocation_ns(block)) + u64::from(self.erase_ns)
    }
}

fn sum_of(block: Counts, of_level: &[u32; LEVELS]) -> u32 {
    block.iter().zip(of_level).map(|(pages, of_page)| u32::from(*pages) * of_page).sum()
}
