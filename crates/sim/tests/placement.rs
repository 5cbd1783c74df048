//! Placement: which open block of its plane a page of the host goes to.

use crate::common::{PLANE, Saved, TestDrive, spaced_writes};
use proptest::prelude::*;
use reclaim_sim::audit;
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::derive_facts;
use reclaim_sim::ftl::{BlockState, Ftl, Place};
use reclaim_sim::ids::{BlockId, Lpn};
use reclaim_trace::{Op, Record};
use rstest::rstest;

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

/// The trace writes pages of two kinds in turn; the oracle knows before anything was written twice.
#[test]
fn the_future_is_known_from_the_first_write_on() {
    let pages: Vec<u64> = hot_and_cold(600).map(|lpn| u64::from(lpn.0)).collect();
    let wanted = |kind: &str| {
        let results = drive(kind).set("geometry.blocks_per_plane", 60).run(spaced_writes(&pages)).results;
        results.policies["ftl.placement"]["pages_on_wanted_level"].value
    };
    let [history, future] = KINDS.map(wanted);
    assert!(history > 300 && future > history, "{history} {future} of 600");
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
    audit::check(&ftl, true).unwrap();
}

#[rstest]
#[case(&[("ftl.gc_frontier", "shared")], "by level: pages of the host are placed among blocks of their own")]
#[case(&[("flash.multi_plane", "same-page")], "by level: planes would have to agree on the next page")]
#[case(&[("flash.cell", "SLC"), ("flash.t_read", "9us"), ("flash.t_program", "9us")], "have one level")]
#[case(&[("ftl.placement.open_blocks", "1")], "open_blocks = 1; from 2 to 16 can be open")]
#[case(&[("ftl.placement.open_blocks", "17")], "open_blocks = 17; from 2 to 16 can be open")]
#[case(&[("ftl.placement.open_blocks", "16")], "17 open, 1 to collect")]
#[case(&[("ftl.placement.short_lived", "warm")], "short_lived")]
fn what_is_refused(#[case] set: &[(&str, &str)], #[case] says: &str, #[values(0, 1)] kind: usize) {
    let mut all = vec![
        ("geometry.blocks_per_plane", "32"),
        ("geometry.spare_factor", "50%"),
        ("flash.cell", "MLC"),
        ("ftl.placement", KINDS[kind]),
    ];
    all.extend(set);
    let set = all.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let error = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
}

/// Writes of two kinds of pages, and trims.
fn records() -> Vec<Record> {
    let mut found: Vec<Record> =
        spaced_writes(&hot_and_cold(900).map(|p| u64::from(p.0)).collect::<Vec<_>>());
    for at in (50..900).step_by(90) {
        found[at].op = Op::Trim;
        found[at].size_bytes = 5 * 4096;
    }
    found
}

#[rstest]
fn a_restored_state_goes_on_as_if_nothing_had_happened(
    #[values(0, 1)] kind: usize,
    #[values("overwrite", "replay", "workload")] warmup: &str,
    #[values("none", "compact")] remap: &str,
) {
    let drive = drive(KINDS[kind]).set("warmup.kind", warmup).set("trace.remap", remap);
    let results = Saved::new(&format!("placement-{kind}-{warmup}-{remap}")).goes_on(&drive, &records());
    assert!(results.gc.jobs > 10, "{}", results.gc.jobs);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    /// After any sequence of writes and trims: the weight of every block is that of a recount, every open block is one
    /// that pages go to, no plane has more of them than it may, and erased pages are those not yet taken.
    #[test]
    fn blocks_and_weights_equal_a_recount(
        kind in prop::sample::select(KINDS.to_vec()),
        short_lived in prop::sample::select(vec!["fast", "slow"]),
        count in prop::sample::select(vec![2_u32, 3, 6]),
        wear in any::<bool>(),
        operations in prop::collection::vec((0_u32..10, any::<u16>()), 1..3_000),
        look in 1_usize..200,
    ) {
        let mut ftl = drive(kind)
            .victim("word-line")
            .set("ftl.placement.short_lived", short_lived)
            .set("ftl.placement.open_blocks", count)
            .set("ftl.wear.dynamic", wear)
            .ftl();
        let pages = ftl.geometry().logical_pages;
        for (step, (kind, page)) in operations.into_iter().enumerate() {
            let lpn = Lpn(u32::from(page) % pages);
            if kind == 0 {
                ftl.trim(lpn);
            } else {
                ftl.write_now(lpn);
            }
            if step % look == 0 {
                audit::check(&ftl, true).unwrap();
                prop_assert!(open_blocks(&ftl) <= count as usize + 1);
                let geometry = ftl.geometry();
                let erased: u64 = (0..geometry.blocks())
                    .map(BlockId)
                    .filter(|block| matches!(ftl.blocks().state(*block), BlockState::Free | BlockState::Open))
                    .map(|block| u64::from(geometry.pages_per_block - ftl.blocks().allocated(block)))
                    .sum();
                prop_assert_eq!(ftl.erased_pages(PLANE), erased);
            }
        }
    }
}
