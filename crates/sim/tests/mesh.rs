//! A mesh of routers: what a transfer takes, what shares links and what does not, to the nanosecond.

#[path = "mesh/gc_controllers.rs"]
mod gc_controllers;

use crate::common::prelude::*;
use reclaim_sim::building::BuildContext;
use reclaim_sim::ids::{DieId, JobId};
use reclaim_sim::interconnect::{Busy, Direction, Interconnect, MEMBERS, Transfer};
use reclaim_sim::time::{Nanos, SimTime};

/// Channels and chips of each; page k is on chip k, which hangs on router k.
fn drive(dimensions: [u32; 4], set: &[(&str, &str)]) -> TestDrive {
    TestDrive::of(dimensions)
        .with(&[("ftl.allocation.order", "DWCP"), ("warmup.kind", "filled")])
        .with(&[("interconnect", "mesh"), ("interconnect.hop", "10ns")])
        .with(set)
}

/// One operation on each chip of a mesh, the drive at rest before it: each transfer takes its hops, twice for a read.
#[rstest]
// A controller at the left end of every row.
#[case([3, 4, 1, 1], &[], [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], 3)]
// One that is nearest to everything, in the middle of the second of three rows.
#[case([3, 4, 1, 1], &[("interconnect.controllers", "[[1, 1]]")], [2, 1, 2, 3, 1, 0, 1, 2, 2, 1, 2, 3], 1)]
// Two rows of six on the same drive: the mesh need not look like the channels. The nearer of two corners.
#[case(
    [3, 4, 1, 1],
    &[
        ("interconnect.rows", "2"),
        ("interconnect.columns", "6"),
        ("interconnect.controllers", "[[0, 0], [1, 5]]"),
    ],
    [0, 1, 2, 3, 2, 1, 1, 2, 3, 2, 1, 0],
    2
)]
fn every_link_on_the_way_adds_its_time(
    #[case] dimensions: [u32; 4],
    #[case] set: &[(&str, &str)],
    #[case] hops: [u64; 12],
    #[case] controllers: usize,
) {
    for op in [Op::Read, Op::Write] {
        let records = (0..12).map(|chip| at(chip * 10_000, op, chip, 1)).collect();
        let outcome = drive(dimensions, set).run(records);
        let one = |hops: &u64| match op {
            Op::Read => COMMAND + hops * HOP + T_R + DATA + hops * HOP,
            _ => TRANSFER + hops * HOP + T_PROG,
        };
        assert_eq!(rows(&outcome), hops.iter().map(one).collect::<Vec<_>>(), "{op:?}");
        let booked =
            (0..12).map(|chip| parts(&outcome, chip * 10_000_000)).map(|[_, _, way, array]| way + array);
        assert!(booked.eq(hops.iter().map(one)), "all of it transfer and array time");
        let travelled = hops.iter().sum::<u64>() * if op == Op::Read { 2 } else { 1 };
        let found = counters(&outcome, "interconnect", ["hops_travelled", "refused_transfers"]);
        assert_eq!(found, [travelled, 0], "{op:?}");
        assert_eq!(outcome.results.utilisation.per_channel.len(), controllers);
    }
}

const ROW: [(&str, &str); 1] = [("interconnect.controllers", "[[0, 0], [0, 3]]")];

fn reads(chips: &[u64]) -> Vec<Record> {
    chips.iter().map(|chip| at(0, Op::Read, *chip, 1)).collect()
}

/// Latency of reads that come at the same instant, by chip.
fn together(dimensions: [u32; 4], set: &[(&str, &str)], chips: &[u64]) -> Vec<u64> {
    rows(&drive(dimensions, set).run(reads(chips)))
}

/// A row of four chips with a controller at either end. Chip 2 is a hop from the right one.
#[test]
fn who_needs_a_link_that_is_taken_waits_for_it() {
    let set = [&ROW[..], &[("interconnect.entry", "nearest-free")]].concat();
    // The second could come from the left, but for the link between chips 2 and 3, which the first has: first its
    // command until 17, then its data from 75,017 to 79,123.
    let data = COMMAND + HOP + T_R + DATA + HOP;
    assert_eq!(together([1, 4, 1, 1], &set, &[2, 3]), [data, data + DATA]);
}

#[test]
fn the_nearest_free_controller_is_taken_where_the_own_is_busy() {
    let free = [&ROW[..], &[("interconnect.entry", "nearest-free")]].concat();
    let near = COMMAND + T_R + DATA;
    // Chip 2 is two hops from the left end, and nothing of that is taken.
    let far = near + 2 * 2 * HOP;
    assert_eq!(together([1, 4, 1, 1], &free, &[3, 2]), [far, near]);
    // From the own one it waits for the data of the other.
    assert_eq!(together([1, 4, 1, 1], &ROW, &[3, 2]), [near + DATA + HOP, near]);
}

/// Two rows: what waits in one is no matter to the other, and who comes goes ahead of those who wait for other things.
#[test]
fn transfers_on_disjoint_links_overlap() {
    let first = COMMAND + T_R + DATA;
    let second = first + DATA + HOP;
    assert_eq!(together([2, 2, 1, 1], &[], &[0, 1, 2, 3]), [first, second, first, second]);
    // On one bus each would wait for three others.
    assert_eq!(together([2, 2, 1, 1], &[], &[0, 2]), [first, first]);
}

/// Chip 0 reads until 79,103 and has a program to begin then, which came first; that of chip 1 waits since 76,000 for
/// the row that both need. Whoever goes second begins when the first has sent its data.
#[rstest]
#[case("newcomers-first", 79_103, 79_103 + TRANSFER)]
#[case("waiting-first", 79_103 + TRANSFER + HOP, 79_103)]
fn those_who_wait_or_whoever_comes_asks_first(
    #[case] order: &str,
    #[case] newcomer: u64,
    #[case] waiting: u64,
) {
    let records = vec![at(0, Op::Read, 0, 1), at(1, Op::Write, 0, 1), at_ns(76_000, Op::Write, 1)];
    let outcome = drive([1, 2, 1, 1], &[("interconnect.order", order)]).run(records);
    let ended = |begin: u64| begin + TRANSFER + T_PROG;
    let expected = [79_103, ended(newcomer) - 1_000, ended(waiting) + HOP - 76_000];
    assert_eq!(rows(&outcome), expected);
}

/// Data leaves a chip over one port, from wherever it is fetched.
#[rstest]
#[case("true", COMMAND + T_R + DATA + DATA)]
#[case("false", 2 * (COMMAND + T_R + DATA))]
fn dies_of_a_chip_share_its_port(#[case] dies_overlap: &str, #[case] second: u64) {
    let set = [
        ("flash.dies_overlap", dies_overlap),
        ("interconnect.controllers", "[[0, 0], [0, 1]]"),
        ("interconnect.entry", "nearest-free"),
    ];
    assert_eq!(together([1, 2, 2, 1], &set, &[0, 1]), [COMMAND + T_R + DATA, second]);
    // Dies of two chips do not.
    let apart = COMMAND + T_R + DATA;
    assert_eq!(together([1, 2, 2, 1], &set, &[0, 2]), [apart, apart]);
}

/// A read waits for data of a page that is relocated: for the collector, not for the host. Two chips in a row; as in
/// tests/waiting.rs the job of chip 0 reads, its data is on the way from 75,007 to 79,103 after that, and that of the
/// program behind it until 83,206.
#[rstest]
// The program asks at 79,103, when the die is done with the read, and before those who wait are woken.
#[case(76_000, 83_206 - 76_000)]
#[case(80_000, 3_206)]
#[case(90_000, 0)]
fn waiting_for_a_circuit_of_the_collector_is_its_fault(#[case] after: u64, #[case] waited: u64) {
    let drive = drive([1, 2, 1, 1], &[("geometry.blocks_per_plane", "8")]);
    let outcome = drive.run([nine_of(2), vec![at_ns(JOB + after, Op::Read, 1)]].concat());
    assert_eq!(parts(&outcome, JOB + after), [0, waited, TRANSFER + 2 * HOP, T_R]);
}

/// The mesh by itself: a row of four chips with a controller at either end.
fn row_of_four(entry: &str) -> Box<dyn Interconnect> {
    let config = drive([1, 4, 1, 1], &[&ROW[..], &[("interconnect.entry", entry)]].concat()).config();
    let context = BuildContext::new(&config, &Geometry::new(&config).unwrap());
    MEMBERS.build_checked(&config.interconnect, &context)
}

fn to(chip: u32) -> Transfer {
    Transfer::new(DieId(chip), false, Direction::ToFlash, JobId::NONE)
}

/// What is needed falls free one by one: the time named is when the last of it does.
#[test]
fn a_refusal_names_the_end_of_all_that_is_taken() {
    let mut mesh = row_of_four("own");
    let now = SimTime(0);
    let right = mesh.reserve(now, &to(3)).unwrap();
    assert_eq!(mesh.reserve(now, &to(2)), Err(Busy { until: None }), "nobody knows how long yet");
    assert_eq!(mesh.send(now, right, &to(3), Nanos(100)), SimTime(100));
    assert_eq!(mesh.reserve(now, &to(2)), Err(Busy { until: Some(SimTime(100)) }));
    // The left one goes to chip 1 over a link, which is a hop.
    let left = mesh.reserve(now, &to(1)).unwrap();
    assert_eq!(mesh.send(now, left, &to(1), Nanos(100)), SimTime(100 + HOP));
    assert_eq!(mesh.reserve(SimTime(99), &to(2)), Err(Busy { until: Some(SimTime(100)) }));
    assert_eq!(mesh.links().unwrap().reserved(SimTime(100)), (1, 0), "the link is taken until 110");
    assert!(mesh.reserve(SimTime(100), &to(2)).is_ok());
    assert_eq!(
        mesh.links().unwrap().reserved(SimTime(110)),
        (2, 1),
        "and that of chip 2 while nobody knows how long"
    );
}

/// Of several controllers the time is that of the one which could first; none while one's is not known.
#[test]
fn a_refusal_of_several_controllers_names_the_earliest() {
    let mut mesh = row_of_four("nearest-free");
    let now = SimTime(0);
    let right = mesh.reserve(now, &to(3)).unwrap();
    mesh.send(now, right, &to(3), Nanos(100));
    let left = mesh.reserve(now, &to(0)).unwrap();
    assert_eq!(mesh.reserve(now, &to(2)), Err(Busy { until: None }), "though the right one's is known");
    mesh.send(now, left, &to(0), Nanos(300));
    assert_eq!(mesh.reserve(now, &to(2)), Err(Busy { until: Some(SimTime(100)) }));
    // Chip 0 itself is taken until 300, wherever the transfer comes from.
    assert_eq!(mesh.reserve(now, &to(0)), Err(Busy { until: Some(SimTime(300)) }));
    // From the right end over two links, of which the left one needs the second for chip 2.
    let across = mesh.reserve(SimTime(100), &to(1)).unwrap();
    assert_eq!(mesh.send(SimTime(100), across, &to(1), Nanos(500)), SimTime(600 + 2 * HOP));
    assert_eq!(mesh.reserve(SimTime(300), &to(2)), Err(Busy { until: Some(SimTime(620)) }));
    assert!(mesh.reserve(SimTime(300), &to(0)).is_ok(), "the left one is free, and no link is needed");
    assert_eq!(mesh.busy_time(), [Nanos(300), Nanos(100 + 500 + 2 * HOP)]);
}
