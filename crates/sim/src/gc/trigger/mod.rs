//! Seam `gc.trigger`: when a plane is to be collected.

use super::events::{BlockEvent, BlockEvents, BlockView};
use crate::building;
use crate::flash::Geometry;
use crate::ids::{BlockId, ChannelId, PlaneId};
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::reading;
use crate::settings::{BlockCount, HardLevel};

/// What a trigger may look at.
#[derive(Debug, Clone, Copy)]
pub struct SpaceView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// The plane in question.
    pub plane: PlaneId,
    /// Its erased blocks, not counting open ones.
    pub free_blocks: u32,
    /// Those of all planes together.
    pub drive_free_blocks: u32,
    /// Pages of its sealed blocks that hold nothing valid.
    pub reclaimable_pages: u32,
    /// Whether nothing is queued or under way on any die of its channel. Only told to a trigger that waits for that.
    pub channel_idle: bool,
    /// Whether an operation of the host waits for the plane. Only told to a trigger that waits for that.
    pub request_waits: bool,
}

/// Operations of the host that a trigger waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestsWaitedFor {
    /// It does not: it is asked when space has changed.
    None,
    /// Reads and writes.
    Any,
    /// Writes, but not reads.
    Writes,
}

/// Decides when planes are collected.
pub trait Trigger: Send {
    /// Whether the plane should be collected; `under_way` when a job of it has just ended and the question is
    /// whether to go on.
    fn wants(&self, view: &SpaceView<'_>, under_way: bool) -> bool;

    /// Whether the plane is so short of space that collection must go before host operations. Asked when its free
    /// blocks change.
    fn urgent(&mut self, view: &SpaceView<'_>) -> bool;

    /// Free blocks per plane at which collection starts, whatever else makes it start earlier.
    fn start_blocks(&self) -> u32;

    /// Free blocks per plane at which collection is urgent; `None` if it never is.
    fn urgent_blocks(&self) -> Option<u32>;

    /// Free blocks of all planes together at or below which every plane is asked when a block is opened, not that of
    /// the block alone: asked once. `None` where each plane goes by its own.
    fn asks_all_at(&self, geometry: &Geometry) -> Option<u32> {
        let _ = geometry;
        None
    }

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

    /// Whether collection starts by the number of free blocks alone, so that its steady state can be computed.
    fn goes_by_free_blocks(&self) -> bool {
        true
    }

    /// Whether a level of free blocks makes collection start. Otherwise it is a last resort.
    fn starts_by_level(&self) -> bool {
        true
    }

    /// The block of a plane that the trigger wants collected; `None` leaves the choice to `gc.victim`. Not asked where
    /// the plane is urgent.
    fn nominee(&self, plane: PlaneId, geometry: &Geometry) -> Option<BlockId> {
        let _ = (plane, geometry);
        None
    }

    /// Whether it has listed any block that is still to be collected.
    fn has_listed(&self) -> bool {
        false
    }

    /// Events of blocks that it hears of: asked once.
    fn listens(&self) -> BlockEvents {
        BlockEvents::NONE
    }

    /// One of those events. Returns the plane for which the trigger's answer may be another now.
    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) -> Option<PlaneId> {
        let _ = (event, block, view);
        None
    }

    /// Whether it waits for channels to fall idle: asked once.
    fn waits_for_idle(&self) -> bool {
        false
    }

    /// A channel may have fallen idle. Returns the plane for which the trigger's answer may be another now.
    fn on_channel_idle(&mut self, channel: ChannelId, geometry: &Geometry) -> Option<PlaneId> {
        let _ = (channel, geometry);
        None
    }

    /// Whether it waits for operations of the host: asked once. It is then asked whenever one is queued.
    fn waits_for_requests(&self) -> RequestsWaitedFor {
        RequestsWaitedFor::None
    }

    /// The policy's state, for a snapshot.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Trigger>;

members! {
    /// Members of the seam.
    "gc.trigger", Build, reading(
        &["free-blocks", "foreground", "frontier-filled", "invalid-ratio"],
        "Simulators start to collect on different occasions; papers name a threshold alone."
    );
    free_blocks,
    foreground,
    frontier_filled,
    invalid_ratio,
    python,
}

/// Free blocks at which collection is urgent on this drive, if it ever is.
fn urgent_level(hard: HardLevel, geometry: &Geometry) -> Result<Option<u32>, String> {
    match hard {
        HardLevel::At(count) => level("hard", count, geometry).map(Some),
        HardLevel::Off => Ok(None),
    }
}

/// A level of urgency as messages show it.
fn shown(hard: Option<u32>) -> String {
    hard.map_or_else(|| "off".to_owned(), |blocks| blocks.to_string())
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
