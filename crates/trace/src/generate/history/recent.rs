//! Where the last requests of an operation ended.

/// Requests among which streams are looked for, as the characteristics do.
const WINDOW: usize = 32;

#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    /// The latest last, until there are [`WINDOW`]; then a ring.
    ends: Vec<u64>,
    next: usize,
}

impl Recent {
    pub(super) fn add(&mut self, end: u64) {
        if self.ends.len() < WINDOW {
            self.ends.push(end);
        } else {
            self.ends[self.next] = end;
        }
        self.next = (self.next + 1) % WINDOW;
    }

    pub(super) fn has(&self, at: u64) -> bool {
        self.ends.contains(&at)
    }

    /// All of them, the latest first.
    pub(super) fn latest_first(&self) -> impl Iterator<Item = u64> + '_ {
        let count = self.ends.len();
        (1..=count).map(move |back| self.ends[(self.next + WINDOW - back) % WINDOW])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_kept() {
        let mut recent = Recent::default();
        assert_eq!(recent.latest_first().next(), None);
        for end in 0..40 {
            recent.add(end);
            assert_eq!(recent.latest_first().next(), Some(end));
        }
        assert!(recent.has(8) && !recent.has(7));
        assert_eq!(recent.latest_first().count(), WINDOW);
    }
}
