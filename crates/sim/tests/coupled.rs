//! Copyback under the odd/even rule in more than source order: two pointers, coupled blocks, limits of copybacks.

use crate::common::{PLANE, TestDrive, fill_and_trim, spaced_writes, trim};
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::{BlockId, Lpn, Ppn};
use rstest::rstest;

/// One plane of TLC blocks that are collected in the order in which they were filled.
fn drive(kind: &str, blocks: u32, pages: u32, word_lines: bool, carry: bool) -> TestDrive {
    TestDrive::one_plane()
        .blocks(blocks, pages)
        .set("geometry.spare_factor", "40%")
        .set("flash.cell", "TLC")
        .set("flash.program_unit", if word_lines { "word-line" } else { "page" })
        .set("gc.relocation.kind", kind)
        .set("gc.relocation.carry", carry)
        .victim("fifo")
}

fn always(kind: &str, blocks: u32, pages: u32, carry: bool) -> TestDrive {
    drive(kind, blocks, pages, true, carry).set("gc.relocation.admission", "always")
}

fn count(ftl: &Ftl, metric: &str) -> u64 {
    let readings = ftl.policy_readings().relocation;
    readings.iter().find(|reading| reading.metric.name == metric).expect("a metric of the policy").count
}

/// Valid pages of a block in even and in odd units.
fn valid_by_parity(ftl: &Ftl, block: BlockId) -> [u32; 2] {
    let pages = (0..ftl.geometry().pages_per_block).map(|page| ftl.geometry().page(block, page));
    pages.filter(|page| ftl.map().is_valid(*page)).fold([0, 0], |mut counts, page| {
        counts[parity(ftl, page) as usize] += 1;
        counts
    })
}

/// What two pointers waste of a victim, counted slot by slot; `next` is the slot of the target that comes next.
fn waste_of(mut left: [u32; 2], unit: u32, carry: bool, next: &mut u32) -> u64 {
    let mut wasted = 0;
    while left != [0, 0] {
        let here = &mut left[(*next / unit % 2) as usize];
        if *here > 0 {
            *here -= 1;
        } else {
            wasted += 1;
        }
        *next += 1;
        // A slot behind an empty one is empty, too, up to the end of the unit: pages of a parity do not come back.
    }
    while !carry && !(*next).is_multiple_of(unit) {
        (wasted, *next) = (wasted + 1, *next + 1);
    }
    wasted
}

/// Wasted pages of a victim of 510 pages, each valid with probability p, by two pointers: what is expected of 255 pages
/// of either parity that are drawn independently, summed up apart from the simulator over all pairs of counts, the open
/// slot as often at each place as it comes to be. The waste is a difference of two random counts: from victim to victim
/// its deviation is 0.7 to 0.9 of its mean, so 1 % takes 60,000 of them, ten drives.
#[rstest]
#[case(50, false, false, 3.449, 1)]
#[case(200, false, false, 6.722, 1)]
#[case(500, false, false, 8.523, 1)]
#[case(50, true, true, 3.547, 1)]
#[case(200, true, true, 6.778, 1)]
#[case(500, true, true, 8.568, 1)]
#[case(50, true, false, 4.765, 10)]
#[case(200, true, false, 7.897, 10)]
#[case(500, true, false, 9.663, 10)]
fn waste_per_victim_by_two_pointers(
    #[case] valid_per_mille: u32,
    #[case] word_lines: bool,
    #[case] carry: bool,
    #[case] expected: f64,
    #[case] drives: u64,
) {
    let victims = 6_000;
    let mut wasted = 0;
    for seed in 0..drives {
        let mut ftl = drive("pcgc", 11_000, 510, word_lines, carry).ftl();
        fill_and_trim(&mut ftl, victims, valid_per_mille, seed);
        ftl.reset_counters();
        let (unit, mut counted, mut next) = (ftl.geometry().unit_pages, 0, 0);
        for victim in 0..victims {
            counted += waste_of(valid_by_parity(&ftl, BlockId(victim)), unit, carry, &mut next);
            assert!(ftl.collect_now(PLANE));
        }
        assert_eq!(ftl.counters().wasted_pages, counted, "counted apart");
        assert_eq!(ftl.counters().padded_pages, 0);
        assert_eq!(count(&ftl, "tight_jobs"), 0);
        reclaim_sim::audit::check(&ftl, true).unwrap();
        wasted += counted;
    }
    let wasted = wasted as f64 / (f64::from(victims) * drives as f64);
    let within = 0.03 / (drives as f64).sqrt();
    assert!(
        (wasted / expected - 1.0).abs() < within,
        "{wasted} pages wasted of a victim, {expected} expected"
    );
}

/// With three blocks to borrow from hardly anything is wasted.
#[rstest]
fn coupled_blocks_leave_no_waste(#[values(100, 300, 600)] keep: u32, #[values(false, true)] carry: bool) {
    let mut ftl = always("coupled", 120, 510, carry).ftl();
    fill_and_trim(&mut ftl, 70, keep, 5);
    ftl.reset_counters();
    for _ in 0..40 {
        assert!(ftl.collect_now(PLANE));
    }
    let (counters, filled) = (ftl.counters(), count(&ftl, "filled_pages"));
    // What is borrowed leaves a block with pages of the other parity only, sooner or later.
    assert!(counters.wasted_pages * 10 <= filled, "{} wasted, {filled} filled", counters.wasted_pages);
    assert!(filled > 0 && filled < counters.gc_programs / 2, "{filled} of {}", counters.gc_programs);
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// A block of four TLC word lines of which units 0 and 2 hold one page each, both even; the blocks beside it hold more.
#[test]
fn holes_are_filled_from_the_block_with_the_fewest_valid_pages() {
    let mut ftl = always("coupled", 60, 12, false).set("gc.relocation.blocks", 1).written(48);
    // Block 0: pages 1 and 8. Block 1: all. Block 2: 24, 27, 30, 33. Block 3: 36, 37, 39, 42, 45.
    let kept = |lpn: &u32| match lpn {
        0..12 => [1, 8].contains(lpn),
        12..24 => true,
        24..36 => lpn.is_multiple_of(3),
        _ => lpn.is_multiple_of(3) || *lpn == 37,
    };
    trim(&mut ftl, (0..48).filter(|lpn| !kept(lpn)));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    let place = |lpn| ftl.map().flash_copy(Lpn(lpn)).unwrap();
    let block = ftl.geometry().block_of(place(1));
    assert_eq!([1, 8, 24].map(|lpn| place(lpn).0 - ftl.geometry().page(block, 0).0), [0, 1, 2]);
    assert_eq!(ftl.blocks().valid(BlockId(2)), 3, "its page 24 was borrowed");
    assert_eq!((ftl.counters().wasted_pages, count(&ftl, "filled_pages")), (0, 1));
    // The lists of victims know: block 1 has been sealed first, and is next by age; then block 2 with three pages.
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// One page each of units 1 (odd), 2 (even) and 3 (odd). By two pointers: the even one and two fills, the odd ones and
/// one. In source order the first even unit is filled wholly, and then each page has a unit with two fills; or that
/// unit is wasted, because no page of the victim goes into it.
#[rstest]
#[case::pointers("pointers", "any-unit", 2 + 1, 0)]
#[case::pointers_beside_the_victim("pointers", "victim-units", 2 + 1, 0)]
#[case::source("source", "any-unit", 3 + 2 + 2 + 2, 0)]
#[case::source_beside_the_victim("source", "victim-units", 2 + 2 + 2, 3)]
fn coupled_blocks_fill_what_is_left(
    #[case] order: &str,
    #[case] fills: &str,
    #[case] filled: u64,
    #[case] wasted: u64,
) {
    let drive = always("coupled", 60, 24, false).set("gc.relocation.order", order);
    let mut ftl = drive.set("gc.relocation.fills", fills).written(48);
    trim(&mut ftl, (0..24).filter(|lpn| ![3, 6, 9].contains(lpn)));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    assert_eq!((count(&ftl, "filled_pages"), ftl.counters().wasted_pages), (filled, wasted));
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

fn parity(ftl: &Ftl, ppn: Ppn) -> u32 {
    ftl.geometry().page_in_block(ppn) / ftl.geometry().unit_pages % 2
}

/// A page changes parity only through the controller.
#[rstest]
fn pages_keep_their_parity(
    #[values("pcgc", "coupled")] kind: &str,
    #[values(false, true)] word_lines: bool,
    #[values(400, 900)] keep: u32,
) {
    let mut ftl = drive(kind, 60, 12, word_lines, true).ftl();
    fill_and_trim(&mut ftl, 30, keep, 5);
    let place = |ftl: &Ftl, lpn| ftl.map().flash_copy(Lpn(lpn));
    for _ in 0..30 {
        let before: Vec<_> = (0..30 * 12).map(|lpn| place(&ftl, lpn)).collect();
        let through_before = count(&ftl, "pages_through_controller");
        if !ftl.collect_now(PLANE) {
            break;
        }
        let changed = before.into_iter().enumerate().filter(|(lpn, before)| {
            let after = place(&ftl, *lpn as u32);
            before.is_some_and(|before| parity(&ftl, before) != parity(&ftl, after.unwrap()))
        });
        let (changed, through) =
            (changed.count() as u64, count(&ftl, "pages_through_controller") - through_before);
        assert!(changed <= through, "{changed} changed parity, but {through} left the plane");
    }
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// Blocks that are all but full end collection, too.
#[rstest]
fn tight_jobs_win_space(#[values("pcgc", "coupled")] kind: &str, #[values(false, true)] word_lines: bool) {
    let mut ftl = drive(kind, 60, 12, word_lines, true).written(30 * 12);
    // One whole unit of each block, an even one: nine pages are left in units 0, 1 and 3.
    let unit = ftl.geometry().unit_pages;
    trim(&mut ftl, (0..30 * 12).filter(|lpn| lpn % 12 / unit == 2));
    let free_before = ftl.erased_pages(PLANE);
    for _ in 0..30 {
        assert!(ftl.collect_now(PLANE));
    }
    assert_eq!(ftl.erased_pages(PLANE) - free_before, u64::from(30 * unit));
    assert!(count(&ftl, "tight_jobs") > 0 && count(&ftl, "pages_through_controller") > 0);
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// Pages that the host leaves alone go round by copyback, and through the controller every third time.
#[rstest]
fn copybacks_are_limited(
    #[values("copyback", "copyback-odd-even", "pcgc", "coupled")] kind: &str,
    #[values(false, true)] word_lines: bool,
) {
    let mut ftl = TestDrive::one_plane()
        .blocks(20, 12)
        .set("flash.cell", "TLC")
        .set("flash.program_unit", if word_lines { "word-line" } else { "page" })
        .set("gc.relocation.kind", kind)
        .set("gc.relocation.max_consecutive_copybacks", 2)
        .victim("fifo")
        .written(72);
    (0..4000).for_each(|k| ftl.write_now(Lpn(36 + k * 7 % 36)));
    let (checked, moved) = (count(&ftl, "checked_pages"), ftl.counters().gc_programs);
    let share = checked as f64 / moved as f64;
    assert!((0.2..0.6).contains(&share), "{checked} of {moved}");
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// What the host does with pages that were relocated ahead is counted, until their block is collected.
#[test]
fn changes_of_borrowed_pages_are_counted() {
    let mut ftl = always("coupled", 60, 12, false).written(36);
    trim(&mut ftl, (0..12).filter(|lpn| *lpn != 0));
    // Two slots beside page 0 are filled with pages 12 and 13 of block 1.
    assert!(ftl.collect_now(PLANE));
    assert_eq!(count(&ftl, "filled_pages"), 2);
    ftl.write_now(Lpn(12));
    trim(&mut ftl, [14]);
    let changes =
        |ftl: &Ftl| ["filled_pages_changed", "filled_pages_changed_soon"].map(|name| count(ftl, name));
    assert_eq!(changes(&ftl), [1, 1]);
    // Block 1 is collected: what happens to page 13 does not matter any more.
    assert!(ftl.collect_now(PLANE));
    ftl.write_now(Lpn(13));
    assert_eq!(changes(&ftl), [1, 1]);
}

/// In time: everything is charged and counted, and the drive comes to rest; with pages that others overwrite meanwhile.
#[rstest]
fn it_runs(
    #[values("pcgc", "coupled")] kind: &str,
    #[values(false, true)] word_lines: bool,
    #[values(false, true)] carry: bool,
    #[values(1, 4)] in_flight: u32,
) {
    let drive = drive(kind, 40, 12, word_lines, carry)
        .set("warmup.kind", "filled")
        .set("gc.trigger.start", "4 blocks")
        .set("gc.pages_in_flight", in_flight);
    let pages: Vec<u64> = (0..600).map(|k| k * 37 % 280).collect();
    let results = drive.run(spaced_writes(&pages)).results;
    assert!(results.flash.copybacks > 0);
}

/// A regression that is sure of everything couples nothing, or everything by the printed algorithm.
#[rstest]
#[case("text", 100.0, false)]
#[case("text", -100.0, true)]
#[case("pseudocode", 100.0, true)]
#[case("pseudocode", -100.0, false)]
fn admission_goes_by_the_regression(#[case] admission: &str, #[case] bias: f64, #[case] couples: bool) {
    let zeros = "[0, 0, 0, 0, 0, 0, 0, 0]";
    let ones = "[1, 1, 1, 1, 1, 1, 1, 1]";
    let model = format!("{{ bias = {bias}, weights = {zeros}, means = {zeros}, deviations = {ones} }}");
    let mut ftl = drive("coupled", 120, 510, true, false)
        .set("gc.relocation.admission", admission)
        .set("gc.relocation.retrain_below", 0)
        .set("gc.relocation.model", model)
        .ftl();
    fill_and_trim(&mut ftl, 70, 300, 5);
    for _ in 0..10 {
        assert!(ftl.collect_now(PLANE));
    }
    assert_eq!(count(&ftl, "filled_pages") > 0, couples);
    assert_eq!(count(&ftl, "coupled_blocks"), if couples { 30 } else { 0 });
}

/// OSPADA's rule by hand: two planes, units of three pages, pages less than four apart never in one.
#[test]
fn ospada_keeps_neighbours_apart() {
    let mut ftl = TestDrive::of([2, 1, 1, 1])
        .blocks(16, 12)
        .set("flash.cell", "TLC")
        .set("flash.program_unit", "word-line")
        .set("ftl.allocation", "ospada")
        .set("ftl.allocation.distance", 4)
        .ftl();
    let mut goes = |lpn| ftl.place_write(Lpn(lpn), &[]).unwrap().0;
    // 0 to plane 0; 1 to plane 1; 2 has a neighbour in either, and goes to the emptier: both hold one, plane 0 is next.
    assert_eq!([0, 1, 2].map(&mut goes), [0, 1, 0]);
    // 4 is next to page 2 in plane 0, and to page 1 in plane 1, which is emptier.
    assert_eq!(goes(4), 1);
    // 20 fits anywhere, plane 0 is next: its unit is whole, and a new one begins.
    assert_eq!(goes(20), 0);
    // 3 is next to pages 1 and 4 in plane 1, which is next, but no neighbour of what plane 0 begins with: nothing.
    assert_eq!([3, 40].map(&mut goes), [0, 1]);
}

/// Blocks 0 and 1 are copied back into one, the pages of which may then be copied back no more, or once more. Of
/// block 2 one even page is left, and the block that holds the fewest pages, the only one that lends, is that full
/// one.
#[rstest]
#[case::due(1, 0, 2)]
#[case::not_yet(2, 2, 0)]
fn pages_that_must_be_checked_are_not_lent(
    #[case] limit: u8,
    #[case] filled: u64,
    #[case] wasted: u64,
    #[values("always", "future")] admission: &str,
) {
    let mut ftl = always("coupled", 60, 12, false)
        .set("gc.relocation.admission", admission)
        .set("gc.relocation.blocks", 1)
        .set("gc.relocation.max_consecutive_copybacks", limit)
        .written(48);
    // Units 0 and 1 of the first block, 2 and 3 of the second: they fill a block without a hole.
    trim(&mut ftl, 6..18);
    assert!(ftl.collect_now(PLANE) && ftl.collect_now(PLANE));
    let copied = ftl.geometry().block_of(ftl.map().flash_copy(Lpn(1)).unwrap());
    assert_eq!((ftl.blocks().valid(copied), count(&ftl, "filled_pages")), (12, 0));
    trim(&mut ftl, [0].into_iter().chain(25..36));
    ftl.reset_counters();
    assert!(ftl.collect_now(PLANE));
    assert_eq!((count(&ftl, "filled_pages"), ftl.counters().wasted_pages), (filled, wasted));
    assert_eq!(count(&ftl, "checked_pages"), 0);
    reclaim_sim::audit::check(&ftl, true).unwrap();
}

/// In source order units 0, 2 and 3 take a whole block, as unit 2 must leave one out: a tight job, which asks no
/// block for pages.
#[test]
fn a_tight_job_borrows_nothing() {
    let mut ftl = always("coupled", 60, 12, false).set("gc.relocation.order", "source").written(36);
    trim(&mut ftl, 3..6);
    assert!(ftl.collect_now(PLANE));
    assert_eq!((count(&ftl, "tight_jobs"), count(&ftl, "coupled_blocks")), (1, 0));
}
