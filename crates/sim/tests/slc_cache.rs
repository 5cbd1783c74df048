//! The SLC cache: host writes go to blocks in single-level mode first, which are folded (docs/model.md, 4.38 to 4.42).

use crate::common::prelude::*;

const KEY: &str = "ftl.slc_cache";

/// One plane of 16 blocks of 6 pages of three levels; the last two are the cache, and hold 2 pages each. 48 logical
/// pages.
fn drive() -> TestDrive {
    TestDrive::one_plane()
        .blocks(16, 6)
        .set("flash.cell", "TLC")
        .set("flash.t_read", r#"["75us", "150us", "225us"]"#)
        .set("flash.t_program", r#"["500us", "2000us", "5500us"]"#)
        .set("gc.pages_in_flight", 1)
        .set(KEY, "static")
        .set("ftl.slc_cache.blocks", "2 blocks")
        .set("ftl.slc_cache.t_read", "25us")
        .set("ftl.slc_cache.t_program", "200us")
}

const CACHED: u64 = TRANSFER + 200_000;
/// Levels of the pages of a block are 0, 1, 2, 0, 1, 2.
const PROGRAM: [u64; 3] = [TRANSFER + 500_000, TRANSFER + 2_000_000, TRANSFER + 5_500_000];
const READ: u64 = TRANSFER + 25_000;

fn writes_at_once(pages: std::ops::Range<u64>) -> Vec<Record> {
    pages.map(|page| at(0, Op::Write, page, 1)).collect()
}

#[test]
fn a_burst_that_fits_has_the_times_of_single_level_mode() {
    let mut records = spaced_writes(&[3, 4, 5, 6]);
    records.push(at(1_000_000, Op::Read, 5, 1));
    // The fourth page opens no block: the first one is folded when the third opens the last.
    assert_eq!(run_rows(&drive().config(), records), [CACHED, CACHED, CACHED, CACHED, READ]);
    // Without times of its own the cache has those of the fastest level.
    let plain = drive().with(&[(KEY, "static"), ("ftl.slc_cache.blocks", "2 blocks")]);
    let mut config = plain.config();
    for time in ["t_read", "t_program"] {
        config.ftl.slc_cache.parameters.remove(time);
    }
    let records = vec![at(0, Op::Write, 3, 1), at(9_000, Op::Read, 3, 1)];
    assert_eq!(run_rows(&config, records), [PROGRAM[0], TRANSFER + 75_000]);
    assert_eq!(derive_facts(&drive().config(), None).unloaded_write_ns, CACHED);
}

/// Seven writes at once: four go to the cache, the others behind it to a block of three levels. The first block of the
/// cache is to be folded when the third write opens the last free one; but the host goes first.
#[test]
fn behind_a_full_cache_writes_take_as_long_as_their_levels() {
    let outcome = drive().run(writes_at_once(0..7));
    let requests = outcome.requests.unwrap();
    let mut ends = Vec::new();
    for latency in [CACHED, CACHED, CACHED, CACHED, PROGRAM[0], PROGRAM[1], PROGRAM[2]] {
        ends.push(ends.last().unwrap_or(&0) + latency);
    }
    assert_eq!(requests.completion_ns, ends);
    let log = outcome.gc_log.unwrap();
    // It holds two pages, which go to the first two of the collector's open block.
    let folding = 2 * READ + PROGRAM[0] + PROGRAM[1] + ERASE;
    assert_eq!((log.start_ns[0], log.end_ns[0]), (2 * CACHED, ends[6] + folding));
    assert_eq!(
        (&log.cause[..], &log.victim_block[..], &log.valid_pages[..]),
        (&[2][..], &[14][..], &[2][..])
    );
    // The other block stays as it is: a block of the cache is free again.
    let counted = &outcome.results.policies[KEY];
    let values = ["cached_pages", "host_pages_past_full_cache", "folds", "folded_pages"]
        .map(|name| counted[name].value);
    assert_eq!(values, [4, 3, 1, 2]);
    assert_eq!(outcome.results.gc.write_amplification, Some(9.0 / 7.0));
    let flash = &outcome.results.flash;
    assert_eq!((flash.host_programs, flash.gc_programs, flash.erases, flash.gc_reads), (7, 0, 0, 2));
    assert_eq!(outcome.results.gc.jobs, 0, "folding is no collection");
}

/// The same burst; 1 ms after its begin page 1 is written again, while the fold of both pages waits. It has room for
/// both until it erases, and moves one.
#[test]
fn what_is_overwritten_while_folding_waits_needs_no_room() {
    let mut records = writes_at_once(0..7);
    records.push(at(1_000, Op::Write, 1, 1));
    let outcome = drive().run(records);
    let log = outcome.gc_log.unwrap();
    assert_eq!((&log.cause[..], &log.valid_pages[..]), (&[2][..], &[2][..]));
    assert_eq!(outcome.results.policies[KEY]["folded_pages"].value, 1);
    assert_eq!(outcome.results.flash.gc_reads, 1);
}

/// Eight pages fill a cache of four blocks. All are folded, in the order in which they were sealed.
#[test]
fn blocks_are_folded_in_the_order_in_which_they_were_sealed() {
    let drive = drive().set("ftl.slc_cache.blocks", "4 blocks").set("ftl.slc_cache.start", "100%");
    let log = drive.run(writes_at_once(0..8)).gc_log.unwrap();
    assert_eq!((&log.cause[..], &log.victim_block[..]), (&[2; 4][..], &[12, 13, 14, 15][..]));
    // Without time each is folded when it is full, and the one erased first is opened first.
    let mut ftl = drive.set("ftl.slc_cache.blocks", "3 blocks").ftl();
    let opened = |lpn: u32| {
        ftl.write_now(Lpn(lpn));
        lpn.is_multiple_of(2).then(|| place(&ftl, lpn).0)
    };
    let opened: Vec<_> = (0..10).filter_map(opened).collect();
    assert_eq!(opened, [13, 14, 15, 13, 14]);
}

/// Twelve pages in turn: every two of them are folded, and fill the collector's blocks. The 13th of 14 is opened for
/// the 73rd page folded, in the 37th fold: one is free then, and collection starts. That a fold has ended is no reason
/// to go on until more than `stop` are free.
#[test]
fn collection_does_not_go_on_because_a_fold_has_ended() {
    let drive = drive().set("ftl.slc_cache.start", "100%").set("gc.trigger.stop", "3 blocks");
    let pages: Vec<u64> = (0..80).map(|k| k % 12).collect();
    let log = drive.run(spaced_writes(&pages)).gc_log.unwrap();
    assert_eq!(log.cause.iter().position(|cause| *cause != 2), Some(37));
    assert!(log.valid_pages[..37].iter().all(|pages| *pages == 2));
}

/// After 72 pages folded two ordinary blocks are free, and the collector has no open one. Of five more writes at once
/// four fill the cache, and two of them are to be folded into one of the free blocks; the other is the reserve. So the
/// fifth waits for that fold, and for the collection that the block which it opened makes urgent: of a block without
/// valid pages.
#[test]
fn the_host_leaves_a_fold_the_block_that_it_needs() {
    let drive = drive().set("ftl.slc_cache.start", "100%");
    let mut records = spaced_writes(&(0..72).map(|k| k % 12).collect::<Vec<_>>());
    records.extend((12..17).map(|page| at(800_000, Op::Write, page, 1)));
    let outcome = drive.run(records);
    let requests = outcome.requests.unwrap();
    let taken: Vec<_> = requests.completion_ns[72..].iter().map(|end| end - 800_000_000).collect();
    let folded = 4 * CACHED + 2 * READ + PROGRAM[0] + PROGRAM[1] + ERASE;
    assert_eq!(taken, [CACHED, 2 * CACHED, 3 * CACHED, 4 * CACHED, folded + ERASE + CACHED]);
    let log = outcome.gc_log.unwrap();
    assert_eq!((&log.cause[36..], &log.valid_pages[36..]), (&[2, 0, 2][..], &[2, 0, 2][..]));
    assert_eq!(outcome.results.policies[KEY]["host_pages_past_full_cache"].value, 0);
    assert_eq!(outcome.results.gc.stalled_writes, 1);
}

/// After 70 pages folded the collector's open block has room for the two pages that are folded next, which need no
/// block more: the fifth write goes to one of the two free ones, and waits for nothing.
#[test]
fn a_fold_that_fits_the_open_block_takes_nothing_from_the_host() {
    let drive = drive().set("ftl.slc_cache.start", "100%");
    let mut records = spaced_writes(&(0..70).map(|k| k % 12).collect::<Vec<_>>());
    records.extend((12..17).map(|page| at(800_000, Op::Write, page, 1)));
    let outcome = drive.run(records);
    let requests = outcome.requests.unwrap();
    let taken: Vec<_> = requests.completion_ns[70..].iter().map(|end| end - 800_000_000).collect();
    assert_eq!(taken, [CACHED, 2 * CACHED, 3 * CACHED, 4 * CACHED, 4 * CACHED + PROGRAM[0]]);
    assert_eq!(outcome.results.policies[KEY]["host_pages_past_full_cache"].value, 1);
    assert_eq!(outcome.results.gc.stalled_writes, 0);
}

/// After 72 pages folded two ordinary blocks are free, and the last two pages written are in the cache. At rest they
/// are folded, too: that opens one of the two blocks, and the plane is collected at once, of a block that holds nothing
/// valid.
#[rstest]
#[case("true", 74, 1, 2)]
#[case("false", 72, 0, 2)]
fn what_a_drive_folds_at_rest_is_collected_for(
    #[case] rested: &str,
    #[case] folded: u64,
    #[case] jobs: u64,
    #[case] free: u32,
) {
    let mut ftl = drive().set("ftl.slc_cache.rested", rested).ftl();
    write_pages(&mut ftl, (0..74).map(|k| k % 12));
    assert_eq!((ftl.counters().fold_programs, ftl.counters().jobs), (72, 0));
    ftl.rest();
    assert_eq!((ftl.counters().fold_programs, ftl.counters().jobs), (folded, jobs));
    assert_eq!((ftl.counters().erases, ftl.plane(PLANE).free.len()), (jobs, free));
    audit::check(&ftl, true).unwrap();
}

/// With `start = "1 block"` the block sealed first is folded when the last free one is opened; pages overwritten until
/// then stay behind.
#[test]
fn the_block_sealed_first_is_folded_first_without_what_was_overwritten() {
    let mut ftl = drive().ftl();
    let mut places = |lpn: u32, of: &[u32]| {
        ftl.write_now(Lpn(lpn));
        audit::check(&ftl, true).unwrap();
        of.iter().map(|lpn| place(&ftl, *lpn)).collect::<Vec<_>>()
    };
    assert_eq!(places(0, &[0]), [(14, 0)]);
    assert_eq!(places(1, &[0, 1]), [(14, 0), (14, 1)]);
    assert_eq!(places(0, &[0, 1]), [(15, 0), (0, 0)], "page 1 is folded, the old page 0 is not");
    assert_eq!(places(2, &[0, 1, 2]), [(15, 0), (0, 0), (15, 1)]);
    assert_eq!(places(3, &[0, 2, 3]), [(0, 1), (0, 2), (14, 0)], "in their order; block 14 is open again");
    assert_eq!(places(4, &[3, 4]), [(14, 0), (14, 1)]);
    assert_eq!(places(5, &[3, 4, 5]), [(0, 3), (0, 4), (15, 0)], "blocks take turns");
    let counters = ftl.counters();
    assert_eq!((counters.host_programs, counters.cached_pages, counters.fold_programs), (7, 7, 5));
}

/// Pages written once each are written twice; a page that is written again and again is not folded while another block
/// of the cache is free.
#[rstest]
#[case("100%", &(0..40).collect::<Vec<_>>(), 40)]
// Of two pages of a block, one is still valid when it is sealed.
#[case("100%", &[7; 40], 20)]
// When the block behind it is opened, neither is.
#[case("1 block", &[7; 40], 0)]
// The last block is still full, and two were written to the one before.
#[case("1 block", &(0..40).collect::<Vec<_>>(), 38)]
fn what_is_folded_is_written_twice(#[case] start: &str, #[case] pages: &[u32], #[case] folded: u64) {
    let mut ftl = drive().set("ftl.slc_cache.start", start).ftl();
    for page in pages {
        ftl.write_now(Lpn(*page));
    }
    assert_eq!(ftl.counters().fold_programs, folded);
    assert!((ftl.counters().write_amplification() - (40 + folded) as f64 / 40.0).abs() < 1e-12);
    audit::check(&ftl, true).unwrap();
}

/// A drive that has rested has an empty cache, but for the open block. Otherwise its last block is full, and the first
/// of the burst's writes opens the other.
#[rstest]
#[case("true", [CACHED; 4])]
#[case("false", [CACHED, CACHED, PROGRAM[0], PROGRAM[1]])]
fn a_burst_after_a_warm_up(#[case] rested: &str, #[case] latencies: [u64; 4]) {
    let drive = drive().set("warmup.kind", "filled").set("ftl.slc_cache.rested", rested);
    let ends = drive.run(writes_at_once(0..4)).requests.unwrap().completion_ns;
    let taken: Vec<_> = std::iter::once(&0).chain(&ends).zip(&ends).map(|(from, to)| to - from).collect();
    assert_eq!(taken, latencies);
}

/// A share of the plane, at least a block; `start` is a share of those.
#[test]
fn shares_are_of_the_plane_and_of_the_cache() {
    let blocks = |per_plane: u32, blocks: &str| {
        let drive = drive().blocks(per_plane, 6).set("ftl.slc_cache.blocks", blocks);
        let cache = Geometry::new(&drive.config()).unwrap().cache.unwrap();
        (cache.blocks, cache.pages_per_block)
    };
    assert_eq!([blocks(40, "5%"), blocks(59, "5%"), blocks(19, "5%")], [(2, 2), (2, 2), (1, 2)]);
}

/// A fold is no round of collection: nothing is measured yet when it has ended.
#[test]
fn a_fold_does_not_end_the_first_round() {
    let records = [writes_at_once(0..7), vec![at(1_000_000, Op::Read, 5, 1)]].concat();
    let outcome = drive().set("measure.after", "first-round").run(records);
    assert_eq!(outcome.requests.unwrap().op.len(), 0);
    assert_eq!(outcome.results.utilisation.die_max, 0.0, "of no time at all");
}
