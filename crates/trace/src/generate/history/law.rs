//! What a request replaces, in kinds of places that are few enough to be counted.

/// Steps into which distances are divided for each doubling.
const STEPS: f64 = 1.5;

/// Where a request begins, in the order in which the units of its zone were last written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// Where one of the 32 requests of its operation before it ended, and what follows is live, of the younger half of
    /// its zone.
    Stream,
    /// The same, of the older half.
    Sweep,
    /// The same, and what follows was never written.
    Growth,
    /// The same, and what follows was written and trimmed.
    Reuse,
    /// So many units before the first that was never written.
    New(u32),
    /// So many units before one that was trimmed.
    Freed(u32),
    /// This bin of distances from the unit written last.
    Young(u8),
    /// This bin of distances from the unit not written for longest.
    Old(u8),
    /// A trim of so many live units at the end of the zone, and of what is never written behind it.
    Tail(u32),
}

impl Place {
    /// Whether such a request continues another.
    pub(super) fn streams(self) -> bool {
        matches!(self, Self::Stream | Self::Sweep | Self::Growth | Self::Reuse)
    }
}

/// What begins at that place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Extent {
    /// Nothing: it lies inside what was written by one request.
    Inside,
    /// What was written by one request of another size.
    Start,
    /// What was written by one request of the same size.
    Same,
}

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Request {
    pub(super) place: Place,
    pub(super) shape: u16,
    pub(super) extent: Extent,
}

/// The bin of a distance: 0 and 1 have their own.
pub(super) fn bin(distance: usize) -> u8 {
    if distance < 2 { distance as u8 } else { 1 + libm::floor(STEPS * libm::log2(distance as f64)) as u8 }
}

/// A distance of the bin, `share` (from 0 to 1) of the way through it.
pub(super) fn distance(bin: u8, share: f64) -> usize {
    if bin < 2 { usize::from(bin) } else { libm::exp2((f64::from(bin - 1) + share) / STEPS) as usize }
}

/// A count of units to two significant bits, so that counts are of few kinds.
pub(super) fn rounded(units: u64) -> u32 {
    let shift = (u64::BITS - units.leading_zeros()).saturating_sub(2);
    u32::try_from(units >> shift << shift).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_rise_and_distances_stay_in_them() {
        let bins: Vec<u8> = (0..5000).map(bin).collect();
        assert!(bins.is_sorted());
        assert_eq!(&bins[..6], &[0, 1, 2, 3, 4, 4]);
        for at in 0..200 {
            let bin = bin(1000);
            let drawn = distance(bin, f64::from(at) / 200.0);
            assert!((drawn as f64 / 1000.0).log2().abs() < 1.0 / STEPS + 0.01, "{drawn}");
        }
    }

    #[test]
    fn counts_keep_two_bits() {
        assert_eq!([0, 1, 2, 3, 4, 5, 7, 9, 100].map(rounded), [0, 1, 2, 3, 4, 4, 6, 8, 96]);
    }
}
