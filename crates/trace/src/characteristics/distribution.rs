//! A distribution of whole numbers: exact count, mean and extremes, and a histogram whose buckets are narrow
//! everywhere.

use serde::{Deserialize, Serialize};

/// Buckets for every doubling: a bucket is at most 1/32 of its lower end wide.
const PER_OCTAVE_BITS: u32 = 5;
const PER_OCTAVE: u64 = 1 << PER_OCTAVE_BITS;
const BUCKETS: usize = ((u64::BITS - PER_OCTAVE_BITS + 1) as usize) << PER_OCTAVE_BITS;

/// Values below or at which so much of a distribution lies: `p50` is the median.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Percentiles {
    pub p1: u64,
    pub p5: u64,
    pub p10: u64,
    pub p25: u64,
    pub p50: u64,
    pub p75: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
    pub p99_9: u64,
}

impl Percentiles {
    /// From values in rising order with their counts. The percentile p is the least value that at least p % of the
    /// `total` do not exceed.
    pub(super) fn of(steps: &[(u64, u64)], total: u64) -> Self {
        let at = |per_mille: u128| {
            let rank = (u128::from(total) * per_mille).div_ceil(1000) as u64;
            let mut below = 0;
            let reached = steps.iter().find(|(_, count)| {
                below += count;
                below >= rank && below > 0
            });
            reached.map_or(0, |(value, _)| *value)
        };
        Self {
            p1: at(10),
            p5: at(50),
            p10: at(100),
            p25: at(250),
            p50: at(500),
            p75: at(750),
            p90: at(900),
            p95: at(950),
            p99: at(990),
            p99_9: at(999),
        }
    }
}

/// A distribution of whole numbers; the unit is in the name of the field that holds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values there are. Everything else is 0 where there are none.
    pub count: u64,
    /// Arithmetic mean of the values, exact.
    pub mean: f64,
    /// Standard deviation (of the population) divided by the mean.
    pub coefficient_of_variation: f64,
    /// The least value that occurs, exact.
    pub min: u64,
    /// The greatest value that occurs, exact.
    pub max: u64,
    /// Percentiles, at most 1/32 above the true value.
    pub percentiles: Percentiles,
    /// Buckets that hold anything: (least value, greatest value, count). Below 64 every value has its own; above,
    /// there are 32 to every doubling.
    pub buckets: Vec<(u64, u64, u64)>,
}

/// Collects a [`Distribution`].
pub(super) struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    sum: u128,
    /// Squares saturate only beyond any sum of trace times.
    sum_of_squares: u128,
    min: u64,
    max: u64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            count: 0,
            sum: 0,
            sum_of_squares: 0,
            min: u64::MAX,
            max: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, value: u64, times: u64) {
        self.counts[bucket(value)] += times;
        self.count += times;
        self.sum += u128::from(value) * u128::from(times);
        let square = u128::from(value) * u128::from(value);
        self.sum_of_squares = self.sum_of_squares.saturating_add(square.saturating_mul(u128::from(times)));
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    pub(super) fn finish(&self) -> Distribution {
        if self.count == 0 {
            return Distribution::default();
        }
        let count = self.count as f64;
        let mean = self.sum as f64 / count;
        let variance = variance(self.count, self.sum, self.sum_of_squares);
        let buckets: Vec<(u64, u64, u64)> = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(index, count)| {
                let (from, to) = bounds(index);
                (from, to, *count)
            })
            .collect();
        let steps: Vec<(u64, u64)> =
            buckets.iter().map(|(_, to, count)| ((*to).min(self.max), *count)).collect();
        Distribution {
            count: self.count,
            mean,
            coefficient_of_variation: if mean > 0.0 { libm::sqrt(variance) / mean } else { 0.0 },
            min: self.min,
            max: self.max,
            percentiles: Percentiles::of(&steps, self.count),
            buckets,
        }
    }
}

/// Variance of a population, from exact sums as long as they fit.
pub(super) fn variance(count: u64, sum: u128, sum_of_squares: u128) -> f64 {
    let count_wide = u128::from(count);
    if let (Some(squares), Some(square)) = (sum_of_squares.checked_mul(count_wide), sum.checked_mul(sum)) {
        // n Σx² - (Σx)² is a whole number and never negative.
        return squares.saturating_sub(square) as f64 / count as f64 / count as f64;
    }
    let mean = sum as f64 / count as f64;
    (sum_of_squares as f64 / count as f64 - mean * mean).max(0.0)
}

#[inline]
fn bucket(value: u64) -> usize {
    if value < PER_OCTAVE {
        return value as usize;
    }
    let exponent = value.ilog2() - PER_OCTAVE_BITS;
    ((u64::from(exponent) << PER_OCTAVE_BITS) + (value >> exponent)) as usize
}

fn bounds(bucket: usize) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < PER_OCTAVE {
        return (bucket, bucket);
    }
    let exponent = (bucket >> PER_OCTAVE_BITS) - 1;
    let from = (PER_OCTAVE + bucket % PER_OCTAVE) << exponent;
    (from, from + ((1 << exponent) - 1))
}

/// `part / whole`; 0 where the whole is 0, so that a trace without requests of a kind has shares of 0 instead of none.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_is_in_its_bucket_and_buckets_are_narrow(value: u64) {
            let (from, to) = bounds(bucket(value));
            prop_assert!(from <= value && value <= to, "{value} not in {from}..={to}");
            prop_assert!(to - from <= from / 32);
        }

        #[test]
        fn percentiles_are_those_of_the_sorted_values(
            mut values in prop::collection::vec(0_u64..1 << 40, 1..200),
        ) {
            let mut histogram = Histogram::new();
            for value in &values {
                histogram.add(*value, 1);
            }
            let found = histogram.finish();
            values.sort_unstable();
            let at = |share: f64| values[((values.len() as f64 * share).ceil() as usize).max(1) - 1];
            for (percentile, exact) in [(found.percentiles.p50, at(0.5)), (found.percentiles.p90, at(0.9))] {
                prop_assert!(
                    exact <= percentile && percentile <= exact + exact / 32,
                    "{percentile} for {exact}",
                );
            }
            let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
            prop_assert!((found.mean - mean).abs() <= 1e-6 * mean.max(1.0));
            prop_assert_eq!((found.min, found.max), (values[0], values[values.len() - 1]));
            prop_assert_eq!(found.buckets.iter().map(|(.., count)| count).sum::<u64>(), values.len() as u64);
        }
    }

    #[test]
    fn buckets_follow_one_another_without_gaps_to_the_end_of_64_bits() {
        for index in 1..BUCKETS {
            assert_eq!(bounds(index).0, bounds(index - 1).1 + 1);
        }
        assert_eq!(bounds(BUCKETS - 1).1, u64::MAX);
    }

    #[test]
    fn the_coefficient_of_variation_of_two_values() {
        let mut histogram = Histogram::new();
        histogram.add(1, 1);
        histogram.add(3, 1);
        let found = histogram.finish();
        assert_eq!((found.mean, found.coefficient_of_variation), (2.0, 0.5));
    }
}
