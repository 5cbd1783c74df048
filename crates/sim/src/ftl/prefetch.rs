//! Prefetching memory before it is needed.
//!
//! The mapping tables of a large drive are far larger than any cache, so every host write and every relocated page
//! waits for memory a few times. Which pages come next is known a little ahead, though. Reading their entries all at
//! once, before any is used, lets the processor wait for them together instead of one after the other. Nothing changes
//! but the time it takes.

use std::hint::black_box;

use super::state::Ftl;
use crate::ids::{BlockId, Lpn, Ppn};
use crate::mapping::Place;

/// Pages whose entries are prefetched together: a processor can wait for about ten to sixteen places at a time.
pub const PREFETCH_BATCH: usize = 16;

impl Ftl {
    /// The pages will be read or written soon: prefetch their mapping entries and the entries of where they are.
    #[inline]
    pub fn prefetch(&self, pages: &[Lpn]) {
        let mut places = [Ppn::NONE; PREFETCH_BATCH];
        for (lpn, place) in pages.iter().zip(&mut places) {
            if let Place::Flash(ppn) = self.map.place(*lpn) {
                *place = ppn;
            }
        }
        let mut seen = 0;
        for ppn in places.iter().filter(|ppn| ppn.is_some()) {
            seen ^= self.map.owner(*ppn).0 ^ u32::from(self.map.is_valid(*ppn));
        }
        black_box(seen);
    }

    /// The pages will be written soon, without time: prefetch what that looks at.
    #[inline]
    pub fn prefetch_writes(&self, pages: &[Lpn]) {
        self.map.prefetch_writes(pages);
    }

    /// The valid pages of a block among the `PREFETCH_BATCH` from `from` on will be relocated soon: prefetch their
    /// mapping entries.
    #[inline]
    pub fn prefetch_relocations(&self, block: BlockId, from: Ppn) {
        let end = self.geometry.page(block, 0).0 + self.geometry.pages_per_block;
        let end = end.min(from.0 + PREFETCH_BATCH as u32);
        let mut seen = false;
        let mut next = from;
        while let Some(page) = self.map.next_valid(next, end) {
            seen ^= self.map.place(self.map.owner(page)) == Place::Nowhere;
            next = Ppn(page.0 + 1);
        }
        black_box(seen);
    }
}
