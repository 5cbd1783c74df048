//! Zipf's law: the place of rank k is drawn with a probability in proportion to k^-theta.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::pattern::{Address, Region};
use crate::generate::draw::Shuffle;

pub(super) struct Zipf {
    region: Region,
    ranks: Ranks,
    shuffle: Option<Shuffle>,
    random: Pcg64,
}

impl Zipf {
    pub(super) fn new(region: Region, theta: f64, shuffled: bool, seed: u64, name: &str) -> Self {
        let places = (region.bytes / region.align).max(1);
        Self {
            region,
            ranks: Ranks::new(places, theta),
            shuffle: shuffled.then(|| Shuffle::new(places, seed, &format!("{name} zipf order"))),
            random: stream(seed, &format!("{name} zipf")),
        }
    }
}

impl Address for Zipf {
    fn next(&mut self, size_bytes: u64, _progress: f64) -> u64 {
        let rank = self.ranks.draw(&mut self.random);
        let place = self.shuffle.as_ref().map_or(rank, |shuffle| shuffle.place(rank));
        // What would reach beyond the end begins where it still fits.
        self.region.slot(place.min(self.region.slots(size_bytes) - 1))
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        self.region.holds(at, size_bytes)
    }
}

/// Draws ranks by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", ACM TOMACS 6(3), 1996): constant time and memory for any number of ranks.
struct Ranks {
    count: u64,
    theta: f64,
    integral_of_first: f64,
    integral_of_last: f64,
    shortcut: f64,
}

impl Ranks {
    fn new(count: u64, theta: f64) -> Self {
        let mut ranks = Self { count, theta, integral_of_first: 0.0, integral_of_last: 0.0, shortcut: 0.0 };
        ranks.integral_of_first = ranks.integral(1.5) - 1.0;
        ranks.integral_of_last = ranks.integral(count as f64 + 0.5);
        ranks.shortcut = 2.0 - ranks.inverse(ranks.integral(2.5) - ranks.height(2.0));
        ranks
    }

    /// A rank from 0.
    fn draw(&self, random: &mut Pcg64) -> u64 {
        loop {
            let uniform: f64 = random.random();
            let area = self.integral_of_last + uniform * (self.integral_of_first - self.integral_of_last);
            let x = self.inverse(area);
            let rank = (libm::floor(x + 0.5) as u64).clamp(1, self.count);
            let k = rank as f64;
            if k - x <= self.shortcut || area >= self.integral(k + 0.5) - self.height(k) {
                return rank - 1;
            }
        }
    }

    /// x^-theta.
    fn height(&self, x: f64) -> f64 {
        libm::exp(-self.theta * libm::log(x))
    }

    /// The integral of the height, (x^(1-theta) - 1) / (1 - theta); the logarithm for a theta of 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let t = (1.0 - self.theta) * log;
        // Near 0 the quotient loses its digits; its series does not.
        if t.abs() > 1e-8 { libm::expm1(t) / t * log } else { log * (1.0 + t / 2.0) }
    }

    fn inverse(&self, area: f64) -> f64 {
        let t = (area * (1.0 - self.theta)).max(-1.0);
        let factor = if t.abs() > 1e-8 { libm::log1p(t) / t } else { 1.0 - t / 2.0 };
        libm::exp(factor * area)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    fn ranks_come_as_often_as_the_law_says(#[values(0.5, 0.99, 1.0, 1.2, 2.5)] theta: f64) {
        const COUNT: u64 = 50;
        const DRAWS: u32 = 400_000;
        let ranks = Ranks::new(COUNT, theta);
        let mut random = stream(3, "test");
        let mut seen = [0_u32; COUNT as usize];
        for _ in 0..DRAWS {
            seen[ranks.draw(&mut random) as usize] += 1;
        }
        let weights: Vec<f64> = (1..=COUNT).map(|k| (k as f64).powf(-theta)).collect();
        let sum: f64 = weights.iter().sum();
        let chi_square: f64 = (seen.iter().zip(&weights))
            .map(|(seen, weight)| {
                let expected = f64::from(DRAWS) * weight / sum;
                (f64::from(*seen) - expected).powi(2) / expected
            })
            .sum();
        // 49 degrees of freedom: beyond 86 once in a thousand.
        assert!(chi_square < 86.0, "chi-square {chi_square}");
    }

    #[test]
    fn one_place_is_always_drawn() {
        let mut random = stream(3, "test");
        assert!((0..100).all(|_| Ranks::new(1, 1.2).draw(&mut random) == 0));
    }
}
