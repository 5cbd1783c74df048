//! Translation pages that are being read, and pages of requests that wait for their entries.

use crate::flash::TranslationPages;
use crate::host::BlockedPage;
use crate::ids::Lpn;

/// Translation pages that are being read, and who waits for each.
#[derive(Debug)]
pub(super) struct TranslationReads {
    pages: Option<TranslationPages>,
    /// By the number of a translation page: its read, if there is one.
    read_of: Box<[u32]>,
    reads: Vec<Read>,
    free: Vec<u32>,
}

/// One that is being read.
#[derive(Debug, Default)]
struct Read {
    waiting: Vec<BlockedPage>,
    /// Whether the page is written afterwards.
    writes_back: bool,
}

/// A read that has ended, and is not done with.
#[derive(Debug)]
pub(super) struct Ended {
    number: u32,
    read: Read,
}

impl Ended {
    /// Who has waited, in the order in which they came.
    pub(super) fn waiting(&mut self) -> impl Iterator<Item = BlockedPage> {
        self.read.waiting.drain(..)
    }

    /// Whether the page is to be written.
    pub(super) fn writes_back(&self) -> bool {
        self.read.writes_back
    }
}

/// No read.
const NONE: u32 = u32::MAX;

impl TranslationReads {
    pub(super) fn new(pages: Option<TranslationPages>) -> Self {
        let count = pages.map_or(0, |pages| pages.count as usize);
        Self { pages, read_of: vec![NONE; count].into(), reads: Vec::new(), free: Vec::new() }
    }

    /// Whether none is being read.
    pub(super) fn are_over(&self) -> bool {
        self.reads.len() == self.free.len()
    }

    fn index(&self, page: Lpn) -> usize {
        self.pages.map_or(0, |pages| pages.index(page) as usize)
    }

    /// The read of a page that is under way.
    fn under_way(&mut self, page: Lpn) -> Option<&mut Read> {
        let read = self.read_of[self.index(page)];
        self.reads.get_mut(read as usize)
    }

    /// A page of a request waits for a page that is being read. Tells whether it is.
    pub(super) fn join(&mut self, page: Lpn, waiting: BlockedPage) -> bool {
        let read = self.under_way(page);
        read.map(|read| read.waiting.push(waiting)).is_some()
    }

    /// A page that is being read is to be written afterwards. Tells whether it is.
    pub(super) fn write_back_afterwards(&mut self, page: Lpn) -> bool {
        let read = self.under_way(page);
        read.map(|read| read.writes_back = true).is_some()
    }

    /// A read of a page begins.
    pub(super) fn begin(&mut self, page: Lpn) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.reads.push(Read::default());
            self.reads.len() as u32 - 1
        });
        let index = self.index(page);
        self.read_of[index] = number;
    }

    /// A read of a page has ended.
    pub(super) fn end(&mut self, page: Lpn) -> Ended {
        let index = self.index(page);
        let number = std::mem::replace(&mut self.read_of[index], NONE);
        Ended { number, read: std::mem::take(&mut self.reads[number as usize]) }
    }

    /// It is done with: its list is used again.
    pub(super) fn forget(&mut self, ended: Ended) {
        let Ended { number, read } = ended;
        self.reads[number as usize] = Read { writes_back: false, ..read };
        self.free.push(number);
    }
}
