//! Short ways to what many tests do: a run in one line, what a request waited for.

use std::ops::ControlFlow;

use reclaim_sim::config::Config;
use reclaim_sim::ftl::{Ftl, Place};
use reclaim_sim::ids::Lpn;
use reclaim_sim::{Outcome, RunOptions, simulate};
use reclaim_trace::{Op, Record, Trace, UniformSpec};

use super::times::WRITE;
use super::{at, spaced_writes};

/// A run with these options that nobody interrupts.
pub fn go(config: &Config, trace: &Trace, options: &RunOptions) -> Outcome {
    simulate(config, trace, options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A request for one page, in ns.
pub fn at_ns(time_ns: u64, op: Op, page: u64) -> Record {
    Record { time_ns, ..at(0, op, page, 1) }
}

/// Requests for single pages drawn uniformly, so many ns apart on the average.
pub fn uniform(pages: u64, count: u64, write_fraction: f64, mean_interarrival_ns: u64, seed: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: pages * 4096,
        request_bytes: 4096,
        count,
        write_fraction,
        trim_fraction: 0.0,
        mean_interarrival_ns,
        seed,
    })
}

/// Queue, GC, transfer and array time of the request that came at `time_ns`; of several the one that ended last.
pub fn parts(outcome: &Outcome, time_ns: u64) -> [u64; 4] {
    let table = outcome.requests.as_ref().unwrap();
    let rows = (0..table.op.len()).filter(|row| table.arrival_ns[*row] == time_ns);
    let row = rows.max_by_key(|row| table.completion_ns[*row]).unwrap();
    [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]]
}

/// What a policy of this kind counted; nothing where it does not count that.
pub fn counted(outcome: &Outcome, kind: &str, name: &str) -> u64 {
    outcome.results.policies.get(kind).and_then(|of| of.get(name)).map_or(0, |metric| metric.value)
}

/// Several such counters, each of which there must be.
pub fn counters<const N: usize>(outcome: &Outcome, kind: &str, names: [&str; N]) -> [u64; N] {
    names.map(|name| outcome.results.policies[kind][name].value)
}

/// Writes pages without time.
pub fn write_pages(ftl: &mut Ftl, pages: impl IntoIterator<Item = u32>) {
    pages.into_iter().for_each(|page| ftl.write_now(Lpn(page)));
}

/// Block and page of a logical page, which must be in flash.
pub fn place(ftl: &Ftl, lpn: u32) -> (u32, u32) {
    let Place::Flash(ppn) = ftl.map().place(Lpn(lpn)) else { panic!("{lpn} is not in flash") };
    (ftl.geometry().block_of(ppn).0, ftl.geometry().page_in_block(ppn))
}

/// Writes to a plane of 8 blocks of 4 pages that is filled with pages 0 to 15. The ninth opens block 6 and starts
/// collection: of block 0 for page 3 and then of block 2 for page 9.
pub const NINE: [u64; 9] = [0, 1, 2, 4, 6, 8, 10, 11, 13];

/// The drive filled, and these writes, each at rest.
pub fn history() -> Vec<Record> {
    spaced_writes(&(0..16).chain(NINE).collect::<Vec<_>>())
}

/// The same writes alone, to the first of so many planes of a filled drive; when its jobs begin to work is [`JOB`].
pub fn nine_of(planes: u64) -> Vec<Record> {
    spaced_writes(&NINE.map(|page| planes * page))
}

/// When the last of the nine writes lets go of the die.
pub const JOB: u64 = 8 * 10_000_000 + WRITE;
