//! Of which stream the data of every logical page is, and what was programmed of each stream's data. Kept where
//! requests name streams, whether or not the drive keeps these apart.

use super::counters::StreamCounters;
use crate::ids::Lpn;

/// Number of streams that a request can name.
pub const STREAMS: usize = u8::MAX as usize + 1;

/// The stream of every logical page, and the counters of every stream.
#[derive(Debug, Clone)]
pub struct Streams {
    /// The stream of the write of each page that was heard of last; 0 if there was none.
    of_page: Vec<u8>,
    /// The stream of the request whose pages come next.
    current: u8,
    counters: Box<[StreamCounters; STREAMS]>,
}

impl Streams {
    /// Nothing was written of so many pages; parity comes behind them and is of no stream.
    pub fn new(pages: u32) -> Self {
        Self {
            of_page: vec![0; pages as usize],
            current: 0,
            counters: Box::new([StreamCounters::default(); STREAMS]),
        }
    }

    /// Bytes of the tables for so many pages.
    pub fn bytes(pages: u32) -> u64 {
        u64::from(pages) + (STREAMS * size_of::<StreamCounters>()) as u64
    }

    /// The same data, of which nothing was counted.
    #[must_use]
    pub fn uncounted(&self) -> Self {
        let mut copy = self.clone();
        copy.reset();
        copy
    }

    /// Count afresh.
    pub fn reset(&mut self) {
        self.counters.fill(StreamCounters::default());
    }

    /// Pages that come next are of a request of this stream.
    #[inline]
    pub fn set_current(&mut self, stream: u8) {
        self.current = stream;
    }

    /// So many bytes of the request enter the write buffer.
    #[inline]
    pub fn note_host_bytes(&mut self, bytes: u64) {
        self.counters[usize::from(self.current)].host_bytes += bytes;
    }

    /// The request writes a page.
    #[inline]
    pub fn note_write(&mut self, lpn: Lpn) {
        self.of_page[lpn.index()] = self.current;
    }

    /// A page is taken for what the host has written of a logical page.
    #[inline]
    pub fn note_host_program(&mut self, lpn: Lpn) {
        self.count(lpn, |counters| counters.host_programs += 1);
    }

    /// A page is taken to move a logical page.
    #[inline]
    pub fn note_relocation(&mut self, lpn: Lpn) {
        self.count(lpn, |counters| counters.relocated_pages += 1);
    }

    fn count(&mut self, lpn: Lpn, note: impl FnOnce(&mut StreamCounters)) {
        if let Some(stream) = self.of_page.get(lpn.index()) {
            note(&mut self.counters[usize::from(*stream)]);
        }
    }

    /// The stream of a page.
    pub fn of(&self, lpn: Lpn) -> u8 {
        self.of_page[lpn.index()]
    }

    /// What was counted of each stream, by its number.
    pub fn counters(&self) -> &[StreamCounters; STREAMS] {
        &self.counters
    }

    /// The stream of every page; `None` while that is 0 of all.
    pub fn saved(&self) -> Option<&[u8]> {
        self.of_page.iter().any(|stream| *stream != 0).then_some(&self.of_page)
    }

    /// Takes up what another drive has saved. Tells whether it is one of as many pages.
    pub fn restore(&mut self, saved: Option<&[u8]>) -> bool {
        let fits = saved.is_none_or(|saved| saved.len() == self.of_page.len());
        match saved.filter(|_| fits) {
            Some(saved) => self.of_page.copy_from_slice(saved),
            None => self.of_page.fill(0),
        }
        fits
    }
}
