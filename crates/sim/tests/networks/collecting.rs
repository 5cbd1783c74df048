//! Who is in whose way where a network carries collected pages: a read of the host that waits for those waits for
//! collection, to the nanosecond, as on a bus (`tests/waiting.rs`).

use crate::common::prelude::*;

/// The parts of a read of page 1 that comes `after` the ninth of nine writes to the die of page 0 is done, which takes
/// `write_ns`, and a job begins there.
fn read_beside_a_job(drive: &TestDrive, write_ns: u64, after: u64) -> [u64; 4] {
    let came = 8 * 10_000_000 + write_ns + after;
    let drive = drive.clone().set("geometry.blocks_per_plane", 8).set("warmup.kind", "filled");
    let outcome = drive.run([nine_of(2), vec![at_ns(came, Op::Read, 1)]].concat());
    let log = outcome.gc_log.as_ref().expect("recorded");
    assert_eq!((log.start_ns[0], log.valid_pages[0]), (8 * 10_000_000, 1));
    parts(&outcome, came)
}

/// So many chips in a row and so many dies in each: two dies in all.
fn row_of(chips: u32, interconnect: &str) -> TestDrive {
    TestDrive::of([1, chips, 2 / chips, 1])
        .set("interconnect", format!("{{ {interconnect}, hop = \"10ns\" }}"))
}

const EXTRA: &str = "kind = \"venice-priority\", gc_controller = \"extra\"";

/// Two chips in a row, the controller at the first. Its port is taken by data of the job from 75,007 to 79,103, and
/// then, because the die asks before those who wait are woken, by that of the program until 83,206.
#[rstest]
#[case(76_000, 83_206 - 76_000)]
#[case(80_000, 3_206)]
#[case(90_000, 0)]
fn a_controller_that_the_collector_has_is_waited_for_on_its_account(
    #[values(
        "kind = \"nossd\"",
        "kind = \"venice\"",
        "kind = \"venice-priority\", gc_controller = \"shared\""
    )]
    interconnect: &str,
    #[case] after: u64,
    #[case] waited: u64,
) {
    let found = read_beside_a_job(&row_of(2, interconnect), WRITE, after);
    assert_eq!(found, [0, waited, TRANSFER + 2 * HOP, T_R]);
}

/// The collector's own controller at the second chip: over the only link, data of the job is on its way from 75,017 to
/// 79,123 and that of the program until 83,236. Circuits that lead to another chip are nobody's account but the queue's
/// (12.20). Two dies of a chip have one port: the collector's circuits lead there.
#[rstest]
#[case(2, 76_000, [83_236 - 76_000, 0])]
#[case(2, 90_000, [0, 0])]
#[case(1, 76_000, [0, 83_206 - 76_000])]
#[case(1, 90_000, [0, 0])]
fn a_link_counts_as_taken_by_anybody_but_the_port_of_a_chip_does_not(
    #[case] chips: u32,
    #[case] after: u64,
    #[case] waited: [u64; 2],
) {
    let found = read_beside_a_job(&row_of(chips, EXTRA), WRITE, after);
    let hops = if chips == 2 { 2 * HOP } else { 0 };
    assert_eq!(found, [waited[0], waited[1], TRANSFER + hops, T_R]);
}

/// Two dies of a chip that has two buses. Split over both, a command takes 4 ns, data 2,048 and both 2,052: the job has
/// both buses from 75,004 to 79,104 after it began. On a bus of its own it is in nobody's way.
#[rstest]
#[case("split", 76_000, 3_104)]
#[case("split", 78_000, 1_104)]
#[case("split", 90_000, 0)]
#[case("spatial_gc", 76_000, 0)]
fn buses_that_the_collector_has_are_waited_for_on_its_account(
    #[case] way: &str,
    #[case] after: u64,
    #[case] waited: u64,
) {
    let drive = TestDrive::of([1, 1, 2, 1]).set("interconnect", "pnssd");
    let half = |ns: u64| if way == "split" { ns.div_ceil(2) } else { ns };
    let found =
        read_beside_a_job(&drive.set(&format!("interconnect.{way}"), true), half(TRANSFER) + T_PROG, after);
    assert_eq!(found, [0, waited, half(COMMAND) + half(DATA), T_R]);
}
