//! What was made of a trace: who asks for the same while somebody has it gets that, with what is known of it.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What was made of something, by how it was made. It keeps nothing alive.
pub(crate) struct Derived<T> {
    made: Mutex<Vec<(String, Weak<T>)>>,
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self { made: Mutex::default() }
    }
}

impl<T> Derived<T> {
    /// What is made in the way of `key`: it must say all of it.
    pub(crate) fn get(&self, key: String, make: impl FnOnce() -> T) -> Arc<T> {
        let mut known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, each)| each.strong_count() > 0);
        let same = known.iter().find(|(way, _)| *way == key);
        if let Some(found) = same.and_then(|(_, found)| found.upgrade()) {
            return found;
        }
        let fresh = Arc::new(make());
        known.push((key, Arc::downgrade(&fresh)));
        fresh
    }
}

impl<T> Debug for Derived<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_any_more_is_made_anew() {
        let derived = Derived::default();
        let first = derived.get("a".to_owned(), || 1);
        assert_eq!(*derived.get("a".to_owned(), || 2), 1);
        assert_eq!(*derived.get("b".to_owned(), || 3), 3);
        drop(first);
        assert_eq!(*derived.get("a".to_owned(), || 4), 4);
    }
}
