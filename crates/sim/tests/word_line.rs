//! Victims by the array time that relocating their pages takes: `word-line`.

use crate::common::prelude::*;

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
    let (device, schemes) = ("word-line-aware".to_owned(), vec![scheme.to_owned()]);
    let victim = load(&LoadRequest { device, schemes, set: Vec::new() }).unwrap().gc.victim;
    assert_eq!((victim.kind.as_str(), &victim.parameters["ties"]), (kind, &"lowest-number".into()));
}

/// Of a state saved with other page times the flash alone is taken over, because its weights are others.
#[test]
fn saved_weights_belong_to_their_page_times() {
    let (save, first) = (Saved::new(), two_levels("word-line"));
    first.ftl().save(&first.config(), "", &save.0).unwrap();
    let other = first.clone().set("flash.t_read", "[\"10us\", \"200us\"]");
    let whole = |drive: &TestDrive| drive.ftl().load(&drive.config(), &save.0).unwrap().1;
    assert_eq!([whole(&first), whole(&other)], [true, false]);
}
