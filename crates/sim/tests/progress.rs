//! How far a run has got is told in time, not all the time, and the caller can stop it.

mod common;

use std::ops::ControlFlow;

use common::{TestDrive, at};
use reclaim_sim::{Progress, RunOptions, SimError, simulate};
use reclaim_trace::{Op, Record, Trace};

/// Reads 0.1 ms apart, each over before the next comes: three events each (it arrives, the array is done, the data is
/// out).
fn reads(count: u64) -> Vec<Record> {
    (0..count).map(|k| at(100 * k, Op::Read, 0, 1)).collect()
}

/// What the caller is told; it says stop at that phase.
fn told(set: &[(&str, &str)], records: Vec<Record>, stop: &str) -> (Vec<Progress>, Option<SimError>) {
    let mut told = Vec::new();
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let control = &mut |progress: &Progress| {
        told.push(*progress);
        if progress.phase == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let trace = Trace::from_records("reads", records);
    let error = simulate(&TestDrive::one_plane().with(set).config(), &trace, &options, control).err();
    (told, error)
}

#[test]
fn a_look_every_32768_events() {
    let (told, error) = told(&[("warmup.kind", "filled")], reads(14_000), "");
    assert!(error.is_none());
    let phases: Vec<_> = told.iter().map(|progress| progress.phase).collect();
    assert_eq!(phases, ["scan", "run", "audit"]);
    // 32,768 events are 10,922 reads, and of the next its arrival and the end of its array time.
    let expected =
        Progress { phase: "run", done: 10_922, total: 14_000, simulated_ns: 1_092_200_000 + 7 + 75_000 };
    assert_eq!(told[1], expected);
}

#[test]
fn at_every_phase_the_caller_can_stop() {
    // Warm-up looks every 65,536 pages.
    let set = [("geometry.blocks_per_plane", "40000"), ("warmup.kind", "filled")];
    for phase in ["scan", "warm-up", "run", "audit"] {
        let (told, error) = told(&set, reads(14_000), phase);
        assert!(matches!(error, Some(SimError::Interrupted)), "{phase}");
        assert_eq!(told.last().unwrap().phase, phase);
    }
}
