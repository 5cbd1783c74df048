//! Latencies of each class of requests.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::metrics::ClassSums;

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

/// Statistics of a class of which `elapsed` ns were measured.
pub(crate) fn class_result(histogram: &Histogram<u64>, sums: &ClassSums, elapsed: u64) -> ClassResult {
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
pub(crate) const SAMPLES_BEYOND: u64 = 10;

/// The percentiles of a class, and how many in ten thousand requests lie beyond each.
const PERCENTILES: [(&str, u64); 6] = [
    ("p50_ns", 5_000),
    ("p90_ns", 1_000),
    ("p95_ns", 500),
    ("p99_ns", 100),
    ("p99_9_ns", 10),
    ("p99_99_ns", 1),
];
