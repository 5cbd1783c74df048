//! What a run leaves behind.

use pyo3::prelude::*;

use crate::arrow::ArrowTable;
use crate::errors::INPUT_ERROR;

/// The outcome of one simulation.
#[pyclass(frozen, module = "reclaim._core")]
pub struct Outcome {
    pub inner: reclaim_sim::Outcome,
}

const CLASSES: [&str; 4] = ["read", "write", "trim", "flush"];

#[pymethods]
impl Outcome {
    /// The results, as JSON text that is the same byte for byte from run to run.
    fn results_json(&self) -> String {
        serde_json::to_string_pretty(&self.inner.results).expect("results have only JSON values")
    }

    /// Latency in ns below which `percent` of the requests of `class` (None: of reads, writes and trims) stay.
    ///
    /// None where there was no such request.
    #[pyo3(signature = (class, percent, /))]
    fn latency_percentile_ns(&self, class: Option<&str>, percent: f64) -> PyResult<Option<u64>> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(INPUT_ERROR.new_err(format!("percentile {percent}: must be between 0 and 100")));
        }
        let wanted: Vec<usize> = match class {
            None => vec![0, 1, 2],
            Some(name) => vec![CLASSES.iter().position(|&known| known == name).ok_or_else(|| {
                INPUT_ERROR
                    .new_err(format!("unknown request class \"{name}\"; valid: {}", CLASSES.join(", ")))
            })?],
        };
        let mut merged = self.inner.histograms[wanted[0]].clone();
        for &other in &wanted[1..] {
            merged += &self.inner.histograms[other];
        }
        // A bucket answers with its upper end, which can lie above the longest latency there was.
        let requests = &self.inner.results.requests;
        let classes = [&requests.read, &requests.write, &requests.trim, &requests.flush];
        let longest = wanted.iter().map(|&class| classes[class].max_ns).max().unwrap_or(0);
        Ok((!merged.is_empty()).then(|| merged.value_at_percentile(percent).min(longest)))
    }

    /// One row per request, where recording was asked for.
    #[getter]
    fn requests(&self) -> Option<ArrowTable> {
        self.inner.requests.as_ref().map(ArrowTable::from)
    }

    /// One row per collected block, where recording was asked for.
    #[getter]
    fn gc_log(&self) -> Option<ArrowTable> {
        self.inner.gc_log.as_ref().map(ArrowTable::from)
    }

    /// One row per interval of simulated time, where recording was asked for.
    #[getter]
    fn timeline(&self) -> Option<ArrowTable> {
        self.inner.timeline.as_ref().map(ArrowTable::from)
    }
}
