//! Rust errors become the exceptions of `reclaim.errors`; the message is the whole of it.

use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;
use reclaim_sim::SimError;
use reclaim_sim::config::ConfigError;
use reclaim_trace::TraceError;

pyo3::import_exception!(reclaim.errors, InputError);
pyo3::import_exception!(reclaim.errors, SimulationError);
pyo3::import_exception!(reclaim.errors, AuditError);

/// The user gave something that cannot be used.
pub fn config(error: &ConfigError) -> PyErr {
    InputError::new_err(error.to_string())
}

/// The trace cannot be used.
pub fn trace(error: &TraceError) -> PyErr {
    InputError::new_err(error.to_string())
}

/// A run did not finish.
pub fn simulation(error: &SimError) -> PyErr {
    match error {
        SimError::Config(_)
        | SimError::Trace(_)
        | SimError::EmptyTrace(_)
        | SimError::Remap(_)
        | SimError::Snapshot(_) => InputError::new_err(error.to_string()),
        SimError::Audit(_) => AuditError::new_err(error.to_string()),
        SimError::Interrupted => PyKeyboardInterrupt::new_err(()),
    }
}

/// A defect of the simulator itself: say so, and say what helps to mend it.
pub fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    SimulationError::new_err(format!(
        "the simulator stopped on a defect of its own: {message}\n  please report it with the command and its configuration"
    ))
}
