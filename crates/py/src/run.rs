//! One simulation, off the calling thread.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use reclaim_sim::time::SimTime;
use reclaim_sim::{Progress, RunOptions, SpanWindow};

use crate::config::Config;
use crate::errors;
use crate::memory;
use crate::outcome::Outcome;
use crate::own_policy::asked_here;
use crate::trace::{Places, Trace, located};
use crate::watch::watch;

/// Simulate `trace` on `config`.
///
/// `build` is the name of this build, which is noted in a state that is saved; one of another build is refused unless
/// `accepted` has its name.
/// `places` says where traces to merge are that the configuration names otherwise than by their path.
/// `progress`, if given, is called about ten times a second with (phase in words, done, total,
/// `simulated_ns`); an exception from it stops the run and is raised.
#[pyfunction]
#[pyo3(signature = (config, trace, *, places=Places::new(), audit=false, audit_every=None,
    record_requests=false, record_gc=false, record_timeline=false, record_spans=None, keep_samples=false,
    snapshot_in=None, snapshot_out=None, build=String::new(), accepted=Vec::new(), progress=None))]
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
    record_spans: Option<(u64, u64)>,
    keep_samples: bool,
    snapshot_in: Option<PathBuf>,
    snapshot_out: Option<PathBuf>,
    build: String,
    accepted: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Outcome> {
    let options = RunOptions {
        audit,
        audit_every,
        chip_losses: None,
        record_requests,
        record_gc,
        record_timeline,
        keep_samples,
        record_spans: record_spans.map(|(from, to)| SpanWindow { from: SimTime(from), to: SimTime(to) }),
        snapshot_in,
        snapshot_out,
        build,
        accepted,
        scheme: config.scheme.clone(),
        memory_limit: memory::limit()?,
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
        let outcome = reclaim_sim::simulate(&config, &given, &options, &mut control);
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
