//! Long work on a thread of its own, while the calling thread keeps answering signals.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors;

/// How often the calling thread looks for Ctrl-C and reports progress.
const TICK: Duration = Duration::from_millis(100);
/// How long an interrupted worker may take to notice before it is left behind.
const GRACE: Duration = Duration::from_millis(500);

/// Run `work` without the GIL and return what it returns.
///
/// Ten times a second the calling thread attaches to Python, looks for pending signals and calls `tick`.
/// An exception from either calls `stop` (which must make `work` end soon) and is raised. Work that has no
/// way to stop, such as one validating pass over a file, is left to finish unheard.
pub fn watch<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
    stop: impl FnOnce(),
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let worker = thread::spawn(move || {
        // The receiver is gone only after an interrupt: nobody wants the value then.
        let _ = sender.send(work());
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
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => {
                let panic = worker.join().expect_err("a worker that ends without an answer has panicked");
                return Err(errors::panicked(&*panic));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals().and_then(|()| tick(py)) {
            stop();
            py.detach(move || {
                let patience = Instant::now() + GRACE;
                while !worker.is_finished() && Instant::now() < patience {
                    thread::sleep(Duration::from_millis(5));
                }
            });
            return Err(interrupt);
        }
        receiver = Some(channel);
    }
}
