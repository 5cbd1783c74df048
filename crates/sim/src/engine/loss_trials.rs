//! When the loss of a chip is tried, and what that has shown.

use crate::losses::Losses;
use crate::random::RandomStream;

/// When that is tried next, and what was found so far.
pub(super) struct LossTrials {
    /// Number of events before the next moment.
    pub(super) next: u64,
    pub(super) trials: Option<(RandomStream, u64, Losses)>,
}

impl LossTrials {
    pub(super) const NEVER: Self = Self { next: u64::MAX, trials: None };
}
