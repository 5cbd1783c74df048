//! Schemes of separation in a log without bounds.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use reclaim_sim::log_structured::{Rules, Selection, replay};

use crate::errors::{self, INPUT_ERROR};
use crate::own_policy::Watched;
use crate::trace::Trace;
use crate::watch::watch_counted;

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
    let given = trace.inner.clone();
    let work = move |control: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)| {
        Watched::known_to_python(|| replay(&rules, &given, &mut |now| control(now.done, now.total)))
    };
    let written = watch_counted(py, work, progress)?.map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&written).expect("counts have only JSON values"))
}
