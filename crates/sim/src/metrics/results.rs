//! The results of a run: everything a report needs, and nothing that differs from one run to the next.

use hdrhistogram::Histogram;
use reclaim_trace::Summary;
use serde::{Deserialize, Serialize};

use super::cdf::cdf;
use super::drift::{self, Drift, WindowResults};
use super::phases::{MeasureResult, WarmupResult};
use super::recorder::{ClassSums, Recorder};
use super::verdict::{self, Verdict};
use crate::config::{Config, Facts};
use crate::drive::Drive;
use crate::engine::Nanos;
use crate::ftl::FtlCounters;

/// Statistics of one class of requests. Times in ns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ClassResult {
    pub count: u64,
    pub bytes: u64,
    pub mean_ns: f64,
    pub min_ns: u64,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p95_ns: u64,
    pub p99_ns: u64,
    pub p99_9_ns: u64,
    pub p99_99_ns: u64,
    pub max_ns: u64,
    /// Requests per second of simulated time.
    pub iops: f64,
    pub bandwidth_bytes_per_s: f64,
    pub breakdown: MeanBreakdown,
    /// Percentiles with fewer than ten requests beyond them: their value is chance.
    pub not_established: Vec<String>,
}

/// Mean shares of a class's latency, ns; they add up to the mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, clippy::struct_field_names)]
pub struct MeanBreakdown {
    /// Behind other host operations, for dies or wires.
    pub queue_ns: f64,
    /// For garbage collection: dies, wires or space.
    pub gc_ns: f64,
    pub wires_ns: f64,
    pub array_ns: f64,
    /// What is none of these: a flush waits for writes, whose own time is booked with them.
    pub other_ns: f64,
}

/// Statistics of all classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RequestResults {
    pub read: ClassResult,
    pub write: ClassResult,
    pub trim: ClassResult,
    pub flush: ClassResult,
}

/// Points of the cumulative latency distributions: (ns, share of requests at or below). The last is (longest, 1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct LatencyCdfs {
    pub read: Vec<(u64, f64)>,
    pub write: Vec<(u64, f64)>,
    pub trim: Vec<(u64, f64)>,
}

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
    /// Erased pages of a plane (free blocks and what is not yet written of open ones), in blocks: mean over the planes
    /// and over the pages the host wrote; null if it wrote none. They are spare space that holds no garbage yet, so the
    /// more there are, the higher is write amplification.
    pub mean_erased_blocks_per_plane: Option<f64>,
    /// Moves given up because the host overwrote or trimmed the page first.
    pub dropped_moves: u64,
    /// Fewest free blocks any plane had.
    pub free_blocks_low_water: u32,
    /// Time in which host writes stood still for want of space, summed over planes.
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

/// The results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Results {
    pub reclaim_version: String,
    pub device: String,
    /// Names of the schemes laid over the device, joined by `+`; empty without.
    pub scheme: String,
    pub seed: u64,
    pub fit: crate::host::Fit,
    /// What was done to the trace before it was fitted to the drive and played: a phrase for each step, in order. Empty
    /// if nothing was.
    pub transforms: Vec<String>,
    pub verdict: Verdict,
    pub requests: RequestResults,
    pub latency_cdf: LatencyCdfs,
    pub flash: FlashResult,
    pub gc: GcResult,
    pub buffer: BufferResult,
    pub drift: Drift,
    pub windows: WindowResults,
    pub warmup: WarmupResult,
    pub measure: MeasureResult,
    pub wear: WearResult,
    pub utilisation: UtilisationResult,
    /// From where measuring began (the start of the trace) to the last completion.
    pub simulated_ns: u64,
    pub max_outstanding_requests: u64,
    /// Events the run took: a deterministic measure of the work simulated.
    pub events: u64,
    pub audit: Option<AuditResult>,
    pub trace: Summary,
    pub facts: Facts,
    pub config: Config,
}

/// What results are made of, beside the drive.
pub(crate) struct Ingredients {
    pub scheme: String,
    pub fit: crate::host::Fit,
    pub transforms: Vec<String>,
    pub trace: Summary,
    /// The trace writes single pages anywhere on the drive, every page as likely as any other.
    pub writes_are_uniform: bool,
    pub facts: Facts,
    pub warmup: WarmupResult,
    pub audit: Option<AuditResult>,
}

/// Makes the results of a drive that has come to rest.
pub(crate) fn results(drive: &Drive, with: Ingredients) -> Results {
    let recorder = &drive.recorder;
    let counters = *drive.ftl.counters();
    let elapsed = recorder.last_completion.0.saturating_sub(drive.measured_from().0);
    let class = |index: usize| class_result(&recorder.histograms[index], &recorder.sums[index], elapsed);
    let cdf = |index: usize| cdf(&recorder.histograms[index], recorder.sums[index].max_ns);
    let requests = RequestResults { read: class(0), write: class(1), trim: class(2), flush: class(3) };
    let drift = drift::drift(drive, with.trace.requests);
    let verdict =
        verdict::verdict(&verdict::Evidence { drive, with: &with, requests: &requests, drift: &drift });
    Results {
        reclaim_version: env!("CARGO_PKG_VERSION").to_owned(),
        device: drive.config.name.clone(),
        scheme: with.scheme,
        seed: drive.config.seed,
        fit: with.fit,
        transforms: with.transforms,
        verdict,
        requests,
        latency_cdf: LatencyCdfs { read: cdf(0), write: cdf(1), trim: cdf(2) },
        flash: flash(recorder, &counters),
        gc: gc(drive, &counters),
        buffer: buffer(drive),
        drift,
        windows: drift::windows(drive),
        warmup: with.warmup,
        measure: drive.measure_result(),
        wear: wear(drive.ftl.blocks().all_erases()),
        utilisation: utilisation(drive),
        simulated_ns: elapsed,
        max_outstanding_requests: recorder.max_outstanding,
        events: drive.events.scheduled(),
        audit: with.audit,
        trace: with.trace,
        facts: with.facts,
        config: drive.config.clone(),
    }
}

fn class_result(histogram: &Histogram<u64>, sums: &ClassSums, elapsed: u64) -> ClassResult {
    let mean = |sum: u128| if sums.count == 0 { 0.0 } else { sum as f64 / sums.count as f64 };
    let per_second = |amount: u64| if elapsed == 0 { 0.0 } else { amount as f64 * 1e9 / elapsed as f64 };
    // A bucket answers with its upper end, which can lie above the longest latency there was.
    let at = |quantile: f64| histogram.value_at_quantile(quantile).min(sums.max_ns);
    let known = sums.queue_ns + sums.gc_ns + sums.wires_ns + sums.array_ns;
    ClassResult {
        count: sums.count,
        bytes: sums.bytes,
        mean_ns: mean(sums.latency_ns),
        min_ns: sums.min_ns,
        p50_ns: at(0.5),
        p90_ns: at(0.9),
        p95_ns: at(0.95),
        p99_ns: at(0.99),
        p99_9_ns: at(0.999),
        p99_99_ns: at(0.9999),
        max_ns: sums.max_ns,
        iops: per_second(sums.count),
        bandwidth_bytes_per_s: per_second(sums.bytes),
        breakdown: MeanBreakdown {
            queue_ns: mean(sums.queue_ns),
            gc_ns: mean(sums.gc_ns),
            wires_ns: mean(sums.wires_ns),
            array_ns: mean(sums.array_ns),
            other_ns: mean(sums.latency_ns - known),
        },
        not_established: PERCENTILES
            .iter()
            .filter(|(_, beyond)| sums.count > 0 && sums.count * beyond < SAMPLES_BEYOND * 10_000)
            .map(|(key, _)| (*key).to_owned())
            .collect(),
    }
}

/// Requests that must lie beyond a percentile for it to be a figure. With ten, its rank is known to about a third.
pub(super) const SAMPLES_BEYOND: u64 = 10;

/// The percentiles of a class, and how many in ten thousand requests lie beyond each.
const PERCENTILES: [(&str, u64); 6] = [
    ("p50_ns", 5_000),
    ("p90_ns", 1_000),
    ("p95_ns", 500),
    ("p99_ns", 100),
    ("p99_9_ns", 10),
    ("p99_99_ns", 1),
];

fn flash(recorder: &Recorder, counters: &FtlCounters) -> FlashResult {
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

fn gc(drive: &Drive, counters: &FtlCounters) -> GcResult {
    let recorder = &drive.recorder;
    let planes = (0..drive.geometry.planes()).map(crate::ids::PlaneId);
    GcResult {
        write_amplification: finite(counters.write_amplification()),
        jobs: counters.jobs,
        pages_moved: counters.gc_programs,
        valid_pages_per_victim: finite(counters.victim_valid_pages as f64 / counters.jobs as f64),
        mean_erased_blocks_per_plane: drift::mean_erased_blocks_per_plane(&drive.ftl, &recorder.programs),
        dropped_moves: recorder.dropped_moves,
        free_blocks_low_water: planes.map(|p| drive.ftl.plane(p).low_water).min().unwrap_or(0),
        host_write_stall_ns: recorder.host_write_stall.0,
        stalled_writes: recorder.stalled_writes,
    }
}

fn buffer(drive: &Drive) -> BufferResult {
    let (waits, wait_time) = drive.write_buffer.waits();
    BufferResult {
        capacity_pages: drive.write_buffer.capacity_pages(),
        max_pages: drive.ftl.map().most_slots(),
        waits,
        wait_ns: wait_time.0,
    }
}

pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn wear(erases: &[u32]) -> WearResult {
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

fn utilisation(drive: &Drive) -> UtilisationResult {
    // Collection may go on after the last completion, so the divisor is the last event.
    let elapsed = (drive.now().0 - drive.measured_from().0).max(1) as f64;
    let share = |busy: Nanos| busy.0 as f64 / elapsed;
    let per_die: Vec<f64> = drive.dies.iter().map(|die| share(die.held)).collect();
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
