//! The log: its groups of segments, their collection, and how groups are split and merged.

use std::collections::VecDeque;

use super::hot_filter::{HotFilter, HotGroup};
use super::intervals::Intervals;
use super::sizes::{Choice, Given, Outcome, choose};
use crate::ids::{Lpn, Ppn};
use crate::log_structured::{Bounds, KEPT_FREE, Written};
use crate::sim_error::SimError;

/// Numbers of groups there can be, with that of free segments.
const NUMBERS: usize = 20;
const FREE: u8 = NUMBERS as u8 - 1;

/// Where no model holds, the last queue tells segments of so many numbers of relocations apart.
const CHAIN: usize = 4;
/// Collections in a row after which groups are merged, and how often that may fail.
const TOO_MANY: u32 = 25;
const HOPELESS: u32 = 100;
/// More valid pages than the model expects: so much of all is an error of the model.
const ERROR: f64 = 0.1;
/// The hot group is what it was on average of so many looks at it.
const LOOKS_AT_HOT: usize = 10;

/// Which segment of the last group is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    /// That which was full first.
    Fifo,
    /// That with the most garbage.
    Greedy,
    /// That with the largest garbage / valid data · √(pages written since it was full).
    CostBenefit,
}

#[derive(Clone, Copy)]
struct Segment {
    group: u8,
    garbage: u32,
    /// When it was full, in pages written; `None` where that is yet to come.
    full_since: Option<u64>,
}

#[derive(Default)]
struct Group {
    /// Full segments, the oldest last.
    queue: VecDeque<usize>,
    /// Full segments above which it is collected.
    size: usize,
    /// Full segments of this number.
    full: usize,
    /// The one that is written to, and how many pages it has.
    open: Option<usize>,
    filled: usize,
}

/// What was collected of a group: shares of valid pages, and how many segments.
#[derive(Clone, Copy, Default)]
struct Collected {
    valid: f64,
    segments: f64,
}

pub(super) struct Log {
    victim: Victim,
    bounds: Bounds,
    segment_pages: usize,
    segments: Vec<Segment>,
    /// The one that is taken next last.
    free: VecDeque<usize>,
    /// By place, what was written there, and by page, where it is.
    written: Vec<Lpn>,
    at: Vec<Ppn>,
    mapped: u32,
    /// Pages written by requests that have ended, and one.
    clock: u64,
    groups: [Group; NUMBERS],
    /// Number of the last queue.
    last: usize,
    /// Whether no model holds.
    chained: bool,
    intervals: Intervals,
    hot: HotFilter,
    /// Nothing is hot while the log is being filled.
    filling: bool,
    looks_at_hot: VecDeque<HotGroup>,
    found: Option<Choice>,
    /// The choice in force.
    chosen: Choice,
    model_holds: bool,
    /// Until each group was collected under a new choice: up to which group that is so.
    settling: Option<usize>,
    /// Groups collected under it, a bit each.
    collected: u32,
    /// Whether it is compared with what happens, for how many pages, and what happened.
    watched: bool,
    watched_pages: u64,
    happened: [Collected; NUMBERS],
    /// Errors of the model in this epoch, and epochs with any in a row.
    errors: u32,
    bad_epochs: u32,
    stuck: u32,
    /// Write amplification while the log was last written once, and what was written since.
    recent: f64,
    recent_pages: u64,
    recent_copies: u64,
    pub(super) counts: Written,
}

impl Log {
    pub(super) fn new(victim: Victim, in_segment: u32, bounds: Bounds) -> Self {
        let (segments, segment_pages) = (bounds.segments as usize, in_segment as usize);
        let pages = segments * segment_pages;
        let unused = Segment { group: FREE, garbage: 0, full_since: Some(0) };
        let mut log = Self {
            segment_pages,
            segments: vec![unused; segments],
            free: (0..segments).rev().collect(),
            written: vec![Lpn::NONE; pages],
            at: vec![Ppn::NONE; bounds.pages as usize],
            mapped: 0,
            clock: 1,
            groups: std::array::from_fn(|_| Group::default()),
            last: 1,
            chained: true,
            intervals: Intervals::new(pages as u64, in_segment, bounds.pages),
            hot: HotFilter::new(bounds.pages),
            filling: true,
            looks_at_hot: VecDeque::new(),
            found: None,
            chosen: Choice::default(),
            model_holds: false,
            settling: None,
            collected: 0,
            watched: false,
            watched_pages: 0,
            happened: [Collected::default(); NUMBERS],
            errors: 0,
            bad_epochs: 0,
            stuck: 0,
            recent: 1.0,
            recent_pages: 1,
            recent_copies: 0,
            counts: Written { user_pages: 0, pages_written: 0, collections: 0 },
            victim,
            bounds,
        };
        for group in 0..=CHAIN {
            log.open(group).expect("a log has more segments than groups");
        }
        log
    }

    /// Writes every page once, before anything counts.
    pub(super) fn fill(&mut self) -> Result<(), SimError> {
        for page in 0..self.bounds.pages {
            self.write(page..page + 1)?;
        }
        self.filling = false;
        self.counts = Written { user_pages: 0, pages_written: 0, collections: 0 };
        Ok(())
    }

    /// A request writes pages.
    pub(super) fn write(&mut self, pages: std::ops::Range<u32>) -> Result<(), SimError> {
        self.begin_request();
        let count = pages.len() as u64;
        for page in pages {
            self.write_page(Lpn(page))?;
        }
        self.clock += count;
        self.recent_pages += count;
        self.counts.user_pages += count;
        self.counts.pages_written += count;
        Ok(())
    }

    /// A request trims pages.
    pub(super) fn trim(&mut self, pages: std::ops::Range<u32>) {
        self.begin_request();
        for page in pages.map(Lpn) {
            if self.invalidate(page).is_some() {
                self.at[page.index()] = Ppn::NONE;
                self.mapped -= 1;
                self.intervals.trim(page);
            }
        }
    }

    /// Every time that the log was written once, write amplification since is noted.
    fn begin_request(&mut self) {
        if self.clock % self.written.len() as u64 == 3 {
            self.recent = (self.recent_pages + self.recent_copies) as f64 / self.recent_pages as f64;
            (self.recent_pages, self.recent_copies) = (1, 0);
        }
    }

    fn write_page(&mut self, lpn: Lpn) -> Result<(), SimError> {
        match self.invalidate(lpn) {
            None => self.mapped += 1,
            Some(segment) if !self.filling => {
                let Segment { group, .. } = self.segments[segment];
                let look = self.hot.replaced(lpn, group, self.full_for(segment), self.groups[0].full);
                self.note(look);
            }
            Some(_) => {}
        }
        let group = usize::from(self.filling || !self.hot.is_hot(lpn));
        if self.groups[group].filled == self.segment_pages {
            self.seal(group);
            self.open(group)?;
        }
        self.append(lpn, group);
        if self.intervals.write(lpn) {
            self.ask_the_model();
        }
        self.apply_what_was_found()?;
        self.watch()?;
        self.make_room()
    }

    /// Pages written since a segment was full.
    fn full_for(&self, segment: usize) -> u64 {
        self.segments[segment].full_since.map_or(0, |since| self.clock - since)
    }

    /// Makes garbage of what was written of a page; the segment it is in.
    fn invalidate(&mut self, lpn: Lpn) -> Option<usize> {
        let at = self.at[lpn.index()];
        let segment = at.is_some().then(|| at.index() / self.segment_pages)?;
        self.segments[segment].garbage += 1;
        Some(segment)
    }

    fn append(&mut self, lpn: Lpn, group: usize) {
        let group = &mut self.groups[group];
        let Some(segment) = group.open else { return };
        let place = segment * self.segment_pages + group.filled;
        group.filled += 1;
        self.at[lpn.index()] = Ppn(place as u32);
        self.written[place] = lpn;
    }

    /// The queue of a group: groups behind the last share its queue, and if that is the first, hot data does, too.
    fn queue(&self, group: usize) -> usize {
        if self.last == 1 { 1 } else { group.min(self.last) }
    }

    /// The number behind the last one.
    fn numbers(&self) -> usize {
        self.last + if self.chained { CHAIN } else { 1 }
    }

    fn seal(&mut self, group: usize) {
        let Some(segment) = self.groups[group].open else { return };
        self.segments[segment].full_since = Some(self.clock);
        self.groups[group].full += 1;
        let queue = self.queue(group);
        self.groups[queue].queue.push_front(segment);
    }

    fn open(&mut self, group: usize) -> Result<usize, SimError> {
        let Some(segment) = self.free.pop_back() else { return Err(self.bounds.full()) };
        self.segments[segment].group = group as u8;
        (self.groups[group].open, self.groups[group].filled) = (Some(segment), 0);
        Ok(segment)
    }

    // ---- collection

    fn make_room(&mut self) -> Result<(), SimError> {
        for round in 1.. {
            if self.free.len() >= KEPT_FREE {
                break;
            }
            let too_large = |group: &usize| self.groups[*group].size < self.groups[*group].full;
            let group = if self.last == 1 { 1 } else { (0..self.last).find(too_large).unwrap_or(self.last) };
            self.collected |= 1 << group;
            let to = self.collect(group)?;
            if round == TOO_MANY {
                self.stuck += 1;
                return if self.stuck == HOPELESS {
                    Err(self.bounds.full())
                } else {
                    self.merge_where_stuck(to)
                };
            }
        }
        self.stuck = 0;
        self.note_what_has_settled();
        Ok(())
    }

    /// Collects a segment of a queue; where its valid pages went.
    fn collect(&mut self, queue: usize) -> Result<usize, SimError> {
        let Some(victim) = self.take_victim(queue) else { return Err(self.bounds.full()) };
        let from = usize::from(self.segments[victim].group);
        let to = (from + 1).min(self.numbers() - 1);
        if self.groups[to].open.is_none() {
            self.open(to)?;
        }
        let mut valid = 0_u32;
        for place in victim * self.segment_pages..(victim + 1) * self.segment_pages {
            if self.groups[to].filled == self.segment_pages {
                self.seal(to);
                let opened = self.open(to)?;
                self.segments[opened].full_since = None;
            }
            let lpn = self.written[place];
            if !lpn.is_some() || self.at[lpn.index()].index() != place {
                continue;
            }
            valid += 1;
            if from < 2 && !self.filling {
                let look = self.hot.relocated(lpn, from as u8, self.groups[0].full);
                self.note(look);
            }
            self.append(lpn, to);
        }
        let share = f64::from(valid) / self.segment_pages as f64;
        if from == 0 {
            self.hot.collected(self.full_for(victim), share);
        }
        if self.settling.is_none() && self.watched {
            self.happened[from].valid += share;
            self.happened[from].segments += 1.0;
        }
        self.recent_copies += u64::from(valid);
        self.counts.pages_written += u64::from(valid);
        self.counts.collections += 1;
        self.groups[from].full -= 1;
        self.erase(victim);
        Ok(to)
    }

    fn erase(&mut self, segment: usize) {
        let places = segment * self.segment_pages..(segment + 1) * self.segment_pages;
        self.written[places].fill(Lpn::NONE);
        self.segments[segment] = Segment { group: FREE, garbage: 0, full_since: None };
        self.free.push_front(segment);
    }

    /// Takes the best from a queue, which is left in the order in which candidates lost.
    fn take_victim(&mut self, queue: usize) -> Option<usize> {
        let waiting = self.groups[queue].queue.len();
        if queue != self.last || self.victim == Victim::Fifo {
            return self.groups[queue].queue.pop_back();
        }
        let mut best: Option<(usize, f64)> = None;
        for _ in 0..waiting {
            let candidate = self.groups[queue].queue.pop_back()?;
            let garbage = f64::from(self.segments[candidate].garbage);
            let valid = self.segment_pages as f64 - garbage;
            let score = match self.victim {
                Victim::CostBenefit if valid == 0.0 => f64::INFINITY,
                Victim::CostBenefit => garbage * (self.full_for(candidate) as f64).sqrt() / valid,
                _ => garbage,
            };
            let loser = if score > best.map_or(-1.0, |(_, score)| score) {
                best.replace((candidate, score)).map(|(before, _)| before)
            } else {
                Some(candidate)
            };
            if let Some(loser) = loser {
                self.groups[queue].queue.push_front(loser);
            }
            // Nothing is better than garbage alone.
            if score == f64::INFINITY {
                break;
            }
        }
        best.map(|(segment, _)| segment)
    }

    // ---- the model

    fn note(&mut self, look: Option<HotGroup>) {
        let Some(look) = look.filter(|_| self.intervals.counts_now()) else { return };
        if self.looks_at_hot.len() == LOOKS_AT_HOT {
            self.looks_at_hot.pop_front();
        }
        self.looks_at_hot.push_back(look);
    }

    fn ask_the_model(&mut self) {
        let hot = self.hot_on_average();
        let most_valid = if hot.segments > 1.0 { 0.18 } else { 0.3 };
        if hot.valid > most_valid || self.groups[self.numbers() - 1].full < 1 {
            self.intervals.epoch *= 2;
            return self.restart_epoch();
        }
        let total = self.intervals.complete();
        let given = Given {
            intervals: &self.intervals,
            total,
            segment_pages: self.segment_pages as u32,
            segments: self.bounds.segments,
            free: KEPT_FREE as u32,
            mapped_pages: self.mapped,
            untouched_pages: self.untouched_pages(),
            hot,
        };
        match choose(given) {
            Outcome::Choice(choice) => self.found = Some(choice),
            Outcome::Nothing => {}
            Outcome::Again => self.restart_epoch(),
        }
    }

    fn restart_epoch(&mut self) {
        self.intervals.restart();
        self.errors = 0;
    }

    fn hot_on_average(&mut self) -> HotGroup {
        let looks = std::mem::take(&mut self.looks_at_hot);
        if looks.is_empty() {
            return HotGroup { traffic: 0.01, valid: 0.05, segments: 1.0 };
        }
        let mean = |of: fn(&HotGroup) -> f64| looks.iter().map(of).sum::<f64>() / looks.len() as f64;
        HotGroup {
            traffic: mean(|look| look.traffic),
            valid: mean(|look| look.valid),
            // With the open one.
            segments: (mean(|look| look.segments) + 1.0 + 0.5).floor(),
        }
    }

    /// Pages of segments without garbage, but for a twentieth of those of the last groups.
    fn untouched_pages(&self) -> f64 {
        let is_untouched =
            |segment: &&Segment| usize::from(segment.group) >= self.last && segment.garbage == 0;
        let mut pages = (self.segments.iter().filter(is_untouched).count() * self.segment_pages) as f64;
        let chain = if self.chained { self.last..self.last + CHAIN } else { 0..0 };
        for group in std::iter::once(self.numbers() - 1).chain(chain) {
            pages = (pages - (self.segment_pages * self.groups[group].full) as f64 * 0.05).trunc();
        }
        pages
    }

    fn apply_what_was_found(&mut self) -> Result<(), SimError> {
        let Some(choice) = self.found.take() else { return Ok(()) };
        (self.watched, self.watched_pages) = (false, 0);
        self.happened = [Collected::default(); NUMBERS];
        let is_better = self.recent >= choice.amplification;
        self.bad_epochs = match (self.errors > 0, is_better) {
            (true, _) => self.bad_epochs + 1,
            (false, true) => 0,
            (false, false) => self.bad_epochs,
        };
        if is_better {
            if self.bad_epochs >= 2 {
                self.intervals.epoch *= 2;
            }
            self.apply(choice)?;
        }
        self.restart_epoch();
        Ok(())
    }

    fn apply(&mut self, choice: Choice) -> Result<(), SimError> {
        if self.chained {
            self.unchain();
        }
        self.settling = Some(0);
        let last = choice.sizes.len() - 1;
        while self.last > last {
            self.merge()?;
        }
        if self.last < last {
            self.split(last)?;
        }
        for (group, size) in choice.sizes.iter().enumerate() {
            self.groups[group].size = size.saturating_sub(if group == 1 { 2 } else { 1 });
            if group == self.last {
                continue;
            }
            let too_many = self.groups[group].full.saturating_sub(self.groups[group].size);
            for _ in 0..too_many {
                let Some(oldest) = self.groups[group].queue.pop_back() else { break };
                self.segments[oldest].group = self.last as u8;
                self.groups[self.last].queue.push_front(oldest);
                self.groups[self.last].full += 1;
                self.groups[group].full -= 1;
            }
        }
        self.chosen = choice;
        self.model_holds = true;
        self.collected = 0;
        Ok(())
    }

    fn note_what_has_settled(&mut self) {
        let Some(reached) = &mut self.settling else { return };
        if self.collected != 0 {
            *reached = self.last - 1;
        }
        if self.collected == (1 << (self.last + 1)) - 1 {
            (self.settling, self.watched) = (None, true);
        }
    }

    /// Compares what the model expects with what happened, and merges groups from the first on where it erred.
    fn watch(&mut self) -> Result<(), SimError> {
        self.watched_pages += u64::from(self.watched);
        if self.watched_pages as f64 <= (self.intervals.epoch * self.intervals.unit) as f64 * 0.3 {
            return Ok(());
        }
        let compared = if self.chained { self.last } else { self.last + 1 };
        let is_wrong = |group: &usize| {
            let Collected { valid, segments } = self.happened[*group];
            self.chosen.valid.get(*group).unwrap_or(&0.0) - valid / segments <= -ERROR
        };
        let wrong = (1..compared).find(is_wrong);
        self.happened = [Collected::default(); NUMBERS];
        self.watched_pages = 0;
        if let Some(wrong) = wrong {
            self.chained = true;
            while self.last > wrong {
                self.merge()?;
            }
            self.errors += u32::from(wrong <= self.chosen.sizes.len() / 2);
        }
        Ok(())
    }

    // ---- groups

    /// Collection found no room: groups are merged from that on to which it last relocated pages, or up to which
    /// a new choice has come.
    fn merge_where_stuck(&mut self, group: usize) -> Result<(), SimError> {
        self.errors += u32::from(self.model_holds && group <= self.chosen.sizes.len() / 2);
        if self.last == 1 {
            self.model_holds = false;
            return Ok(());
        }
        let first = self.settling.unwrap_or(group).min(self.last);
        while self.last != 1 && self.last + 1 != first {
            self.merge()?;
        }
        if self.settling.is_some_and(|reached| reached >= self.last) {
            (self.settling, self.watched) = (None, true);
        }
        self.chained = true;
        Ok(())
    }

    /// The last group takes in the one before it.
    fn merge(&mut self) -> Result<(), SimError> {
        let (from, to) = (self.last - 1, self.last);
        let moved = std::mem::take(&mut self.groups[from].queue);
        for segment in &moved {
            self.segments[*segment].group += 1;
        }
        self.groups[to].full += moved.len();
        self.groups[to].queue.extend(moved);
        self.merge_open(from, to)?;
        self.groups[to].size += self.groups[from].size + 1;
        for at in 0..self.groups[to].queue.len() {
            let segment = self.groups[to].queue[at];
            self.segments[segment].group -= 1;
        }
        self.groups[from].queue = std::mem::take(&mut self.groups[to].queue);
        self.groups[from].size = self.groups[to].size;
        for number in to..=to + if self.chained { CHAIN } else { 0 } {
            let Group { full, open, filled, .. } = std::mem::take(&mut self.groups[number]);
            let before = &mut self.groups[number - 1];
            (before.full, before.open, before.filled) = (full, open, filled);
            if let Some(segment) = open {
                self.segments[segment].group = number as u8 - 1;
            }
        }
        self.last -= 1;
        if self.last == 1 {
            // Hot segments are those to be collected next, the newest of them first.
            let hot: Vec<usize> = self.groups[0].queue.drain(..).rev().collect();
            self.groups[1].queue.extend(hot);
            self.groups[0].size = 0;
            (self.watched, self.watched_pages, self.model_holds) = (false, 0, false);
        }
        Ok(())
    }

    /// What is valid in the open segment of a group goes to that of another.
    fn merge_open(&mut self, from: usize, to: usize) -> Result<(), SimError> {
        let Some(segment) = self.groups[from].open.take() else { return Ok(()) };
        let filled = std::mem::take(&mut self.groups[from].filled);
        for place in segment * self.segment_pages..segment * self.segment_pages + filled {
            if self.groups[to].filled == self.segment_pages {
                self.seal(to);
                self.open(to)?;
            }
            let lpn = self.written[place];
            if self.at[lpn.index()].index() == place {
                self.append(lpn, to);
            }
        }
        self.erase(segment);
        Ok(())
    }

    /// Makes room for groups before the last, which becomes this one.
    fn split(&mut self, last: usize) -> Result<(), SimError> {
        let old = std::mem::replace(&mut self.last, last);
        self.groups[last] = std::mem::take(&mut self.groups[old]);
        for segment in self.groups[last].queue.iter().chain(&self.groups[last].open) {
            self.segments[*segment].group = last as u8;
        }
        self.groups[last].full = self.groups[last].queue.len();
        if old == 1 {
            self.open(1)?;
        }
        Ok(())
    }

    /// Ends the chain: its segments are those of the last group, its open ones count as full, half of them garbage.
    fn unchain(&mut self) {
        for number in self.last + 1..self.last + CHAIN {
            let Group { full, open, .. } = std::mem::take(&mut self.groups[number]);
            self.groups[self.last].full += full;
            if let Some(segment) = open {
                self.segments[segment] = Segment {
                    group: self.last as u8,
                    garbage: self.segment_pages as u32 / 2,
                    full_since: Some(self.clock),
                };
                self.groups[self.last].queue.push_front(segment);
                self.groups[self.last].full += 1;
            }
        }
        let queue = std::mem::take(&mut self.groups[self.last].queue);
        for segment in queue {
            let group = &mut self.segments[segment].group;
            *group = (*group).min(self.last as u8);
            // While all groups are one, hot segments are among the others.
            let group = if self.last == 1 { usize::from(*group) } else { self.last };
            self.groups[group].queue.push_back(segment);
        }
        self.chained = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 120 segments of 16 pages, an eighth more than is written.
    fn log(victim: Victim) -> Log {
        let mut log = Log::new(victim, 16, Bounds { segments: 120, pages: 1700 });
        log.fill().unwrap();
        log
    }

    /// Every page is where it was written last, and every segment in one place.
    fn check(log: &Log, mapped: &[bool]) {
        for (page, at) in log.at.iter().enumerate() {
            assert_eq!(at.is_some(), mapped[page]);
            assert!(!at.is_some() || log.written[at.index()].index() == page);
        }
        assert_eq!(log.mapped as usize, mapped.iter().filter(|mapped| **mapped).count());
        let mut places: Vec<usize> = log.free.iter().copied().collect();
        for (number, group) in log.groups.iter().enumerate() {
            assert!(group.open.is_none_or(|open| usize::from(log.segments[open].group) == number));
            places.extend(group.queue.iter().chain(&group.open));
            let of_group = log.groups.iter().flat_map(|group| &group.queue);
            let full = of_group.filter(|segment| usize::from(log.segments[**segment].group) == number);
            assert_eq!(full.count(), group.full, "group {number}");
        }
        places.sort_unstable();
        assert!(places.into_iter().eq(0..log.segments.len()));
    }

    #[test]
    fn nothing_is_lost_while_groups_come_and_go() {
        for (victim, trims) in [(Victim::CostBenefit, 0), (Victim::Greedy, 50)] {
            let mut log = log(victim);
            let mut mapped = vec![true; 1700];
            let (mut random, mut most, mut merged) = (1_u64, 1, false);
            for number in 0..120_000_u64 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Nine of ten writes go to 170 pages, which later are others.
                let draw = random >> 33;
                let page =
                    if draw % 10 < 9 { draw / 10 % 170 + number / 60_000 * 900 } else { draw / 10 % 1700 };
                let pages = page as u32..page as u32 + 1;
                mapped[page as usize] = trims == 0 || number % trims != 0;
                if mapped[page as usize] {
                    log.write(pages).unwrap();
                } else {
                    log.trim(pages);
                }
                merged |= log.last < most;
                most = most.max(log.last);
                if number % 1000 == 0 {
                    check(&log, &mapped);
                }
            }
            check(&log, &mapped);
            assert!(most > 1 && merged, "{victim:?}: no groups were split and merged: {most} {merged}");
        }
    }

    #[test]
    fn a_queue_is_left_in_the_order_in_which_candidates_lost() {
        let mut log = log(Victim::Greedy);
        log.groups[1].queue = [3, 2, 1, 0].into();
        for (segment, garbage) in [(0, 1), (1, 0), (2, 5), (3, 5)] {
            log.segments[segment].garbage = garbage;
        }
        // 0 is the oldest. 1 loses to it, 2 wins; 3 is no better.
        assert_eq!(log.take_victim(1), Some(2));
        assert_eq!(log.groups[1].queue, [3, 0, 1]);
        log.victim = Victim::CostBenefit;
        (log.segments[0].garbage, log.segments[0].full_since) = (16, Some(log.clock));
        // All of 0 is garbage: 3 is not looked at any more.
        assert_eq!(log.take_victim(1), Some(0));
        assert_eq!(log.groups[1].queue, [1, 3]);
        log.victim = Victim::Fifo;
        assert_eq!(log.take_victim(1), Some(3));
    }
}
