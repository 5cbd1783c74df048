//! One pattern from which several operations take their places.

use std::sync::{Arc, Mutex, PoisonError};

use super::pattern::Address;

#[derive(Clone)]
pub(in super::super) struct Shared(Arc<Mutex<Box<dyn Address>>>);

impl Shared {
    pub(in super::super) fn new(pattern: Box<dyn Address>) -> Self {
        Self(Arc::new(Mutex::new(pattern)))
    }

    fn with<T>(&self, act: impl FnOnce(&mut dyn Address) -> T) -> T {
        // Operations of one trace take turns, so nobody ever waits.
        act(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }
}

impl Address for Shared {
    fn next(&mut self, size_bytes: u64, progress: f64) -> u64 {
        self.with(|address| address.next(size_bytes, progress))
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        self.with(|address| address.go_on(at, size_bytes))
    }
}
