//! Which pages are hot: those that were written again sooner than the segments of hot data are collected.

use crate::ids::Lpn;

/// A page that counts so much is hot; nothing counts more.
const HOT: u8 = 3;

/// What is known of the hot group over a while.
#[derive(Clone, Copy)]
pub(super) struct HotGroup {
    /// Share of all writes.
    pub(super) traffic: f64,
    /// Share of its pages that are valid when they are collected.
    pub(super) valid: f64,
    /// How many segments it has.
    pub(super) segments: f64,
}

pub(super) struct HotFilter {
    counts: Vec<u8>,
    /// How old segments of hot data become, in pages written.
    age: u64,
    /// Pages replaced until that is looked at anew.
    left: u64,
    /// Events before anything counts.
    cold: u64,
    victims: f64,
    ages_of_victims: f64,
    valid_of_victims: f64,
    writes: f64,
    hot_writes: f64,
}

impl HotFilter {
    pub(super) fn new(logical_pages: u32) -> Self {
        Self {
            counts: vec![0; logical_pages as usize],
            age: u64::from(logical_pages),
            left: u64::from(logical_pages),
            cold: u64::from(logical_pages),
            victims: 0.0,
            ages_of_victims: 0.0,
            valid_of_victims: 0.0,
            writes: 0.0,
            hot_writes: 0.0,
        }
    }

    /// A page is written: is it hot?
    pub(super) fn is_hot(&mut self, lpn: Lpn) -> bool {
        let hot = self.counts[lpn.index()] >= HOT;
        self.writes += 1.0;
        self.hot_writes += f64::from(u8::from(hot));
        hot
    }

    /// A segment of hot data of this age was collected.
    pub(super) fn collected(&mut self, age: u64, valid_share: f64) {
        self.victims += 1.0;
        self.ages_of_victims += age as f64;
        self.valid_of_victims += valid_share;
    }

    /// Data of a page is replaced, in a segment of this group that was full for so long. What is now known of the
    /// hot group, if its time is up.
    pub(super) fn replaced(
        &mut self,
        lpn: Lpn,
        group: u8,
        full_for: u64,
        segments: usize,
    ) -> Option<HotGroup> {
        if self.is_cold() {
            return None;
        }
        let known = self.renew(segments);
        self.left = self.left.saturating_sub(1);
        let count = &mut self.counts[lpn.index()];
        match group {
            0 => *count = (*count + 1).min(HOT),
            1 if full_for <= self.age => *count = (*count + 1).min(HOT),
            1 => *count = count.saturating_sub(1),
            _ => {}
        }
        known
    }

    /// A page of the hot group or of the first is still valid when it is collected.
    pub(super) fn relocated(&mut self, lpn: Lpn, group: u8, segments: usize) -> Option<HotGroup> {
        if self.is_cold() {
            return None;
        }
        let known = self.renew(segments);
        let count = &mut self.counts[lpn.index()];
        *count = count.saturating_sub(if group == 0 { 2 } else { 1 });
        known
    }

    fn is_cold(&mut self) -> bool {
        let is_cold = self.cold > 0;
        self.cold = self.cold.saturating_sub(1);
        is_cold
    }

    fn renew(&mut self, segments: usize) -> Option<HotGroup> {
        if self.left > 0 || self.victims == 0.0 {
            return None;
        }
        let known = HotGroup {
            traffic: self.hot_writes / self.writes,
            valid: self.valid_of_victims / self.victims,
            segments: segments as f64,
        };
        let (before, now) = (self.age as f64, self.ages_of_victims / self.victims);
        self.age = if before == 0.0 {
            now
        } else if now >= before * 2.0 {
            before * 1.5
        } else {
            f64::midpoint(now, before)
        } as u64;
        self.left = self.age.saturating_sub(1);
        (self.victims, self.ages_of_victims, self.valid_of_victims) = (0.0, 0.0, 0.0);
        (self.writes, self.hot_writes) = (0.0, 0.0);
        (known.traffic > 0.0).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter of two pages, past the time in which nothing counts.
    fn filter() -> HotFilter {
        let mut filter = HotFilter::new(2);
        for _ in 0..2 {
            assert!(filter.replaced(Lpn(0), 0, 0, 0).is_none());
        }
        filter
    }

    #[test]
    fn a_page_replaced_three_times_in_hot_data_or_soon_is_hot() {
        let mut filter = filter();
        for (group, full_for, hot) in
            [(1, 2, false), (1, 3, false), (0, 99, false), (1, 0, false), (0, 9, true)]
        {
            filter.replaced(Lpn(1), group, full_for, 0);
            assert_eq!(filter.is_hot(Lpn(1)), hot, "{group} {full_for}: 1, 0, 1, 2, 3");
        }
        filter.replaced(Lpn(1), 2, 0, 0);
        assert!(filter.is_hot(Lpn(1)), "other groups say nothing");
        filter.relocated(Lpn(1), 1, 0);
        assert!(!filter.is_hot(Lpn(1)));
        assert!(!filter.is_hot(Lpn(0)));
    }

    #[test]
    fn what_is_known_of_the_hot_group_is_taken_anew_after_its_age() {
        let mut filter = filter();
        for _ in 0..3 {
            assert!(filter.replaced(Lpn(0), 0, 0, 5).is_none(), "no hot segment was collected yet");
        }
        assert!(filter.is_hot(Lpn(0)));
        assert!(!filter.is_hot(Lpn(1)));
        filter.collected(3, 0.25);
        let known = filter.relocated(Lpn(0), 0, 5).expect("two pages were replaced");
        assert_eq!((known.traffic, known.valid, known.segments), (0.5, 0.25, 5.0));
        // From 2 and 3.
        assert_eq!((filter.age, filter.left), (2, 1));
        filter.collected(100, 0.0);
        assert!(filter.replaced(Lpn(0), 2, 0, 5).is_none());
        assert!(filter.replaced(Lpn(0), 2, 0, 5).is_none(), "nothing hot was written since");
        assert_eq!(filter.age, 3, "at most half more");
    }
}
