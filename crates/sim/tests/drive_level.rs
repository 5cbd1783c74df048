//! `gc.trigger.of = "drive"`: collection starts by the free blocks of all planes together.

use crate::common::prelude::*;

/// Three chips of one plane of 16 blocks, 96 pages: page k is in plane k mod 3, which has 32 of them, four in a block.
fn drive(of: &str) -> TestDrive {
    TestDrive::of([3, 1, 1, 1])
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("gc.trigger.of", of)
}

/// Planes, and the write of [`in_turn`] with which a job of each began, ordered by that.
fn jobs(log: &GcLog) -> Vec<(u64, u32)> {
    let mut jobs: Vec<_> =
        log.start_ns.iter().map(|start| start / 10_000_000).zip(log.plane.iter().copied()).collect();
    jobs.sort_unstable();
    jobs
}

/// Pages 0 to 95, and again, ten milliseconds apart.
fn in_turn(count: u64) -> Vec<Record> {
    spaced_writes(&(0..count).map(|k| k % 96).collect::<Vec<_>>())
}

/// Writes 132, 133 and 134 open the twelfth block of planes 0, 1 and 2, which have four free ones then, twelve of all.
/// Each plane by itself collects at its own write; the drive with the last of them, all planes at once. So fifteen are
/// free, and writes 144, 145 and 146 open the thirteenth blocks, which makes twelve again.
#[rstest]
#[case("plane", [(132, 0), (133, 1), (134, 2), (144, 0), (145, 1), (146, 2)])]
#[case("drive", [(134, 0), (134, 1), (134, 2), (146, 0), (146, 1), (146, 2)])]
fn planes_collect_when_the_drive_is_short(#[case] of: &str, #[case] expected: [(u64, u32); 6]) {
    let log = drive(of).run(in_turn(147)).gc_log.unwrap();
    assert_eq!(jobs(&log), expected);
    assert_eq!(log.valid_pages, [0; 6]);
    assert!((0..6).all(|job| log.start_ns[job].is_multiple_of(10_000_000)), "as the write begins");
}

/// One channel at a time: of planes that are asked in the same instant the first may begin, the others wait, and when
/// it has erased, thirteen blocks are free, which is enough. The first is the plane that has just opened a block, so
/// that each has its turn, as writes do: the thirteenth blocks are opened by planes 0, 1 and 2 with twelve left each
/// time.
#[test]
fn the_plane_that_opened_a_block_is_asked_first() {
    let one = "{ kind = \"channels\", share = \"34%\" }";
    let log = drive("drive").set("gc.concurrency", one).run(in_turn(147)).gc_log.unwrap();
    assert_eq!(jobs(&log), [(134, 2), (144, 0), (145, 1), (146, 2)]);
}

/// Up to fifteen free blocks of the drive a plane whose victim was erased takes another: with the first three erases
/// there are 13, 14 and 15; with the next three more, and none of them goes on. Planes 0 and 1 erase while plane 2
/// still programs the page that began it.
#[test]
fn collection_goes_on_until_the_drive_has_enough() {
    let log = drive("drive").set("gc.trigger.stop", "5 blocks").run(in_turn(135)).gc_log.unwrap();
    assert_eq!(log.plane, [0, 1, 2, 0, 1, 2]);
    assert_eq!(log.start_ns[3..], log.end_ns[..3], "each right after the first of its plane");
    assert_eq!(log.free_blocks_after, [5, 5, 5, 6, 6, 6]);
}

/// Only plane 0 is written to: it overwrites four of its pages. The others have all their blocks, so that the drive has
/// more than enough; plane 0 collects with the block that leaves it one, as `hard` says, or as the last must be kept.
#[rstest]
#[case("plane", "1 block", 12)]
#[case("drive", "1 block", 15)]
#[case("drive", "2 blocks", 14)]
#[case("drive", "0 blocks", 15)]
#[case("drive", "off", 15)]
fn a_plane_at_its_last_blocks_collects_whatever_others_have(
    #[case] of: &str,
    #[case] hard: &str,
    #[case] blocks: u64,
) {
    let writes: Vec<_> = (0..60).map(|k| k % 4 * 3).collect();
    let outcome = drive(of).set("gc.trigger.hard", hard).run(spaced_writes(&writes));
    let log = outcome.gc_log.unwrap();
    // The first page of the block with this number.
    assert_eq!(jobs(&log)[0], ((blocks - 1) * 4, 0));
    let urgent = outcome.results.policies["gc.trigger"]["urgent_answers"].value;
    assert_eq!(urgent > 0, matches!((of, hard), ("drive", "1 block" | "2 blocks")));
}

/// Plane 1 is full of valid pages in eight blocks and is not written to any more, but trims take a page of three or of
/// four of its blocks. The others go on, and when each has two blocks left the drive has twelve: they collect, and
/// plane 1 only if its invalid pages make a whole block, although no victim of it holds fewer than three valid pages.
/// As it opens a block for those, the first erase of plane 0 leaves twelve, with which that goes on.
#[rstest]
#[case(3, &[(141, 0), (141, 2)])]
#[case(4, &[(141, 0), (141, 0), (141, 1), (141, 2)])]
fn a_plane_with_less_than_a_block_to_win_stays_out(#[case] trimmed: u64, #[case] expected: &[(u64, u32)]) {
    let mut records = spaced_writes(&(0..96).collect::<Vec<_>>());
    records.extend((0..trimmed).map(|block| at(960_000, Op::Trim, 12 * block + 1, 1)));
    // Five blocks of planes 0 and 2, and the first page of a sixth.
    let later = (0..21).flat_map(|k| [3 * k, 3 * k + 2]);
    records.extend(later.zip(0..).map(|(page, k)| at(1_000_000 + k * 10_000, Op::Write, page, 1)));
    let log = drive("drive").run(records).gc_log.unwrap();
    assert_eq!(jobs(&log), expected);
}

/// What is reported before a run allows for a block of each plane: the planes reach a mean one after the other.
#[test]
fn facts_speak_of_the_mean_plane() {
    let [plane, whole] = ["plane", "drive"].map(|of| derive_facts(&drive(of).config(), None));
    assert_eq!(plane.gc_starts_after_pages, whole.gc_starts_after_pages);
    assert_eq!(plane.write_amplification_unknown, None);
    assert_eq!(
        whole.write_amplification_unknown.as_deref(),
        Some("no formula for gc.trigger.of = \"drive\"")
    );
}
