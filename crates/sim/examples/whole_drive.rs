//! The speed and size of whole drives: one row of the benchmark table per process (`make bench` runs them all).
//!
//! `whole_drive list` names the rows; `whole_drive ROW` runs one and prints what it measured as one line of JSON:
//! seconds of processor time, which depend on the machine; everything else does not. Being alone in its process lets a
//! row be put under cachegrind and its memory be measured. `whole_drive size GIB [STATE]` does the same work on a drive
//! of that size; it saves the warmed-up drive to the file STATE, or begins with it if it is there. `whole_drive untimed
//! GIB VICTIM CAPACITIES [one-by-one]` writes to such a drive without time.

use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::Lpn;
use reclaim_sim::random::RandomStream;
use reclaim_sim::{Progress, RunOptions, simulate};
use reclaim_trace::{Op, OpenOptions, Record, Trace, UniformSpec, write_normalised_csv};
use serde_json::{Value, json};

/// What a row does.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// The cross-validation trace, read from a file.
    Xval,
    /// So many random 4 KiB writes in closed loop, after `overwrites` untimed drive capacities.
    Writes { requests: u64, overwrites: &'static str },
    /// So many random 4 KiB reads in closed loop, on a filled drive.
    Reads { requests: u64 },
    /// So many drive capacities of random writes without time.
    Untimed { capacities: u64 },
}

type Settings = &'static [(&'static str, &'static str)];

struct Row {
    name: &'static str,
    about: &'static str,
    device: &'static str,
    /// One after the other.
    set: &'static [Settings],
    work: Work,
}

/// 4 channels of 8 chips of 2 dies of 2 planes, 75/750/3800 µs, 333 MT/s, collection from 5 % free blocks on, and so
/// much spare space that greedy's write amplification settles near 2.9.
const REFERENCE: Settings = &[
    ("channel.rate", "333 MT/s"),
    ("geometry.spare_factor", "21.25%"),
    ("host.mode", "closed-loop"),
    ("host.queue_depth", "64"),
];

/// The 8 GiB relation of the reference drive that the cross-validation trace is made for.
const XVAL: Settings = &[
    ("channel.rate", "333 MT/s"),
    ("geometry.blocks_per_plane", "256"),
    ("geometry.pages_per_block", "64"),
    ("geometry.spare_factor", "25%"),
    ("gc.trigger.start", "10%"),
];

/// The same relations on MQSim's model, which has its own rate and trigger.
const MIRROR: Settings =
    &[("geometry.spare_factor", "21.25%"), ("host.mode", "closed-loop"), ("host.queue_depth", "64")];

/// So many requests at once that no channel is idle while they read.
const CROWDED: Settings = &[("host.mode", "closed-loop"), ("host.queue_depth", "256")];

/// A controller for each row, as a bus has one for each channel.
const MESH: Settings = &[("interconnect", "mesh")];

/// GC bypass's: as many at the other end of the rows for collection, each transfer from the nearest that is free.
const GC_MESH: Settings = &[
    ("interconnect", "mesh"),
    ("interconnect.entry", "nearest-free"),
    ("interconnect.gc_controllers", "[[0, 7], [1, 7], [2, 7], [3, 7]]"),
];

const ROWS: &[Row] = &[
    Row {
        name: "xval-mini",
        about: "cross-validation trace, 8 GiB, open loop",
        device: "gc-bypass",
        set: &[XVAL],
        work: Work::Xval,
    },
    Row {
        name: "xval-mirror",
        about: "the same on MQSim's model of a drive",
        device: "mqsim-mirror-mini",
        set: &[],
        work: Work::Xval,
    },
    Row {
        name: "writes-64g-mirror",
        about: "as writes-64g on MQSim's model of a drive",
        device: "mqsim-mirror",
        set: &[MIRROR],
        work: Work::Writes { requests: 3_000_000, overwrites: "1.0" },
    },
    Row {
        name: "reads-64g-mirror",
        about: "as reads-64g on MQSim's model of a drive",
        device: "mqsim-mirror",
        set: &[MIRROR],
        work: Work::Reads { requests: 1_000_000 },
    },
    Row {
        name: "writes-64g",
        about: "64 GiB, random 4 KiB writes, queue depth 64, steady greedy",
        device: "gc-bypass",
        set: &[REFERENCE],
        work: Work::Writes { requests: 3_000_000, overwrites: "1.0" },
    },
    Row {
        name: "reads-64g",
        about: "64 GiB, random 4 KiB reads, queue depth 64, no collection",
        device: "gc-bypass",
        set: &[REFERENCE],
        work: Work::Reads { requests: 1_000_000 },
    },
    Row {
        name: "writes-8g",
        about: "8 GiB, random 4 KiB writes, queue depth 256, channels",
        device: "gc-bypass",
        set: &[XVAL, CROWDED],
        work: Work::Writes { requests: 1_000_000, overwrites: "0.3" },
    },
    Row {
        name: "writes-8g-mesh",
        about: "as writes-8g over the rows of a mesh",
        device: "gc-bypass",
        set: &[XVAL, CROWDED, MESH],
        work: Work::Writes { requests: 1_000_000, overwrites: "0.3" },
    },
    Row {
        name: "writes-8g-gc-mesh",
        about: "as writes-8g-mesh with controllers of the collector's own, ways that cross",
        device: "gc-bypass",
        set: &[XVAL, CROWDED, GC_MESH],
        work: Work::Writes { requests: 1_000_000, overwrites: "0.3" },
    },
    Row {
        name: "reads-8g",
        about: "8 GiB, random 4 KiB reads, queue depth 256, channels never idle",
        device: "gc-bypass",
        set: &[XVAL, CROWDED],
        work: Work::Reads { requests: 1_000_000 },
    },
    Row {
        name: "reads-8g-mesh",
        about: "as reads-8g over the rows of a mesh",
        device: "gc-bypass",
        set: &[XVAL, CROWDED, MESH],
        work: Work::Reads { requests: 1_000_000 },
    },
    Row {
        name: "reads-8g-gc-mesh",
        about: "as reads-8g-mesh, each from the nearest controller that is free",
        device: "gc-bypass",
        set: &[XVAL, CROWDED, GC_MESH],
        work: Work::Reads { requests: 1_000_000 },
    },
    Row {
        name: "untimed-1g",
        about: "1 GiB, random writes without time",
        device: "gc-bypass",
        set: &[&[
            ("geometry.blocks_per_plane", "32"),
            ("geometry.pages_per_block", "64"),
            ("geometry.spare_factor", "21.25%"),
            ("gc.trigger.start", "1 block"),
        ]],
        work: Work::Untimed { capacities: 20 },
    },
    Row {
        name: "untimed-64g",
        about: "64 GiB, random writes without time",
        device: "gc-bypass",
        set: &[REFERENCE],
        work: Work::Untimed { capacities: 1 },
    },
];

fn config(row: &Row) -> Config {
    let mut set: Vec<_> = row
        .set
        .iter()
        .copied()
        .flatten()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    match row.work {
        Work::Writes { overwrites, .. } => {
            set.push(("warmup.kind".to_owned(), "overwrite".to_owned()));
            set.push(("warmup.overwrites".to_owned(), overwrites.to_owned()));
        }
        Work::Reads { .. } => set.push(("warmup.kind".to_owned(), "filled".to_owned())),
        Work::Xval | Work::Untimed { .. } => {}
    }
    load(&LoadRequest { device: row.device.to_owned(), schemes: Vec::new(), set })
        .expect("a good configuration")
}

/// Most memory the process has had resident, bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Processor time this process has had: what others do on the machine hardly matters to it.
fn processor_seconds() -> f64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let begun = BEGUN.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let ns = told.and_then(|text| text.split_whitespace().next().and_then(|ns| ns.parse::<u64>().ok()));
    // Where the system does not tell, by the clock on the wall.
    ns.map_or_else(|| begun.elapsed().as_secs_f64(), |ns| ns as f64 / 1e9)
}

fn untimed(config: &Config, capacities: u64) -> Value {
    let geometry = Geometry::new(config).expect("checked");
    let mut ftl = Ftl::new(config, &geometry, false);
    let pages = geometry.logical_pages;
    (0..pages).for_each(|page| ftl.write_now(Lpn(page)));
    let mut stream = RandomStream::new(1, "bench");
    let mut write =
        |count: u64, ftl: &mut Ftl| (0..count).for_each(|_| ftl.write_now(Lpn(stream.below(pages))));
    write(u64::from(pages), &mut ftl);
    ftl.reset_counters();
    let start = processor_seconds();
    write(capacities * u64::from(pages), &mut ftl);
    let seconds = processor_seconds() - start;
    let counters = ftl.counters();
    let amplification = counters.write_amplification();
    let requests = counters.host_programs;
    json!({ "requests": requests, "loop_s": seconds, "events": 0, "write_amplification": amplification,
            "operations": requests as f64 * amplification })
}

fn timed(config: &Config, trace: &Trace) -> Value {
    timed_with(config, trace, &RunOptions::default())
}

fn timed_with(config: &Config, trace: &Trace, options: &RunOptions) -> Value {
    let called = processor_seconds();
    let mut begun = None;
    let mut control = |progress: &Progress| {
        if progress.phase == "run" && begun.is_none() {
            begun = Some((processor_seconds(), progress.done));
        }
        ControlFlow::Continue(())
    };
    let outcome = simulate(config, trace, options, &mut control).expect("a good run");
    let results = &outcome.results;
    let (start, done) = begun.expect("a long enough run");
    let seconds = processor_seconds() - start;
    // The first requests went by before the clock was started: scale to all of them.
    let share = (results.trace.requests - done) as f64 / results.trace.requests as f64;
    let flash = &results.flash;
    let operations =
        flash.host_reads + flash.gc_reads + flash.host_programs + flash.gc_programs + flash.erases;
    let before = start - called;
    let digest = blake3::hash(&serde_json::to_vec(results).expect("results are plain"));
    json!({ "requests": results.trace.requests, "loop_s": seconds / share, "before_loop_s": before,
            "events": results.events, "digest": digest.to_hex().as_str(),
            "write_amplification": results.gc.write_amplification, "operations": operations })
}

/// A drive of so many GiB.
fn of_size(gib: u32, set: &[(&str, &str)]) -> Config {
    let blocks = gib * 8;
    let mut all = REFERENCE.to_vec();
    // A plane has 8 blocks a GiB; small ones are cut finer, so that the trigger keeps its share.
    let (blocks, pages) = if blocks < 128 { (blocks * 8, 32) } else { (blocks, 256) };
    let (blocks, pages) = (blocks.to_string(), pages.to_string());
    all.extend([("geometry.blocks_per_plane", blocks.as_str()), ("geometry.pages_per_block", &pages)]);
    all.extend(set);
    let set = all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
    load(&request).expect("a good configuration")
}

/// So many capacities of random writes without time, as `reclaim run --untimed` does them, on a drive of so many GiB
/// that was filled and overwritten once.
fn untimed_of(gib: u32, victim: &str, capacities: f64, one_by_one: bool) -> Value {
    let untimed = [("measure.untimed", "true"), ("gc.victim", victim)];
    let config =
        of_size(gib, &[&untimed[..], &[("warmup.kind", "overwrite"), ("warmup.overwrites", "1.0")]].concat());
    let pages = Geometry::new(&config).expect("checked").logical_pages;
    let trace = uniform(&config, (f64::from(pages) * capacities).round() as u64, 1.0);
    let begun = processor_seconds();
    let options = RunOptions { one_by_one, ..RunOptions::default() };
    let mut measured = timed_with(&config, &trace, &options);
    measured["whole_s"] = json!(processor_seconds() - begun);
    measured
}

/// Random writes on a drive of so many GiB, half as many requests as it takes to fill 4 GiB, after a fill and three
/// tenths of its capacity in random writes without time.
fn sized(gib: u32, state: Option<&Path>) -> Value {
    let config = of_size(gib, &[("warmup.kind", "overwrite"), ("warmup.overwrites", "0.3")]);
    let saved = state.is_some_and(Path::exists);
    let options = RunOptions {
        snapshot_in: state.filter(|_| saved).map(Path::to_path_buf),
        snapshot_out: state.filter(|_| !saved).map(Path::to_path_buf),
        ..RunOptions::default()
    };
    let mut measured = timed_with(&config, &uniform(&config, 500_000, 1.0), &options);
    measured["gib"] = json!(gib);
    measured["taken_up"] = json!(saved);
    measured
}

fn uniform(config: &Config, count: u64, write_fraction: f64) -> Trace {
    let geometry = Geometry::new(config).expect("checked");
    Trace::uniform(UniformSpec {
        footprint_bytes: u64::from(geometry.logical_pages) * 4096,
        request_bytes: 4096,
        count,
        write_fraction,
        trim_fraction: 0.0,
        mean_interarrival_ns: 0,
        seed: 1,
    })
}

/// The cross-validation workload as it is described (not the same bytes as anybody else's): 64 KiB writes 1 ms apart
/// that fill 1,572,864 pages once, five seconds of rest, then two million random 4 KiB requests, 70 % of them writes,
/// 2,000 a second in a Poisson process.
fn generate_xval(path: &Path) {
    let pages: u64 = 1_572_864;
    let fill = (0..pages / 16).map(|n| Record {
        time_ns: 1_000_000 * (n + 1),
        offset_bytes: n * 65_536,
        size_bytes: 65_536,
        op: Op::Write,
        stream: 0,
    });
    let mut records: Vec<Record> = fill.collect();
    let begin = records.last().map_or(0, |last| last.time_ns) + 5_001_000_000;
    let random = Trace::uniform(UniformSpec {
        footprint_bytes: pages * 4096,
        request_bytes: 4096,
        count: 2_000_000,
        write_fraction: 0.7,
        trim_fraction: 0.0,
        mean_interarrival_ns: 500_000,
        seed: 1,
    });
    let mut source = random.source().expect("a good workload");
    let filled = records.len();
    while source.fill(&mut records, 1 << 16).expect("generated") > 0 {}
    records[filled..].iter_mut().for_each(|record| record.time_ns += begin);
    let trace = Trace::from_records("xval-mini", records);
    let mut out = BufWriter::new(std::fs::File::create(path).expect("a place for the trace"));
    write_normalised_csv(&trace, &mut out).expect("generated").expect("room for the trace");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["list"] => {
            for row in ROWS {
                println!("{:<18} {}", row.name, row.about);
            }
        }
        ["generate-xval", path] => generate_xval(Path::new(path)),
        ["size", gib, state @ ..] => {
            let begun = Instant::now();
            let at_start = processor_seconds();
            let gib = gib.parse().expect("a number of GiB");
            let mut measured = sized(gib, state.first().map(Path::new));
            measured["process_s"] = json!(processor_seconds() - at_start);
            measured["wall_s"] = json!(begun.elapsed().as_secs_f64());
            measured["peak_bytes"] = json!(peak_memory());
            println!("{measured}");
        }
        ["untimed", gib, victim, capacities, how @ ..] => {
            let at_start = processor_seconds();
            let gib = gib.parse().expect("a number of GiB");
            let capacities = capacities.parse().expect("a number of drive capacities");
            let mut measured = untimed_of(gib, victim, capacities, how == ["one-by-one"]);
            measured["process_s"] = json!(processor_seconds() - at_start);
            measured["peak_bytes"] = json!(peak_memory());
            println!("{measured}");
        }
        [name, rest @ ..] => {
            let row = ROWS.iter().find(|row| row.name == *name).expect("a row that `list` names");
            let at_start = processor_seconds();
            let config = config(row);
            let mut measured = match row.work {
                Work::Xval => {
                    let path =
                        PathBuf::from(rest.first().expect("the trace file, made by `generate-xval FILE`"));
                    timed(&config, &Trace::open(&path, &OpenOptions::default()).expect("a readable trace"))
                }
                Work::Writes { requests, .. } => timed(&config, &uniform(&config, requests, 1.0)),
                Work::Reads { requests } => timed(&config, &uniform(&config, requests, 0.0)),
                Work::Untimed { capacities } => untimed(&config, capacities),
            };
            measured["row"] = json!(row.name);
            measured["process_s"] = json!(processor_seconds() - at_start);
            measured["peak_bytes"] = json!(peak_memory());
            println!("{measured}");
        }
        [] => panic!("name a row, or `list`"),
    }
}
