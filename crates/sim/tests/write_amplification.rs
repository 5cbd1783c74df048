//! Write amplification of the untimed path against closed forms. The full table is `reclaim validate`'s business;
//! this keeps the most telling rows from drifting.

mod common;

use common::{Oracle, write_amplification};
use rstest::rstest;

/// 4096 blocks of 64 pages, Sf = 0.10, collection of one block when one is left.
#[rstest]
// Van Houdt 2013, mean field with d to infinity; Desnoyers 2014 gives 4.816.
#[case("greedy", &[], 4.821, 0.02)]
// Desnoyers 2012: alpha / (alpha + W(-alpha exp(-alpha))), alpha = 1 / 0.9.
#[case("fifo", &[], 5.179, 0.02)]
// 1 / Sf.
#[case("random", &[], 10.0, 0.03)]
// Van Houdt 2013, mean field, d = 10.
#[case("d-choices", &[("gc.victim.d", "10")], 5.000, 0.02)]
fn uniform_random_writes(
    #[case] victim: &str,
    #[case] more: &[(&str, &str)],
    #[case] expected: f64,
    #[case] tolerance: f64,
) {
    let measured = write_amplification(&Oracle { victim, more, ..Oracle::default() });
    let deviation = measured / expected - 1.0;
    println!("{victim}: {measured:.4}, closed form {expected:.4}, {:+.2} %", deviation * 100.0);
    assert!(deviation.abs() < tolerance, "{victim}: {measured:.4} instead of {expected:.4}");
}

#[test]
fn host_and_collector_may_share_a_frontier() {
    let shared = [("ftl.gc_frontier", "shared")];
    let measured = write_amplification(&Oracle { more: &shared, ..Oracle::default() });
    assert!((measured / 4.821 - 1.0).abs() < 0.02, "{measured:.4} instead of 4.821");
}
