//! A drive that another one has prepared: `warmup.scheme`, worked out by hand (docs/model.md, 7.5 and 7.6).

use crate::common::prelude::*;
use reclaim_sim::mapping::Stream;

/// Eight blocks of four pages, one plane.
fn small() -> TestDrive {
    TestDrive::one_plane().blocks(8, 4).set("gc.trigger.start", "1 block").set("gc.trigger.hard", "1 block")
}

fn taken_over(prepared: Ftl, by: &TestDrive) -> Ftl {
    let mut ftl = by.ftl();
    ftl.take_over(&by.config(), prepared).unwrap();
    ftl
}

fn written(drive: &TestDrive, pages: impl IntoIterator<Item = u32>) -> Ftl {
    let mut ftl = drive.ftl();
    pages.into_iter().for_each(|page| ftl.write_now(Lpn(page)));
    ftl
}

/// Blocks 0 to 3 are full, of which only block 1 has lost pages: greedy takes that one, fifo the first.
#[test]
fn policies_hear_of_sealed_blocks_in_the_order_of_their_sealing() {
    let pages = || (0..12).chain([4, 5, 6, 12]);
    for (victim, first) in [("greedy", 1), ("fifo", 0)] {
        let mut ftl = taken_over(written(&small(), pages()), &small().victim(victim));
        assert_eq!(ftl.plane(PLANE).reclaimable, 3);
        assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(first)), "{victim}");
    }
}

/// What lies in the flash is counted anew by those who weigh pages: blocks 0 and 1 have lost one page and three, and
/// every valid page is as much work. A policy that was told of none would find all blocks equal.
#[test]
fn policies_that_weigh_pages_hear_of_those_that_are_there() {
    let pages = (0..12).chain([4, 5, 6, 0, 12]);
    let mut ftl = taken_over(written(&small(), pages), &small().victim("word-line"));
    ftl.reset_counters();
    reclaim_sim::audit::check(&ftl, true).unwrap();
    assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(1)));
}

/// Four stripes of three pages. The parity of each, which nobody has written here, is at home on another chip: three
/// pages on every chip.
#[test]
fn planes_with_stripes_know_how_many_pages_they_hold() {
    let drive = |victim| {
        TestDrive::of([4, 1, 1, 1])
            .set("ftl.allocation", "striping")
            .set("redundancy", "raid5")
            .set("redundancy.stripe_chips", 4)
            .victim(victim)
    };
    let ftl = taken_over(written(&drive("greedy"), 0..12), &drive("fifo"));
    let held = [0, 1, 2, 3].map(|plane| ftl.plane(PlaneId(plane)).valid_pages);
    assert_eq!(held, [3; 4]);
}

/// Block 0 is collected and written anew: it has the lowest number, and was sealed last.
#[test]
fn a_block_that_was_sealed_again_is_the_last_to_be_told_of() {
    let drive = small();
    // Everything in block 0 is overwritten until it is the victim and comes round again.
    let prepared = written(&drive, (0..16).chain((0..4).cycle().take(24)));
    let sealed = |ftl: &Ftl| {
        let mut sealed: Vec<_> = (0..8)
            .map(BlockId)
            .filter(|block| ftl.blocks().state(*block) == BlockState::Sealed)
            .map(|block| (ftl.blocks().sealed_at(block), block))
            .collect();
        sealed.sort_unstable();
        sealed.into_iter().map(|(_, block)| block).collect::<Vec<_>>()
    };
    let order = sealed(&prepared);
    assert!(!order.is_sorted(), "{order:?}");
    let mut ftl = taken_over(prepared, &drive.victim("fifo"));
    assert_eq!(sealed(&ftl), order, "their ages stay");
    assert_eq!(ftl.begin_collection(PLANE), Some(order[0]));
}

/// The open blocks of the host and of the collector.
fn open(ftl: &Ftl) -> [BlockId; 2] {
    [Stream::HOST, ftl.points().last_collected(PLANE)].map(|stream| ftl.points().open(PLANE, stream))
}

/// Written until host and collector have an open block each.
fn with_two_open_blocks() -> Ftl {
    let pages = |count| (0..16).chain((0..count).map(|k| k * 7 % 16));
    let both = |ftl: &Ftl| open(ftl).iter().all(|block| block.is_some());
    (20..80).map(|count| written(&small(), pages(count))).find(both).expect("it collects now and then")
}

/// A drive that shares one open block has no use for the collector's, whose other pages are used up.
#[test]
fn an_open_block_without_a_role_is_filled_up() {
    let prepared = with_two_open_blocks();
    let [host, gc] = open(&prepared);
    let (used, left) = (prepared.used_pages(), 4 - prepared.blocks().allocated(gc));
    let youngest = (0..8).map(|block| prepared.blocks().sealed_at(BlockId(block))).max().unwrap();
    assert!(left > 0);
    let ftl = taken_over(prepared, &small().set("ftl.gc_frontier", "shared"));
    assert_eq!(open(&ftl), [host, host]);
    assert_eq!(ftl.blocks().state(gc), BlockState::Sealed);
    assert_eq!(ftl.used_pages(), used + u64::from(left));
    assert!(ftl.blocks().sealed_at(gc) > youngest, "it is the last to be told of");
}

/// With the same roles, both stay open.
#[test]
fn open_blocks_with_a_role_stay_open() {
    let ftl = taken_over(with_two_open_blocks(), &small().victim("fifo"));
    assert_eq!(open(&ftl), open(&with_two_open_blocks()));
}

/// The free blocks keep the order in which they would have been opened, or go by their wear.
#[test]
fn free_blocks_are_those_of_the_prepared_drive() {
    let prepare = || written(&small(), (0..16).chain((0..4).cycle().take(24)));
    let free = |ftl: &Ftl| ftl.plane(PLANE).free.in_order().collect::<Vec<_>>();
    let before = free(&prepare());
    assert_eq!(free(&taken_over(prepare(), &small().victim("fifo"))), before);
    let worn = taken_over(prepare(), &small().set("ftl.wear.dynamic", true));
    let mut by_wear = before;
    by_wear.sort_by_key(|block| (worn.blocks().erases(*block), *block));
    assert_eq!(free(&worn), by_wear);
}

/// The same schemes, prepared by one of them: the warm-up is that one's, and so is the flash when time begins.
#[test]
fn all_schemes_start_from_the_flash_of_the_one_that_prepares() {
    let run = |scheme: &str, start: &str| {
        let drive = small().victim(scheme).set("warmup.kind", "overwrite").set("warmup.scheme", start);
        drive.run(vec![at(0, Op::Write, 0, 1)]).results
    };
    let greedy = run("greedy", "own");
    let fifo = run("fifo", "own");
    assert_ne!(fifo.warmup.amplification_by_round, greedy.warmup.amplification_by_round);
    let taken_over = run("fifo", "greedy");
    assert_eq!(taken_over.warmup.amplification_by_round, greedy.warmup.amplification_by_round);
    assert_eq!(taken_over.warmup.prepared_by.as_deref(), Some("greedy"));
    assert_eq!(taken_over.wear.max_erases, greedy.wear.max_erases);
    assert_eq!((greedy.warmup.prepared_by, greedy.config.warmup.scheme), (None, None));
}

#[test]
fn what_cannot_be_taken_over_is_refused() {
    for (scheme, start, says) in [
        ("raid5", "greedy", "this one raid5"),
        ("greedy", "raid5", "this one none"),
        ("greedy", "gredy", "did you mean \"greedy\""),
    ] {
        let set =
            owned(&[("warmup.kind", "filled"), ("warmup.scheme", start), ("geometry.spare_factor", "30%")]);
        let schemes = vec![scheme.to_owned()];
        let error = load(&LoadRequest { device: "gc-bypass-mini".to_owned(), schemes, set }).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("warmup.scheme") && message.contains(says), "{message}");
    }
}

/// Two planes of 8 blocks: pages 0, 2, 4 … belong to the first. The other policy has put 12 pages more there, which may
/// stay while the 16 that belong there come: 28 valid pages leave nothing to collect.
#[test]
fn a_plane_that_could_get_too_full_is_refused() {
    let two = |by: &str| {
        TestDrive::of([1, 1, 1, 2])
            .blocks(12, 4)
            .set("gc.trigger.start", "1 block")
            .set("ftl.allocation.kind", "striping")
            .set("ftl.allocation.by", by)
    };
    let mut prepared = two("arrival").ftl();
    let pages = prepared.map().logical_pages();
    // Each page is written at an even place of the stripe, and something that does not matter at the odd ones.
    for page in 0..pages {
        prepared.write_now(Lpn(page));
        prepared.write_now(Lpn(0));
    }
    let drive = two("lpn");
    let error = drive.ftl().take_over(&drive.config(), prepared).unwrap_err().to_string();
    assert!(error.contains("could come to hold"), "{error}");
    let error_free = written(&two("arrival"), 0..pages);
    drive.ftl().take_over(&drive.config(), error_free).unwrap();
}
