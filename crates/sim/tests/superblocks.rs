//! Superblocks: planes open, collect and erase blocks of the same number together (docs/model.md, 4.43 to 4.48a).

use crate::common::prelude::*;

const KEY: &str = "ftl.superblock";

/// Planes of 16 blocks of 4 pages, of which the host sees half; writes go to planes in turn.
pub fn drive(dimensions: [u32; 4], scope: &str) -> TestDrive {
    by_load(dimensions, scope).set("ftl.allocation", "striping").set("ftl.allocation.by", "arrival")
}

/// The same where writes go to the die that has the least to do.
fn by_load(dimensions: [u32; 4], scope: &str) -> TestDrive {
    TestDrive::of(dimensions)
        .set("ftl.allocation", "dynamic")
        .set("flash.cell", "SLC")
        .set("flash.t_read", "75us")
        .set("flash.t_program", "500us")
        .set("flash.multi_plane", "off")
        .set("gc.trigger.hard", "off")
        .set("gc.pages_in_flight", 1)
        .set(KEY, scope)
}

/// Two planes of one die.
fn one_die(scope: &str) -> TestDrive {
    drive([1, 1, 1, 2], scope)
}

pub const PROGRAM: u64 = TRANSFER + 500_000;

pub fn write(ftl: &mut Ftl, pages: impl IntoIterator<Item = u32>) {
    for page in pages {
        ftl.write_now(Lpn(page));
        audit::check(ftl, true).unwrap();
    }
}

/// Blocks of the drive that are not erased, and not open.
fn sealed(ftl: &Ftl) -> Vec<u32> {
    (0..32).filter(|block| ftl.blocks().state(BlockId(*block)) == BlockState::Sealed).collect()
}

/// Superblocks 0, 1 and 2 hold pages 0 to 23, even ones in the first plane. Of superblock 0 three pages of the first
/// plane are overwritten, of superblock 1 two of each: 5 and 4 pages are still valid. By itself the first plane would
/// take its block 0, which has one.
#[rstest]
#[case("plane", &[1, 2, 3, 16, 17, 18])]
#[case("die", &[0, 2, 3, 16, 18])]
fn the_victim_has_the_fewest_valid_pages_of_all_its_parts(#[case] scope: &str, #[case] left: &[u32]) {
    let mut ftl = one_die(scope).ftl();
    write(&mut ftl, 0..24);
    write(&mut ftl, [0, 2, 4, 8, 9, 10, 11]);
    assert_eq!(sealed(&ftl), [0, 1, 2, 3, 16, 17, 18], "one page of the fourth is not taken");
    assert!(ftl.collect_now(PlaneId(0)));
    assert_eq!(sealed(&ftl), left);
    audit::check(&ftl, true).unwrap();
}

/// The same, by cost-benefit. After 31 pages taken superblock 2 has lost three of its pages, the last one with 27
/// taken: its age is 5, its benefit 5 * 3 / 5 = 3. Superblock 1 has lost four, of both planes, the last one with 31
/// taken: its age is 1, its benefit 1 * 4 / 4 = 1; since its first loss, with 28 taken, it would be 4. The one valid
/// page of superblock 2 in the first plane and the four in the second, which fill block 20, are moved.
#[test]
fn the_age_of_a_superblock_is_that_of_its_youngest_change() {
    let mut ftl = one_die("die").victim("cost-benefit").ftl();
    write(&mut ftl, 0..24);
    // A page is taken before the copy that it replaces is invalid.
    write(&mut ftl, [16, 18, 20, 8, 9, 10, 11]);
    assert!(ftl.collect_now(PlaneId(0)));
    assert_eq!(sealed(&ftl), [0, 1, 3, 16, 17, 20]);
}

/// Pages stay in their plane while its part has room; then they go to the other one. The next superblock of the
/// collector is opened when both parts are full.
#[test]
fn collected_pages_go_to_another_plane_when_their_own_has_no_page() {
    let mut ftl = one_die("die").ftl();
    write(&mut ftl, 0..24);
    write(&mut ftl, [0, 2, 4, 8, 9, 10, 11]);
    assert!(ftl.collect_now(PlaneId(0)));
    let places = |ftl: &Ftl, pages: [u32; 4]| pages.map(|page| place(ftl, page));
    assert_eq!(
        places(&ftl, [12, 14, 13, 15]),
        [(4, 0), (4, 1), (20, 0), (20, 1)],
        "superblock 4 is the collector's"
    );
    // The last page of superblock 3, and three of superblock 5; what is left of superblock 2 is in the first plane.
    write(&mut ftl, [17, 19, 21, 23]);
    assert_eq!(places(&ftl, [17, 19, 21, 23]), [(19, 3), (5, 0), (21, 0), (5, 1)]);
    assert!(ftl.collect_now(PlaneId(1)));
    assert_eq!(places(&ftl, [16, 18, 20, 22]), [(4, 2), (4, 3), (20, 2), (20, 3)]);
    // Of superblock 0 five pages are valid: 6 in the first plane, 1, 3, 5 and 7 in the second.
    assert!(ftl.collect_now(PlaneId(0)));
    assert_eq!(places(&ftl, [6, 1, 3, 5]), [(6, 0), (22, 0), (22, 1), (22, 2)]);
    // Three victims of two parts each, with 4, 4 and 5 valid pages.
    let counters = ftl.counters();
    assert_eq!((counters.jobs, counters.victim_valid_pages, counters.gc_programs), (6, 13, 13));
    audit::check(&ftl, true).unwrap();
}

/// Superblock 1 is erased, then superblock 0, once each. By wear both come behind those that were never erased, the
/// lower number first; otherwise in the order in which they were erased.
#[rstest]
#[case("true", [0, 1])]
#[case("false", [1, 0])]
fn free_superblocks_are_in_order_of_their_wear(#[case] dynamic: &str, #[case] last: [u32; 2]) {
    let mut ftl = one_die("die").set("ftl.wear.dynamic", dynamic).ftl();
    write(&mut ftl, (0..16).chain(8..16));
    assert!(ftl.collect_now(PlaneId(0)));
    write(&mut ftl, 0..8);
    assert!(ftl.collect_now(PlaneId(0)));
    for (plane, first) in [(0, 0), (1, 16)] {
        let expected: Vec<_> = (4..16).chain(last).map(|block| BlockId(first + block)).collect();
        assert_eq!(ftl.plane(PlaneId(plane)).free.in_order().collect::<Vec<_>>(), expected);
    }
}

/// Blocks are opened in all planes of a scope at once, and in no other.
#[rstest]
#[case("plane", [15, 16, 16, 16])]
#[case("die", [15, 15, 16, 16])]
#[case("channel", [15, 15, 15, 15])]
#[case("drive", [15, 15, 15, 15])]
fn planes_of_a_scope_open_together(#[case] scope: &str, #[case] free: [u32; 4]) {
    let mut ftl = drive([1, 2, 1, 2], scope).set("ftl.allocation.order", "PDWC").ftl();
    write(&mut ftl, [0]);
    assert_eq!([0, 1, 2, 3].map(|plane| ftl.plane(PlaneId(plane)).free.len()), free);
    // Another channel is another scope.
    let mut ftl = drive([2, 1, 1, 2], scope).set("ftl.allocation.order", "PDWC").ftl();
    write(&mut ftl, [0]);
    let on_two_channels = if scope == "channel" { [15, 15, 16, 16] } else { free };
    assert_eq!([0, 1, 2, 3].map(|plane| ftl.plane(PlaneId(plane)).free.len()), on_two_channels);
}

/// Die 1 has six reads to do. Writes go to die 0, which has less to do, until its part of the open superblock is
/// promised; the fifth must wait behind the reads. By itself die 0 would take it, too.
#[rstest]
#[case("plane", 5 * PROGRAM)]
#[case("drive", 6 * READ + PROGRAM)]
fn a_plane_takes_no_more_than_its_part_before_the_others(#[case] scope: &str, #[case] fifth: u64) {
    let drive = by_load([2, 1, 1, 1], scope).set("warmup.kind", "filled");
    let mut records: Vec<_> = (0..6).map(|k| at(0, Op::Read, 2 * k + 1, 1)).collect();
    records.extend((20..25).map(|page| at(0, Op::Write, page, 1)));
    let outcome = drive.run(records);
    let requests = outcome.requests.unwrap();
    let mut writes: Vec<_> =
        (0..11).filter(|k| requests.op[*k] == 1).map(|k| requests.completion_ns[k]).collect();
    writes.sort_unstable();
    let mut expected = [PROGRAM, 2 * PROGRAM, 3 * PROGRAM, 4 * PROGRAM, fifth];
    expected.sort_unstable();
    assert_eq!(writes, expected);
}

/// A filled drive: superblocks 0 to 7 hold pages 0 to 63, and as many are free. Page after page is written again, so
/// that the victim holds nothing. The superblock that leaves one free is opened by the 49th write. Eight fill it; the
/// ninth finds no room before the victim is free, which is when both its blocks are erased, one after the other.
#[test]
fn a_superblock_is_free_when_its_last_block_is_erased() {
    const BEGIN: u64 = 48 * 10_000_000;
    let drive = one_die("die").set("warmup.kind", "filled");
    let mut records = spaced(48, 10_000_000);
    records.extend((48..57).map(|page| at_ns(BEGIN, Op::Write, page)));
    let outcome = drive.run(records);
    let ends: Vec<_> = outcome.requests.unwrap().completion_ns[48..].iter().map(|end| end - BEGIN).collect();
    let mut expected: Vec<_> = (1..=8).map(|count| count * PROGRAM).collect();
    expected.push(8 * PROGRAM + 2 * ERASE + PROGRAM);
    assert_eq!(ends, expected);
    let log = outcome.gc_log.unwrap();
    let erased = [8 * PROGRAM + ERASE, 8 * PROGRAM + 2 * ERASE].map(|end| BEGIN + end);
    assert_eq!((&log.start_ns[..2], &log.end_ns[..2]), (&[BEGIN; 2][..], &erased[..]));
    assert_eq!((&log.plane[..2], &log.victim_block[..2]), (&[0, 1][..], &[0, 16][..]));
    assert_eq!(log.free_blocks_after[..2], [1, 2]);
    assert_eq!((outcome.results.gc.stalled_writes, outcome.results.gc.free_blocks_low_water), (1, 1));
}

/// Where planes can, they erase together.
#[test]
fn blocks_of_a_die_are_erased_in_one_multi_plane_operation() {
    let drive = one_die("die").set("warmup.kind", "filled").set("flash.multi_plane", "any-page");
    let outcome = drive.run(spaced(49, 10_000_000));
    let log = outcome.gc_log.unwrap();
    // A command for each plane, and one time in the array.
    assert_eq!(log.end_ns, [48 * 10_000_000 + PROGRAM + 5 + ERASE; 2]);
    assert_eq!(outcome.results.flash.multi_plane_operations, 1);
}

/// Of the superblock sealed first page 0 is still valid, in the first plane of the first die. When that is moved, the
/// other die, which has had nothing to do, gets both of its erases before it begins one.
#[test]
fn blocks_of_an_idle_die_are_erased_together_too() {
    let drive = drive([1, 2, 1, 2], "channel").victim("fifo").set("warmup.kind", "filled");
    let mut records = spaced(98, 10_000_000);
    records.remove(0);
    let outcome = drive.set("flash.multi_plane", "any-page").run(records);
    let log = outcome.gc_log.unwrap();
    assert_eq!((&log.plane[..4], &log.valid_pages[..4]), (&[2, 3, 0, 1][..], &[0, 0, 1, 0][..]));
    // The 97th write opens the superblock, and its program goes first on the die that reads the page then.
    let moved = 97 * 10_000_000 + PROGRAM + READ + PROGRAM;
    let (idle, busy) = (moved + 5 + ERASE, moved + 2 * 5 + 5 + ERASE);
    assert_eq!(log.end_ns[..4], [idle, idle, busy, busy], "the channel carries two commands for each die");
    // The page moved has taken the last free superblock, so that the next is collected, which holds nothing.
    assert_eq!((log.end_ns.len(), outcome.results.flash.multi_plane_operations), (8, 4));
}

/// Collection begins when a superblock is opened that leaves `start` free: on all planes at once.
#[rstest]
#[case("1 block", 48)]
#[case("2 blocks", 40)]
#[case("3 blocks", 32)]
fn the_trigger_counts_free_superblocks(#[case] start: &str, #[case] before: u64) {
    let drive = one_die("die").set("warmup.kind", "filled").set("gc.trigger.start", start);
    let log = drive.run(spaced(60, 10_000_000)).gc_log.unwrap();
    assert_eq!(log.start_ns[..2], [before * 10_000_000; 2]);
    let first = log.start_ns.iter().filter(|start| **start < (before + 8) * 10_000_000).count();
    assert_eq!(first, 2, "one superblock");
}

/// So many writes of one page after the other.
fn spaced(count: u64, gap_ns: u64) -> Vec<Record> {
    let mut records = spaced_writes(&(0..count).collect::<Vec<_>>());
    for (record, k) in records.iter_mut().zip(0..) {
        record.time_ns = k * gap_ns;
    }
    records
}

/// Whether a plane is urgent follows its free blocks, those that a superblock has won included.
#[test]
fn a_superblock_that_was_erased_makes_its_planes_less_urgent() {
    let mut ftl = one_die("die").set("gc.trigger.hard", "1 block").ftl();
    for round in 0..12 {
        for page in 0..24 {
            ftl.write_now(Lpn(page));
            for plane in [0, 1].map(PlaneId) {
                let few = ftl.plane(plane).free.len() <= 1;
                assert_eq!(ftl.collection_is_urgent(plane), few, "{plane:?} in round {round}");
            }
        }
    }
    assert!(ftl.counters().jobs > 0);
}

/// Two planes of one die, whose 16 superblocks of 8 pages are collected in order of age.
fn of_streams(open_blocks: u32, relocated: &str) -> TestDrive {
    one_die("die")
        .set("ftl.separation", "by-stream")
        .set("ftl.separation.open_blocks", open_blocks)
        .set("ftl.separation.relocated", relocated)
        .victim("fifo")
}

/// The superblock that a logical page lies in, and the page of its part.
fn part_of(ftl: &Ftl, lpn: u32) -> (u32, u32) {
    let page = ftl.map().flash_copy(Lpn(lpn)).expect("the page is in flash").0;
    (page / 4 % 16, page % 4)
}

/// Streams 0 and 1 fill a superblock each, of which 6 and 5 pages stay valid. Collected, those of stream 0 open the
/// next superblock. Those of stream 1 have one of their own, or fill up that of the others first.
#[rstest]
#[case("together", &[2, 2, 3, 3, 3])]
#[case("by-class", &[3, 3, 3, 3, 3])]
fn collected_pages_share_a_superblock_or_stay_with_their_stream(
    #[case] relocated: &str,
    #[case] second: &[u32],
) {
    let mut ftl = of_streams(2, relocated).ftl();
    for lpn in 0..16 {
        ftl.set_stream((lpn / 8) as u8);
        ftl.write_now(Lpn(lpn));
    }
    let superblocks = |ftl: &Ftl, pages: std::ops::Range<u32>| pages.map(|lpn| part_of(ftl, lpn).0).collect();
    let written: Vec<u32> = superblocks(&ftl, 0..16);
    assert_eq!(written, [[0; 8], [1; 8]].concat());
    trim(&mut ftl, [6, 7, 13, 14, 15]);
    assert!(ftl.collect_now(PlaneId(0)) && ftl.collect_now(PlaneId(0)));
    let first: Vec<u32> = superblocks(&ftl, 0..6);
    let mut found: Vec<u32> = superblocks(&ftl, 8..13);
    found.sort_unstable();
    assert_eq!((first, &found[..]), (vec![2; 6], second));
    audit::check(&ftl, true).unwrap();
}

/// Two superblocks are free, and the oldest holds a page of each of three streams: two of them were written anew in
/// part, so that their old copies stay for a while. Those of streams 0 and 2 open a superblock each. That of stream 1
/// finds none free, and goes to the nearer one; of two as near, that of the lower stream.
#[test]
fn without_a_free_superblock_a_collected_page_goes_to_the_nearest_stream() {
    let mut ftl = of_streams(3, "by-class").ftl();
    write_pages(&mut ftl, (0..64).chain(8..56));
    assert_eq!(ftl.plane(PlaneId(0)).free.len(), 2);
    trim(&mut ftl, [1, 3, 5, 6, 7]);
    for (lpn, stream) in [(2, 2), (4, 1)] {
        ftl.set_stream(stream);
        ftl.accept_write(Lpn(lpn), true);
    }
    assert!(ftl.collect_now(PlaneId(0)));
    assert_eq!([0, 2, 4].map(|lpn| part_of(&ftl, lpn)), [(14, 0), (15, 0), (14, 1)]);
}
