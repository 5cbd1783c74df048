//! How full a drive is when it starts: `warmup.valid_share` (docs/model.md, 7.3).

use crate::common;
use crate::common::prelude::*;

/// 64 pages, of which the host sees 32.
fn drive(share: &str, kind: &str) -> TestDrive {
    TestDrive::one_plane().set("warmup.kind", kind).set("warmup.valid_share", share)
}

/// Writes pages 20 to 23 and trims the last of them; trims 4, which it never writes.
fn trace() -> Vec<Record> {
    vec![at(0, Op::Write, 20, 4), at(1, Op::Trim, 23, 1), at(2, Op::Trim, 4, 1)]
}

#[rstest]
#[case("36%", "filled", 23)]
#[case("36%", "overwrite", 23)]
#[case("36%", "steady", 23)]
#[case("36%", "workload", 23)]
#[case("36%", "replay", 23)]
#[case("12.5%", "workload", 8)]
#[case("50%", "filled", 32)]
fn so_much_is_valid_when_time_begins(#[case] share: &str, #[case] kind: &str, #[case] pages: u32) {
    let mut drive = drive(share, kind);
    if kind == "replay" {
        drive = drive.set("warmup.fill", true);
    }
    let results = drive.run(trace()).results;
    assert_eq!(results.start.valid_share, f64::from(pages) / 64.0);
    assert_eq!(results.start.valid_share_fullest_die, f64::from(pages) / 64.0);
}

/// 3 of its pages stay, 2 are trimmed: the others are the lowest that it does not touch.
#[test]
fn others_are_filled_beside_the_pages_of_the_trace() {
    let rows = drive("12.5%", "workload").run(
        [
            trace(),
            // 0 to 3 and 5 are filled, 4 is trimmed and 6 not needed.
            (0..7).map(|page| at(1000 + page, Op::Read, page, 1)).collect(),
        ]
        .concat(),
    );
    assert_eq!(rows.results.flash.unmapped_reads, 2);
}

#[rstest]
#[case("51%", "filled", "more than the user capacity, which is 50.00%")]
#[case("3%", "workload", "leaves 4.69% of all pages valid by itself")]
#[case("50%", "workload", "with all that it does not touch 46.88%")]
fn what_cannot_be_is_refused(#[case] share: &str, #[case] kind: &str, #[case] says: &str) {
    let ran = std::panic::catch_unwind(|| drive(share, kind).run(trace()).results.events);
    let message = ran.unwrap_err();
    let message = message.downcast_ref::<String>().expect("unwrap says why");
    assert!(message.contains("warmup.valid_share") && message.contains(says), "{message}");
}

/// Three dies of 16 blocks of 4 pages, to which pages go in turn. Die 1 gets five pages, one of them twice, in two
/// blocks; the others one and two pages, in one block each.
#[test]
fn the_state_that_time_begins_with_is_told_die_by_die() {
    let pages = [0, 1, 4, 7, 10, 13, 4, 2, 5];
    let drive = TestDrive::of([3, 1, 1, 1]).set("ftl.allocation", "striping").set("warmup.kind", "replay");
    let start = drive.run(common::spaced_writes(&pages)).results.start;
    assert_eq!((start.valid_share, start.programmed_share), (8.0 / 192.0, 9.0 / 192.0));
    assert_eq!((start.fullest_die, start.valid_share_fullest_die), (1, 5.0 / 64.0));
    assert_eq!(start.free_blocks, (15.0 + 14.0 + 15.0) / 3.0);
    assert_eq!((start.free_blocks_least, start.least_free_die), (14, 1));
    assert_eq!((start.erases_least, start.erases_most, start.erases_mean), (0, 0, 0.0));
}
