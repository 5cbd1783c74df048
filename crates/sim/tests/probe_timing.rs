//! Probe, issue, earliest ready: an operation is issued around every instant at which another one changes phase, and
//! must end at exactly the first instant that dies and channel allow; a nanosecond earlier would be illegal.
//!
//! What is allowed comes from [`timeline`], a page of rules of its own: a die does one operation at a time, a channel
//! carries one thing at a time, and dies that wait for it are served in the order commands without data, data for the
//! host, data for the collector, programs. It knows neither events nor queues. [`by_hand`] checks the rules
//! themselves.

use crate::common::{TestDrive, at};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

// 7 and 5 cycles of 1 ns, one byte per ns, 75 us, 750 us, 3.8 ms.
const COMMAND: u64 = 7;
const ERASE_COMMAND: u64 = 5;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const T_BERS: u64 = 3_800_000;
const READ: u64 = COMMAND + T_R + DATA;
const PROGRAM: u64 = COMMAND + DATA + T_PROG;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Program,
    Erase,
    Copyback,
}
use Kind::{Copyback, Erase, Program, Read};

#[derive(Debug, Clone, Copy)]
enum Stage {
    Transfer(u64),
    Array(u64),
}
use Stage::{Array, Transfer};

impl Kind {
    fn stages(self) -> &'static [Stage] {
        match self {
            Read => &[Transfer(COMMAND), Array(T_R), Transfer(DATA)],
            Program => &[Transfer(COMMAND + DATA), Array(T_PROG)],
            Erase => &[Transfer(ERASE_COMMAND), Array(T_BERS)],
            Copyback => &[Transfer(COMMAND), Array(T_R), Transfer(COMMAND), Array(T_PROG)],
        }
    }

    /// Ends of the stages of an operation that begins at 0 and never waits, and 0.
    fn boundaries(self) -> Vec<u64> {
        let mut ends = vec![0];
        for Transfer(length) | Array(length) in self.stages() {
            ends.push(ends[ends.len() - 1] + length);
        }
        ends
    }

    fn alone(self) -> u64 {
        *self.boundaries().last().unwrap()
    }

    fn request(self) -> Op {
        if self == Read { Op::Read } else { Op::Write }
    }
}

/// An operation of a timeline.
#[derive(Debug, Clone, Copy)]
struct Planned {
    kind: Kind,
    /// When it was issued.
    issued: u64,
    /// The operation before it on its die.
    after: Option<usize>,
    for_gc: bool,
    /// A request of the trace: seen after everything else that happens at its instant.
    arrives: bool,
}

fn host(kind: Kind, issued: u64, after: Option<usize>) -> Planned {
    Planned { kind, issued, after, for_gc: false, arrives: true }
}

/// When each operation ends, if all share one channel; `None` when two are ready at the same instant
/// and nothing says which goes first.
fn timeline(operations: &[Planned]) -> Option<Vec<u64>> {
    let count = operations.len();
    let mut stage = vec![0; count];
    // Ready for the next stage (or ended) at; unknown while the die is busy with another.
    let mut ready: Vec<Option<u64>> =
        operations.iter().map(|o| o.after.is_none().then_some(o.issued)).collect();
    let mut channel_free = 0;
    loop {
        // Once for each operation, because one that ends lets the next on its die begin.
        for index in (0..count).cycle().take(count * count) {
            let operation = operations[index];
            if ready[index].is_none()
                && let Some(before) = operation.after
                && stage[before] == operations[before].kind.stages().len()
            {
                ready[index] = ready[before].map(|end| end.max(operation.issued));
            }
            while let (Some(from), Some(Array(length))) =
                (ready[index], operation.kind.stages().get(stage[index]))
            {
                ready[index] = Some(from + length);
                stage[index] += 1;
            }
        }
        let unfinished = |index: &usize| stage[*index] < operations[*index].kind.stages().len();
        let mut waiting: Vec<(u64, usize)> =
            (0..count).filter(unfinished).filter_map(|index| Some((ready[index]?, index))).collect();
        let Some(first) = waiting.iter().map(|(from, _)| *from).min() else {
            return ready.into_iter().collect();
        };
        // Requests arrive after everything else that happens at their instant, in the order of the trace.
        let arriving = |index: usize| {
            stage[index] == 0 && operations[index].arrives && ready[index] == Some(operations[index].issued)
        };
        let rank = |(from, index): (u64, usize)| {
            let class = match (operations[index].kind, stage[index]) {
                (Program, _) => 3,
                (Read, 2) => 1 + u8::from(operations[index].for_gc),
                _ => 0,
            };
            let arrival = if arriving(index) { index + 1 } else { 0 };
            if first < channel_free { (class, from, arrival) } else { (0, from, arrival) }
        };
        if first < channel_free {
            waiting
                .retain(|(from, index)| *from < channel_free || (*from == channel_free && !arriving(*index)));
        } else {
            waiting.retain(|(from, _)| *from == first);
        }
        waiting.sort_by_key(|each| rank(*each));
        if waiting.len() > 1 && rank(waiting[0]) == rank(waiting[1]) {
            return None;
        }
        let (from, next) = waiting[0];
        let Transfer(length) = operations[next].kind.stages()[stage[next]] else {
            unreachable!("arrays are done")
        };
        channel_free = from.max(channel_free) + length;
        ready[next] = Some(channel_free);
        stage[next] += 1;
    }
}

/// Where the second operation goes, seen from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    SamePlane,
    OtherPlane,
    OtherDie,
    OtherChip,
    OtherChannel,
}
use Where::{OtherChannel, OtherChip, OtherDie, OtherPlane, SamePlane};

const EVERYWHERE: [Where; 5] = [SamePlane, OtherPlane, OtherDie, OtherChip, OtherChannel];

impl Where {
    /// Pages from one place to the other: 2 channels x 2 chips x 2 dies x 2 planes, striped over channels first.
    fn pages(self) -> u64 {
        match self {
            SamePlane => 0,
            OtherPlane => 8,
            OtherDie => 4,
            OtherChip => 2,
            OtherChannel => 1,
        }
    }

    /// Number of the plane, the first operation being on plane 0.
    fn plane(self) -> u32 {
        match self {
            SamePlane => 0,
            OtherPlane => 1,
            OtherDie => 2,
            OtherChip => 4,
            OtherChannel => 8,
        }
    }

    fn same_die(self) -> bool {
        matches!(self, SamePlane | OtherPlane)
    }
}

/// The first pages of the sixteen planes.
const STRIPE: u64 = 16;

fn play(relocation: &str, mut records: Vec<Record>) -> Outcome {
    records.sort_by_key(|record| record.time_ns);
    TestDrive::of([2, 2, 2, 2])
        .blocks(8, 4)
        .set("flash.cell", "SLC")
        .set("gc.relocation", relocation)
        .set("scheduler", "fcfs")
        .set("warmup.kind", "filled")
        .run(records)
}

fn request(kind: Kind, time_ns: u64, page: u64) -> Record {
    Record { time_ns, ..at(0, kind.request(), page, 1) }
}

/// When the request for `page` issued at `time_ns` was complete.
fn completion(outcome: &Outcome, time_ns: u64, page: u64) -> u64 {
    let table = outcome.requests.as_ref().unwrap();
    let row = (0..table.op.len())
        .find(|row| table.arrival_ns[*row] == time_ns && table.offset_bytes[*row] == page * 4096)
        .unwrap();
    table.completion_ns[row]
}

/// When the first job of a plane was over.
fn job_end(outcome: &Outcome, plane: u32) -> u64 {
    let log = outcome.gc_log.as_ref().unwrap();
    let row = log.plane.iter().position(|each| *each == plane).unwrap();
    log.end_ns[row]
}

/// The instants around each boundary.
fn around(boundaries: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = boundaries.into_iter().flat_map(|b| [b.saturating_sub(1), b, b + 1]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

// ---- the rules, worked out on paper ----

/// The second operation is a read on another die of the channel, issued so long after the first: when it begins.
#[rstest]
// A read: channel in use to 7, then free, then in use again from 75007 to 79103.
#[case(
    Read,
    &[(0, 7), (6, 7), (7, 7), (8, 8), (75_006, 75_006), (75_007, 79_103), (79_102, 79_103), (79_104, 79_104)]
)]
// A program: channel in use to 4103, then free.
#[case(Program, &[(0, 4103), (4102, 4103), (4103, 4103), (4104, 4104), (754_103, 754_103)])]
fn by_hand(#[case] first: Kind, #[case] begins: &[(u64, u64)]) {
    for (issued, begin) in begins {
        let ends = timeline(&[host(first, 0, None), host(Read, *issued, None)]).unwrap();
        // Its data may have to wait for that of the first once more.
        let taken = if first == Read { COMMAND + T_R..READ } else { 0..0 };
        let data_from = begin + COMMAND + T_R;
        let data_from = if taken.contains(&data_from) { taken.end } else { data_from };
        assert_eq!(ends[1], data_from + DATA, "{first:?} at 0, a read at {issued}");
    }
}

#[test]
fn two_dies_of_a_chip_overlap() {
    for kind in [Read, Program] {
        let records = vec![request(kind, 0, 2 * STRIPE), request(kind, 0, 3 * STRIPE + OtherDie.pages())];
        let outcome = play("controller", records);
        assert!(outcome.results.simulated_ns < 2 * kind.alone() - T_R / 2, "{kind:?}: one after the other");
        let records = vec![request(kind, 0, 2 * STRIPE), request(kind, 0, 3 * STRIPE + OtherPlane.pages())];
        let outcome = play("controller", records);
        assert_eq!(
            outcome.results.simulated_ns,
            2 * kind.alone(),
            "{kind:?}: a die does one thing at a time"
        );
    }
}

// ---- host after host ----

#[test]
fn host_operation_after_host_operation() {
    let mut probes = 0;
    for first in [Read, Program] {
        for second in [Read, Program] {
            for place in EVERYWHERE {
                for issued in around(first.boundaries()) {
                    let here = host(second, issued, place.same_die().then_some(0));
                    let expected = if place == OtherChannel {
                        vec![first.alone(), issued + second.alone()]
                    } else {
                        timeline(&[host(first, 0, None), here]).expect("arrivals are in order")
                    };
                    let (one, two) = (2 * STRIPE, 3 * STRIPE + place.pages());
                    let outcome =
                        play("controller", vec![request(first, 0, one), request(second, issued, two)]);
                    let measured = [completion(&outcome, 0, one), completion(&outcome, issued, two)];
                    assert_eq!(measured[..], expected, "{first:?}, then {second:?} at {issued} on {place:?}");
                    probes += 1;
                }
            }
        }
    }
    println!("{probes} probes");
    assert!(probes > 150);
}

// ---- host and collector ----

/// A collection job of plane 0: how its victim comes about and what it is made of.
struct Chain {
    relocation: &'static str,
    /// Overwrites (numbers of pages of a plane that was filled with 0 to 15 in order) of which the last opens the
    /// last block but one.
    history: [u64; 9],
    operations: &'static [Kind],
}

const CHAINS: [Chain; 4] = [
    // Block 0 is wholly overwritten.
    Chain { relocation: "controller", history: [0, 1, 2, 3, 4, 5, 6, 7, 8], operations: &[Erase] },
    // Page 3 is left in block 0, two or more in the others.
    Chain { relocation: "copyback", history: [0, 1, 2, 4, 8, 9, 12, 13, 5], operations: &[Copyback, Erase] },
    Chain {
        relocation: "controller",
        history: [0, 1, 2, 4, 8, 9, 12, 13, 5],
        operations: &[Read, Program, Erase],
    },
    // Two pages are left in every block; block 0 has been so for longest.
    Chain {
        relocation: "copyback",
        history: [0, 1, 4, 8, 12, 5, 9, 13, 13],
        operations: &[Copyback, Copyback, Erase],
    },
];

/// Time between two writes of a history, so that the drive is at rest before each.
const REST: u64 = 10_000_000;
/// When the last of them comes: the write that starts the job. The job's first operation is queued behind it.
const TRIGGER: u64 = 8 * REST;
const JOB: u64 = TRIGGER + PROGRAM;

impl Chain {
    fn records(&self, page: u64, delay: u64) -> Vec<Record> {
        let write = |(index, number): (usize, &u64)| {
            let time = index as u64 * REST + if index == 8 { delay } else { REST / 2 * page.min(1) };
            request(Program, time, number * STRIPE + page)
        };
        self.history.iter().enumerate().map(write).collect()
    }

    /// Starts of the job's operations and ends of their stages, and its end, if nothing is in its way.
    fn boundaries(&self) -> Vec<u64> {
        let mut all = vec![JOB];
        for kind in self.operations {
            let begin = all[all.len() - 1];
            all.extend(kind.boundaries().into_iter().skip(1).map(|end| begin + end));
        }
        all
    }

    /// The write that starts the job, and the job, appended to a plan.
    fn plan(&self, plan: &mut Vec<Planned>, delay: u64) -> usize {
        plan.push(host(Program, TRIGGER + delay, None));
        for kind in self.operations {
            let before = plan.len() - 1;
            plan.push(Planned { kind: *kind, issued: 0, after: Some(before), for_gc: true, arrives: false });
        }
        plan.len() - 1
    }
}

/// Ends of the host's operation and of the job.
fn with_host(chain: &Chain, kind: Kind, issued: u64, place: Where) -> Option<[u64; 2]> {
    let mut plan = Vec::new();
    let erase = chain.plan(&mut plan, 0);
    if place == OtherChannel {
        return Some([issued + kind.alone(), timeline(&plan)?[erase]]);
    }
    let own = plan.len();
    plan.push(host(kind, issued, None));
    if place.same_die() {
        // Each operation of the job is queued when the one before it ends: the host goes before those still to come.
        let ends = timeline(&plan[..own])?;
        let before = (1..=erase).find(|index| issued < ends[*index]).unwrap_or(erase);
        plan[own].after = Some(before);
        if before < erase {
            plan[before + 1].after = Some(own);
        }
    }
    let ends = timeline(&plan)?;
    Some([ends[own], ends[erase]])
}

#[test]
fn host_operation_and_collection() {
    let (mut probes, mut undecided) = (0, 0);
    for chain in &CHAINS {
        for kind in [Read, Program] {
            // Around every boundary of the job, and so that the job's first step meets every boundary of the host's.
            let of_job = chain.boundaries();
            let last = of_job[of_job.len() - 1];
            let of_host = kind.boundaries().into_iter().map(|end| JOB - end);
            let instants = around(of_job.into_iter().chain(of_host));
            // What follows the job is another story.
            let until = if chain.operations.len() == 1 { last + 2 } else { last - T_BERS + 1 };
            for issued in instants.into_iter().filter(|issued| (TRIGGER..until).contains(issued)) {
                for place in EVERYWHERE {
                    let Some(expected) = with_host(chain, kind, issued, place) else {
                        undecided += 1;
                        continue;
                    };
                    let page = 15 * STRIPE + place.pages();
                    let mut records = chain.records(0, 0);
                    records.push(request(kind, issued, page));
                    let outcome = play(chain.relocation, records);
                    let measured = [completion(&outcome, issued, page), job_end(&outcome, 0)];
                    let relative = issued.cast_signed() - JOB.cast_signed();
                    assert_eq!(
                        measured, expected,
                        "{:?}, a {kind:?} at {relative} from its begin on {place:?}",
                        chain.operations
                    );
                    probes += 1;
                }
            }
        }
    }
    println!("{probes} probes, {undecided} undecided");
    assert!(probes > 1000 && undecided * 50 < probes, "{probes} probes, {undecided} undecided");
}

// ---- collector and collector ----

#[test]
fn two_collections_at_once() {
    let (mut probes, mut undecided) = (0, 0);
    for (one, two) in [(0, 0), (1, 0), (0, 1), (1, 1), (1, 3), (2, 2)].map(|(a, b)| (&CHAINS[a], &CHAINS[b]))
    {
        if one.relocation != two.relocation && one.operations.len() > 1 && two.operations.len() > 1 {
            continue;
        }
        let relocation = if one.operations.len() > 1 { one.relocation } else { two.relocation };
        // The second begins so much later that each of its boundaries meets each of the first.
        let delays = one
            .boundaries()
            .into_iter()
            .flat_map(|end| two.boundaries().into_iter().filter_map(move |begin| end.checked_sub(begin)));
        let delays: Vec<u64> = around(delays).into_iter().filter(|delay| *delay < 900_000).collect();
        for place in [OtherDie, OtherChip, OtherChannel] {
            for delay in &delays {
                let mut plan = Vec::new();
                let first = one.plan(&mut plan, 0);
                let second = two.plan(&mut plan, *delay);
                if place == OtherChannel {
                    plan.truncate(first + 1);
                }
                let Some(ends) = timeline(&plan) else {
                    undecided += 1;
                    continue;
                };
                let expected = if place == OtherChannel {
                    [ends[first], two.boundaries().last().unwrap() + delay]
                } else {
                    [ends[first], ends[second]]
                };
                let mut records = one.records(0, 0);
                records.extend(two.records(place.pages(), *delay));
                let outcome = play(relocation, records);
                let measured = [job_end(&outcome, 0), job_end(&outcome, place.plane())];
                assert_eq!(
                    measured, expected,
                    "{:?}, and {:?} on {place:?} {delay} later",
                    one.operations, two.operations
                );
                probes += 1;
            }
        }
    }
    println!("{probes} probes, {undecided} undecided");
    assert!(probes > 500 && undecided * 20 < probes, "{probes} probes, {undecided} undecided");
}
