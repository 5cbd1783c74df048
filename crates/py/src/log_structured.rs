//! Schemes of separation in a log without bounds.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::prelude::*;
use reclaim_sim::log_structured::{Rules, Selection, replay};

use crate::errors::{self, INPUT_ERROR};
use crate::trace::Trace;
use crate::watch::watch;

/// Write a trace to a log and say how many pages it wrote, as JSON.
///
/// `separation` has the settings of the scheme. `progress`, if given, is called about ten times a second with (done,
/// total); an exception from it stops the replay and is raised.
#[pyfunction]
#[pyo3(signature = (trace, *, separation, victim, collected_apart, page_bytes, segment_pages, garbage_share,
    progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn replay_log(
    py: Python<'_>,
    trace: &Trace,
    separation: Vec<(String, String)>,
    victim: &str,
    collected_apart: bool,
    page_bytes: u32,
    segment_pages: u32,
    garbage_share: f64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let selection = match victim {
        "greedy" => Selection::Greedy,
        "cost-benefit" => Selection::CostBenefit,
        other => {
            return Err(
                INPUT_ERROR.new_err(format!("victim = {other:?}: a log has \"greedy\" and \"cost-benefit\""))
            );
        }
    };
    let rules = Rules { separation, selection, collected_apart, page_bytes, segment_pages, garbage_share };
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<[AtomicU64; 2]> = Arc::default();
    let (heard, told) = (Arc::clone(&stop), Arc::clone(&latest));
    let given = trace.inner.clone();
    let work = move || {
        let mut control = |now: &reclaim_sim::Progress| {
            told[0].store(now.done, Ordering::Relaxed);
            told[1].store(now.total, Ordering::Relaxed);
            if heard.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        replay(&rules, &given, &mut control)
    };
    let tick = |_: Python<'_>| {
        let Some(callback) = progress else { return Ok(()) };
        let [done, total] = [0, 1].map(|at| latest[at].load(Ordering::Relaxed));
        callback.call1((done, total)).map(|_| ())
    };
    let written = watch(py, work, tick, || stop.store(true, Ordering::Relaxed))?
        .map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&written).expect("counts have only JSON values"))
}
