//! Collection jobs to the nanosecond: when they go on, how many moves they keep under way, who may interrupt them,
//! whose data has the channel first.

use crate::common::{TestDrive, at, rows, spaced_writes};
use reclaim_trace::{Op, Record};
use rstest::rstest;

const READ: u64 = 7 + 75_000 + 4096;
const WRITE: u64 = 7 + 4096 + 750_000;
const ERASE: u64 = 5 + 3_800_000;

/// Writes pages 0 to 15 in turn, so many in all; block k is full after 4k + 4 of them and empty after 4k + 20.
fn rounds(count: u64) -> Vec<u64> {
    (0..count).map(|k| k % 16).collect()
}

/// One plane of 16 blocks of 4 pages, of which the host sees 16.
const MUCH_SPARE: [(&str, &str); 1] = [("geometry.spare_factor", "75%")];

/// The 57th write opens block 14 and leaves one free block: collection starts. Blocks 0 to 9 are empty, so that every
/// job only erases, and reclaims a block.
#[rstest]
#[case::above_the_start_level(&[], &[2])]
#[case::above_a_level_of_its_own(&[("gc.trigger.stop", "3 blocks")], &[2, 3, 4])]
fn collection_goes_on_until_more_than_the_stop_level_is_free(
    #[case] stop: &[(&str, &str)],
    #[case] expected: &[u32],
) {
    let outcome = TestDrive::one_plane().with(&[&MUCH_SPARE, stop].concat()).run(spaced_writes(&rounds(57)));
    let log = outcome.gc_log.unwrap();
    assert_eq!(log.free_blocks_after, expected);
    let blocks: Vec<u32> = (0..expected.len() as u32).collect();
    assert_eq!(log.victim_block, blocks, "the one left unchanged longest");
    // One after the other, when the write that started it lets go of the die.
    let begin = 56 * 10_000_000 + WRITE;
    let ends: Vec<u64> = (1..=expected.len() as u64).map(|k| begin + k * ERASE).collect();
    assert_eq!(log.end_ns, ends);
}

/// Eight blocks; pages 0 to 15 in order, then these again: two are left valid in each of the first four blocks, and
/// block 0 has been left alone for longest. The last one opens block 6 and starts collection.
const TWO_IN_EACH: [u64; 9] = [0, 1, 4, 8, 12, 5, 9, 13, 13];

/// Pages 2 and 3 are left in block 0. The host writes page 3 a microsecond after the write that started the job: the
/// job has queued its move only if it keeps two under way.
#[rstest]
#[case("1", 0)]
#[case("2", 1)]
#[case("3", 1)]
fn a_job_keeps_so_many_moves_under_way(#[case] pages_in_flight: &str, #[case] dropped: u64) {
    let set = [("geometry.blocks_per_plane", "8"), ("gc.pages_in_flight", pages_in_flight)];
    let pages: Vec<u64> = (0..16).chain(TWO_IN_EACH).collect();
    let mut records = spaced_writes(&pages);
    let trigger = records[24].time_ns;
    records.push(Record { time_ns: trigger + 1_000, ..at(0, Op::Write, 3, 1) });
    let outcome = TestDrive::one_plane().with(&set).run(records);
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.victim_block[0], log.valid_pages[0]), (0, 2));
    assert_eq!(outcome.results.gc.dropped_moves, dropped);
    // One move, whatever became of the other, after the write that started it.
    assert_eq!(log.end_ns[0] - log.start_ns[0], WRITE + READ + WRITE + ERASE);
}

const SUSPEND: [(&str, &str); 3] =
    [("flash.suspend.erase", "true"), ("flash.suspend.t_suspend", "20us"), ("flash.suspend.t_resume", "5us")];

/// A read comes 0.1 ms after the erase of a job began. Latency of the read, time from the begin of the erase to its
/// end.
fn read_during_an_erase(start: &str, writes: u64) -> (u64, u64) {
    let set = [&MUCH_SPARE, &SUSPEND[..], &[("gc.trigger.start", start), ("gc.trigger.hard", "1 block")]];
    let mut records = spaced_writes(&rounds(writes));
    let begin = records[records.len() - 1].time_ns + WRITE;
    records.push(Record { time_ns: begin + 100_000, ..at(0, Op::Read, 15, 1) });
    let outcome = TestDrive::one_plane().with(&set.concat()).run(records);
    let log = outcome.gc_log.as_ref().unwrap();
    assert_eq!(log.valid_pages, [0]);
    (rows(&outcome).pop().unwrap(), log.end_ns[0] - begin)
}

#[test]
fn a_read_suspends_an_erase_unless_its_plane_is_short_of_space() {
    // Two free blocks are left when the 53rd write starts collection: nothing is urgent.
    let suspended = 20_000 + READ;
    assert_eq!(read_during_an_erase("2 blocks", 53), (suspended, ERASE + suspended + 5_000));
    // One is left after the 57th: the read waits until the erase is over.
    assert_eq!(read_during_an_erase("1 block", 57), (ERASE - 100_000 + READ, ERASE));
}

/// Three chips of one die on one channel, all pages written in order. On chip 0 a job reads page 3 from block 0 while a
/// read on chip 1 and a write on chip 2 want the channel.
///
/// The job's read begins at 0: its data is ready at 75,007. The host's read comes at 1,000: its data is ready at
/// 76,007. The write has the channel from 74,000 to 78,103, so both wait. The host's data goes first, to 82,199; the
/// job's to 86,295.
#[rstest]
#[case("commands-first")]
#[case("data-first")]
fn data_for_the_host_goes_before_data_of_moved_pages(#[case] order: &str) {
    let set = [
        ("geometry.chips_per_channel", "3"),
        ("geometry.blocks_per_plane", "8"),
        ("channel.order", order),
        ("warmup.kind", "filled"),
    ];
    // Page k of chip 0 is page 3k of the drive.
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 3 * page));
    let begin = records[8].time_ns + WRITE;
    records.push(Record { time_ns: begin + 1_000, ..at(0, Op::Read, 1, 1) });
    records.push(Record { time_ns: begin + 74_000, ..at(0, Op::Write, 2, 1) });
    let outcome = TestDrive::one_plane().with(&set).run(records);
    assert_eq!(outcome.results.requests.read.max_ns, 82_199 - 1_000);
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.victim_block[0], log.valid_pages[0]), (0, 1));
    assert_eq!(log.end_ns[0] - begin, 86_295 + WRITE + ERASE);
}
