//! How many groups there should be, and how large: what a model of the log expects of each choice.
//!
//! The model knows after how long pages are written again. A page stays in a group for as long as that takes to fill
//! up; from this follows which share of each group will be valid when it is collected, and from these shares, by a
//! Markov chain, write amplification. Sizes are searched for group by group.

use super::hot_filter::HotGroup;
use super::intervals::{Intervals, UNITS_PER_SEGMENT};

/// Groups at most, the hot one included.
pub(super) const MOST: usize = 10;
/// Segments that no group but the last may take from it.
const LEAST_LAST: u32 = 50;
/// The hot group has fewer segments.
const HOT_BELOW: u32 = 30;
/// Write amplification of what was not tried.
const WORST: f64 = 10_000.0;

/// By group, from the first on; the hot group has the place before only once all is chosen.
type Sizes = [u32; MOST];
type Shares = [f64; MOST];

/// What the model is told of the log.
pub(super) struct Given<'a> {
    pub(super) intervals: &'a Intervals,
    /// Sum of their counts.
    pub(super) total: u64,
    pub(super) segment_pages: u32,
    pub(super) segments: u32,
    /// Of these, kept free.
    pub(super) free: u32,
    pub(super) mapped_pages: u32,
    /// Pages in segments of which nothing was ever replaced.
    pub(super) untouched_pages: f64,
    /// The hot group as it was measured.
    pub(super) hot: HotGroup,
}

/// A choice, by group from the hot one on.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    pub(super) sizes: Vec<usize>,
    /// Share of pages that will be valid at collection.
    pub(super) valid: Vec<f64>,
    pub(super) amplification: f64,
}

#[derive(Clone, Copy)]
struct Best {
    sizes: Sizes,
    valid: Shares,
    amplification: f64,
    groups: usize,
}

/// What became of an epoch.
pub(super) enum Outcome {
    Choice(Choice),
    /// The model knows nothing better than two groups, and is not asked again.
    Nothing,
    /// What was counted is of no use: another epoch is needed.
    Again,
}

/// What the model makes of the hot group where it is not taken as measured.
#[derive(Clone, Copy, Default)]
struct Modelled {
    traffic: f64,
    size: u32,
    /// Intervals up to so many units are hot; 0 if that is to be found.
    units: usize,
}

struct Model<'a> {
    given: Given<'a>,
    /// Whether the hot group is as it was measured, not as the model has it.
    measured: bool,
    hot: Modelled,
    // Writes and pages of the last group, of all and of the shorter-lived ones, over all choices tried so far.
    writes: u64,
    pages: f64,
    short_lived_writes: u64,
    short_lived_pages: f64,
}

/// What the model makes of an epoch.
pub(super) fn choose(given: Given<'_>) -> Outcome {
    let measured = given.hot.valid > 0.1 || given.hot.traffic < 0.15;
    let mut model = Model {
        given,
        measured,
        hot: Modelled::default(),
        writes: 0,
        pages: 0.0,
        short_lived_writes: 0,
        short_lived_pages: 0.0,
    };
    let two = if measured { model.with_measured_hot_group() } else { Some(model.with_best_hot_group()) };
    let Some((two, mut hot)) = two else { return Outcome::Again };
    let mut hot_size = hot.size;
    model.hot = Modelled { size: model.hot.size, ..hot };
    let Some(mut best) = model.add_groups(two, hot_size) else { return Outcome::Nothing };
    for _ in 0..4 {
        if !measured {
            model.resize_hot_group(&mut best, &mut hot, &mut hot_size);
        }
        model.hot.units = hot.units;
        model.resize_groups(&mut best, hot_size);
    }
    if best.groups < 2 {
        return Outcome::Nothing;
    }
    let sizes = std::iter::once(&hot.size).chain(&best.sizes[..best.groups]);
    Outcome::Choice(Choice {
        sizes: sizes.map(|size| *size as usize).collect(),
        valid: std::iter::once(0.0).chain(best.valid[..best.groups].iter().copied()).collect(),
        amplification: best.amplification,
    })
}

impl Model<'_> {
    /// The hot group as measured, and one more.
    fn with_measured_hot_group(&mut self) -> Option<(Best, Modelled)> {
        let size = self.given.hot.segments as u32;
        let mut sizes = [0; MOST];
        sizes[0] = self.given.segments - self.given.free - size;
        let valid = self.valid_shares(&mut sizes, 1, size)?;
        let amplification = self.amplification(&valid, 1);
        let hot = Modelled { size, ..self.hot };
        (amplification <= 100.0).then_some((Best { sizes, valid, amplification, groups: 1 }, hot))
    }

    /// A hot group that grows for as long as that helps, and one more.
    fn with_best_hot_group(&mut self) -> (Best, Modelled) {
        let all = self.given.segments - self.given.free;
        let mut best = Best { sizes: [0; MOST], valid: [0.0; MOST], amplification: WORST, groups: 1 };
        (best.sizes[0], best.valid[0]) = (all, 1.0);
        let mut hot = Modelled::default();
        for size in 1..HOT_BELOW {
            if size <= self.hot.size {
                continue;
            }
            let mut sizes = [0; MOST];
            sizes[0] = all - size;
            self.hot.units = 0;
            let Some(valid) = self.valid_shares(&mut sizes, 1, size) else { break };
            let amplification = self.amplification(&valid, 1);
            if amplification >= best.amplification - 0.05 || amplification.is_nan() {
                break;
            }
            best = Best { sizes, valid, amplification, groups: 1 };
            hot = self.hot;
        }
        (best, hot)
    }

    /// Takes group after group from the last one, each as large as is best. Which number of groups is best.
    fn add_groups(&mut self, two: Best, hot_size: u32) -> Option<Best> {
        let none = Best { sizes: [0; MOST], valid: [0.0; MOST], amplification: WORST, groups: 0 };
        let (mut before, mut best) = (two, None);
        let mut most = two.sizes[0].wrapping_sub(LEAST_LAST);
        for added in 0..8 {
            if before.amplification < best.map_or(100.0, |best: Best| best.amplification) {
                best = Some(before);
            }
            let (groups, last) = (added + 2, added + 1);
            let (mut found, below) = (Best { groups, ..none }, most);
            let mut sizes = before.sizes;
            sizes[last] = sizes[added];
            for size in 1..below {
                sizes[added] = size;
                sizes[last] = sizes[last].wrapping_sub(1);
                if sizes[last] == 0 {
                    break;
                }
                let Some(valid) = self.valid_shares(&mut sizes, groups, hot_size) else { continue };
                let amplification = self.amplification(&valid, groups);
                if found.amplification > amplification {
                    found = Best { sizes, valid, amplification, groups };
                    most = below - size;
                }
            }
            before = found;
        }
        if before.amplification < best.map_or(100.0, |best| best.amplification) {
            best = Some(before);
        }
        best
    }

    /// Tries all sizes of the hot group, with the others as they are.
    fn resize_hot_group(&mut self, best: &mut Best, hot: &mut Modelled, hot_size: &mut u32) {
        let last = best.groups - 1;
        let mut sizes = best.sizes;
        let room = sizes[last] + *hot_size;
        self.hot.size = 0;
        for size in 1..HOT_BELOW {
            if size <= self.hot.size {
                continue;
            }
            sizes[last] = room.wrapping_sub(size);
            self.hot.units = 0;
            let Some(valid) = self.valid_shares(&mut sizes, best.groups, size) else { break };
            let amplification = self.amplification(&valid, best.groups);
            if amplification < best.amplification {
                *best = Best { sizes, valid, amplification, groups: best.groups };
                (*hot, *hot_size) = (self.hot, size);
            }
        }
    }

    /// Tries all sizes of each group, with the others but the last as they are, and one group more.
    fn resize_groups(&mut self, best: &mut Best, hot_size: u32) {
        let (mut sizes, mut groups) = (best.sizes, best.groups);
        for group in 0..8 {
            if group < groups - 1 {
                sizes[groups - 1] = sizes[groups - 1].wrapping_add(sizes[group]);
            } else {
                sizes[group + 1] = sizes[group];
                groups += 1;
            }
            let (last, mut better) = (groups - 1, false);
            for size in 1..sizes[last].wrapping_sub(LEAST_LAST) {
                sizes[group] = size;
                sizes[last] = sizes[last].wrapping_sub(1);
                let Some(valid) = self.valid_shares(&mut sizes, groups, hot_size) else { break };
                let amplification = self.amplification(&valid, groups);
                if best.amplification > amplification {
                    *best = Best { sizes, valid, amplification, groups };
                    better = true;
                }
            }
            sizes = best.sizes;
            if !better && group + 1 >= best.groups {
                break;
            }
        }
    }

    /// Counts of the intervals between these times, in segments written.
    fn counts(&self, from: f64, to: f64) -> &[u64] {
        let counts = &self.given.intervals.counts;
        let end = units_before(to).min(counts.len());
        &counts[units_before(from).min(end)..end]
    }

    /// Which share of each group is valid when it is collected; `None` where the sizes make no sense. Where the size
    /// of the hot group is to be found, the last group has what it needs less.
    fn valid_shares(&mut self, sizes: &mut Sizes, groups: usize, hot_size: u32) -> Option<Shares> {
        let mut valid = [0.0; MOST];
        if sizes[0] == 0 {
            valid[..groups].fill(1.0);
            return Some(valid);
        }
        let (counts, unit) = (&self.given.intervals.counts, self.given.intervals.unit as f64);
        let total = self.given.total as f64;
        // Writes that ended an interval in the groups before; pages valid in them; segments written meanwhile.
        let mut ended = 0_u64;
        let mut pages_before = 0.0;
        let mut time = 0.0;
        if self.measured {
            let traffic = self.given.hot.traffic;
            let filled = f64::from(hot_size) * (1.0 / traffic) - 1.0 / traffic / 2.0;
            for count in self.counts(0.0, filled) {
                ended += count;
                pages_before += (1.0 - ended as f64 / total) * traffic * unit;
            }
            time += filled;
        } else if self.hot.units == 0 {
            for (interval, count) in counts.iter().enumerate() {
                ended += count;
                let (written, share) = (segments_in(interval + 1), ended as f64 / total);
                let size = (written * share + 0.5).floor();
                if size >= f64::from(hot_size) {
                    self.hot = Modelled { traffic: share, size: size as u32, units: interval + 1 };
                    sizes[groups - 1] = (f64::from(sizes[groups - 1]) - (size - f64::from(hot_size))) as u32;
                    time += written;
                    break;
                }
            }
            if self.hot.units == 0 {
                ended = 0;
            }
        } else {
            for count in &counts[..self.hot.units] {
                ended += count;
                pages_before += (1.0 - ended as f64 / total) * unit;
            }
            let share = ended as f64 / total;
            time += segments_in(self.hot.units);
            self.hot.size = (time * share + 0.5).floor() as u32;
            self.hot.traffic = share;
        }
        let total = self.given.total - ended;
        let first_traffic = if self.measured {
            1.0 - self.given.hot.traffic + self.given.hot.traffic * self.given.hot.valid
        } else {
            1.0 - self.hot.traffic
        };
        let epoch = self.given.intervals.epoch * self.given.intervals.unit;
        let longest = (epoch / u64::from(self.given.segment_pages)).saturating_sub(50) as f64;
        let mut ended_before = 0_u64;
        let (mut slowness, mut traffic) = (1.0 / first_traffic, first_traffic);
        for group in 0..groups - 1 {
            let filled = f64::from(sizes[group]) * slowness - slowness / 2.0;
            if filled.trunc() + time >= longest {
                return None;
            }
            let mut ended = 0;
            for count in self.counts(time, filled + time) {
                ended += count;
                let still = 1.0 - ended as f64 / total.wrapping_sub(ended_before) as f64;
                pages_before += still * traffic * unit;
            }
            valid[group] = 1.0 - ended as f64 / total.wrapping_sub(ended_before) as f64;
            ended_before += ended;
            time += filled;
            slowness *= 1.0 / valid[group];
            traffic *= valid[group];
        }
        self.look_at_the_last(time, epoch);
        valid[groups - 1] = self.valid_share_of_the_last(sizes[groups - 1], pages_before)?;
        valid[..groups].iter().all(|share| *share > 0.0 || share.is_nan()).then_some(valid)
    }

    /// Of what reaches the last group: writes and pages, and those whose intervals are below seven tenths of the mean.
    fn look_at_the_last(&mut self, time: f64, epoch: u64) {
        let counts = &self.given.intervals.counts;
        let first = units_before(time).min(counts.len());
        let late =
            || counts.iter().enumerate().skip(first).map(|(interval, count)| (segments_in(interval), *count));
        let (mut sum, mut writes) = (0_u64, 0);
        for (at, count) in late() {
            sum = (sum as f64 + count as f64 * at) as u64;
            writes += count;
        }
        let mean = sum as f64 / writes as f64;
        for (at, count) in late() {
            let pages = count as f64 / ((epoch - 50) as f64 / at);
            self.writes += count;
            self.pages += pages;
            if at <= mean * 0.7 {
                self.short_lived_writes += count;
                self.short_lived_pages += pages;
            }
        }
    }

    fn valid_share_of_the_last(&self, size: u32, pages_before: f64) -> Option<f64> {
        let (segments, in_segment) = (f64::from(self.given.segments), f64::from(self.given.segment_pages));
        // Few of them do not count.
        let untouched =
            Some(self.given.untouched_pages).filter(|pages| *pages >= segments * in_segment * 0.2);
        let untouched = untouched.unwrap_or(0.0);
        let mapped = f64::from(self.given.mapped_pages) - untouched;
        if mapped < pages_before {
            return None;
        }
        let pages = mapped - pages_before;
        let room = f64::from(size) * in_segment - untouched;
        if 1.0 - 1.0 / self.amplification_of_two_kinds(room / pages) > 1.0 {
            return None;
        }
        let correction = 1.0 + 1.0 / (2.0 * in_segment);
        let all = correction * f64::from(size) * in_segment / pages;
        Some(1.0 - 1.0 / (self.amplification_of_two_kinds(all) / correction))
    }

    /// Desnoyers' closed form of write amplification for short-lived and long-lived data apart, with so many pages of
    /// room for each of data; to 0.001. 0 where there is no room to spare.
    fn amplification_of_two_kinds(&self, room: f64) -> f64 {
        if room <= 1.0 {
            return 0.0;
        }
        let writes = self.short_lived_writes as f64 / self.writes as f64;
        let pages = self.short_lived_pages / self.pages;
        let excess = |of: f64| {
            1.0 + writes / (libm::exp(writes * room / (pages * of)) - 1.0)
                + (1.0 - writes) / (libm::exp((1.0 - writes) * room / ((1.0 - pages) * of)) - 1.0)
                - of
        };
        let mut found = 1.0;
        for (step, back) in [(1.0, 2.0), (0.1, 0.2), (0.01, 0.02), (0.001, 0.001)] {
            loop {
                let more = excess(found) > 0.0;
                found += step;
                if !more {
                    break;
                }
            }
            found -= back;
        }
        found
    }

    /// Write amplification of a log whose groups have these shares of valid pages: pages go from group to group until
    /// the shares of writes no longer change.
    fn amplification(&self, valid: &Shares, groups: usize) -> f64 {
        let (hot_traffic, hot_valid) = if self.measured {
            (self.given.hot.traffic, self.given.hot.valid)
        } else {
            (self.hot.traffic, 0.0)
        };
        let (first, last) = (2, groups + 1);
        let mut share = [0.0; MOST + 2];
        (share[0], share[1]) = (1.0, hot_valid);
        share[first..=last].copy_from_slice(&valid[..groups]);
        let all = f64::from(self.given.segments) * f64::from(self.given.segment_pages);
        let mut pages = [0.0; MOST + 2];
        (pages[0], pages[1]) = (all * 0.1, all * 0.9);
        for _ in 0..2000 {
            let before = pages;
            pages = [0.0; MOST + 2];
            for at in 0..=last {
                pages[0] += before[at] * (1.0 - share[at]);
            }
            pages[1] = before[0] * hot_traffic;
            pages[first] = before[0] * (1.0 - hot_traffic) + before[1] * share[1];
            for at in first + 1..=last {
                pages[at] = before[at - 1] * share[at - 1];
            }
            pages[last] += before[last] * share[last];
            if pages == before {
                break;
            }
        }
        let copied = if groups == 1 {
            pages[first] - pages[0] * share[1]
        } else {
            pages[first + 1..=last].iter().fold(0.0, |sum, each| sum + each) + pages[1] * share[1]
        };
        let written = f64::from(pages[0] as u32);
        (copied + written) / written
    }
}

/// Segments written in so many units of time.
fn segments_in(units: usize) -> f64 {
    units as f64 / f64::from(UNITS_PER_SEGMENT)
}

/// How many units begin before a time, in segments written.
fn units_before(time: f64) -> usize {
    (time * f64::from(UNITS_PER_SEGMENT)).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(intervals: &Intervals, hot: HotGroup) -> Model<'_> {
        let given = Given {
            intervals,
            total: intervals.counts.iter().sum(),
            segment_pages: 8,
            segments: 200,
            free: 4,
            mapped_pages: 1500,
            untouched_pages: 0.0,
            hot,
        };
        let hot = Modelled::default();
        Model {
            given,
            measured: true,
            hot,
            writes: 4,
            pages: 4.0,
            short_lived_writes: 2,
            short_lived_pages: 2.0,
        }
    }

    const NOTHING_HOT: HotGroup = HotGroup { traffic: 0.0, valid: 0.0, segments: 1.0 };

    #[test]
    fn amplification_follows_from_the_shares_of_valid_pages() {
        let intervals = Intervals::new(1600, 8, 1500);
        let of = |hot: HotGroup, valid: &[f64]| {
            let mut shares = [0.0; MOST];
            shares[..valid.len()].copy_from_slice(valid);
            model(&intervals, hot).amplification(&shares, valid.len())
        };
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 0.02, "{found}, {expected}");
        // Half of the first group is relocated, and as much again in the last.
        near(of(NOTHING_HOT, &[0.5, 0.5]), 1.0 + 0.5 + 0.5);
        near(of(NOTHING_HOT, &[0.5, 0.5, 0.0]), 1.0 + 0.5 + 0.25);
        // Three quarters are hot, of which a tenth goes to the first group.
        let hot = HotGroup { traffic: 0.75, valid: 0.1, segments: 1.0 };
        near(of(hot, &[0.5, 0.0]), 1.0 + 0.075 + (0.25 + 0.075) * 0.5);
        // Of one group the program counts what the host writes, too.
        near(of(NOTHING_HOT, &[0.5]), 3.0);
    }

    #[test]
    fn the_last_group_has_the_amplification_of_greedy() {
        let intervals = Intervals::new(1600, 8, 1500);
        let mut model = model(&intervals, NOTHING_HOT);
        // As much data as writes is short-lived: uniform writes, A = room / (room + W(-room e^-room)).
        assert!((model.amplification_of_two_kinds(1.25) - 2.692).abs() < 0.002);
        assert_eq!(model.amplification_of_two_kinds(1.0), 0.0);
        // A fifth of the data has four fifths of the writes.
        (model.short_lived_writes, model.short_lived_pages) = (8, 2.0);
        (model.writes, model.pages) = (10, 10.0);
        let skewed = model.amplification_of_two_kinds(1.25);
        assert!(skewed > 2.7, "more than if the writes were uniform: {skewed}");
    }
}
