//! Experiments that closed forms know the answer to.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use reclaim_sim::config::GcFrontier;
use reclaim_sim::wa_experiment::{Experiment, Workload};

use crate::errors::{self, INPUT_ERROR};
use crate::watch::watch_counted;

fn workload(trims: f64, hot: Option<(f64, f64)>) -> PyResult<Workload> {
    let shares = [trims, hot.map_or(0.0, |(data, _)| data), hot.map_or(0.0, |(_, writes)| writes)];
    if let Some(wrong) = shares.iter().find(|share| !(0.0..1.0).contains(*share)) {
        return Err(INPUT_ERROR.new_err(format!("a share of {wrong}; must be from 0 to below 1")));
    }
    match hot {
        Some(_) if trims > 0.0 => Err(INPUT_ERROR.new_err("give trims or hot, not both")),
        Some((data, writes)) => Ok(Workload::HotCold { data, writes }),
        None if trims > 0.0 => Ok(Workload::Trims { share: trims }),
        None => Ok(Workload::Uniform),
    }
}

/// Measure write amplification on one plane without time, as JSON.
///
/// `hot` is (share of the data, share of the writes), `trims` the share of requests that trim. `progress`, if given,
/// is called about ten times a second with (done, total); an exception from it stops the experiment and is raised.
#[pyfunction]
#[pyo3(signature = (victim, *, d=None, shared_frontier=true, blocks, pages_per_block, spare, hot=None,
    trims=0.0, warm_up, measured, seed, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn write_amplification(
    py: Python<'_>,
    victim: String,
    d: Option<u32>,
    shared_frontier: bool,
    blocks: u32,
    pages_per_block: u32,
    spare: (u32, u32),
    hot: Option<(f64, f64)>,
    trims: f64,
    warm_up: f64,
    measured: f64,
    seed: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let experiment = Experiment {
        victim,
        d,
        frontier: if shared_frontier { GcFrontier::Shared } else { GcFrontier::Separate },
        blocks,
        pages_per_block,
        spare,
        workload: workload(trims, hot)?,
        warm_up,
        measured,
        seed,
    };
    let work = move |control: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)| {
        reclaim_sim::wa_experiment::write_amplification(&experiment, &mut |now| control(now.done, now.total))
    };
    let measured = watch_counted(py, work, progress)?.map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&measured).expect("measurements have only JSON values"))
}
