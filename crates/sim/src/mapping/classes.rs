//! Which class the data of every logical page is of, where a drive keeps classes in blocks of their own.

use serde::{Deserialize, Serialize};

use crate::ids::Lpn;

/// The class of every logical page, and what it follows from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Classes {
    of_page: Vec<u8>,
    /// When each page was written last, in pages that the host has written, modulo 2^32; 0 if never. Empty where nobody
    /// asks.
    written: Vec<u32>,
    /// Number of pages that the host has written.
    now: u32,
    /// The stream of the request whose pages come next.
    #[serde(skip)]
    stream: u8,
}

/// What is known of a page that the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWrite {
    /// The stream of its request.
    pub stream: u8,
    /// Number of pages that the host has written since it wrote this one, which counts; `None` if it never did, or
    /// where nobody asks.
    pub since_last: Option<u32>,
}

impl PageWrite {
    /// What is known of a page that was never written.
    pub const NONE: Self = Self { stream: 0, since_last: None };
}

impl Classes {
    /// All pages are of the class of those that were never written; `timed` notes when each was written.
    pub fn new(logical_pages: u32, unwritten: u8, timed: bool) -> Self {
        let count = logical_pages as usize;
        let written = vec![0; if timed { count } else { 0 }];
        Self { of_page: vec![unwritten; count], written, now: 0, stream: 0 }
    }

    /// Bytes of the tables for so many logical pages.
    pub fn bytes(logical_pages: u32, timed: bool) -> u64 {
        u64::from(logical_pages) * if timed { 5 } else { 1 }
    }

    /// Pages that come next are of a request of this stream.
    pub fn set_stream(&mut self, stream: u8) {
        self.stream = stream;
    }

    /// The host writes a page: what is known of that.
    pub fn write(&mut self, lpn: Lpn) -> PageWrite {
        // 0 means never.
        self.now = self.now.checked_add(1).unwrap_or(1);
        let since_last = self.written.get_mut(lpn.index()).and_then(|written| {
            let last = std::mem::replace(written, self.now);
            (last != 0).then(|| self.now.wrapping_sub(last))
        });
        PageWrite { stream: self.stream, since_last }
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
        self.of_page.len() == other.of_page.len() && self.written.len() == other.written.len()
    }
}
