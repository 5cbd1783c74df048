//! Times of the array by how often a block was erased, and drives that begin worn.

use crate::common::refusals::{names, refused};
use crate::common::{TestDrive, at, config, rows, spaced_writes};
use reclaim_sim::results::Code;
use reclaim_sim::{Outcome, derive_facts};
use reclaim_trace::{Op, Record};
use rstest::rstest;

const COMMAND: u64 = 7;
const ERASE_COMMAND: u64 = 5;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const T_ERASE: u64 = 3_800_000;

fn read(array: u64) -> u64 {
    COMMAND + array + DATA
}

fn write(array: u64) -> u64 {
    COMMAND + DATA + array
}

/// One plane of 16 blocks of 4 pages; page k lies in block k / 4.
fn filled(more: &[(&str, &str)]) -> TestDrive {
    TestDrive::one_plane().set("warmup.kind", "filled").with(more)
}

/// Writes of the four pages of block 0, round after round: round r fills block 7 + r. From the first write of round 7
/// on, which opens the last but one free block, the block left garbage longest is erased: 0, then 8, 9, 10 and so on,
/// one in each round. So round 9 is written to block 0, which was erased once, and round 16 erases it again.
fn rounds(count: usize) -> Vec<Record> {
    spaced_writes(&[0, 1, 2, 3].repeat(count))
}

fn lengths(outcome: &Outcome) -> Vec<u64> {
    let log = outcome.gc_log.as_ref().unwrap();
    log.start_ns.iter().zip(&log.end_ns).map(|(start, end)| end - start).collect()
}

/// Blocks that were erased once have half the time to program, read more carefully, and are erased more slowly: by the
/// erases that they had when the operation began.
#[test]
fn a_block_has_the_times_of_the_last_row_that_it_has_reached() {
    let table = r#"[{ erases = 1, read = "120%", program = "50%", erase = "200%" }]"#;
    let mut records = rounds(16);
    // Page 0 of round 16 lies in block 14, which was erased once; page 4 in block 1, which never was.
    records.extend([at(700_000, Op::Read, 0, 1), at(710_000, Op::Read, 4, 1)]);
    let outcome = filled(&[("flash.wear", table)]).run(records);
    let fresh = [write(T_PROG); 32];
    let worn = [write(T_PROG / 2); 32];
    let reads = [read(T_R * 12 / 10), read(T_R)];
    assert_eq!(rows(&outcome), [&fresh[..], &worn, &reads].concat());
    // A job begins with the program that opens a block, in rounds 7 to 16; its victim has nothing to move.
    let before = write(T_PROG) + ERASE_COMMAND + T_ERASE;
    let after = write(T_PROG / 2) + ERASE_COMMAND + T_ERASE;
    let twice = write(T_PROG / 2) + ERASE_COMMAND + 2 * T_ERASE;
    assert_eq!(lengths(&outcome), [before, before, after, after, after, after, after, after, after, twice]);
    assert_eq!((outcome.results.wear.min_erases, outcome.results.wear.max_erases), (0, 2));
}

/// A step at every row and nothing between: 33.3333 % of 75 us are 24,999.975 ns; of 750 us 0.0006 % are 4.5 ns, and
/// 0.0007 % 5.25 ns.
#[rstest]
#[case::fresh(0, T_R, T_PROG)]
#[case::not_yet(999, T_R, T_PROG)]
#[case::first(1000, 25_000, 5)]
#[case::still_first(2999, 25_000, 5)]
#[case::second(3000, T_R, 5)]
#[case::beyond(1_000_000_000, T_R, 5)]
fn a_drive_begins_as_worn_as_it_is_said_to(#[case] erases: u32, #[case] array: u64, #[case] program: u64) {
    let first = r#"{ erases = 1000, read = "33.3333%", program = "0.0006%" }"#;
    let table = format!("[{first}, {{ erases = 3000, program = \"0.0007%\" }}]");
    let erases = erases.to_string();
    let drive = filled(&[("flash.wear", table.as_str()), ("flash.initial_erases", &erases)]);
    let outcome = drive.run(vec![at(0, Op::Write, 0, 1), at(10_000, Op::Read, 8, 1)]);
    assert_eq!(rows(&outcome), [write(program), read(array)]);
    // What a request is said to take on an idle drive is that of the start.
    let facts = derive_facts(&drive.config(), None);
    assert_eq!((facts.unloaded_read_ns, facts.unloaded_write_ns), (read(array), write(program)));
    assert_eq!(facts.erase_ns, ERASE_COMMAND + T_ERASE);
}

/// Blocks are collected in the order in which they were filled. Block 0 is garbage, and erased in round 7. The first
/// write of round 8 opens block 15, and block 1 is collected into block 0: its four pages are read from a fresh block
/// and programmed in a worn one, and it is erased as a fresh one.
#[test]
fn each_half_of_a_copyback_has_the_time_of_its_block() {
    let table = r#"[{ erases = 1, read = "200%", program = "50%", erase = "300%" }]"#;
    let set = [("flash.wear", table), ("gc.relocation", "copyback")];
    let outcome = filled(&set).victim("fifo").run(rounds(8));
    let copyback = COMMAND + T_R + COMMAND + T_PROG / 2;
    assert_eq!(lengths(&outcome)[1], write(T_PROG) + 4 * copyback + ERASE_COMMAND + T_ERASE);
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.victim_block[1], log.valid_pages[1]), (1, 4));
}

/// Plane 0 has been written nine rounds, as above; plane 1 never. Behind a read, a write of each shares an operation:
/// of a block erased once and of a fresh one, it takes as long as the longer of both.
#[rstest]
#[case::worn_is_slower("120%", T_PROG * 12 / 10)]
#[case::fresh_is_slower("50%", T_PROG)]
fn a_multi_plane_operation_takes_as_long_as_its_slowest_block(#[case] factor: &str, #[case] longest: u64) {
    let table = format!(r#"[{{ erases = 1, program = "{factor}" }}]"#);
    let set =
        [("geometry.planes_per_die", "2"), ("flash.multi_plane", "any-page"), ("flash.wear", table.as_str())];
    let mut records = spaced_writes(&[0, 2, 4, 6].repeat(9));
    records.extend([at(400_000, Op::Read, 8, 1), at(400_001, Op::Write, 0, 1), at(400_002, Op::Write, 1, 1)]);
    let outcome = filled(&set).run(records);
    let pair = read(T_R) + 2 * (COMMAND + DATA) + longest;
    assert_eq!(rows(&outcome)[36..], [read(T_R), pair - 1_000, pair - 2_000]);
    assert_eq!(outcome.results.flash.multi_plane_operations, 1);
}

/// A program of half the time is set aside after 100 us for a read of twice the time, and goes on with what was left.
#[test]
fn an_operation_set_aside_keeps_its_time() {
    let set = [
        ("flash.wear", r#"[{ erases = 0, read = "200%", program = "50%" }]"#),
        ("flash.suspend", r#"{ program = true, t_suspend = "10us", t_resume = "5us" }"#),
    ];
    let outcome = filled(&set).run(vec![at(0, Op::Write, 0, 1), at(100, Op::Read, 8, 1)]);
    let read_out = 110_000 + read(2 * T_R);
    let left = write(T_PROG / 2) - 100_000;
    assert_eq!(rows(&outcome), [read_out + left + 5_000, read_out - 100_000]);
}

/// Repetitions of a read have its factor, whether their time is given or is tR: page 0 lies in block 0, which was
/// erased once, and page 4 in one that never was.
#[rstest]
#[case::shared("shared")]
#[case::independent("independent")]
fn repeated_reads_are_worn_too(#[case] reads: &str) {
    let always = [
        ("flash.wear", r#"[{ erases = 1, read = "150%" }]"#),
        ("flash.plane_reads", reads),
        ("flash.read_retry.rate", "100%"),
        ("flash.read_retry.most", "3"),
    ];
    let records = [rounds(9), vec![at(400_000, Op::Read, 0, 1), at(410_000, Op::Read, 4, 1)]].concat();
    let worn = T_R * 15 / 10;
    let outcome = filled(&always).run(records.clone());
    assert_eq!(rows(&outcome)[36..], [read(worn + 3 * worn), read(T_R + 3 * T_R)]);
    let outcome = filled(&always).set("flash.read_retry.t_retry", "10us").run(records);
    assert_eq!(rows(&outcome)[36..], [read(worn + 3 * 15_000), read(T_R + 3 * 10_000)]);
}

/// Three pages of a word line are programmed together, in the time of the slowest level.
#[test]
fn units_are_programmed_in_the_time_of_their_block() {
    let set = [
        ("flash.cell", "TLC"),
        ("flash.t_program", r#"["500us", "750us", "1ms"]"#),
        ("flash.program_unit", "word-line"),
        ("flash.wear", r#"[{ erases = 5, program = "80%" }]"#),
        ("flash.initial_erases", "5"),
    ];
    let outcome = TestDrive::one_plane().blocks(24, 6).with(&set).run(vec![at(0, Op::Write, 0, 3)]);
    assert_eq!(rows(&outcome), [3 * (COMMAND + DATA) + 800_000]);
}

/// Erases before the first day are erases of the blocks, but nobody's work: nothing was collected.
#[test]
fn erases_before_are_no_collection() {
    let outcome = TestDrive::one_plane().set("flash.initial_erases", 100).run(vec![at(0, Op::Write, 0, 1)]);
    let results = outcome.results;
    assert_eq!((results.wear.min_erases, results.wear.max_erases, results.flash.erases), (100, 100, 0));
    assert_eq!((results.start.erases_least, results.start.erases_most), (100, 100));
    assert_eq!(results.verdict.warnings[0].code, Code::GcNeverRan);
}

/// Wear levelling goes by differences: the same blocks are erased in the same order.
#[rstest]
fn a_worn_drive_is_levelled_as_a_fresh_one(#[values("false", "true")] dynamic: &str) {
    let run = |erases: &str| {
        let set = [
            ("ftl.wear.static_threshold", "1"),
            ("ftl.wear.dynamic", dynamic),
            ("flash.initial_erases", erases),
        ];
        filled(&set).run(rounds(40))
    };
    let (fresh, worn) = (run("0"), run("1000"));
    assert_eq!(fresh.results.flash, worn.results.flash);
    assert!(fresh.results.flash.wear_erases > 0);
    let order = |outcome: &Outcome| outcome.gc_log.as_ref().unwrap().victim_block.clone();
    assert_eq!(order(&fresh), order(&worn));
    let range = |outcome: &Outcome| [outcome.results.wear.min_erases, outcome.results.wear.max_erases];
    assert_eq!(range(&fresh).map(|erases| erases + 1000), range(&worn));
}

#[test]
fn a_table_that_makes_no_sense_is_refused() {
    for (key, value, parts) in [
        ("flash.wear", "[{ erases = 5 }, { erases = 5 }]", "a row from 5 erases on follows one from 5 on"),
        ("flash.wear", r#"[{ erases = 3, erase = "0%" }]"#, "erase = \"0%\" from 3 erases on|1000%"),
        ("flash.wear", r#"[{ erases = 3, read = "1000.0001%" }]"#, "read = \"1000.0001%\" from 3 erases on"),
        ("flash.initial_erases", "1000000001", "1000000001 erases of every block; at most 1000000000"),
    ] {
        names(&refused("gc-bypass-mini", &[(key, value)]), &format!("{key}: |{parts}"));
    }
    assert!(config("gc-bypass-mini", &[("flash.wear", "[]")]).flash.wear.is_empty());
}

/// Block 0 has page 0 left, of an even unit, which is only loaded: the job ends without a program. Block 1 has page 9
/// left, of an odd one: the unit that was loaded is closed first, in the time of its block.
#[test]
fn closing_a_unit_takes_the_time_of_its_block() {
    let set = [
        ("flash.cell", "TLC"),
        ("flash.program_unit", "word-line"),
        ("gc.relocation", "copyback-odd-even"),
        ("flash.wear", r#"[{ erases = 1, program = "50%" }]"#),
        ("flash.initial_erases", "1"),
    ];
    let unit = |k: u64, page: u64| at(k * 10_000, Op::Write, page, 3);
    let mut records: Vec<_> = (0..4).map(|k| unit(k, 3 * k)).collect();
    records.extend([(1, 5), (6, 3), (10, 2)].map(|(page, count)| at(35_000, Op::Trim, page, count)));
    // The first of them opens the third block, the last the 23rd of 24.
    records.extend((4..45).map(|k| unit(k, 12 + 3 * (k % 2))));
    let outcome = TestDrive::one_plane().blocks(24, 6).with(&set).victim("fifo").run(records);
    let log = outcome.gc_log.as_ref().unwrap();
    assert_eq!((&log.victim_block[..2], &log.valid_pages[..2]), (&[0, 1][..], &[1, 1][..]));
    assert_eq!(outcome.results.flash.wasted_pages, 2, "what was left of the unit");
    assert_eq!(lengths(&outcome)[1], COMMAND + T_R + T_PROG / 2 + ERASE_COMMAND + T_ERASE);
}
