//! Planes that read by themselves, and data that leave by a cache register.

use crate::common::{TestDrive, at, rows};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

const COMMAND: u64 = 7;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const READ: u64 = COMMAND + T_R + DATA;
const WRITE: u64 = COMMAND + DATA + T_PROG;

/// One die of two planes, filled: page k lies in plane k % 2.
fn two_planes(more: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    let set = [
        ("geometry.planes_per_die", "2"),
        ("flash.plane_reads", "independent"),
        ("flash.multi_plane", "any-page"),
        ("warmup.kind", "filled"),
    ];
    TestDrive::one_plane().with(&[&set, more].concat()).run(records)
}

/// While plane 0 reads, plane 1 begins a read of its own. Its data wait for those of plane 0, and for the command of
/// the next read of plane 0, which goes first; the second read of plane 1 follows when they have left.
#[test]
fn each_plane_reads_in_its_own_time() {
    let records =
        vec![at(0, Op::Read, 8, 1), at(1, Op::Read, 2, 1), at(2, Op::Read, 1, 1), at(3, Op::Read, 3, 1)];
    let outcome = two_planes(&[], records);
    let first_of_1 = READ + COMMAND + DATA;
    assert_eq!(rows(&outcome), [READ, 2 * READ - 1_000, first_of_1 - 2_000, first_of_1 + READ - 3_000]);
    assert_eq!(outcome.results.flash.multi_plane_operations, 0);
    // What the die did at any time counts once: it read until the end, and all for the host.
    let busy = outcome.results.utilisation;
    assert_eq!((busy.die, busy.die_host), (1.0, 1.0));
    // Of page 1: its wait for the channel is the host's.
    let table = outcome.requests.unwrap();
    let row = table.arrival_ns.iter().position(|time| *time == 2_000).unwrap();
    let parts = [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]];
    assert_eq!(parts, [READ + COMMAND - (2_000 + COMMAND + T_R), 0, COMMAND + DATA, T_R]);
}

/// A program waits until no plane reads any more. Meanwhile reads begin that the scheduler puts before it, and no
/// others.
#[rstest]
#[case::reads_go_first("read-first", READ + DATA, READ + DATA + WRITE)]
#[case::in_order("fcfs", READ + WRITE + READ, READ + WRITE)]
fn a_program_has_the_die_alone(#[case] scheduler: &str, #[case] read: u64, #[case] write: u64) {
    let records = vec![at(0, Op::Read, 8, 1), at(1, Op::Write, 1, 1), at(2, Op::Read, 3, 1)];
    let outcome = two_planes(&[("scheduler", scheduler)], records);
    assert_eq!(rows(&outcome), [READ, write - 1_000, read - 2_000]);
}

/// A program that is set aside for reads goes on when the last plane has read.
#[test]
fn a_program_set_aside_waits_for_all_planes() {
    let suspend = [
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "10us"),
        ("flash.suspend.t_resume", "5us"),
    ];
    // The first read comes while the data of the program move, the second has it set aside: both are served then.
    let records = vec![at(0, Op::Write, 8, 1), at(1, Op::Read, 2, 1), at(100, Op::Read, 1, 1)];
    let outcome = two_planes(&suspend, records);
    let first = 110_000 + READ;
    let second = first + DATA;
    let resumed = second + (WRITE - 100_000) + 5_000;
    assert_eq!(rows(&outcome), [resumed, first - 1_000, second - 100_000]);
    assert_eq!(outcome.results.flash.suspends, 1);
}

/// A read of which the array takes 3 us.
const FAST: u64 = COMMAND + 3_000 + DATA;

/// Reads of one plane, one behind the other. With a cache register the next array time lies under the data of the read
/// before it: reads come as fast as the slower of both allows.
#[rstest]
#[case::data_slower("3us", "true", [FAST + COMMAND, FAST + 2 * COMMAND + DATA, FAST + 2 * (COMMAND + DATA)])]
#[case::array_slower("75us", "true", [READ + COMMAND, READ + 2 * COMMAND + T_R, READ + 2 * (COMMAND + T_R)])]
#[case::without("75us", "false", [READ, 2 * READ, 3 * READ])]
fn a_cache_register_hides_the_shorter_time(
    #[case] t_read: &str,
    #[case] cache: &str,
    #[case] ends: [u64; 3],
) {
    let records = vec![at(0, Op::Read, 8, 1), at(1, Op::Read, 2, 1), at(2, Op::Read, 4, 1)];
    let outcome = two_planes(&[("flash.t_read", t_read), ("flash.cache_reads", cache)], records);
    assert_eq!(rows(&outcome), [ends[0], ends[1] - 1_000, ends[2] - 2_000]);
}

/// A program does not begin while data wait in a cache register.
#[test]
fn data_in_a_register_keep_the_die() {
    let records = vec![at(0, Op::Read, 8, 1), at(76, Op::Write, 1, 1)];
    let outcome = two_planes(&[("flash.cache_reads", "true")], records);
    assert_eq!(rows(&outcome), [READ, READ + WRITE - 76_000]);
}
