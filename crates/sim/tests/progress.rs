//! How far a run has got is told in time, not all the time, and the caller can stop it.

use std::ops::ControlFlow;

use crate::common::{TestDrive, at};
use reclaim_sim::flash::Geometry;
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
    let expected = Progress {
        phase: "run",
        round: None,
        done: 10_922,
        total: 14_000,
        simulated_ns: 1_092_200_000 + 7 + 75_000,
    };
    assert_eq!(told[1], expected);
}

/// What is told of a warm-up, in words and numbers, up to the run.
fn warm_up_of(set: &[(&str, &str)], records: Vec<Record>) -> Vec<(String, u64, u64)> {
    let (told, error) = told(set, records, "");
    assert!(error.is_none());
    let phases = told.iter().filter(|each| matches!(each.phase, "fill" | "warm-up"));
    phases.map(|each| (each.to_string(), each.done, each.total)).collect()
}

/// A drive of 160,000 pages, of which the host sees about 140,000.
const LARGE: [(&str, &str); 2] =
    [("geometry.blocks_per_plane", "40000"), ("geometry.over_provisioning", "14%")];

fn large(set: &[(&'static str, &'static str)]) -> (u64, Vec<(&'static str, &'static str)>) {
    let set = [&LARGE, set].concat();
    let config = TestDrive::one_plane().with(&set).config();
    (u64::from(Geometry::new(&config).unwrap().logical_pages), set)
}

fn writes(count: u64) -> Vec<Record> {
    (0..count).map(|k| at(100 * k, Op::Write, k, 1)).collect()
}

#[test]
fn overwriting_has_a_known_end() {
    let (pages, set) = large(&[("warmup.kind", "overwrite"), ("warmup.overwrites", "1.5")]);
    let total = pages + (1.5 * pages as f64).round() as u64;
    let expected: Vec<_> =
        (1..=total / 65_536).map(|look| ("warm-up".to_owned(), look * 65_536, total)).collect();
    assert_eq!(warm_up_of(&set, reads(1)), expected);
}

#[test]
fn until_steady_it_says_the_round_and_the_most() {
    let (pages, set) = large(&[("warmup.kind", "steady"), ("warmup.limit", "8")]);
    let told = warm_up_of(&set, reads(1));
    for (words, done, total) in &told {
        let round = done.saturating_sub(pages).div_ceil(pages);
        let expected = match round {
            0 => "warm-up, filling before at most 8 rounds".to_owned(),
            _ => format!("warm-up, round {round} of at most 8"),
        };
        assert_eq!((words, total), (&expected, &(9 * pages)));
    }
    assert!(told.len() as u64 > 3 * pages / 65_536, "three rounds at least: {told:?}");
}

#[test]
fn a_replay_counts_requests_once_the_drive_is_full() {
    let (pages, set) = large(&[("warmup.kind", "replay"), ("warmup.replays", "3"), ("warmup.fill", "true")]);
    let mut expected: Vec<_> =
        (1..=pages / 65_536).map(|look| ("fill".to_owned(), look * 65_536, pages)).collect();
    // Told every 4,096 requests of a play.
    expected
        .extend([4096, 5000, 9096, 10_000, 14_096, 15_000].map(|done| ("warm-up".to_owned(), done, 15_000)));
    assert_eq!(warm_up_of(&set, writes(5000)), expected);
}

#[test]
fn a_workload_says_which_play_it_is_in_and_the_most() {
    let (pages, set) = large(&[("warmup.kind", "workload"), ("warmup.limit", "0.05")]);
    // Writes that begin in the middle of a page touch two: that is known after the first play.
    let two = |k: u64| Record { offset_bytes: k * 4096 + 2048, ..at(100 * k, Op::Write, k, 1) };
    let told = warm_up_of(&set, (0..1000).map(two).collect());
    let limit = (0.05 * pages as f64).round() as u64;
    let (first, most) = (limit.div_ceil(1000), limit.div_ceil(2000));
    let mut expected: Vec<_> =
        (1..=pages / 65_536).map(|look| ("fill".to_owned(), look * 65_536, pages)).collect();
    expected.push((format!("warm-up, play 1 of at most {first}"), 1000, first * 1000));
    expected.extend(
        (2..=most).map(|play| (format!("warm-up, play {play} of at most {most}"), play * 1000, most * 1000)),
    );
    assert_eq!(told, expected);
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
