//! Rust errors become Python exceptions; the message is the whole of it.
//!
//! The classes are made here and `reclaim.errors` hands them on: the extension needs nothing of the package that
//! imports it.

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use reclaim_sim::SimError;
use reclaim_sim::config::ConfigError;
use reclaim_sim::own::Fault;
use reclaim_trace::TraceError;

/// An exception class, made when it is first needed.
pub struct Exception {
    name: &'static str,
    about: &'static str,
    bases: for<'py> fn(Python<'py>) -> PyResult<Vec<Bound<'py, PyType>>>,
    class: PyOnceLock<Py<PyType>>,
}

impl Exception {
    const fn new(
        name: &'static str,
        about: &'static str,
        bases: for<'py> fn(Python<'py>) -> PyResult<Vec<Bound<'py, PyType>>>,
    ) -> Self {
        Self { name, about, bases, class: PyOnceLock::new() }
    }

    fn class<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        let made = self.class.get_or_try_init(py, || {
            let namespace = PyDict::new(py);
            // Where users find it; nothing is imported from there.
            namespace.set_item("__module__", "reclaim.errors")?;
            namespace.set_item("__doc__", self.about)?;
            let bases = PyTuple::new(py, (self.bases)(py)?)?;
            let class = py.get_type::<PyType>().call1((self.name, bases, namespace))?;
            Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    /// An exception of this class with a message.
    pub fn new_err(&self, message: impl Into<String>) -> PyErr {
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class, (message.into(),)),
            Err(error) => error,
        })
    }
}

/// Base of everything Reclaim raises on purpose.
static RECLAIM_ERROR: Exception =
    Exception::new("ReclaimError", "Base of everything Reclaim raises on purpose.", |py| {
        Ok(vec![py.get_type::<PyException>()])
    });

/// Something given by the user cannot be used.
pub static INPUT_ERROR: Exception = Exception::new(
    "InputError",
    "Something given by the user cannot be used: a setting, a file, a trace line (exit code 2).\n\n\
     The message names the file, line, key or value, says what is valid, and suggests a correction.",
    |py| Ok(vec![RECLAIM_ERROR.class(py)?, py.get_type::<PyValueError>()]),
);

/// A simulation did not finish.
pub static SIMULATION_ERROR: Exception =
    Exception::new("SimulationError", "A simulation did not finish (exit code 1).", |py| {
        Ok(vec![RECLAIM_ERROR.class(py)?, py.get_type::<PyRuntimeError>()])
    });

/// A simulation broke one of its own invariants.
pub static AUDIT_ERROR: Exception = Exception::new(
    "AuditError",
    "A simulation broke one of its own invariants; its numbers must not be used (exit code 1).",
    |py| Ok(vec![SIMULATION_ERROR.class(py)?]),
);

/// Make all classes names of the extension module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for each in [&RECLAIM_ERROR, &INPUT_ERROR, &SIMULATION_ERROR, &AUDIT_ERROR] {
        module.add(each.name, each.class(module.py())?)?;
    }
    Ok(())
}

/// The user gave something that cannot be used.
pub fn config(error: &ConfigError) -> PyErr {
    INPUT_ERROR.new_err(error.to_string())
}

/// The trace cannot be used.
pub fn trace(error: &TraceError) -> PyErr {
    INPUT_ERROR.new_err(error.to_string())
}

/// A run did not finish; `asked` are the user's own policies that took part.
pub fn simulation(error: &SimError, asked: &[String]) -> PyErr {
    match error {
        SimError::Audit(found) if !asked.is_empty() => INPUT_ERROR.new_err(after_answers(asked, found)),
        SimError::Config(_)
        | SimError::Trace(_)
        | SimError::EmptyTrace(_)
        | SimError::Remap(_)
        | SimError::Snapshot(_) => INPUT_ERROR.new_err(error.to_string()),
        SimError::Audit(_) => AUDIT_ERROR.new_err(error.to_string()),
        SimError::Interrupted => PyKeyboardInterrupt::new_err(()),
    }
}

/// What a policy of the user's did wrong, or a defect of the simulator itself: say so, and say what helps to mend it.
/// `asked` are the user's own policies that took part; `refused` says why one could not be made.
pub fn panicked(panic: &(dyn std::any::Any + Send), asked: &[String], refused: Option<String>) -> PyErr {
    if let Some(message) = refused {
        return INPUT_ERROR.new_err(message);
    }
    if let Some(Fault(message)) = panic.downcast_ref() {
        return INPUT_ERROR.new_err(message.clone());
    }
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    if !asked.is_empty() {
        return INPUT_ERROR.new_err(after_answers(asked, message));
    }
    SIMULATION_ERROR.new_err(format!(
        "the simulator stopped on a defect of its own: {message}\n  \
         please report it with the command and its configuration"
    ))
}

/// Each answer was one of those that can be, and together they led where no drive goes on.
fn after_answers(asked: &[String], what: &str) -> String {
    format!(
        "{}: the drive could not go on with the answers of this policy: {what}\n  \
         a built-in policy in its place tells whether it is to blame; if that stops, too, please report it",
        asked.join(", ")
    )
}
