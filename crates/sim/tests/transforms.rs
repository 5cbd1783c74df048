//! Transforming a trace for a drive: steps from the configuration, the time scale for a wanted die utilisation, warm-up
//! by replay.

use std::ops::ControlFlow;

use crate::common::{at, config, run};
use reclaim_sim::config::{GcStarts, HostMode, LoadRequest, TraceConfig, load, load_trace};
use reclaim_sim::{Remap, RunOptions, simulate};
use reclaim_trace::transform::Transforms;
use reclaim_trace::{Op, OpenOptions, Record, Trace, UniformSpec};
use rstest::rstest;

const DRIVE: &str = "gc-bypass-mini";

fn uniform(count: u64, footprint_bytes: u64, write_fraction: f64, request_bytes: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes,
        request_bytes,
        count,
        write_fraction,
        trim_fraction: 0.0,
        mean_interarrival_ns: 20_000,
        seed: 3,
    })
}

#[test]
fn results_are_of_the_trace_as_it_was_changed_and_say_how() {
    let settings = [
        ("trace.from", "1ms"),
        ("trace.align", "4KiB"),
        ("trace.shift", "512B"),
        ("trace.sample", "50%"),
        ("trace.max_requests", "100"),
        ("trace.rotate", "25%"),
        ("trace.repeat", "2"),
        ("trace.jitter", "10us"),
        ("trace.remap", "compact"),
    ];
    let config = config(DRIVE, &settings);
    let trace = uniform(5000, 1 << 28, 0.5, 3000);
    let results = run(&config, &trace).unwrap().results;
    assert_eq!(results.trace, config.trace.apply(&trace, config.seed).unwrap().scan().unwrap());
    assert_ne!(results.trace.content_hash, trace.scan().unwrap().content_hash);
    assert_eq!((results.trace.requests, results.remap), (200, Remap::Compact));
    let expected = [
        "from 1000000 ns",
        "shifted by 512 B",
        "aligned to 4096 B",
        "sampled 500000 ppm of units of 1048576 B (seed 0)",
        "first 100 requests",
        "begun after 250000 ppm of the requests, these at its end",
        "played 2 times, the mean gap between rounds",
        "arrivals moved by up to 10000 ns (seed 42)",
    ];
    assert_eq!(results.transforms, expected);
    // The same keys without a drive, in another order.
    let again: Vec<_> = settings.iter().rev().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    assert_eq!(load_trace(&again).unwrap(), config.trace);
}

#[rstest]
#[case("trace.algin", "4KiB", "did you mean \"align\"?")]
#[case("trace.align", "4", "the bare number 4 has no unit")]
#[case("trace.from", "soon", "a time with its unit")]
#[case("trace.sample", "0%", "above 0")]
#[case("trace.sample_unit", "1000B", "power of two")]
#[case("trace.repeat", "0", "repeat must be from 1")]
#[case("trace.repeat_order", "shufled", "did you mean \"shuffled\"?")]
#[case("trace.rotate", "100%", "a share of the requests below 100%")]
#[case("trace.rotate", "7", "the bare number 7 has no unit")]
#[case("trace.jitter", "10", "the bare number 10 has no unit")]
#[case("trace.jitter", "25h", "at most 86400000000000 ns")]
#[case("trace.event", "1", "unknown event \"1\"; valid: Q, D, C")]
#[case("trace.event", "d", "valid: Q, D, C")]
#[case("trace.on_error", "reprot", "did you mean \"report\"?")]
#[case("trace.merge", "[{ file = \"b\", time_unit = \"m\" }]", "valid: ns, 100ns, us, ms, s")]
#[case("trace.remap", "wrpa", "did you mean \"wrap\"?")]
#[case("trace.merge", "[{ file = \"b\", shfit = \"1GiB\" }]", "did you mean \"shift\"?")]
#[case("warmup.replays", "0", "between 1 and 1000")]
#[case("host.target_utilisation", "0%", "more than 0%")]
#[case("host.target_utilisation", "101%", "100% at most")]
fn a_bad_setting_is_refused_with_a_hint(#[case] key: &str, #[case] value: &str, #[case] hint: &str) {
    let set = vec![("trace.sample".to_owned(), "10%".to_owned()), (key.to_owned(), value.to_owned())];
    let request = LoadRequest { device: DRIVE.to_owned(), schemes: Vec::new(), set: set.clone() };
    let error = load(&request).unwrap_err().to_string();
    assert!(error.contains(hint), "{error}");
    if key.starts_with("trace.") {
        let error = load_trace(&set).unwrap_err().to_string();
        assert!(error.contains(hint), "{error}");
    }
}

/// What is written in which order when a trace is repeated and warm-up plays it, too.
#[test]
fn the_order_of_repeated_requests_is_said_and_drawn_from_the_seed() {
    let trace = uniform(300, 1 << 20, 0.7, 4096);
    let of = |set: &[(&str, &str)]| {
        let set = [&[("trace.repeat", "3"), ("warmup.kind", "replay")], set].concat();
        run(&config(DRIVE, &set), &trace).unwrap().results
    };
    let (same, shuffled) = (of(&[]), of(&[("trace.repeat_order", "shuffled")]));
    assert_eq!(
        shuffled.transforms,
        [
            "played 3 times, the mean gap between rounds, the requests of each after the first in another \
             order (seed 42)",
            "played by warm-up with its requests in another order each time (seed 42)",
        ]
    );
    assert_eq!(same.transforms, ["played 3 times, the mean gap between rounds"]);
    // In any order it is the same that is written.
    assert_eq!(shuffled.one_play, same.one_play);
    assert_eq!(shuffled.warmup.host_writes, same.warmup.host_writes);
    assert_eq!(shuffled.trace.write_bytes, same.trace.write_bytes);
    assert_ne!(shuffled.trace.content_hash, same.trace.content_hash);
    let again = of(&[("trace.repeat_order", "shuffled"), ("gc.victim", "fifo")]);
    assert_eq!(again.trace.content_hash, shuffled.trace.content_hash);
    let other = of(&[("trace.repeat_order", "shuffled"), ("seed", "43")]);
    assert_ne!(other.trace.content_hash, shuffled.trace.content_hash);
    // The default leaves no trace in a result.
    assert!(!serde_json::to_string(&same.config).unwrap().contains("repeat_order"));
}

/// How often warm-up plays the trace does not decide in which orders the run does.
#[test]
fn a_timed_run_begins_in_the_order_of_the_trace_whatever_warm_up_played() {
    let trace = uniform(200, 1 << 20, 0.7, 4096);
    let hash = |set: &[(&str, &str)]| {
        let set = [&[("trace.repeat_order", "shuffled"), ("warmup.kind", "replay")], set].concat();
        run(&config(DRIVE, &set), &trace).unwrap().results.trace.content_hash
    };
    assert_eq!(hash(&[("warmup.replays", "3")]), trace.scan().unwrap().content_hash);
    let repeated = hash(&[("trace.repeat", "2")]);
    assert_eq!(hash(&[("trace.repeat", "2"), ("warmup.replays", "3")]), repeated);
}

#[test]
fn the_seed_of_a_run_decides_its_jitter_and_nothing_else_does() {
    let trace = uniform(500, 1 << 28, 0.5, 4096);
    let hash = |set: &[(&str, &str)]| run(&config(DRIVE, set), &trace).unwrap().results.trace.content_hash;
    let jitter = ("trace.jitter", "10us");
    let moved = hash(&[jitter]);
    assert_eq!(moved, hash(&[jitter, ("seed", "42"), ("gc.victim", "random")]));
    assert_ne!(moved, hash(&[jitter, ("seed", "43")]));
    assert_ne!(moved, hash(&[("trace.jitter", "11us")]));
    let as_it_is = hash(&[]);
    assert_eq!(as_it_is, hash(&[("seed", "43"), ("trace.jitter", "0ns"), ("trace.rotate", "0%")]));
    assert_ne!(as_it_is, moved);
}

#[test]
fn merged_traces_get_ranges_of_their_own() {
    let folder = std::env::temp_dir().join(format!("reclaim-merge-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("other.csv");
    std::fs::write(&file, "time_us,op,offset_bytes,size_bytes\n0,write,0,4096\n5,read,4096,4096\n").unwrap();
    let list = format!("[{{ file = {file:?} }}, {{ file = {file:?}, shift = \"1MiB\" }}]");
    let config = config(DRIVE, &[("trace.merge", &list), ("trace.separate", "true")]);
    let trace = Trace::from_records("first", vec![at(0, Op::Write, 0, 300), at(9, Op::Read, 1, 1)]);
    let merged = config.trace.apply(&trace, config.seed).unwrap();
    let (summary, found) = merged.describe(reclaim_trace::CharacteristicsOptions::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    // 300 pages end at 1.17 MiB; the second begins at 2 MiB, the third 1 MiB and a rest behind its end.
    assert_eq!((summary.requests, summary.max_end_bytes), (6, (4 << 20) + 8192));
    assert_eq!(found.space.footprint_bytes, (300 + 2 + 2) * 4096);
    assert_eq!(merged.transforms().len(), 2);
}

const CSV: &str = "time_us,op,offset_bytes,size_bytes\n";

/// A folder of small traces, removed when the test is over.
struct Files(std::path::PathBuf);

impl Files {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("reclaim-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Self(folder)
    }

    fn open(&self, file: &str) -> Trace {
        Trace::open(&self.0.join(file), &OpenOptions::default()).unwrap()
    }

    /// Steps with `file` and its `options` merged in, and further settings.
    fn merging(&self, file: &str, options: &str, set: &[(&str, &str)]) -> TraceConfig {
        let path = self.0.join(file);
        let list = format!("[{{ file = \"{}\"{options} }}]", path.display());
        let set = [&[("trace.merge", list.as_str())], set].concat();
        let set: Vec<_> = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        load_trace(&set).unwrap()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn scanned(steps: &TraceConfig, trace: &Trace) -> Result<reclaim_trace::Summary, String> {
    steps.apply(trace, 0).and_then(|merged| merged.scan()).map_err(|error| error.to_string())
}

#[test]
fn options_for_opening_a_trace_apply_to_those_merged_into_it() {
    let files = Files::new(
        "shared-opening",
        &[
            ("first.csv", &format!("{CSV}0,write,0,4096\n2,write,0,4096\n")),
            ("back.csv", &format!("{CSV}5,write,0,4096\n1,read,4096,4096\n")),
            ("bad.csv", &format!("{CSV}0,write,0,4096\nwhat?\n1,read,4096,4096\n")),
            ("any.txt", "w;0;8;0.5\nr;8;8;0.6\n"),
            ("more.txt", "w;16;8;0.1\nr;8;8;0.3\n"),
            ("a.blkparse", "8,0 1 1 0.000000001 9 Q W 8 + 8 [x]\n8,0 1 2 0.000000002 9 D W 8 + 8 [x]\n"),
        ],
    );
    let first = files.open("first.csv");
    let unsorted = scanned(&files.merging("back.csv", "", &[]), &first).unwrap_err();
    assert!(unsorted.contains("use sort=true"), "{unsorted}");
    let sorted = scanned(&files.merging("back.csv", "", &[("trace.sort", "true")]), &first).unwrap();
    assert_eq!((sorted.requests, sorted.span_ns), (4, 4000));
    let own = files.merging("back.csv", ", sort = false", &[("trace.sort", "true")]);
    assert!(
        scanned(&own, &first).unwrap_err().contains("backwards"),
        "an entry's own option overrides the shared one"
    );
    let reported = scanned(&files.merging("bad.csv", "", &[("trace.on_error", "report")]), &first).unwrap();
    assert_eq!((reported.requests, reported.bad_lines), (4, 1));
    assert!(reported.first_bad_lines[0].starts_with("bad.csv: line 3"), "{:?}", reported.first_bad_lines);

    // A table of its own is no other format, and another format is no such table.
    let table = [("trace.columns", "op,offset:sectors,size:sectors,time:s"), ("trace.separator", ";")];
    let options = OpenOptions {
        columns: Some(table[0].1.to_owned()),
        separator: Some(table[1].1.to_owned()),
        ..OpenOptions::default()
    };
    let any = Trace::open(&files.0.join("any.txt"), &options).unwrap();
    for set in [&table[..], &[]] {
        assert_eq!(scanned(&files.merging("more.txt", "", set), &any).unwrap().requests, 4);
        assert_eq!(scanned(&files.merging("first.csv", "", set), &any).unwrap().requests, 4);
    }
    let options = ", columns = \"op,offset:sectors,size:sectors,time:s\", separator = \";\"";
    assert_eq!(scanned(&files.merging("more.txt", options, &[]), &first).unwrap().requests, 4);
    // An event is for those that have any.
    let recorded = files.open("a.blkparse");
    let queued = [("trace.event", "Q")];
    assert_eq!(scanned(&files.merging("first.csv", "", &queued), &recorded).unwrap().requests, 3);
    assert_eq!(scanned(&files.merging("a.blkparse", ", event = \"D\"", &[]), &first).unwrap().requests, 3);
}

#[test]
fn two_devices_of_one_file_are_merged_and_the_advice_is_for_the_merged_one() {
    let lines = "1281,hm,0,Write,0,4096,1\n1290,hm,1,Read,8192,4096,1\n1300,hm,0,Read,0,4096,1\n";
    let lines = lines.replace("12", "1283661730000612").replace("13", "1283661730000613");
    let files = Files::new("two-devices", &[("two.msr", &lines)]);
    let options = OpenOptions { device: Some("hm_0".to_owned()), ..OpenOptions::default() };
    let first = Trace::open(&files.0.join("two.msr"), &options).unwrap();
    let error = scanned(&files.merging("two.msr", "", &[]), &first).unwrap_err();
    assert!(error.contains("two.msr,device=") && error.contains("trace.merge"), "{error}");
    assert!(!error.contains("--trace-device"), "that option was given, for the first trace: {error}");
    let both = files.merging("two.msr", ", device = \"hm_1\", shift = \"1GiB\"", &[]);
    let found = scanned(&both, &first).unwrap();
    assert_eq!((found.requests, found.max_end_bytes), (3, (1 << 30) + 12288));
}

#[test]
fn a_drive_opens_the_trace_as_its_section_says() {
    let files = Files::new("opening", &[("back.csv", &format!("{CSV}5,write,0,4096\n1,read,4096,4096\n"))]);
    let trace = files.open("back.csv");
    assert!(run(&config(DRIVE, &[]), &trace).is_err());
    let results = run(&config(DRIVE, &[("trace.sort", "true")]), &trace).unwrap().results;
    assert_eq!((results.trace.requests, results.trace.span_ns), (2, 4000));
    // Opened and transformed like that before, it is the same.
    let sorted = config(DRIVE, &[("trace.sort", "true"), ("trace.align", "4KiB")]);
    let limited = Transforms { max_requests: Some(2), ..Transforms::default() };
    let transformed = sorted.trace.apply(&trace.transformed(limited).unwrap(), 0).unwrap();
    assert_eq!(transformed.scan().unwrap().content_hash, results.trace.content_hash);
    let disksim = OpenOptions { format: Some("csv".to_owned()), ..OpenOptions::default() };
    let opened = Trace::open(&files.0.join("back.csv"), &disksim).unwrap();
    let error = run(&config(DRIVE, &[("trace.format", "fio")]), &opened).unwrap_err().to_string();
    assert!(error.contains("--format is given twice"), "{error}");
}

/// Without collection, and with a channel that hardly matters, die utilisation is what the formula says.
#[rstest]
#[case(1.0, 4096)]
#[case(0.0, 4096)]
#[case(0.5, 8192)]
#[case(0.3, 6000)]
fn the_time_scale_gives_the_utilisation_that_was_asked_for(#[case] writes: f64, #[case] size: u64) {
    let settings =
        [("host.target_utilisation", "30%"), ("warmup.kind", "filled"), ("geometry.spare_factor", "50%")];
    let config = config(DRIVE, &settings);
    let trace = uniform(20_000, 1 << 26, writes, size);
    let results = run(&config, &trace).unwrap().results;
    assert_eq!(results.gc.jobs, 0);
    let found = results.utilisation.die;
    assert!((found - 0.3).abs() < 0.015, "{found} instead of 0.3 for {writes} writes of {size} bytes");
    assert!(results.transforms[0].contains("for a die utilisation of 30% by the host's pages alone"));
    // What the results say runs again as it ran.
    assert_eq!(results.config.host.target_utilisation, None);
    let again = run(&results.config, &trace).unwrap().results;
    assert_eq!((again.simulated_ns, again.requests), (results.simulated_ns, results.requests));
}

#[test]
fn a_utilisation_that_no_time_scale_gives_is_refused() {
    let error = |settings: &[(&str, &str)], trace: &Trace| {
        run(&config(DRIVE, settings), trace).unwrap_err().to_string()
    };
    let target = ("host.target_utilisation", "30%");
    let moment = Trace::from_records("moment", vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 1, 1)]);
    assert!(error(&[target], &moment).contains("no time scale"));
    let trims = Trace::from_records("trims", vec![at(0, Op::Trim, 0, 1), at(9, Op::Trim, 1, 1)]);
    assert!(error(&[target], &trims).contains("no time scale"));
    let mut closed = config(DRIVE, &[target]);
    closed.host.mode = HostMode::ClosedLoop;
    let error_of_closed = run(&closed, &uniform(10, 1 << 20, 1.0, 4096)).unwrap_err().to_string();
    assert!(error_of_closed.contains("open-loop"), "{error_of_closed}");
    let both = vec![
        ("host.target_utilisation".to_owned(), "30%".to_owned()),
        ("host.time_scale".to_owned(), "2.0".to_owned()),
    ];
    let request = LoadRequest { device: DRIVE.to_owned(), schemes: Vec::new(), set: both };
    assert!(load(&request).unwrap_err().to_string().contains("time_scale must not be given"));
}

/// Writes, trims and reads in another place than the drive's first pages.
fn mixed() -> Trace {
    let mut records: Vec<Record> = Vec::new();
    for index in 0..40_000_u64 {
        let page = 1_000_000 + index * 7919 % 30_000;
        let op = match index % 10 {
            0 => Op::Trim,
            1..=3 => Op::Read,
            _ => Op::Write,
        };
        records.push(at(index * 100, op, page, 1 + index % 3));
    }
    Trace::from_records("mixed", records)
}

#[test]
fn after_a_replay_every_page_is_where_the_timed_run_looks_for_it() {
    let trace = mixed();
    let settings = |kind| config(DRIVE, &[("warmup.kind", kind), ("trace.remap", "compact")]);
    let fresh = run(&settings("empty"), &trace).unwrap().results;
    let replayed = run(&settings("replay"), &trace).unwrap().results;
    // A set of pages that is played twice knows which reads find nothing the first and the second time.
    let mut pages = std::collections::BTreeSet::new();
    let mut play = || {
        let (mut missing, mut trimmed) = (0, 0);
        let mut source = trace.source().unwrap();
        let mut records = Vec::new();
        while source.fill(&mut records, 4096).unwrap() > 0 {
            for record in records.drain(..) {
                for page in record.offset_bytes / 4096..record.end_bytes() / 4096 {
                    match record.op {
                        Op::Read => missing += u64::from(!pages.contains(&page)),
                        Op::Write => drop(pages.insert(page)),
                        Op::Trim => trimmed += u64::from(pages.remove(&page)),
                        Op::Flush => {}
                    }
                }
            }
        }
        (missing, trimmed)
    };
    let (first, second) = (play(), play());
    assert_ne!(first, second);
    assert_eq!((fresh.flash.unmapped_reads, fresh.flash.trimmed_pages), first);
    assert_eq!((replayed.flash.unmapped_reads, replayed.flash.trimmed_pages), second);
    assert_eq!(replayed.warmup.kind, "replay");
    assert_eq!(replayed.warmup.host_writes, fresh.flash.host_programs);
    assert_eq!(replayed.trace.content_hash, fresh.trace.content_hash);
}

#[test]
fn a_saved_replay_goes_on_as_the_replay_itself() {
    let trace = mixed();
    let file = std::env::temp_dir().join(format!("reclaim-replay-{}.state", std::process::id()));
    let config = config(
        DRIVE,
        &[
            ("warmup.kind", "replay"),
            ("warmup.fill", "true"),
            ("warmup.replays", "2"),
            ("trace.remap", "compact"),
        ],
    );
    let go = |snapshot_in, snapshot_out| {
        let options = RunOptions { snapshot_in, snapshot_out, audit: true, ..RunOptions::default() };
        simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap().results
    };
    let direct = go(None, Some(file.clone()));
    let restored = go(Some(file.clone()), None);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(direct, restored);
    let pages = u64::from(direct.facts.logical_pages);
    assert!(direct.warmup.host_writes > pages + 2 * 24_000, "{}", direct.warmup.host_writes);
}

#[test]
fn facts_know_whether_a_replay_leaves_a_drive_that_collects() {
    let facts = |trace: &Trace, kind: &str| {
        let config = config(DRIVE, &[("warmup.kind", kind)]);
        reclaim_sim::derive_facts(&config, Some(&trace.scan().unwrap()))
    };
    let much = uniform(2_600_000, 1 << 28, 1.0, 4096);
    assert!(facts(&uniform(100, 1 << 24, 1.0, 4096), "replay").gc_starts_after_pages > 0);
    assert_eq!(facts(&much, "replay").gc_starts_after_pages, 0);
    assert_eq!(facts(&much, "replay").trace.unwrap().gc_starts, GcStarts::Yes);
}
