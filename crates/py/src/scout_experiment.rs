//! How often scouts of a mesh find a way.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use reclaim_sim::scout_experiment::{Experiment, run};

use crate::errors;
use crate::watch::watch_counted;

/// Count the scouts that find a way at their first try, as JSON: `scouts`, `found`, `hops`, `shortest`, `travelled`,
/// `all_scouts`.
#[pyfunction]
#[pyo3(signature = (*, rows, columns, controllers, others, ports_tried, trials, seed))]
#[allow(clippy::too_many_arguments)]
pub fn scout_experiment(
    py: Python<'_>,
    rows: u32,
    columns: u32,
    controllers: u32,
    others: u32,
    ports_tried: u32,
    trials: u64,
    seed: u64,
) -> PyResult<String> {
    let experiment = Experiment { rows, columns, controllers, others, ports_tried, trials, seed };
    let work = move |control: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)| {
        run(&experiment, &mut |now: &reclaim_sim::Progress| control(now.done, now.total))
    };
    let counted = watch_counted(py, work, None)?.map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&counted).expect("counts have only JSON values"))
}
