//! Runs of which windows are measured: the state that a window begins in, how windows add up, and that nothing depends
//! on how many are measured at once.

use reclaim_sim::Progress;
use reclaim_sim::results::Code;
use serde_json::Value;

use crate::common::prelude::*;

/// A drive of four planes that collects soon.
const DRIVE: &[(&str, &str)] = &[
    ("geometry.blocks_per_plane", "32"),
    ("geometry.pages_per_block", "16"),
    ("geometry.spare_factor", "20%"),
    ("warmup.kind", "steady"),
];

fn drive(more: &[(&str, &str)]) -> Config {
    config("gc-bypass-mini", &[DRIVE, more].concat())
}

/// Single pages anywhere on the drive, a third of them read, sent at random.
fn random_load(config: &Config, count: u64) -> Trace {
    let geometry = Geometry::new(config).unwrap();
    let page_bytes = u64::from(geometry.page_bytes);
    let mut random = RandomStream::new(7, "load");
    let mut time_ns = 0;
    let record = |_| {
        time_ns += u64::from(random.below(400_000));
        let op = if random.below(3) == 0 { Op::Read } else { Op::Write };
        let offset_bytes = u64::from(random.below(geometry.logical_pages)) * page_bytes;
        Record { time_ns, offset_bytes, size_bytes: page_bytes, op, stream: 0 }
    };
    Trace::from_records("random", (0..count).map(record).collect())
}

fn measured(config: &Config, trace: &Trace, workers: usize) -> Outcome {
    let options = RunOptions { audit: true, workers, ..RunOptions::default() };
    simulate(config, trace, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Everything but what says that, and how, there were windows.
fn without_windows(outcome: &Outcome) -> Value {
    let mut value = serde_json::to_value(&outcome.results).unwrap();
    let table = value.as_object_mut().unwrap();
    // Made of the parts of what was measured: the windows, or equal parts of the run.
    for key in ["windows", "drift", "transforms", "verdict"] {
        table.remove(key);
    }
    table["measure"].as_object_mut().unwrap().remove("windows");
    table["config"]["measure"].as_object_mut().unwrap().remove("windows");
    table["facts"].as_object_mut().unwrap().remove("run_memory_bytes");
    value
}

#[rstest]
#[case::open_loop(&[])]
#[case::closed_loop(&[("host.mode", "closed-loop")])]
fn a_window_over_the_whole_trace_is_the_timed_run(#[case] more: &[(&str, &str)]) {
    let whole = drive(more);
    let trace = random_load(&whole, 4_000);
    let window =
        drive(&[more, &[("measure.windows.count", "1"), ("measure.windows.share", "100%")]].concat());
    let (timed, windowed) = (measured(&whole, &trace, 1), measured(&window, &trace, 2));
    assert!(timed.results.gc.jobs > 100, "{:?}", timed.results.gc);
    let (windowed_table, timed_table) = (without_windows(&windowed), without_windows(&timed));
    for (key, value) in timed_table.as_object().unwrap() {
        assert_eq!(&windowed_table[key], value, "{key}");
    }
    assert!(windowed.latency_buckets().eq(timed.latency_buckets()));
    assert_eq!(windowed.results.measure.windows[0].requests, 4_000);
}

#[test]
fn any_number_of_workers_leaves_the_same() {
    let set = [
        ("measure.windows.count", "6"),
        ("measure.windows.share", "30%"),
        ("measure.windows.lead_in", "100"),
    ];
    let config = drive(&set);
    let trace = random_load(&config, 6_000);
    let of = |workers| serde_json::to_string(&measured(&config, &trace, workers).results).unwrap();
    let alone = of(0);
    for workers in [1, 2, 5, 9] {
        assert_eq!(of(workers), alone, "{workers} workers");
    }
}

/// Each page is written long before it is read, so that it is in flash where a window begins, and nothing waits: a read
/// takes its command, the array and its data. Without the state of the drive it would find nothing.
#[test]
fn a_window_begins_with_what_was_written_before_it() {
    let more = [
        ("measure.windows.count", "1"),
        ("measure.windows.share", "25%"),
        ("measure.windows.lead_in", "0"),
        ("warmup.kind", "empty"),
        ("geometry.blocks_per_plane", "128"),
        ("geometry.spare_factor", "20%"),
    ];
    // Of 16 requests, 4 are measured: wherever they begin, a read follows a write of its page.
    let records = |op: fn(u64) -> Op| (0..16).map(|k| at(k * 10_000, op(k), k / 2, 1)).collect();
    let by_turns =
        Trace::from_records("by turns", records(|k| if k % 2 == 0 { Op::Write } else { Op::Read }));
    let results = measured(&config("gc-bypass", &more), &by_turns, 1).results;
    assert_eq!((results.flash.host_reads, results.flash.unmapped_reads), (2, 0));
    assert_eq!((results.requests.read.count, results.requests.write.count), (2, 2));
    assert_eq!((results.requests.read.min_ns, results.requests.read.max_ns), (READ, READ));
    assert_eq!((results.requests.write.min_ns, results.requests.write.max_ns), (WRITE, WRITE));
    let reads_alone = Trace::from_records("reads", records(|_| Op::Read));
    assert_eq!(measured(&config("gc-bypass", &more), &reads_alone, 1).results.flash.host_reads, 0);
}

#[test]
fn counts_are_sums_and_latencies_are_those_of_all_windows() {
    let set = [
        ("measure.windows.count", "5"),
        ("measure.windows.share", "50%"),
        ("measure.windows.lead_in", "250"),
    ];
    let config = drive(&set);
    let trace = random_load(&config, 5_000);
    let results = measured(&config, &trace, 2).results;
    let windows = &results.measure.windows;
    assert_eq!(windows.len(), 5);
    let classes = [&results.requests.read, &results.requests.write];
    assert_eq!(classes.iter().map(|class| class.count).sum::<u64>(), 5 * 500);
    let (mut lead_in, mut part) = (0, 0);
    for window in windows {
        assert!((part..=part + 500).contains(&window.first_request), "{window:?}: one in each part");
        assert_eq!(window.lead_in, window.first_request.min(250));
        (part, lead_in) = (part + 1_000, lead_in + window.lead_in);
    }
    assert_eq!(results.measure.requests_before, lead_in);
    let mean = windows.iter().filter_map(|window| window.mean_latency_ns).sum::<f64>() / 5.0;
    assert!(
        (results.mean_latency_ns.unwrap() / mean - 1.0).abs() < 1e-9,
        "windows are as long as each other"
    );
    let trend = results.drift.mean_latency.unwrap();
    assert!((trend.mean / mean - 1.0).abs() < 1e-9);
    assert!(trend.half_width_share > 0.0);
    assert_eq!(results.windows.host_pages.last(), Some(&results.flash.host_programs));
    let planes = &results.planes;
    assert_eq!(planes.host_programs.iter().sum::<u64>(), results.flash.host_programs);
    assert_eq!(planes.erases.iter().sum::<u64>(), results.flash.erases);
}

#[test]
fn another_seed_measures_elsewhere() {
    let first = |seed: &str| {
        let config = drive(&[("measure.windows.count", "3"), ("seed", seed)]);
        let windows = measured(&config, &random_load(&config, 3_000), 1).results.measure.windows;
        windows.iter().map(|window| window.first_request).collect::<Vec<_>>()
    };
    assert_ne!(first("1"), first("2"));
}

/// Amplification, mean latency and tail against the whole timed run; `docs/how-to.md` says what longer ones come to.
#[test]
fn windows_tell_about_what_the_whole_run_tells() {
    let whole = drive(&[]);
    let trace = random_load(&whole, 40_000);
    let windowed =
        measured(&drive(&[("measure.windows.count", "8"), ("measure.windows.share", "20%")]), &trace, 2);
    let (timed, windowed) = (measured(&whole, &trace, 1).results, windowed.results);
    let off = |figure: fn(&Results) -> f64| figure(&windowed) / figure(&timed) - 1.0;
    let amplification = off(|results| results.gc.write_amplification.unwrap());
    let mean = off(|results| results.mean_latency_ns.unwrap());
    let tail = off(|results| results.requests.write.p99_ns as f64);
    println!("amplification {amplification:+.4}, mean {mean:+.4}, p99 {tail:+.4}");
    assert!(amplification.abs() < 0.05, "{amplification}");
    assert!(mean.abs() < 0.10, "{mean}");
    assert!(tail.abs() < 0.15, "{tail}");
}

#[rstest]
#[case(&[("measure.untimed", "true")], "windows are measured with time")]
#[case(&[("gc.concurrency", "adaptive")], "measure.windows: adaptive: limits how many channels")]
#[case(&[("measure.after", "25%")], "measure.windows: nothing settles")]
#[case(&[("gc.pace", "2")], "pace")]
#[case(&[("ftl.separation", "future-knowledge")], "foresees the trace")]
#[case(&[("measure.windows.count", "0")], "measure.windows.count: must be at least 1")]
fn what_windows_cannot_be_measured_with_is_refused(#[case] more: &[(&str, &str)], #[case] says: &str) {
    let set = [DRIVE, &[("measure.windows.count", "4")], more].concat();
    let error = load(&request("gc-bypass-mini", &set)).unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn a_trace_too_short_for_its_windows_and_long_tables_are_refused() {
    let config = drive(&[("measure.windows.count", "100")]);
    let refused = |options: RunOptions| {
        let run = simulate(&config, &random_load(&config, 900), &options, &mut |_| ControlFlow::Continue(()));
        run.unwrap_err().to_string()
    };
    let error = refused(RunOptions::default());
    assert!(error.contains("100 windows in 10% of a trace of 900 requests"), "{error}");
    let error = refused(RunOptions { record_gc: true, ..RunOptions::default() });
    assert!(error.contains("windows keep no rows of collection jobs"), "{error}");
}

#[rstest]
#[case(1)]
#[case(3)]
fn who_interrupts_is_heard(#[case] workers: usize) {
    let config = drive(&[("measure.windows.count", "4"), ("measure.windows.share", "80%")]);
    let options = RunOptions { workers, ..RunOptions::default() };
    let stop = &mut |progress: &Progress| match progress.phase {
        "run" => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let run = simulate(&config, &random_load(&config, 8_000), &options, stop);
    assert!(run.unwrap_err().to_string().contains("interrupted"));
}

/// Of 4,000 requests a tenth is measured, or all: latencies of the whole run are not doubted for having been windows.
#[rstest]
#[case::some("10%", true)]
#[case::all("100%", false)]
fn latencies_of_some_windows_are_not_established(#[case] share: &str, #[case] expected: bool) {
    let settings = [("measure.windows.count", "2"), ("measure.windows.share", share)];
    let config = drive(&[&settings[..], &[("measure.windows.lead_in", "100")]].concat());
    let verdict = measured(&config, &random_load(&config, 4_000), 1).results.verdict;
    let doubt = verdict.doubts.iter().find(|remark| remark.code == Code::OfWindows);
    assert_eq!(doubt.is_some(), expected);
    if let Some(doubt) = doubt {
        assert!(doubt.message.contains("400 of 4000 requests"), "{}", doubt.message);
        assert!(doubt.figures.contains(&"requests.write.p99_9_ns".to_owned()));
        assert!(doubt.figures.iter().all(|figure| figure.starts_with("requests.")));
    }
}

/// All blocks fail between the 20th and the 40th erase.
const FAILS: &str = r#"[{ erases = 20, failed = "0%" }, { erases = 40, failed = "100%" }]"#;

const OF_LIFE: &[(&str, &str)] = &[
    ("measure.windows.until", "worn"),
    ("measure.windows.lead_in", "100"),
    ("flash.endurance.failures", FAILS),
    ("geometry.spare_factor", "50%"),
    ("warmup.kind", "filled"),
];

/// Every window is a play of the same requests; its drive is as old as one that has played all before without time.
#[test]
fn a_life_is_measured_play_by_play() {
    let config = drive(&[OF_LIFE, &[("measure.windows.count", "4")]].concat());
    let trace = random_load(&config, 500);
    let results = measured(&config, &trace, 2).results;
    let windows = &results.measure.windows;
    let plays: Vec<u64> = windows.iter().map(|window| window.first_request / 500).collect();
    let untimed = |plays: u64| {
        let more = [("measure.untimed", "true"), ("trace.repeat", &*plays.to_string())];
        measured(&drive(&[&OF_LIFE[2..], &more].concat()), &trace, 1).results
    };
    let worn_out = untimed(10_000);
    let writes = trace_writes(&trace);
    let last = worn_out.written.host_bytes / writes - 1;
    assert!(last > 30, "{last}");
    assert_eq!(plays, [0, last / 3, 2 * last / 3, last]);
    assert_eq!(windows.iter().map(|window| window.lead_in).collect::<Vec<_>>(), [0, 100, 100, 100]);
    assert!(windows.iter().all(|window| window.requests == 500));
    for (window, plays) in windows.iter().zip(&plays).skip(1) {
        // The lead-in is played with time, and comes after the state.
        let before = untimed(*plays);
        assert!(window.host_bytes_before.abs_diff(plays * writes) <= 100 * 16_384, "{window:?}");
        assert!((window.mean_erases - before.wear.mean_erases).abs() < 0.5, "{window:?}");
        assert!(
            window.failed_blocks.unwrap().abs_diff(before.wear.failed_blocks.unwrap()) <= 2,
            "{window:?}"
        );
    }
    assert_eq!((windows[0].failed_blocks, windows[0].host_bytes_before), (Some(0), 0));
    assert!(windows[3].failed_blocks.unwrap() > windows[1].failed_blocks.unwrap());
    let doubt = results.verdict.doubts.iter().find(|remark| remark.code == Code::OfWindows).unwrap();
    assert!(doubt.message.contains("4 plays of the trace"), "{}", doubt.message);
}

fn trace_writes(trace: &Trace) -> u64 {
    trace.scan().unwrap().write_bytes
}

#[test]
fn a_life_in_one_window_is_its_last_whole_play() {
    let at = |count: &str| {
        let config = drive(&[OF_LIFE, &[("measure.windows.count", count)]].concat());
        measured(&config, &random_load(&config, 500), 1).results.measure.windows.last().unwrap().first_request
    };
    assert_eq!(at("1"), at("7"));
}

/// So late in its life an instant is none that the clock has, were it counted from the first play.
#[test]
fn every_window_of_a_life_has_a_clock_of_its_own() {
    let config = drive(&[OF_LIFE, &[("measure.windows.count", "2")]].concat());
    let results = measured(&config, &random_load(&config, 500), 1).results;
    assert!(results.simulated_ns < 3 * 500 * 400_000, "{}", results.simulated_ns);
}

#[test]
fn a_life_needs_blocks_that_fail() {
    let set = [DRIVE, OF_LIFE, &[("flash.endurance.failures", "[]")]].concat();
    let error = load(&request("gc-bypass-mini", &set)).unwrap_err().to_string();
    assert!(
        error.contains("measure.windows.until: without flash.endurance.failures no block fails"),
        "{error}"
    );
}

#[rstest]
#[case::few_fail(
    r#"[{ erases = 20, failed = "0.0001%" }]"#,
    "4",
    "measure.windows.until: fewer blocks of a plane"
)]
#[case::too_many(FAILS, "100000", "measure.windows.count: the drive is worn out after")]
fn a_life_that_cannot_be_measured_is_refused(#[case] rows: &str, #[case] count: &str, #[case] says: &str) {
    let more = [("flash.endurance.failures", rows), ("measure.windows.count", count)];
    let config = drive(&[OF_LIFE, &more].concat());
    let options = RunOptions::default();
    let run = simulate(&config, &random_load(&config, 500), &options, &mut |_| ControlFlow::Continue(()));
    let error = run.unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn a_life_that_warm_up_has_ended_is_refused() {
    let config = drive(&[OF_LIFE, &[("warmup.kind", "overwrite"), ("warmup.overwrites", "60")]].concat());
    let options = RunOptions::default();
    let run = simulate(&config, &random_load(&config, 500), &options, &mut |_| ControlFlow::Continue(()));
    assert!(run.unwrap_err().to_string().contains("warm-up has worn the drive out"));
}

#[test]
fn a_trace_that_writes_nothing_wears_nothing_out() {
    let config = drive(OF_LIFE);
    let reads = Trace::from_records("reads", (0..4).map(|k| at(k * 10_000, Op::Read, k, 1)).collect());
    let run = simulate(&config, &reads, &RunOptions::default(), &mut |_| ControlFlow::Continue(()));
    assert!(run.unwrap_err().to_string().contains("measure.windows.until: the trace writes nothing"));
}
