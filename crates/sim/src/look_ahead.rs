//! What the next records of a trace will touch is fetched from memory before they are taken: their mapping entries
//! first, and what these point to when they are there.

use reclaim_trace::{Op, Record};

use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::ids::Lpn;

/// A record's mapping entry is fetched three times as many records before it is taken, what that points to twice as
/// many, and so many before what is kept of that block points to.
const AHEAD: usize = 8;

/// What has been fetched for the records of a batch.
pub(crate) struct LookAhead {
    /// The first pages of the records whose entries have been fetched, where they are known, by the last bits of their
    /// places in the batch: for as many records as there are from the first look at one to the last, and more.
    fetched: [Lpn; 4 * AHEAD],
}

impl LookAhead {
    pub(crate) const fn new() -> Self {
        Self { fetched: [Lpn::NONE; 4 * AHEAD] }
    }

    /// Record `next` of the batch is about to be taken. To be told of each of them, in order.
    #[inline]
    pub(crate) fn before(&mut self, next: usize, batch: &[Record], ftl: &Ftl, mapper: &AddressMapper) {
        if next == 0 {
            self.begin(batch, ftl, mapper);
        }
        self.entry(next + 3 * AHEAD, batch, ftl, mapper);
        self.places(next + 2 * AHEAD, batch, ftl, false);
        self.places(next + AHEAD, batch, ftl, true);
    }

    /// The same where nothing is written at once: what reads will look at.
    #[inline]
    pub(crate) fn before_read(next: usize, batch: &[Record], ftl: &Ftl, mapper: &AddressMapper) {
        if let Some(record) = batch.get(next + 3 * AHEAD).filter(|record| record.op == Op::Read)
            && let Some(lpn) = mapper.known(record.offset_bytes)
            && lpn.0 < ftl.map().logical_pages()
        {
            ftl.prefetch(lpn);
        }
    }

    /// The same for the first records of a batch, which nobody has looked at.
    #[cold]
    fn begin(&mut self, batch: &[Record], ftl: &Ftl, mapper: &AddressMapper) {
        (0..3 * AHEAD).for_each(|at| self.entry(at, batch, ftl, mapper));
        (0..2 * AHEAD).for_each(|at| self.places(at, batch, ftl, false));
        (0..AHEAD).for_each(|at| self.places(at, batch, ftl, true));
    }

    /// The mapping entry of the record at a place of the batch is fetched, if its page is known; which that is is kept.
    #[inline]
    fn entry(&mut self, at: usize, batch: &[Record], ftl: &Ftl, mapper: &AddressMapper) {
        let first_page = batch.get(at).and_then(|record| mapper.known(record.offset_bytes));
        let first_page = first_page.filter(|lpn| lpn.0 < ftl.map().logical_pages());
        if let Some(lpn) = first_page {
            ftl.prefetch(lpn);
        }
        self.fetched[at % (4 * AHEAD)] = first_page.unwrap_or(Lpn::NONE);
    }

    #[inline]
    fn places(&self, at: usize, batch: &[Record], ftl: &Ftl, are_here: bool) {
        let lpn = self.fetched[at % (4 * AHEAD)];
        let Some(record) = batch.get(at).filter(|_| lpn.is_some()) else { return };
        match record.op {
            Op::Write => ftl.prefetch_replaced(lpn, are_here),
            Op::Read if !are_here => ftl.prefetch_read(lpn),
            _ => {}
        }
    }
}
