//! A number of successes drawn at once, from the distribution itself.

use crate::random::RandomStream;

/// Top bits of a draw that find where to begin looking: few steps are left from there.
const GUIDE_BITS: u32 = 12;

/// The binomial distribution of `trials` with one probability, drawn by inversion: the least k whose cumulative
/// probability is above the draw.
///
/// Exact but for rounding: the draw has 64 bits, and probabilities are sums of doubles. They are made by the four
/// basic operations alone, which round the same on every machine.
#[derive(Debug)]
pub struct Binomial {
    /// Cumulative probability of k = 0 … trials - 1, times 2^64.
    cumulative: Box<[u64]>,
    /// For each value of the top bits: the least k that a draw with these can give.
    guide: Box<[u16]>,
}

impl Binomial {
    /// Of `trials` that each succeed with `probability`, 0 to 1.
    pub fn new(trials: u16, probability: f64) -> Self {
        let terms = terms(trials, probability);
        let total: f64 = terms.iter().sum();
        let mut sum = 0.0;
        let cumulative: Box<[u64]> = terms[..usize::from(trials)]
            .iter()
            .map(|term| {
                sum += term;
                // Saturates where rounding makes it 1.
                (sum / total * 2_f64.powi(64)) as u64
            })
            .collect();
        let first = |top: u64| cumulative.partition_point(|upto| *upto <= top << (64 - GUIDE_BITS)) as u16;
        let guide = (0..1 << GUIDE_BITS).map(first).collect();
        Self { cumulative, guide }
    }

    /// A number of successes.
    #[inline]
    pub fn draw(&self, stream: &mut RandomStream) -> u16 {
        let bits = stream.bits();
        let mut successes = self.guide[(bits >> (64 - GUIDE_BITS)) as usize];
        while self.cumulative.get(usize::from(successes)).is_some_and(|upto| *upto <= bits) {
            successes += 1;
        }
        successes
    }
}

/// Probabilities of 0 … trials successes, all times the same number: that of the most likely is 1.
///
/// From there each follows from its neighbour by a ratio, so that small ones are as exact as large ones.
fn terms(trials: u16, probability: f64) -> Vec<f64> {
    let (n, p, q) = (f64::from(trials), probability, 1.0 - probability);
    let likeliest = (((n + 1.0) * p) as usize).min(usize::from(trials));
    let mut terms = vec![1.0; usize::from(trials) + 1];
    for k in likeliest..usize::from(trials) {
        terms[k + 1] = terms[k] * ((n - k as f64) * p) / ((k + 1) as f64 * q);
    }
    for k in (0..likeliest).rev() {
        terms[k] = terms[k + 1] * ((k + 1) as f64 * q) / ((n - k as f64) * p);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_the_binomial_coefficients() {
        let terms = terms(6, 0.25);
        let total: f64 = terms.iter().sum();
        let expected = [729.0, 1458.0, 1215.0, 540.0, 135.0, 18.0, 1.0].map(|ways: f64| ways / 4096.0);
        for (term, expected) in terms.iter().zip(expected) {
            assert!((term / total - expected).abs() < 1e-15, "{terms:?}");
        }
    }

    #[test]
    fn certainties_are_certain() {
        let mut stream = RandomStream::new(1, "draws");
        let (never, always) = (Binomial::new(256, 0.0), Binomial::new(256, 1.0));
        for _ in 0..1000 {
            assert_eq!((never.draw(&mut stream), always.draw(&mut stream)), (0, 256));
        }
        assert_eq!(Binomial::new(0, 0.3).draw(&mut stream), 0);
    }

    /// Every k comes as often as it should, far into the tails: chi-squared over all k that are expected 10 times.
    #[test]
    fn every_number_comes_as_often_as_it_should() {
        for (trials, probability) in [(16, 0.5), (256, 0.05), (256, 0.95), (1024, 0.3), (4096, 0.75)] {
            let draws = 400_000;
            let binomial = Binomial::new(trials, probability);
            let mut stream = RandomStream::new(7, "draws");
            let mut seen = vec![0_u32; usize::from(trials) + 1];
            (0..draws).for_each(|_| seen[usize::from(binomial.draw(&mut stream))] += 1);

            let terms = terms(trials, probability);
            let total: f64 = terms.iter().sum();
            let expected = terms.iter().map(|term| term / total * f64::from(draws));
            let common: Vec<_> = seen.iter().zip(expected).filter(|(_, expected)| *expected > 10.0).collect();
            let chi_squared: f64 =
                common.iter().map(|(seen, expected)| (f64::from(**seen) - expected).powi(2) / expected).sum();
            let freedom = common.len() as f64;
            // Its mean is the degrees of freedom, its variance twice that.
            let off = (chi_squared - freedom) / (2.0 * freedom).sqrt();
            assert!(off.abs() < 4.0, "{trials} {probability}: {chi_squared} for {freedom}");
        }
    }
}
