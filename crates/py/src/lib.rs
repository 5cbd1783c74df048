//! `reclaim._core`: the simulator as Python sees it.
//!
//! Thin on purpose: it converts arguments, runs the work on a thread of its own so that Python stays
//! responsive, and hands back JSON text and Arrow tables. Everything a user reads is in `python/reclaim`.

mod allocator;
mod arrow;
mod config;
mod errors;
mod log_structured;
mod memory;
mod own_policy;
mod regression;
mod run;
mod scout_experiment;
mod trace;
mod wa_experiment;
mod watch;
mod word_line_experiment;

/// The extension module `reclaim._core`.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::own_policy::keep_quiet();
        crate::errors::add_to(module)
    }

    #[pymodule_export]
    use super::allocator::when_memory_runs_out;
    #[pymodule_export]
    use super::arrow::ArrowTable;
    #[pymodule_export]
    use super::config::{
        Config, at_once, catalogue, meant, mistakes, preset_toml, presets, same_settings, schema,
        scheme_toml, schemes, toml_line, trace_section,
    };
    #[pymodule_export]
    use super::log_structured::{replay_log, replay_midas};
    #[pymodule_export]
    use super::memory::{memory_limit, memory_of_groups};
    #[pymodule_export]
    use super::own_policy::use_policies;
    #[pymodule_export]
    use super::regression::{scaled_model, scores, trained_model};
    #[pymodule_export]
    use super::run::{Outcome, run};
    #[pymodule_export]
    use super::scout_experiment::scout_experiment;
    #[pymodule_export]
    use super::trace::{Trace, characteristics, formats, merged_files, picture};
    #[pymodule_export]
    use super::wa_experiment::write_amplification;
    #[pymodule_export]
    use super::watch::left_behind;
    #[pymodule_export]
    use super::word_line_experiment::{word_line_experiment, word_line_pool};

    /// Version of the simulator.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The commit that it was built from; `unknown` where nobody said.
    #[pymodule_export]
    const COMMIT: &str = env!("RECLAIM_COMMIT");

    /// A digest of the sources that it was built from.
    #[pymodule_export]
    const SOURCES: &str = env!("RECLAIM_SOURCES");

    /// The format of the results files that it writes.
    #[pymodule_export]
    const RESULTS_FORMAT: u32 = reclaim_sim::results::FORMAT;

    /// The share of the user capacity above which a write buffer draws the doubt `large-write-buffer`.
    #[pymodule_export]
    const LARGE_BUFFER: f64 = reclaim_sim::results::LARGE_BUFFER;
}
