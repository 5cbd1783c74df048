//! Placement: which open block of its plane a page of the host goes to.

use crate::common::prelude::*;

const KINDS: [&str; 2] = ["level-by-history", "level-by-future"];

/// Blocks of eight pages: two of a fast level, two of a slow one, and again.
fn drive(kind: &str) -> TestDrive {
    TestDrive::one_plane()
        .blocks(40, 8)
        .set("geometry.spare_factor", "30%")
        .set("flash.cell", "MLC")
        .set("flash.pages_per_word_line", "4")
        .set("flash.t_read", "[\"10us\", \"100us\"]")
        .set("flash.t_program", "[\"100us\", \"1ms\"]")
        .set("ftl.placement", kind)
}

fn open_blocks(ftl: &Ftl) -> usize {
    let all = (0..ftl.geometry().blocks()).map(BlockId);
    all.filter(|block| ftl.blocks().state(*block) == BlockState::Open).count()
}

/// Share of the pages that lie on the fast level.
fn on_fast(ftl: &Ftl, pages: std::ops::Range<u32>) -> f64 {
    let fast = pages.clone().filter(|lpn| match ftl.map().place(Lpn(*lpn)) {
        Place::Flash(ppn) => ftl.geometry().page_in_block(ppn) % 4 < 2,
        _ => false,
    });
    fast.count() as f64 / pages.len() as f64
}

/// Pages 0 to 39 are written in turn, and after each of them the next of the other 160.
fn hot_and_cold(writes: u32) -> impl Iterator<Item = Lpn> {
    (0..writes).map(|k| Lpn(if k % 2 == 0 { k / 2 % 40 } else { 40 + k / 2 % 160 }))
}

#[rstest]
#[case("append", 0.4..0.6, 0.4..0.6)]
#[case("fast", 0.8..1.1, -0.1..0.4)]
#[case("slow", -0.1..0.2, 0.6..1.1)]
fn short_lived_data_goes_to_the_wanted_level(
    #[case] short_lived: &str,
    #[case] hot: std::ops::Range<f64>,
    #[case] cold: std::ops::Range<f64>,
) {
    let made = match short_lived {
        "append" => drive("append"),
        _ => drive("level-by-history").set("ftl.placement.short_lived", short_lived),
    };
    let mut ftl = made.set("geometry.blocks_per_plane", 60).ftl();
    hot_and_cold(4_000).for_each(|lpn| ftl.write_now(lpn));
    let found = (on_fast(&ftl, 0..40), on_fast(&ftl, 40..200));
    assert!(hot.contains(&found.0) && cold.contains(&found.1), "{short_lived}: {found:?}");
    audit::check(&ftl, true).unwrap();
}

/// Of pages that are written alternately, the hot ones live for 80 writes and the others for 320. Who knows that puts
/// half of all on each level; who does not wants the slow one for all, and misses it with every other page. What comes
/// is known whoever has prepared the drive: it was only filled, the trace was played, another policy did it, or it was
/// saved.
#[rstest]
#[case("filled", "", false)]
#[case("workload", "", false)]
#[case("workload", "mine", false)]
#[case("filled", "", true)]
#[case("workload", "", true)]
fn what_will_be_written_is_known_when_a_run_begins(
    #[case] warmup: &str,
    #[case] start: &str,
    #[case] restored: bool,
) {
    let mut made = drive("level-by-future").set("geometry.blocks_per_plane", 60).set("warmup.kind", warmup);
    if !start.is_empty() {
        made = made.set("warmup.scheme", "greedy");
    }
    let records: Vec<_> = hot_and_cold(3_200)
        .enumerate()
        .map(|(k, lpn)| at(k as u64 * 5_000, Op::Write, lpn.0.into(), 1))
        .collect();
    let results = if restored { Saved::new().goes_on(&made, &records) } else { made.run(records).results };
    let of = |name: &str| results.policies["ftl.placement"][name].value as f64;
    let missed = of("levels_off") / (of("levels_off") + of("pages_on_wanted_level"));
    assert!(missed < 0.2, "{missed}");
}

#[rstest]
fn as_many_blocks_are_open_as_are_asked_for(#[values(2, 4, 16)] count: usize) {
    let mut ftl = drive("level-by-history").set("ftl.placement.open_blocks", count).blocks(70, 8).ftl();
    // With the eighth page a block may be full.
    for lpn in 0..count.min(7) as u32 {
        ftl.write_now(Lpn(lpn));
        assert_eq!(open_blocks(&ftl), lpn as usize + 1, "one more with each page");
    }
    (0..2_000).for_each(|k| ftl.write_now(Lpn(k * 7 % 200)));
    // One may just have been filled, and one is the collector's.
    assert!((count - 1..=count + 1).contains(&open_blocks(&ftl)), "{}", open_blocks(&ftl));
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    let erased: u64 = blocks
        .filter(|block| matches!(ftl.blocks().state(*block), BlockState::Free | BlockState::Open))
        .map(|block| u64::from(8 - ftl.blocks().allocated(block)))
        .sum();
    assert_eq!(ftl.erased_pages(PLANE), erased);
    audit::check(&ftl, true).unwrap();
}

/// Every open block of the host is half erased in the mean, and history is kept of every logical page.
#[test]
fn facts_count_open_blocks_and_what_is_remembered() {
    let of = |kind: &str| derive_facts(&drive(kind).config(), None);
    let [append, by_level] = ["append", KINDS[0]].map(of);
    let more = by_level.light_load.erased_blocks_per_plane - append.light_load.erased_blocks_per_plane;
    assert!((1.4..1.7).contains(&more), "three more of half a block: {more}");
    let bytes = by_level.run_memory_bytes - append.run_memory_bytes;
    assert_eq!(bytes, 8 * u64::from(by_level.logical_pages));
}
