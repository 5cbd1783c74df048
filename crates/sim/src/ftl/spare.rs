//! How much spare space a drive needs to feed its collector, and how much stripes may take of it.

use super::{placement, separation};
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::gc::trigger;
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::redundancy;
use crate::settings::{Config, ConfigError, GcFrontier};

/// Blocks of a plane that must be spare.
#[derive(Clone, Copy)]
struct Needed {
    /// Kept free by the trigger.
    kept: u32,
    /// Open blocks: of the host, of the collector and, where it has its own, of parity.
    open: u32,
    /// So many as the pages that make no whole unit.
    stranded: u32,
    /// For the old copies of stripes that are being written.
    parity: u32,
    /// Of the SLC cache.
    cached: u32,
}

impl Needed {
    /// So many that collection always finds a block to reclaim, however the others are filled.
    fn for_collection(&self) -> u32 {
        self.kept.max(GC_RESERVE_BLOCKS) + self.open + 1 + self.stranded + self.cached
    }
}

fn needed_blocks(config: &Config, geometry: &Geometry) -> Result<Needed, ConfigError> {
    let context = BuildContext::new(config, geometry);
    let kept = trigger::MEMBERS.build(&config.gc.trigger, &context)?.terms().reserve_blocks;
    let redundancy = redundancy::MEMBERS.build(&config.redundancy, &context)?;
    let separation = separation::MEMBERS.build(&config.ftl.separation, &context)?.terms();
    let placement = placement::MEMBERS.build(&config.ftl.placement, &context)?.open_blocks();
    let open = match placement {
        Some(of_the_host) => of_the_host + 1,
        None if config.ftl.gc_frontier == GcFrontier::Shared => 1,
        None => separation.map_or(2, |terms| terms.open_blocks()),
    };
    // Of every block, pages that make no whole unit are not worth collecting.
    let stranded = ((geometry.unit_pages - 1) * geometry.blocks_per_plane).div_ceil(geometry.pages_per_block);
    let open = open + u32::from(redundancy.has_own_blocks());
    let parity = u32::from(geometry.stripes.is_some());
    let cached = geometry.blocks_per_plane - geometry.ordinary_blocks();
    Ok(Needed { kept, open, stranded, parity, cached })
}

/// Where stripes ask for room: number of pages that a plane may hold, valid or on their way, so that collection always
/// finds something to reclaim.
///
/// # Panics
/// When the configuration was not checked.
pub(super) fn settle_bound(config: &Config, geometry: &Geometry) -> Option<u32> {
    geometry.stripes.as_ref().map(|_| most_valid_pages(config, geometry))
}

/// Number of pages that a plane may hold so that collection always finds something to reclaim.
///
/// # Panics
/// When the configuration was not checked.
pub(super) fn most_valid_pages(config: &Config, geometry: &Geometry) -> u32 {
    let needed = needed_blocks(config, geometry).expect("a checked configuration");
    (geometry.blocks_per_plane - needed.for_collection()) * geometry.pages_per_block
}

/// Number of blocks of a plane that may fail: it must be able to hold its share of the drive and feed its collector
/// without them.
///
/// # Panics
/// When the configuration was not checked.
pub(super) fn most_failed_blocks(config: &Config, geometry: &Geometry) -> u32 {
    let blocks = needed_blocks(config, geometry).expect("a checked configuration");
    spare_blocks(geometry).saturating_sub(blocks.for_collection() + blocks.parity)
}

/// Blocks of a plane beyond those of its share of the drive.
fn spare_blocks(geometry: &Geometry) -> u32 {
    geometry.spare_pages() / geometry.planes() / geometry.pages_per_block
}

/// Refuses a drive whose spare space cannot feed its collector.
///
/// # Errors
/// Says how many spare blocks a plane has and how many the trigger and the open blocks need.
pub fn check_space(config: &Config, geometry: &Geometry) -> Result<(), ConfigError> {
    let blocks = needed_blocks(config, geometry)?;
    let Needed { kept, open, stranded, parity, cached } = blocks;
    let needed = blocks.for_collection() + parity;
    let spare = spare_blocks(geometry);
    if spare < needed {
        // A block more, because the last one is rarely whole.
        let wanted = f64::from(needed + 1) * 100.0 / f64::from(geometry.blocks_per_plane) + 0.05;
        let way_out = if wanted < 60.0 {
            let fewer = match config.ftl.separation.kind.as_str() {
                "none" => "",
                _ => ", or have fewer ftl.separation.open_blocks",
            };
            format!(
                "lower the user capacity (spare_factor = \"{wanted:.1}%\" would do) or lower \
                 gc.trigger.start{fewer}"
            )
        } else {
            "give the planes more blocks (geometry.blocks_per_plane)".to_owned()
        };
        let reason = format!(
            "a plane has {spare} spare blocks of {}, but needs {needed}: {kept} kept free by the GC trigger, \
             {open} open, 1 to collect{}{}{}; {way_out}",
            geometry.blocks_per_plane,
            if stranded > 0 { format!(", {stranded} that make no whole unit") } else { String::new() },
            if parity > 0 { ", 1 for stripes on their way" } else { "" },
            if cached > 0 { format!(", {cached} of the SLC cache") } else { String::new() },
        );
        return Err(ConfigError::at("geometry", &reason));
    }
    Ok(())
}
