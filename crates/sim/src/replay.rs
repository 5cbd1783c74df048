//! Warming a drive up with the trace itself: everything it writes and trims, in its order, without time.

use std::ops::ControlFlow;

use reclaim_trace::transform::Shuffle;
use reclaim_trace::{Op, Record, Trace, TraceError};

use crate::engine::{Fault, Progress, Round, trimmed_pages};
use crate::flash::Stripes;
use crate::ftl::{Batch, Deed, Ftl};
use crate::future::{Foreseen, Future};
use crate::host::{AddressMapper, RemapError};
use crate::ids::Lpn;
use crate::look_ahead::LookAhead;
use crate::mapping::FtlCounters;
use crate::metrics::{Mark, Recorder, WarmupResult};
use crate::page_accesses::for_each_page;
use crate::settings::{Config, RepeatOrder, TraceConfig, WarmupKind};
use crate::warmup::Rounds;

/// Records are played in batches of so many.
pub(crate) const AT_ONCE: usize = 4096;

/// The random stream that a warm-up draws orders of requests from: another one than the timed run, which plays none of
/// these orders, and is the same however often warm-up plays the trace.
const STREAM: &str = "warm-up order";

/// One play of a trace: `given` with the steps of the configuration done to it, as in `changed`, but not repeated.
///
/// # Errors
/// As [`TraceConfig::apply`].
pub(crate) fn one_round(config: &Config, given: &Trace, changed: &Trace) -> Result<Trace, TraceError> {
    if config.trace.repeat <= 1 {
        return Ok(changed.clone());
    }
    TraceConfig { repeat: 1, ..config.trace.clone() }.apply(given, config.seed)
}

/// Which of the two a warm-up plays. Rounds of `workload` are made of whole plays: the shorter each is, the finer.
/// Where the order changes, it changes from one play to the next.
///
/// # Errors
/// When the trace cannot be read.
pub(crate) fn played_by_warm_up(
    config: &Config,
    round: &Trace,
    changed: &Trace,
) -> Result<Trace, TraceError> {
    let by_round = match config.warmup.kind {
        WarmupKind::Workload => true,
        WarmupKind::Replay => config.trace.repeat_order == RepeatOrder::Shuffled,
        WarmupKind::Empty | WarmupKind::Filled | WarmupKind::Overwrite | WarmupKind::Steady => false,
    };
    if !by_round || config.trace.repeat <= 1 {
        return Ok(changed.clone());
    }
    // What has been scanned is played from memory.
    round.scan()?;
    Ok(round.clone())
}

/// How often `replay` plays what is played by warm-up.
pub(crate) fn plays_of_replay(config: &Config) -> u64 {
    let rounds = if config.trace.repeat_order.is_same() { 1 } else { config.trace.repeat };
    u64::from(config.warmup.replays).saturating_mul(rounds)
}

/// Plays `trace` on the drive: as often as the configuration says, or until write amplification is flat.
///
/// Reads only give their pages a place, so that the timed run, which meets the same pages in the same order, finds
/// every page where it was. In another order, pages have the places that they have in the trace's own.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's, or the caller interrupts.
pub(crate) fn replay(
    config: &Config,
    ftl: &mut Ftl,
    trace: &Trace,
    mapper: &mut AddressMapper,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<WarmupResult, Fault> {
    let settings = &config.warmup;
    ftl.pad_by_arrival(config.warm_up_pads().then(|| config.flush_after()));
    let capacity = u64::from(ftl.geometry().logical_pages);
    let until_flat = settings.kind == WarmupKind::Workload;
    let limit = (settings.limit * capacity as f64).round() as u64;
    let mut rounds = Rounds::new(ftl.counters());
    let summary = trace.scan()?;
    let page_bytes = u64::from(ftl.geometry().page_bytes);
    // A request writes at least as many pages as its bytes fill.
    let mut most = if until_flat {
        most_plays(limit, summary.write_bytes / page_bytes)
    } else {
        plays_of_replay(config)
    };
    let mut orders = None;
    if config.trace.repeat_order == RepeatOrder::Shuffled {
        place_all(trace, mapper)?;
        orders = Some(Shuffle::of(trace, config.seed, STREAM)?);
    }
    let mut replays = Player::new((config, 0), ftl, mapper, None, control);
    let mut steady = None;
    for played in 1_u64.. {
        let before = replays.host_writes;
        replays.total = most * summary.requests;
        replays.round = until_flat.then_some(Round { what: "play", number: played, most });
        match &mut orders {
            None => replays.play_all(trace)?,
            Some(orders) => replays.play_in_another_order(trace, orders)?,
        }
        let written = replays.host_writes - before;
        if until_flat {
            most = most_plays(limit, written);
        }
        let round_is_over = rounds.written(replays.ftl.counters()) >= capacity;
        if round_is_over {
            rounds.close(replays.ftl.counters());
            steady = rounds.found_flat(settings.tolerance.value());
        }
        let ends = if until_flat {
            steady == Some(true) || written == 0 || replays.host_writes >= limit
        } else {
            played >= plays_of_replay(config)
        };
        if ends {
            break;
        }
    }
    if until_flat && replays.host_writes > 0 {
        steady = Some(steady == Some(true));
    }
    let Player { ftl, host_writes, .. } = replays;
    ftl.pad_by_arrival(None);
    if rounds.count() == 0 {
        // Less than a round in all, but all there is.
        rounds.close(ftl.counters());
    }
    Ok(rounds.result(settings.kind, host_writes, steady))
}

/// How often a trace that writes so many pages each time can be played until the limit is reached.
fn most_plays(limit: u64, pages: u64) -> u64 {
    // One that writes nothing is played once.
    if pages == 0 { 1 } else { limit.div_ceil(pages).max(1) }
}

/// Plays a trace on a drive, and shows how far it has got.
pub(crate) struct Player<'a> {
    config: &'a Config,
    pub(crate) ftl: &'a mut Ftl,
    mapper: &'a mut AddressMapper,
    control: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    /// What is counted of a run without time; nothing is of a warm-up.
    recorder: Option<&'a mut Recorder>,
    /// Pages written in all replays so far.
    pub(crate) host_writes: u64,
    /// Requests played in all replays so far.
    pub(crate) requests: u64,
    /// Requests to be played, or the most of them.
    total: u64,
    /// Which replay it is, where nobody knows how many there will be.
    round: Option<Round>,
    /// What this is called where progress is shown.
    pub(crate) phase: &'static str,
    /// Whether it ends, as a run does, when the drive is worn out.
    pub(crate) until_worn: bool,
    ahead: LookAhead,
    /// Writes that wait, where they are batched by plane.
    batch: Option<Batch>,
    /// What is to be counted of them.
    counts: BatchCounts,
}

impl<'a> Player<'a> {
    /// One of a warm-up, or with a recorder of a run without time, that plays so many requests.
    pub(crate) fn new(
        (config, total): (&'a Config, u64),
        ftl: &'a mut Ftl,
        mapper: &'a mut AddressMapper,
        recorder: Option<&'a mut Recorder>,
        control: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Self {
        let (host_writes, requests, round, ahead) = (0, 0, None, LookAhead::new());
        let phase = if recorder.is_some() { "run" } else { "warm-up" };
        let (batch, counts) = (ftl.batch(), BatchCounts::default());
        Self {
            config,
            ftl,
            mapper,
            control,
            recorder,
            host_writes,
            requests,
            total,
            round,
            phase,
            until_worn: false,
            ahead,
            batch,
            counts,
        }
    }

    /// Plays the trace once.
    pub(crate) fn play_all(&mut self, trace: &Trace) -> Result<(), Fault> {
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        while !self.is_over() && source.fill(&mut records, AT_ONCE)? > 0 {
            self.play_each(&records)?;
            records.clear();
        }
        self.do_batch();
        self.ftl.arrivals_end();
        Ok(())
    }

    /// Whether the drive is worn out, which ends a run without time.
    fn is_over(&self) -> bool {
        (self.recorder.is_some() || self.until_worn) && self.ftl.is_worn_out()
    }

    /// Plays its requests once, in an order that is drawn anew: when one arrives, another is played.
    fn play_in_another_order(&mut self, trace: &Trace, orders: &mut Shuffle) -> Result<(), Fault> {
        orders.shuffle();
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        let mut played = 0;
        while source.fill(&mut records, AT_ONCE)? > 0 {
            for record in &mut records {
                *record = orders.record(played, record.time_ns).unwrap_or(*record);
                played += 1;
            }
            self.play_each(&records)?;
            records.clear();
        }
        self.do_batch();
        self.ftl.arrivals_end();
        Ok(())
    }

    /// The drive as it is, once it has come to rest, and where the pages of the trace are.
    pub(crate) fn copied(&mut self, audited: bool) -> (Ftl, AddressMapper) {
        self.do_batch();
        let mut copy = self.ftl.copy(self.config, audited);
        copy.finish_host_units();
        copy.rest();
        (copy, self.mapper.clone())
    }

    /// Plays the next records of a trace.
    pub(crate) fn play_each(&mut self, records: &[Record]) -> Result<(), Fault> {
        for (next, record) in records.iter().enumerate() {
            if self.is_over() {
                break;
            }
            self.requests += 1;
            if self.batch.is_some() {
                LookAhead::before_read(next, records, self.ftl, self.mapper);
                self.play_in_batch(record)?;
                continue;
            }
            self.ahead.before(next, records, self.ftl, self.mapper);
            self.ftl.arrives(self.config.scaled(record.time_ns));
            match &mut self.recorder {
                None => self.host_writes += play(self.ftl, record, self.mapper, |_, _| ())?.written,
                Some(recorder) => play_counted(self.ftl, record, self.mapper, recorder)?,
            }
        }
        let progress = Progress { round: self.round, ..Progress::of(self.phase, self.requests, self.total) };
        if (self.control)(&progress).is_break() {
            return Err(Fault::Interrupted);
        }
        Ok(())
    }

    /// Plays a record where writes are batched: they wait, and whatever must see what they have done has them done.
    fn play_in_batch(&mut self, record: &Record) -> Result<(), Fault> {
        let Some(batch) = &mut self.batch else { return Ok(()) };
        match record.op {
            Op::Write => {
                if batch.is_empty() {
                    self.counts.before = *self.ftl.counters();
                }
                let (first, pages) = self.mapper.pages(record.offset_bytes, record.size_bytes);
                for page in first..first + pages {
                    self.ftl.write_later(batch, self.mapper.place(page)?);
                }
                if self.recorder.is_some() {
                    self.counts.add(pages, record.size_bytes);
                    self.ftl.note_host_bytes(record.size_bytes);
                } else {
                    self.host_writes += pages;
                }
                if batch.is_full() {
                    self.do_batch();
                }
                return Ok(());
            }
            // A page may have its first data from a write that waits.
            Op::Read if !batch.is_empty() && self.recorder.is_some() => {
                let (first, pages) = self.mapper.pages(record.offset_bytes, record.size_bytes);
                for page in first..first + pages {
                    if self.ftl.map().flash_copy(self.mapper.place(page)?).is_none() {
                        self.do_batch();
                        break;
                    }
                }
            }
            Op::Trim => self.do_batch(),
            Op::Read | Op::Flush => {}
        }
        match &mut self.recorder {
            None => drop(play(self.ftl, record, self.mapper, |_, _| ())?),
            Some(recorder) => play_counted(self.ftl, record, self.mapper, recorder)?,
        }
        Ok(())
    }

    /// Does the writes that wait, and counts what each request has done.
    fn do_batch(&mut self) {
        let Some(batch) = self.batch.as_mut().filter(|batch| !batch.is_empty()) else { return };
        self.ftl.write_batch(batch);
        if let Some(recorder) = &mut self.recorder {
            self.counts.tell(batch.deeds(), recorder);
            debug_assert_eq!(Mark::of(&self.counts.before), Mark::of(self.ftl.counters()));
        }
    }
}

/// What is to be counted of the requests of a batch.
#[derive(Default)]
struct BatchCounts {
    /// What had been counted before the first.
    before: FtlCounters,
    /// Requests in their order: how many pages and bytes each has, and how many such requests follow each other.
    alike: Vec<(u64, u64, u64)>,
}

impl BatchCounts {
    #[inline]
    fn add(&mut self, pages: u64, bytes: u64) {
        match self.alike.last_mut() {
            Some((of_last, as_large, count)) if (*of_last, *as_large) == (pages, bytes) => *count += 1,
            _ => self.alike.push((pages, bytes, 1)),
        }
    }

    /// Tells the recorder what had been counted when each request was done, of which each write of a page did `deeds`.
    fn tell(&mut self, deeds: &[Deed], recorder: &mut Recorder) {
        let (mut deeds, mut turn) = (deeds.iter().peekable(), 0);
        for (pages, bytes, count) in self.alike.drain(..) {
            let mut left = count;
            while left > 0 {
                let next = deeds.peek().map_or(u64::MAX, |deed| u64::from(deed.turn));
                let undisturbed = ((next - turn) / pages).min(left);
                recorder.programs.note_alike(&mut self.before, undisturbed, (pages, bytes));
                turn += undisturbed * pages;
                left -= undisturbed;
                if left == 0 {
                    break;
                }
                turn += pages;
                left -= 1;
                while let Some(deed) = deeds.next_if(|deed| u64::from(deed.turn) < turn) {
                    self.before.gc_programs += u64::from(deed.relocated);
                    self.before.erases += u64::from(deed.erased);
                }
                recorder.programs.note_alike(&mut self.before, 1, (pages, bytes));
            }
        }
    }
}

/// Gives every page of `trace` the place that a replay would, without writing any.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's.
pub(crate) fn place_all(trace: &Trace, mapper: &mut AddressMapper) -> Result<(), Fault> {
    for_each_page(trace, mapper, |_, _| ())
}

/// Tells the policies that ask what one play of `trace` will write.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's.
pub(crate) fn foresee(ftl: &mut Ftl, trace: &Trace, mapper: &AddressMapper) -> Result<(), Fault> {
    if ftl.wants_future() {
        ftl.foresee(foreseen(trace, mapper, ftl.geometry().logical_pages)?);
    }
    Ok(())
}

/// What one play of `trace` writes and trims.
fn foreseen(trace: &Trace, mapper: &AddressMapper, logical_pages: u32) -> Result<Future, Fault> {
    // Pages get their places as in the first play, which must not find them there already.
    let mut mapper = mapper.untouched();
    let mut seen = Foreseen::new(logical_pages);
    for_each_page(trace, &mut mapper, |op, lpn| match op {
        Op::Write => seen.write(lpn),
        Op::Trim => seen.trim(lpn),
        Op::Read | Op::Flush => {}
    })?;
    Ok(seen.finish())
}

/// Pages of a request that has been played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Played {
    /// How many pages it read.
    read: u64,
    /// How many pages it wrote.
    written: u64,
    /// How many pages that held data it trimmed.
    trimmed: u64,
}

/// Does what a request does to the state of the drive.
fn play(
    ftl: &mut Ftl,
    record: &Record,
    mapper: &mut AddressMapper,
    mut tell_read: impl FnMut(&Ftl, Lpn),
) -> Result<Played, RemapError> {
    let mut played = Played::default();
    match record.op {
        Op::Read => {
            ftl.note_request(false);
            ftl.set_stream(record.stream);
            let (first, count) = mapper.pages(record.offset_bytes, record.size_bytes);
            for page in first..first + count {
                let lpn = mapper.place(page)?;
                tell_read(ftl, lpn);
            }
            played.read = count;
        }
        Op::Write => {
            let pages = mapper.pages(record.offset_bytes, record.size_bytes);
            write_or_trim(ftl, Op::Write, record.stream, pages, mapper)?;
            played.written = pages.1;
        }
        Op::Trim => {
            let pages = mapper.whole_pages(record.offset_bytes, record.size_bytes);
            played.trimmed = write_or_trim(ftl, Op::Trim, record.stream, pages, mapper)?;
        }
        Op::Flush => {}
    }
    Ok(played)
}

/// The same, and counts what a run without time does.
fn play_counted(
    ftl: &mut Ftl,
    record: &Record,
    mapper: &mut AddressMapper,
    recorder: &mut Recorder,
) -> Result<(), RemapError> {
    let mut on_flash = 0;
    let found = |ftl: &Ftl, lpn| on_flash += u64::from(ftl.map().flash_copy(lpn).is_some());
    let played = play(ftl, record, mapper, found)?;
    recorder.flash.host_reads += on_flash;
    recorder.flash.unmapped_reads += played.read - on_flash;
    recorder.flash.trimmed_pages += played.trimmed;
    if record.op == Op::Write {
        ftl.note_host_bytes(record.size_bytes);
        recorder.pages_programmed(ftl.counters());
    }
    Ok(())
}

/// Does what a write or a trim of so many pages from a first one on, as the trace has them, does to the drive; says how
/// many pages were trimmed that held data.
pub(crate) fn write_or_trim(
    ftl: &mut Ftl,
    op: Op,
    stream: u8,
    (first, count): (u64, u64),
    mapper: &mut AddressMapper,
) -> Result<u64, RemapError> {
    let stripes = ftl.geometry().stripes.clone();
    let mut trimmed = 0;
    match (op, stripes) {
        (Op::Write, stripes) => {
            ftl.note_request(true);
            ftl.set_request(stream, count as u32);
            if let Some(stripes) = stripes {
                write_in_stripes(ftl, (first, count), mapper, &stripes)?;
                return Ok(0);
            }
            for page in first..first + count {
                ftl.write_now(mapper.place(page)?);
            }
        }
        (Op::Trim, stripes) => {
            if let Some(stripes) = stripes {
                let mut pages = Vec::new();
                trimmed_pages(ftl, mapper, (first, count), &mut pages);
                for of_one in pages.chunk_by(|a, b| stripes.stripe_of(*a) == stripes.stripe_of(*b)) {
                    trimmed += ftl.trim_pages_now(of_one);
                }
            } else if mapper.is_identity() {
                let (mut from, end) = (first as u32, (first + count) as u32);
                while let Some(lpn) = ftl.map().next_mapped(from, end.max(from)) {
                    trimmed += u64::from(ftl.trim(lpn));
                    from = lpn.0 + 1;
                }
            } else {
                mapper.for_touched(first, count, |lpn| trimmed += u64::from(ftl.trim(lpn)));
            }
        }
        (Op::Read | Op::Flush, _) => {}
    }
    Ok(trimmed)
}

/// Writes the pages of a request, those of a stripe together.
fn write_in_stripes(
    ftl: &mut Ftl,
    (first, count): (u64, u64),
    mapper: &mut AddressMapper,
    stripes: &Stripes,
) -> Result<(), RemapError> {
    let mut together: Vec<Lpn> = Vec::new();
    for page in first..first + count {
        let lpn = mapper.place(page)?;
        if together.last().is_some_and(|last| !stripes.are_written_together(*last, lpn)) {
            ftl.write_stripe_now(&together);
            together.clear();
        }
        together.push(lpn);
    }
    ftl.write_stripe_now(&together);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::Geometry;

    /// Logical pages 0 to 3 as `replays` plays of a trace that writes each once leave them: in the order in which the
    /// last play wrote them, on a drive of one plane that was empty.
    fn last_written(replays: &str, order: &str) -> Vec<u32> {
        let set = [
            ("geometry.channels", "1"),
            ("geometry.chips_per_channel", "1"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "1"),
            ("warmup.kind", "replay"),
            ("warmup.replays", replays),
            ("trace.remap", "compact"),
            ("trace.repeat_order", order),
        ];
        let config = crate::testing::config("gc-bypass", &set);
        let geometry = Geometry::new(&config).unwrap();
        let mut ftl = Ftl::new(&config, &geometry, false);
        let size_bytes = u64::from(geometry.page_bytes);
        let write = |page| {
            let offset_bytes = page * size_bytes;
            Record { time_ns: page, offset_bytes, size_bytes, op: Op::Write, stream: 0 }
        };
        let trace = Trace::from_records("four", (0..4).map(write).collect());
        let remap = config.trace.remap;
        let mut mapper =
            AddressMapper::new(remap, 4 * size_bytes, geometry.page_bytes, geometry.logical_pages).unwrap();
        let result = replay(&config, &mut ftl, &trace, &mut mapper, &mut |_| ControlFlow::Continue(()));
        assert_eq!(result.unwrap().host_writes, 4 * replays.parse::<u64>().unwrap());
        let mut pages: Vec<u32> = (0..4).collect();
        pages.sort_by_key(|page| ftl.map().flash_copy(Lpn(*page)));
        pages
    }

    /// The draws of stream `warm-up order` of seed 42 (docs/model.md, 6.2, 6.3 and 7.3b, by hand): 0 of 4, 0 of 3, 1 of
    /// 2; then 1, 1, 0. Each changes places with the last of those that are left. Pages keep the numbers that they have
    /// in the order of the trace.
    #[test]
    fn each_play_of_a_warm_up_comes_in_an_order_of_its_own() {
        assert_eq!(last_written("1", "shuffled"), [2, 1, 3, 0]);
        assert_eq!(last_written("2", "shuffled"), [3, 2, 0, 1]);
        assert_eq!(last_written("2", "same"), [0, 1, 2, 3]);
    }
}
