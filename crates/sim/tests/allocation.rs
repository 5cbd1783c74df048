//! Which plane a host write goes to.

use crate::common::TestDrive;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::{Lpn, PlaneId};
use rstest::rstest;

/// The planes that writes of these pages go to while the dies have so much to do.
fn planes(ftl: &mut Ftl, pages: &[u32], pending: &[u32]) -> Vec<u32> {
    pages.iter().map(|page| ftl.place_write(Lpn(*page), pending).expect("a plane has room").0).collect()
}

/// Two of everything: plane = 8 * channel + 4 * chip + 2 * die + plane. Pages 1, 2, 4 and 8 are one step along the
/// first, second, third and fourth dimension of the order; 16 begins anew.
#[rstest]
#[case("CWDP", [0, 8, 4, 2, 1, 15, 0])]
#[case("PDWC", [0, 1, 2, 4, 8, 15, 0])]
#[case("WPCD", [0, 4, 1, 8, 2, 15, 0])]
#[case("DCPW", [0, 2, 8, 1, 4, 15, 0])]
fn a_stripe_runs_in_the_order_named(#[case] order: &str, #[case] expected: [u32; 7]) {
    let mut ftl = TestDrive::of([2, 2, 2, 2]).with(&[("ftl.allocation.order", order)]).ftl();
    assert_eq!(planes(&mut ftl, &[0, 1, 2, 4, 8, 15, 16], &[0; 8]), expected);
}

#[test]
fn a_stripe_wraps_every_dimension_at_its_own_size() {
    // Three channels, one chip each, two dies, one plane: plane = 2 * channel + die.
    let mut ftl = TestDrive::of([3, 1, 2, 1]).ftl();
    assert_eq!(planes(&mut ftl, &[0, 1, 2, 3, 4, 5, 6], &[0; 6]), [0, 2, 4, 1, 3, 5, 0]);
}

/// Reserves the plane's pages for writes: 15 blocks of 4, because the last is the collector's.
fn fill_up(ftl: &mut Ftl, plane: u32) {
    (0..60).for_each(|_| ftl.reserve_page(PlaneId(plane)));
}

#[test]
fn by_arrival_every_write_goes_to_the_next_plane_with_room() {
    let mut ftl = TestDrive::of([2, 2, 1, 1]).with(&[("ftl.allocation.by", "arrival")]).ftl();
    // Channels first: plane = 2 * channel + chip.
    assert_eq!(planes(&mut ftl, &[7, 7, 7, 7, 7], &[0; 4]), [0, 2, 1, 3, 0]);
    fill_up(&mut ftl, 2);
    fill_up(&mut ftl, 1);
    assert_eq!(planes(&mut ftl, &[7, 7, 7], &[0; 4]), [3, 0, 3]);
    fill_up(&mut ftl, 0);
    fill_up(&mut ftl, 3);
    assert_eq!(ftl.place_write(Lpn(7), &[0; 4]), None);
    // One reservation less is room for one page.
    ftl.consume_reservation(PlaneId(1));
    assert_eq!(ftl.place_write(Lpn(7), &[0; 4]), Some(PlaneId(1)));
}

#[test]
fn dynamic_chooses_the_die_with_the_least_to_do() {
    // Two channels of two chips of one die: in turn die 0, 2 (the other channel), 1 and 3.
    let mut ftl = TestDrive::of([2, 2, 1, 1]).with(&[("ftl.allocation", "dynamic")]).ftl();
    assert_eq!(planes(&mut ftl, &[9; 5], &[0; 4]), [0, 2, 1, 3, 0]);
    // Now it is die 2's turn. Two dies have one operation: die 1 comes first, then die 3 has its turn.
    assert_eq!(planes(&mut ftl, &[9; 3], &[4, 1, 3, 1]), [1, 3, 1]);
    // Die 3's turn, but die 2 has less to do; then die 1's turn, but all others have less.
    assert_eq!(planes(&mut ftl, &[9], &[5, 3, 2, 4]), [2]);
    assert_eq!(planes(&mut ftl, &[9], &[1, 3, 2, 2]), [0]);
    // A die with nothing to do, wherever the turn is (die 2's).
    assert_eq!(planes(&mut ftl, &[9; 2], &[2, 2, 2, 0]), [3, 3]);
}

/// Parts of a page go to one plane, whatever their numbers.
#[test]
fn dynamic_gives_a_plane_whole_pages() {
    let parts = [("geometry.page_size", "8KiB"), ("geometry.mapping_unit", "4KiB")];
    let mut ftl = TestDrive::of([2, 1, 1, 1]).with(&[("ftl.allocation", "dynamic")]).with(&parts).ftl();
    assert_eq!(planes(&mut ftl, &[10, 40, 11, 12, 90], &[0; 2]), [0, 0, 1, 1, 0]);
}

#[test]
fn dynamic_lets_the_planes_of_a_die_take_turns() {
    let mut ftl = TestDrive::of([1, 2, 1, 3]).with(&[("ftl.allocation", "dynamic")]).ftl();
    assert_eq!(planes(&mut ftl, &[9; 4], &[0, 7]), [0, 1, 2, 0]);
    assert_eq!(planes(&mut ftl, &[9; 4], &[7, 0]), [3, 4, 5, 3]);
    // Plane 1 would be next, but has all its pages reserved.
    fill_up(&mut ftl, 1);
    assert_eq!(planes(&mut ftl, &[9; 3], &[0, 7]), [2, 0, 2]);
}

/// Two channels of a die each, with programs of three pages; all dies have as much to do.
fn of_units(together: &str) -> Ftl {
    let kind = format!("{{ kind = \"dynamic\", together = \"{together}\" }}");
    TestDrive::of([2, 1, 1, 1])
        .with(&[("ftl.allocation", &kind), ("flash.cell", "TLC"), ("flash.program_unit", "word-line")])
        .with(&[("geometry.pages_per_block", "24")])
        .ftl()
}

#[rstest]
// The fourth page of a run begins another unit; so does a page that does not follow the last.
#[case("run", &[10, 11, 12, 13, 14, 90, 91, 40], [0, 0, 0, 1, 1, 0, 0, 1])]
#[case("run", &[10, 12, 11, 11, 12, 13, 14, 15], [0, 1, 0, 1, 1, 1, 0, 0])]
#[case("unit", &[10, 11, 12, 13, 14, 90, 91, 40], [0, 0, 0, 1, 1, 1, 0, 0])]
#[case("page", &[10, 11, 12, 13, 14, 90, 91, 40], [0, 1, 0, 1, 0, 1, 0, 1])]
fn dynamic_gives_a_plane_pages_that_follow(
    #[case] together: &str,
    #[case] pages: &[u32],
    #[case] expected: [u32; 8],
) {
    assert_eq!(planes(&mut of_units(together), pages, &[0; 2]), expected);
}

#[test]
fn a_unit_is_gone_on_with_behind_others_but_not_without_room() {
    let mut ftl = of_units("unit");
    // Die 0 has more to do by now; what was begun there goes on, and the next unit is die 1's.
    assert_eq!(planes(&mut ftl, &[7], &[0, 0]), [0]);
    assert_eq!(planes(&mut ftl, &[7, 7, 7], &[9, 0]), [0, 0, 1]);
    // Die 1 is full: the unit that was begun there is left, and another begins.
    (0..15 * 24).for_each(|_| ftl.reserve_page(PlaneId(1)));
    assert_eq!(planes(&mut ftl, &[7, 7, 7], &[9, 0]), [0, 0, 0]);
}

#[test]
fn programs_of_a_page_have_nothing_to_go_together() {
    let kind = "{ kind = \"dynamic\", together = \"unit\" }";
    let mut ftl = TestDrive::of([2, 1, 1, 1]).with(&[("ftl.allocation", kind)]).ftl();
    assert_eq!(planes(&mut ftl, &[1, 2, 3, 4], &[0; 2]), [0, 1, 0, 1]);
}

#[test]
fn dynamic_steps_over_dies_without_room() {
    let mut ftl = TestDrive::of([1, 3, 1, 1]).with(&[("ftl.allocation", "dynamic")]).ftl();
    fill_up(&mut ftl, 0);
    // Die 0 has nothing to do but no room; of the others die 2 has less to do.
    assert_eq!(planes(&mut ftl, &[9; 2], &[0, 2, 1]), [2, 2]);
    fill_up(&mut ftl, 2);
    assert_eq!(planes(&mut ftl, &[9], &[0, 2, 1]), [1]);
    fill_up(&mut ftl, 1);
    assert_eq!(ftl.place_write(Lpn(9), &[0, 2, 1]), None);
}

#[test]
fn dynamic_takes_turns_over_chips_before_dies() {
    // One channel, two chips of two dies: the first die of each chip (0 and 2), then the second (1 and 3).
    let mut ftl = TestDrive::of([1, 2, 2, 1]).with(&[("ftl.allocation", "dynamic")]).ftl();
    assert_eq!(planes(&mut ftl, &[9; 5], &[0; 4]), [0, 2, 1, 3, 0]);
}
