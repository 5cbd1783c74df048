//! Digests of results: a change that should only move or rename code, or make things faster, leaves every line of this
//! as it was.
//!
//! `digests > before`, change, `digests > after`, `cmp before after`. Random hostile drives (half of them audited),
//! small presets under several schemes, modes and workloads, then each policy on each small preset; a line each, of a
//! fixed list of values (`values.rs`), so that neither names nor settings show in it.

#[allow(dead_code, reason = "drives with later policies are for the fuzz test")]
#[path = "../../tests/common/hostile.rs"]
mod hostile;
mod values;

use std::ops::ControlFlow;
use std::path::Path;

use reclaim_sim::config::{Config, LoadRequest, catalogue, load};
use reclaim_sim::{Remap, RunOptions, derive_facts, simulate};
use reclaim_trace::{OpenOptions, Trace, UniformSpec};

const HOSTILE_DRIVES: u64 = 700;
const MESH_DRIVES: u64 = 400;
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
        ..RunOptions::default()
    }
}

fn digest(config: &Config, trace: &Trace, options: &RunOptions) -> String {
    let mut config = config.clone();
    config.trace.remap = Remap::Compact;
    match simulate(&config, trace, options, &mut |_| ControlFlow::Continue(())) {
        // What an error says may change, but not that it is one.
        Err(_) => "error".to_owned(),
        Ok(outcome) => {
            let mut hasher = blake3::Hasher::new();
            for value in values::values(&outcome) {
                hasher.update(&value.to_le_bytes());
            }
            format!("{} events {}", hasher.finalize().to_hex(), outcome.results.events)
        }
    }
}

fn workload(name: &str, config: &Config, count: u64) -> Trace {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces");
    let mixed = name == "mixed";
    match name {
        "uniform" | "mixed" => Trace::uniform(UniformSpec {
            footprint_bytes: u64::from(derive_facts(config, None).logical_pages)
                * config.geometry.page_size.0,
            request_bytes: if mixed { 6144 } else { 4096 },
            count,
            write_fraction: 0.7,
            trim_fraction: if mixed { 0.05 } else { 0.0 },
            mean_interarrival_ns: 50_000,
            seed: 3,
        }),
        name => Trace::open(&recordings.join(format!("{name}.blkparse.txt.zst")), &OpenOptions::default())
            .expect("a bundled recording"),
    }
}

fn owned(set: &[(&str, &str)]) -> Vec<(String, String)> {
    set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn hostile_drives() {
    (1..=HOSTILE_DRIVES).for_each(|seed| hostile_drive("hostile", seed, hostile::settings(seed)));
}

fn mesh_drives() {
    (1..=MESH_DRIVES)
        .for_each(|seed| hostile_drive("mesh", seed, hostile::on_a_mesh(hostile::widened(seed), seed)));
}

fn hostile_drive(name: &str, seed: u64, set: Vec<(String, String)>) {
    let Ok(config) = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set }) else {
        return;
    };
    let pages = derive_facts(&config, None).logical_pages;
    let trace = Trace::from_records("hostile", hostile::records(seed, pages, 1_500));
    println!("{name} {seed} {}", digest(&config, &trace, &options(seed.is_multiple_of(2))));
}

fn schemes_on_presets() {
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
            let Ok(config) = load(&request) else {
                println!("{device} {number} refused");
                continue;
            };
            for name in [["sqlite", "uniform"], ["varmail", "mixed"], ["dbench", "uniform"]][number % 3] {
                let trace = workload(name, &config, 40_000);
                println!("{device} {number} {name} {}", digest(&config, &trace, &options(false)));
            }
        }
    }
}

/// Every policy there is, alone on an otherwise unchanged drive. A line names seam and policy by their numbers.
fn each_policy_on_each_preset() {
    let catalogue = catalogue();
    for device in DEVICES {
        for (seam, of) in catalogue.as_array().expect("a list of seams").iter().enumerate() {
            let key = of["key"].as_str().expect("a seam has a key");
            for (number, policy) in of["policies"].as_array().expect("a list").iter().enumerate() {
                let kind = format!("{key}.kind");
                let name = policy["name"].as_str().expect("a policy has a name");
                let set = [
                    ("warmup.kind", "overwrite"),
                    ("warmup.overwrites", "0.5"),
                    ("geometry.spare_factor", "25%"),
                    (kind.as_str(), name),
                ];
                let request =
                    LoadRequest { device: device.to_owned(), schemes: Vec::new(), set: owned(&set) };
                let Ok(config) = load(&request) else {
                    println!("{device} seam {seam} policy {number} refused");
                    continue;
                };
                let trace = workload("mixed", &config, 10_000);
                let line = digest(&config, &trace, &options(false));
                println!("{device} seam {seam} policy {number} {line}");
            }
        }
    }
}

fn main() {
    hostile_drives();
    mesh_drives();
    schemes_on_presets();
    each_policy_on_each_preset();
}
