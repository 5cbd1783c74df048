//! Pages of flash that are mapped in parts: what is programmed and what is read together, where parts go, and what
//! cannot be combined with them.

use crate::common::prelude::*;

const PARTS: [(&str, &str); 2] = [("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")];

/// One plane of 16 blocks of 4 pages of 4 parts; requests are of parts.
fn one_plane() -> TestDrive {
    TestDrive::one_plane().with(&PARTS)
}

/// Four writes of a part fill a page, with one command; a fifth waits for others, and is programmed with padding.
#[test]
fn parts_are_programmed_together() {
    let outcome = one_plane().run((0..5).map(|part| at(part, Op::Write, 10 - part, 1)).collect());
    let whole = COMMAND + 4 * DATA + T_PROG;
    let alone = 1_000_000 + COMMAND + DATA + T_PROG;
    assert_eq!(rows(&outcome), [3_000 + whole, 2_000 + whole, 1_000 + whole, whole, alone]);
    let flash = &outcome.results.flash;
    assert_eq!((flash.host_programs, flash.padded_pages), (5, 3));
    let facts = reclaim_sim::derive_facts(&one_plane().config(), None);
    assert_eq!((facts.physical_pages, facts.raw_bytes), (256, 256 * 4096));
    assert!(facts.write_amplification_unknown.unwrap().contains("geometry.mapping_unit = \"4KiB\""));
    let memory = one_plane().set("controller.write_buffer", "20KiB");
    assert_eq!(memory.run(vec![at(0, Op::Read, 0, 1)]).results.buffer.capacity_pages, Some(5));
}

/// A word line is programmed at once; each of its pages has a command of its own.
#[test]
fn parts_of_a_word_line_are_programmed_together() {
    let set =
        [("flash.cell", "TLC"), ("flash.program_unit", "word-line"), ("geometry.pages_per_block", "12")];
    let outcome = one_plane().with(&set).run(vec![at(0, Op::Write, 0, 12), at(1, Op::Write, 12, 1)]);
    let whole = 3 * COMMAND + 12 * DATA + T_PROG;
    assert_eq!(rows(&outcome), [whole, 1_000_000 + COMMAND + DATA + T_PROG]);
    assert_eq!(outcome.results.flash.padded_pages, 11);
}

/// Parts 8; 0, 1, 5, 2 and 3: the second read brings two, the third one, the last two. Part 2 stood behind 5 when 0
/// began.
fn reads(set: &[(&str, &str)]) -> Outcome {
    let records = [8, 0, 1, 5, 2, 3].iter().enumerate();
    let records = records.map(|(k, part)| at(k as u64, Op::Read, *part, 1)).collect();
    one_plane().set("warmup.kind", "filled").with(set).run(records)
}

/// Latencies of requests that come a microsecond apart and end then.
fn a_microsecond_apart(ends: [u64; 6]) -> Vec<u64> {
    ends.iter().zip(0..).map(|(end, k)| end - k * 1_000).collect()
}

#[rstest]
#[case::of_the_die(&[])]
#[case::of_the_plane(&[("flash.plane_reads", "independent")])]
fn parts_that_wait_one_behind_the_other_are_read_together(#[case] set: &[(&str, &str)]) {
    let outcome = reads(set);
    let (third, fourth) = (2 * READ + DATA, 3 * READ + DATA);
    let ends = [READ, 2 * READ, third, fourth, fourth + READ, fourth + READ + DATA];
    assert_eq!(rows(&outcome), a_microsecond_apart(ends));
    assert_eq!((outcome.results.flash.host_reads, outcome.results.flash.multi_plane_operations), (6, 0));
    // Part 1 has the command and the array time of part 0, and waits for its data.
    assert_eq!(parts(&outcome, 2_000), [READ - 2_000 + DATA, 0, TRANSFER, T_R]);
}

/// The command of the next page goes before the data of the parts of the one before it, and these one after the other.
#[test]
fn parts_leave_a_register_one_after_the_other() {
    let outcome = reads(&[("flash.plane_reads", "independent"), ("flash.cache_reads", "true")]);
    // Each array begins when the one before it has ended and the command has been sent.
    let array_ends = [1, 2, 3, 4].map(|count| count * (COMMAND + T_R));
    let [first, second, third, last] = array_ends.map(|end| end + COMMAND + DATA);
    let last = last - COMMAND;
    let ends = [first, second, second + DATA, third, last, last + DATA];
    assert_eq!(rows(&outcome), a_microsecond_apart(ends));
}

/// A request of several parts finds them on one page; a failed read is repeated for all of them at once.
#[rstest]
#[case(0, 4, COMMAND + T_R + 4 * DATA)]
#[case(2, 4, 2 * (COMMAND + T_R) + 4 * DATA)]
fn a_page_is_read_once(#[case] first: u64, #[case] parts: u64, #[case] takes: u64) {
    let filled = one_plane().set("warmup.kind", "filled");
    let records = || vec![at(0, Op::Read, first, parts)];
    assert_eq!(rows(&filled.run(records())), [takes]);
    let pages = (takes - parts * DATA) / (COMMAND + T_R);
    let failing = [("flash.read_retry.rate", "100%"), ("flash.read_retry.most", "1")];
    assert_eq!(rows(&filled.with(&failing).run(records())), [takes + pages * T_R]);
}

/// Levels are those of pages of flash.
#[test]
fn parts_of_a_page_have_its_level() {
    let set = [("flash.cell", "MLC"), ("flash.t_read", r#"["50us", "100us"]"#), ("warmup.kind", "filled")];
    let records = [3, 4, 7, 8].iter().enumerate();
    let records = records.map(|(k, part)| at(k as u64 * 1_000, Op::Read, *part, 1)).collect();
    let expected = [50_000, 100_000, 100_000, 50_000].map(|t_read| COMMAND + t_read + DATA);
    assert_eq!(rows(&one_plane().with(&set).run(records)), expected);
}

/// Striping gives a plane whole pages, by page and by arrival.
#[rstest]
fn parts_that_follow_each_other_go_to_one_plane(#[values("lpn", "arrival")] by: &str) {
    let drive = TestDrive::of([2, 1, 1, 1]).with(&PARTS).set("ftl.allocation.by", by);
    let outcome = drive.run(vec![at(0, Op::Write, 4, 4)]);
    assert_eq!(rows(&outcome), [COMMAND + 4 * DATA + T_PROG]);
}

/// Planes share an operation where pages of flash have the same number, whatever the parts: 0 and 5, but not 13.
#[rstest]
#[case("same-page", 5, 1)]
#[case("same-page", 13, 0)]
#[case("same-page-anywhere", 5, 1)]
#[case("same-page-anywhere", 13, 0)]
fn planes_agree_on_pages_of_flash(#[case] rule: &str, #[case] other: u64, #[case] together: u64) {
    let set = [("flash.multi_plane", rule), ("warmup.kind", "filled")];
    let drive = TestDrive::of([1, 1, 1, 2]).with(&PARTS).with(&set);
    let outcome = drive.run(vec![at(0, Op::Read, 16, 1), at(1, Op::Read, 0, 1), at(2, Op::Read, other, 1)]);
    assert_eq!(outcome.results.flash.multi_plane_operations, together);
    let last = if together == 1 { READ + 2 * COMMAND + T_R + 2 * DATA } else { 3 * READ };
    assert_eq!(rows(&outcome)[2], last - 2_000);
}

/// Two planes, each of which gets a whole page, twice, while a read holds the die: both pages of the first time have
/// number 0 in their blocks, and both of the second number 1.
#[rstest]
fn planes_program_pages_of_flash_of_the_same_number(#[values("same-page", "same-page-anywhere")] rule: &str) {
    let set = [("flash.multi_plane", rule), ("warmup.kind", "filled")];
    let drive = TestDrive::of([1, 1, 1, 2]).with(&PARTS).with(&set);
    let twice = [0, 10_000].map(|time| [at(time, Op::Read, 16, 1), at(time + 1, Op::Write, 0, 8)]);
    let outcome = drive.run(twice.concat());
    let both = READ + 2 * (COMMAND + 4 * DATA) + T_PROG - 1_000;
    assert_eq!(rows(&outcome), [READ, both, READ, both]);
    assert_eq!(outcome.results.flash.multi_plane_operations, 2);
}

/// Two of four parts of each page of a block are overwritten. Collecting it, as soon as the drive is idle, reads two of
/// its pages for each that it fills, each once.
#[test]
fn collected_parts_are_gathered() {
    let drive = one_plane().set("gc.trigger", r#"{ kind = "invalid-ratio", ratio = "50%" }"#);
    let drive = drive.set("warmup.kind", "filled").set("flash.flush_after", "1s");
    let records: Vec<Record> = (0..8).map(|k| at(k * 10_000, Op::Write, k * 2, 1)).collect();
    let outcome = drive.run(records);
    let flash = &outcome.results.flash;
    assert_eq!((flash.gc_reads, flash.gc_programs, flash.padded_pages), (8, 8, 0));
    let jobs = outcome.gc_log.unwrap();
    let write = COMMAND + 4 * DATA + T_PROG;
    let steps = 2 * (2 * (COMMAND + T_R + 2 * DATA) + write);
    let (begin, erase) = (70_000_000 + write, COMMAND - 2 + 3_800_000);
    assert_eq!((jobs.valid_pages[0], jobs.start_ns[0], jobs.end_ns[0]), (8, begin, begin + steps + erase));
}
