//! Which runs can share a warm-up: those of the same key, and what they then give.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::common::{TestDrive, at, hostile};
use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::{Outcome, RunOptions, simulate, warm_up_key, warm_up_key_of_any_trace};
use reclaim_trace::{Op, Record, Trace};
use rstest::rstest;

/// A file of this test's own, removed at its end.
struct State(PathBuf);

impl State {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("reclaim-warm-up-{name}-{}", std::process::id())))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Everything that a run gives, as text.
fn run(config: &Config, trace: &Trace, from: Option<&Path>, to: Option<&Path>) -> Result<String, String> {
    let options = RunOptions {
        audit: true,
        record_requests: true,
        record_gc: true,
        record_timeline: true,
        snapshot_in: from.map(Path::to_path_buf),
        snapshot_out: to.map(Path::to_path_buf),
        ..RunOptions::default()
    };
    let outcome = simulate(config, trace, &options, &mut |_| ControlFlow::Continue(()));
    let Outcome { results, histograms, requests, gc_log, timeline, losses: _, samples: _, spans: _ } =
        outcome.map_err(|error| error.to_string())?;
    let results = serde_json::to_string_pretty(&results).unwrap();
    Ok(format!("{results}\n{histograms:?}\n{requests:?}\n{gc_log:?}\n{timeline:?}"))
}

/// A run that loads the state is, byte for byte, the run that warms up itself; so is the one that saves it.
fn assert_states_do_not_show(name: &str, config: &Config, trace: &Trace) {
    let state = State::new(name);
    let alone = run(config, trace, None, None);
    if let Err(refused) = &alone {
        // Drives at the edge of what is accepted may refuse a trace, with a state or without one.
        assert_eq!(run(config, trace, None, Some(&state.0)).unwrap_err(), *refused);
        return;
    }
    assert!(run(config, trace, None, Some(&state.0)) == alone, "{name}: saving the state changes the run");
    assert!(run(config, trace, Some(&state.0), None) == alone, "{name}: loading the state changes the run");
}

/// Two hundred writes, reads and trims of the first 24 pages.
fn busy() -> Trace {
    let records: Vec<Record> = (0..200)
        .map(|index| {
            let op = [Op::Write, Op::Write, Op::Read, Op::Write, Op::Trim][index as usize % 5];
            at(index * 300, op, index * 7 % 24, 1 + index % 2)
        })
        .collect();
    Trace::from_records("busy", records)
}

const SHUFFLED: (&str, &str) = ("trace.repeat_order", "shuffled");

const WARM_UPS: [&[(&str, &str)]; 9] = [
    &[("warmup.kind", "empty")],
    &[("warmup.kind", "filled")],
    &[("warmup.kind", "overwrite"), ("warmup.overwrites", "1.5")],
    &[("warmup.kind", "steady"), ("warmup.limit", "6.0")],
    &[("warmup.kind", "replay"), ("warmup.replays", "2")],
    &[("warmup.kind", "replay"), ("warmup.fill", "true"), ("trace.remap", "compact")],
    &[("warmup.kind", "workload"), ("trace.repeat", "3"), ("trace.jitter", "1ms"), ("trace.rotate", "25%")],
    &[("warmup.kind", "workload"), ("trace.repeat", "3"), ("trace.remap", "compact"), SHUFFLED],
    &[("warmup.kind", "replay"), ("warmup.replays", "2"), ("trace.repeat", "2"), SHUFFLED],
];

#[rstest]
#[case::greedy(&[])]
#[case::random(&[("gc.victim", "random")])]
#[case::d_choices(&[("gc.victim", "d-choices")])]
#[case::random_threshold(&[("gc.victim", "random-threshold")])]
#[case::windowed(&[("gc.victim", "windowed-greedy")])]
#[case::cost_benefit(&[("gc.victim", "cost-benefit")])]
#[case::copyback(&[("gc.relocation", "copyback-odd-even"), ("ftl.gc_frontier", "separate")])]
#[case::units(&[("flash.program_unit", "word-line"), ("ftl.gc_frontier", "separate")])]
#[case::parts(&[("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")])]
#[case::invalid(&[("gc.trigger", "invalid-ratio"), ("gc.concurrency", "adaptive")])]
#[case::wear(&[("ftl.wear.dynamic", "true"), ("ftl.wear.static_threshold", "1")])]
#[case::dynamic(&[("ftl.allocation", "dynamic"), ("gc.victim", "random")])]
fn a_loaded_state_gives_the_run_that_warms_up_itself(#[case] set: &[(&str, &str)]) {
    for (number, warm_up) in WARM_UPS.iter().enumerate() {
        let drive = TestDrive::of([2, 1, 1, 1]).with(set).with(warm_up);
        let name = format!("{set:?}-{number}").replace(|letter: char| !letter.is_alphanumeric(), "");
        assert_states_do_not_show(&name, &drive.config(), &busy());
    }
}

#[test]
fn so_it_does_on_drives_at_the_edge() {
    let drives = (0..60).flat_map(|seed| {
        let of_seed = hostile::settings(seed);
        let striped = hostile::in_stripes(of_seed.clone(), seed);
        [of_seed, hostile::widened(seed), striped].map(|set| (seed, set))
    });
    let mut played = 0;
    for (seed, set) in drives {
        let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
        let Ok(config) = load(&request) else { continue };
        let pages = reclaim_sim::flash::Geometry::new(&config).unwrap().logical_pages;
        let trace = Trace::from_records("hostile", hostile::records(seed, pages, 200));
        assert_states_do_not_show(&format!("edge-{seed}"), &config, &trace);
        played += 1;
    }
    assert!(played > 100, "only {played} drives were accepted");
}

fn key(set: &[(&str, &str)], trace: &Trace) -> String {
    warm_up_key(&TestDrive::of([2, 1, 1, 1]).with(set).config(), trace).unwrap()
}

#[test]
fn what_happens_after_the_warm_up_is_not_in_the_key() {
    let warm = ("warmup.kind", "overwrite");
    let ours = key(&[warm], &busy());
    assert!(ours.len() == 64 && ours.bytes().all(|digit| digit.is_ascii_hexdigit()));
    for set in
        [("flash.t_read", "9us"), ("scheduler", "fcfs"), ("interconnect", "ideal"), ("trace.repeat", "2")]
    {
        assert_eq!(key(&[warm, set], &busy()), ours, "{set:?}");
    }
    assert_eq!(key(&[warm], &Trace::from_records("other", vec![at(0, Op::Read, 0, 1)])), ours);
    // Such a run takes up the state of another, and is as if it had warmed up itself.
    let state = State::new("shared");
    let config = |set| TestDrive::of([2, 1, 1, 1]).with(&[warm, set]).config();
    run(&config(("scheduler", "fcfs")), &busy(), None, Some(&state.0)).unwrap();
    let other = config(("flash.t_read", "9us"));
    assert!(run(&other, &busy(), Some(&state.0), None) == run(&other, &busy(), None, None));
}

#[rstest]
#[case(("seed", "7"))]
#[case(("geometry.pages_per_block", "8"))]
#[case(("ftl.gc_frontier", "shared"))]
#[case(("gc.victim", "fifo"))]
#[case(("gc.trigger.stop", "2 blocks"))]
#[case(("gc.relocation", "copyback"))]
#[case(("gc.concurrency", "channels"))]
#[case(("warmup.overwrites", "3.0"))]
fn what_decides_the_state_is_in_the_key(#[case] other: (&str, &str)) {
    let warm = ("warmup.kind", "overwrite");
    assert_ne!(key(&[warm, other], &busy()), key(&[warm], &busy()));
}

#[test]
fn a_trace_is_in_the_key_where_the_warm_up_plays_it() {
    let one_more = |trace: &Trace| {
        let mut records = Vec::new();
        trace.source().unwrap().fill(&mut records, 1000).unwrap();
        records.push(at(1_000_000, Op::Read, 0, 1));
        Trace::from_records("busy", records)
    };
    for warm in [("warmup.kind", "replay"), ("warmup.kind", "workload")] {
        let ours = key(&[warm], &busy());
        assert_ne!(key(&[warm], &one_more(&busy())), ours);
        assert_ne!(key(&[warm, ("trace.rotate", "50%")], &busy()), ours);
        assert_ne!(key(&[warm, ("trace.remap", "wrap")], &busy()), ours);
        // `workload` plays one round again and again, however many the run has.
        let repeated = key(&[warm, ("trace.repeat", "2")], &busy());
        assert_eq!(repeated == ours, warm.1 == "workload");
        // So does the order in which requests come again.
        let shuffled = key(&[warm, SHUFFLED], &busy());
        assert_ne!(shuffled, ours);
        assert_eq!(key(&[warm, ("trace.repeat_order", "same")], &busy()), ours);
        assert_ne!(key(&[warm, SHUFFLED, ("seed", "7")], &busy()), shuffled);
        assert_eq!(key(&[warm, SHUFFLED, ("trace.repeat", "2")], &busy()) == shuffled, warm.1 == "workload");
        // How fast the run is.
        assert_eq!(key(&[warm, ("host.time_scale", "2.0")], &busy()), ours);
    }
}

const PADDED: [(&str, &str); 4] = [
    ("flash.program_unit", "word-line"),
    ("ftl.gc_frontier", "separate"),
    ("warmup.kind", "replay"),
    ("warmup.replays", "3"),
];

#[test]
fn the_timer_that_pads_is_in_the_key_where_the_warm_up_pads() {
    let with = |set: &[(&str, &str)], after| key(&[set, &[("flash.flush_after", after)]].concat(), &busy());
    let other_kind = [PADDED[0], PADDED[1], ("warmup.kind", "overwrite")];
    let unpadded = [&PADDED[..], &[("warmup.padding", "none")]].concat();
    assert_ne!(with(&PADDED, "1us"), with(&PADDED, "1s"));
    assert_eq!(with(&other_kind, "1us"), with(&other_kind, "1s"));
    assert_eq!(with(&unpadded, "1us"), with(&unpadded, "1s"));
    // By the clock of the trace, half the timer at twice the pace is the same timer, but requests come at other times.
    let by_trace = [&PADDED[..], &[("flash.flush_clock", "trace")]].concat();
    assert_ne!(with(&by_trace, "1us"), with(&by_trace, "2us"));
}

/// Settings of every section but those that a saved state must agree with in any case, and `warmup`.
const OTHERS: [(&str, &str); 22] = [
    ("flash.t_read", "9us"),
    ("flash.t_program", "90us"),
    ("flash.t_erase", "9ms"),
    ("flash.flush_after", "1us"),
    ("flash.flush_after", "1s"),
    ("flash.flush_clock", "trace"),
    ("channel.rate", "33 MT/s"),
    ("channel.command_cycle", "900ns"),
    ("interconnect", "ideal"),
    ("interconnect", "serialized-channel"),
    ("scheduler", "fcfs"),
    ("gc.pages_in_flight", "7"),
    ("host.mode", "closed-loop"),
    ("host.time_scale", "4.0"),
    ("controller.write_buffer", "64KiB"),
    ("trace.max_requests", "100"),
    ("trace.jitter", "1ms"),
    ("trace.rotate", "25%"),
    ("trace.remap", "compact"),
    ("trace.remap", "wrap"),
    ("trace.repeat", "2"),
    ("trace.sample", "50%"),
];

/// Told without the trace: two runs with the same key have the same one of the trace, and the other way round where no
/// trace is played.
#[rstest]
#[case::padded(&PADDED)]
#[case::workload(&[("warmup.kind", "workload")])]
#[case::replay(&[("warmup.kind", "replay"), SHUFFLED])]
#[case::overwritten(&[("warmup.kind", "overwrite")])]
#[case::steady(&[("warmup.kind", "steady"), ("warmup.limit", "6.0")])]
fn without_the_trace_no_two_runs_are_taken_for_the_same(#[case] base: &[(&str, &str)]) {
    let config = |set: &[(&str, &str)]| TestDrive::of([2, 1, 1, 1]).with(base).with(set).config();
    let keys =
        |config: &Config| (warm_up_key_of_any_trace(config).unwrap(), warm_up_key(config, &busy()).unwrap());
    let deciding = [("seed", "7"), ("gc.victim", "fifo"), ("ftl.wear.dynamic", "true")];
    let all: Vec<_> = OTHERS
        .iter()
        .chain(&deciding)
        .map(|other| keys(&config(&[*other])))
        .chain([keys(&config(&[]))])
        .collect();
    let plays = config(&[]).warmup.kind.plays_the_trace();
    for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
        if plays {
            assert!(one.0 != other.0 || one.1 == other.1);
        } else {
            assert_eq!(one.0 == other.0, one.1 == other.1);
        }
    }
}

/// The rounds of `workload` are the same however often the run plays the trace, so that its runs share a warm-up.
#[test]
fn how_often_the_run_plays_the_trace_is_not_in_what_workload_is_known_by() {
    let known = |kind, repeat| {
        let set = [("warmup.kind", kind), ("trace.repeat", repeat)];
        warm_up_key_of_any_trace(&TestDrive::of([2, 1, 1, 1]).with(&set).config()).unwrap()
    };
    assert_eq!(known("workload", "1"), known("workload", "3"));
    assert_ne!(known("replay", "1"), known("replay", "3"));
}

/// Of any two runs with the same key, each may begin with the state of the other.
#[rstest]
#[case::padded(3, &PADDED)]
#[case::workload(3, &[PADDED[0], PADDED[1], ("warmup.kind", "workload")])]
#[case::overwritten(0, &[PADDED[0], PADDED[1], ("warmup.kind", "overwrite")])]
#[case::page_by_page(3, &[("warmup.kind", "replay"), ("warmup.fill", "true")])]
fn runs_of_the_same_key_have_the_same_state(#[case] fewest_apart: u32, #[case] base: &[(&str, &str)]) {
    let state = State::new(&format!("pairs-{}", base.len() * 10 + base.last().unwrap().1.len()));
    let drive = |set: &[(&str, &str)]| TestDrive::of([2, 1, 1, 1]).with(base).with(set);
    run(&drive(&[]).config(), &busy(), None, Some(&state.0)).unwrap();
    let ours = key(base, &busy());
    let (mut shared, mut apart) = (0, 0);
    for other in OTHERS {
        let config = drive(&[other]).config();
        let alone = run(&config, &busy(), None, None).unwrap();
        if warm_up_key(&config, &busy()).unwrap() == ours {
            assert!(run(&config, &busy(), Some(&state.0), None).unwrap() == alone, "{other:?}");
            shared += 1;
        } else {
            apart += 1;
        }
    }
    assert!(shared >= 5 && apart >= fewest_apart, "{shared} of the same key, {apart} of others");
}
