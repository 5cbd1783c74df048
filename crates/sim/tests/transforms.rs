//! Transforming a trace for a drive: steps from the configuration, and the time scale for a wanted die utilisation.

use crate::common::prelude::*;
use reclaim_sim::Remap;
use reclaim_sim::config::{HostMode, TraceConfig, load_trace};
use reclaim_trace::transform::Transforms;

const DRIVE: &str = "gc-bypass-mini";

fn requests(count: u64, footprint_bytes: u64, write_fraction: f64, request_bytes: u64) -> Trace {
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

fn results(set: &[(&str, &str)], trace: &Trace) -> Results {
    run(&config(DRIVE, set), trace).unwrap().results
}

fn error(set: &[(&str, &str)], trace: &Trace) -> String {
    run(&config(DRIVE, set), trace).unwrap_err().to_string()
}

#[test]
fn results_are_of_the_trace_as_it_was_changed_and_say_how() {
    // Each with what is said of it.
    let steps = [
        ("trace.from", "1ms", Some("1000000 ns")),
        ("trace.shift", "512B", Some("512 B")),
        ("trace.align", "4KiB", Some("4096 B")),
        ("trace.sample", "50%", Some("500000 ppm of units of 1048576 B (seed 0)")),
        ("trace.max_requests", "100", Some("100")),
        ("trace.rotate", "25%", Some("250000 ppm")),
        ("trace.repeat", "2", Some("2 times")),
        ("trace.jitter", "10us", Some("10000 ns (seed 42)")),
        ("trace.remap", "compact", None),
    ];
    let settings = steps.map(|(key, value, _)| (key, value));
    let config = config(DRIVE, &settings);
    let trace = requests(5000, 1 << 28, 0.5, 3000);
    let results = run(&config, &trace).unwrap().results;
    assert_eq!(results.trace, config.trace.apply(&trace, config.seed).unwrap().scan().unwrap());
    assert_ne!(results.trace.content_hash, trace.scan().unwrap().content_hash);
    assert_eq!((results.trace.requests, results.remap), (200, Remap::Compact));
    let says: Vec<_> = steps.iter().filter_map(|(_, _, says)| *says).collect();
    assert_eq!(results.transforms.len(), says.len(), "{:?}", results.transforms);
    assert!(results.transforms.iter().zip(says).all(|(step, says)| step.contains(says)), "{results:?}");
    // The same keys without a drive, in another order.
    let again: Vec<_> = owned(&settings).into_iter().rev().collect();
    assert_eq!(load_trace(&again).unwrap(), config.trace);
}

#[test]
fn a_bad_setting_is_refused_with_a_hint() {
    for (key, value, hint) in [
        ("trace.algin", "4KiB", "did you mean \"align\"?"),
        ("trace.align", "4", "the bare number 4 has no unit"),
        ("trace.from", "soon", "a time with its unit"),
        ("trace.sample", "0%", "above 0"),
        ("trace.sample_unit", "1000B", "power of two"),
        ("trace.repeat", "0", "repeat must be from 1"),
        ("trace.repeat_order", "shufled", "did you mean \"shuffled\"?"),
        ("trace.rotate", "100%", "a share of the requests below 100%"),
        ("trace.rotate", "7", "the bare number 7 has no unit"),
        ("trace.jitter", "10", "the bare number 10 has no unit"),
        ("trace.jitter", "25h", "at most 86400000000000 ns"),
        ("trace.event", "1", "unknown event \"1\"; valid: Q, D, C"),
        ("trace.event", "d", "valid: Q, D, C"),
        ("trace.on_error", "reprot", "did you mean \"report\"?"),
        ("trace.merge", "[{ file = \"b\", time_unit = \"m\" }]", "valid: ns, 100ns, us, ms, s"),
        ("trace.remap", "wrpa", "did you mean \"wrap\"?"),
        ("trace.merge", "[{ file = \"b\", shfit = \"1GiB\" }]", "did you mean \"shift\"?"),
        ("warmup.replays", "0", "between 1 and 1000"),
        ("host.target_utilisation", "0%", "more than 0%"),
        ("host.target_utilisation", "101%", "100% at most"),
    ] {
        let set = [("trace.sample", "10%"), (key, value)];
        let mut said = vec![refusal(&set)];
        said.extend(key.starts_with("trace.").then(|| load_trace(&owned(&set)).unwrap_err().to_string()));
        assert!(said.iter().all(|error| error.contains(hint)), "{said:?}");
    }
}

const SHUFFLED: (&str, &str) = ("trace.repeat_order", "shuffled");
const REPLAY: (&str, &str) = ("warmup.kind", "replay");

/// What is written in which order when a trace is repeated and warm-up plays it, too.
#[test]
fn the_order_of_repeated_requests_is_said_and_drawn_from_the_seed() {
    let trace = requests(300, 1 << 20, 0.7, 4096);
    let of = |set: &[(&str, &str)]| results(&[&[("trace.repeat", "3"), REPLAY], set].concat(), &trace);
    let (same, shuffled) = (of(&[]), of(&[SHUFFLED]));
    // The run and the warm-up.
    assert_eq!((same.transforms.len(), shuffled.transforms.len()), (1, 2));
    assert!(shuffled.transforms.iter().all(|step| step.contains("another order")), "{shuffled:?}");
    // In any order it is the same that is written.
    assert_eq!(shuffled.one_play, same.one_play);
    assert_eq!(shuffled.warmup.host_writes, same.warmup.host_writes);
    assert_eq!(shuffled.trace.write_bytes, same.trace.write_bytes);
    assert_ne!(shuffled.trace.content_hash, same.trace.content_hash);
    let hash = |set: &[(&str, &str)]| of(set).trace.content_hash;
    assert_eq!(hash(&[SHUFFLED, ("gc.victim", "fifo")]), shuffled.trace.content_hash);
    assert_ne!(hash(&[SHUFFLED, ("seed", "43")]), shuffled.trace.content_hash);
    // The default leaves no trace in a result.
    assert!(!serde_json::to_string(&same.config).unwrap().contains("repeat_order"));
    // How often warm-up plays the trace does not decide in which orders the run does.
    assert_eq!(hash(&[SHUFFLED, ("warmup.replays", "3")]), shuffled.trace.content_hash);
    let once = results(&[SHUFFLED, REPLAY, ("warmup.replays", "3")], &trace);
    assert_eq!(once.trace.content_hash, trace.scan().unwrap().content_hash);
}

#[test]
fn the_seed_of_a_run_decides_its_jitter_and_nothing_else_does() {
    let trace = requests(500, 1 << 28, 0.5, 4096);
    let hash = |set: &[(&str, &str)]| results(set, &trace).trace.content_hash;
    let jitter = ("trace.jitter", "10us");
    let moved = hash(&[jitter]);
    assert_eq!(moved, hash(&[jitter, ("seed", "42"), ("gc.victim", "random")]));
    assert_ne!(moved, hash(&[jitter, ("seed", "43")]));
    assert_ne!(moved, hash(&[("trace.jitter", "11us")]));
    let as_it_is = hash(&[]);
    assert_eq!(as_it_is, hash(&[("seed", "43"), ("trace.jitter", "0ns"), ("trace.rotate", "0%")]));
    assert_ne!(as_it_is, moved);
}

/// A folder of small traces, removed when the test is over.
struct Files(std::path::PathBuf);

impl Files {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("reclaim-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            let header = if file.ends_with("csv") { "time_us,op,offset_bytes,size_bytes\n" } else { "" };
            std::fs::write(folder.join(file), format!("{header}{text}")).unwrap();
        }
        Self(folder)
    }

    fn open(&self, file: &str, options: &OpenOptions) -> Trace {
        Trace::open(&self.0.join(file), options).unwrap()
    }

    /// The first trace with `file` and its `options` merged in, and further settings.
    fn merged(&self, first: &Trace, file: &str, options: &str, set: &[(&str, &str)]) -> Merged {
        let list = format!("[{{ file = \"{}\"{options} }}]", self.0.join(file).display());
        let set = owned(&[&[("trace.merge", list.as_str())], set].concat());
        let steps: TraceConfig = load_trace(&set).unwrap();
        steps.apply(first, 0).and_then(|merged| merged.scan()).map_err(|error| error.to_string())
    }
}

type Merged = Result<reclaim_trace::Summary, String>;

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn merged_traces_get_ranges_of_their_own() {
    let files = Files::new("merge", &[("other.csv", "0,write,0,4096\n5,read,4096,4096\n")]);
    let file = files.0.join("other.csv");
    let list = format!("[{{ file = {file:?} }}, {{ file = {file:?}, shift = \"1MiB\" }}]");
    let config = config(DRIVE, &[("trace.merge", &list), ("trace.separate", "true")]);
    let trace = Trace::from_records("first", vec![at(0, Op::Write, 0, 300), at(9, Op::Read, 1, 1)]);
    let merged = config.trace.apply(&trace, config.seed).unwrap();
    let (summary, found) = merged.describe(reclaim_trace::CharacteristicsOptions::default()).unwrap();
    // 300 pages end at 1.17 MiB; the second begins at 2 MiB, the third 1 MiB and a rest behind its end.
    assert_eq!((summary.requests, summary.max_end_bytes), (6, (4 << 20) + 8192));
    assert_eq!(found.space.footprint_bytes, (300 + 2 + 2) * 4096);
    assert_eq!(merged.transforms().len(), 2);
}

#[test]
fn options_for_opening_a_trace_apply_to_those_merged_into_it() {
    let queued = "8,0 1 1 0.000000001 9 Q W 8 + 8 [x]\n8,0 1 2 0.000000002 9 D W 8 + 8 [x]\n";
    let texts = [
        ("first.csv", "0,write,0,4096\n2,write,0,4096\n"),
        ("back.csv", "5,write,0,4096\n1,read,4096,4096\n"),
        ("bad.csv", "0,write,0,4096\nwhat?\n1,read,4096,4096\n"),
        ("any.txt", "w;0;8;0.5\nr;8;8;0.6\n"),
        ("more.txt", "w;16;8;0.1\nr;8;8;0.3\n"),
        ("a.blkparse", queued),
    ];
    let files = Files::new("shared-opening", &texts);
    let first = files.open("first.csv", &OpenOptions::default());
    let merged = |file, options, set: &[(&str, &str)]| files.merged(&first, file, options, set);
    assert!(merged("back.csv", "", &[]).unwrap_err().contains("use sort=true"));
    let sort = [("trace.sort", "true")];
    let sorted = merged("back.csv", "", &sort).unwrap();
    assert_eq!((sorted.requests, sorted.span_ns), (4, 4000));
    // An entry's own option overrides the shared one.
    assert!(merged("back.csv", ", sort = false", &sort).unwrap_err().contains("backwards"));
    let reported = merged("bad.csv", "", &[("trace.on_error", "report")]).unwrap();
    assert_eq!((reported.requests, reported.bad_lines), (4, 1));
    assert!(reported.first_bad_lines[0].starts_with("bad.csv: line 3"), "{:?}", reported.first_bad_lines);
    // A table of its own is no other format, and another format is no such table.
    let (columns, separator) = ("op,offset:sectors,size:sectors,time:s", ";");
    let table = [("trace.columns", columns), ("trace.separator", separator)];
    let [owned_columns, owned_separator] = [columns, separator].map(|text| Some(text.to_owned()));
    let options =
        OpenOptions { columns: owned_columns, separator: owned_separator, ..OpenOptions::default() };
    let any = files.open("any.txt", &options);
    for (file, set) in
        [("more.txt", &table[..]), ("first.csv", &table), ("more.txt", &[]), ("first.csv", &[])]
    {
        assert_eq!(files.merged(&any, file, "", set).unwrap().requests, 4);
    }
    let options = format!(", columns = \"{columns}\", separator = \"{separator}\"");
    assert_eq!(merged("more.txt", &options, &[]).unwrap().requests, 4);
    // An event is for those that have any.
    let recorded = files.open("a.blkparse", &OpenOptions::default());
    let of_queue = files.merged(&recorded, "first.csv", "", &[("trace.event", "Q")]);
    assert_eq!(of_queue.unwrap().requests, 3);
    assert_eq!(merged("a.blkparse", ", event = \"D\"", &[]).unwrap().requests, 3);
}

#[test]
fn two_devices_of_one_file_are_merged_and_the_advice_is_for_the_merged_one() {
    let lines = "1281,hm,0,Write,0,4096,1\n1290,hm,1,Read,8192,4096,1\n1300,hm,0,Read,0,4096,1\n";
    let lines = lines.replace("12", "1283661730000612").replace("13", "1283661730000613");
    let files = Files::new("two-devices", &[("two.msr", &lines)]);
    let options = OpenOptions { device: Some("hm_0".to_owned()), ..OpenOptions::default() };
    let first = files.open("two.msr", &options);
    let error = files.merged(&first, "two.msr", "", &[]).unwrap_err();
    assert!(error.contains("two.msr,device=") && error.contains("trace.merge"), "{error}");
    assert!(!error.contains("--trace-device"), "that option was given, for the first trace: {error}");
    let found = files.merged(&first, "two.msr", ", device = \"hm_1\", shift = \"1GiB\"", &[]).unwrap();
    assert_eq!((found.requests, found.max_end_bytes), (3, (1 << 30) + 12288));
}

#[test]
fn a_drive_opens_the_trace_as_its_section_says() {
    let files = Files::new("opening", &[("back.csv", "5,write,0,4096\n1,read,4096,4096\n")]);
    let trace = files.open("back.csv", &OpenOptions::default());
    assert!(run(&config(DRIVE, &[]), &trace).is_err());
    let found = results(&[("trace.sort", "true")], &trace);
    assert_eq!((found.trace.requests, found.trace.span_ns), (2, 4000));
    // Opened and transformed like that before, it is the same.
    let sorted = config(DRIVE, &[("trace.sort", "true"), ("trace.align", "4KiB")]);
    let limited = Transforms { max_requests: Some(2), ..Transforms::default() };
    let transformed = sorted.trace.apply(&trace.transformed(limited).unwrap(), 0).unwrap();
    assert_eq!(transformed.scan().unwrap().content_hash, found.trace.content_hash);
    let csv = OpenOptions { format: Some("csv".to_owned()), ..OpenOptions::default() };
    let said = error(&[("trace.format", "fio")], &files.open("back.csv", &csv));
    assert!(said.contains("--format is given twice"), "{said}");
}

const TARGET: (&str, &str) = ("host.target_utilisation", "30%");

/// Without collection, and with a channel that hardly matters, die utilisation is what the formula says.
#[test]
fn the_time_scale_gives_the_utilisation_that_was_asked_for() {
    let config = config(DRIVE, &[TARGET, ("warmup.kind", "filled"), ("geometry.spare_factor", "50%")]);
    for (writes, size) in [(1.0, 4096), (0.0, 4096), (0.5, 8192), (0.3, 6000)] {
        let trace = requests(20_000, 1 << 26, writes, size);
        let results = run(&config, &trace).unwrap().results;
        assert_eq!(results.gc.jobs, 0);
        let found = results.utilisation.die;
        assert!((found - 0.3).abs() < 0.015, "{found} instead of 0.3 for {writes} writes of {size} bytes");
        assert!(results.transforms[0].contains("30%"), "{:?}", results.transforms);
        // What the results say runs again as it ran.
        assert_eq!(results.config.host.target_utilisation, None);
        let again = run(&results.config, &trace).unwrap().results;
        assert_eq!((again.simulated_ns, again.requests), (results.simulated_ns, results.requests));
    }
}

#[test]
fn a_utilisation_that_no_time_scale_gives_is_refused() {
    let moment = Trace::from_records("moment", vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 1, 1)]);
    assert!(error(&[TARGET], &moment).contains("no time scale"));
    let trims = Trace::from_records("trims", vec![at(0, Op::Trim, 0, 1), at(9, Op::Trim, 1, 1)]);
    assert!(error(&[TARGET], &trims).contains("no time scale"));
    let mut closed = config(DRIVE, &[TARGET]);
    closed.host.mode = HostMode::ClosedLoop;
    let said = run(&closed, &requests(10, 1 << 20, 1.0, 4096)).unwrap_err().to_string();
    assert!(said.contains("open-loop"), "{said}");
    assert!(refusal(&[TARGET, ("host.time_scale", "2.0")]).contains("time_scale must not be given"));
}
