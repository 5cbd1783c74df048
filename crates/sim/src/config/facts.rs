//! What follows from a configuration (and a trace) before anything is run.

use reclaim_trace::Summary;
use serde::{Deserialize, Serialize};

use super::{Config, WarmupKind};
use crate::flash::{Geometry, Timing};

/// Facts derived from a configuration and, where given, a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Bytes of flash.
    pub raw_bytes: u64,
    /// Bytes the host sees.
    pub exposed_bytes: u64,
    /// Physical pages.
    pub physical_pages: u32,
    /// Pages the host sees.
    pub logical_pages: u32,
    /// Planes.
    pub planes: u32,
    /// Dies.
    pub dies: u32,
    /// Hidden share of all pages, (T - U) / T.
    pub spare_factor: f64,
    /// Hidden pages per exposed page, (T - U) / U.
    pub over_provisioning: f64,
    /// Spare share left when the blocks that collection and open frontiers keep are taken off: the one to put into a
    /// write-amplification formula. 1 - U / ((blocks - reserve) * pages per block), open blocks half used.
    pub effective_spare_factor: f64,
    /// Free blocks per plane when the timed run starts, at most.
    pub free_blocks_per_plane: u32,
    /// Free blocks per plane at which collection starts.
    pub gc_start_blocks: u32,
    /// Pages the host can write before the first plane is collected, if writes spread evenly. Zero on a used drive.
    pub gc_starts_after_pages: u64,
    /// Latency of reading one page of the fastest level from an idle drive, ns.
    pub unloaded_read_ns: u64,
    /// Latency of writing one page of the fastest level to an idle drive, ns.
    pub unloaded_write_ns: u64,
    /// Time of an erase, ns.
    pub erase_ns: u64,
    /// Data bytes per second that one channel can carry.
    pub channel_bytes_per_s: f64,
    /// Pages per second that the arrays of all dies together can program, one plane at a time, all levels alike.
    pub program_pages_per_s: f64,
    /// Bytes of state kept per physical page (mapping, valid bits, block table).
    pub state_bytes_per_page: f64,
    /// What the trace is on this drive.
    pub trace: Option<TraceFacts>,
}

/// What a trace is on a drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceFacts {
    /// Its footprint as a share of the exposed capacity.
    pub footprint_share: f64,
    /// How many exposed capacities it writes.
    pub drive_writes: f64,
    /// Whether it reaches beyond the exposed capacity.
    pub larger_than_drive: bool,
    /// Whether it writes enough, after the configured warm-up, for collection to start.
    pub gc_expected: bool,
    /// After about how many of its requests that is, if writes come evenly; null if it does not start.
    pub gc_starts_after_requests: Option<u64>,
}

/// Derives the facts.
///
/// # Panics
/// When `config` was not loaded by [`super::load`], which checks it.
pub fn derive_facts(config: &Config, trace: Option<&Summary>) -> Facts {
    let geometry = Geometry::new(config).expect("a loaded configuration is checked");
    let timing = Timing::new(config);
    let trigger =
        crate::gc::trigger::build(&config.gc.trigger, &geometry).expect("a loaded configuration is checked");
    let gc_start_blocks = trigger.start_blocks();
    let per_block = u64::from(geometry.pages_per_block);
    let planes = u64::from(geometry.planes());
    let logical_pages = u64::from(geometry.logical_pages);
    let page_bytes = u64::from(geometry.page_bytes);
    // Every write programs a page at least.
    let pages_of = |summary: &Summary| summary.write_bytes.div_ceil(page_bytes).max(summary.writes);
    let replayed = config.warmup.kind == WarmupKind::Replay;
    let used_pages = match config.warmup.kind {
        WarmupKind::Empty => 0,
        WarmupKind::Replay if !config.warmup.fills() => {
            trace.map_or(0, |summary| summary.write_footprint_bytes.div_ceil(page_bytes)).min(logical_pages)
        }
        _ => logical_pages,
    };
    let used_blocks = used_pages.div_ceil(planes).div_ceil(per_block) as u32;
    // A replay that writes more than there are free pages leaves a drive that collects.
    let replay_writes = match trace {
        Some(summary) if replayed => pages_of(summary).saturating_mul(u64::from(config.warmup.replays)),
        _ => 0,
    };
    let filled_first = if config.warmup.fills() { logical_pages } else { 0 };
    let room =
        (u64::from(geometry.blocks_per_plane.saturating_sub(gc_start_blocks + 1)) * per_block * planes)
            .saturating_sub(filled_first);
    let overwritten = match config.warmup.kind {
        WarmupKind::Empty | WarmupKind::Filled => false,
        WarmupKind::Overwrite | WarmupKind::Steady => true,
        WarmupKind::Replay => replay_writes > room,
        // It goes on for several capacities.
        WarmupKind::Workload => trace.is_none_or(|summary| summary.writes > 0),
    };
    let free = if overwritten { gc_start_blocks } else { geometry.blocks_per_plane - used_blocks };
    // Collection starts when the block is opened that leaves so many free.
    let until_start = u64::from(free.saturating_sub(gc_start_blocks + 1)) * per_block * planes;
    let open_blocks = if config.ftl.gc_frontier == super::GcFrontier::Shared { 1.0 } else { 2.0 };
    let reserve = f64::from(geometry.planes()) * (f64::from(trigger.reserve_blocks()) + open_blocks / 2.0);
    let sealable = (f64::from(geometry.blocks()) - reserve) * f64::from(geometry.pages_per_block);
    let pages = 0..geometry.pages_per_block;
    let mean_program =
        pages.map(|page| timing.t_program(page).0 as f64).sum::<f64>() / f64::from(geometry.pages_per_block);
    Facts {
        raw_bytes: u64::from(geometry.pages()) * u64::from(geometry.page_bytes),
        exposed_bytes: u64::from(geometry.logical_pages) * u64::from(geometry.page_bytes),
        physical_pages: geometry.pages(),
        logical_pages: geometry.logical_pages,
        planes: geometry.planes(),
        dies: geometry.dies(),
        spare_factor: geometry.spare_factor(),
        over_provisioning: geometry.over_provisioning(),
        effective_spare_factor: 1.0 - f64::from(geometry.logical_pages) / sealable,
        free_blocks_per_plane: free,
        gc_start_blocks,
        gc_starts_after_pages: until_start,
        unloaded_read_ns: timing.unloaded_read().0,
        unloaded_write_ns: timing.unloaded_program().0,
        erase_ns: timing.unloaded_erase().0,
        channel_bytes_per_s: config.channel.rate.0 as f64 * f64::from(config.channel.width_bits) / 8.0,
        program_pages_per_s: f64::from(geometry.dies()) * 1e9 / mean_program.max(1.0),
        state_bytes_per_page: state_bytes_per_page(&geometry),
        trace: trace.map(|summary| {
            let exposed = u64::from(geometry.logical_pages) * u64::from(geometry.page_bytes);
            TraceFacts {
                footprint_share: summary.footprint_bytes as f64 / exposed as f64,
                drive_writes: summary.write_bytes as f64 / exposed as f64,
                larger_than_drive: summary.max_end_bytes > exposed,
                gc_expected: pages_of(summary) > until_start,
                gc_starts_after_requests: (pages_of(summary) > until_start).then(|| {
                    let part = u128::from(until_start) * u128::from(summary.requests);
                    (part / u128::from(pages_of(summary))) as u64
                }),
            }
        }),
    }
}

/// Forward and reverse map, valid bit, and the block's share of the block table and victim lists.
fn state_bytes_per_page(geometry: &Geometry) -> f64 {
    let pages = f64::from(geometry.pages());
    let logical = f64::from(geometry.logical_pages);
    let block_table = 1.0 + 2.0 + 2.0 + 2.0 + 4.0;
    let victim_lists = 8.0;
    let heads = f64::from(geometry.planes()) * f64::from(geometry.pages_per_block + 1) * 8.0;
    let blocks = f64::from(geometry.blocks()) * (block_table + victim_lists + 4.0);
    (pages * (4.0 + 0.125) + logical * 4.0 + blocks + heads) / pages
}
