//! A log without bounds, in which schemes of separation are compared: the rules of the program that SepBIT was
//! published with (Wang et al., FAST 2022), so that both can be held beside each other.
//!
//! Data is appended to one open segment for each class. After a request, if garbage is more than a share of all pages,
//! one segment is collected: its valid pages are appended again. There is no drive and no time beside that of the
//! trace.

pub mod midas;

use std::ops::ControlFlow;

use reclaim_trace::{Op, Summary, Trace};
use serde::Serialize;

use crate::building::BuildContext;
use crate::config::{LoadRequest, load};
use crate::engine::Progress;
use crate::flash::Geometry;
use crate::ftl::separation::{self, Separation, Terms};
use crate::future::Foreseen;
use crate::ids::Lpn;
use crate::mapping::{Classes, PageMove};
use crate::settings::{Config, ConfigError};
use crate::sim_error::SimError;

/// Which of the segments with garbage enough is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// That with the largest share of garbage.
    Greedy,
    /// That with the largest garbage / valid data · √(time since it was last appended to).
    CostBenefit,
}

/// The rules of a log.
#[derive(Debug, Clone)]
pub struct Rules {
    /// A member of `ftl.separation` and its parameters, as settings.
    pub separation: Vec<(String, String)>,
    /// Which segment is collected.
    pub selection: Selection,
    /// Where the scheme has no class of its own for collected data: whether it has a segment of its own.
    pub collected_apart: bool,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of a segment.
    pub segment_pages: u32,
    /// Collection begins when garbage is a larger share of all pages, and takes no segment with a smaller one.
    pub garbage_share: f64,
    /// If given, the log is bounded, and `garbage_share` does not matter: pages beyond those that the trace addresses,
    /// as a share of these. Every page is written once before the trace.
    pub spare: Option<f64>,
}

/// Collection in a bounded log keeps so many segments free.
const KEPT_FREE: usize = 4;

/// How large a bounded log is.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    segments: u32,
    /// Pages that the trace addresses.
    pages: u32,
}

impl Bounds {
    fn of(summary: &Summary, page_bytes: u32, segment_pages: u32, spare: f64) -> Result<Self, ConfigError> {
        let pages = summary.max_end_bytes.div_ceil(u64::from(page_bytes));
        let segments = (pages as f64 * (1.0 + spare) / f64::from(segment_pages)).ceil();
        if segments * f64::from(segment_pages) >= f64::from(u32::MAX) {
            let reason =
                format!("{page_bytes}: the trace addresses {pages} such pages; a log has fewer than 2^32");
            return Err(ConfigError::at("page_bytes", &reason));
        }
        Ok(Self { segments: segments as u32, pages: pages as u32 })
    }

    fn full(self) -> SimError {
        let Self { segments, pages } = self;
        let reason =
            format!("{segments} segments are too few for {pages} pages: collection finds no room; give more");
        ConfigError::at("spare", &reason).into()
    }
}

/// What a log wrote.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Written {
    /// Pages that the trace writes.
    pub user_pages: u64,
    /// Pages that the log wrote for it, and for collection.
    pub pages_written: u64,
    /// How many segments it collected.
    pub collections: u64,
}

/// Requests between two looks at the caller.
const REQUESTS_PER_LOOK: usize = 1 << 14;

/// Writes a trace to an empty log.
///
/// # Errors
/// When the rules make no sense, the trace cannot be read or writes nothing, or the caller interrupts.
pub fn replay(
    rules: &Rules,
    trace: &Trace,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Written, SimError> {
    let summary = trace.scan()?;
    let pages = summary.max_end_bytes.div_ceil(u64::from(rules.page_bytes));
    let config = config(rules, pages)?;
    let bounds = rules.spare.map(|spare| Bounds::of(&summary, rules.page_bytes, rules.segment_pages, spare));
    let bounds = bounds.transpose()?;
    let geometry = Geometry::new(&config)?;
    if let Some(count) = separation::streams_of(&config, &geometry) {
        trace.check_streams(count, "ftl.separation.open_blocks")?;
    }
    let context = BuildContext::new(&config, &geometry);
    let mut separation = separation::MEMBERS.build_checked(&config.ftl.separation, &context);
    if separation.wants_future() {
        let mut seen = Foreseen::new(geometry.logical_pages);
        for page in 0..bounds.map_or(0, |bounds| bounds.pages) {
            seen.write(Lpn(page));
        }
        for_each_request(rules.page_bytes, trace, &mut |_, op, _, pages| {
            for page in pages {
                match op {
                    Op::Write => seen.write(Lpn(page)),
                    _ => seen.trim(Lpn(page)),
                }
            }
            ControlFlow::Continue(())
        })?;
        separation.foresee(seen.finish().once());
    }
    let mut log = Log::new(rules, bounds, separation, geometry.logical_pages);
    log.fill()?;
    play(rules.page_bytes, trace, &summary, control, &mut |time_us, op, stream, pages| {
        match op {
            Op::Write => log.write(time_us, stream, pages)?,
            _ => pages.for_each(|page| log.invalidate(Lpn(page))),
        }
        Ok(())
    })?;
    Ok(log.written)
}

/// What a log does with the pages of a write or trim: time in µs, what it does, stream, pages.
type Apply<'a> = dyn FnMut(u64, Op, u8, std::ops::Range<u32>) -> Result<(), SimError> + 'a;

/// Applies each write and trim, and lets the caller look in between.
fn play(
    page_bytes: u32,
    trace: &Trace,
    summary: &Summary,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    apply: &mut Apply<'_>,
) -> Result<(), SimError> {
    let (mut requests, mut outcome) = (0, Ok(()));
    let played = for_each_request(page_bytes, trace, &mut |time_us, op, stream, pages| {
        outcome = apply(time_us, op, stream, pages);
        if outcome.is_err() {
            return ControlFlow::Break(());
        }
        requests += 1;
        if requests % REQUESTS_PER_LOOK == 0 {
            return control(&Progress::of("log", requests as u64, summary.requests));
        }
        ControlFlow::Continue(())
    });
    outcome.and(played)
}

/// Tells of the pages of each write and trim: time in µs, what it does, stream, pages.
fn for_each_request(
    page_bytes: u32,
    trace: &Trace,
    tell: &mut dyn FnMut(u64, Op, u8, std::ops::Range<u32>) -> ControlFlow<()>,
) -> Result<(), SimError> {
    let size = u64::from(page_bytes);
    let mut source = trace.source()?;
    let mut records = Vec::new();
    while source.fill(&mut records, REQUESTS_PER_LOOK)? > 0 {
        for record in records.drain(..) {
            let (first, end) = match record.op {
                Op::Write => (record.offset_bytes / size, record.end_bytes().div_ceil(size)),
                Op::Trim => (record.offset_bytes.div_ceil(size), record.end_bytes() / size),
                Op::Read | Op::Flush => continue,
            };
            // Trims of less than a page concern none.
            let pages = first as u32..end.max(first) as u32;
            if tell(record.time_ns / 1000, record.op, record.stream, pages).is_break() {
                return Err(SimError::Interrupted);
            }
        }
    }
    Ok(())
}

/// A drive of one plane in whose words the scheme is checked and built; nothing is ever written to it.
fn config(rules: &Rules, pages: u64) -> Result<Config, SimError> {
    let mut set: Vec<(String, String)> = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
        .map(|dimension| (format!("geometry.{dimension}"), "1".to_owned()))
        .into();
    let bytes = u64::from(rules.page_bytes);
    // Room for any scheme: the log has no bound.
    let blocks = 2 * pages.div_ceil(u64::from(rules.segment_pages.max(1))) + 64;
    let settings = [
        ("geometry.blocks_per_plane", blocks.to_string()),
        ("geometry.pages_per_block", rules.segment_pages.to_string()),
        ("geometry.page_size", format!("{bytes}B")),
        ("geometry.user_capacity", format!("{}B", pages * bytes)),
        ("ftl.gc_frontier", "separate".to_owned()),
        ("gc.trigger.start", "1 block".to_owned()),
    ];
    set.extend(settings.map(|(key, value)| (key.to_owned(), value)));
    set.extend(rules.separation.iter().cloned());
    Ok(load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set })?)
}

struct Segment {
    /// How many were opened before.
    id: usize,
    /// That of user data it was opened for; those of collected data come behind.
    class: usize,
    /// How many pages the trace had written when it was opened.
    opened: u32,
    /// When it was appended to last, µs.
    appended_us: u64,
    pages: Vec<Lpn>,
    /// How many of them are garbage.
    garbage: u32,
}

impl Segment {
    fn garbage_share(&self) -> f64 {
        f64::from(self.garbage) / self.pages.len() as f64
    }
}

/// Where a page lies: the place of its segment, and its place there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    segment: u32,
    page: u32,
}

/// The published program always opens so many; those that no class has stay empty, and have ids that equals are told
/// apart by.
const OPEN_SEGMENTS: usize = 6;

const NOWHERE: At = At { segment: u32::MAX, page: 0 };

struct Log {
    bounds: Option<Bounds>,
    separation: Box<dyn Separation>,
    classes: Classes,
    selection: Selection,
    segment_pages: usize,
    garbage_share: f64,
    /// Class of the first kind of collected data, and whether there are further ones.
    collected: usize,
    tells_collected_apart: bool,
    /// By place, `None` where one was collected.
    segments: Vec<Option<Segment>>,
    free_places: Vec<usize>,
    /// Open segments that no class has, and the most segments that there were at once.
    unneeded: usize,
    most_used: usize,
    /// By class, the place of its open segment.
    open: Vec<usize>,
    opened: usize,
    at: Vec<At>,
    now_us: u64,
    /// Pages of the log up to the last request, and garbage of those that are full.
    pages: u64,
    garbage: u64,
    order: TieOrder,
    /// What is known of the pages that are relocated; kept for its room.
    moves: Vec<PageMove>,
    written: Written,
}

impl Log {
    fn new(rules: &Rules, bounds: Option<Bounds>, separation: Box<dyn Separation>, pages: u32) -> Self {
        let terms = separation.terms();
        let (classes, collected) = match terms {
            None => (if rules.collected_apart { 2 } else { 1 }, usize::from(rules.collected_apart)),
            // As many classes of either kind: they are the same ones.
            Some(Terms { classes, relocated, .. }) if classes == relocated => (classes as usize, 0),
            Some(Terms { classes, relocated, .. }) => ((classes + relocated) as usize, classes as usize),
        };
        let timed = terms.is_some_and(|terms| terms.knows_ages());
        let mut log = Self {
            classes: Classes::new(pages, separation.unwritten(), timed, None),
            separation,
            selection: rules.selection,
            segment_pages: rules.segment_pages as usize,
            garbage_share: if bounds.is_some() { 0.0 } else { rules.garbage_share },
            bounds,
            unneeded: OPEN_SEGMENTS.saturating_sub(classes),
            most_used: 0,
            collected,
            tells_collected_apart: terms.is_some_and(|terms| terms.relocated > 1),
            segments: Vec::new(),
            free_places: Vec::new(),
            open: Vec::new(),
            opened: 0,
            at: vec![NOWHERE; pages as usize],
            now_us: 0,
            pages: 0,
            garbage: 0,
            order: TieOrder::default(),
            moves: Vec::new(),
            written: Written { user_pages: 0, pages_written: 0, collections: 0 },
        };
        for class in 0..classes.max(OPEN_SEGMENTS) {
            let place = log.open_segment(class);
            log.open.push(place);
        }
        log
    }

    /// Opens a segment for a class, at the place of one that was collected, if there is one.
    fn open_segment(&mut self, class: usize) -> usize {
        let segment = Segment {
            id: self.opened,
            class,
            opened: self.classes.now(),
            appended_us: self.now_us,
            pages: Vec::with_capacity(self.segment_pages),
            garbage: 0,
        };
        self.opened += 1;
        self.order.opened();
        self.most_used = self.most_used.max(self.order.used);
        if let Some(place) = self.free_places.pop() {
            self.segments[place] = Some(segment);
            return place;
        }
        self.segments.push(Some(segment));
        self.segments.len() - 1
    }

    /// Writes every page of a bounded log once, before anything counts.
    fn fill(&mut self) -> Result<(), SimError> {
        for page in 0..self.bounds.map_or(0, |bounds| bounds.pages) {
            self.write(0, 0, page..page + 1)?;
        }
        self.written = Written { user_pages: 0, pages_written: 0, collections: 0 };
        Ok(())
    }

    fn write(&mut self, time_us: u64, stream: u8, pages: std::ops::Range<u32>) -> Result<(), SimError> {
        self.now_us = time_us;
        self.classes.set_request(stream, 0);
        let count = pages.len() as u64;
        self.separation.on_request(Lpn(pages.start), count as u32, self.valid_pages());
        for page in pages {
            let lpn = Lpn(page);
            self.invalidate(lpn);
            let write = self.classes.write(lpn, self.valid_pages());
            let class = self.separation.class(&write);
            self.classes.set(lpn, class);
            self.append(lpn, usize::from(class));
            self.make_room()?;
        }
        self.written.user_pages += count;
        self.pages += count;
        self.written.pages_written += count;
        if self.bounds.is_none() && self.garbage as f64 / self.pages as f64 > self.garbage_share {
            self.collect();
        }
        Ok(())
    }

    fn valid_pages(&self) -> u64 {
        self.pages.saturating_sub(self.garbage)
    }

    /// Keeps segments of a bounded log free.
    fn make_room(&mut self) -> Result<(), SimError> {
        let Some(bounds) = self.bounds else { return Ok(()) };
        let room = bounds.segments as usize + self.unneeded;
        while self.order.used + KEPT_FREE > room && self.collect() {}
        if self.most_used > room { Err(bounds.full()) } else { Ok(()) }
    }

    /// What was written of a page is garbage. It counts for the log once its segment is full.
    fn invalidate(&mut self, lpn: Lpn) {
        let at = std::mem::replace(&mut self.at[lpn.index()], NOWHERE);
        if at == NOWHERE {
            return;
        }
        let place = at.segment as usize;
        if let Some(segment) = &mut self.segments[place] {
            segment.garbage += 1;
            self.garbage += u64::from(self.open[segment.class] != place);
        }
    }

    fn append(&mut self, lpn: Lpn, class: usize) {
        let place = self.open[class];
        let Some(segment) = &mut self.segments[place] else { return };
        self.at[lpn.index()] = At { segment: place as u32, page: segment.pages.len() as u32 };
        segment.pages.push(lpn);
        segment.appended_us = self.now_us;
        if segment.pages.len() == self.segment_pages {
            self.garbage += u64::from(segment.garbage);
            self.open[class] = self.open_segment(class);
        }
    }

    /// Whether there was something to collect.
    fn collect(&mut self) -> bool {
        let Some(place) = self.victim() else { return false };
        let Some(victim) = self.segments[place].take() else { return false };
        let lived = self.classes.now().wrapping_sub(victim.opened);
        self.separation.on_victim(victim.class as u8, lived);
        let is_valid = |(page, lpn): &(usize, &Lpn)| {
            self.at[lpn.index()] == At { segment: place as u32, page: *page as u32 }
        };
        let known = |(_, lpn): (usize, &Lpn)| PageMove {
            block_class: victim.class as u8,
            ..self.classes.relocate(*lpn, None)
        };
        self.moves.clear();
        self.moves.extend(victim.pages.iter().enumerate().filter(is_valid).map(known));
        self.separation.see_pages_of_victim(&self.moves);
        for at in 0..self.moves.len() {
            let page = self.moves[at];
            let class = usize::from(self.separation.relocated_class(&page));
            // Schemes that do not tell classes of collected data apart have one.
            self.append(page.lpn, self.collected + if self.tells_collected_apart { class } else { 0 });
        }
        self.pages += self.moves.len() as u64;
        self.written.pages_written += self.moves.len() as u64;
        self.pages -= victim.pages.len() as u64;
        self.garbage -= u64::from(victim.garbage);
        self.free_places.push(place);
        self.order.removed();
        self.written.collections += 1;
        true
    }

    /// The place of the best of the full segments with garbage enough.
    fn victim(&self) -> Option<usize> {
        let full = |(place, segment): (usize, &Option<Segment>)| {
            let segment = segment.as_ref()?;
            let full = self.open[segment.class] != place;
            let enough = segment.garbage > 0 && segment.garbage_share() >= self.garbage_share;
            (full && enough).then(|| (self.score(segment), self.order.of(segment.id), place))
        };
        let candidates = self.segments.iter().enumerate().filter_map(full);
        let best = candidates.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        best.map(|(_, _, place)| place)
    }

    fn score(&self, segment: &Segment) -> f64 {
        match self.selection {
            Selection::Greedy => segment.garbage_share(),
            Selection::CostBenefit => {
                let valid = 1.0 - segment.garbage_share();
                let age_us = self.now_us - segment.appended_us;
                if valid == 0.0 { f64::MAX } else { (1.0 - valid) / valid * (age_us as f64).sqrt() }
            }
        }
    }
}

/// Which of equal segments goes first: as the published program lists them, that with the least id modulo the size of a
/// hash table that doubles when more than three quarters of it are in use; then the least id.
struct TieOrder {
    size: usize,
    used: usize,
}

impl Default for TieOrder {
    fn default() -> Self {
        Self { size: 16, used: 0 }
    }
}

impl TieOrder {
    fn opened(&mut self) {
        self.used += 1;
        if 4 * self.used > 3 * self.size {
            self.size *= 2;
        }
    }

    fn removed(&mut self) {
        self.used -= 1;
    }

    fn of(&self, id: usize) -> (usize, usize) {
        (id % self.size, id)
    }
}

#[cfg(test)]
mod tests {
    use reclaim_trace::Record;

    use super::*;

    /// Segments of two pages; writes of one page or of several, 1 ms apart.
    fn written(separation: &str, selection: Selection, share: f64, writes: &[(u64, u64)]) -> Written {
        let rules = Rules { garbage_share: share, ..rules(separation, selection) };
        replay(&rules, &trace(writes), &mut |_| ControlFlow::Continue(())).unwrap()
    }

    fn trace(writes: &[(u64, u64)]) -> Trace {
        let record = |(number, (page, count)): (usize, &(u64, u64))| Record {
            time_ns: 1_000_000 * number as u64,
            offset_bytes: 4096 * page,
            size_bytes: 4096 * count,
            op: Op::Write,
            stream: 0,
        };
        Trace::from_records("log", writes.iter().enumerate().map(record).collect())
    }

    fn rules(separation: &str, selection: Selection) -> Rules {
        Rules {
            separation: vec![("ftl.separation".to_owned(), separation.to_owned())],
            selection,
            collected_apart: true,
            page_bytes: 4096,
            segment_pages: 2,
            garbage_share: 0.2,
            spare: None,
        }
    }

    const SINGLE: [(u64, u64); 8] = [(0, 1), (1, 1), (0, 1), (2, 1), (0, 1), (3, 1), (1, 1), (4, 1)];

    /// Segments [0 1] [0 2] [0 3] [1 4], data of 0 and 1 replaced.
    #[test]
    fn garbage_is_collected_when_there_is_more_than_its_share() {
        // After the fifth write 2 of 5 pages are garbage: [0 1] goes, and 1 is written again, into a segment of its
        // own. After the seventh, 1 of 7 pages that garbage is counted of: that copy of 1 is not, its segment is not
        // full.
        let counts = written("none", Selection::Greedy, 0.3, &SINGLE);
        assert_eq!(counts, Written { user_pages: 8, pages_written: 9, collections: 1 });
        let never = written("none", Selection::Greedy, 0.9, &SINGLE);
        assert_eq!(never, Written { user_pages: 8, pages_written: 8, collections: 0 });
    }

    #[test]
    fn a_request_has_one_collection_at_its_end() {
        // Sixteen pages, written twice by two requests: eight segments without a valid page, one of which goes.
        let counts = written("none", Selection::Greedy, 0.1, &[(0, 16), (0, 16), (16, 2)]);
        assert_eq!(counts, Written { user_pages: 34, pages_written: 34, collections: 2 });
    }

    #[test]
    fn what_was_appended_to_long_ago_is_collected_first() {
        // [0 1] [2 3] [2 0]: both of the first have half garbage; the older is the first by age, and by id.
        let writes = [(0, 1), (1, 1), (2, 1), (3, 1), (2, 1), (0, 1), (9, 1)];
        for selection in [Selection::Greedy, Selection::CostBenefit] {
            let counts = written("none", selection, 0.3, &writes);
            assert_eq!(counts, Written { user_pages: 7, pages_written: 8, collections: 1 });
        }
    }

    /// [0 1] [2 3] [4 5] [6 7] before, and room for six segments, one of them open, beside the four that stay free.
    #[test]
    fn a_bounded_log_keeps_four_segments_free() {
        let bounded =
            |spare| Rules { collected_apart: false, spare: Some(spare), ..rules("none", Selection::Greedy) };
        let counts = |spare, pages: &[u64]| {
            let writes: Vec<(u64, u64)> = pages.iter().map(|page| (*page, 1)).collect();
            replay(&bounded(spare), &trace(&writes), &mut |_| ControlFlow::Continue(()))
        };
        // Ten segments. After 3 and after 6 a seventh would be open: [0 1] goes, then [2 3], both without a valid page.
        let freed = Written { user_pages: 6, pages_written: 6, collections: 2 };
        assert_eq!(counts(1.5, &[7, 0, 1, 2, 3, 7]).unwrap(), freed);
        // Then [4 5], where 5 is still valid, and [6 7], where nothing is.
        let copied = Written { user_pages: 9, pages_written: 10, collections: 4 };
        assert_eq!(counts(1.5, &[0, 1, 2, 3, 4, 7, 0, 2, 6]).unwrap(), copied);
        let too_few = counts(0.2, &[0, 7]).unwrap_err().to_string();
        assert_eq!(too_few, "spare: 5 segments are too few for 8 pages: collection finds no room; give more");
    }

    #[test]
    fn equal_segments_go_in_the_order_of_the_table() {
        let mut order = TieOrder::default();
        for _ in 0..12 {
            order.opened();
        }
        assert_eq!((order.of(3), order.of(17)), ((3, 3), (1, 17)), "of 16 places, 12 may be in use");
        order.removed();
        order.opened();
        order.opened();
        assert_eq!(order.of(17), (17, 17), "of 32");
        order.removed();
        assert_eq!(order.of(40), (8, 40), "a table never shrinks");
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        let trace = Trace::from_records(
            "one",
            vec![Record { time_ns: 0, offset_bytes: 0, size_bytes: 4096, op: Op::Write, stream: 3 }],
        );
        let refused = |separation: &[(&str, &str)]| {
            let settings = separation.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let rules = Rules { separation: settings.collect(), ..rules("none", Selection::Greedy) };
            replay(&rules, &trace, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
        };
        assert!(refused(&[("ftl.separation", "sepbits")]).contains("sepbit"));
        assert!(
            refused(&[("ftl.separation", "sepbit"), ("ftl.separation.lifespans", "0")]).contains("lifespans")
        );
        let streams = [("ftl.separation", "by-stream"), ("ftl.separation.open_blocks", "2")];
        assert!(refused(&streams).contains("stream 3"));
    }
}
