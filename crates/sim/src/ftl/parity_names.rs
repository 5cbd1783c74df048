//! What a page of parity says of itself: which version of each page of data it is the sum of. A real page has that in
//! its spare bytes, beside the logical page and the version.

use crate::ids::{Ppn, SlotId};

const NONE: u32 = u32::MAX;

/// By page of flash, and by buffered page: the versions that it names, if it is one of parity.
#[derive(Debug, Clone)]
pub(super) struct ParityNames {
    /// Number of pages of data in a stripe: so many versions make a record; 0 stands for a page that is nowhere.
    data_pages: usize,
    records: Vec<u32>,
    free: Vec<u32>,
    of_page: Vec<u32>,
    of_slot: Vec<u32>,
}

impl ParityNames {
    /// Nothing is named on a drive with so many pages.
    pub(super) fn new(physical_pages: u32, data_pages: u32) -> Self {
        Self {
            data_pages: data_pages as usize,
            records: Vec::new(),
            free: Vec::new(),
            of_page: vec![NONE; physical_pages as usize],
            of_slot: Vec::new(),
        }
    }

    fn record(&mut self, versions: impl Iterator<Item = u32>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.records.resize(self.records.len() + self.data_pages, 0);
            (self.records.len() / self.data_pages) as u32 - 1
        });
        let first = number as usize * self.data_pages;
        for (place, version) in self.records[first..first + self.data_pages].iter_mut().zip(versions) {
            *place = version;
        }
        number
    }

    fn forget(free: &mut Vec<u32>, place: &mut u32) {
        if *place != NONE {
            free.push(std::mem::replace(place, NONE));
        }
    }

    /// A page of flash is the sum of these versions.
    pub(super) fn name_page(&mut self, ppn: Ppn, versions: impl Iterator<Item = u32>) {
        Self::forget(&mut self.free, &mut self.of_page[ppn.index()]);
        self.of_page[ppn.index()] = self.record(versions);
    }

    /// A buffered page is.
    pub(super) fn name_slot(&mut self, slot: SlotId, versions: impl Iterator<Item = u32>) {
        if self.of_slot.len() <= slot.index() {
            self.of_slot.resize(slot.index() + 1, NONE);
        }
        Self::forget(&mut self.free, &mut self.of_slot[slot.index()]);
        self.of_slot[slot.index()] = self.record(versions);
    }

    /// What a slot holds was programmed.
    pub(super) fn programmed(&mut self, ppn: Ppn, slot: SlotId) {
        Self::forget(&mut self.free, &mut self.of_page[ppn.index()]);
        if let Some(place) = self.of_slot.get_mut(slot.index()) {
            self.of_page[ppn.index()] = std::mem::replace(place, NONE);
        }
    }

    /// A page was moved, and what it names with it.
    pub(super) fn copied(&mut self, from: Ppn, to: Ppn) {
        Self::forget(&mut self.free, &mut self.of_page[to.index()]);
        let Some(named) = self.of(from) else { return };
        let named: Vec<u32> = named.to_vec();
        self.of_page[to.index()] = self.record(named.into_iter());
    }

    /// Pages were erased.
    pub(super) fn erased(&mut self, pages: std::ops::Range<u32>) {
        for place in &mut self.of_page[pages.start as usize..pages.end as usize] {
            Self::forget(&mut self.free, place);
        }
    }

    /// What a page of flash names, if it is one of parity.
    pub(super) fn of(&self, ppn: Ppn) -> Option<&[u32]> {
        let number = self.of_page[ppn.index()];
        let first = number as usize * self.data_pages;
        (number != NONE).then(|| &self.records[first..first + self.data_pages])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_with_the_data_until_the_block_is_erased() {
        let mut names = ParityNames::new(8, 3);
        names.name_slot(SlotId(1), [4, 0, 2].into_iter());
        names.programmed(Ppn(5), SlotId(1));
        names.copied(Ppn(5), Ppn(2));
        names.erased(4..8);
        assert_eq!(names.of(Ppn(5)), None);
        assert_eq!(names.of(Ppn(2)), Some(&[4, 0, 2][..]));
        names.programmed(Ppn(6), SlotId(1));
        assert_eq!(names.of(Ppn(6)), None, "a slot that is used again for data names nothing");
        names.name_page(Ppn(0), [9, 9, 9].into_iter());
        assert_eq!(names.records.len(), 6, "what was forgotten is used again");
    }
}
