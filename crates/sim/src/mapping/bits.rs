//! A plain bit set over page numbers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::prefetch::prefetch;

/// The bits of `from..to` in the word that `from` lies in.
#[inline]
fn mask(from: u32, to: u32) -> u64 {
    let until = to - from / 64 * 64;
    let below = if until < 64 { (1 << until) - 1 } else { u64::MAX };
    below & u64::MAX << (from % 64)
}

/// One bit per number, all zero at first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Bits for the numbers below `count`.
    pub fn new(count: u32) -> Self {
        Self { words: vec![0; count.div_ceil(64) as usize] }
    }

    /// Whether the bit is one.
    #[inline]
    pub fn get(&self, index: u32) -> bool {
        self.words[(index / 64) as usize] >> (index % 64) & 1 == 1
    }

    /// The bit will be needed soon.
    #[inline]
    pub fn prefetch(&self, index: u32) {
        prefetch(&self.words, (index / 64) as usize);
    }

    /// Make the bit one.
    #[inline]
    pub fn set(&mut self, index: u32) {
        self.words[(index / 64) as usize] |= 1 << (index % 64);
    }

    /// Make the bits one.
    pub fn set_all(&mut self, range: Range<u32>) {
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min((from / 64 + 1) * 64);
            self.words[(from / 64) as usize] |= u64::MAX >> (64 - (to - from)) << (from % 64);
            from = to;
        }
    }

    /// Make the bit zero.
    #[inline]
    pub fn clear(&mut self, index: u32) {
        self.words[(index / 64) as usize] &= !(1 << (index % 64));
    }

    /// The 64 bits from `from` on, the lowest first; there are zeros behind the last.
    #[inline]
    pub fn window(&self, from: u32) -> u64 {
        let word = |at: u32| self.words.get(at as usize).copied().unwrap_or(0);
        let (at, shift) = (from / 64, from % 64);
        let above = if shift == 0 { 0 } else { word(at + 1) << (64 - shift) };
        word(at) >> shift | above
    }

    /// The first one-bit in `from..to`.
    #[inline]
    pub fn next_one(&self, from: u32, to: u32) -> Option<u32> {
        let mut index = from;
        while index < to {
            let word = self.words[(index / 64) as usize] >> (index % 64);
            if word != 0 {
                let found = index + word.trailing_zeros();
                return (found < to).then_some(found);
            }
            index = (index / 64 + 1) * 64;
        }
        None
    }

    /// Every one-bit in `from..to`.
    #[inline]
    pub fn for_ones(&self, from: u32, to: u32, mut each: impl FnMut(u32)) {
        let mut index = from;
        while index < to {
            let mut word = self.words[(index / 64) as usize] & mask(index, to);
            while word != 0 {
                each(index / 64 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
            index = (index / 64 + 1) * 64;
        }
    }

    /// Make the first one-bits in `from..to` zero, as many as `most`; tells where to look for the next.
    #[inline]
    pub fn take_ones(&mut self, from: u32, to: u32, most: u32, mut each: impl FnMut(u32)) -> u32 {
        let (mut index, mut left) = (from, most);
        while index < to {
            let word = &mut self.words[(index / 64) as usize];
            let mut taken = *word & mask(index, to);
            *word &= !taken;
            while taken != 0 {
                let next = index / 64 * 64 + taken.trailing_zeros();
                if left == 0 {
                    *word |= taken;
                    return next;
                }
                left -= 1;
                each(next);
                taken &= taken - 1;
            }
            index = (index / 64 + 1) * 64;
        }
        to
    }

    /// How many one-bits.
    pub fn ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether this could be a set over `count` numbers.
    pub fn fits(&self, count: u32) -> bool {
        self.words.len() == count.div_ceil(64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn next_one_finds_what_a_linear_search_finds(
            ones in prop::collection::btree_set(0_u32..300, 0..40), from in 0_u32..300, to in 0_u32..300,
        ) {
            let mut bits = Bits::new(300);
            for one in &ones {
                bits.set(*one);
            }
            prop_assert_eq!(bits.next_one(from, to), ones.iter().copied().find(|o| (from..to).contains(o)));
            prop_assert_eq!(bits.ones(), ones.len() as u64);
        }

        #[test]
        fn ones_are_met_and_taken_in_their_order(
            ones in prop::collection::btree_set(0_u32..300, 0..40),
            from in 0_u32..300, to in 0_u32..300, most in 0_u32..30,
        ) {
            let mut bits = Bits::new(300);
            for one in &ones {
                bits.set(*one);
            }
            let met = |bits: &Bits| {
                let mut met = Vec::new();
                bits.for_ones(0, 300, |one| met.push(one));
                met
            };
            let (mut within, mut taken) = (Vec::new(), Vec::new());
            bits.for_ones(from, to, |one| within.push(one));
            let next = bits.take_ones(from, to, most, |one| taken.push(one));
            let expected: Vec<_> = ones.iter().copied().filter(|one| (from..to).contains(one)).collect();
            prop_assert_eq!(&within, &expected);
            prop_assert_eq!(&taken, &expected[..expected.len().min(most as usize)]);
            prop_assert_eq!(bits.next_one(next, to), expected.get(taken.len()).copied());
            let left: Vec<_> = ones.iter().copied().filter(|one| !taken.contains(one)).collect();
            prop_assert_eq!(met(&bits), left);
        }

        #[test]
        fn a_window_has_the_bits_that_it_begins_with(
            ones in prop::collection::btree_set(0_u32..300, 0..40), from in 0_u32..300,
        ) {
            let mut bits = Bits::new(300);
            for one in &ones {
                bits.set(*one);
            }
            let expected = (0..64).filter(|bit| ones.contains(&(from + bit)));
            prop_assert_eq!(bits.window(from), expected.fold(0, |all, bit| all | 1 << bit));
        }

        #[test]
        fn a_range_is_set_as_its_numbers_are(from in 0_u32..300, to in 0_u32..300, one in 0_u32..300) {
            let (mut bits, mut each) = (Bits::new(300), Bits::new(300));
            bits.set(one);
            each.set(one);
            bits.set_all(from..to);
            (from..to).for_each(|index| each.set(index));
            prop_assert_eq!(bits.words, each.words);
        }
    }
}
