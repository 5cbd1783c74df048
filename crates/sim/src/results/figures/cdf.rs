//! Points of a cumulative distribution.

use hdrhistogram::Histogram;

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
