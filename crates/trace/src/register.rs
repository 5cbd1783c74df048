//! Whose each request of a file is, for whoever lists its devices.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The devices of a file in the order in which they are met, and that of the request that was read last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Register(Arc<Mutex<Met>>);

#[derive(Debug, Default)]
struct Met {
    names: Vec<String>,
    noun: &'static str,
    last: Option<usize>,
}

impl Register {
    /// The number of the last request's device, from 0; `None` before the first, and where the file names none.
    pub(crate) fn last(&self) -> Option<usize> {
        self.met().last
    }

    /// The names, as `--trace-device` takes them, and what the format calls a device.
    pub(crate) fn names(&self) -> (Vec<String>, &'static str) {
        let met = self.met();
        (met.names.clone(), met.noun)
    }

    /// A device that was not met before; its number.
    pub(crate) fn add(&self, name: String, noun: &'static str) -> usize {
        let mut met = self.met();
        met.noun = noun;
        met.names.push(name);
        met.names.len() - 1
    }

    /// The device of the request that is read now, by its number.
    #[inline]
    pub(crate) fn note(&self, number: usize) {
        self.met().last = Some(number);
    }

    fn met(&self) -> MutexGuard<'_, Met> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
