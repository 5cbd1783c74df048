//! Points of a cumulative distribution.

use hdrhistogram::Histogram;

/// At most this many points describe a distribution.
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
