//! After how long pages are written again: counted over an epoch, on a sample of them.

use crate::ids::Lpn;

/// One page of so many is sampled.
const SAMPLE: u32 = 100;
/// A segment is so many units of time, in pages written.
pub(super) const UNITS_PER_SEGMENT: u32 = 4;
/// In so many units of an epoch all pages are looked at: what is written again within one unit is too soon for a
/// sample.
const CLOSE_LOOKS: u64 = 10;

/// When a page was last written, in pages of this epoch.
#[derive(Clone, Copy)]
enum LastWrite {
    Never,
    Trimmed,
    /// The first time in this epoch.
    First(u64),
    Again(u64),
}

/// Counts of intervals between two writes of a page.
pub(super) struct Intervals {
    /// Pages written in a unit of time.
    pub(super) unit: u64,
    /// Units of an epoch.
    pub(super) epoch: u64,
    /// By interval in units, how many of the sampled pages were written again after it.
    pub(super) counts: Vec<u64>,
    /// Writes before the first epoch.
    wait: u64,
    counts_now: bool,
    /// Pages written in this epoch.
    now: u64,
    last: Vec<LastWrite>,
    looks: [u64; CLOSE_LOOKS as usize],
    /// Pages written in this unit, while they are looked at, and how many were written again.
    seen: Vec<Lpn>,
    written_again: u64,
}

impl Intervals {
    /// An epoch writes the log four times.
    pub(super) fn new(log_pages: u64, segment_pages: u32, logical_pages: u32) -> Self {
        let unit = u64::from(segment_pages / UNITS_PER_SEGMENT);
        let epoch = 4 * log_pages / unit;
        Self {
            unit,
            epoch,
            counts: vec![0; epoch as usize],
            wait: 2 * u64::from(logical_pages),
            counts_now: true,
            now: 0,
            last: vec![LastWrite::Never; (logical_pages / SAMPLE) as usize],
            looks: std::array::from_fn(|at| epoch / (CLOSE_LOOKS + 1) * (at as u64 + 1)),
            seen: Vec::new(),
            written_again: 0,
        }
    }

    /// Begins an epoch.
    pub(super) fn restart(&mut self) {
        self.counts.clear();
        self.counts.resize(self.epoch as usize, 0);
        self.last.fill(LastWrite::Never);
        self.now = 0;
        self.written_again = 0;
        self.counts_now = true;
    }

    /// Whether an epoch is under way.
    pub(super) fn counts_now(&self) -> bool {
        self.counts_now
    }

    /// A page is written. Whether that ended the epoch.
    pub(super) fn write(&mut self, lpn: Lpn) -> bool {
        if !self.counts_now {
            return false;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return false;
        }
        self.now += 1;
        let unit = self.now / self.unit;
        if self.looks.contains(&unit) {
            self.look(lpn);
        }
        if unit >= self.epoch {
            self.counts_now = false;
            return true;
        }
        self.sample(lpn, LastWrite::Again(self.now));
        false
    }

    pub(super) fn trim(&mut self, lpn: Lpn) {
        if self.counts_now && self.now > 0 {
            self.sample(lpn, LastWrite::Trimmed);
        }
    }

    fn look(&mut self, lpn: Lpn) {
        if self.now.is_multiple_of(self.unit) {
            self.seen.clear();
        }
        if self.seen.contains(&lpn) {
            self.written_again += 1;
        } else {
            self.seen.push(lpn);
        }
    }

    fn sample(&mut self, lpn: Lpn, now: LastWrite) {
        let Some(last) = self.last.get_mut((lpn.0 / SAMPLE) as usize) else { return };
        if !lpn.0.is_multiple_of(SAMPLE) {
            return;
        }
        *last = match (*last, now) {
            (LastWrite::Never, LastWrite::Again(at)) => LastWrite::First(at),
            (LastWrite::Never, _) => LastWrite::Never,
            (LastWrite::Trimmed, now) => now,
            (LastWrite::First(at) | LastWrite::Again(at), now) => {
                let interval = (self.now - at) / self.unit;
                self.counts[interval.min(self.epoch - 1) as usize] += 1;
                now
            }
        };
    }

    /// Ends an epoch: corrects the counts for what a sample and an end leave out, and says their sum.
    pub(super) fn complete(&mut self) -> u64 {
        let once = self.last.iter().filter(|last| matches!(last, LastWrite::First(_))).count();
        self.counts[self.epoch as usize - 1] += once as u64;
        self.counts[0] = self.written_again * self.epoch / CLOSE_LOOKS / u64::from(SAMPLE);
        for interval in 1..self.epoch {
            let count = &mut self.counts[interval as usize];
            // At the end of an epoch an interval is under way, which is half of its length on average.
            let left = (self.epoch % interval * 2 + interval) as f64 / 2.0 / interval as f64;
            *count += (left * *count as f64 / (self.epoch as f64 / interval as f64)) as u64;
        }
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 pages, of which 0 and 100 are sampled; units of two pages, an epoch of 12 units.
    fn intervals() -> Intervals {
        let mut intervals = Intervals::new(6, 8, 200);
        assert_eq!((intervals.unit, intervals.epoch), (2, 12));
        for _ in 0..400 {
            assert!(!intervals.write(Lpn(0)), "the log is filled, and written once");
        }
        intervals
    }

    #[test]
    fn intervals_between_writes_of_sampled_pages_are_counted() {
        let mut intervals = intervals();
        let pages = [0, 1, 2, 100, 0, 3, 0, 4, 5, 6, 100];
        for page in pages {
            assert!(!intervals.write(Lpn(page)));
        }
        // Page 0 after 4 and 2 pages, page 100 after 7.
        assert_eq!(intervals.counts, [0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        intervals.trim(Lpn(100));
        intervals.trim(Lpn(100));
        assert_eq!(intervals.counts[0], 1, "a trim ends an interval, once");
        intervals.write(Lpn(100));
        intervals.write(Lpn(100));
        assert_eq!(intervals.counts[..4], [2, 1, 1, 1]);
        intervals.restart();
        intervals.write(Lpn(0));
        assert_eq!(intervals.counts, [0; 12]);
    }

    #[test]
    fn an_epoch_is_corrected_for_what_it_leaves_out() {
        let mut intervals = intervals();
        // Page 0 once; 7 twice in a unit of the close looks, each time of two pages.
        let mut over = intervals.write(Lpn(0));
        while !over {
            over = intervals.write(Lpn(7));
        }
        assert!(!intervals.counts_now());
        assert_eq!(intervals.written_again, 10, "ten units are looked at");
        intervals.counts[5] = 8;
        intervals.written_again = 100;
        let total = intervals.complete();
        // 100 of ten units are 120 of twelve, of which a hundredth is 1. Of 8 after five units, (2·2 + 5)/2/5 = 0.9 of
        // an interval more for each 12/5. Page 0 was not written again: the longest interval, and
        // (0·2 + 11 + 2)/2/11 of one for each 12/11.
        assert_eq!((intervals.counts[0], intervals.counts[5], intervals.counts[11]), (1, 11, 1));
        assert_eq!(total, 13);
        assert!(!intervals.write(Lpn(0)), "no epoch is under way");
    }
}
