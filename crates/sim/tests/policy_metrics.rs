//! What policies count reaches results, from where measuring begins.

use crate::common::prelude::*;

fn count(outcome: &Outcome, kind: &str, metric: &str) -> u64 {
    outcome.results.policies[kind][metric].value
}

/// Every victim costs three looks, whatever was drawn in a warm-up or before measuring began.
#[rstest]
#[case::from_the_start(&[])]
#[case::after_a_warm_up(&[("warmup.kind", "overwrite"), ("warmup.overwrites", "4.0")])]
#[case::of_a_part(&[("measure.after", "60%")])]
fn d_choices_looks_at_d_blocks_for_every_victim(#[case] more: &[(&str, &str)]) {
    let set = [&[("gc.victim.kind", "d-choices"), ("gc.victim.d", "3")], more].concat();
    let pages: Vec<u64> = (0..120).map(|number| number * 5 % 16).collect();
    let outcome = TestDrive::one_plane().with(&set).run(spaced_writes(&pages));
    let jobs = outcome.results.gc.jobs;
    assert!(jobs > 3, "{jobs}");
    assert_eq!(count(&outcome, "gc.victim", "candidates_examined"), 3 * jobs);
    let metric = &outcome.results.policies["gc.victim"]["candidates_examined"];
    assert_eq!(metric.unit, "blocks");
}

/// Page 0 over and over leaves blocks of which at most the last page is valid: the first that is drawn will do. Where
/// every block keeps a page that is never written again, none is ever without a valid one, and all draws are in vain.
#[rstest]
#[case::the_first_will_do("75%", [0, 0, 0, 0], 1, 0)]
#[case::none_will_do("100%", [1, 0, 0, 0], 5, 1)]
fn random_threshold_counts_draws_and_those_in_vain(
    #[case] invalid: &str,
    #[case] block: [u64; 4],
    #[case] draws: u64,
    #[case] in_vain: u64,
) {
    let set =
        [("gc.victim.kind", "random-threshold"), ("gc.victim.invalid", invalid), ("gc.victim.draws", "5")];
    // 1, 0, 0, 0, 2, 0, 0, 0, 3, …: where a block has a 1, the next has the next higher number.
    let pages: Vec<u64> = (0..20).flat_map(|number| block.map(|page| page * (number + 1))).collect();
    let outcome = TestDrive::one_plane().with(&set).run(spaced_writes(&pages));
    let jobs = outcome.results.gc.jobs;
    assert!(jobs > 3, "{jobs}");
    assert_eq!(count(&outcome, "gc.victim", "candidates_examined"), draws * jobs);
    assert_eq!(count(&outcome, "gc.victim", "victims_below_threshold"), in_vain * jobs);
}

/// Page 0 over and over leaves blocks with nothing valid; scattered pages leave others as well.
#[test]
fn greedy_counts_victims_that_held_nothing() {
    let one_page = TestDrive::one_plane().run(spaced_writes(&[0; 80]));
    assert_eq!(count(&one_page, "gc.victim", "empty_victims"), one_page.results.gc.jobs);
    assert!(one_page.results.gc.jobs > 0);
    // Some pages again soon and some not for long, on a drive that is nearly full.
    let scattered: Vec<u64> = (0..48).chain((0..200).map(|number| number * number * 31 % 47)).collect();
    let spread = TestDrive::one_plane().set("geometry.spare_factor", "25%").run(spaced_writes(&scattered));
    let full = spread.gc_log.as_ref().unwrap().valid_pages.iter().filter(|valid| **valid > 0).count() as u64;
    assert!(full > 0);
    assert_eq!(count(&spread, "gc.victim", "empty_victims"), spread.results.gc.jobs - full);
}

/// Two dies share a channel and are sent a read each at once. The second finds the command of the first on the channel,
/// on arrival and when it is queued, and later its data.
#[test]
fn a_bus_counts_who_finds_it_taken() {
    let set = [("geometry.chips_per_channel", "2"), ("warmup.kind", "filled")];
    let together = [0, 1].map(|page| at(0, Op::Read, page, 1)).to_vec();
    let outcome = TestDrive::one_plane().with(&set).run(together);
    assert_eq!(count(&outcome, "interconnect", "refused_transfers"), 3);
    let apart = [(0, 0), (200, 1)].map(|(time, page)| at(time, Op::Read, page, 1)).to_vec();
    assert_eq!(count(&TestDrive::one_plane().with(&set).run(apart), "interconnect", "refused_transfers"), 0);
}
