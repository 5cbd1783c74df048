//! Where the last requests of an operation ended, and of which shape they were.

/// Requests among which streams are looked for, as the characteristics do.
const WINDOW: usize = 32;

#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    /// The latest last, until there are [`WINDOW`]; then a ring.
    ends: Vec<(u64, u16)>,
    next: usize,
}

impl Recent {
    pub(super) fn add(&mut self, end: u64, shape: u16) {
        if self.ends.len() < WINDOW {
            self.ends.push((end, shape));
        } else {
            self.ends[self.next] = (end, shape);
        }
        self.next = (self.next + 1) % WINDOW;
    }

    pub(super) fn has(&self, at: u64) -> bool {
        self.ends.iter().any(|each| each.0 == at)
    }

    /// The shape of the latest that ended there.
    pub(super) fn shape_at(&self, at: u64) -> Option<u16> {
        self.latest_first().find(|each| each.0 == at).map(|each| each.1)
    }

    /// All of them, the latest first.
    pub(super) fn latest_first(&self) -> impl Iterator<Item = (u64, u16)> + '_ {
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
            recent.add(end, 7);
            assert_eq!(recent.latest_first().next(), Some((end, 7)));
        }
        assert!(recent.has(8) && !recent.has(7));
        assert_eq!(recent.latest_first().count(), WINDOW);
    }
}
