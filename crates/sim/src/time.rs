//! Time is whole nanoseconds; an instant and a duration are different types.

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A length of time, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// An instant of simulated time, ns since the start of the timed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimTime(pub u64);

impl SimTime {
    /// The start of the timed run.
    pub const ZERO: Self = Self(0);

    /// Later than every instant of a run; stands for one that is not known.
    pub const NEVER: Self = Self(u64::MAX);

    /// Time passed since `earlier`.
    ///
    /// # Panics
    /// In debug builds when `earlier` is later than `self`: a causality bug.
    #[inline]
    pub fn since(self, earlier: Self) -> Nanos {
        debug_assert!(earlier <= self, "time runs backwards: {earlier:?} after {self:?}");
        Nanos(self.0 - earlier.0)
    }
}

impl Add<Nanos> for SimTime {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Nanos) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl Add for Nanos {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self(self.0 + rhs.0)
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, rhs: Self) {
        self.0 += rhs.0;
    }
}

impl Sub for Nanos {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Self) -> Self {
        Self(self.0 - rhs.0)
    }
}
