//! What a run did, window by window. Widths double as the run goes on, so that a run of any length ends with between
//! 64 and 128 windows and nothing is allocated on the way.

use super::finite;
use crate::mapping::FtlCounters;

/// Windows at which pairs are merged.
const MOST: usize = 128;

/// What the drive had done when a window ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages taken for anything else: relocated, padded and wasted.
    pub moves: u64,
    /// Blocks erased after collection and by wear levelling.
    pub erases: u64,
    /// Of the pages programmed for the host, those in blocks of the SLC cache: they take no others.
    pub cached: u64,
    /// Bytes of writes of the host.
    pub host_bytes: u64,
    /// Pages programmed, whatever for, filler among them.
    pub programmed: u64,
}

impl Mark {
    /// What has been done by now.
    pub fn of(counters: &FtlCounters) -> Self {
        Self {
            host_programs: counters.host_programs,
            moves: counters.pages_beyond_host(),
            erases: counters.erases + counters.wear_erases - counters.failed_blocks,
            cached: counters.cached_pages,
            host_bytes: counters.host_bytes,
            programmed: counters.programmed_pages(),
        }
    }

    /// Pages taken, without those of the SLC cache.
    #[inline]
    fn taken(&self) -> u64 {
        self.host_programs + self.moves - self.cached
    }

    /// Write amplification in pages between `start` and this; NaN without a host program between them.
    pub fn amplification_since(&self, start: &Self) -> f64 {
        let host = self.host_programs - start.host_programs;
        (host + self.moves - start.moves) as f64 / host as f64
    }

    /// The same in bytes: what was programmed on flash of such pages, over what the host wrote; `None` if that was
    /// nothing.
    pub fn nand_amplification_since(&self, start: &Self, page_bytes: u32) -> Option<f64> {
        let nand = (self.programmed - start.programmed) * u64::from(page_bytes);
        finite(nand as f64 / (self.host_bytes - start.host_bytes) as f64)
    }

    /// Erased pages gained (or lost) since counting began: every erase gives a block of them, every program takes one.
    pub fn free_pages_gained(&self, pages_per_block: u32) -> i64 {
        let erased = self.erases * u64::from(pages_per_block);
        erased.cast_signed() - self.taken().cast_signed()
    }
}

/// Windows of equally many host pages.
#[derive(Debug)]
pub struct Programs {
    marks: Vec<Mark>,
    width: u64,
    next: u64,
    /// Host pages up to the last one noted.
    noted: u64,
    /// Erases up to each host page, summed over the host pages.
    erases_sum: u128,
    /// Pages programmed up to each host page, summed over the host pages.
    pages_sum: u128,
}

impl Default for Programs {
    fn default() -> Self {
        let marks = Vec::with_capacity(MOST);
        Self { marks, width: 1, next: 1, noted: 0, erases_sum: 0, pages_sum: 0 }
    }
}

impl Programs {
    /// So much has been done by now.
    #[inline]
    pub fn note(&mut self, counters: &FtlCounters) {
        if counters.host_programs == self.noted {
            // Nothing to add, and no window to end: that takes a page more.
            return;
        }
        let done = Mark::of(counters);
        let pages = u128::from(done.host_programs - self.noted);
        self.noted = done.host_programs;
        self.erases_sum += pages * u128::from(done.erases);
        self.pages_sum += pages * u128::from(done.taken());
        if counters.host_programs >= self.next {
            self.end(counters);
        }
    }

    /// After `counters`, `requests` of so many pages and bytes each have been written, and nothing else was done: as
    /// [`Self::note`] after each. `counters` goes on to what has been done by then.
    pub fn note_alike(&mut self, counters: &mut FtlCounters, requests: u64, (pages, bytes): (u64, u64)) {
        let mut left = requests;
        while left > 0 {
            // Up to one that ends a window.
            let count = self.next.saturating_sub(counters.host_programs).div_ceil(pages).clamp(1, left);
            let begin = Mark::of(counters);
            let sum_of_places = u128::from(count) * u128::from(count + 1) / 2;
            self.erases_sum += u128::from(count * pages) * u128::from(begin.erases);
            self.pages_sum += u128::from(count * pages) * u128::from(begin.taken());
            self.pages_sum += u128::from(pages * pages) * sum_of_places;
            counters.host_programs += count * pages;
            counters.host_bytes += count * bytes;
            self.noted = counters.host_programs;
            if counters.host_programs >= self.next {
                self.end(counters);
            }
            left -= count;
        }
    }

    #[cold]
    fn end(&mut self, counters: &FtlCounters) {
        self.marks.push(Mark::of(counters));
        if self.marks.len() == MOST {
            let mut index = 0;
            self.marks.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.width *= 2;
        }
        self.next = counters.host_programs + self.width;
    }

    /// Windows that end at these.
    pub(crate) fn ending_at(marks: Vec<Mark>) -> Self {
        Self { marks, ..Self::default() }
    }

    /// Ends of the windows.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Erased pages gained since counting began, mean over the pages that the host wrote; NaN if it wrote none.
    pub fn mean_free_pages_gained(&self, pages_per_block: u32) -> f64 {
        let erased = self.erases_sum as f64 * f64::from(pages_per_block);
        (erased - self.pages_sum as f64) / self.noted as f64
    }
}

/// Requests in flight, in windows of equally many arrivals.
#[derive(Debug)]
pub struct InFlight {
    /// Sums over the arrivals of a window.
    sums: Vec<u64>,
    width: u64,
    sum: u64,
    count: u64,
}

impl Default for InFlight {
    fn default() -> Self {
        Self { sums: Vec::with_capacity(MOST), width: 1, sum: 0, count: 0 }
    }
}

impl InFlight {
    /// A request arrives and finds, itself included, so many in flight.
    #[inline]
    pub fn note(&mut self, in_flight: u64) {
        self.sum += in_flight;
        self.count += 1;
        if self.count == self.width {
            self.end();
        }
    }

    #[cold]
    fn end(&mut self) {
        self.sums.push(std::mem::take(&mut self.sum));
        self.count = 0;
        if self.sums.len() == MOST {
            for pair in 0..MOST / 2 {
                self.sums[pair] = self.sums[2 * pair] + self.sums[2 * pair + 1];
            }
            self.sums.truncate(MOST / 2);
            self.width *= 2;
        }
    }

    /// Windows of so many arrivals each, with these sums.
    pub(crate) fn summing_to(sums: Vec<u64>, width: u64) -> Self {
        Self { sums, width, ..Self::default() }
    }

    /// The sum over all arrivals.
    pub(crate) fn total(&self) -> u64 {
        self.sums.iter().sum::<u64>() + self.sum
    }

    /// Sums of the windows, and how many arrivals each is of.
    pub fn sums(&self) -> (&[u64], u64) {
        (&self.sums, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(host_programs: u64) -> FtlCounters {
        let gc_programs = host_programs * host_programs;
        FtlCounters { host_programs, gc_programs, erases: host_programs / 2, ..FtlCounters::default() }
    }

    /// Windows in which so many pages are noted, and where each ends.
    fn noted(pages: impl IntoIterator<Item = u64>) -> (Programs, Vec<u64>) {
        let mut windows = Programs::default();
        pages.into_iter().for_each(|page| windows.note(&counters(page)));
        let ends = windows.marks().iter().map(|mark| mark.host_programs).collect();
        (windows, ends)
    }

    #[test]
    fn a_run_of_any_length_has_up_to_128_equal_windows() {
        for (pages, count, width) in
            [(0, 0, 1), (127, 127, 1), (128, 64, 2), (1_000, 125, 8), (1_000_000, 122, 8192)]
        {
            let (windows, ends) = noted(1..=pages);
            assert_eq!(ends, (1..=count).map(|window| window * width).collect::<Vec<u64>>());
            assert!(windows.marks().iter().all(|mark| *mark == Mark::of(&counters(mark.host_programs))));
            assert_eq!(windows.marks.capacity(), MOST, "nothing is allocated on the way");
        }
        assert_eq!(noted([3, 4, 9]).1, [3, 4, 9], "a longer request makes a window of its own");
    }

    #[test]
    fn free_pages_gained_are_a_mean_over_host_pages() {
        assert!(Programs::default().mean_free_pages_gained(8).is_nan());
        // Erases of 0, 1 and 2 blocks of 8 pages, 2, 12 and 30 programs: for 1, 2 and 2 host pages.
        let (windows, _) = noted([1, 3, 5]);
        let expected = (-2.0 + 2.0 * (8.0 - 12.0) + 2.0 * (16.0 - 30.0)) / 5.0;
        assert_eq!(windows.mean_free_pages_gained(8), expected);
    }

    #[test]
    fn requests_in_flight_are_means_over_equal_windows() {
        let mut windows = InFlight::default();
        (1..=256).for_each(|level| windows.note(level));
        let expected: Vec<u64> = (0..64).map(|window| 4 * (4 * window + 1) + 6).collect();
        assert_eq!(windows.sums(), (expected.as_slice(), 4));
    }

    #[test]
    fn a_mark_knows_amplification_and_free_pages() {
        let mark = |[host_programs, moves, erases, host_bytes, programmed]: [u64; 5]| Mark {
            host_programs,
            moves,
            erases,
            host_bytes,
            programmed,
            ..Mark::default()
        };
        let (start, end) = (mark([10, 5, 1, 7, 13]), mark([30, 35, 8, 107, 63]));
        assert_eq!(end.amplification_since(&start), 2.5);
        assert_eq!(end.nand_amplification_since(&start, 8), Some(4.0));
        assert_eq!(start.nand_amplification_since(&start, 8), None);
        assert_eq!((start.free_pages_gained(8), end.free_pages_gained(8)), (-7, -1));
    }
}
