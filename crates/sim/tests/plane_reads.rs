//! Planes that read by themselves, data that leave by a cache register, and reads that fail.

use crate::common::prelude::*;

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
    let busy = &outcome.results.utilisation;
    assert_eq!((busy.die, busy.die_host), (1.0, 1.0));
    // Of page 1: its wait for the channel is the host's.
    assert_eq!(parts(&outcome, 2_000), [READ + COMMAND - (2_000 + COMMAND + T_R), 0, TRANSFER, T_R]);
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
    // Whatever holds the die is of the host.
    assert_eq!((parts(&outcome, 1_000)[1], parts(&outcome, 2_000)[1]), (0, 0));
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
    // A page that waits for the register waits for data of the host.
    assert!([0, 1_000, 2_000].iter().all(|time| parts(&outcome, *time)[1] == 0));
}

/// When a program ends, all planes begin the reads that waited for it, as soon as the channel carries their commands.
#[test]
fn every_plane_begins_as_soon_as_it_can() {
    let reads = [(1, 4), (2, 1), (3, 2)].map(|(time, page)| at(time, Op::Read, page, 1));
    let records = [vec![at(0, Op::Write, 0, 1)], reads.to_vec()].concat();
    let outcome = two_planes(&[("geometry.planes_per_die", "4")], records);
    let first = WRITE + READ;
    assert_eq!(rows(&outcome), [WRITE, first - 1_000, first + DATA - 2_000, first + 2 * DATA - 3_000]);
}

/// A program does not begin while data leave a cache register, even if it need not wait for the channel.
#[test]
fn data_in_a_register_keep_the_die() {
    let records = vec![at(0, Op::Read, 8, 1), at(76, Op::Write, 1, 1)];
    let outcome = two_planes(&[("flash.cache_reads", "true"), ("interconnect", "ideal")], records);
    assert_eq!(rows(&outcome), [READ, READ + WRITE - 76_000]);
}

/// Where every read fails, each is repeated as often as is allowed: in the array, so that the channel has it once.
#[rstest]
#[case::shared("shared")]
#[case::independent("independent")]
fn reads_that_fail_are_repeated_in_the_array(#[case] reads: &str) {
    let always = [
        ("flash.plane_reads", reads),
        ("flash.read_retry.rate", "100%"),
        ("flash.read_retry.most", "3"),
        ("flash.read_retry.t_retry", "10us"),
    ];
    let outcome = two_planes(&always, vec![at(0, Op::Read, 8, 1), at(1_000, Op::Write, 0, 1)]);
    assert_eq!(rows(&outcome), [READ + 30_000, WRITE]);
    let of_t_read =
        [("flash.plane_reads", reads), ("flash.read_retry.rate", "100%"), ("flash.read_retry.most", "2")];
    let outcome = two_planes(&of_t_read, vec![at(0, Op::Read, 8, 1)]);
    assert_eq!(rows(&outcome), [READ + 2 * T_R]);
}
