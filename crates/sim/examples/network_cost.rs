//! What a page operation costs on a network: `network_cost DEVICE REQUESTS [KEY=VALUE…]` plays so many random requests
//! of a page each, one in five a write, in closed loop, and prints how many page operations that took, how often a
//! network refused, and the processor time of the whole process. `network_study.cost` runs it under callgrind for two
//! numbers of requests: the difference is free of what comes before the loop. `scheme=NAME` names a scheme.

use std::ops::ControlFlow;

use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{Trace, UniformSpec};
use serde_json::json;

const WRITES: f64 = 0.2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [device, requests, settings @ ..] = arguments.as_slice() else {
        panic!("network_cost DEVICE REQUESTS [KEY=VALUE…]");
    };
    let mut request = LoadRequest {
        device: device.clone(),
        schemes: Vec::new(),
        set: vec![("host.mode".to_owned(), "closed-loop".to_owned())],
    };
    for setting in settings {
        let (key, value) = setting.split_once('=').expect("KEY=VALUE");
        match key {
            "scheme" => request.schemes.push(value.to_owned()),
            _ => request.set.push((key.to_owned(), value.to_owned())),
        }
    }
    let config = load(&request).unwrap_or_else(|error| panic!("{error}"));
    let geometry = Geometry::new(&config).expect("checked");
    let page = u64::from(geometry.page_bytes);
    let trace = Trace::uniform(UniformSpec {
        footprint_bytes: u64::from(geometry.logical_pages) * page,
        request_bytes: page,
        count: requests.parse().expect("a number of requests"),
        write_fraction: WRITES,
        trim_fraction: 0.0,
        mean_interarrival_ns: 0,
        seed: 1,
    });
    let outcome = simulate(&config, &trace, &RunOptions::default(), &mut |_| ControlFlow::Continue(()));
    let results = outcome.unwrap_or_else(|error| panic!("{error}")).results;
    let flash = &results.flash;
    let operations =
        flash.host_reads + flash.gc_reads + flash.host_programs + flash.gc_programs + flash.erases;
    let refused =
        results.policies["interconnect"].get("refused_transfers").map_or(0, |reading| reading.value);
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = told.split_whitespace().next().and_then(|ns| ns.parse::<u64>().ok());
    println!("{}", json!({ "operations": operations, "refused": refused, "ns": ns }));
}
