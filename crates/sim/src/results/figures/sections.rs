//! Counts and shares: flash operations, collection, the write buffer, wear, utilisation.

use serde::{Deserialize, Serialize};

use crate::engine::Drive;
use crate::mapping::FtlCounters;
use crate::metrics::{Recorder, finite};
use crate::time::Nanos;

/// Counts of flash operations, in pages unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct FlashResult {
    pub host_reads: u64,
    pub gc_reads: u64,
    pub host_programs: u64,
    pub gc_programs: u64,
    pub wear_programs: u64,
    /// Blocks.
    pub erases: u64,
    /// Blocks.
    pub wear_erases: u64,
    pub copybacks: u64,
    /// Operations that covered more than one plane.
    pub multi_plane_operations: u64,
    pub suspends: u64,
    /// Reads of the rest of a page that was written in part.
    pub rmw_reads: u64,
    /// Pages read that were never written: answered without touching flash.
    pub unmapped_reads: u64,
    /// Pages read from the controller's buffer.
    pub buffer_hits: u64,
    pub trimmed_pages: u64,
}

/// What garbage collection did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct GcResult {
    /// (host + GC + wear programs) / host programs; null without host programs.
    pub write_amplification: Option<f64>,
    pub jobs: u64,
    pub pages_moved: u64,
    /// Mean over the victims; null without one.
    pub valid_pages_per_victim: Option<f64>,
    /// Moves given up because the host overwrote or trimmed the page first.
    pub dropped_moves: u64,
    /// Fewest free blocks any plane had.
    pub free_blocks_low_water: u32,
    /// Time in which host writes were stalled for want of space, summed over planes.
    pub host_write_stall_ns: u64,
    /// How often that happened.
    pub stalled_writes: u64,
}

/// What the controller's write buffer held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct BufferResult {
    /// Pages it has room for; null without bound.
    pub capacity_pages: Option<u32>,
    /// Most pages at once, from the start of the trace on.
    pub max_pages: u32,
    /// Pages that waited outside for room.
    pub waits: u64,
    /// Their time outside, summed.
    pub wait_ns: u64,
}

/// Erase counts over the blocks, since the drive was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, clippy::struct_field_names)]
pub struct WearResult {
    pub min_erases: u32,
    pub max_erases: u32,
    pub mean_erases: f64,
    pub stddev_erases: f64,
}

/// Shares of the simulated time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct UtilisationResult {
    /// Share of time dies were held by an operation, mean.
    pub die: f64,
    pub die_max: f64,
    /// Share of time wires were in use, mean.
    pub channel: f64,
    pub channel_max: f64,
    pub per_die: Vec<f64>,
    pub per_channel: Vec<f64>,
}

/// What the audit looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AuditResult {
    pub checks: u64,
    pub passed: bool,
}

pub(crate) fn flash(recorder: &Recorder, counters: &FtlCounters) -> FlashResult {
    FlashResult {
        host_reads: recorder.host_reads,
        gc_reads: recorder.gc_reads,
        host_programs: counters.host_programs,
        gc_programs: counters.gc_programs,
        wear_programs: counters.wear_programs,
        erases: counters.erases,
        wear_erases: counters.wear_erases,
        copybacks: recorder.copybacks,
        multi_plane_operations: recorder.multi_plane,
        suspends: recorder.suspends,
        rmw_reads: recorder.rmw_reads,
        unmapped_reads: recorder.unmapped_reads,
        buffer_hits: recorder.buffer_hits,
        trimmed_pages: recorder.trimmed_pages,
    }
}

pub(crate) fn gc(drive: &Drive, counters: &FtlCounters) -> GcResult {
    let recorder = &drive.recorder;
    let planes = (0..drive.geometry.planes()).map(crate::ids::PlaneId);
    GcResult {
        write_amplification: finite(counters.write_amplification()),
        jobs: counters.jobs,
        pages_moved: counters.gc_programs,
        valid_pages_per_victim: finite(counters.victim_valid_pages as f64 / counters.jobs as f64),
        dropped_moves: recorder.dropped_moves,
        free_blocks_low_water: planes.map(|p| drive.ftl.plane(p).low_water).min().unwrap_or(0),
        host_write_stall_ns: recorder.host_write_stall.0,
        stalled_writes: recorder.stalled_writes,
    }
}

pub(crate) fn buffer(drive: &Drive) -> BufferResult {
    let (waits, wait_time) = drive.write_buffer.waits();
    BufferResult {
        capacity_pages: drive.write_buffer.capacity_pages(),
        max_pages: drive.ftl.map().most_slots(),
        waits,
        wait_ns: wait_time.0,
    }
}

pub(crate) fn wear(erases: &[u32]) -> WearResult {
    let count = erases.len() as f64;
    let mean = erases.iter().map(|e| f64::from(*e)).sum::<f64>() / count;
    let variance = erases.iter().map(|e| (f64::from(*e) - mean).powi(2)).sum::<f64>() / count;
    WearResult {
        min_erases: erases.iter().copied().min().unwrap_or(0),
        max_erases: erases.iter().copied().max().unwrap_or(0),
        mean_erases: mean,
        stddev_erases: variance.sqrt(),
    }
}

pub(crate) fn utilisation(drive: &Drive) -> UtilisationResult {
    // Collection may go on after the last completion, so the divisor is the last event.
    let elapsed = (drive.now().0 - drive.measured_from().0).max(1) as f64;
    let share = |busy: Nanos| busy.0 as f64 / elapsed;
    let per_die: Vec<f64> = drive.dies.iter().map(|die| share(die.busy_time)).collect();
    let per_channel: Vec<f64> = drive.measured_channel_time().map(share).collect();
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let max = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    UtilisationResult {
        die: mean(&per_die),
        die_max: max(&per_die),
        channel: mean(&per_channel),
        channel_max: max(&per_channel),
        per_die,
        per_channel,
    }
}
