//! What facts say of a drive under light and under heavy load; `reclaim validate` runs such drives.

use crate::common::prelude::*;
use reclaim_sim::Facts;

/// Eight planes of 128 blocks of 64 pages, 15 % of them spare, collected at six free blocks, urgently at one.
const DRIVE: [(&str, &str); 8] = [
    ("geometry.channels", "1"),
    ("geometry.chips_per_channel", "8"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
    ("geometry.blocks_per_plane", "128"),
    ("geometry.pages_per_block", "64"),
    ("geometry.spare_factor", "15%"),
    ("gc.trigger.start", "6 blocks"),
];

fn facts(more: &[(&str, &str)]) -> Facts {
    derive_facts(&config("gc-bypass", &[&DRIVE[..], more].concat()), None)
}

/// Blocks that are free while the host writes: what is kept erased, less the half of the host's open block. Of the
/// collector's open block there is half of what a victim yields, here 0.09 to 0.15 of a block.
#[rstest]
#[case::start_towards_hard(&[], 7.0, 2.0)]
#[case::rounds_from_start_to_stop(&[("gc.trigger.stop", "8 blocks")], 8.0, 2.0)]
#[case::urgent_sooner(&[("gc.trigger.hard", "3 blocks")], 7.0, 4.0)]
#[case::never_deferred(&[("gc.trigger.hard", "6 blocks")], 7.0, 7.0)]
#[case::late_anyway(&[("gc.trigger.start", "1 block")], 2.0, 2.0)]
// Nobody hurries: the host goes on until it may open no further block.
#[case::fcfs(&[("scheduler", "fcfs")], 7.0, 1.0)]
#[case::type_first(&[("scheduler", "type-first")], 7.0, 2.0)]
#[case::collection_first(
    &[("scheduler.kind", "type-first"), ("scheduler.gc_first", "always")], 7.0, 7.0
)]
#[case::collection_first_where_it_may(
    &[
        ("scheduler.kind", "type-first"),
        ("scheduler.gc_first", "always"),
        ("gc.concurrency", "channels"),
    ],
    7.0,
    2.0
)]
#[case::frontier_filled(
    &[("gc.trigger.kind", "frontier-filled"), ("gc.trigger.host_stop", "4 blocks")], 7.0, 4.0
)]
fn free_blocks_at_both_ends(#[case] more: &[(&str, &str)], #[case] light: f64, #[case] heavy: f64) {
    let facts = facts(more);
    for (end, free) in [(facts.light_load, light), (facts.heavy_load, heavy)] {
        let rest = end.erased_blocks_per_plane - free - 0.5;
        assert!((0.09..0.15).contains(&rest), "{end:?}: {free} free blocks and an open block expected");
        let pages = f64::from(facts.physical_pages) - end.erased_blocks_per_plane * 8.0 * 64.0;
        let spare = 1.0 - f64::from(facts.logical_pages) / pages;
        assert!((end.effective_spare_factor - spare).abs() < 1e-12, "{end:?}: {spare} expected");
    }
}

#[test]
fn a_block_shared_with_the_host_is_filled_with_what_was_moved_first() {
    let shared = facts(&[("ftl.gc_frontier", "shared")]);
    let rest = shared.light_load.erased_blocks_per_plane - 7.0;
    assert!((rest - 0.5 / shared.light_load.write_amplification.unwrap()).abs() < 0.001, "{rest}");
}

#[rstest]
#[case("greedy", Some((4.982, 3.755)))]
#[case("fifo", Some((5.369, 3.967)))]
// 1 / Sf.
#[case("random", Some((1.0 / 0.09633, 1.0 / 0.13214)))]
#[case("cost-benefit", None)]
#[case("windowed-greedy", None)]
fn write_amplification_at_both_ends(#[case] victim: &str, #[case] expected: Option<(f64, f64)>) {
    let facts = facts(&[("gc.victim", victim)]);
    let found = facts.light_load.write_amplification.zip(facts.heavy_load.write_amplification);
    assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
    if let (Some((light, heavy)), Some((light_expected, heavy_expected))) = (found, expected) {
        assert!((light / light_expected - 1.0).abs() < 1e-3, "{light}, {light_expected} expected");
        assert!((heavy / heavy_expected - 1.0).abs() < 1e-3, "{heavy}, {heavy_expected} expected");
    }
}
