//! What a request replaces, in kinds of places that are few enough to be counted.

/// Steps into which a fitted history divides distances for each doubling.
pub(super) const STEPS: f64 = 3.0;
/// Units beyond the end of a request, or before it, where one that follows it nearly begins.
pub(super) const SKIPS: std::ops::RangeInclusive<i8> = -1..=2;

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
    /// So many units beyond the unit behind where one of the 32 requests of its operation before it ended, and what
    /// follows is live.
    Beyond(i8),
    /// The same, and what follows is not live.
    Empty(i8),
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
    /// Whether such a request continues another, or nearly.
    pub(super) fn streams(self) -> bool {
        self.continues() || self.skips().is_some()
    }

    /// Whether such a request begins at the byte where another ended.
    pub(super) fn continues(self) -> bool {
        matches!(self, Self::Stream | Self::Sweep | Self::Growth | Self::Reuse)
    }

    /// Whether one may stand in for the other: streams that go on at live units.
    pub(super) fn alike(self, other: Self) -> bool {
        let live = |place: Self| matches!(place, Self::Stream | Self::Sweep);
        self == other || (live(self) && live(other))
    }

    /// Of a request that nearly continues another: how many units lie between them.
    pub(super) fn skips(self) -> Option<i8> {
        match self {
            Self::Beyond(skip) | Self::Empty(skip) => Some(skip),
            _ => None,
        }
    }
}

/// What begins at that place; of a request that continues another, whether both are of one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Extent {
    /// Nothing: it lies inside what was written by one request.
    Inside,
    /// What was written by one request of another size.
    Start,
    /// What was written by one request of the same size.
    Same,
}

/// A place where a request can continue another, or nearly, and the shape of that one.
pub(super) type Able = (Place, u16);

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Request {
    pub(super) place: Place,
    pub(super) shape: u16,
    pub(super) extent: Extent,
}

impl Request {
    /// Whether such a request can go on there.
    pub(super) fn goes_on_at(self, (place, shape): Able) -> bool {
        let alike = match self.extent {
            Extent::Inside => true,
            Extent::Start => shape != self.shape,
            Extent::Same => shape == self.shape,
        };
        place == self.place && alike
    }
}

/// The bin of a distance, of so many for each doubling: 0 and 1 have their own.
pub(super) fn bin(distance: usize, steps: f64) -> u8 {
    if distance < 2 { distance as u8 } else { 1 + libm::floor(steps * libm::log2(distance as f64)) as u8 }
}

/// A distance of the bin, `share` (from 0 to 1) of the way through it.
pub(super) fn distance(bin: u8, share: f64, steps: f64) -> usize {
    if bin < 2 { usize::from(bin) } else { libm::exp2((f64::from(bin - 1) + share) / steps) as usize }
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
        for (steps, first) in [(1.5, [0, 1, 2, 3, 4, 4]), (3.0, [0, 1, 4, 5, 7, 7])] {
            let bins: Vec<u8> = (0..5000).map(|distance| bin(distance, steps)).collect();
            assert!(bins.is_sorted());
            assert_eq!(&bins[..6], &first);
            for at in 0..200 {
                let bin = bin(1000, steps);
                let drawn = distance(bin, f64::from(at) / 200.0, steps);
                assert!((drawn as f64 / 1000.0).log2().abs() < 1.0 / steps + 0.01, "{drawn}");
            }
        }
    }

    #[test]
    fn counts_keep_two_bits() {
        assert_eq!([0, 1, 2, 3, 4, 5, 7, 9, 100].map(rounded), [0, 1, 2, 3, 4, 4, 6, 8, 96]);
    }
}
