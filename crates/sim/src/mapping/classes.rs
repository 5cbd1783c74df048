//! Which class the data of every logical page is of, where a drive keeps classes in blocks of their own; and what is
//! known of those blocks.

use serde::{Deserialize, Serialize};

use crate::ids::{BlockId, Lpn};

/// The class of every logical page, and what it follows from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Classes {
    of_page: Vec<u8>,
    /// When each page was written last, in pages that the host has written, modulo 2^32; 0 if never. Empty where nobody
    /// asks.
    written: Vec<u32>,
    /// Number of pages that the host has written.
    now: u32,
    /// The class of the pages that each block was opened for. Empty where nobody asks, as what follows.
    of_block: Vec<u8>,
    /// How many pages the host had written when each block was opened.
    opened: Vec<u32>,
    /// The stream of the request whose pages come next.
    #[serde(skip)]
    stream: u8,
    /// How many pages that request has, if none of them was heard of yet; else 0.
    #[serde(skip)]
    begins: u32,
}

/// What is known of a page that the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWrite {
    /// The page that is written.
    pub lpn: Lpn,
    /// The stream of its request.
    pub stream: u8,
    /// The class of what it replaces.
    pub class: u8,
    /// Number of pages that the host has written since it wrote this one, which counts; `None` if it never did, or
    /// where nobody asks.
    pub since_last: Option<u32>,
    /// Number of valid pages of the whole drive.
    pub valid_pages: u64,
}

/// What is known of a page that collection relocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageMove {
    /// The page that is relocated.
    pub lpn: Lpn,
    /// The class of what the host has written last of it.
    pub class: u8,
    /// Number of pages that the host has written since it wrote this one; `None` if it never did, or where nobody asks.
    pub age: Option<u32>,
    /// The class of its block: that of the host's pages it was opened for; those of relocated pages come behind. 0
    /// where nobody asks.
    pub block_class: u8,
}

/// The class of a block that was open or full before anything was known of it.
pub const UNKNOWN_CLASS: u8 = u8::MAX;

impl Classes {
    /// All of so many pages are of the class of those that were never written. `timed` notes when each was written,
    /// `blocks` what each of so many was opened for.
    pub fn new(logical_pages: u32, unwritten: u8, timed: bool, blocks: Option<u32>) -> Self {
        let (count, blocks) = (logical_pages as usize, blocks.unwrap_or(0) as usize);
        Self {
            of_page: vec![unwritten; count],
            written: vec![0; if timed { count } else { 0 }],
            now: 0,
            of_block: vec![UNKNOWN_CLASS; blocks],
            opened: vec![0; blocks],
            stream: 0,
            begins: 0,
        }
    }

    /// Bytes of the tables for so many logical pages, and blocks.
    pub fn bytes(logical_pages: u32, timed: bool, blocks: Option<u32>) -> u64 {
        u64::from(logical_pages) * if timed { 5 } else { 1 } + 5 * u64::from(blocks.unwrap_or(0))
    }

    /// Pages that come next are of a request of this stream; the first of so many, or later ones (0).
    pub fn set_request(&mut self, stream: u8, begins: u32) {
        (self.stream, self.begins) = (stream, begins);
    }

    /// How many pages the request has of which the page is that is heard of now, if it is the first; else 0.
    pub fn begins(&mut self) -> u32 {
        std::mem::take(&mut self.begins)
    }

    /// The host writes a page, while so many of the drive are valid: what is known of that.
    pub fn write(&mut self, lpn: Lpn, valid_pages: u64) -> PageWrite {
        // 0 means never.
        self.now = self.now.checked_add(1).unwrap_or(1);
        let since_last = self.written.get_mut(lpn.index()).and_then(|written| {
            let last = std::mem::replace(written, self.now);
            (last != 0).then(|| self.now.wrapping_sub(last))
        });
        PageWrite { lpn, stream: self.stream, class: self.of(lpn), since_last, valid_pages }
    }

    /// Collection relocates a page out of a block, if that is known: what is known of it.
    pub fn relocate(&self, lpn: Lpn, from: Option<BlockId>) -> PageMove {
        let written = self.written.get(lpn.index()).filter(|written| **written != 0);
        let class = from.and_then(|block| self.of_block.get(block.index()));
        PageMove {
            lpn,
            class: self.of(lpn),
            age: written.map(|written| self.now.wrapping_sub(*written)),
            block_class: class.copied().unwrap_or(0),
        }
    }

    /// A block is opened for pages of a class.
    pub fn opened(&mut self, block: BlockId, class: u8) {
        if let Some(of_block) = self.of_block.get_mut(block.index()) {
            *of_block = class;
            self.opened[block.index()] = self.now;
        }
    }

    /// The class of a block, and how many pages the host has written since it was opened; `None` where that is not
    /// known.
    pub fn lived(&self, block: BlockId) -> Option<(u8, u32)> {
        let class = *self.of_block.get(block.index())?;
        (class != UNKNOWN_CLASS).then(|| (class, self.now.wrapping_sub(self.opened[block.index()])))
    }

    /// Number of pages that the host has written, modulo 2^32.
    pub fn now(&self) -> u32 {
        self.now
    }

    /// The data that the host has written last of a page is of this class.
    pub fn set(&mut self, lpn: Lpn, class: u8) {
        self.of_page[lpn.index()] = class;
    }

    /// The class of what the host has written last of a page.
    pub fn of(&self, lpn: Lpn) -> u8 {
        self.of_page[lpn.index()]
    }

    /// Whether this has been saved by a drive with tables as long as those of `other`.
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |it: &Self| [it.of_page.len(), it.written.len(), it.of_block.len(), it.opened.len()];
        lengths(self) == lengths(other)
    }
}
