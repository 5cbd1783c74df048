//! Shares: a part of a whole that may be empty.

/// `part / whole`; 0 where the whole is 0, so that a trace without requests of a kind has shares of 0 instead of none.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
