//! Victims by the array time that relocating their pages takes: `word-line`.

use crate::common::{PLANE, TestDrive, spaced_writes, trim};
use proptest::prelude::*;
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::ftl::BlockState;
use reclaim_sim::ids::{BlockId, Lpn};
use rstest::rstest;

/// Blocks of four pages: two of a fast level, then two of a slow one.
fn two_levels(victim: &str) -> TestDrive {
    TestDrive::one_plane()
        .set("flash.cell", "MLC")
        .set("flash.pages_per_word_line", "4")
        .set("flash.t_read", "[\"10us\", \"100us\"]")
        .set("flash.t_program", "[\"100us\", \"1ms\"]")
        .victim(victim)
}

/// Block 0 keeps its two fast pages, block 1 a slow one: greedy takes block 1, which takes longer to relocate.
#[rstest]
#[case("greedy", &[], 1)]
#[case("word-line", &[], 0)]
#[case("word-line", &[("gc.victim.weights", "[1, 1]")], 1)]
#[case("word-line", &[("gc.victim.weights", "[3, 5]")], 1)]
#[case("word-line", &[("gc.victim.weights", "[2, 5]")], 0)]
fn the_lightest_block_is_chosen(#[case] victim: &str, #[case] set: &[(&str, &str)], #[case] expected: u32) {
    let mut ftl = two_levels(victim).with(set).ftl();
    (0..32).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, [2, 3, 4, 5, 6]);
    assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(expected)));
}

#[test]
fn weights_are_array_times() {
    let mut ftl = two_levels("word-line").ftl();
    (0..6).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    assert_eq!(ftl.block_weight(BlockId(0)), Some(2 * 110_000 + 2 * 1_100_000));
    assert_eq!(ftl.block_weight(BlockId(1)), Some(2 * 110_000), "open blocks have a weight, too");
    ftl.trim(Lpn(2));
    ftl.trim(Lpn(4));
    assert_eq!(ftl.block_weight(BlockId(0)), Some(2 * 110_000 + 1_100_000));
    assert_eq!(ftl.block_weight(BlockId(1)), Some(110_000));
}

/// Fast pages take 60 us to read, slow ones 100, and 100 us and 1 ms to program: by reads two fast pages weigh more
/// than a slow one, and where all programs count the same, too.
#[rstest]
#[case("read", 1, [60_000, 100_000])]
#[case("read-program", 0, [160_000, 1_100_000])]
#[case("read-mean-program", 1, [610_000, 650_000])]
fn what_a_page_weighs_can_be_chosen(#[case] weigh: &str, #[case] expected: u32, #[case] of_level: [u64; 2]) {
    let set = [("flash.t_read", "[\"60us\", \"100us\"]"), ("gc.victim.weigh", weigh)];
    let mut ftl = two_levels("word-line").with(&set).ftl();
    (0..32).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, [2, 3, 4, 5, 6]);
    let [fast, slow] = of_level;
    assert_eq!(
        [0, 1, 2].map(|block| ftl.block_weight(BlockId(block)).unwrap()),
        [2 * fast, slow, 2 * fast + 2 * slow]
    );
    assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(expected)));
}

/// Blocks 0 and 1 weigh the same: two fast pages, or a slow one. Block 1 has changed first, or block 0.
#[rstest]
#[case("fewest-valid", [2, 3, 4, 5, 6], 1)]
#[case("lowest-number", [4, 5, 6, 2, 3], 0)]
#[case("oldest", [4, 5, 6, 2, 3], 1)]
#[case("oldest", [2, 3, 4, 5, 6], 0)]
#[case("oldest", [2, 4, 5, 6, 3], 1)]
fn blocks_of_the_same_weight(#[case] ties: &str, #[case] lost: [u32; 5], #[case] expected: u32) {
    let set = [("gc.victim.weights", "[1, 2]"), ("gc.victim.ties", ties)];
    let mut ftl = two_levels("word-line").with(&set).ftl();
    (0..32).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, lost);
    assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(expected)));
}

/// With pages that weigh nothing a block keeps its weight when it loses one, and is yet the one changed last.
#[test]
fn the_oldest_is_found_among_blocks_that_stay_as_heavy() {
    let set = [("gc.victim.weights", "[0, 0]"), ("gc.victim.ties", "oldest")];
    let mut ftl = two_levels("word-line").with(&set).ftl();
    (0..32).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, [0, 4, 8, 12, 16, 1, 5, 9]);
    let taken = std::iter::from_fn(|| ftl.begin_collection(PLANE)).map(|block| block.0);
    assert_eq!(taken.collect::<Vec<_>>(), [3, 4, 0, 1, 2]);
}

/// Erasing counts once for each victim, and changes none of them.
#[test]
fn erases_count_in_what_victims_weigh() {
    let pages: Vec<u64> = (0..160).map(|number| number * number * 31 % 29).collect();
    let run = |erase| {
        let drive = two_levels("word-line").set("flash.t_erase", "5ms").set("gc.victim.erase", erase);
        let results = drive.run(spaced_writes(&pages)).results;
        (results.gc.jobs, results.policies["gc.victim"]["victim_weight"].value)
    };
    let ((jobs, without), (same_jobs, with)) = (run(false), run(true));
    assert!(jobs > 3, "{jobs}");
    assert_eq!(same_jobs, jobs);
    assert_eq!(with, without + 5_000_000 * jobs);
}

/// The paper's pair: both take the first of several equals.
#[rstest]
#[case("vanilla", "greedy")]
#[case("wla", "word-line")]
fn the_papers_two_policies_are_schemes(#[case] scheme: &str, #[case] kind: &str) {
    let request = LoadRequest {
        device: "word-line-aware".to_owned(),
        schemes: vec![scheme.to_owned()],
        set: Vec::new(),
    };
    let victim = load(&request).unwrap().gc.victim;
    assert_eq!(victim.kind, kind);
    assert_eq!(victim.parameters["ties"], "lowest-number");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    /// After any sequence of writes and trims, which collection, relocation and erases follow, the audit's recount
    /// finds the weight of every block, open and free ones too, and victims are those that a look at all blocks finds.
    #[test]
    fn weights_equal_a_recount(
        weights in prop::sample::select(vec![
            ("weights", "[1, 1]"), ("weights", "[2, 9]"), ("weights", "[9, 2]"), ("weights", "[0, 7]"),
            ("weights", "[0, 0]"),
            ("weigh", "read"), ("weigh", "read-program"), ("weigh", "read-mean-program"),
        ]),
        ties in prop::sample::select(vec!["fewest-valid", "lowest-number", "oldest"]),
        operations in prop::collection::vec((0_u32..10, any::<u16>()), 1..3_000),
        look in 1_usize..200,
    ) {
        let drive = two_levels("word-line")
            .blocks(40, 8)
            .set("geometry.spare_factor", "20%")
            .set(&format!("gc.victim.{}", weights.0), weights.1)
            .set("gc.victim.ties", ties);
        let mut ftl = drive.ftl();
        let pages = ftl.geometry().logical_pages;
        for (step, (kind, page)) in operations.into_iter().enumerate() {
            let lpn = Lpn(u32::from(page) % pages);
            if kind == 0 {
                ftl.trim(lpn);
            } else {
                ftl.write_now(lpn);
            }
            if step % look == 0 {
                reclaim_sim::audit::check(&ftl, true).unwrap();
            }
        }
        reclaim_sim::audit::check(&ftl, true).unwrap();
        let (blocks, geometry) = (ftl.blocks(), ftl.geometry());
        let worth = |block: &BlockId| {
            blocks.state(*block) == BlockState::Sealed && blocks.valid(*block) < geometry.pages_per_block
        };
        let key = |block: BlockId| {
            let tie = if ties == "fewest-valid" { blocks.valid(block) } else { 0 };
            (ftl.block_weight(block), tie, block)
        };
        let mut expected: Vec<_> = (0..geometry.blocks()).map(BlockId).filter(worth).map(key).collect();
        expected.sort_unstable();
        let weight: Vec<_> = (0..geometry.blocks()).map(|block| ftl.block_weight(BlockId(block))).collect();
        let taken: Vec<_> = std::iter::from_fn(|| ftl.begin_collection(PLANE)).collect();
        prop_assert_eq!(taken.len(), expected.len());
        for (taken, expected) in taken.iter().zip(&expected) {
            if ties == "oldest" {
                prop_assert_eq!(weight[taken.index()], expected.0);
            } else {
                prop_assert_eq!(*taken, expected.2);
            }
        }
    }
}

#[rstest]
#[case("[1, 2, 3]", None, "gc.victim: 3 weights for 4 page levels; give one for each level")]
#[case("[1, 2, 3, 4]", Some("read"), "gc.victim: weigh and weights: give one of them")]
fn weights_are_one_for_each_level(
    #[case] weights: &str,
    #[case] weigh: Option<&str>,
    #[case] expected: &str,
) {
    let mut set = vec![("gc.victim.kind", "word-line"), ("gc.victim.weights", weights)];
    set.extend(weigh.map(|weigh| ("gc.victim.weigh", weigh)));
    let set = set.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let error =
        load(&LoadRequest { device: "word-line-aware".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

/// Of a state saved with other page times the flash alone is taken over, because its weights are others.
#[test]
fn saved_weights_belong_to_their_page_times() {
    let save = std::env::temp_dir().join(format!("reclaim-word-line-{}", std::process::id()));
    let config = two_levels("word-line").config();
    two_levels("word-line").ftl().save(&config, "", &save).unwrap();
    let other = two_levels("word-line").set("flash.t_read", "[\"10us\", \"200us\"]");
    let whole = |drive: &TestDrive| drive.ftl().load(&drive.config(), &save).unwrap().1;
    assert!(whole(&two_levels("word-line")));
    assert!(!whole(&other));
    std::fs::remove_file(&save).unwrap();
}
