//! Blocks that are used in single-level mode: how many a plane has, and how many pages each of them.

use crate::registry::parameters;
use crate::settings::{Config, StaticCache};

/// The blocks of an SLC cache: the last of every plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheBlocks {
    /// Number of blocks in each plane.
    pub blocks: u32,
    /// Number of pages that each of them holds with one bit in a cell, S: its first.
    pub pages_per_block: u32,
}

impl CacheBlocks {
    /// Those of a checked configuration, if it has a cache.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let cache = static_cache(config)?;
        let g = &config.geometry;
        Some(Self {
            blocks: cache.blocks_of(g.blocks_per_plane).min(g.blocks_per_plane),
            pages_per_block: g.pages_per_block / config.flash.cell.levels() * g.parts_of_page(),
        })
    }
}

/// Parameters of the cache, if there is one.
pub(super) fn static_cache(config: &Config) -> Option<StaticCache> {
    let choice = &config.ftl.slc_cache;
    (choice.kind == "static").then(|| parameters(choice))
}
