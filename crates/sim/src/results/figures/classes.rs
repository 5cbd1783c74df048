//! Latencies of each class of requests, and their cumulative distribution.

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
        /// to reclaim, for a page they are moving; and a share of waiting for writes that wait for them.
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

/// The latency that a share of the requests of a class does not exceed, ns.
pub(crate) fn percentile(histogram: &Histogram<u64>, sums: &ClassSums, share: f64) -> u64 {
    // A bucket answers with its upper end, which can lie above the longest latency there was.
    histogram.value_at_quantile(share).min(sums.max_ns)
}

/// Statistics of a class of which `elapsed` ns were measured.
pub(crate) fn class_result(histogram: &Histogram<u64>, sums: &ClassSums, elapsed: u64) -> ClassResult {
    let mean = |sum: u128| if sums.count == 0 { 0.0 } else { sum as f64 / sums.count as f64 };
    let per_second = |amount: u64| if elapsed == 0 { 0.0 } else { amount as f64 * 1e9 / elapsed as f64 };
    let at = |share| percentile(histogram, sums, share);
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

// Points of a cumulative distribution.

/// A distribution of more points than this is thinned out.
const CDF_POINTS: usize = 400;

/// Latencies in ns, the longest of which was `max_ns`: (longest of a bucket, how many fell into it), shortest first.
/// Empty buckets are left out.
pub(crate) fn buckets(histogram: &Histogram<u64>, max_ns: u64) -> impl Iterator<Item = (u64, u64)> {
    // The upper end of a bucket; that of the last one can lie above the longest latency there was.
    histogram
        .iter_recorded()
        .map(move |step| (step.value_iterated_to().min(max_ns), step.count_since_last_iteration()))
}

/// Points of the distribution of latencies in ns, the longest of which was `max_ns`: (ns, share at or below).
pub(crate) fn cdf(histogram: &Histogram<u64>, max_ns: u64) -> Vec<(u64, f64)> {
    let total = histogram.len();
    if total == 0 {
        return Vec::new();
    }
    let mut below = 0_u64;
    let all: Vec<(u64, f64)> = buckets(histogram, max_ns)
        .map(|(upper_ns, count)| {
            below += count;
            (upper_ns, below as f64 / total as f64)
        })
        .collect();
    if all.len() <= CDF_POINTS {
        return all;
    }
    // Equal steps in probability would lose the tail and equal steps in rank the body: keep a point whenever either
    // the probability or the distance to 1 has moved enough.
    let step = 1.0 / (CDF_POINTS as f64 / 2.0);
    let tail_step = 12.0 / (CDF_POINTS as f64 / 2.0);
    let tail = |share: f64| -(1.0 - share).max(1e-9).ln();
    let last = all.len() - 1;
    let (mut share, mut depth) = (-1.0, -1.0);
    all.iter()
        .enumerate()
        .filter(|(index, (_, at))| {
            let keep = *index == last || at - share >= step || tail(*at) - depth >= tail_step;
            if keep {
                (share, depth) = (*at, tail(*at));
            }
            keep
        })
        .map(|(_, point)| *point)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One latency of each length from 1 to `longest` ns; up to 2,047 ns each has a bucket of its own.
    fn one_of_each(longest: u64) -> Vec<(u64, f64)> {
        let mut histogram = Histogram::new_with_bounds(1, 1_000_000, 3).unwrap();
        (1..=longest).for_each(|latency| histogram.record(latency).unwrap());
        cdf(&histogram, longest)
    }

    #[test]
    fn few_points_are_all_kept() {
        assert_eq!(one_of_each(0), []);
        assert_eq!(one_of_each(4), [(1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0)]);
        assert_eq!(one_of_each(400).len(), 400);
    }

    /// Of 1,024 a point is kept after 1/200 of them, which are 6 at least, or when those above are fewer by a factor of
    /// exp(-0.06), which is 0.9418: sooner where 85 or less are above. Of 81 there must not be more than 76.3 left, of
    /// 76 not more than 71.6, of 66 not more than 62.2, …
    #[test]
    fn of_many_points_those_are_kept_that_tell_body_and_tail() {
        let body = (0..158).map(|step| 1_023 - 6 * step);
        let steps_of_2_and_more =
            [76, 71, 66, 62, 58, 54, 50, 47, 44, 41, 38, 35, 32, 30, 28, 26, 24, 22, 20, 18, 16];
        let above = body.chain(steps_of_2_and_more).chain((0..16).rev());
        let expected: Vec<_> = above.map(|above| (1_024 - above, (1_024 - above) as f64 / 1_024.0)).collect();
        assert_eq!(one_of_each(1_024), expected);
    }
}
