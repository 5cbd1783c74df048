//! How unevenly writes are spread over the units that are written.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::Histogram;

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

// Generalised harmonic numbers, for Zipf's law over any number of ranks.

/// Ranks that are added one by one; the rest is an integral with corrections (Euler and Maclaurin).
const EXACT: u64 = 1000;

/// Sum over ranks `1..=n` of `rank^-s`, and of `rank^-s ln rank`.
pub(super) struct Harmonic {
    s: f64,
    /// Both sums up to each of the first ranks.
    exact: Vec<(f64, f64)>,
}

impl Harmonic {
    pub(super) fn new(s: f64) -> Self {
        let mut sum = (0.0, 0.0);
        let exact = (1..=EXACT).map(|rank| {
            let (plain, log) = terms(rank as f64, s);
            sum = (sum.0 + plain, sum.1 + log);
            sum
        });
        Self { exact: exact.collect(), s }
    }

    pub(super) fn sums(&self, n: u64) -> (f64, f64) {
        if n == 0 {
            return (0.0, 0.0);
        }
        if n <= EXACT {
            return self.exact[n as usize - 1];
        }
        let (from, to) = (EXACT as f64, n as f64);
        let (head, at_from, at_to) = (self.exact[EXACT as usize - 1], terms(from, self.s), terms(to, self.s));
        let area = self.integral(from, to);
        // Σ over (from, to] = ∫ + (f(to) - f(from)) / 2 + (f'(to) - f'(from)) / 12.
        let slope = |x: f64, (plain, log): (f64, f64)| (-self.s * plain / x, (plain - self.s * log) / x);
        let (slope_from, slope_to) = (slope(from, at_from), slope(to, at_to));
        (
            head.0 + area.0 + (at_to.0 - at_from.0) / 2.0 + (slope_to.0 - slope_from.0) / 12.0,
            head.1 + area.1 + (at_to.1 - at_from.1) / 2.0 + (slope_to.1 - slope_from.1) / 12.0,
        )
    }

    /// ∫ x^-s and ∫ x^-s ln x, by Gauss and Legendre's rule over ln x, in pieces at most 1 long. The closed forms lose
    /// their digits where s is near 1, which is where it usually is.
    fn integral(&self, from: f64, to: f64) -> (f64, f64) {
        const NODES: [(f64, f64); 4] = [
            (0.183_434_642_495_649_8, 0.362_683_783_378_362),
            (0.525_532_409_916_329, 0.313_706_645_877_887_3),
            (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
            (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
        ];
        let (start, end) = (libm::log(from), libm::log(to));
        let pieces = (end - start).ceil().max(1.0);
        let half = (end - start) / pieces / 2.0;
        let mut sum = (0.0, 0.0);
        for piece in 0..pieces as u64 {
            let middle = start + (2 * piece + 1) as f64 * half;
            for (node, weight) in NODES {
                for u in [middle - half * node, middle + half * node] {
                    let value = weight * libm::exp((1.0 - self.s) * u);
                    sum = (sum.0 + value, sum.1 + value * u);
                }
            }
        }
        (sum.0 * half, sum.1 * half)
    }
}

fn terms(x: f64, s: f64) -> (f64, f64) {
    let log = libm::log(x);
    let plain = libm::exp(-s * log);
    (plain, plain * log)
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

    #[test]
    fn sums_of_many_ranks_are_those_added_one_by_one() {
        for s in [0.0, 0.5, 0.99, 1.0, 1.2, 3.0] {
            let n = 200_000_u32;
            let (mut plain, mut log) = (0.0, 0.0);
            for rank in (1..=n).rev() {
                let (p, l) = terms(f64::from(rank), s);
                plain += p;
                log += l;
            }
            let (found, found_log) = Harmonic::new(s).sums(u64::from(n));
            assert!((found / plain - 1.0).abs() < 1e-10, "{s}: {found} for {plain}");
            assert!((found_log / log - 1.0).abs() < 1e-10, "{s}: {found_log} for {log}");
        }
    }
}
