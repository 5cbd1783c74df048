//! Parameters of the SLC cache: the dimensions and the times of the drive follow from them, and what is done with it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::alternatives::{SWITCH, scope, unprinted};
use super::{BlockCount, Ratio, Time};

/// A cache of the same blocks for good.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StaticCache {
    /// Blocks of each plane that are the cache's, a share of at least one. They are taken off the spare ones.
    #[schemars(extend("x-alternatives" = scope(
        &["2%", "10%"],
        "Drives set aside a little of their flash for a cache, or much of it."
    )))]
    pub blocks: BlockCount,
    /// A plane is folded while fewer blocks of its cache than this are free; a share is one of the cache's blocks.
    /// `100%`: whatever is full is folded at once.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "50%", "100%"],
        "When a cache is emptied is printed nowhere; drives wait until it is full, or hasten."
    )))]
    pub start: BlockCount,
    /// tR of a page of the cache. Absent: that of the fastest level of `flash.t_read`, which is read like a cell of one
    /// bit.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash in single-level mode is as slow or as fast as this within a generation."
    )))]
    pub t_read: Option<Time>,
    /// tPROG of a page of the cache. Absent: that of the fastest level of `flash.t_program`, which is programmed like a
    /// cell of one bit.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash in single-level mode is as slow or as fast as this within a generation."
    )))]
    pub t_program: Option<Time>,
    /// Whether the drive has rested when the timed run begins: at the end of the warm-up the full blocks of the cache
    /// are folded. Otherwise the run finds them as the last writes of the warm-up left them.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "How full the cache is when a measurement begins is printed nowhere."
    )))]
    pub rested: bool,
}

impl Default for StaticCache {
    fn default() -> Self {
        Self {
            blocks: BlockCount::Share(Ratio { ppm: 50_000 }),
            start: BlockCount::Blocks(1),
            t_read: None,
            t_program: None,
            rested: true,
        }
    }
}

impl StaticCache {
    /// Number of blocks in a plane of so many.
    pub fn blocks_of(&self, blocks_per_plane: u32) -> u32 {
        at_least_a_share(self.blocks, blocks_per_plane)
    }

    /// Number of free blocks of the cache below which it is folded.
    pub fn start_of(&self, blocks_per_plane: u32) -> u32 {
        at_least_a_share(self.start, self.blocks_of(blocks_per_plane))
    }
}

/// A share of few blocks is one of them at least.
fn at_least_a_share(count: BlockCount, of: u32) -> u32 {
    let blocks = count.resolve(of);
    if matches!(count, BlockCount::Share(_)) { blocks.max(1) } else { blocks }
}
