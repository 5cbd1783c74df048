//! Generalised harmonic numbers, for Zipf's law over any number of ranks.

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
