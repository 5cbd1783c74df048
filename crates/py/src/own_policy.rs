//! Policies that users write in Python, as the core runs them.
//!
//! What a policy returned, and what it raised, is looked at in Python (`reclaim.policy`); here numbers pass.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{PyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple};
use reclaim_sim::Config;
use reclaim_sim::building::BuildContext;
use reclaim_sim::own::{Named, OwnPolicy, register};
use reclaim_sim::settings::PolicyChoice;
use serde_json::{Map, Value};

use crate::errors;

/// What the package does for the core.
struct Front {
    /// Makes an adapter.
    adapter: Py<PyAny>,
    /// Tells the digest of the code that a policy is in, and all its parameters.
    resolved: Py<PyAny>,
    /// Tells code that runs on a thread to end.
    end: Py<PyAny>,
}

static FRONT: PyOnceLock<Front> = PyOnceLock::new();

/// Let the core make policies in Python: `adapter(kind, function, code, params, dimensions)` gives an object with
/// `ask(numbers, columns)`, `save()`, `load(state)` and `called()`; `resolved(function, params)` the digest of its code
/// and its parameters, those that are not given as well; `end(thread, for_good)` ends what runs on the thread of that
/// number, or holds it for good. Parameters are JSON.
#[pyfunction]
pub fn use_policies(py: Python<'_>, adapter: Py<PyAny>, resolved: Py<PyAny>, end: Py<PyAny>) {
    let _ = FRONT.set(py, Front { adapter, resolved, end });
    register(make);
}

fn front(py: Python<'_>) -> PyResult<&Front> {
    FRONT.get(py).ok_or_else(|| errors::INPUT_ERROR.new_err("policies in Python need the package reclaim"))
}

/// What a thread that may run policies and who waits for it know of each other.
#[derive(Clone)]
pub struct Watched(Arc<Shared>);

struct Shared {
    /// What is noted in the calling thread of Python, such as where files of a drive are.
    context: Py<PyAny>,
    is_to_end: AtomicBool,
    is_left_behind: AtomicBool,
    /// The thread that runs policies, as Python numbers it.
    thread: Mutex<Option<u64>>,
    /// Where each policy is that was asked.
    asked: Mutex<Vec<String>>,
    /// Why the last policy could not be made, if it could not: one that was made before may have changed since.
    refused: Mutex<Option<String>>,
}

thread_local! {
    /// Who waits for the work of this thread.
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watched {
    /// Of work that the calling thread is about to hand over.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Self(Arc::new(Shared {
            context: py.import("contextvars")?.call_method0("copy_context")?.unbind(),
            is_to_end: AtomicBool::new(false),
            is_left_behind: AtomicBool::new(false),
            thread: Mutex::new(None),
            asked: Mutex::default(),
            refused: Mutex::default(),
        })))
    }

    /// Do the work; policies that it makes and asks are watched.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        WATCHED.set(Some(self.clone()));
        let done = work();
        WATCHED.set(None);
        done
    }

    /// Do work on this thread in which policies may be asked often: Python knows the thread all the while, so that an
    /// answer does not begin with making it known.
    pub fn known_to_python<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        Python::attach(|py| py.detach(work))
    }

    /// Tell the policy that runs now, and every further one, to end.
    pub fn end(&self, py: Python<'_>) {
        self.0.is_to_end.store(true, Ordering::SeqCst);
        self.tell(py, false);
    }

    /// The same; tells whether it is held for good, or no policy was there to be held.
    fn tell(&self, py: Python<'_>, for_good: bool) -> bool {
        let thread = *held(&self.0.thread);
        let (Some(thread), Ok(front)) = (thread, front(py)) else { return true };
        // What it raises is no reason to go on.
        front.end.call1(py, (thread, for_good)).and_then(|held| held.extract(py)).unwrap_or(false)
    }

    /// Nobody waits any more: what catches whatever tells it to end is held where it is. Tells whether it is.
    pub fn leave_behind(&self, py: Python<'_>) -> bool {
        self.0.is_left_behind.store(true, Ordering::SeqCst);
        self.tell(py, true)
    }

    /// Whether nobody waits any more.
    pub fn is_left_behind(&self) -> bool {
        self.0.is_left_behind.load(Ordering::SeqCst)
    }

    /// Where each policy is that was asked.
    pub fn asked(&self) -> Vec<String> {
        held(&self.0.asked).clone()
    }

    /// Why the last policy could not be made, if it could not.
    pub fn refused(&self) -> Option<String> {
        held(&self.0.refused).clone()
    }
}

/// Where each policy is that this thread has asked.
pub fn asked_here() -> Vec<String> {
    WATCHED.with_borrow(|watched| watched.as_ref().map_or_else(Vec::new, Watched::asked))
}

/// Write no backtrace where the answers of a policy led to a panic: its file and line are what helps.
pub fn keep_quiet() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_user = WATCHED.with_borrow(|each| {
            each.as_ref().is_some_and(|each| !each.asked().is_empty() || each.refused().is_some())
        });
        if !is_of_user {
            before(panic);
        }
    }));
}

/// Call into the package from whatever thread, noting that policies run on it.
fn call<T>(python: impl FnOnce(Python<'_>, Option<&Watched>) -> PyResult<T>) -> Result<T, String> {
    let watched = WATCHED.with_borrow(Clone::clone);
    let is_to_end = || watched.as_ref().is_some_and(|each| each.0.is_to_end.load(Ordering::SeqCst));
    let ended = || Err("told to end".to_owned());
    if is_to_end() {
        return ended();
    }
    let answer = Python::attach(|py| {
        if let Some(watched) = &watched {
            let mut thread = held(&watched.0.thread);
            if thread.is_none() {
                *thread = Some(py.import("threading")?.call_method0("get_ident")?.extract()?);
            }
        }
        python(py, watched.as_ref())
    });
    if is_to_end() {
        // Its answer, or what it raised, is what came of being told.
        return ended();
    }
    answer.map_err(|error| told(&error))
}

fn make(kind: &'static str, named: &Named, context: &BuildContext) -> Result<Box<dyn OwnPolicy>, String> {
    call(|py, watched| {
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
        let make = &front(py)?.adapter;
        let (code, params) = (named.code.as_deref(), json(&named.params));
        let adapter = match watched {
            // What is noted in the thread that waits, where files are looked for, holds here, too.
            Some(each) => {
                let given = (make, kind, &named.function, code, params, dimensions);
                each.0.context.call_method1(py, "run", given)?
            }
            None => make.call1(py, (kind, &named.function, code, params, dimensions))?,
        };
        let ask = adapter.getattr(py, "ask")?;
        Ok(Box::new(Own { adapter, ask, is_known: AtomicBool::new(false) }) as Box<dyn OwnPolicy>)
    })
    .inspect_err(|message| {
        WATCHED.with_borrow(|each| {
            if let Some(watched) = each {
                *held(&watched.0.refused) = Some(message.clone());
            }
        });
    })
}

fn json(params: &Map<String, Value>) -> String {
    serde_json::to_string(params).expect("names are text")
}

/// Note in a configuration which code it was made with, where that is in files of the user's, and with which
/// parameters: results of other code are results of another configuration.
pub fn note_code(config: &mut Config) -> PyResult<()> {
    let gc = &mut config.gc;
    note_code_of(&mut gc.victim)?;
    note_code_of(&mut gc.trigger)?;
    note_code_of(&mut gc.concurrency)?;
    note_code_of(&mut config.ftl.allocation)?;
    note_code_of(&mut config.ftl.separation)
}

fn note_code_of(choice: &mut PolicyChoice) -> PyResult<()> {
    if choice.kind != "python" || choice.parameters.contains_key("code") {
        return Ok(());
    }
    let function = choice.parameters.get("function").and_then(|name| name.as_str()).unwrap_or_default();
    let params = choice.parameters.get("params").and_then(|given| given.as_object()).cloned();
    let params = json(&params.unwrap_or_default());
    let (code, params): (String, String) = call(|py, watched| {
        let resolved = &front(py)?.resolved;
        match watched {
            Some(each) => each.0.context.call_method1(py, "run", (resolved, function, params))?.extract(py),
            None => resolved.call1(py, (function, params))?.extract(py),
        }
    })
    .map_err(|error| errors::INPUT_ERROR.new_err(error))?;
    choice.parameters.insert("code".to_owned(), code.into());
    let params: Map<String, Value> = serde_json::from_str(&params).expect("it is made of plain values");
    choice.parameters.remove("params");
    if !params.is_empty() {
        choice.parameters.insert("params".to_owned(), params.into());
    }
    Ok(())
}

struct Own {
    adapter: Py<PyAny>,
    /// Its method of that name, which is called most often.
    ask: Py<PyAny>,
    /// Whether who waits knows that it was asked.
    is_known: AtomicBool,
}

/// An array of NumPy for each column, read-only and its own for every call: what a policy keeps of them stays what it
/// was.
fn arrays<'py>(py: Python<'py>, columns: &[&[i64]]) -> PyResult<Bound<'py, PyTuple>> {
    let array = |column: &&[i64]| {
        let array = PyArray1::from_slice(py, column);
        // It was made here, and nobody else has it yet.
        #[allow(unsafe_code, reason = "the safe way keeps a table of all borrowed arrays, for each call")]
        unsafe {
            (*array.as_array_ptr()).fields.flags &= !NPY_ARRAY_WRITEABLE;
        }
        array
    };
    PyTuple::new(py, columns.iter().map(array))
}

impl Own {
    fn asked<T>(
        &self,
        numbers: &[i64],
        columns: &[&[i64]],
        taken: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, String> {
        call(|py, watched| {
            self.note_asked(py, watched)?;
            taken(self.ask.bind(py).call1((numbers, arrays(py, columns)?))?.as_any())
        })
    }

    fn note_asked(&self, py: Python<'_>, watched: Option<&Watched>) -> PyResult<()> {
        if self.is_known.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        if let Some(watched) = watched {
            let called: String = self.adapter.call_method0(py, "called")?.extract(py)?;
            let mut asked = held(&watched.0.asked);
            if !asked.contains(&called) {
                asked.push(called);
            }
        }
        Ok(())
    }
}

impl Drop for Own {
    /// What told it to end may have come after its last answer: that is raised here, and not in what lets go of it.
    fn drop(&mut self) {
        let ends = |watched: &Option<Watched>| {
            watched.as_ref().is_some_and(|each| each.0.is_to_end.load(Ordering::SeqCst))
        };
        if WATCHED.try_with(|each| ends(&each.borrow())).unwrap_or(false) {
            Python::attach(|py| {
                let _ = self.adapter.call_method0(py, "called");
                self.ask = py.None();
                self.adapter = py.None();
            });
        }
    }
}

impl OwnPolicy for Own {
    fn ask(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String> {
        self.asked(numbers, columns, |answer| answer.extract())
    }

    fn answers(&self, question: &str) -> bool {
        call(|py, _| self.adapter.call_method1(py, "answers", (question,))?.extract(py)).unwrap_or(false)
    }

    fn ask_further(&self, question: &str, numbers: &[i64], columns: &[&[i64]]) -> Result<i64, String> {
        call(|py, watched| {
            self.note_asked(py, watched)?;
            let columns = arrays(py, columns)?;
            self.adapter.call_method1(py, "ask_further", (question, numbers, columns))?.extract(py)
        })
    }

    fn ask_each(&self, numbers: &[i64], columns: &[&[i64]]) -> Result<Vec<u8>, String> {
        self.asked(numbers, columns, |answer| answer.extract())
    }

    fn blame(&self, answer: i64, why: &str) -> String {
        call(|py, _| self.adapter.call_method1(py, "blame", (answer, why))?.extract(py))
            .unwrap_or_else(|error| error)
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        call(|py, _| self.adapter.call_method0(py, "save")?.extract(py))
    }

    fn load(&mut self, state: &[u8]) -> bool {
        call(|py, _| self.adapter.call_method1(py, "load", (PyBytes::new(py, state),))?.extract(py))
            .unwrap_or(false)
    }
}

/// The message of an exception, which says by itself what went wrong where.
fn told(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}
