//! What is random in a generated trace: a stream of numbers for every decision, shares met exactly ([`Quota`]), random
//! orders ([`Shuffle`]).

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The named random stream of a seed. The hash keeps streams apart that PCG's own stream numbers would leave related.
pub(super) fn stream(seed: u64, name: &str) -> Pcg64 {
    Pcg64::from_seed(blake3::derive_key(&format!("reclaim-trace generate {name}"), &seed.to_le_bytes()))
}

// Drawing without putting back: shares are met exactly, in random order.

/// Divide `total` in proportion to `weights`: largest remainders, the first of equals first. Weights of zero get
/// nothing.
pub(super) fn apportion(total: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|weight| total as f64 * (weight / sum)).collect();
    let mut counts: Vec<u64> = exact.iter().map(|share| (libm::floor(*share) as u64).min(total)).collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|index| weights[*index] > 0.0).collect();
    let rest = |index: &usize| exact[*index] - libm::floor(exact[*index]);
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)).then(a.cmp(b)));
    // Rounding of numbers beyond 2^53 can leave more than one for each, or take one too many.
    let mut missing = i128::from(total) - counts.iter().map(|count| i128::from(*count)).sum::<i128>();
    for index in order.iter().cycle() {
        if missing == 0 {
            break;
        }
        if missing > 0 {
            counts[*index] += 1;
            missing -= 1;
        } else if counts[*index] > 0 {
            counts[*index] -= 1;
            missing += 1;
        }
    }
    counts
}

/// So many of each kind, drawn in random order.
#[derive(Debug, Clone)]
pub(super) struct Quota {
    left: Vec<u64>,
    total: u64,
}

impl Quota {
    /// `total` draws in proportion to `weights`.
    pub(super) fn new(total: u64, weights: &[f64]) -> Self {
        Self { left: apportion(total, weights), total }
    }

    pub(super) fn of_counts(counts: Vec<u64>) -> Self {
        let total = counts.iter().sum();
        Self { left: counts, total }
    }

    /// The index of the kind drawn. Must not be called more often than there are draws.
    #[inline]
    pub(super) fn draw(&mut self, random: &mut Pcg64) -> usize {
        debug_assert!(self.total > 0, "more draws than there are");
        let mut ticket = random.random_range(0..self.total);
        self.total -= 1;
        for (index, left) in self.left.iter_mut().enumerate() {
            if ticket < *left {
                *left -= 1;
                return index;
            }
            ticket -= *left;
        }
        unreachable!("the ticket is below the sum of what is left")
    }
}

// A random order of a huge number of places, without a table of them.

const ROUNDS: usize = 4;

/// A permutation of 0..count: a Feistel network over the next power of four, walked until it is back in range
/// (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002, the cycle-walking cipher).
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Shuffle {
    /// A permutation of `count` places, chosen by `seed` and `name`.
    pub(super) fn new(count: u64, seed: u64, name: &str) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let mut random = stream(seed, name);
        Self { count, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| random.next_u64()) }
    }

    /// The place of rank `index`.
    #[inline]
    pub(super) fn place(&self, index: u64) -> u64 {
        let mut place = index;
        loop {
            place = self.once(place);
            if place < self.count {
                return place;
            }
        }
    }

    fn once(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mixed(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mixed(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_is_lost_or_made(
            total in any::<u64>(),
            weights in prop::collection::vec(0.0_f64..100.0, 1..8),
        ) {
            prop_assume!(weights.iter().any(|weight| *weight > 0.0));
            let counts = apportion(total, &weights);
            prop_assert_eq!(counts.iter().map(|count| u128::from(*count)).sum::<u128>(), u128::from(total));
            for (count, weight) in counts.iter().zip(&weights) {
                prop_assert!(*weight > 0.0 || *count == 0);
            }
        }
    }

    #[test]
    fn every_ticket_is_drawn_once() {
        let mut quota = Quota::new(1000, &[7.0, 0.0, 2.0, 1.0]);
        let mut random = stream(1, "test");
        let mut seen = [0; 4];
        for _ in 0..1000 {
            seen[quota.draw(&mut random)] += 1;
        }
        assert_eq!(seen, [700, 0, 200, 100]);
    }

    #[test]
    fn every_place_exactly_once() {
        for count in [1, 2, 3, 5, 64, 1000, 4097] {
            let shuffle = Shuffle::new(count, 7, "test");
            let mut places: Vec<u64> = (0..count).map(|index| shuffle.place(index)).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn neighbours_are_parted() {
        let shuffle = Shuffle::new(1 << 20, 7, "test");
        let adjacent = (0..1000).filter(|i| shuffle.place(*i).abs_diff(shuffle.place(i + 1)) < 1000).count();
        assert!(adjacent < 10, "{adjacent} of 1000");
    }
}
