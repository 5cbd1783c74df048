//! Mapping a trace's addresses to those of a drive of another size.

use reclaim_trace::FirstTouch;
use strength_reduce::StrengthReducedU64;

use crate::ids::Lpn;
use crate::settings::Remap;

/// The trace's addresses cannot be mapped to the drive's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemapError {
    /// It ends beyond the drive.
    #[error(
        "the trace reaches byte {end}, but the user capacity is {capacity} bytes; choose how to remap it: \
         --remap compact (number pages as they are first touched), --remap wrap (modulo) or --remap scale \
         (shrink), or raise the user capacity (--set geometry.user_capacity=…)"
    )]
    TooLarge {
        /// End of the trace's last byte.
        end: u64,
        /// User capacity, bytes.
        capacity: u64,
    },
    /// Its addresses are beyond reason.
    #[error(
        "the trace reaches byte {end}; addresses beyond {limit} cannot be compacted: check the unit of its \
         offsets, or use --remap wrap or --remap scale"
    )]
    Far {
        /// End of the trace's last byte.
        end: u64,
        /// Where compaction ends.
        limit: u64,
    },
    /// Even its touched pages are more than the drive has.
    #[error(
        "the trace touches more than the {pages} pages of the user capacity, so it cannot be compacted; \
         use --remap wrap or --remap scale, or a larger drive"
    )]
    Footprint {
        /// User capacity, pages.
        pages: u32,
    },
}

/// Turns page numbers of the trace into those of the drive.
#[derive(Debug, Clone)]
pub struct AddressMapper {
    remap: Remap,
    page_bytes: u64,
    /// The same, to divide by quickly.
    by_page: StrengthReducedU64,
    drive_pages: u32,
    trace_pages: u64,
    /// Compact: the drive's page of each trace page.
    numbers: FirstTouch,
}

impl AddressMapper {
    /// A mapper for a trace that ends at `end_bytes`.
    ///
    /// # Errors
    /// When the trace is larger than the drive and `remap` is `none`.
    pub fn new(remap: Remap, end_bytes: u64, page_bytes: u32, drive_pages: u32) -> Result<Self, RemapError> {
        let page_bytes = u64::from(page_bytes);
        let capacity = u64::from(drive_pages) * page_bytes;
        if remap == Remap::None && end_bytes > capacity {
            return Err(RemapError::TooLarge { end: end_bytes, capacity });
        }
        let trace_pages = end_bytes.div_ceil(page_bytes).max(1);
        if remap == Remap::Compact && trace_pages > FirstTouch::FARTHEST {
            return Err(RemapError::Far { end: end_bytes, limit: FirstTouch::FARTHEST * page_bytes });
        }
        Ok(Self {
            remap,
            page_bytes,
            by_page: StrengthReducedU64::new(page_bytes),
            drive_pages,
            trace_pages,
            numbers: FirstTouch::default(),
        })
    }

    /// The same before any page had its place.
    #[must_use]
    pub fn untouched(&self) -> Self {
        Self { numbers: FirstTouch::default(), ..*self }
    }

    /// The first page and the number of pages a byte range touches.
    pub fn pages(&self, offset_bytes: u64, size_bytes: u64) -> (u64, u64) {
        let first = offset_bytes / self.by_page;
        // A request has at least one byte.
        let last = (offset_bytes + size_bytes).saturating_sub(1) / self.by_page;
        (first, last + 1 - first)
    }

    /// The first page and the number of pages a byte range covers wholly.
    pub fn whole_pages(&self, offset_bytes: u64, size_bytes: u64) -> (u64, u64) {
        let first = offset_bytes.div_ceil(self.page_bytes);
        let end = (offset_bytes + size_bytes) / self.page_bytes;
        (first, end.saturating_sub(first))
    }

    /// Bytes of page `page` that the range covers.
    pub fn covered(&self, page: u64, offset_bytes: u64, size_bytes: u64) -> u32 {
        let begin = (page * self.page_bytes).max(offset_bytes);
        let end = ((page + 1) * self.page_bytes).min(offset_bytes + size_bytes);
        (end - begin) as u32
    }

    /// Whether so many different pages all have places, and different ones.
    pub fn keeps_apart(&self, pages: u64) -> bool {
        let asked = if self.remap == Remap::Compact { pages } else { self.trace_pages };
        asked <= u64::from(self.drive_pages)
    }

    /// The drive's page for a page that is read or written.
    ///
    /// # Errors
    /// When compaction runs out of pages.
    #[inline]
    pub fn place(&mut self, page: u64) -> Result<Lpn, RemapError> {
        if self.remap == Remap::None {
            return Ok(Lpn(page as u32));
        }
        self.place_elsewhere(page)
    }

    fn place_elsewhere(&mut self, page: u64) -> Result<Lpn, RemapError> {
        if self.remap != Remap::Compact {
            return Ok(self.fixed(page));
        }
        let number = self.numbers.touch(page, self.drive_pages);
        number.map(Lpn).ok_or(RemapError::Footprint { pages: self.drive_pages })
    }

    /// Calls `each` with every drive page that a trimmed range of trace pages has, leaving out what was never
    /// touched.
    pub fn for_touched(&self, first: u64, count: u64, mut each: impl FnMut(Lpn)) {
        if count == 0 {
            return;
        }
        if self.remap != Remap::Compact {
            if self.remap == Remap::Wrap && count >= u64::from(self.drive_pages) {
                (0..self.drive_pages).for_each(|page| each(Lpn(page)));
            } else if self.remap == Remap::Scale {
                let last = self.fixed(first + count - 1);
                (self.fixed(first).0..=last.0).for_each(|page| each(Lpn(page)));
            } else {
                (first..first + count).for_each(|page| each(self.fixed(page)));
            }
            return;
        }
        let end = (first + count).min(self.trace_pages);
        self.numbers.touched(first, end).for_each(|(_, number)| each(Lpn(number)));
    }

    /// The drive's page for the page at a place of the trace, if that is known without asking for a new one.
    #[inline]
    pub fn known(&self, offset_bytes: u64) -> Option<Lpn> {
        let page = offset_bytes / self.by_page;
        if self.remap != Remap::Compact {
            return Some(self.fixed(page));
        }
        self.numbers.known(page).map(Lpn)
    }

    /// Whether trace pages are the drive's pages.
    pub fn is_identity(&self) -> bool {
        self.remap == Remap::None
    }

    fn fixed(&self, page: u64) -> Lpn {
        let pages = u64::from(self.drive_pages);
        Lpn(match self.remap {
            Remap::Wrap => page % pages,
            Remap::Scale if self.trace_pages > pages => {
                (u128::from(page) * u128::from(pages) / u128::from(self.trace_pages)) as u64
            }
            _ => page,
        } as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_numbers_pages_as_they_are_touched() {
        let mut mapper = AddressMapper::new(Remap::Compact, 1 << 30, 4096, 3).unwrap();
        assert_eq!([99_999, 5, 99_999].map(|page| mapper.place(page)), [0, 1, 0].map(|page| Ok(Lpn(page))));
        let mut trimmed = Vec::new();
        mapper.for_touched(0, 1 << 18, |lpn| trimmed.push(lpn));
        assert_eq!(trimmed, [Lpn(1), Lpn(0)]);
        assert_eq!(mapper.place(6), Ok(Lpn(2)));
        assert_eq!(mapper.place(7), Err(RemapError::Footprint { pages: 3 }));
    }

    #[test]
    fn wrap_and_scale_map_every_page_inside() {
        let mut wrapped = AddressMapper::new(Remap::Wrap, 100 * 4096, 4096, 30).unwrap();
        assert_eq!(wrapped.place(31), Ok(Lpn(1)));
        let mut scale = AddressMapper::new(Remap::Scale, 100 * 4096, 4096, 50).unwrap();
        assert_eq!(scale.place(99), Ok(Lpn(49)));
        assert_eq!(scale.place(0), Ok(Lpn(0)));
    }

    /// Where the drive's pages of a trimmed range of the trace are; wrapped around, each is told of once for each page
    /// of the trace, but not more often than there are pages.
    #[test]
    fn trims_reach_the_pages_of_their_range_and_no_other() {
        let trimmed = |remap, first, count| {
            let trace_pages = if remap == Remap::None { 50 } else { 100 };
            let mapper = AddressMapper::new(remap, trace_pages * 4096, 4096, 50).unwrap();
            let mut pages = Vec::new();
            mapper.for_touched(first, count, |lpn| pages.push(lpn.0));
            pages
        };
        for remap in [Remap::None, Remap::Wrap, Remap::Scale, Remap::Compact] {
            assert!(trimmed(remap, 10, 0).is_empty());
        }
        assert_eq!(trimmed(Remap::None, 10, 3), [10, 11, 12]);
        assert_eq!(trimmed(Remap::Wrap, 48, 4), [48, 49, 0, 1]);
        assert_eq!(trimmed(Remap::Wrap, 48, 49).len(), 49);
        assert_eq!(trimmed(Remap::Wrap, 48, 50), (0..50).collect::<Vec<_>>());
        assert_eq!(trimmed(Remap::Wrap, 0, 100), (0..50).collect::<Vec<_>>());
        // Page p of the trace is page p / 2 of the drive.
        assert_eq!(trimmed(Remap::Scale, 10, 10), [5, 6, 7, 8, 9]);
        assert_eq!(trimmed(Remap::Scale, 11, 2), [5, 6]);
        assert_eq!(trimmed(Remap::Scale, 99, 1), [49]);
        assert!(trimmed(Remap::Compact, 0, 100).is_empty(), "nothing was touched");
    }

    #[test]
    fn a_trace_larger_than_the_drive_is_refused_with_the_ways_out() {
        let error = AddressMapper::new(Remap::None, 8193, 4096, 2).unwrap_err().to_string();
        assert!(error.contains("reaches byte 8193") && error.contains("8192 bytes"), "{error}");
        assert!(error.contains("--remap compact"), "{error}");
    }

    #[test]
    fn ranges_in_pages() {
        let mapper = AddressMapper::new(Remap::None, 4096 * 10, 4096, 10).unwrap();
        assert_eq!(mapper.pages(512, 4096), (0, 2));
        assert_eq!(mapper.whole_pages(512, 4096), (1, 0));
        assert_eq!(mapper.whole_pages(512, 8192), (1, 1));
        assert_eq!(mapper.covered(0, 512, 4096), 3584);
        assert_eq!(mapper.covered(1, 512, 4096), 512);
    }
}
