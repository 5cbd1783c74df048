//! The state of a plane: when collection is wanted and urgent, what the host may take, which free block is opened next.

use crate::common::prelude::*;

/// What the plane says after another block was opened for the host: free blocks, whether collection should begin,
/// whether it should go on, whether it is urgent.
type Answers = (u32, bool, bool, bool);

/// Takes pages for the host until there are none, and notes the answers whenever a block was opened.
fn while_the_host_takes(ftl: &mut Ftl) -> Vec<Answers> {
    let mut answers = Vec::new();
    for taken in 0.. {
        if ftl.take_host_page(PLANE, Lpn(0)).is_none() {
            assert_eq!(taken % 4, 0, "an open block is filled");
            break;
        }
        if taken % 4 == 0 {
            let begin = ftl.wants_collection(PLANE, false, true);
            let go_on = ftl.wants_collection(PLANE, true, true);
            answers.push((ftl.plane(PLANE).free.len(), begin, go_on, ftl.collection_is_urgent(PLANE)));
        }
    }
    answers
}

#[test]
fn free_blocks_starts_stops_and_hurries_at_its_levels() {
    let levels =
        [("gc.trigger.start", "3 blocks"), ("gc.trigger.stop", "5 blocks"), ("gc.trigger.hard", "2 blocks")];
    let answers = while_the_host_takes(&mut TestDrive::one_plane().with(&levels).ftl());
    let expected = [
        (7, false, false, false),
        (6, false, false, false),
        (5, false, true, false),
        (4, false, true, false),
        (3, true, true, false),
        (2, true, true, true),
        // The last block is the collector's.
        (1, true, true, true),
    ];
    assert_eq!(answers[8..], expected);
}

#[test]
fn without_a_stop_level_collection_stops_above_the_start_level() {
    let answers =
        while_the_host_takes(&mut TestDrive::one_plane().with(&[("gc.trigger.start", "3 blocks")]).ftl());
    // Half a per cent of 16 blocks is less than one: hard is one.
    let expected =
        [(4, false, false, false), (3, true, true, false), (2, true, true, false), (1, true, true, true)];
    assert_eq!(answers[11..], expected);
}

#[test]
fn frontier_filled_keeps_blocks_from_the_host() {
    let levels = [
        ("gc.trigger.kind", "frontier-filled"),
        ("gc.trigger.start", "4 blocks"),
        ("gc.trigger.host_stop", "2 blocks"),
        ("gc.trigger.hard", "3 blocks"),
    ];
    let answers = while_the_host_takes(&mut TestDrive::one_plane().with(&levels).ftl());
    let expected = [
        (5, false, false, false),
        (4, true, false, false),
        (3, true, false, true),
        // Here the host stops, and erases ask for the next victim.
        (2, true, true, true),
    ];
    assert_eq!(answers[10..], expected);
}

/// How many jobs a plane may have at once: blocks 0 to 3 hold nothing valid any more, four blocks are free.
#[rstest]
// One at a time.
#[case("1", &[false])]
// A further one while there are fewer than the limit ...
#[case("3", &[true, true, false])]
// ... and each finds a free block of its own: four are free, so there is no fifth.
#[case("10", &[true, true, true, false])]
fn a_further_job_needs_a_turn_and_a_free_block(#[case] jobs: &str, #[case] expected: &[bool]) {
    let levels =
        [("gc.trigger.kind", "frontier-filled"), ("gc.trigger.start", "4 blocks"), ("gc.trigger.jobs", jobs)];
    let mut ftl = TestDrive::one_plane().with(&levels).ftl();
    // Pages 0 to 15 fill blocks 0 to 3 and, again, 4 to 7; 16 to 27 fill 8 to 10. The next page opens block 11.
    (0..16).chain(0..28).for_each(|page| ftl.write_now(Lpn(page)));
    ftl.take_host_page(PLANE, Lpn(28)).expect("there is room");
    assert_eq!(ftl.plane(PLANE).free.len(), 4);
    let mut answers = Vec::new();
    while answers.last() != Some(&false) {
        ftl.begin_collection(PLANE).expect("an empty block");
        answers.push(ftl.wants_collection(PLANE, false, true));
    }
    assert_eq!(answers, expected);
}

/// Empties blocks that hold pages in order, and erases them.
fn erase(ftl: &mut Ftl, blocks: &[u32]) {
    for block in blocks {
        (4 * block..4 * block + 4).for_each(|page| assert!(ftl.trim(Lpn(page))));
        let victim = ftl.begin_collection(PLANE).unwrap();
        assert_eq!(victim, BlockId(*block));
        ftl.end_collection(victim, Cause::Gc);
    }
}

fn block_of(page: Option<Ppn>) -> u32 {
    page.expect("there is room").0 / 4
}

/// Blocks 0 to 7 hold pages 0 to 31; 2, 0 and 1 are erased, in this order.
#[rstest]
#[case::freed_first("false", [8, 9, 10, 11, 12, 13, 14, 15, 2, 0, 1])]
#[case::least_erased_then_lowest_number("true", [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2])]
fn free_blocks_are_opened_in_order(#[case] dynamic: &str, #[case] expected: [u32; 11]) {
    let mut ftl = TestDrive::one_plane().with(&[("ftl.wear.dynamic", dynamic)]).ftl();
    (0..32).for_each(|page| ftl.write_now(Lpn(page)));
    erase(&mut ftl, &[2, 0, 1]);
    let listed: Vec<u32> = ftl.plane(PLANE).free.in_order().map(|block| block.0).collect();
    assert_eq!(listed, expected);
    // The host opens all but the last; a block has four pages.
    for block in &expected[..10] {
        for _ in 0..4 {
            assert_eq!(block_of(ftl.take_host_page(PLANE, Lpn(0))), *block);
        }
    }
    assert_eq!(ftl.take_host_page(PLANE, Lpn(0)), None);
    // The collector may open that one.
    assert_eq!(ftl.take_gc_page(PLANE, Lpn(0), Ppn::NONE, Cause::Gc).0 / 4, expected[10]);
}

/// One block is filled, emptied and erased in each round, so that after 17 rounds on 16 blocks block 0 was erased
/// twice, the others once.
#[rstest]
#[case("false")]
#[case("true")]
fn data_that_never_changes_goes_to_the_most_erased_block(#[case] dynamic: &str) {
    for (cause, expected) in [(Cause::Wear, 0), (Cause::Gc, 1)] {
        let mut ftl = TestDrive::one_plane().with(&[("ftl.wear.dynamic", dynamic)]).ftl();
        for round in 0..17 {
            (0..4).for_each(|page| ftl.write_now(Lpn(page)));
            (0..4).for_each(|page| assert!(ftl.trim(Lpn(page))));
            let victim = ftl.begin_collection(PLANE).unwrap();
            assert_eq!(victim, BlockId(round % 16));
            ftl.end_collection(victim, Cause::Gc);
        }
        let block = ftl.take_gc_page(PLANE, Lpn(0), Ppn::NONE, cause).0 / 4;
        assert_eq!(block, expected, "{cause:?}");
    }
}
