//! Victims by the array time that relocating their pages takes: `word-line`.

mod common;

use common::{PLANE, TestDrive, trim};
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::ids::{BlockId, Lpn};
use reclaim_sim::random::RandomStream;
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

/// The audit recounts the weight of every block, in whatever state; the lightest candidate is found by looking at all.
#[rstest]
fn weights_equal_a_recount(#[values("[1, 1]", "[2, 9]", "[0, 7]")] weights: &str) {
    let drive = two_levels("word-line")
        .blocks(40, 8)
        .set("geometry.spare_factor", "20%")
        .set("gc.victim.weights", weights);
    let mut ftl = drive.ftl();
    let mut stream = RandomStream::new(2, "pages");
    let pages = ftl.geometry().logical_pages;
    for step in 0..8_000 {
        let lpn = Lpn(stream.below(pages));
        if stream.below(10) == 0 {
            trim(&mut ftl, [lpn.0]);
        } else {
            ftl.write_now(lpn);
        }
        if step % 97 == 0 {
            reclaim_sim::audit::check(&ftl, true).unwrap();
        }
    }
    assert!(ftl.counters().erases > 100);
    let blocks = (0..ftl.geometry().blocks()).map(BlockId);
    let sealed = blocks.filter(|block| ftl.blocks().state(*block) == reclaim_sim::ftl::BlockState::Sealed);
    let worth = sealed.filter(|block| ftl.blocks().valid(*block) < ftl.geometry().pages_per_block);
    let key = |block: &BlockId| (ftl.block_weight(*block), ftl.blocks().valid(*block), *block);
    let lightest = worth.min_by_key(key);
    assert_eq!(ftl.begin_collection(PLANE), lightest);
}

#[test]
fn weights_are_one_for_each_level() {
    let set = [("gc.victim.kind", "word-line"), ("gc.victim.weights", "[1, 2, 3]")];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let error =
        load(&LoadRequest { device: "word-line-aware".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(
        error.to_string().contains("gc.victim: 3 weights for 4 page levels; give one for each level"),
        "{error}"
    );
}

/// A state saved with other page times is not used, because its weights are others.
#[test]
fn a_saved_state_belongs_to_its_page_times() {
    let save = std::env::temp_dir().join(format!("reclaim-word-line-{}", std::process::id()));
    let config = two_levels("word-line").config();
    two_levels("word-line").ftl().save(&config, "", &save).unwrap();
    let other = two_levels("word-line").set("flash.t_read", "[\"10us\", \"200us\"]");
    let error = other.ftl().load(&other.config(), &save).unwrap_err();
    std::fs::remove_file(&save).unwrap();
    assert!(error.to_string().contains("by which gc.victim weighs blocks, differs"), "{error}");
}
