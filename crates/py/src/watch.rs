//! Long work on a thread of its own, while the calling thread keeps answering signals.
//!
//! Code of users runs on such threads alone. So no signal is ever raised inside it, what it raises is its own, and it
//! can be told to end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;
use crate::own_policy::Watched;

/// How often the calling thread looks for Ctrl-C and reports progress.
const TICK: Duration = Duration::from_millis(100);
/// How long an interrupted worker may take to notice before it is left behind.
const GRACE: Duration = Duration::from_millis(400);
/// How long it may take then until it is held: it may wait for something outside of Python.
const HOLD: Duration = Duration::from_millis(200);
/// How often code of a user's is told to end meanwhile: it may have caught what told it so.
const AGAIN: Duration = Duration::from_millis(10);

/// Workers that were told to end and have not.
static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// How many workers were told to end and have not: Python must not be taken down under them.
#[pyfunction]
pub fn left_behind() -> usize {
    LEFT_BEHIND.load(Ordering::SeqCst)
}

/// Run `work` without the GIL and return what it returns.
///
/// Ten times a second the calling thread attaches to Python, looks for pending signals and calls `tick`.
/// An exception from either calls `stop` (which must make `work` end soon) and is raised; policies of the user's are
/// told to end, too. Work that has no way to stop, such as one validating pass over a file, is left to finish unheard.
pub fn watch<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
    stop: impl FnOnce(),
) -> PyResult<T> {
    let watched = Watched::new(py)?;
    let (sender, receiver) = channel();
    let seen = watched.clone();
    let worker = thread::spawn(move || {
        let work = std::panic::AssertUnwindSafe(|| seen.during(work));
        let ended = std::panic::catch_unwind(work);
        // The receiver is gone only after an interrupt: nobody wants the value then.
        let _ = sender.send(ended);
        if seen.is_left_behind() {
            LEFT_BEHIND.fetch_sub(1, Ordering::SeqCst);
        }
    });
    let mut receiver = Some(receiver);
    loop {
        // The receiver travels through the detached closure, because it may not be shared between threads.
        let channel = receiver.take().expect("put back below");
        let (channel, answer) = py.detach(move || {
            let answer = channel.recv_timeout(TICK);
            (channel, answer)
        });
        match answer {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(panic)) => return Err(errors::panicked(&*panic, &watched.asked(), watched.refused())),
            Err(RecvTimeoutError::Disconnected) => unreachable!("a worker sends what became of its work"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals().and_then(|()| tick(py)) {
            stop();
            let patience = Instant::now() + GRACE;
            while !worker.is_finished() && Instant::now() < patience {
                watched.end(py);
                py.detach(|| thread::sleep(AGAIN));
            }
            if !worker.is_finished() {
                LEFT_BEHIND.fetch_add(1, Ordering::SeqCst);
                let patience = Instant::now() + HOLD;
                while !watched.leave_behind(py) && Instant::now() < patience && !worker.is_finished() {
                    py.detach(|| thread::sleep(AGAIN));
                }
            }
            return Err(interrupt);
        }
        receiver = Some(channel);
    }
}

/// The same of work that counts what it has done, of how much, and ends when its control says so.
///
/// `progress`, if given, is called with (done, total) at every tick; an exception from it stops the work and is raised.
pub fn watch_counted<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&mut (dyn FnMut(u64, u64) -> ControlFlow<()> + Send)) -> T + Send + 'static,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let latest: Arc<[AtomicU64; 2]> = Arc::default();
    let (heard, told) = (Arc::clone(&stop), Arc::clone(&latest));
    let counted = move || {
        work(&mut |done, total| {
            told[0].store(done, Ordering::Relaxed);
            told[1].store(total, Ordering::Relaxed);
            if heard.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let tick = |_: Python<'_>| {
        let Some(callback) = progress else { return Ok(()) };
        let [done, total] = [0, 1].map(|at| latest[at].load(Ordering::Relaxed));
        callback.call1((done, total)).map(|_| ())
    };
    watch(py, counted, tick, || stop.store(true, Ordering::Relaxed))
}
