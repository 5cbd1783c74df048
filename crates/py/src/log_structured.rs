//! Schemes of separation in a log without bounds.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use reclaim_sim::log_structured::{Rules, Selection, Written, midas, replay};
use reclaim_sim::{Progress, SimError};

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
    spare=None, progress=None))]
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
    spare: Option<f64>,
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
    let rules =
        Rules { separation, selection, collected_apart, page_bytes, segment_pages, garbage_share, spare };
    let given = trace.inner.clone();
    counted(py, progress, move |control| replay(&rules, &given, control))
}

/// Write a trace to a bounded log by the rules of MiDAS, and say how many pages it wrote, as JSON.
///
/// `victim` is of the last group.
#[pyfunction]
#[pyo3(signature = (trace, *, victim, page_bytes, segment_pages, spare, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn replay_midas(
    py: Python<'_>,
    trace: &Trace,
    victim: &str,
    page_bytes: u32,
    segment_pages: u32,
    spare: f64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let victim = match victim {
        "fifo" => midas::Victim::Fifo,
        "greedy" => midas::Victim::Greedy,
        "cost-benefit" => midas::Victim::CostBenefit,
        other => {
            let reason = format!("victim = {other:?}: MiDAS has \"cost-benefit\", \"greedy\" and \"fifo\"");
            return Err(INPUT_ERROR.new_err(reason));
        }
    };
    let rules = midas::Rules { victim, page_bytes, segment_pages, spare };
    let given = trace.inner.clone();
    counted(py, progress, move |control| midas::replay(&rules, &given, control))
}

/// Hears how far a replay is, and may stop it.
type Control<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// Runs a replay where Python can interrupt it; what it wrote, as JSON.
fn counted(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut Control<'_>) -> Result<Written, SimError> + Send + 'static,
) -> PyResult<String> {
    let work = move |control: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)| {
        Watched::known_to_python(|| work(&mut |now| control(now.done, now.total)))
    };
    let written = watch_counted(py, work, progress)?.map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&written).expect("counts have only JSON values"))
}
