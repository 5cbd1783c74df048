//! Networks beside the bus: schedules worked out by hand, to the nanosecond, and what holds on every drive.

#[path = "networks/collecting.rs"]
mod collecting;
#[path = "networks/priorities.rs"]
mod priorities;
#[path = "networks/scouts.rs"]
mod scouts;

use std::ops::ControlFlow;

use crate::common::hostile::{on_a_network, records, widened};
use crate::common::{TestDrive, at, rows};
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::{Outcome, RunOptions, simulate};
use reclaim_trace::{Op, Trace};
use rstest::rstest;

// The drive of these tests: 7 cycles of 1 ns, one byte per ns, 75 us, 750 us.
const COMMAND: u64 = 7;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const HOP: u64 = 10;

/// Two rows of three chips, a controller at the left end of each; page k is on chip k.
fn drive(set: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([2, 3, 1, 1])
        .with(&[("ftl.allocation.order", "DWCP"), ("warmup.kind", "filled"), ("ftl.allocation", "striping")])
        .with(set)
}

fn on(kind: &str, set: &[(&str, &str)]) -> TestDrive {
    let hop: &[(&str, &str)] = if ["nossd", "venice", "venice-priority", "smartnetssd"].contains(&kind) {
        &[("interconnect.hop", "10ns")]
    } else {
        &[]
    };
    drive(&[&[("interconnect", kind)], hop, set].concat())
}

fn counter(outcome: &Outcome, name: &str) -> u64 {
    outcome.results.policies["interconnect"][name].value
}

/// Latency of reads that come at the same instant in this order of chips, by chip.
fn together(kind: &str, set: &[(&str, &str)], chips: &[u64]) -> Vec<u64> {
    rows(&on(kind, set).run(chips.iter().map(|chip| at(0, Op::Read, *chip, 1)).collect()))
}

/// GC bypass, equation (1): (distance + bytes / width) times the latency of a link, for a command and for data, on a
/// network where nobody else is.
#[rstest]
fn an_empty_mesh_takes_what_equation_1_says(
    #[values("venice", "venice-priority", "nossd")] kind: &str,
    #[values(Op::Read, Op::Write)] op: Op,
) {
    let outcome = on(kind, &[]).run((0..6).map(|chip| at(chip * 10_000, op, chip, 1)).collect());
    let hops = [0, 1, 2, 0, 1, 2];
    let one = |hops: &u64| match op {
        Op::Read => (hops * HOP + COMMAND) + T_R + (hops * HOP + DATA),
        _ => (hops * HOP + COMMAND + DATA) + T_PROG,
    };
    assert_eq!(rows(&outcome), hops.iter().map(one).collect::<Vec<_>>());
    let times = if op == Op::Read { 2 } else { 1 };
    assert_eq!(counter(&outcome, "hops_travelled"), 6 * times);
    assert_eq!(counter(&outcome, "refused_transfers"), 0);
}

/// Width: half a page over each of two circuits, of which the longer one counts.
#[test]
fn an_empty_network_that_splits_takes_the_longer_half() {
    let outcome =
        on("smartnetssd", &[]).run((0..3).map(|chip| at(chip * 10_000, Op::Read, chip, 1)).collect());
    // Around: down, along and up again. At the controller's own router there is no way around.
    let [one, two] = [3, 4].map(|hops| hops * HOP);
    let half = COMMAND.div_ceil(2);
    let expected =
        [COMMAND + T_R + DATA, half + one + T_R + DATA / 2 + one, half + two + T_R + DATA / 2 + two];
    assert_eq!(rows(&outcome), expected);
    assert_eq!(counter(&outcome, "hops_travelled"), 2 * (1 + 3 + 2 + 4));
}

#[rstest]
// The second goes from the other controller: it is three links away, whichever way its scout takes.
#[case("venice", &[], &[1, 2], vec![79_123, 79_163])]
// The third, of the first controller's own router, waits until 17 to be sent, and for its data takes the other
// controller, from which it is one link; the data of the second waits for the first controller until 79,123.
#[case("venice", &[], &[1, 2, 0], vec![79_130, 79_123, 83_239])]
// Packets of half the length, one after the other.
#[case("pssd", &[], &[0, 1], vec![77_052, 79_100])]
#[case("pssd", &[], &[0, 1, 2], vec![77_052, 79_100, 81_148])]
#[case("pssd", &[("interconnect.packet_header", "5ns")], &[0, 1], vec![77_062, 79_115])]
// Two to the same row: one of them over the bus of its column.
#[case("pnssd", &[], &[1, 2], vec![79_103, 79_103])]
// Both buses of chip 2 are taken: the row's by chip 1, the column's by chip 5, whose row chip 4 has.
#[case("pnssd", &[], &[1, 4, 5, 2], vec![79_103, 83_199, 79_103, 79_103])]
#[case("pnssd", &[("interconnect.split", "true")], &[1], vec![77_052])]
#[case("pnssd", &[("interconnect.split", "true")], &[1, 2], vec![77_052, 79_103])]
#[case("pnssd", &[("interconnect.spatial_gc", "true")], &[1, 2], vec![79_103, 83_199])]
// The data of the second waits in the buffer of router 1 from 75,044 until the link behind that is free at 79,113.
#[case("nossd", &[], &[1, 2], vec![79_123, 83_219])]
// Data of the third, at 75,021, finds the time of the controller's port taken by that of the first until 79,123, and
// that of the second comes there after it.
#[case("nossd", &[], &[1, 2, 0], vec![83_219, 79_123, 87_315])]
// The first has both links of router 3, where the other controller is, so that a scout from there turns around at once.
#[case("smartnetssd", &[], &[1, 2], vec![77_112, 79_200])]
fn conflicting_transfers_take_the_schedule_worked_out_by_hand(
    #[case] kind: &str,
    #[case] set: &[(&str, &str)],
    #[case] chips: &[u64],
    #[case] latencies: Vec<u64>,
) {
    assert_eq!(together(kind, set, chips), latencies);
}

/// One after the other, what is to be done does not depend on the network that carries it.
#[test]
fn at_queue_depth_one_every_network_carries_the_same_operations() {
    let mut seen = Vec::new();
    for kind in ["bus", "pssd", "pnssd", "nossd", "mesh", "venice", "venice-priority", "smartnetssd", "ideal"]
    {
        let drive = drive(&[("interconnect", kind), ("geometry.blocks_per_plane", "10")]);
        let mut state = 12_345_u64;
        let pages = (0..3_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % 100
        });
        let ten_ms_apart = pages
            .enumerate()
            .map(|(k, page)| at(k as u64 * 10_000, if k % 3 == 0 { Op::Read } else { Op::Write }, page, 1));
        let outcome = drive.run(ten_ms_apart.collect());
        let flash = &outcome.results.flash;
        let all = [flash.host_reads, flash.host_programs, flash.gc_reads, flash.gc_programs, flash.erases];
        assert!(flash.gc_programs > 500, "{kind}: {all:?}");
        seen.push((kind, all, outcome.results.gc.jobs));
    }
    for (kind, all, jobs) in &seen[1..] {
        assert_eq!((all, jobs), (&seen[0].1, &seen[0].2), "{kind}");
    }
}

#[rstest]
#[case("venice", &[("ports_tried", "0")], "ports_tried 0: a router tries one at least")]
#[case(
    "venice",
    &[("hop", "0ns"), ("resend", "at-once")],
    "hop 0ns: a scout that goes again at once takes time"
)]
#[case(
    "venice",
    &[("rows", "1")],
    "rows 1, columns 3: 3 routers, but the drive has 6 chips; each needs one of its own"
)]
#[case("venice", &[("chips", "[[0, 0]]")], "chips: 1 places for 6 chips")]
#[case("venice", &[("controllers", "[]")], "controllers: the list is empty; at least one, [row, column]")]
#[case(
    "nossd",
    &[("controllers", "[[2, 0]]")],
    "controllers: [2, 0] is outside the mesh of 2 rows and 3 columns, counted from 0"
)]
#[case("smartnetssd", &[("paths", "5")], "paths 5: from 1 to 4, the ports of a router")]
#[case("pssd", &[("speed", "0")], "speed 0: from 1 to 64")]
#[case(
    "venice-priority",
    &[("gc_controller", "dedicated"), ("controllers", "[[0, 0]]")],
    "gc_controller dedicated: the host is left without a controller; give two controllers at least, or \
     gc_controller = \"extra\""
)]
#[case(
    "venice-priority",
    &[("gc_controller", "shared"), ("gc_at", "[0, 1]")],
    "gc_at [0, 1]: a shared collector has no controller of its own; leave it out, or use gc_controller = \
     \"extra\""
)]
#[case(
    "venice-priority",
    &[("elevate_after", "0")],
    "elevate_after 0: nothing would be of low priority; from 1"
)]
#[case(
    "venice-priority",
    &[("gc_at", "[7, 0]")],
    "gc_at: [7, 0] is outside the mesh of 2 rows and 3 columns, counted from 0"
)]
#[case(
    "pnssd",
    &[("split", "true"), ("spatial_gc", "true")],
    "split = true: with spatial_gc = true a transfer has one bus only"
)]
fn what_makes_no_network_is_refused(
    #[case] kind: &str,
    #[case] parameters: &[(&str, &str)],
    #[case] expected: &str,
) {
    let mut set = vec![
        ("geometry.channels".to_owned(), "2".to_owned()),
        ("geometry.chips_per_channel".to_owned(), "3".to_owned()),
        ("interconnect".to_owned(), kind.to_owned()),
    ];
    set.extend(parameters.iter().map(|(key, value)| (format!("interconnect.{key}"), (*value).to_owned())));
    let error = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set }).unwrap_err();
    let (message, expected) = (error.to_string(), format!("interconnect: {expected}"));
    assert!(message.ends_with(&expected), "{message}");
}

/// Routers without a chip carry transfers all the same: two more rows, each with a controller, let four reads of one
/// row begin at once.
#[test]
fn routers_without_chips_carry_what_goes_elsewhere() {
    let wide = [("interconnect.rows", "4")];
    let outcome = on("venice", &wide).run((0..3).map(|chip| at(0, Op::Read, chip, 1)).collect());
    assert_eq!(counter(&outcome, "refused_transfers"), 0, "four controllers for three reads");
    assert_eq!(outcome.results.utilisation.per_channel.len(), 4);
    let narrow = on("venice", &[]).run((0..3).map(|chip| at(0, Op::Read, chip, 1)).collect());
    assert!(counter(&narrow, "refused_transfers") > 0, "two");
}

/// Whatever else is chosen: nothing waits for ever, and every link that was reserved is free at the end.
#[test]
fn random_drives_come_to_rest_with_every_link_free() {
    let (mut runs, mut refused, mut turned) = (0, 0, 0);
    for seed in 1..=300 {
        let set = on_a_network(widened(seed), seed);
        let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.clone() };
        // Some drives are a page beyond the edge.
        let Ok(config) = load(&request) else { continue };
        let pages = reclaim_sim::derive_facts(&config, None).logical_pages;
        let trace = Trace::from_records("hostile", records(seed, pages, 700));
        let options = RunOptions { audit: true, audit_every: Some(211), ..RunOptions::default() };
        let outcome = simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(()));
        let outcome = outcome.unwrap_or_else(|error| panic!("{seed}: {error}\n{set:?}"));
        runs += 1;
        refused += counter(&outcome, "refused_transfers");
        if outcome.results.policies["interconnect"].contains_key("scouts_turned") {
            turned += counter(&outcome, "scouts_turned");
        }
    }
    assert!(
        runs > 200 && refused > 10_000 && turned > 500,
        "{runs} runs, {refused} refused, {turned} turned"
    );
}
