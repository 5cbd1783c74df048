//! What a run leaves behind.

use pyo3::prelude::*;
use reclaim_sim::gc::relocation::regression::INPUTS;

use crate::arrow::ArrowTable;

/// The outcome of one simulation.
#[pyclass(frozen, module = "reclaim._core")]
pub struct Outcome {
    pub inner: reclaim_sim::Outcome,
}

#[pymethods]
impl Outcome {
    /// The results, as JSON text that is the same byte for byte from run to run.
    fn results_json(&self) -> String {
        serde_json::to_string_pretty(&self.inner.results).expect("results have only JSON values")
    }

    /// The distribution of latencies: one row per class (read, write, trim, flush) and bucket that is not empty.
    #[getter]
    fn histograms(&self) -> ArrowTable {
        ArrowTable::of_buckets(self.inner.latency_buckets())
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

    /// What the relocation policy learned from, where it was kept: inputs, and what became of the block, 0 to 1.
    #[getter]
    fn samples(&self) -> Vec<([f64; INPUTS], f64)> {
        self.inner.samples.iter().map(|sample| (sample.inputs, sample.target)).collect()
    }

    /// One row for everything that lasted, where recording was asked for.
    #[getter]
    fn spans(&self) -> Option<ArrowTable> {
        self.inner.spans.as_ref().map(ArrowTable::from)
    }

    /// One row per interval of simulated time, where recording was asked for.
    #[getter]
    fn timeline(&self) -> Option<ArrowTable> {
        self.inner.timeline.as_ref().map(ArrowTable::from)
    }
}
