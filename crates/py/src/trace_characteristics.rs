//! What a trace is like, as JSON.

use pyo3::prelude::*;
use reclaim_trace::CharacteristicsOptions;
use reclaim_trace::characteristics::Characteristics;

use crate::errors::{self, INPUT_ERROR};
use crate::trace::Trace;
use crate::watch::watch;

/// What `trace` is like: one validating pass over everything. `unit_bytes` and `stream_window` as in
/// `CharacteristicsOptions`.
#[pyfunction]
#[pyo3(signature = (trace, *, unit_bytes=4096, stream_window=32))]
pub fn characteristics(
    py: Python<'_>,
    trace: &Trace,
    unit_bytes: u64,
    stream_window: usize,
) -> PyResult<String> {
    let options = CharacteristicsOptions { unit_bytes, stream_window };
    let inner = trace.inner.clone();
    let (summary, found) = watch(py, move || inner.describe(options), |_| Ok(()), || ())?
        .map_err(|error| errors::trace(&error))?;
    trace.keep_summary(summary);
    Ok(serde_json::to_string(&found).expect("characteristics have only JSON values"))
}

/// The trace over time and address space, in at most so many bins of each, as JSON; `characteristics` is what was found
/// of it before, as JSON.
#[pyfunction]
pub fn picture(
    py: Python<'_>,
    trace: &Trace,
    characteristics: &str,
    time_bins: usize,
    address_bins: usize,
) -> PyResult<String> {
    let of: Characteristics =
        serde_json::from_str(characteristics).map_err(|error| INPUT_ERROR.new_err(error.to_string()))?;
    let inner = trace.inner.clone();
    let drawn = watch(py, move || inner.picture(&of, time_bins, address_bins), |_| Ok(()), || ())?
        .map_err(|error| errors::trace(&error))?;
    Ok(serde_json::to_string(&drawn).expect("a picture has only JSON values"))
}
