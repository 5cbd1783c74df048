//! Policies that users write in Python, as the core runs them.
//!
//! What a policy returned, and what it raised, is looked at in Python (`reclaim.policies`); here numbers pass.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use reclaim_sim::Config;
use reclaim_sim::building::BuildContext;
use reclaim_sim::own::{Named, OwnPolicy, register};
use reclaim_sim::settings::PolicyChoice;

use crate::errors;

/// How the package makes an adapter, and how it tells the digest of the code that a policy is in.
static FRONT: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// Let the core make policies in Python: `adapter(kind, function, code, dimensions)` gives an object with `ask(numbers,
/// rows)`, `save()` and `load(state)`; `code_of(function)` the digest of its file.
#[pyfunction]
pub fn use_policies(py: Python<'_>, adapter: Py<PyAny>, code_of: Py<PyAny>) {
    let _ = FRONT.set(py, (adapter, code_of));
    register(make);
}

fn front(py: Python<'_>) -> PyResult<&(Py<PyAny>, Py<PyAny>)> {
    FRONT.get(py).ok_or_else(|| errors::INPUT_ERROR.new_err("policies in Python need the package reclaim"))
}

fn make(kind: &'static str, named: &Named, context: &BuildContext) -> Result<Box<dyn OwnPolicy>, String> {
    Python::attach(|py| {
        let geometry = &context.geometry;
        let dimensions = [
            geometry.channels,
            geometry.dies(),
            geometry.planes(),
            geometry.blocks_per_plane,
            geometry.pages_per_block,
            geometry.logical_pages,
            context.timing.by_level().len() as u32,
        ];
        let given = (kind, &named.function, named.code.as_deref(), dimensions);
        let adapter = front(py)?.0.call1(py, given)?;
        Ok(Box::new(Own { adapter }) as Box<dyn OwnPolicy>)
    })
    .map_err(|error| told(&error))
}

/// Note in a configuration which code it was made with, where that is in files of the user's: results of other code are
/// results of another configuration.
pub fn note_code(config: &mut Config) -> PyResult<()> {
    let gc = &mut config.gc;
    note_code_of(&mut gc.victim)?;
    note_code_of(&mut gc.trigger)?;
    note_code_of(&mut gc.concurrency)?;
    note_code_of(&mut config.ftl.allocation)
}

fn note_code_of(choice: &mut PolicyChoice) -> PyResult<()> {
    if choice.kind != "python" || choice.parameters.contains_key("code") {
        return Ok(());
    }
    let function = choice.parameters.get("function").and_then(|name| name.as_str()).unwrap_or_default();
    let code: String = Python::attach(|py| front(py)?.1.call1(py, (function,))?.extract(py))?;
    choice.parameters.insert("code".to_owned(), code.into());
    Ok(())
}

struct Own {
    adapter: Py<PyAny>,
}

impl OwnPolicy for Own {
    fn ask(&self, numbers: &[i64], rows: &[i64]) -> Result<i64, String> {
        Python::attach(|py| {
            // Bytes of its own for every call: what a policy keeps of them stays what it was.
            let rows = PyBytes::new(py, bytemuck::cast_slice(rows));
            self.adapter.call_method1(py, "ask", (numbers, rows))?.extract(py)
        })
        .map_err(|error| told(&error))
    }

    fn answers(&self, question: &str) -> bool {
        Python::attach(|py| self.adapter.call_method1(py, "answers", (question,))?.extract(py))
            .unwrap_or(false)
    }

    fn ask_further(&self, question: &str, numbers: &[i64], rows: &[i64]) -> Result<i64, String> {
        Python::attach(|py| {
            let rows = PyBytes::new(py, bytemuck::cast_slice(rows));
            self.adapter.call_method1(py, "ask_further", (question, numbers, rows))?.extract(py)
        })
        .map_err(|error| told(&error))
    }

    fn blame(&self, answer: i64, why: &str) -> String {
        Python::attach(|py| self.adapter.call_method1(py, "blame", (answer, why))?.extract(py))
            .unwrap_or_else(|error| told(&error))
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        Python::attach(|py| self.adapter.call_method0(py, "save")?.extract(py)).map_err(|error| told(&error))
    }

    fn load(&mut self, state: &[u8]) -> bool {
        Python::attach(|py| self.adapter.call_method1(py, "load", (PyBytes::new(py, state),))?.extract(py))
            .unwrap_or(false)
    }
}

/// The message of an exception, which says by itself what went wrong where.
fn told(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}
