//! Exactly when static wear levelling moves a block: when the plane's erase counts are apart by *more* than the
//! threshold.

use crate::common::prelude::*;

/// Fills a block with four pages, forgets them and erases it.
fn use_up(ftl: &mut Ftl, expected: u32) {
    (4..8).for_each(|page| ftl.write_now(Lpn(page)));
    for page in 4..8 {
        ftl.trim(Lpn(page));
    }
    let victim = ftl.begin_collection(PLANE).expect("an empty block");
    assert_eq!(victim, BlockId(expected));
    ftl.end_collection(victim, Cause::Gc);
}

/// One plane of 8 blocks of 4 pages. Block 0 holds pages that never change; the other seven take turns: each round
/// fills one of them, empties it and erases it. So after n rounds the most-erased block has n / 7 erases, rounded up,
/// and block 0 none. Erases that every block had before make no difference.
#[rstest]
#[case("0", 1)]
#[case("1", 8)]
#[case("2", 15)]
#[case("5", 36)]
fn the_coldest_block_moves_when_the_spread_passes_the_threshold(
    #[case] threshold: &str,
    #[case] rounds: u32,
    #[values(0, 3)] before: u32,
) {
    let set = [("geometry.blocks_per_plane", "8"), ("ftl.wear.static_threshold", threshold)];
    let mut ftl = TestDrive::one_plane().with(&set).ftl();
    (0..8 * before).for_each(|round| use_up(&mut ftl, round % 8));
    (0..4).for_each(|page| ftl.write_now(Lpn(page)));
    for round in 1..=rounds {
        use_up(&mut ftl, (round - 1) % 7 + 1);
        let expected = (round == rounds).then_some(BlockId(0));
        assert_eq!(ftl.wear_victim(PLANE), expected, "threshold {threshold}, round {round}");
    }
}
