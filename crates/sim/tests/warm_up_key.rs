//! Which runs can share a warm-up: those of the same key, and what they then give.

use std::path::Path;

use crate::common::hostile;
use crate::common::later::{in_streams, later};
use crate::common::prelude::*;
use reclaim_sim::{warm_up_key, warm_up_key_of_any_trace};

/// Everything that a run gives, as text.
fn told(config: &Config, trace: &Trace, from: Option<&Path>, to: Option<&Path>) -> Result<String, String> {
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
    let Outcome {
        results,
        histograms,
        requests,
        gc_log,
        timeline,
        losses: _,
        samples: _,
        spans: _,
        block_frames: _,
    } = outcome.map_err(|error| error.to_string())?;
    let results = serde_json::to_string_pretty(&results).unwrap();
    Ok(format!("{results}\n{histograms:?}\n{requests:?}\n{gc_log:?}\n{timeline:?}"))
}

/// A run that loads the state is, byte for byte, the run that warms up itself; so is the one that saves it.
fn assert_states_do_not_show(name: &str, config: &Config, trace: &Trace) {
    let state = Saved::new();
    let alone = told(config, trace, None, None);
    assert!(told(config, trace, None, Some(&state.0)) == alone, "{name}: saving the state changes the run");
    // Drives at the edge of what is accepted may refuse a trace, with a state or without one.
    if alone.is_ok() {
        assert!(told(config, trace, Some(&state.0), None) == alone, "{name}: loading it changes the run");
    }
}

/// Two hundred writes, reads and trims of the first 24 pages.
fn busy() -> Trace {
    let record = |index: u64| {
        let op = [Op::Write, Op::Write, Op::Read, Op::Write, Op::Trim][index as usize % 5];
        at(index * 300, op, index * 7 % 24, 1 + index % 2)
    };
    Trace::from_records("busy", (0..200).map(record).collect())
}

fn drive(set: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([2, 1, 1, 1]).with(set)
}

const SHUFFLED: (&str, &str) = ("trace.repeat_order", "shuffled");
const OVERWRITE: (&str, &str) = ("warmup.kind", "overwrite");
const REPLAY: (&str, &str) = ("warmup.kind", "replay");
const TWICE: (&str, &str) = ("warmup.replays", "2");
const WORKLOAD: (&str, &str) = ("warmup.kind", "workload");
const COMPACT: (&str, &str) = ("trace.remap", "compact");
const UNITS: (&str, &str) = ("flash.program_unit", "word-line");
const SEPARATE: (&str, &str) = ("ftl.gc_frontier", "separate");

const WARM_UPS: [&[(&str, &str)]; 9] = [
    &[("warmup.kind", "empty")],
    &[("warmup.kind", "filled")],
    &[OVERWRITE, ("warmup.overwrites", "1.5")],
    &[("warmup.kind", "steady"), ("warmup.limit", "6.0")],
    &[REPLAY, TWICE],
    &[REPLAY, ("warmup.fill", "true"), COMPACT],
    &[WORKLOAD, ("trace.repeat", "3"), ("trace.jitter", "1ms"), ("trace.rotate", "25%")],
    &[WORKLOAD, ("trace.repeat", "3"), COMPACT, SHUFFLED],
    &[REPLAY, TWICE, ("trace.repeat", "2"), SHUFFLED],
];

#[rstest]
#[case::greedy(&[])]
#[case::random(&[("gc.victim", "random")])]
#[case::windowed(&[("gc.victim", "windowed-greedy")])]
#[case::cost_benefit(&[("gc.victim", "cost-benefit")])]
#[case::copyback(&[("gc.relocation", "copyback-odd-even"), SEPARATE])]
#[case::units(&[UNITS, SEPARATE])]
#[case::parts(&[("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")])]
#[case::invalid(&[("gc.trigger", "invalid-ratio"), ("gc.concurrency", "adaptive")])]
#[case::wear(&[("ftl.wear.dynamic", "true"), ("ftl.wear.static_threshold", "1")])]
#[case::dynamic(&[("ftl.allocation", "dynamic"), ("gc.victim", "random")])]
fn a_loaded_state_gives_the_run_that_warms_up_itself(#[case] set: &[(&str, &str)]) {
    for (number, warm_up) in WARM_UPS.iter().enumerate() {
        let name = format!("{set:?}-{number}").replace(|letter: char| !letter.is_alphanumeric(), "");
        assert_states_do_not_show(&name, &drive(set).with(warm_up).config(), &busy());
    }
}

#[test]
fn so_it_does_on_drives_at_the_edge() {
    let mut played = 0;
    for seed in 0..60 {
        let plain = hostile::settings(seed);
        let striped = hostile::in_stripes(plain.clone(), seed);
        for set in [plain, later(hostile::widened(seed), seed), striped] {
            let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
            let Ok(config) = load(&request) else { continue };
            let records = hostile::records(seed, derive_facts(&config, None).logical_pages, 200);
            let trace = Trace::from_records("hostile", in_streams(records, seed));
            assert_states_do_not_show(&format!("edge-{seed}"), &config, &trace);
            played += 1;
        }
    }
    assert!(played > 100, "only {played} drives were accepted");
}

fn key(set: &[(&str, &str)], trace: &Trace) -> String {
    warm_up_key(&drive(set).config(), trace).unwrap()
}

#[test]
fn what_decides_the_state_is_in_the_key_and_what_happens_after_it_is_not() {
    let ours = key(&[OVERWRITE], &busy());
    assert!(ours.len() == 64 && ours.bytes().all(|digit| digit.is_ascii_hexdigit()));
    for (other, decides) in [
        (("flash.t_read", "9us"), false),
        (("scheduler", "fcfs"), false),
        (("interconnect", "ideal"), false),
        (("trace.repeat", "2"), false),
        (("seed", "7"), true),
        (("geometry.pages_per_block", "8"), true),
        (("ftl.gc_frontier", "shared"), true),
        (("gc.victim", "fifo"), true),
        (("gc.trigger.stop", "2 blocks"), true),
        (("gc.relocation", "copyback"), true),
        (("gc.concurrency", "channels"), true),
        (("warmup.overwrites", "3.0"), true),
    ] {
        assert_eq!(key(&[OVERWRITE, other], &busy()) != ours, decides, "{other:?}");
    }
    assert_eq!(key(&[OVERWRITE], &Trace::from_records("other", vec![at(0, Op::Read, 0, 1)])), ours);
}

#[test]
fn a_trace_is_in_the_key_where_the_warm_up_plays_it() {
    let mut records = Vec::new();
    busy().source().unwrap().fill(&mut records, 1000).unwrap();
    records.push(at(1_000_000, Op::Read, 0, 1));
    let one_more = Trace::from_records("busy", records);
    for warm in [REPLAY, WORKLOAD] {
        let of = |set: &[(&str, &str)]| key(&[&[warm], set].concat(), &busy());
        let (ours, shuffled) = (of(&[]), of(&[SHUFFLED]));
        assert_ne!(key(&[warm], &one_more), ours);
        assert_ne!(of(&[("trace.rotate", "50%")]), ours);
        assert_ne!(of(&[("trace.remap", "wrap")]), ours);
        // `workload` plays one round again and again, however many the run has.
        assert_eq!(of(&[("trace.repeat", "2")]) == ours, warm == WORKLOAD);
        // So does the order in which requests come again.
        assert_ne!(shuffled, ours);
        assert_eq!(of(&[("trace.repeat_order", "same")]), ours);
        assert_ne!(of(&[SHUFFLED, ("seed", "7")]), shuffled);
        assert_eq!(of(&[SHUFFLED, ("trace.repeat", "2")]) == shuffled, warm == WORKLOAD);
        // How fast the run is.
        assert_eq!(of(&[("host.time_scale", "2.0")]), ours);
    }
}

const PADDED: [(&str, &str); 4] = [UNITS, SEPARATE, REPLAY, ("warmup.replays", "3")];

#[test]
fn the_timer_that_pads_is_in_the_key_where_the_warm_up_pads() {
    let with = |set: &[(&str, &str)], after| key(&[set, &[("flash.flush_after", after)]].concat(), &busy());
    let other_kind = [UNITS, SEPARATE, OVERWRITE];
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
    COMPACT,
    ("trace.remap", "wrap"),
    ("trace.repeat", "2"),
    ("trace.sample", "50%"),
];

/// Told without the trace: two runs with the same key have the same one of the trace, and the other way round where no
/// trace is played. Of any two runs with the same key of the trace, each may begin with the state of the other.
#[rstest]
#[case::padded(3, &PADDED)]
#[case::units(3, &[UNITS, SEPARATE, WORKLOAD])]
#[case::replay(3, &[REPLAY, ("warmup.fill", "true"), SHUFFLED])]
#[case::overwritten(0, &[UNITS, SEPARATE, OVERWRITE])]
fn runs_of_the_same_key_have_the_same_state(#[case] fewest_apart: u32, #[case] base: &[(&str, &str)]) {
    let with = |set: &[(&str, &str)]| drive(base).with(set).config();
    let keys =
        |config: &Config| (warm_up_key_of_any_trace(config).unwrap(), warm_up_key(config, &busy()).unwrap());
    let deciding = [("seed", "7"), ("gc.victim", "fifo"), ("ftl.wear.dynamic", "true")];
    let others = OTHERS.iter().chain(&deciding).map(|other| keys(&with(&[*other])));
    let all: Vec<_> = others.chain([keys(&with(&[]))]).collect();
    let plays = with(&[]).warmup.kind.plays_the_trace();
    for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
        let (known, same) = (one.0 == other.0, one.1 == other.1);
        assert!(if plays { !known || same } else { known == same });
    }
    let state = Saved::new();
    let ours = with(&[]);
    told(&ours, &busy(), None, Some(&state.0)).unwrap();
    let (mut shared, mut apart) = (0, 0);
    for other in OTHERS {
        let config = with(&[other]);
        if keys(&config).1 == keys(&ours).1 {
            let alone = told(&config, &busy(), None, None).unwrap();
            assert!(told(&config, &busy(), Some(&state.0), None).unwrap() == alone, "{other:?}");
            shared += 1;
        } else {
            apart += 1;
        }
    }
    assert!(shared >= 5 && apart >= fewest_apart, "{shared} of the same key, {apart} of others");
}

/// The rounds of `workload` are the same however often the run plays the trace, so that its runs share a warm-up.
#[test]
fn how_often_the_run_plays_the_trace_is_not_in_what_workload_is_known_by() {
    let known =
        |kind, repeat| warm_up_key_of_any_trace(&drive(&[kind, ("trace.repeat", repeat)]).config()).unwrap();
    assert_eq!(known(WORKLOAD, "1"), known(WORKLOAD, "3"));
    assert_ne!(known(REPLAY, "1"), known(REPLAY, "3"));
}
