//! Whether write amplification is a figure of the trace, or of replaying it in the same order again and again.
//!
//! A trace that is replayed overwrites in every play what the play before wrote, in the order in which that wrote it:
//! whatever was written first is invalid first, and blocks empty by themselves. A random permutation of all pages, the
//! default of fio, then collects empty blocks alone, though no drive that it is written to ever does. So what lies on
//! the drive after warm-up is copied, and a part of a play is written to the copy in another order (docs/verdicts.md).
//! Runs, requests that go on where another ended, stay whole: what is sequential is so in every play.

use std::ops::ControlFlow;

use reclaim_trace::{Op, Trace};

use crate::engine::{Fault, Progress};
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::mapping::FtlCounters;
use crate::metrics::{OrderOfReplay, WarmupResult, finite};
use crate::random::RandomStream;
use crate::replay::write_or_trim;
use crate::results::OnePlayResult;
use crate::settings::Config;

/// Records are fetched in batches of this many.
const AT_ONCE: usize = 4096;

/// The random stream that runs are drawn from.
const STREAM: &str = "order of replay";

/// Share of the pages written in a play that are written there once, and so are overwritten by the next play alone,
/// beyond which the order of plays is looked at.
const MOST: f64 = 0.5;

/// What may be programmed for it, over what warm-up programmed after it had filled the drive. Half of it goes to the
/// control, where a second copy is one.
const COST: f64 = 1.0 / 6.0;

/// Pages of a play that are taken at most, in drive capacities.
const MOST_CAPACITIES: u64 = 1;

/// Ends of requests that another may go on from: so many streams may be interleaved.
const STREAMS: usize = 32;

/// Fewer runs have no order to speak of.
const FEWEST_RUNS: u64 = 64;

/// Writes a part of a play in another order to a copy of `ftl`, a drive that `warmup` has brought to rest by playing
/// the trace, of which `round` is one play; `filled` is what had been counted when it was filled. `None` where that is
/// not asked for or cannot be, or replaying is not what overwrites.
///
/// # Errors
/// When the trace cannot be read, or the caller interrupts.
pub(crate) fn order_of_replay(
    config: &Config,
    ftl: &mut Ftl,
    (round, one_play): (&Trace, &OnePlayResult),
    mapper: &mut AddressMapper,
    (warmup, filled): (&WarmupResult, &FtlCounters),
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Option<OrderOfReplay>, Fault> {
    let counters = *ftl.counters();
    let asked = config.warmup.order_check && config.trace.repeat_order.is_same();
    if !asked
        || !may_matter(one_play)
        || counters.jobs == 0
        || ftl.wants_future()
        || !config.own_policies().is_empty()
    {
        return Ok(None);
    }
    // Copies pad nothing: the times of requests are not theirs. The last rounds are a control only where they pad
    // nothing, either, and were all alike.
    let known = warmup.write_amplification.filter(|_| warmup.steady == Some(true) && !config.warm_up_pads());
    let budget = (COST * (programs(&counters) - programs(filled)) as f64) as u64;
    let budget = if known.is_some() { budget } else { budget / 2 };
    let pages_written = one_play.pages_written;
    let most = budget.min(MOST_CAPACITIES * u64::from(ftl.geometry().logical_pages));
    let mut play = Play::of(round, pages_written, mapper, config.seed, most)?;
    let mut found = OrderOfReplay {
        written_once_share: play.written_once_share,
        runs: play.runs,
        host_programs: 0,
        same: None,
        shuffled: None,
    };
    if play.written_once_share <= MOST || play.runs < FEWEST_RUNS {
        return Ok(Some(found));
    }
    let ftl_of_copy = ftl.copy(config, false);
    let mut copy = Copy { ftl: ftl_of_copy, mapper: &mut *mapper, budget, control: &mut *control };
    found.shuffled = copy.write(|| play.in_another_order())?;
    found.host_programs = copy.ftl.counters().host_programs;
    drop((copy, play));
    found.same = if known.is_some() {
        known
    } else {
        let whole = Play::of(round, pages_written, mapper, config.seed, pages_written)?;
        let mut copy = Copy { ftl: ftl.copy(config, false), mapper, budget, control };
        copy.write(|| whole.parts.clone())?
    };
    Ok(Some(found))
}

/// Whether replays may be what overwrites most of what a play writes: only if most of its pages differ.
pub(crate) fn may_matter(one_play: &OnePlayResult) -> bool {
    one_play.distinct_pages_written as f64 > MOST * one_play.pages_written as f64
}

/// Pages programmed in all, those that no page of the host is in included.
fn programs(counters: &FtlCounters) -> u64 {
    counters.host_programs + counters.pages_beyond_host()
}

/// A copy of a drive that a play is written to.
struct Copy<'a> {
    ftl: Ftl,
    mapper: &'a mut AddressMapper,
    /// Pages that may be programmed.
    budget: u64,
    control: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

impl Copy<'_> {
    /// Writes what `play` gives, play by play, until the budget is used up. Returns the write amplification of the
    /// second half; `None` if the host wrote nothing.
    fn write(&mut self, mut play: impl FnMut() -> Vec<Part>) -> Result<Option<f64>, Fault> {
        self.ftl.reset_counters();
        let mut half: Option<FtlCounters> = None;
        loop {
            let before = programs(self.ftl.counters());
            for (number, part) in play().into_iter().enumerate() {
                let programmed = programs(self.ftl.counters());
                if number % AT_ONCE == 0 {
                    let progress = Progress::of("order of replay", programmed, self.budget);
                    if (self.control)(&progress).is_break() {
                        return Err(Fault::Interrupted);
                    }
                }
                if half.is_none() && programmed >= self.budget / 2 {
                    half = Some(*self.ftl.counters());
                }
                if programmed >= self.budget {
                    return Ok(half.and_then(|half| finite(self.ftl.counters().amplification_since(&half))));
                }
                write_or_trim(&mut self.ftl, part.op(), part.stream(), part.pages(), self.mapper)?;
            }
            if programs(self.ftl.counters()) == before {
                // Nothing of it writes.
                return Ok(None);
            }
        }
    }
}

/// A request, or a part of a large one, in eight bytes: first page and number of pages, before they are remapped, its
/// stream and whether it trims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part(u64);

impl Part {
    const COUNT_BITS: u32 = 15;
    const MOST_PAGES: u64 = (1 << Self::COUNT_BITS) - 1;
    /// Pages of a trace that can be told apart.
    const MOST_FIRST: u64 = 1 << (u64::BITS - 9 - Self::COUNT_BITS);

    /// All parts of a request.
    fn of(op: Op, stream: u8, (first, count): (u64, u64)) -> impl Iterator<Item = Self> {
        (0..count).step_by(Self::MOST_PAGES as usize).map(move |from| {
            let pages = (count - from).min(Self::MOST_PAGES);
            Self(
                (first + from) << (Self::COUNT_BITS + 9)
                    | pages << 9
                    | u64::from(stream) << 1
                    | u64::from(op == Op::Trim),
            )
        })
    }

    fn pages(self) -> (u64, u64) {
        (self.0 >> (Self::COUNT_BITS + 9), self.0 >> 9 & Self::MOST_PAGES)
    }

    fn stream(self) -> u8 {
        (self.0 >> 1) as u8
    }

    fn op(self) -> Op {
        if self.0 & 1 == 1 { Op::Trim } else { Op::Write }
    }
}

/// What one play of a trace writes and trims, or a part of it that is drawn at random, run by run.
struct Play {
    parts: Vec<Part>,
    /// Which of the runs that were taken each belongs to.
    run_of: Vec<u32>,
    taken: u32,
    /// Runs of the whole play.
    runs: u64,
    written_once_share: f64,
    random: RandomStream,
}

impl Play {
    /// Looks through `trace`, which writes so many pages, and takes so many runs that they write about `most` of them.
    fn of(
        trace: &Trace,
        pages_written: u64,
        mapper: &AddressMapper,
        seed: u64,
        most: u64,
    ) -> Result<Self, Fault> {
        const WHOLE: u32 = 1 << 20;
        let share = (most as f64 / pages_written.max(1) as f64).min(1.0);
        let taken_below = (share * f64::from(WHOLE)).ceil() as u32;
        let mut open = [(u64::MAX, None::<u32>); STREAMS];
        let mut oldest = 0;
        let mut written = Written::default();
        let mut play = Self {
            parts: Vec::new(),
            run_of: Vec::new(),
            taken: 0,
            runs: 0,
            written_once_share: 0.0,
            random: RandomStream::new(seed, STREAM),
        };
        // How often each is written does not depend on where it is.
        let mut mapper = mapper.untouched();
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        while source.fill(&mut records, AT_ONCE)? > 0 {
            for record in records.drain(..) {
                let (offset, size) = (record.offset_bytes, record.size_bytes);
                let pages = match record.op {
                    Op::Write => mapper.pages(offset, size),
                    Op::Trim => mapper.whole_pages(offset, size),
                    Op::Read | Op::Flush => continue,
                };
                if pages.0 + pages.1 > Part::MOST_FIRST {
                    // No order is looked at.
                    play.runs = 0;
                    return Ok(play);
                }
                if record.op == Op::Write {
                    for page in pages.0..pages.0 + pages.1 {
                        written.note(mapper.place(page)?.0);
                    }
                }
                let at = open.iter().position(|(end, _)| *end == offset).unwrap_or_else(|| {
                    play.runs += 1;
                    oldest = (oldest + 1) % STREAMS;
                    open[oldest].1 = (play.random.below(WHOLE) < taken_below).then_some(play.taken);
                    play.taken += u32::from(open[oldest].1.is_some());
                    oldest
                });
                open[at].0 = offset + size;
                if let Some(run) = open[at].1 {
                    let before = play.parts.len();
                    play.parts.extend(Part::of(record.op, record.stream, pages));
                    play.run_of.extend((before..play.parts.len()).map(|_| run));
                }
            }
        }
        play.written_once_share = written.once as f64 / pages_written.max(1) as f64;
        Ok(play)
    }

    /// The runs in an order that is drawn anew, every one as likely.
    fn in_another_order(&mut self) -> Vec<Part> {
        let mut place: Vec<u32> = (0..self.taken).collect();
        for last in (1..place.len()).rev() {
            let at = self.random.below(last as u32 + 1);
            place.swap(last, at as usize);
        }
        // Where the parts of each run begin in the new order; a run's own keep theirs.
        let mut starts = vec![0_u32; place.len() + 1];
        for run in &self.run_of {
            starts[place[*run as usize] as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut parts = self.parts.clone();
        for (part, run) in self.parts.iter().zip(&self.run_of) {
            let next = &mut starts[place[*run as usize] as usize];
            parts[*next as usize] = *part;
            *next += 1;
        }
        parts
    }
}

/// Pages that are written once, and those written again.
#[derive(Default)]
struct Written {
    first: Vec<u64>,
    again: Vec<u64>,
    once: u64,
}

impl Written {
    fn note(&mut self, lpn: u32) {
        let (word, bit) = ((lpn / u64::BITS) as usize, 1 << (lpn % u64::BITS));
        if word >= self.first.len() {
            self.first.resize(word + 1, 0);
            self.again.resize(word + 1, 0);
        }
        if self.first[word] & bit == 0 {
            self.first[word] |= bit;
            self.once += 1;
        } else if self.again[word] & bit == 0 {
            self.again[word] |= bit;
            self.once -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use reclaim_trace::Record;

    use super::*;
    use crate::settings::Remap;

    fn record(op: Op, offset_bytes: u64, size_bytes: u64) -> Record {
        Record { time_ns: 0, offset_bytes, size_bytes, op, stream: 0 }
    }

    /// All of these, which are 4 KiB each where nothing else is said.
    fn play(records: Vec<Record>) -> Play {
        let mapper = AddressMapper::new(Remap::Wrap, 1 << 60, 4096, 1 << 18).unwrap();
        let trace = Trace::from_records("made", records);
        Play::of(&trace, 100, &mapper, 1, 100).unwrap()
    }

    fn pages(parts: &[Part]) -> Vec<(u64, u64)> {
        parts.iter().map(|part| part.pages()).collect()
    }

    /// So many streams of three requests each, one of every stream in turn.
    fn streams(count: u64) -> Play {
        let place = |turn: u64, stream: u64| (1_000 * stream + turn) * 4096;
        let turns = (0..3).flat_map(|turn| (0..count).map(move |stream| (turn, stream)));
        play(turns.map(|(turn, stream)| record(Op::Write, place(turn, stream), 4096)).collect())
    }

    /// As many streams as are remembered are as many runs; with one more, each is forgotten before it goes on.
    #[test]
    fn streams_that_are_interleaved_are_a_run_each() {
        let most = STREAMS as u64;
        for (count, runs) in [(1, 1), (2, 2), (most, most), (most + 1, 3 * (most + 1))] {
            assert_eq!(streams(count).runs, runs, "{count} streams");
        }
    }

    /// The parts of a run stay together and in their order; six orders of three runs are as likely as each other.
    #[test]
    fn every_order_of_runs_is_as_likely_as_any_other() {
        let mut play = streams(3);
        let mut found = std::collections::BTreeMap::new();
        for _ in 0..600 {
            let parts = pages(&play.in_another_order());
            let begins: Vec<_> = parts.chunks(3).map(|run| run[0].0).collect();
            let expected: Vec<_> =
                begins.iter().flat_map(|begin| (0..3).map(move |turn| (begin + turn, 1))).collect();
            assert_eq!(parts, expected);
            *found.entry(begins).or_insert(0) += 1;
        }
        // Five standard deviations of 9 are 46.
        assert!(found.len() == 6 && found.values().all(|count| (54..=146).contains(count)), "{found:?}");
    }

    /// A write has every page that it touches, a trim those that it covers wholly; a read has none.
    #[test]
    fn a_trim_takes_whole_pages() {
        let part = |op| record(op, 2048, 3 * 4096);
        assert_eq!(pages(&play(vec![part(Op::Write)]).parts), [(0, 4)]);
        assert_eq!(pages(&play(vec![part(Op::Trim)]).parts), [(1, 2)]);
        assert_eq!(pages(&play(vec![record(Op::Trim, 4096, 4096)]).parts), [(1, 1)]);
        assert_eq!(pages(&play(vec![part(Op::Read)]).parts), []);
    }

    /// Where a page is too far away to be told apart from others, no order is looked at.
    #[test]
    fn pages_can_be_too_far_away() {
        let runs = |page: u64, pages: u64| play(vec![record(Op::Write, page * 4096, pages * 4096)]).runs;
        let end = Part::MOST_FIRST;
        assert_eq!([runs(0, 8), runs(end / 4, 8), runs(end - 8, 8), runs(end - 7, 8)], [1, 1, 1, 0]);
    }

    /// Of pages 0, 1, 2, 1, 1 and 3 all but one are written once.
    #[test]
    fn a_page_that_is_written_again_was_not_written_once() {
        let writes = [0, 1, 2, 1, 1, 3].map(|page| record(Op::Write, page * 4096, 4096));
        assert!((play(writes.to_vec()).written_once_share - 0.03).abs() < 1e-12, "3 of 100");
    }
}
