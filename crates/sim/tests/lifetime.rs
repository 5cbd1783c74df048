//! How long a drive lives, worked out by hand: what its blocks bear over what the run has worn them.

use crate::common::prelude::*;

const PAGE: f64 = 4096.0;
const YEAR_NS: f64 = 365.0 * 86_400e9;

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} and {expected}");
}

/// Compares figures in pages with those in 10^12 bytes.
#[track_caller]
fn pages(found: Option<f64>, pages: f64) {
    close(found.unwrap() * 1e12 / PAGE, pages);
}

/// The drive and the writes of `results::of_collection`: 8 blocks of 4 pages, 16 pages for the host, which writes 27; 2
/// are moved, and 2 blocks erased, once each.
fn collecting() -> TestDrive {
    TestDrive::one_plane().set("geometry.blocks_per_plane", 8)
}

fn writes() -> Vec<Record> {
    let mut records = history();
    records.extend([at(300_000, Op::Write, 14, 1), at(310_000, Op::Write, 15, 1)]);
    records
}

#[test]
fn what_blocks_bear_over_what_the_run_has_worn_them() {
    let results = collecting().set("flash.endurance.erases", 10).run(writes()).results;
    let found = results.lifetime.unwrap();
    // 32 pages bear 320 programs, 29 of which take 27 pages of the host.
    pages(found.tbw_levelled, 320.0 * 27.0 / 29.0);
    // A quarter of an erase in the mean, one at most.
    assert_eq!(found.levelling_efficiency, Some(0.25));
    pages(found.tbw, 80.0 * 27.0 / 29.0);
    close(found.drive_writes_per_day.unwrap(), 80.0 * 27.0 / 29.0 / 16.0 / (5.0 * 365.0));
    assert_eq!(found.percentage_used, 2);
    close(found.years.unwrap(), 80.0 / 29.0 * results.trace.span_ns as f64 / YEAR_NS);
}

#[test]
fn erases_before_the_run_are_used_up_and_say_nothing_of_levelling() {
    let of = |initial: u32, years: u32| {
        let drive = collecting().set("flash.endurance.erases", 10).set("flash.initial_erases", initial);
        drive.set("flash.endurance.warranty_years", years).run(writes()).results.lifetime.unwrap()
    };
    let (new, worn) = (of(0, 5), of(7, 1));
    assert_eq!((worn.tbw, worn.levelling_efficiency), (new.tbw, Some(0.25)));
    close(worn.drive_writes_per_day.unwrap(), 5.0 * new.drive_writes_per_day.unwrap());
    // 7.25 of 10, and of a block that bears no more than 25.
    assert_eq!((worn.percentage_used, of(25, 5).percentage_used), (72, 252));
    assert_eq!(of(26, 5).percentage_used, 255);
}

#[test]
fn nothing_is_told_of_what_is_not_known() {
    assert_eq!(collecting().run(writes()).results.lifetime, None);
    let drive = collecting().set("flash.endurance.erases", 10);
    // Nothing is erased; a third of all pages was written, and each wears as much as the host writes.
    let fresh = drive.run(spaced_writes(&[0, 1, 2])).results.lifetime.unwrap();
    pages(fresh.tbw_levelled, 320.0);
    let unknown = (fresh.tbw, fresh.levelling_efficiency, fresh.drive_writes_per_day, fresh.years);
    assert_eq!(unknown, (None, None, None, None));
    let read = drive.run(vec![at(0, Op::Read, 0, 1)]).results.lifetime.unwrap();
    assert_eq!((read.tbw_levelled, read.percentage_used), (None, 0));
}

/// 14 blocks of 6 pages, and a cache of 2 blocks of 2 pages, which takes 8 pages, is folded four times, and is erased
/// twice, block by block.
#[test]
fn blocks_that_are_worn_out_first_decide() {
    let of = |endurance: &[(&str, &str)]| {
        let drive = TestDrive::one_plane()
            .blocks(16, 6)
            .set("flash.cell", "TLC")
            .set("ftl.slc_cache", "static")
            .set("ftl.slc_cache.blocks", "2 blocks")
            .set("ftl.slc_cache.start", "100%");
        let results = drive.with(endurance).run(spaced_writes(&[0, 1, 2, 3, 4, 5, 6, 7])).results;
        assert_eq!((results.wear.max_erases, results.wear.histogram.as_slice()), (2, [14, 0, 2].as_slice()));
        results.lifetime.unwrap()
    };
    let (all, single) = ("flash.endurance.erases", "flash.endurance.single_level_erases");
    let cache = of(&[(single, "10")]);
    pages(cache.tbw, 40.0);
    assert_eq!((cache.levelling_efficiency, cache.percentage_used), (Some(1.0), 20));
    assert_eq!(of(&[(single, "10"), (all, "1")]).tbw, cache.tbw);
    // The other blocks bear 84 programs, and nothing says how equally they wear.
    let others = of(&[(single, "30"), (all, "1")]);
    pages(others.tbw_levelled, 84.0);
    assert_eq!((others.tbw, others.percentage_used), (None, 6));
}

#[rstest]
#[case("erases", "0", "from 1 to 1000000000")]
#[case("single_level_erases", "1000000001", "from 1 to 1000000000")]
#[case("warranty_years", "0", "0 years; from 1 to 100")]
#[case("warranty_years", "101", "101 years; from 1 to 100")]
fn numbers_that_make_no_sense_are_refused(#[case] key: &str, #[case] value: &str, #[case] says: &str) {
    let key = format!("flash.endurance.{key}");
    let told = refusal(&[(&key, value)]);
    assert!(told.contains(&key) && told.contains(says), "{told}");
}

/// Nine blocks of 4 pages, 16 pages for the host: one block can fail. Of the 29 writes the last opens block 7 and
/// leaves one free, so that collection begins. Nothing of block 3 is valid: it is erased with block 8 free, and fails.
/// Page 3 of block 0 takes block 8, so that the erase of block 0 finds none free and it serves on; when that of block 2
/// does, one block has failed already.
fn failing(rows: &str) -> TestDrive {
    let drive = TestDrive::one_plane().blocks(9, 4).set("geometry.user_capacity", "64KiB");
    drive.set("flash.endurance.failures", rows)
}

fn until_it_fails() -> Vec<u64> {
    (0..16).chain(NINE).chain([14, 15, 12, 0]).collect()
}

const AT_ONCE: &str = "[{ erases = 1, failed = \"100%\" }]";
const AFTER_TWO: &str = "[{ erases = 1, failed = \"0%\" }, { erases = 2, failed = \"100%\" }]";

#[rstest]
#[case(AT_ONCE, 0, 1)]
#[case(AFTER_TWO, 0, 0)]
#[case(AFTER_TWO, 1, 1)]
fn a_block_fails_once_it_was_erased_as_often_as_it_bears(
    #[case] rows: &str,
    #[case] initial_erases: u32,
    #[case] failed: u32,
) {
    let drive = failing(rows).set("flash.initial_erases", initial_erases);
    let outcome = drive.run(spaced_writes(&until_it_fails()));
    let wear = &outcome.results.wear;
    assert_eq!((wear.failed_blocks, wear.available_spare), (Some(failed), Some(100 - 100 * failed)));
    let log = outcome.gc_log.unwrap();
    assert_eq!(log.free_blocks_after[0], 2 - failed);
    assert_eq!(log.victim_block, if failed == 1 { vec![3, 0, 2] } else { vec![3] });
    // Without time the same, and with the last block that can fail the run ends.
    let more = [until_it_fails(), vec![1, 2, 3]].concat();
    let untimed = drive.set("measure.untimed", true).run(spaced_writes(&more)).results;
    assert_eq!(untimed.wear.failed_blocks, Some(failed));
    assert_eq!(untimed.flash.host_programs, if failed == 1 { 29 } else { 32 });
}

#[rstest]
#[case("[{ erases = 2, failed = \"1%\" }, { erases = 2, failed = \"2%\" }]", "follows one of 2")]
#[case("[{ erases = 0, failed = \"1%\" }]", "0 erases follows one of 0")]
#[case("[{ erases = 1, failed = \"2%\" }, { erases = 2, failed = \"1%\" }]", "the share grows")]
#[case("[{ erases = 1, failed = \"101%\" }]", "100% at most")]
fn a_table_of_failures_has_an_order(#[case] rows: &str, #[case] reason: &str) {
    let error = failing(rows).loaded().unwrap_err();
    assert!(error.contains(reason), "{error}");
}

#[test]
fn a_drive_without_a_life_before_it_is_refused() {
    let error = failing(AT_ONCE).set("flash.initial_erases", 1).loaded().unwrap_err();
    assert!(error.contains("worn out before it begins"), "{error}");
    let error = collecting().set("flash.endurance.failures", AT_ONCE).loaded().unwrap_err();
    assert!(error.contains("no block that it could do without"), "{error}");
}
