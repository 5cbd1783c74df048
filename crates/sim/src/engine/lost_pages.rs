//! Pages of a lost chip, and how far their rebuild has got.

use crate::ids::Lpn;

/// What is lost, and how far its rebuild has got.
#[derive(Debug)]
pub(super) struct LostPages {
    /// The pages that were lost, by stripe: each stripe has one at most.
    pages: Vec<Lpn>,
    /// Number of them that were looked at.
    next: usize,
    /// Number of rebuilds that have not ended, and how many there may be.
    under_way: u32,
    most: u32,
    host_first: bool,
}

impl LostPages {
    /// Nothing is rebuilt yet.
    pub(super) fn new(pages: Vec<Lpn>, most: u32, host_first: bool) -> Self {
        Self { pages, next: 0, under_way: 0, most, host_first }
    }

    /// Whether a stripe is rebuilt only while its chips have nothing else to do.
    pub(super) fn host_first(&self) -> bool {
        self.host_first
    }

    /// The page that is to be rebuilt next, if one more may be; `is_lost` tells whether one still must be.
    pub(super) fn next(&mut self, is_lost: impl Fn(Lpn) -> bool) -> Option<Lpn> {
        if self.under_way == self.most {
            return None;
        }
        while self.pages.get(self.next).is_some_and(|lpn| !is_lost(*lpn)) {
            self.next += 1;
        }
        self.pages.get(self.next).copied()
    }

    /// The rebuild of that page begins.
    pub(super) fn begin_next(&mut self) {
        self.next += 1;
        self.under_way += 1;
    }

    /// The rebuild of a page has ended.
    pub(super) fn end_one(&mut self) {
        self.under_way -= 1;
    }

    /// Whether all pages are rebuilt.
    pub(super) fn is_over(&self) -> bool {
        self.under_way == 0 && self.next == self.pages.len()
    }
}
