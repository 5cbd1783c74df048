//! One simulation, off the calling thread.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use reclaim_sim::gc::relocation::regression::INPUTS;
use reclaim_sim::time::SimTime;
use reclaim_sim::{Progress, RunOptions, SpanWindow};

use crate::arrow::ArrowTable;
use crate::config::Config;
use crate::errors;
use crate::memory;
use crate::own_policy::{Watched, asked_here};
use crate::trace::{Places, Trace, located};
use crate::watch::watch;

/// Simulate `trace` on `config`.
///
/// `build` is the name of this build, which is noted in a state that is saved; one of another build is refused unless
/// `accepted` has its name.
/// `workers` is how many windows of the trace (`measure.windows`) are measured at once.
/// `places` says where traces to merge are that the configuration names otherwise than by their path.
/// `progress`, if given, is called about ten times a second with (phase in words, done, total,
/// `simulated_ns`); an exception from it stops the run and is raised.
#[pyfunction]
#[pyo3(signature = (config, trace, *, places=Places::new(), audit=false, audit_every=None,
    record_requests=false, record_gc=false, record_timeline=false, record_blocks=false,
    record_spans=None, keep_samples=false,
    snapshot_in=None, snapshot_out=None, build=String::new(), accepted=Vec::new(), workers=1, progress=None))]
// Python hands over owned values, by keyword.
#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
pub fn run(
    py: Python<'_>,
    config: &Config,
    trace: &Trace,
    places: Places,
    audit: bool,
    audit_every: Option<u64>,
    record_requests: bool,
    record_gc: bool,
    record_timeline: bool,
    record_blocks: bool,
    record_spans: Option<(u64, u64)>,
    keep_samples: bool,
    snapshot_in: Option<PathBuf>,
    snapshot_out: Option<PathBuf>,
    build: String,
    accepted: Vec<String>,
    workers: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let options = RunOptions {
        audit,
        audit_every,
        chip_losses: None,
        record_requests,
        record_gc,
        record_timeline,
        record_blocks,
        keep_samples,
        one_by_one: false,
        record_spans: record_spans.map(|(from, to)| SpanWindow { from: SimTime(from), to: SimTime(to) }),
        snapshot_in,
        snapshot_out,
        build,
        accepted,
        scheme: config.scheme.clone(),
        memory_limit: memory::limit()?,
        // Code of the user's answers on the thread that asks, one question after the other.
        workers: if config.inner.has_own_policies() { 1 } else { workers },
    };
    let steps = located(&config.inner.trace, &places);
    let config = reclaim_sim::Config { trace: steps, ..config.inner.clone() };
    let given = trace.inner.clone();
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<Progress>>> = Arc::default();

    let (heard, told) = (Arc::clone(&stop), Arc::clone(&latest));
    let work = move || {
        let mut control = |now: &Progress| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(*now);
            if heard.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // The run makes the same of it. Traces to merge are opened anew each time, so that none of that can be shared.
        let mut made = None;
        if config.trace.merge.is_empty() {
            made = config.trace.apply(&given, config.seed).ok();
        }
        let mut simulate = || reclaim_sim::simulate(&config, &given, &options, &mut control);
        let outcome = if config.has_own_policies() { Watched::known_to_python(simulate) } else { simulate() };
        ((outcome, made), asked_here())
    };
    let tick = |_: Python<'_>| {
        let Some(callback) = progress else { return Ok(()) };
        // A policy of the user's may take longer for an answer than a tick: who waits is told what was known before.
        let now = *latest.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(now) = now else { return Ok(()) };
        callback.call1((now.to_string(), now.done, now.total, now.simulated_ns)).map(|_| ())
    };
    let ((outcome, made), asked) = watch(py, work, tick, || stop.store(true, Ordering::Relaxed))?;
    let inner = outcome.map_err(|error| errors::simulation(&error, &asked))?;
    if let Some(made) = made.filter(|made| !made.is(&trace.inner)) {
        trace.keep(made);
    }
    Ok(Outcome { inner })
}

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

    /// What blocks held at some moments, one row per block that has changed, where recording was asked for.
    #[getter]
    fn block_frames(&self) -> Option<ArrowTable> {
        self.inner.block_frames.as_ref().map(ArrowTable::from)
    }

    /// One row per interval of simulated time, where recording was asked for.
    #[getter]
    fn timeline(&self) -> Option<ArrowTable> {
        self.inner.timeline.as_ref().map(ArrowTable::from)
    }
}
