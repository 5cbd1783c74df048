//! Drawing without putting back: shares are met exactly, in random order.

use rand::RngExt;
use rand_pcg::Pcg64;

/// Divide `total` in proportion to `weights`: largest remainders, the first of equals first. Weights of zero get
/// nothing.
pub(in crate::generate) fn apportion(total: u64, weights: &[f64]) -> Vec<u64> {
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
pub(in crate::generate) struct Quota {
    left: Vec<u64>,
    total: u64,
}

impl Quota {
    /// `total` draws in proportion to `weights`.
    pub(in crate::generate) fn new(total: u64, weights: &[f64]) -> Self {
        Self { left: apportion(total, weights), total }
    }

    pub(in crate::generate) fn of_counts(counts: Vec<u64>) -> Self {
        let total = counts.iter().sum();
        Self { left: counts, total }
    }

    /// The index of the kind drawn. Must not be called more often than there are draws.
    #[inline]
    pub(in crate::generate) fn draw(&mut self, random: &mut Pcg64) -> usize {
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
        let mut random = super::super::stream(1, "test");
        let mut seen = [0; 4];
        for _ in 0..1000 {
            seen[quota.draw(&mut random)] += 1;
        }
        assert_eq!(seen, [700, 0, 200, 100]);
    }
}
