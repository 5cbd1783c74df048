//! Seam `gc.trigger`: when a plane is to be collected.

use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::PolicyChoice;
use crate::settings::{BlockCount, ConfigError};

/// What a trigger may look at.
#[derive(Debug, Clone, Copy)]
pub struct SpaceView {
    /// The plane in question.
    pub plane: PlaneId,
    /// Its erased blocks, not counting open ones.
    pub free_blocks: u32,
    /// Pages of its sealed blocks that hold nothing valid.
    pub reclaimable_pages: u32,
}

/// Decides when planes are collected.
pub trait Trigger: Send {
    /// Whether the plane should be collected; `under_way` when a job of it has just ended and the question is
    /// whether to go on.
    fn wants(&self, view: &SpaceView, under_way: bool) -> bool;

    /// Whether the plane is so short of space that collection must go before host operations. Asked when its free
    /// blocks change.
    fn urgent(&mut self, view: &SpaceView) -> bool;

    /// Free blocks per plane at which collection starts.
    fn start_blocks(&self) -> u32;

    /// Most free blocks per plane that collection strives for: space the host cannot count on.
    fn reserve_blocks(&self) -> u32;

    /// Free blocks per plane that the host may not open.
    fn host_stop_blocks(&self) -> u32 {
        GC_RESERVE_BLOCKS
    }

    /// Most jobs at once in a plane. More than one needs a frontier of the collector's own.
    fn jobs_per_plane(&self) -> u32 {
        1
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member; an error says what is wrong with its parameters on this drive.
pub type Build = fn(&PolicyChoice, &Geometry) -> Result<Box<dyn Trigger>, String>;

members! {
    /// Members of the seam.
    "gc.trigger", Build;
    free_blocks,
    frontier_filled,
}

/// The chosen trigger.
///
/// # Errors
/// When its parameters make no sense on this drive.
pub fn build(choice: &PolicyChoice, geometry: &Geometry) -> Result<Box<dyn Trigger>, ConfigError> {
    (MEMBERS.get(choice).build)(choice, geometry).map_err(|reason| ConfigError::at("gc.trigger", &reason))
}

/// Free blocks that `count` names on this drive.
fn level(name: &str, count: BlockCount, geometry: &Geometry) -> Result<u32, String> {
    let blocks = count.resolve(geometry.blocks_per_plane);
    if blocks > geometry.blocks_per_plane {
        return Err(format!("{name} = \"{count}\", but a plane has {}", geometry.blocks_per_plane));
    }
    // A share of a small plane can be less than a block. The reserve is out of the host's reach, so a level below it
    // could never be passed.
    Ok(if matches!(count, BlockCount::Share(_)) { blocks.max(GC_RESERVE_BLOCKS) } else { blocks })
}
