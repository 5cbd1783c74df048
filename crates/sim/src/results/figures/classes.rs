//! Latencies of each class of requests.

use hdrhistogram::Histogram;

use crate::metric::figures;
use crate::metrics::ClassSums;

figures! {
    /// What requests of one class experienced: those that arrived in the measured part of the run.
    pub struct ClassResult {
        /// Requests of the class that completed.
        count: u64 => "requests",
        /// Their sizes, summed.
        bytes: u64 => "bytes",
        /// Mean latency. A latency is the time from arrival to completion.
        mean_ns: f64 => "ns",
        /// Shortest latency, exact.
        min_ns: u64 => "ns",
        /// Latency that 50 % of the requests do not exceed; like all percentiles at most 0.1 % too high.
        p50_ns: u64 => "ns",
        /// Latency that 90 % of the requests do not exceed.
        p90_ns: u64 => "ns",
        /// Latency that 95 % of the requests do not exceed.
        p95_ns: u64 => "ns",
        /// Latency that 99 % of the requests do not exceed.
        p99_ns: u64 => "ns",
        /// Latency that 99.9 % of the requests do not exceed.
        p99_9_ns: u64 => "ns",
        /// Latency that 99.99 % of the requests do not exceed.
        p99_99_ns: u64 => "ns",
        /// Longest latency, exact.
        max_ns: u64 => "ns",
        /// Requests completed per second of `simulated_ns`.
        iops: f64 => "requests/s",
        /// Bytes of completed requests per second of `simulated_ns`.
        bandwidth_bytes_per_s: f64 => "bytes/s",
        /// Where the mean latency went.
        breakdown: MeanBreakdown,
        /// Keys of the percentiles with fewer than ten requests beyond them: their value is chance.
        not_established: Vec<String>,
    }
}

figures! {
    /// Parts of the mean latency; they add up to it. A request of several pages has the parts of the page that was
    /// done last.
    #[allow(clippy::struct_field_names)]
    pub struct MeanBreakdown {
        /// Waiting behind other work of the host: for a die, for the channel, for room in the write buffer.
        queue_ns: f64 => "ns",
        /// Waiting for garbage collection or wear levelling: for a die or a channel they use, for space they have yet
        /// to reclaim, for a page they are moving.
        gc_ns: f64 => "ns",
        /// Commands, addresses and data on the way between controller and die.
        transfer_ns: f64 => "ns",
        /// Work of the flash array: reading, programming, taking up a suspended operation again.
        array_ns: f64 => "ns",
        /// On the link between host and drive (`host.link`): messages, and waiting behind other messages. Zero
        /// without a link.
        link_ns: f64 => "ns",
        /// What is none of these: a flush waits for writes, whose own time is booked with them.
        other_ns: f64 => "ns",
    }
}

figures! {
    /// What requests experienced, class by class.
    pub struct RequestResults {
        /// Reads of the host.
        read: ClassResult,
        /// Writes of the host.
        write: ClassResult,
        /// Trims (discards) of the host.
        trim: ClassResult,
        /// Flushes of the host.
        flush: ClassResult,
    }
}

figures! {
    /// Points of the cumulative distributions of latency: pairs of a latency and the share of requests that do not
    /// exceed it. The last pair is the longest latency and 1; empty without requests.
    pub struct LatencyCdfs {
        /// Distribution of reads.
        read: Vec<(u64, f64)> => "ns, share",
        /// Distribution of writes.
        write: Vec<(u64, f64)> => "ns, share",
        /// Distribution of trims.
        trim: Vec<(u64, f64)> => "ns, share",
    }
}

/// Statistics of a class of which `elapsed` ns were measured.
pub(crate) fn class_result(histogram: &Histogram<u64>, sums: &ClassSums, elapsed: u64) -> ClassResult {
    let mean = |sum: u128| if sums.count == 0 { 0.0 } else { sum as f64 / sums.count as f64 };
    let per_second = |amount: u64| if elapsed == 0 { 0.0 } else { amount as f64 * 1e9 / elapsed as f64 };
    // A bucket answers with its upper end, which can lie above the longest latency there was.
    let at = |quantile: f64| histogram.value_at_quantile(quantile).min(sums.max_ns);
    let known = sums.queue_ns + sums.gc_ns + sums.transfer_ns + sums.array_ns + sums.link_ns;
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
            transfer_ns: mean(sums.transfer_ns),
            array_ns: mean(sums.array_ns),
            link_ns: mean(sums.link_ns),
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
