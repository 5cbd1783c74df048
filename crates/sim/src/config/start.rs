//! The state in which a run finds its drive, and when collection starts from there: one rule for everything that
//! reports it before a run.

use reclaim_trace::Summary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fill::Fill;
use crate::flash::Geometry;
use crate::gc::trigger::{SpaceView, Trigger};
use crate::ids::PlaneId;
use crate::settings::{WarmupConfig, WarmupKind};

/// Whether a trace makes a drive collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GcStarts {
    /// It writes too little: no plane is collected.
    No,
    /// Every plane is about to collect, but the trace may end before the first has filled its open block.
    Perhaps,
    /// It writes enough that some plane is collected for certain.
    Yes,
}

/// What the warm-up leaves, as far as that can be known without doing it, if writes spread evenly over the planes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The state, in words.
    pub state: String,
    /// Free blocks per plane, at most.
    pub free_blocks: u32,
    /// Pages the host can write before the first plane is collected: none on a drive that collects already.
    pub starts_after: u64,
    /// Pages after which collection has started for certain.
    pub started_after: u64,
}

/// Free blocks per plane at which collection starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartLevels {
    /// At the earliest.
    earliest: u32,
    /// At the latest.
    certain: u32,
    /// Blocks that every plane may open, beyond those from the level of its end to that of its start, before the next
    /// collection starts for certain.
    open: u32,
}

impl StartLevels {
    /// Collection starts at so many and not before.
    pub(super) fn exactly(free_blocks: u32) -> Self {
        Self { earliest: free_blocks, certain: free_blocks, open: 1 }
    }

    /// The same where the host has so many open blocks in every plane.
    pub(super) fn with_open_blocks(self, open: u32) -> Self {
        Self { open: self.open.max(open), ..self }
    }

    /// Collection starts when planes have so many in the mean: the last of them may open its block later than others.
    pub(super) fn in_the_mean(free_blocks: u32) -> Self {
        Self { earliest: free_blocks, certain: free_blocks.saturating_sub(1), open: 2 }
    }

    /// Collection may start at any time, and does where a plane is out of space.
    pub(super) fn of_space_alone(trigger: &mut dyn Trigger, geometry: &Geometry) -> Self {
        let blocks = geometry.blocks_per_plane;
        let is_urgent = |free_blocks: &u32| {
            trigger.urgent(&SpaceView {
                geometry,
                plane: PlaneId(0),
                free_blocks: *free_blocks,
                drive_free_blocks: *free_blocks * geometry.planes(),
                reclaimable_pages: u32::MAX,
                channel_idle: false,
                request_waits: true,
            })
        };
        let certain = (1..=blocks).rev().find(is_urgent);
        Self { earliest: blocks, certain: certain.unwrap_or(trigger.terms().start_blocks), open: 1 }
    }
}

impl Start {
    /// `written` is how many pages the warm-up has written, where it has been done.
    pub(super) fn of(
        warmup: &WarmupConfig,
        geometry: &Geometry,
        trigger: &dyn Trigger,
        levels: StartLevels,
        trace: Option<&Summary>,
        written: Option<u64>,
    ) -> Self {
        let per_block = u64::from(geometry.pages_per_block);
        let planes = u64::from(geometry.planes());
        let terms = trigger.terms();
        let start = terms.start_blocks;
        // Collection starts when the block is opened that leaves so many free.
        let room_above =
            |level: u32| u64::from(geometry.blocks_per_plane.saturating_sub(level + 1)) * per_block * planes;
        let room = room_above(levels.certain);
        let of_trace = trace.map_or(0, |summary| pages_of(summary, geometry));
        let written = written.unwrap_or_else(|| pages_written(warmup, geometry, of_trace));
        if geometry.cache.is_some() {
            return Self::behind_a_cache(warmup, geometry);
        }
        // With stripes, a page of the host brings as much as a page of parity, and as little as its share of one.
        let most = 1 + u64::from(geometry.stripes.is_some());
        let [stored, seen] = [geometry.stored_pages, geometry.logical_pages].map(u64::from);
        let written = (u128::from(written) * u128::from(stored) / u128::from(seen)) as u64;
        let state = in_words(warmup);
        if written > room {
            // Collection has left a plane this many free blocks more than it starts at, and an open one at most.
            let blocks = u64::from(terms.reserve_blocks.saturating_sub(start) + levels.open);
            return Self {
                state,
                free_blocks: start,
                starts_after: 0,
                started_after: blocks * per_block * planes,
            };
        }
        let used_blocks = written.div_ceil(planes).div_ceil(per_block) as u32;
        Self {
            state,
            free_blocks: geometry.blocks_per_plane.saturating_sub(used_blocks),
            starts_after: room_above(levels.earliest).saturating_sub(written) / most,
            started_after: (u128::from(room - written) * u128::from(seen)).div_ceil(u128::from(stored))
                as u64,
        }
    }

    /// The same with an SLC cache: what is overwritten there never comes to other blocks, so that no number of pages is
    /// one after which collection has started.
    fn behind_a_cache(warmup: &WarmupConfig, geometry: &Geometry) -> Self {
        let free_blocks = geometry.ordinary_blocks();
        Self { state: in_words(warmup), free_blocks, starts_after: 0, started_after: u64::MAX }
    }

    /// Whether so many written pages make the drive collect.
    pub(super) fn gc_starts(&self, pages: u64) -> GcStarts {
        if pages > self.started_after {
            GcStarts::Yes
        } else if pages > self.starts_after {
            GcStarts::Perhaps
        } else {
            GcStarts::No
        }
    }

    /// After about how many requests of a trace of so many pages collection starts, if writes come evenly.
    pub(super) fn requests_before(&self, trace: &Summary, pages: u64) -> Option<u64> {
        let part = u128::from(self.starts_after) * u128::from(trace.requests);
        (self.gc_starts(pages) != GcStarts::No).then(|| (part / u128::from(pages)) as u64)
    }
}

/// Pages a trace writes: every write programs one at least.
pub(super) fn pages_of(summary: &Summary, geometry: &Geometry) -> u64 {
    summary.write_bytes.div_ceil(u64::from(geometry.page_bytes)).max(summary.writes)
}

/// Pages that the warm-up writes, at least; none is erased before collection starts, so nothing else counts.
fn pages_written(warmup: &WarmupConfig, geometry: &Geometry, of_trace: u64) -> u64 {
    let capacity = u64::from(geometry.logical_pages);
    let all = u64::from(Fill::of(warmup, geometry).map_or(geometry.logical_pages, |fill| fill.count()));
    let times = |capacities: f64| (capacities * capacity as f64).round() as u64;
    match warmup.kind {
        WarmupKind::Empty => 0,
        WarmupKind::Filled => all,
        WarmupKind::Overwrite => all + times(warmup.overwrites),
        // It must see write amplification of three capacities before it can call it flat.
        WarmupKind::Steady => all + times(warmup.limit.min(3.0)),
        // The same, in rounds of whole replays, if those write anything.
        WarmupKind::Workload => all + if of_trace > 0 { times(warmup.limit.min(3.0)) } else { 0 },
        WarmupKind::Replay => {
            let filled = if warmup.fills() { all } else { 0 };
            filled + of_trace.saturating_mul(u64::from(warmup.replays))
        }
    }
}

fn in_words(warmup: &WarmupConfig) -> String {
    let how = how_prepared(warmup);
    match warmup.valid_share {
        Some(share) => format!("{how}; {share} of all pages valid"),
        None => how,
    }
}

fn how_prepared(warmup: &WarmupConfig) -> String {
    let times = |count: String| if count == "1" { "once".to_owned() } else { format!("{count} times") };
    match warmup.kind {
        WarmupKind::Empty => "empty: nothing written".to_owned(),
        WarmupKind::Filled => "filled: every page written once, in order".to_owned(),
        WarmupKind::Overwrite => {
            format!(
                "overwrite: filled, then its capacity overwritten at random {}",
                times(warmup.overwrites.to_string())
            )
        }
        WarmupKind::Steady => {
            "steady: filled, then overwritten at random until write amplification is flat".to_owned()
        }
        WarmupKind::Workload => "workload: filled, then all that the trace writes and trims played until \
             write amplification is flat"
            .to_owned(),
        WarmupKind::Replay => format!(
            "replay: {}, then all that the trace writes and trims played {}",
            if warmup.fill { "filled" } else { "empty" },
            times(warmup.replays.to_string())
        ),
    }
}
