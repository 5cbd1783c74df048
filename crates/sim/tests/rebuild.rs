//! A chip that was lost before the run is rebuilt on an erased one while the host goes on.

use crate::common::prelude::*;

/// Six chips in parity sets of three, everything written.
fn filled(order: &str, stripes: u32) -> TestDrive {
    TestDrive::of([6, 1, 1, 1])
        .blocks(16, 8)
        .set("geometry.spare_factor", "45%")
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", 3)
        .set("redundancy.rebuild_chip", 4)
        .set("redundancy.rebuild_order", order)
        .set("redundancy.rebuild_stripes", stripes)
        .set("warmup.kind", "filled")
}

fn rebuild<const N: usize>(outcome: &Outcome, names: [&str; N]) -> [u64; N] {
    counters(outcome, "redundancy", names)
}

/// Pages of the chip that was lost, one of each stripe of its set; and what a read takes, and one of them.
fn facts(drive: &TestDrive) -> [u64; 3] {
    let (config, timing) = (drive.config(), Timing::new(&drive.config()));
    let read = timing.unloaded_read().0;
    let rows = Geometry::new(&config).unwrap().stripes.unwrap().rows;
    [u64::from(rows), read, read + timing.unloaded_program().0]
}

/// Nothing else to do: page by page, two reads at once, then a program. The audit knows what every page held.
#[rstest]
#[case("host-first")]
#[case("rebuild-first")]
fn one_page_after_the_other(#[case] order: &str) {
    let drive = filled(order, 1);
    let [lost, _, page] = facts(&drive);
    let outcome = drive.run(vec![at(1_000_000_000, Op::Read, 0, 1)]);
    // The read comes when all is there again.
    let names = ["rebuilt_pages", "rebuild_ns", "rebuilding_reads"];
    assert_eq!(rebuild(&outcome, names), [lost, lost * page, 0]);
    let flash = &outcome.results.flash;
    assert_eq!([flash.parity_programs, flash.host_programs, flash.host_reads], [lost, 0, 1]);
}

/// Behind the host: five reads come while the second page is being programmed, all of the first one, which is on the
/// chip again. The third waits until the chip that it is to be written on has done them.
#[test]
fn a_rebuild_waits_for_the_die_that_it_writes_to() {
    let drive = filled("host-first", 1).set("flash.suspend.program", false);
    let [lost, read, page] = facts(&drive);
    let outcome = drive.run(vec![at((page + read) / 1_000 + 50, Op::Read, 3, 1); 5]);
    assert_eq!(rebuild(&outcome, ["degraded_reads", "rebuild_ns"]), [0, lost * page + 5 * read]);
}

/// A read of a lost page is made up from the rest of its stripe; once the page is back it is read as ever.
#[test]
fn a_lost_page_is_read_from_its_stripe_until_it_is_there() {
    let drive = filled("rebuild-first", 1);
    // Stripes lie in one set after the other; pages 2 and 3 are of the second set, on its chips 3 and 4.
    let outcome = drive.run([0, 1_000_000_000].map(|time| at(time, Op::Read, 3, 1)).to_vec());
    let latency = rows(&outcome);
    let names = ["degraded_reads", "rebuilding_reads", "rebuilding_read_ns"];
    assert_eq!(rebuild(&outcome, names), [1, 1, latency[0]]);
    assert!(latency[1] < latency[0]);
}
