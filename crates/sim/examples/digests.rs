//! Digests of results: a change that should only make things faster leaves every line of this as it was.
//!
//! `digests > before`, change, `digests > after`, `cmp before after`. Random hostile drives (half of them audited), then
//! small presets under several schemes, modes and workloads; a line each, of everything that a run leaves: results
//! without the settings, every request, every collection job, every histogram.

#[path = "../tests/common/hostile.rs"]
mod hostile;

use std::ops::ControlFlow;
use std::path::Path;

use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::{Fit, RunOptions, derive_facts, simulate};
use reclaim_trace::{OpenOptions, Trace, UniformSpec};

const HOSTILE_DRIVES: u64 = 700;
const DEVICES: [&str; 6] = [
    "gc-bypass-mini",
    "mqsim-mirror-mini",
    "channel-aware-mini",
    "word-line-aware-mini",
    "deferred-raid-mini",
    "coupled-copyback-mini",
];
const SCHEMES: [&[&str]; 7] = [
    &["greedy"],
    &["fifo"],
    &["greedy", "copyback"],
    &["cost-benefit"],
    &["d-choices"],
    &["random"],
    &["windowed-greedy"],
];

fn options(audit: bool) -> RunOptions {
    RunOptions {
        audit,
        audit_every: audit.then_some(997),
        record_requests: true,
        record_gc: true,
        fit: Fit::Compact,
        ..RunOptions::default()
    }
}

fn digest(config: &Config, trace: &Trace, options: &RunOptions) -> String {
    match simulate(config, trace, options, &mut |_| ControlFlow::Continue(())) {
        Err(error) => format!("error {error}"),
        Ok(outcome) => {
            let mut results = serde_json::to_value(&outcome.results).expect("results are a table");
            // New settings, and what is known before a run, are no new results.
            let table = results.as_object_mut().expect("a table");
            table.remove("config");
            table.remove("facts");
            let mut hasher = blake3::Hasher::new();
            hasher.update(results.to_string().as_bytes());
            hasher.update(format!("{:?} {:?}", outcome.requests, outcome.gc_log).as_bytes());
            for value in outcome.histograms.iter().flat_map(hdrhistogram::Histogram::iter_recorded) {
                hasher.update(&value.value_iterated_to().to_le_bytes());
                hasher.update(&value.count_at_value().to_le_bytes());
            }
            format!("{} events {}", hasher.finalize().to_hex(), outcome.results.events)
        }
    }
}

fn workload(name: &str, config: &Config) -> Trace {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces");
    let mixed = name == "mixed";
    match name {
        "uniform" | "mixed" => Trace::uniform(UniformSpec {
            footprint_bytes: u64::from(derive_facts(config, None).logical_pages)
                * config.geometry.page_size.0,
            request_bytes: if mixed { 6144 } else { 4096 },
            count: 40_000,
            write_fraction: 0.7,
            trim_fraction: if mixed { 0.05 } else { 0.0 },
            mean_interarrival_ns: 50_000,
            seed: 3,
        }),
        name => Trace::open(&recordings.join(format!("{name}.blkparse.txt.zst")), &OpenOptions::default())
            .expect("a bundled recording"),
    }
}

fn main() {
    let owned = |set: &[(&str, &str)]| {
        set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
    };
    for seed in 1..=HOSTILE_DRIVES {
        let set = hostile::settings(seed);
        let Ok(config) = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set })
        else {
            continue;
        };
        let pages = derive_facts(&config, None).logical_pages;
        let trace = Trace::from_records("hostile", hostile::records(seed, pages, 1_500));
        println!("hostile {seed} {}", digest(&config, &trace, &options(seed % 2 == 0)));
    }
    for device in DEVICES {
        for (number, schemes) in SCHEMES.iter().enumerate() {
            let mut set = vec![
                ("warmup.kind", "overwrite"),
                ("warmup.overwrites", "1.5"),
                ("geometry.spare_factor", "25%"),
            ];
            if number % 2 == 1 {
                set.extend([("host.mode", "closed-loop"), ("host.queue_depth", "64")]);
            }
            match number % 3 {
                1 => set.push(("flash.multi_plane", "same-page")),
                2 => set.extend([("flash.suspend.program", "true"), ("flash.suspend.erase", "true")]),
                _ => {}
            }
            let request = LoadRequest {
                device: device.to_owned(),
                schemes: schemes.iter().map(|scheme| (*scheme).to_owned()).collect(),
                set: owned(&set),
            };
            let config = match load(&request) {
                Ok(config) => config,
                Err(error) => {
                    println!("{device} {schemes:?} refused: {error}");
                    continue;
                }
            };
            for name in [["sqlite", "uniform"], ["varmail", "mixed"], ["dbench", "uniform"]][number % 3] {
                let trace = workload(name, &config);
                println!("{device} {schemes:?} {name} {}", digest(&config, &trace, &options(false)));
            }
        }
    }
}
