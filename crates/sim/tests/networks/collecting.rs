//! Who is in whose way where a network carries collected pages: a read of the host that waits for those waits for
//! collection, to the nanosecond, as on a bus (`tests/waiting.rs`).

use super::{COMMAND, DATA, HOP, T_PROG, T_R};
use crate::common::{TestDrive, at, spaced_writes};
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Queue, GC, transfer and array time of a read of page 1 that comes `after` the ninth of these writes to the die of
/// page 0 is done, which takes `write_ns`. A job begins there then, which moves one page and erases the block.
fn read_beside_a_job(drive: &TestDrive, write_ns: u64, after: u64) -> [u64; 4] {
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 2 * page));
    let came = 8 * 10_000_000 + write_ns + after;
    records.push(Record { time_ns: came, ..at(0, Op::Read, 1, 1) });
    let outcome = drive.run(records);
    let log = outcome.gc_log.as_ref().expect("recorded");
    assert_eq!((log.start_ns[0], log.valid_pages[0]), (8 * 10_000_000, 1));
    let table = outcome.requests.as_ref().unwrap();
    let row = (0..table.op.len()).find(|row| table.arrival_ns[*row] == came).unwrap();
    [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]]
}

/// So many chips in a row and so many dies in each: two dies in all.
fn row_of(chips: u32, interconnect: &str) -> TestDrive {
    TestDrive::of([1, chips, 2 / chips, 1])
        .set("geometry.blocks_per_plane", "8")
        .set("warmup.kind", "filled")
        .set("interconnect", format!("{{ {interconnect}, hop = \"10ns\" }}"))
}

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
    let parts = read_beside_a_job(&row_of(2, interconnect), COMMAND + DATA + T_PROG, after);
    assert_eq!(parts, [0, waited, COMMAND + DATA + 2 * HOP, T_R]);
}

/// The collector's own controller at the second chip: over the only link, data of the job is on its way from 75,017 to
/// 79,123 and that of the program until 83,236. Circuits that lead to another chip are nobody's account but the queue's
/// (12.20).
#[rstest]
#[case(76_000, 83_236 - 76_000)]
#[case(90_000, 0)]
fn a_link_that_the_collector_has_counts_as_taken_by_anybody(#[case] after: u64, #[case] waited: u64) {
    let drive = row_of(2, "kind = \"venice-priority\", gc_controller = \"extra\"");
    let parts = read_beside_a_job(&drive, COMMAND + DATA + T_PROG, after);
    assert_eq!(parts, [waited, 0, COMMAND + DATA + 2 * HOP, T_R]);
}

/// Two dies of a chip, which has one port: the collector's circuits lead there.
#[rstest]
#[case(76_000, 83_206 - 76_000)]
#[case(90_000, 0)]
fn a_port_that_the_collector_has_is_waited_for_on_its_account(#[case] after: u64, #[case] waited: u64) {
    let drive = row_of(1, "kind = \"venice-priority\", gc_controller = \"extra\"");
    let parts = read_beside_a_job(&drive, COMMAND + DATA + T_PROG, after);
    assert_eq!(parts, [0, waited, COMMAND + DATA, T_R]);
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
    let drive = TestDrive::of([1, 1, 2, 1])
        .set("geometry.blocks_per_plane", "8")
        .set("warmup.kind", "filled")
        .set("interconnect", "pnssd")
        .set(&format!("interconnect.{way}"), true);
    let half = |ns: u64| if way == "split" { ns.div_ceil(2) } else { ns };
    let parts = read_beside_a_job(&drive, half(COMMAND + DATA) + T_PROG, after);
    assert_eq!(parts, [0, waited, half(COMMAND) + half(DATA), T_R]);
}
