//! How much memory a run needs is known before it begins, and refused where there is less.

use std::ops::ControlFlow;

use crate::common::{TestDrive, config, spaced_writes};
use reclaim_sim::{RunOptions, derive_facts, simulate};
use reclaim_trace::Trace;
use rstest::rstest;

/// Measured with Python 3.11 on Linux: the highest resident memory of a process that played 20,000 requests on the
/// filled drive, in bytes.
#[rstest]
#[case("64", false, 48.0e6)]
#[case("64", true, 64.6e6)]
#[case("512", false, 164.1e6)]
#[case("512", true, 293.4e6)]
#[case("4096", false, 1093.0e6)]
fn the_memory_of_a_run_is_estimated(#[case] blocks: &str, #[case] audit: bool, #[case] measured: f64) {
    let facts = derive_facts(&config("gc-bypass", &[("geometry.blocks_per_plane", blocks), TRIGGER]), None);
    let estimate = facts.run_memory_bytes + if audit { facts.audit_memory_bytes } else { 0 };
    let ratio = estimate as f64 / measured;
    assert!((0.9..1.1).contains(&ratio), "{estimate} bytes are {ratio} of what was measured");
}

/// As in the small drive of the preset, whose spare blocks are few.
const TRIGGER: (&str, &str) = ("gc.trigger.start", "1 block");

#[test]
fn a_run_beyond_its_memory_is_refused_before_it_allocates() {
    let drive = TestDrive::one_plane().config();
    let trace = Trace::from_records("one", spaced_writes(&[0]));
    let needed = derive_facts(&drive, None);
    let run = |audit, memory_limit| {
        let options = RunOptions { audit, memory_limit, ..RunOptions::default() };
        simulate(&drive, &trace, &options, &mut |_| ControlFlow::Continue(())).map(drop)
    };
    let plain = needed.run_memory_bytes;
    assert!(run(false, Some(plain)).is_ok() && run(true, None).is_ok());
    let message = run(false, Some(plain - 1)).unwrap_err().to_string();
    assert!(message.contains("a run of") && message.contains("RECLAIM_MEMORY_LIMIT"), "{message}");
    assert!(run(true, Some(plain)).unwrap_err().to_string().contains("an audited run of"));
    assert!(run(true, Some(plain + needed.audit_memory_bytes)).is_ok());

    // The largest drive that there may be, on a computer of 16 GiB.
    let most = [("geometry.blocks_per_plane", "100000"), ("geometry.pages_per_block", "300")];
    let large = config("gc-bypass", &most);
    assert!(derive_facts(&large, None).run_memory_bytes > 30_000_000_000);
    let options = RunOptions { memory_limit: Some(16 << 30), ..RunOptions::default() };
    let refused = simulate(&large, &trace, &options, &mut |_| ControlFlow::Continue(()));
    assert!(refused.unwrap_err().to_string().contains("and may use 16.0 GiB"));
}
