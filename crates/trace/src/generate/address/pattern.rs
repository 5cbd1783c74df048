//! What every address pattern is, and the stretch of addresses that most of them draw from;
//! one from which several operations take their places.

use std::sync::{Arc, Mutex, PoisonError};

/// Chooses the addresses of one operation's requests.
pub(in super::super) trait Address: Send {
    /// First byte of a request of `size_bytes`, which fits the pattern's footprint; `progress` is the share of the
    /// trace's requests made so far.
    fn next(&mut self, size_bytes: u64, progress: f64) -> u64;

    /// Let a request of `size_bytes` begin at `at`, where one of the last requests ended, if the pattern has room for
    /// it there; returns whether it has.
    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool;
}

/// A stretch of addresses and the grid on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) start: u64,
    pub(super) bytes: u64,
    pub(super) align: u64,
}

impl Region {
    /// Number of places in it where a request of this size can begin; at least the first, even where it does not fit.
    #[inline]
    pub(super) fn slots(&self, size_bytes: u64) -> u64 {
        self.bytes.saturating_sub(size_bytes) / self.align + 1
    }

    #[inline]
    pub(super) fn slot(&self, index: u64) -> u64 {
        self.start + index * self.align
    }

    pub(super) fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Whether a request that ended at `at` lay in here.
    #[inline]
    pub(super) fn ended_here(&self, at: u64) -> bool {
        self.start < at && at <= self.end()
    }

    /// Whether a request from `at` on fits in here.
    #[inline]
    pub(super) fn holds(&self, at: u64, size_bytes: u64) -> bool {
        self.start <= at && at.checked_add(size_bytes).is_some_and(|end| end <= self.end())
    }
}

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
