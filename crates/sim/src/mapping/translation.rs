//! Translation pages that changed entries have left behind, and what became of all of them.

use super::bits::Bits;
use crate::flash::TranslationPages;
use crate::ids::Lpn;

/// What became of the mapping, counted since the drive was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TranslationCounts {
    /// Pages of the host that were looked up.
    pub look_ups: u64,
    /// Those whose translation page was not in memory.
    pub misses: u64,
    /// Translation pages read.
    pub reads: u64,
    /// Translation pages programmed, but for those that collection moves.
    pub programs: u64,
}

/// The translation pages of a drive.
#[derive(Debug)]
pub struct Translation {
    pages: TranslationPages,
    /// Those that are to be brought up to date, in the order in which the first entry of each changed, and a bit for
    /// each.
    outdated: Vec<Lpn>,
    is_outdated: Bits,
    pub(crate) counts: TranslationCounts,
}

impl Translation {
    /// Nothing was written yet.
    pub fn new(pages: TranslationPages) -> Self {
        let counts = TranslationCounts::default();
        Self { pages, outdated: Vec::new(), is_outdated: Bits::new(pages.count), counts }
    }

    /// Which pages they are.
    #[inline]
    pub fn pages(&self) -> TranslationPages {
        self.pages
    }

    /// Those that are to be brought up to date.
    pub fn outdated(&self) -> &[Lpn] {
        &self.outdated
    }

    /// One is to be brought up to date.
    pub(crate) fn note_outdated(&mut self, page: Lpn) {
        let index = self.pages.index(page);
        if !self.is_outdated.get(index) {
            self.is_outdated.set(index);
            self.outdated.push(page);
        }
    }

    /// All that are to be brought up to date: they are, from now on.
    pub(crate) fn take_outdated(&mut self) -> Vec<Lpn> {
        for page in &self.outdated {
            self.is_outdated.clear(self.pages.index(*page));
        }
        std::mem::take(&mut self.outdated)
    }

    /// Takes up what another drive has left to do. Tells whether it can be so.
    pub(crate) fn restore_outdated(&mut self, outdated: &[Lpn]) -> bool {
        let pages = self.pages;
        let fits = outdated.iter().all(|page| pages.has(*page) && pages.index(*page) < pages.count);
        if fits {
            drop(self.take_outdated());
            for page in outdated {
                self.note_outdated(*page);
            }
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_outdated_once_until_it_is_taken() {
        let set = [
            ("ftl.mapping_cache", "pages"),
            ("ftl.mapping_cache.entry", "512B"),
            ("geometry.spare_factor", "25%"),
        ];
        let config = crate::testing::config("gc-bypass-mini", &set);
        let pages = crate::flash::Geometry::new(&config).unwrap().translation.unwrap();
        let mut translation = Translation::new(pages);
        let [first, second, third] = [7, 3, pages.count - 1].map(|index| pages.page(index));
        for page in [first, second, first, third] {
            translation.note_outdated(page);
        }
        assert_eq!(translation.take_outdated(), [first, second, third]);
        translation.note_outdated(second);
        assert_eq!(translation.outdated(), [second]);
        assert!(translation.restore_outdated(&[third, first]));
        assert!(!translation.restore_outdated(&[pages.page(pages.count)]));
        assert!(!translation.restore_outdated(&[Lpn(0)]));
        assert_eq!(translation.take_outdated(), [third, first]);
        assert!(translation.outdated().is_empty());
    }
}
