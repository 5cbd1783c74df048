//! Seam `ftl.slc_cache`: which blocks are used in single-level mode, as a cache that host writes go to first.

use crate::building;
use crate::mapping::CacheCounts;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::scope;

/// What a cache asks of the drive.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// A plane is folded while fewer blocks of its cache than this are free.
    pub start_blocks: u32,
    /// Whether full blocks are folded when the warm-up ends.
    pub rested: bool,
}

/// Says when the cache is emptied. Which blocks it has and what they hold is the drive's
/// ([`crate::flash::CacheBlocks`]).
pub trait SlcCache: Send {
    /// What it asks of the drive; `None` if there is no cache.
    fn terms(&self) -> Option<Terms>;

    /// What became of the pages of the host.
    fn metrics(&self, counts: &CacheCounts) -> Vec<Reading>;
}

/// Builds a member.
pub type Build = building::Build<dyn SlcCache>;

members! {
    /// Members of the seam.
    "ftl.slc_cache", Build, scope(
        &["none", "static"],
        "Drives of several bits per cell may have a cache of single-level blocks."
    );
    none,
    fixed,
}
