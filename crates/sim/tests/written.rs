//! Bytes written by the host and programmed, by cause, worked out by hand: parts of pages, merged pages, filler,
//! parity, folding, levelling, and what stays empty (docs/model.md, 14.15).

use crate::common::prelude::*;

const PAGE: u64 = 4096;

/// Host; then for the host, collection, folding, levelling, parity, filler; then left empty. The six add up, where no
/// translation pages are.
fn bytes(results: &Results) -> [u64; 8] {
    let w = &results.written;
    let causes = [
        w.nand_host_bytes,
        w.nand_collection_bytes,
        w.nand_folding_bytes,
        w.nand_levelling_bytes,
        w.nand_parity_bytes,
        w.nand_padding_bytes,
    ];
    assert_eq!(w.nand_bytes, causes.iter().sum::<u64>());
    let expected = (w.host_bytes > 0).then(|| w.nand_bytes as f64 / w.host_bytes as f64);
    assert_eq!(results.gc.nand_write_amplification, expected);
    let [host, collection, folding, levelling, parity, padding] = causes;
    [w.host_bytes, host, collection, folding, levelling, parity, padding, w.empty_bytes]
}

/// The same in pages, but for the bytes of the host.
fn pages(outcome: &Outcome) -> [u64; 8] {
    let [host_bytes, causes @ ..] = bytes(&outcome.results);
    assert!(causes.iter().all(|bytes| bytes.is_multiple_of(PAGE)));
    let [host, collection, folding, levelling, parity, padding, empty] = causes.map(|bytes| bytes / PAGE);
    [host_bytes, host, collection, folding, levelling, parity, padding, empty]
}

fn part(time_us: u64, offset_bytes: u64, size_bytes: u64) -> Record {
    Record { offset_bytes, size_bytes, ..at(time_us, Op::Write, 0, 1) }
}

/// A page that is written in part is programmed whole, and read before if it was there.
#[rstest]
#[case::less_than_a_page(part(0, 512, 512), 512, 1)]
#[case::a_byte_less(part(0, 0, PAGE - 1), PAGE - 1, 1)]
#[case::a_page(part(0, 0, PAGE), PAGE, 1)]
#[case::a_byte_more(part(0, 0, PAGE + 1), PAGE + 1, 2)]
#[case::over_an_edge(part(0, PAGE - 1, 2), 2, 2)]
fn a_page_counts_whole(#[case] record: Record, #[case] host_bytes: u64, #[case] programmed: u64) {
    for (warm_up, rest_is_read) in [("empty", 0), ("filled", programmed)] {
        let outcome = TestDrive::one_plane().set("warmup.kind", warm_up).run(vec![record]);
        assert_eq!(pages(&outcome), [host_bytes, programmed, 0, 0, 0, 0, 0, 0]);
        let whole = record.size_bytes / PAGE;
        assert_eq!(outcome.results.flash.rmw_reads, rest_is_read - whole.min(rest_is_read));
    }
}

#[test]
fn reads_and_trims_write_nothing() {
    let filled = TestDrive::one_plane().set("warmup.kind", "filled");
    let outcome =
        filled.run(vec![at(0, Op::Read, 0, 2), at(1_000, Op::Trim, 0, 2), at(2_000, Op::Flush, 0, 0)]);
    assert_eq!(pages(&outcome), [0; 8]);
    assert_eq!(outcome.results.gc.nand_write_amplification, None);
    let trimmed = filled.run(vec![part(0, 0, 700), at(1_000, Op::Trim, 0, 2)]);
    assert_eq!(pages(&trimmed), [700, 1, 0, 0, 0, 0, 0, 0]);
}

/// The drive and the writes of `results::of_collection`, of 1,000 bytes each: 27 pages, and two that are moved.
#[test]
fn what_is_moved_is_programmed() {
    let mut records = history();
    records.extend([at(300_000, Op::Write, 14, 1), at(310_000, Op::Write, 15, 1)]);
    for record in &mut records {
        record.size_bytes = 1_000;
    }
    let outcome = TestDrive::one_plane().set("geometry.blocks_per_plane", 8).run(records);
    assert_eq!(pages(&outcome), [27_000, 27, 2, 0, 0, 0, 0, 0]);
    assert_eq!(outcome.results.gc.nand_write_amplification, Some(29.0 * 4096.0 / 27_000.0));
    assert_eq!(outcome.results.gc.write_amplification, Some(29.0 / 27.0));
    let mut windows = [Some(4.096); 27];
    windows[25] = Some(3.0 * 4.096);
    assert_eq!(outcome.results.windows.nand_write_amplification, windows);
}

/// Page 2, then three times page 1, while the die works: two programs. A third version of 512 bytes is merged, too.
#[test]
fn what_is_merged_was_written() {
    let drive = TestDrive::one_plane()
        .set("controller.acknowledge", "staged")
        .set("controller.write_buffer", "unlimited")
        .set("flash.cell", "SLC");
    let mut records: Vec<Record> = [2, 1, 1, 1].map(|page| at(0, Op::Write, page, 1)).to_vec();
    records.push(part(100, PAGE, 512));
    let merging = drive.clone().set("controller.merge_overwrites", true).run(records.clone());
    assert_eq!(pages(&merging), [4 * PAGE + 512, 2, 0, 0, 0, 0, 0, 0]);
    assert!(merging.results.gc.nand_write_amplification < Some(0.5));
    assert_eq!(merging.results.gc.write_amplification, Some(1.0));
    assert_eq!(pages(&drive.run(records)), [4 * PAGE + 512, 5, 0, 0, 0, 0, 0, 0]);
}

/// What waits outside the buffer counts when it is let in; all of it is in the end.
#[test]
fn what_waits_outside_counts_once() {
    let outcome =
        TestDrive::one_plane().set("controller.write_buffer", "4KiB").run(vec![part(0, 100, 3 * PAGE)]);
    assert_eq!(outcome.results.buffer.waits, 3);
    assert_eq!(pages(&outcome), [3 * PAGE, 4, 0, 0, 0, 0, 0, 0]);
}

/// Five writes of 4 KiB, of which four come together, and pages of 16 KiB: mapped whole, mapped in parts.
#[test]
fn a_page_of_parts_counts_once() {
    let drive = TestDrive::one_plane().set("geometry.page_size", "16KiB");
    let records: Vec<Record> = (0..5).map(|part| at(part, Op::Write, part, 1)).collect();
    let whole = drive.run(records.clone());
    assert_eq!(bytes(&whole.results), [5 * PAGE, 5 * 4 * PAGE, 0, 0, 0, 0, 0, 0]);
    assert_eq!(whole.results.gc.nand_write_amplification, Some(4.0));
    let parts = drive.set("geometry.mapping_unit", "4KiB").run(records);
    assert_eq!(pages(&parts), [5 * PAGE, 5, 0, 0, 0, 0, 3, 0]);
    assert_eq!(parts.results.gc.nand_write_amplification, Some(1.6));
}

/// Word lines of three pages: a page alone takes two others along.
#[test]
fn filler_is_programmed() {
    let drive = word_lines(12);
    let outcome = drive.run(vec![at(0, Op::Write, 0, 4), part(100_000, 0, 100)]);
    assert_eq!(pages(&outcome), [4 * PAGE + 100, 5, 0, 0, 0, 0, 4, 0]);
}

fn word_lines(pages_per_block: u32) -> TestDrive {
    TestDrive::one_plane()
        .blocks(60, pages_per_block)
        .set("geometry.spare_factor", "40%")
        .set("flash.cell", "TLC")
        .set("flash.program_unit", "word-line")
}

/// Four chips of one stripe, filled.
#[rstest]
#[case::one_of_three(at(0, Op::Write, 3, 1), [PAGE, 1, 0, 0, 0, 1, 0, 0])]
#[case::all_three(at(0, Op::Write, 3, 3), [3 * PAGE, 3, 0, 0, 0, 1, 0, 0])]
#[case::two_stripes(at(0, Op::Write, 5, 2), [2 * PAGE, 2, 0, 0, 0, 2, 0, 0])]
#[case::parts(part(0, 512, 3 * PAGE - 512), [3 * PAGE - 512, 3, 0, 0, 0, 1, 0, 0])]
#[case::a_trim(at(0, Op::Trim, 3, 1), [0, 0, 0, 0, 0, 1, 0, 0])]
fn parity_is_programmed(#[case] record: Record, #[case] expected: [u64; 8]) {
    let drive = raid5(4).set("warmup.kind", "filled");
    assert_eq!(pages(&drive.run(vec![record])), expected);
}

fn raid5(chips: u32) -> TestDrive {
    TestDrive::of([chips, 1, 1, 1])
        .set("ftl.allocation", "striping")
        .set("ftl.allocation.by", "lpn")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", chips)
}

/// The burst of `slc_cache::behind_a_full_cache`: two of seven pages are folded.
#[test]
fn folding_is_programmed() {
    let drive = TestDrive::one_plane()
        .blocks(16, 6)
        .set("flash.cell", "TLC")
        .set("gc.pages_in_flight", 1)
        .set("ftl.slc_cache", "static")
        .set("ftl.slc_cache.blocks", "2 blocks");
    let outcome = drive.run((0..7).map(|page| part(0, page * PAGE, 3_000)).collect());
    assert_eq!(pages(&outcome), [21_000, 7, 0, 2, 0, 0, 0, 0]);
    assert_eq!(outcome.results.gc.write_amplification, Some(9.0 / 7.0));
}

/// The drive and the rounds of `static_wear`: a block of four pages is moved.
#[test]
fn levelling_is_programmed() {
    let drive = TestDrive::one_plane()
        .blocks(60, 4)
        .set("geometry.user_capacity", "896KiB")
        .set("warmup.kind", "filled")
        .set("ftl.wear.static_threshold", 3);
    let outcome = drive.run((0..=4 * 23).map(|k| at(k * 20_000, Op::Write, k % 4, 1)).collect());
    assert_eq!(pages(&outcome), [93 * PAGE, 93, 0, 0, 4, 0, 0, 0]);
}

fn odd_even() -> TestDrive {
    word_lines(12).set("gc.relocation", "copyback-odd-even").victim("fifo")
}

/// What the odd/even rule leaves without data in one job, or in two: pages that are programmed with others of their
/// word line, and pages that stay empty.
fn without_data(drive: &TestDrive, kept: &[u32], jobs: u32) -> (u64, u64) {
    let mut ftl = drive.ftl();
    let pages = ftl.geometry().pages_per_block;
    (0..2 * pages).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, (0..2 * pages).filter(|lpn| !kept.contains(lpn)));
    ftl.reset_counters();
    (0..jobs).for_each(|_| assert!(ftl.collect_now(PLANE)));
    let counters = ftl.counters();
    assert_eq!(counters.wasted_pages, counters.filler_pages() + counters.empty_pages);
    assert_eq!(counters.programmed_pages(), counters.gc_programs + counters.filler_pages());
    reclaim_sim::audit::check(&ftl, true).unwrap();
    (counters.filler_pages(), counters.empty_pages)
}

/// Unit 0 whole; then two pages of unit 2, for which unit 1 is left out; then two pages of unit 3.
#[test]
fn a_unit_that_is_left_out_stays_empty() {
    let drive = odd_even().blocks(60, 24).set("gc.relocation.carry", false);
    assert_eq!(without_data(&drive, &[0, 1, 2, 6, 8, 9, 11], 1), (1 + 1, 3));
}

/// The page of the first block is loaded in unit 0 and waits there for others. Those of the second block are odd: unit
/// 0 is programmed with two pages of filler, and unit 1 takes one page and waits; or they are even and fill it up.
#[test]
fn a_unit_that_is_closed_is_programmed() {
    let drive = odd_even();
    assert_eq!(without_data(&drive, &[0, 12 + 4], 2), (2, 0));
    assert_eq!(without_data(&drive, &[0, 12 + 1, 12 + 2], 2), (0, 0));
    // What waits at the end is filler only when it is closed.
    assert_eq!(without_data(&drive, &[0], 1), (0, 0));
}

/// Page by page nothing is programmed without data.
#[test]
fn a_page_that_is_left_out_stays_empty() {
    let drive = odd_even().set("flash.program_unit", "page");
    assert_eq!(without_data(&drive, &[1, 3, 4], 1), (0, 2));
}

/// In time: what stays empty is the only difference between pages taken and pages programmed.
#[rstest]
fn copybacks_under_the_rule(#[values("word-line", "page")] unit: &str) {
    let drive = odd_even()
        .blocks(40, 12)
        .set("flash.program_unit", unit)
        .set("warmup.kind", "filled")
        .set("gc.trigger.start", "4 blocks");
    let written: Vec<u64> = (0..600).map(|k| k * 37 % 280).collect();
    let results = drive.run(spaced_writes(&written)).results;
    let [host, _, collection, .., padding, empty] = bytes(&results);
    assert_eq!((host, collection), (600 * PAGE, results.flash.gc_programs * PAGE));
    assert_eq!(padding + empty, (results.flash.padded_pages + results.flash.wasted_pages) * PAGE);
    assert!(empty > 0);
    if unit == "page" {
        assert_eq!(padding, 0);
        assert!(results.gc.nand_write_amplification < results.gc.write_amplification);
    } else {
        assert!(padding > results.flash.padded_pages * PAGE);
    }
}

/// Of four writes the last two are measured.
#[test]
fn only_what_is_measured_counts() {
    let drive = TestDrive::one_plane().set("measure.after", "50%");
    let outcome = drive.run((0..4).map(|k| part(k * 10_000, k * PAGE, 1_000 + k)).collect());
    assert_eq!(pages(&outcome), [1_002 + 1_003, 2, 0, 0, 0, 0, 0, 0]);
}

/// Whatever the warm-up wrote does not count.
#[rstest]
fn warm_up_counts_nothing(#[values("filled", "steady")] kind: &str) {
    let outcome = TestDrive::one_plane().set("warmup.kind", kind).run(vec![part(0, 0, 10)]);
    assert_eq!(bytes(&outcome.results)[0], 10);
    assert_eq!(outcome.results.written.nand_host_bytes, PAGE);
}
