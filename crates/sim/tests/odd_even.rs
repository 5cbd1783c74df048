//! Copyback under the odd/even rule: what it wastes, where its pages go, and what it does where it would win nothing.

use crate::common::prelude::*;
use reclaim_sim::gc::relocation::{Step, Way};

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
