//! How unevenly writes are spread over the units that are written.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::Histogram;
use super::harmonic::Harmonic;

/// Zipf's law fitted to the write counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ZipfFit {
    /// s in: the unit of rank r gets writes in proportion to r^-s. Maximum likelihood over the observed ranks.
    pub exponent: f64,
    /// Greatest distance between the fitted and the observed share of writes that go to the hottest units. Above 0.1
    /// the law does not describe the trace.
    pub distance: f64,
}

/// How unevenly writes are spread over the units that are written.
///
/// Shares are of all units written, counted at every write. "Hottest" are the units written most often over the whole
/// trace; a part of a unit at the edge counts in proportion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Skew {
    /// Share of writes to the hottest 1 % of the units written.
    pub hottest_1_percent_share: f64,
    /// The same of the hottest 5 %.
    pub hottest_5_percent_share: f64,
    /// The same of the hottest 10 %.
    pub hottest_10_percent_share: f64,
    /// The same of the hottest 20 %.
    pub hottest_20_percent_share: f64,
    /// Gini coefficient: 0 when all written units are written equally often, towards 1 when few get everything.
    pub gini: f64,
    /// Zipf's law, where at least 100 units were written and some of them twice. With few writes to a unit even an
    /// even spread shows an exponent above 0: chance alone makes some units hotter.
    pub zipf: Option<ZipfFit>,
    /// Writes to a unit, over the units written.
    pub writes_per_unit: Distribution,
    /// Points of the curve (share of the written units, hottest first; share of the writes that go to them), from
    /// (0, 0) to (1, 1), straight between them.
    pub lorenz: Vec<(f64, f64)>,
}

/// Units written equally often.
struct Group {
    writes: u64,
    units: u64,
    /// Units and writes of all hotter groups and this one.
    units_to: u64,
    writes_to: u64,
}

/// From (writes, units written so often) in rising order.
pub(super) fn skew(counts: &[(u64, u64)]) -> Skew {
    let mut groups: Vec<Group> = Vec::with_capacity(counts.len());
    let (mut units_to, mut writes_to) = (0, 0);
    let mut writes_per_unit = Histogram::new();
    for &(writes, units) in counts.iter().rev() {
        units_to += units;
        writes_to += writes * units;
        writes_per_unit.add(writes, units);
        groups.push(Group { writes, units, units_to, writes_to });
    }
    if groups.is_empty() {
        return Skew::default();
    }
    let hottest = |percent: u64| {
        let wanted = units_to as f64 * percent as f64 / 100.0;
        let at = groups.partition_point(|group| (group.units_to as f64) < wanted);
        let group = &groups[at];
        let above = (group.units_to as f64 - wanted) * group.writes as f64;
        (group.writes_to as f64 - above) / writes_to as f64
    };
    let mut area = 0.0;
    let mut before = (0.0, 0.0);
    let mut curve = vec![before];
    for group in &groups {
        let point = (group.units_to as f64 / units_to as f64, group.writes_to as f64 / writes_to as f64);
        area += (point.0 - before.0) * (point.1 + before.1) / 2.0;
        before = point;
        curve.push(point);
    }
    Skew {
        hottest_1_percent_share: hottest(1),
        hottest_5_percent_share: hottest(5),
        hottest_10_percent_share: hottest(10),
        hottest_20_percent_share: hottest(20),
        gini: (2.0 * area - 1.0).max(0.0),
        zipf: fit(&groups),
        writes_per_unit: writes_per_unit.finish(),
        lorenz: thinned(&curve),
    }
}

/// Leaves out points that hardly move.
fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const STEP: f64 = 0.005;
    let last = curve.len() - 1;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (index, point) in curve.iter().enumerate() {
        let moved = kept.last().is_none_or(|before| point.0 - before.0 >= STEP || point.1 - before.1 >= STEP);
        if moved || index == last {
            kept.push(*point);
        }
    }
    kept
}

/// Maximum likelihood: the expected logarithm of the rank under the law must be the mean one of the writes.
fn fit(groups: &[Group]) -> Option<ZipfFit> {
    const LEAST_UNITS: u64 = 100;
    const STEEPEST: f64 = 4.0;
    let (units, writes) = (groups.last()?.units_to, groups.last()?.writes_to);
    if units < LEAST_UNITS || writes == units {
        return None;
    }
    // ln of the product of the ranks from a to b is ln b! - ln (a-1)!.
    let log_factorial = |n: u64| libm::lgamma(n as f64 + 1.0);
    let log_ranks: f64 = groups
        .iter()
        .map(|group| {
            let ranks = log_factorial(group.units_to) - log_factorial(group.units_to - group.units);
            group.writes as f64 * ranks
        })
        .sum();
    let mean = log_ranks / writes as f64;
    let expected = |s: f64| {
        let (plain, log) = Harmonic::new(s).sums(units);
        log / plain
    };
    let (mut low, mut high) = (0.0, STEEPEST);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        // The steeper the law, the lower the ranks.
        if expected(middle) > mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    let exponent = f64::midpoint(low, high);
    let law = Harmonic::new(exponent);
    let all = law.sums(units).0;
    let distance =
        |group: &Group| (group.writes_to as f64 / writes as f64 - law.sums(group.units_to).0 / all).abs();
    Some(ZipfFit { exponent, distance: groups.iter().map(distance).fold(0.0, f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_counts_are_no_skew() {
        let even = skew(&[(7, 1000)]);
        assert!((even.hottest_1_percent_share - 0.01).abs() < 1e-12);
        assert!((even.hottest_20_percent_share - 0.2).abs() < 1e-12);
        assert_eq!(even.gini, 0.0);
        let zipf = even.zipf.unwrap();
        assert!(zipf.exponent < 1e-6 && zipf.distance < 1e-6, "{zipf:?}");
        assert_eq!(even.lorenz, [(0.0, 0.0), (1.0, 1.0)]);
    }

    #[test]
    fn a_tenth_of_the_units_with_nine_tenths_of_the_writes() {
        let hot_cold = skew(&[(1, 900), (81, 100)]);
        assert!((hot_cold.hottest_10_percent_share - 0.9).abs() < 1e-12);
        assert!((hot_cold.hottest_5_percent_share - 0.45).abs() < 1e-12);
        assert!((hot_cold.gini - 0.8).abs() < 1e-12);
        assert!(hot_cold.zipf.unwrap().distance > 0.1);
    }

    #[test]
    fn the_exponent_of_a_zipf_law_is_found() {
        for s in [0.6, 0.9, 1.0, 1.3] {
            let n = 100_000_u32;
            let scale = 1e9 / Harmonic::new(s).sums(u64::from(n)).0;
            let mut counts = std::collections::BTreeMap::<u64, u64>::new();
            for rank in 1..=n {
                *counts.entry((scale * libm::pow(f64::from(rank), -s)).round() as u64).or_default() += 1;
            }
            let counts: Vec<(u64, u64)> = counts.into_iter().filter(|(writes, _)| *writes > 0).collect();
            let zipf = skew(&counts).zipf.unwrap();
            assert!((zipf.exponent - s).abs() < 0.002 && zipf.distance < 0.002, "{s}: {zipf:?}");
        }
    }
}
