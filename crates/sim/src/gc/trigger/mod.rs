//! Seam `gc.trigger`: when a plane is to be collected.

use super::events::{BlockEvent, BlockEvents, BlockView};
use crate::building;
use crate::flash::Geometry;
use crate::ids::{BlockId, ChannelId, PlaneId};
use crate::mapping::GC_RESERVE_BLOCKS;
use crate::metric::Reading;
use crate::registry::{Conflict, members};
use crate::settings::alternatives::reading;
use crate::settings::{BlockCount, GcFrontier, HardLevel, PolicyChoice};

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
    /// Whether an operation of the host waits for the plane: one of those that the trigger waits for, if it does.
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

/// On which terms a trigger has planes collected.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Free blocks per plane at which collection starts, whatever else makes it start earlier.
    pub start_blocks: u32,
    /// Free blocks per plane at which collection is urgent; `None` if it never is.
    pub urgent_blocks: Option<u32>,
    /// Most free blocks per plane that collection strives for: space the host cannot count on.
    pub reserve_blocks: u32,
    /// Free blocks per plane that the host may not open.
    pub host_stop_blocks: u32,
    /// Most jobs at once in a plane. More than one needs a frontier of the collector's own.
    pub jobs_per_plane: u32,
    /// Whether the free blocks of all planes together decide: where they are at or below those at which collection
    /// starts, every plane is asked when a block is opened, not that of the block alone.
    pub of_drive: bool,
    /// Whether collection starts by the number of free blocks alone, so that its steady state can be computed.
    pub goes_by_free_blocks: bool,
    /// Whether a level of free blocks makes collection start. Otherwise it is a last resort.
    pub starts_by_level: bool,
    /// Events of blocks that it hears of.
    pub listens: BlockEvents,
    /// Whether it waits for channels to fall idle.
    pub waits_for_idle: bool,
    /// Operations of the host that it waits for. It is asked whenever one is queued.
    pub waits_for_requests: RequestsWaitedFor,
}

impl Terms {
    /// Those of a trigger that goes by the free blocks of each plane: where it starts, is urgent, and ends.
    pub fn by_free_blocks(start: u32, urgent: Option<u32>, reserve: u32) -> Self {
        Self {
            start_blocks: start,
            urgent_blocks: urgent,
            reserve_blocks: reserve,
            host_stop_blocks: GC_RESERVE_BLOCKS,
            jobs_per_plane: 1,
            of_drive: false,
            goes_by_free_blocks: true,
            starts_by_level: true,
            listens: BlockEvents::NONE,
            waits_for_idle: false,
            waits_for_requests: RequestsWaitedFor::None,
        }
    }
}

/// Decides when planes are collected.
pub trait Trigger: Send {
    /// Whether the plane should be collected; `goes_on` when a job of it has just ended and the question is
    /// whether to go on.
    fn wants(&self, view: &SpaceView<'_>, goes_on: bool) -> bool;

    /// Whether the plane is so short of space that collection must go before host operations. Asked when its free
    /// blocks change.
    fn urgent(&mut self, view: &SpaceView<'_>) -> bool;

    /// What else is to be known of it: asked once.
    fn terms(&self) -> Terms;

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

    /// One of the events that it hears of. Returns the plane for which the trigger's answer may be another now.
    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) -> Option<PlaneId> {
        let _ = (event, block, view);
        None
    }

    /// A channel may have fallen idle. The planes for which the trigger's answer may be another now are signalled, the
    /// one that is to be asked first last of all.
    fn on_channel_idle(&mut self, channel: ChannelId, geometry: &Geometry, signals: &mut Vec<PlaneId>) {
        let _ = (channel, geometry, signals);
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

/// Whether a plane may have several jobs at once, whatever the drive is.
pub fn has_several_jobs(trigger: &PolicyChoice) -> bool {
    let jobs = trigger.parameters.get("jobs").and_then(serde_json::Value::as_u64);
    match trigger.kind.as_str() {
        "frontier-filled" => jobs.is_none_or(|jobs| jobs > 1),
        _ => jobs.is_some_and(|jobs| jobs > 1),
    }
}

/// Several jobs at once need an open block of the collector's own.
const SEVERAL_JOBS: Conflict = Conflict {
    key: "gc.trigger.jobs",
    with: &["ftl.gc_frontier = shared"],
    why: "several jobs at once in a plane need an open block of the collector's own; \
          use ftl.gc_frontier = \"separate\" or gc.trigger.jobs = 1",
    applies: |config| has_several_jobs(&config.gc.trigger) && config.ftl.gc_frontier == GcFrontier::Shared,
};

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
