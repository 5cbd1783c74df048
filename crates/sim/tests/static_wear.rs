//! Static wear levelling: when it looks, which block it moves where, what keeps it waiting, and what it does to the
//! spread of erase counts.
//!
//! The hand-made drive has one plane of 60 blocks of 4 pages, of which the host sees 56 blocks; collection starts at
//! one free block. Blocks 0 to 55 are filled in order. Then the host writes the four pages of block 0 round after
//! round: rounds 1 and 2 fill blocks 56 and 57, and from round 3 on the first write of a round opens the last but one
//! free block, and the block left garbage longest is erased. These are blocks 0, 56, 57, 58, 59 in turn, while blocks 1
//! to 55 are never erased. An eighth of the blocks is 8 (7.5 rounded up): one look at the erase counts in so many
//! erases.

use crate::common::prelude::*;
use std::path::Path;

const PLANE: PlaneId = PlaneId(0);
const LOGICAL: u32 = 56 * 4;

fn hand_made(more: &[(&str, &str)]) -> Config {
    let drive = TestDrive::one_plane().blocks(60, 4).set("geometry.user_capacity", "896KiB");
    drive.set("warmup.kind", "filled").with(more).config()
}

fn outcome(config: &Config, trace: &Trace) -> Outcome {
    go(config, trace, &RunOptions { audit: true, record_gc: true, ..RunOptions::default() })
}

/// All of `rounds` and the first write of the next, so far apart that the drive is at rest before each.
fn rounds(rounds: u64) -> Trace {
    let writes = (0..=4 * rounds).map(|k| at(k * 20_000, Op::Write, k % 4, 1));
    Trace::from_records("rounds", writes.collect::<Vec<Record>>())
}

/// Erased blocks in order; those moved by wear levelling are negative.
fn erased(log: &GcLog) -> Vec<i64> {
    let of = |row: usize| i64::from(log.victim_block[row]);
    (0..log.cause.len()).map(|row| if log.cause[row] == 1 { -of(row) } else { of(row) }).collect()
}

#[test]
fn erase_counts_are_looked_at_once_in_an_eighth_of_the_blocks_erases() {
    // With a threshold of 0 every look moves a block. The ninth erase is the first of the next eight.
    let log = outcome(&hand_made(&[("ftl.wear.static_threshold", "0")]), &rounds(16)).gc_log.unwrap();
    let expected =
        [0, 56, 57, 58, 59, 0, 56, 57, /* looked */ -1, 58, 59, 0, 57, 1, 58, 59, /* looked */ -2];
    assert_eq!(erased(&log), expected);
    let off = outcome(&hand_made(&[]), &rounds(16)).gc_log.unwrap();
    assert_eq!(erased(&off), [0, 56, 57, 58, 59, 0, 56, 57, 58, 59, 0, 56, 57, 58, 59]);
}

/// At the first look, after 8 erases, blocks 0, 56 and 57 have been erased twice; at the second, after 16, block 0 four
/// times: more than 3 times as often as the blocks of the data that does not change, of which block 1 is the first.
#[rstest]
// Freed first, opened first: block 59 before block 1. Least erased first: the other way round.
#[case("false", [0, -1, 56, 57, 58, 59, 1, 56])]
#[case("true", [0, -1, 56, 57, 58, 1, 59, 56])]
fn the_least_erased_full_block_goes_to_the_most_erased_free_one(
    #[case] dynamic: &str,
    #[case] after: [i64; 8],
) {
    let config = hand_made(&[("ftl.wear.static_threshold", "3"), ("ftl.wear.dynamic", dynamic)]);
    let before = outcome(&config, &rounds(16)).gc_log.unwrap();
    let three_times = [0, 56, 57, 58, 59].repeat(3);
    assert_eq!(erased(&before), three_times);
    let outcome = outcome(&config, &rounds(23));
    let (results, log) = (outcome.results, outcome.gc_log.unwrap());
    // The data of block 1 lies in block 0 from then on, which is not erased again; block 1 takes its turn instead.
    assert_eq!(erased(&log), [&three_times[..], &after].concat());
    assert_eq!(log.valid_pages[16], 4);
    assert_eq!((results.flash.wear_programs, results.flash.wear_erases), (4, 1));
    assert_eq!((results.flash.gc_programs, results.gc.pages_moved), (0, 0));
    assert_eq!((results.flash.erases, results.gc.jobs), (22, 22));
    assert_eq!(results.flash.host_programs, 4 * 23 + 1);
    assert_eq!(results.gc.write_amplification, Some((93.0 + 4.0) / 93.0));
    assert_eq!((results.wear.min_erases, results.wear.max_erases), (0, 5));
}

fn filled(config: &Config) -> Ftl {
    let mut ftl = Ftl::new(config, &Geometry::new(config).unwrap(), true);
    (0..LOGICAL).for_each(|page| ftl.write_now(Lpn(page)));
    ftl
}

/// A host write that starts no collection.
fn write(ftl: &mut Ftl, page: u32) {
    let slot = ftl.accept_write(Lpn(page), false);
    let ppn = ftl.take_host_page(PLANE, Lpn(page)).expect("there is room");
    assert!(ftl.commit_host(ppn, slot));
}

fn erase_garbage(ftl: &mut Ftl) {
    let victim = ftl.begin_collection(PLANE).unwrap();
    assert_eq!(ftl.blocks().valid(victim), 0);
    ftl.end_collection(victim, Cause::Gc);
}

#[test]
fn no_block_is_moved_while_another_is_collected_or_only_one_is_free() {
    let mut ftl = filled(&hand_made(&[("ftl.wear.static_threshold", "3")]));
    for k in 0..=4 * 17 {
        write(&mut ftl, k % 4);
        if k >= 8 && k % 4 == 0 {
            erase_garbage(&mut ftl);
        }
    }
    assert_eq!((ftl.blocks().erases(BlockId(0)), ftl.plane(PLANE).erases_since_check), (4, 16));

    let victim = ftl.begin_collection(PLANE).unwrap();
    assert_eq!((ftl.plane(PLANE).jobs, ftl.plane(PLANE).free.len()), (1, 2));
    assert_eq!(ftl.wear_victim(PLANE), None);
    ftl.end_collection(victim, Cause::Gc);

    // Three blocks are free; the writes fill the open one and open two.
    (1..9).for_each(|k| write(&mut ftl, k % 4));
    assert_eq!((ftl.plane(PLANE).jobs, ftl.plane(PLANE).free.len()), (0, 1));
    assert_eq!(ftl.wear_victim(PLANE), None);

    // Neither time counted as a look: the next chance is taken.
    erase_garbage(&mut ftl);
    assert_eq!((ftl.plane(PLANE).jobs, ftl.plane(PLANE).free.len()), (0, 2));
    assert_eq!(ftl.wear_victim(PLANE), Some(BlockId(1)));
    assert_eq!((ftl.plane(PLANE).jobs, ftl.plane(PLANE).erases_since_check), (1, 0));
}

/// The shipped device does what its comments say: what the trace never writes is erased, too, which costs programs.
#[test]
fn the_example_device_levels_wear() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let trace = examples.join("traces/sqlite.blkparse.txt.zst");
    let trace = Trace::open(&trace, &OpenOptions::default()).unwrap();
    let device = examples.join("devices/wear-levelling.toml");
    let results = |more: &[(&str, &str)]| {
        go(&config(device.to_str().unwrap(), more), &trace, &RunOptions::default()).results
    };
    let (levelled, without) = (results(&[]), results(&[("ftl.wear.static_threshold", "1000000")]));
    assert!(levelled.verdict.warnings.is_empty(), "{:?}", levelled.verdict.warnings);
    assert_eq!((without.flash.wear_programs, without.wear.min_erases), (0, 0));
    assert!(levelled.wear.min_erases >= 10 && levelled.wear.max_erases < without.wear.max_erases);
    assert!(levelled.wear.stddev_erases < 0.7 * without.wear.stddev_erases, "{:?}", without.wear);
    assert!(levelled.gc.write_amplification > without.gc.write_amplification);
}
