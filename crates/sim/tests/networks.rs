//! Networks beside the bus: schedules worked out by hand, to the nanosecond, and what holds on every drive.

#[path = "networks/collecting.rs"]
mod collecting;
#[path = "networks/priorities.rs"]
mod priorities;
#[path = "networks/scouts.rs"]
mod scouts;

use crate::common::prelude::*;

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
    counted(outcome, "interconnect", name)
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
