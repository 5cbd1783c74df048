//! Parity over the dies of a superblock (docs/model.md, 4.48c and 4.48d).

use crate::common::prelude::*;
use crate::superblocks::{self, PROGRAM, write};

/// Dies of one plane, on one channel, of 16 blocks of 4 pages; of superblock b die b mod 3 has the parity. Writes go to
/// planes in turn.
fn drive() -> TestDrive {
    superblocks::drive([1, 3, 1, 1], "drive").set("redundancy", "superblock-parity")
}

fn of_planes(ftl: &Ftl) -> [u64; 3] {
    [0, 1, 2].map(|plane: usize| ftl.plane_counters()[plane].parity_programs)
}

/// Of 192 pages half are stored, 96, and two thirds of these are the host's.
#[test]
fn the_host_sees_what_parity_leaves() {
    let geometry = Geometry::new(&drive().config()).unwrap();
    assert_eq!((geometry.stored_pages, geometry.logical_pages), (96, 64));
}

/// Superblock 0 holds pages 0 to 7 in planes 1 and 2, its parity in plane 0; superblock 1 pages 8 to 15 in planes 0 and
/// 2. A page of parity is programmed with every second page.
#[test]
fn each_superblock_has_its_parity_on_another_die() {
    let mut ftl = drive().ftl();
    for rows in 1..=12 {
        write(&mut ftl, [2 * rows - 2]);
        assert_eq!(ftl.counters().parity_programs, u64::from(rows) - 1);
        write(&mut ftl, [2 * rows - 1]);
        assert_eq!(ftl.counters().parity_programs, u64::from(rows));
    }
    let planes = |pages: std::ops::Range<u32>| {
        let mut planes: Vec<_> = pages.map(|page| place(&ftl, page).0 / 16).collect();
        planes.sort_unstable();
        planes
    };
    assert_eq!(planes(0..8), [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(planes(8..16), [0, 0, 0, 0, 2, 2, 2, 2]);
    assert_eq!(planes(16..24), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(of_planes(&ftl), [4, 4, 4]);
    assert_eq!(ftl.counters().host_programs, 24);
    assert!((ftl.counters().write_amplification() - 1.5).abs() < 1e-12);
}

/// A superblock with one page that is not valid wins one page; with its parity it would win five.
#[test]
fn parity_is_nothing_to_be_won() {
    let mut ftl = drive().ftl();
    write(&mut ftl, 0..8);
    assert!(!ftl.collect_now(PlaneId(0)), "all of its data is valid");
    trim(&mut ftl, [3]);
    assert!(ftl.collect_now(PlaneId(0)));
    audit::check(&ftl, true).unwrap();
    // Seven pages, which complete three rows of the collector's superblock.
    let counters = ftl.counters();
    assert_eq!((counters.gc_programs, counters.parity_programs), (7, 4 + 3));
    assert_eq!(counters.erases, 3);
    write(&mut ftl, 8..10);
    assert_eq!(ftl.counters().parity_programs, 8, "the host has a superblock of its own");
}

/// Two writes begin one after the other on the channel. With the second its row is complete: the parity follows them.
#[test]
fn parity_is_programmed_when_the_last_page_of_its_row_is_sent() {
    let outcome = drive().run(vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 1, 1)]);
    let ends = &outcome.requests.as_ref().unwrap().completion_ns;
    assert_eq!(ends[..], [PROGRAM, TRANSFER + PROGRAM], "nobody waits for the parity");
    let busy = PROGRAM as f64 / (2 * TRANSFER + PROGRAM) as f64;
    for share in &outcome.results.utilisation.per_die {
        assert!((share - busy).abs() < 1e-12, "{share}");
    }
    assert_eq!(outcome.results.flash.parity_programs, 1);
    assert_eq!(counters(&outcome, "redundancy", ["parity_rows", "open_rows"]), [1, 1]);
}

/// Superblocks 0 to 7 hold pages 0 to 63; the next has its data in planes 0 and 1, its parity in plane 2. A read of
/// what plane 2 has waits until its page of parity is programmed, as behind a write of the host.
#[test]
fn who_waits_for_parity_does_not_wait_for_collection() {
    let filled = drive().written(64);
    let read = (8..64).find(|page| place(&filled, *page).0 / 16 == 2).expect("a third is there");
    let begun = 3 * TRANSFER;
    let records =
        vec![at(0, Op::Write, 1, 1), at(0, Op::Write, 2, 1), at_ns(begun, Op::Read, u64::from(read))];
    let outcome = drive().set("warmup.kind", "filled").run(records);
    assert_eq!(parts(&outcome, begun)[..2], [500_000, 0], "it waits for the array, and nothing is collected");
}

/// A word line of three pages has a unit of parity when all dies have programmed theirs.
#[test]
fn parity_of_word_lines_is_programmed_together() {
    let mut ftl = drive()
        .blocks(32, 6)
        .set("flash.cell", "TLC")
        .set("flash.t_read", r#"["50us", "60us", "70us"]"#)
        .set("flash.t_program", r#"["300us", "400us", "500us"]"#)
        .set("flash.program_unit", "word-line")
        .ftl();
    let mut programmed = Vec::new();
    for page in 0..12 {
        write(&mut ftl, [page]);
        programmed.push(ftl.counters().parity_programs);
    }
    assert_eq!(programmed, [0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 6]);
}

#[rstest]
#[case("plane")]
#[case("die")]
fn parity_needs_superblocks_of_several_dies(#[case] scope: &str) {
    let refused = drive().set("ftl.superblock", scope).loaded().unwrap_err();
    assert!(refused.contains("ftl.superblock") && refused.contains("channel"), "{refused}");
    let one = drive().set("geometry.chips_per_channel", 1).loaded().unwrap_err();
    assert!(one.contains("one die in each superblock"), "{one}");
}

/// Three pages behind whole superblocks leave rows open, in word lines a unit, too: a saved drive goes on with them.
#[rstest]
#[case::pages(&[])]
#[case::word_lines(&[
    ("flash.cell", "TLC"),
    ("flash.program_unit", "word-line"),
    ("flash.t_program", "500us"),
])]
fn rows_that_are_open_are_saved(#[case] set: &[(&str, &str)]) {
    let drive = drive().blocks(40, 12).set("flash.t_read", "75us").with(set).set("warmup.kind", "overwrite");
    let records: Vec<_> = (0..600).map(|k| at(900 * k, Op::Write, k * 7919 % 300, 1)).collect();
    let results = Saved::new().goes_on(&drive, &records);
    assert!(results.flash.parity_programs > 300 && results.gc.jobs > 0, "{}", results.flash.parity_programs);
    assert!(results.flash.parity_programs.is_multiple_of(if set.is_empty() { 1 } else { 3 }));
}
