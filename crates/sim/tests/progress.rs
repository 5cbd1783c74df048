//! How far a run has got is told in time, not all the time, and the caller can stop it.

use crate::common::prelude::*;
use reclaim_sim::Progress;

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
    assert_eq!(told.iter().map(|progress| progress.phase).collect::<Vec<_>>(), ["scan", "run", "audit"]);
    // 32,768 events are 10,922 reads, and of the next its arrival and the end of its array time.
    let simulated_ns = 1_092_200_000 + COMMAND + T_R;
    let expected = Progress { phase: "run", round: None, done: 10_922, total: 14_000, simulated_ns };
    assert_eq!(told[1], expected);
}

type Told = Vec<(String, u64, u64)>;

/// What is told of the warm-up of a drive of 160,000 pages, in words and numbers, up to the run; of which the host sees
/// so many, about 140,000.
fn warm_up_of(set: &[(&str, &str)], records: Vec<Record>) -> (u64, Told) {
    let large = [("geometry.blocks_per_plane", "40000"), ("geometry.over_provisioning", "14%")];
    let set = [&large, set].concat();
    let (told, error) = told(&set, records, "");
    assert!(error.is_none());
    let phases = told.iter().filter(|each| matches!(each.phase, "fill" | "warm-up"));
    let pages = derive_facts(&TestDrive::one_plane().with(&set).config(), None).logical_pages;
    (u64::from(pages), phases.map(|each| (each.to_string(), each.done, each.total)).collect())
}

/// Every 65,536 pages of so many.
fn looks(phase: &str, total: u64) -> Told {
    (1..=total / 65_536).map(|look| (phase.to_owned(), look * 65_536, total)).collect()
}

#[test]
fn overwriting_has_a_known_end() {
    let (pages, told) = warm_up_of(&[("warmup.kind", "overwrite"), ("warmup.overwrites", "1.5")], reads(1));
    assert_eq!(told, looks("warm-up", pages + (1.5 * pages as f64).round() as u64));
}

#[test]
fn until_steady_it_says_the_round_and_the_most() {
    let (pages, told) = warm_up_of(&[("warmup.kind", "steady"), ("warmup.limit", "8")], reads(1));
    for (words, done, total) in &told {
        let expected = match done.saturating_sub(pages).div_ceil(pages) {
            0 => "before at most 8 rounds".to_owned(),
            round => format!("round {round} of at most 8"),
        };
        assert!(words.contains(&expected) && *total == 9 * pages, "{words}");
    }
    assert!(told.len() as u64 > 3 * pages / 65_536, "three rounds at least: {told:?}");
}

#[test]
fn a_replay_counts_requests_once_the_drive_is_full() {
    let set = [("warmup.kind", "replay"), ("warmup.replays", "3"), ("warmup.fill", "true")];
    let writes = (0..5000).map(|k| at(100 * k, Op::Write, k, 1)).collect();
    let (pages, told) = warm_up_of(&set, writes);
    // Told every 4,096 requests of a play.
    let plays = [4096, 5000, 9096, 10_000, 14_096, 15_000].map(|done| ("warm-up".to_owned(), done, 15_000));
    assert_eq!(told, [looks("fill", pages), plays.to_vec()].concat());
}

#[test]
fn a_workload_says_which_play_it_is_in_and_the_most() {
    // Writes that begin in the middle of a page touch two: that is known after the first play.
    let two = |k: u64| Record { offset_bytes: k * 4096 + 2048, ..at(100 * k, Op::Write, k, 1) };
    let set = [("warmup.kind", "workload"), ("warmup.limit", "0.05")];
    let (pages, told) = warm_up_of(&set, (0..1000).map(two).collect());
    let limit = (0.05 * pages as f64).round() as u64;
    let (first, most) = (limit.div_ceil(1000), limit.div_ceil(2000));
    let play = |play, most| (format!("warm-up, play {play} of at most {most}"), play * 1000, most * 1000);
    let plays = std::iter::once(play(1, first)).chain((2..=most).map(|number| play(number, most)));
    assert_eq!(told, looks("fill", pages).into_iter().chain(plays).collect::<Vec<_>>());
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
