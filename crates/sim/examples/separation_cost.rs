//! Writes by Zipf's law on a drive of four planes: what `benches/separation.py` counts the instructions of.
//!
//! `separation_cost WRITES [load] [KEY=VALUE …]` prints the pages that the host and that collection wrote; with `load`
//! it only makes the trace.

use std::ops::ControlFlow;

use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{GeneratorSpec, Trace};
use serde_json::json;

const DRIVE: &[(&str, &str)] = &[
    ("geometry.channels", "4"),
    ("geometry.chips_per_channel", "1"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
    ("geometry.blocks_per_plane", "320"),
    ("geometry.pages_per_block", "64"),
    ("geometry.user_capacity", "256 MiB"),
    ("ftl.allocation", "striping"),
    ("gc.trigger", "free-blocks"),
    ("gc.trigger.start", "2 blocks"),
    ("host.mode", "closed-loop"),
    ("host.queue_depth", "16"),
    ("warmup.kind", "filled"),
    ("trace.remap", "none"),
];

/// The requests, in memory, so that what makes them can be taken off.
fn zipf(writes: u64) -> Trace {
    let text = format!(
        "generator = 1\nrequests = {writes}\nsize = \"4KiB\"\noperations = {{ write = 1.0 }}\n\
         [address]\nkind = \"zipf\"\nfootprint = \"256MiB\"\ntheta = 0.9"
    );
    let spec = GeneratorSpec::parse(&text, "zipf").expect("a good description");
    let described = Trace::generated(spec, "zipf").expect("a good description");
    let mut source = described.source().expect("a good description");
    let mut records = Vec::new();
    while source.fill(&mut records, 1 << 12).expect("generated") > 0 {}
    Trace::from_records("zipf", records)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (writes, rest) = arguments.split_first().expect("how many writes");
    let trace = zipf(writes.parse().expect("how many writes"));
    let (mut host, mut collected) = (0, 0);
    if rest.first().is_none_or(|first| first != "load") {
        let given = rest.iter().map(|setting| setting.split_once('=').expect("KEY=VALUE"));
        let set = DRIVE.iter().copied().chain(given).map(|(key, value)| (key.to_owned(), value.to_owned()));
        let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.collect() };
        let config = load(&request).expect("a good configuration");
        let control = &mut |_: &_| ControlFlow::Continue(());
        let outcome = simulate(&config, &trace, &RunOptions::default(), control).expect("a good run");
        (host, collected) = (outcome.results.flash.host_programs, outcome.results.flash.gc_programs);
    }
    println!("{}", json!({ "host": host, "collected": collected }));
}
