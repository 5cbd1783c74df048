//! Copyback under the odd/even rule: what it wastes, where its pages go, and what it does where it would win nothing.

use crate::common::{PLANE, TestDrive, fill_and_trim, spaced_writes, trim};
use reclaim_sim::ftl::Ftl;
use reclaim_sim::gc::relocation::{Step, Way};
use reclaim_sim::ids::{BlockId, Lpn, Ppn};
use reclaim_sim::random::RandomStream;
use rstest::rstest;

/// One plane of TLC blocks that are collected in the order in which they were filled.
fn odd_even(blocks: u32, pages: u32, word_lines: bool, carry: bool) -> TestDrive {
    TestDrive::one_plane()
        .blocks(blocks, pages)
        .set("geometry.spare_factor", "40%")
        .set("flash.cell", "TLC")
        .set("flash.program_unit", if word_lines { "word-line" } else { "page" })
        .set("gc.relocation", "copyback-odd-even")
        .set("gc.relocation.carry", carry)
        .victim("fifo")
}

/// Wasted pages of a victim of 510 pages, each valid with probability p, in source order, and pages moved: figures of a
/// stream of units of alternating parity, computed apart from the simulator over 24,000 victims. Page by page the waste
/// per page moved is (1 - p) / (2 - p) exactly.
#[rstest]
#[case(50, false, false, 0.95 / 1.95 * 25.5)]
#[case(100, false, false, 0.9 / 1.9 * 51.0)]
#[case(200, false, false, 0.8 / 1.8 * 102.0)]
#[case(300, false, false, 0.7 / 1.7 * 153.0)]
#[case(500, false, false, 0.5 / 1.5 * 255.0)]
#[case(50, true, true, 24.01)]
#[case(100, true, true, 48.20)]
#[case(200, true, true, 96.52)]
#[case(300, true, true, 140.31)]
#[case(500, true, true, 187.97)]
#[case(50, true, false, 26.03)]
#[case(100, true, false, 50.18)]
#[case(200, true, false, 98.21)]
#[case(300, true, false, 141.81)]
#[case(500, true, false, 188.55)]
fn waste_per_victim(
    #[case] valid_per_mille: u32,
    #[case] word_lines: bool,
    #[case] carry: bool,
    #[case] expected: f64,
) {
    let victims = 6_000;
    let mut ftl = odd_even(11_000, 510, word_lines, carry).ftl();
    fill_and_trim(&mut ftl, victims, valid_per_mille, 5);
    ftl.reset_counters();
    for _ in 0..victims {
        assert!(ftl.collect_now(PLANE));
    }
    let wasted = ftl.counters().wasted_pages as f64 / f64::from(victims);
    // Sampling moves how many pages are moved, too: the waste goes with them.
    let moved = ftl.counters().gc_programs as f64 / f64::from(victims);
    let expected = expected * moved / (f64::from(valid_per_mille) / 1000.0 * 510.0);
    assert!((wasted / expected - 1.0).abs() < 0.01, "{wasted} pages wasted of a victim, {expected} expected");
    assert_eq!(ftl.counters().padded_pages, 0);
    assert_eq!(ftl.policy_readings().relocation[0].count, 0, "no job is tight");
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// Whether the unit of a page is odd.
fn parity(ftl: &Ftl, ppn: Ppn) -> u32 {
    ftl.geometry().page_in_block(ppn) / ftl.geometry().unit_pages % 2
}

#[rstest]
fn pages_keep_their_parity(#[values(false, true)] word_lines: bool, #[values(false, true)] carry: bool) {
    let mut ftl = odd_even(60, 12, word_lines, carry).ftl();
    fill_and_trim(&mut ftl, 30, 400, 5);
    let place = |ftl: &Ftl, lpn| ftl.map().flash_copy(Lpn(lpn));
    let before: Vec<_> = (0..30 * 12).map(|lpn| place(&ftl, lpn)).collect();
    for _ in 0..30 {
        assert!(ftl.collect_now(PLANE));
    }
    let (mut same, mut other) = (0, 0);
    for (lpn, before) in before.into_iter().enumerate() {
        let Some(before) = before else { continue };
        let after = place(&ftl, lpn as u32).expect("it is somewhere");
        assert_ne!(ftl.geometry().block_of(before), ftl.geometry().block_of(after));
        if parity(&ftl, before) == parity(&ftl, after) { same += 1 } else { other += 1 }
    }
    let through_controller = ftl.policy_readings().relocation[1].count;
    assert!(same > 0);
    assert!(other <= through_controller, "{other} changed parity, but {through_controller} left the plane");
}

/// Blocks that are all but full: copybacks would win nothing, and collection still ends.
#[rstest]
fn tight_jobs_win_space(#[values(false, true)] word_lines: bool, #[values(false, true)] carry: bool) {
    let mut ftl = odd_even(60, 12, word_lines, carry).ftl();
    (0..30 * 12).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    // One whole unit of each block: every page behind it would have to leave out another.
    let unit = ftl.geometry().unit_pages;
    trim(&mut ftl, (0..30 * 12).filter(|lpn| lpn % 12 / unit == 2));
    let free_before = ftl.erased_pages(PLANE);
    for _ in 0..30 {
        assert!(ftl.collect_now(PLANE));
    }
    let won = ftl.erased_pages(PLANE) - free_before;
    let [tight, through_controller] = [0, 1].map(|at| ftl.policy_readings().relocation[at].count);
    assert!(tight > 0 && through_controller > 0, "{tight} tight jobs, {through_controller} pages");
    assert_eq!(won, u64::from(30 * unit));
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// A block of eight TLC word lines of which units 0, 2 and 3 hold something valid, copied back in units: unit 0; then
/// unit 2, for which a unit is left out; then unit 3.
#[test]
fn units_are_left_out_in_source_order() {
    let mut ftl = odd_even(60, 24, true, false).ftl();
    (0..24).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, [3, 4, 5, 7, 10].into_iter().chain(12..24));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    let page = |lpn| ftl.geometry().page_in_block(ftl.map().flash_copy(Lpn(lpn)).unwrap());
    assert_eq!([0, 1, 2, 6, 8, 9, 11].map(page), [0, 1, 2, 6, 7, 9, 10]);
    assert_eq!(ftl.counters().wasted_pages, 3 + 1 + 1);
    assert_eq!(ftl.blocks().allocated(BlockId(1)), 12);
}

/// Pages of one victim's last unit wait for those of the next victim.
#[test]
fn a_unit_is_carried_to_the_next_victim() {
    let mut ftl = odd_even(60, 12, true, true).ftl();
    (0..24).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    // Of the first block page 0 stays, of the second pages 12 + 1 and 12 + 2, all in even units.
    trim(&mut ftl, (0..24).filter(|lpn| ![0, 13, 14].contains(lpn)));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    assert_eq!(ftl.blocks().allocated(BlockId(2)), 1, "the unit stays open");
    assert!(ftl.collect_now(PLANE));
    assert_eq!(ftl.blocks().allocated(BlockId(2)), 3);
    assert_eq!(ftl.counters().wasted_pages, 0);
}

/// In time: every copyback is charged, and the drive comes to rest with everything where it belongs.
#[rstest]
fn it_runs(#[values(false, true)] word_lines: bool, #[values(false, true)] carry: bool) {
    let drive =
        odd_even(40, 12, word_lines, carry).set("warmup.kind", "filled").set("gc.trigger.start", "4 blocks");
    let pages: Vec<u64> = (0..600).map(|k| k * 37 % 280).collect();
    let results = drive.run(spaced_writes(&pages)).results;
    assert!(results.flash.copybacks > 0 && results.flash.wasted_pages > 0);
    // Writes come alone, ten milliseconds apart: the timer programs nearly each with two pages of padding. (Two share a
    // unit where a collection job keeps the first waiting.)
    let padded = results.flash.padded_pages;
    if word_lines {
        assert!((1100..=1200).contains(&padded) && padded.is_multiple_of(3), "{padded}");
    } else {
        assert_eq!(padded, 0);
    }
}

/// A job that wins a whole unit, and no more, copies back: only one that would win less is tight. All but the last unit
/// of the first block goes to as many units of an empty one.
#[rstest]
fn a_job_that_wins_one_unit_is_not_tight(
    #[values("copyback-odd-even", "pcgc", "coupled")] kind: &str,
    #[values(false, true)] word_lines: bool,
) {
    let mut ftl = odd_even(60, 12, word_lines, false).set("gc.relocation.kind", kind).ftl();
    (0..24).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    let unit = ftl.geometry().unit_pages;
    trim(&mut ftl, 12 - unit..12);
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    let [tight, through_controller] = [0, 1].map(|at| ftl.policy_readings().relocation[at].count);
    assert_eq!((tight, through_controller, ftl.counters().wasted_pages), (0, 0, 0));
    // The second block lacks its last unit, too, but now a unit of the wrong parity comes next, and must be left out.
    trim(&mut ftl, 24 - unit..24);
    assert!(ftl.collect_now(PLANE));
    assert_eq!(ftl.policy_readings().relocation[0].count, 1, "tight");
    assert_eq!(ftl.counters().wasted_pages, 0);
}

/// A block of two pages, even and odd, of which that at `due` has been copied back since it was checked.
fn block_with_a_page_that_is_due(due: usize, limit: u32) -> (Ftl, BlockId) {
    let drive = odd_even(60, 4, false, false).victim("greedy");
    let mut ftl = drive.set("gc.relocation.max_consecutive_copybacks", limit).ftl();
    (0..20).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    let mut collect_without = |pages: &[u32]| {
        trim(&mut ftl, pages.iter().copied());
        assert!(ftl.collect_now(PLANE));
    };
    // A block is filled with pages that have been copied back once: 0, 1, 6 and 7.
    collect_without(&[2, 3]);
    collect_without(&[4, 5]);
    // The next one: a page of the host that is copied back, and one of those, which is checked.
    if due == 0 {
        collect_without(&[9, 10, 11]);
        collect_without(&[0, 1, 6]);
    } else {
        collect_without(&[0, 1, 7]);
        collect_without(&[8, 10, 11]);
    }
    collect_without(&[12, 13, 15]);
    collect_without(&[16, 17, 18]);
    let [even, odd] = if due == 0 { [8, 7] } else { [6, 9] };
    trim(&mut ftl, [14, 19]);
    let block = ftl.geometry().block_of(ftl.map().flash_copy(Lpn(even)).unwrap());
    for (at, lpn) in [even, odd].into_iter().enumerate() {
        assert_eq!(ftl.map().flash_copy(Lpn(lpn)), Some(ftl.geometry().page(block, at as u32)));
    }
    (ftl, block)
}

/// A page that is checked is programmed when it has been read over the channel: a copyback given beside it would have
/// taken its page of the open block before, and so left one empty. Each waits until the other is done.
#[rstest]
#[case::checked_first(0, [Way::Controller, Way::Copyback])]
#[case::checked_last(1, [Way::Copyback, Way::Controller])]
fn nothing_is_copied_back_beside_a_page_that_is_checked(#[case] due: usize, #[case] ways: [Way; 2]) {
    let (mut ftl, block) = block_with_a_page_that_is_due(due, 1);
    let pages = [0, 1].map(|page| ftl.geometry().page(block, page));
    let mut way = |at: usize, under_way| match ftl.next_step(PLANE, block, pages[at], under_way) {
        Step::Move(step) => Some((step.way, step.pages.first())),
        other => (other != Step::Wait).then(|| panic!("{other:?}")),
    };
    assert_eq!(way(0, 0), Some((ways[0], pages[0])));
    assert_eq!(way(1, 1), None, "it waits");
    assert_eq!(way(1, 0), Some((ways[1], pages[1])));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    assert_eq!(ftl.counters().wasted_pages, 0);
}

/// Copybacks of a job run beside each other where none of their pages must be checked.
#[test]
fn copybacks_do_not_wait_for_each_other() {
    let (mut ftl, block) = block_with_a_page_that_is_due(0, 9);
    for (page, under_way) in [(0, 0), (1, 1)] {
        let page = ftl.geometry().page(block, page);
        let Step::Move(step) = ftl.next_step(PLANE, block, page, under_way) else { panic!("it waits") };
        assert_eq!((step.way, step.pages.first()), (Way::Copyback, page));
    }
}

/// On a drive that comes to rest before every write, a page is left empty or not whatever is in flight: steps that are
/// under way together leave as many empty as steps one after the other.
#[rstest]
fn what_is_in_flight_wastes_nothing(#[values(1, 2)] limit: u32, #[values(false, true)] word_lines: bool) {
    let counted = |in_flight: u32| {
        let drive = odd_even(20, 12, word_lines, false)
            .victim("random")
            .set("gc.relocation.max_consecutive_copybacks", limit)
            .set("scheduler", "fcfs")
            .set("gc.pages_in_flight", in_flight);
        let mut stream = RandomStream::new(7, "pages");
        let pages: Vec<u64> = (0..2000).map(|_| u64::from(stream.below(100))).collect();
        let results = drive.run(spaced_writes(&pages)).results;
        (results.flash.copybacks, results.flash.wasted_pages, results.flash.gc_programs)
    };
    let one = counted(1);
    assert!(one.0 > 100 && one.1 > 100, "{one:?}");
    assert_eq!([2, 3, 4].map(counted), [one; 3]);
}
