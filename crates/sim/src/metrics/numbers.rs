//! Figures that may not exist.

/// The figure, unless it is none: a mean over nothing.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
