//! A random order of a huge number of places, without a table of them.

use rand::Rng;

use super::stream;

const ROUNDS: usize = 4;

/// A permutation of 0..count: a Feistel network over the next power of four, walked until it is back in range
/// (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002, the cycle-walking cipher).
#[derive(Debug, Clone)]
pub(in crate::generate) struct Shuffle {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Shuffle {
    /// A permutation of `count` places, chosen by `seed` and `name`.
    pub(in crate::generate) fn new(count: u64, seed: u64, name: &str) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let mut random = stream(seed, name);
        Self { count, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| random.next_u64()) }
    }

    /// The place of rank `index`.
    #[inline]
    pub(in crate::generate) fn place(&self, index: u64) -> u64 {
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
    use super::*;

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
