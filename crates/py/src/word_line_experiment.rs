//! The experiment of the paper on word-line-aware GC.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread;

use pyo3::prelude::*;
use reclaim_sim::word_line_experiment::{Counts, Drawing, Experiment, LEVELS, pool, run};

use crate::errors;
use crate::watch::watch_counted;

/// Choose victims from pools of blocks that are valid at random, as JSON: a row for each policy and pool.
///
/// `threads` is as many as the machine has, if not given; the rows do not depend on it. `progress`, if given, is
/// called about ten times a second with (done, total) in pools; an exception from it stops the experiment and is
/// raised.
#[pyfunction]
#[pyo3(signature = (*, blocks, pages_per_block, valid_percents, batches, weights, relocation_ns, erase_ns,
    by_page=false, seed, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn word_line_experiment(
    py: Python<'_>,
    blocks: u32,
    pages_per_block: u32,
    valid_percents: Vec<u32>,
    batches: u32,
    weights: [u32; LEVELS],
    relocation_ns: [u32; LEVELS],
    erase_ns: u32,
    by_page: bool,
    seed: u64,
    threads: Option<NonZero<usize>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let drawing = if by_page { Drawing::ByPage } else { Drawing::ByLevel };
    let experiment = Experiment {
        blocks,
        pages_per_block,
        valid_percents,
        batches,
        drawing,
        weights,
        relocation_ns,
        erase_ns,
        seed,
    };
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let work = move |control: &mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)| {
        run(&experiment, threads, control)
    };
    let rows = watch_counted(py, work, progress)?.map_err(|error| errors::simulation(&error, &[]))?;
    Ok(serde_json::to_string(&rows).expect("rows have only JSON values"))
}

/// Valid pages of every block of a pool on each level, as the experiment draws them.
#[pyfunction]
#[pyo3(signature = (*, blocks, pages_per_block, valid_percent, batch, by_page=false, seed))]
pub fn word_line_pool(
    py: Python<'_>,
    blocks: u32,
    pages_per_block: u32,
    valid_percent: u32,
    batch: u32,
    by_page: bool,
    seed: u64,
) -> PyResult<Vec<Counts>> {
    let experiment = Experiment {
        blocks,
        pages_per_block,
        valid_percents: vec![valid_percent],
        batches: 1,
        drawing: if by_page { Drawing::ByPage } else { Drawing::ByLevel },
        weights: [0; LEVELS],
        relocation_ns: [0; LEVELS],
        erase_ns: 0,
        seed,
    };
    py.detach(|| pool(&experiment, valid_percent, batch)).map_err(|error| errors::simulation(&error, &[]))
}
