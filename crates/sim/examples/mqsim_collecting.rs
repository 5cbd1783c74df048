//! MQSim's closed loops of random writes on a drive under collection, from the state in which MQSim itself begins.
//!
//! MQSim places data without simulating how it came there: it draws pages until 90 % of the drive have been drawn,
//! takes the shares of blocks with so many valid pages from a mean-field model, rounds the numbers of blocks down, and
//! puts the pages that are left over into full blocks. This makes a state between two steady ones, from which write
//! amplification climbs for longer than the runs last; no warm-up of ours gives it. The workload then repeats the
//! draws. `cargo run --release -p reclaim-sim --example mqsim_collecting` prints the table of docs/validation.md.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::Lpn;
use reclaim_sim::metrics::WarmupResult;
use reclaim_sim::random::RandomStream;
use reclaim_sim::{Outcome, RunOptions, simulate};
use reclaim_trace::{Trace, UniformSpec};

/// Draws after which 90 % of all pages have been drawn: ln 10 each.
const DRAWS: u64 = 33_800_000;
/// Blocks of a plane that MQSim means to use: all but half of those it keeps free.
const BLOCKS: usize = 500;
/// Blocks among which its model looks for the one with the fewest valid pages.
const D: i32 = 30;
const PAGES_PER_BLOCK: usize = 256;
const PLANES: usize = 128;

/// What MQSim measured: requests; write amplification, collections, requests a second; then µs: mean, p50, p90, p95,
/// p99.
const MEASURED: [(u64, [f64; 8]); 2] = [
    (3_000_000, [2.859, 33_334.0, 2_558.8, 25_009.0, 765.3, 14_681.0, 206_637.0, 439_884.0]),
    (16_000_000, [2.962, 184_964.0, 2_414.4, 26_507.0, 765.2, 17_541.0, 226_937.0, 446_491.0]),
];
const FIGURES: [&str; 8] =
    ["write amplification", "collections", "requests a second", "mean", "p50", "p90", "p95", "p99"];

fn main() -> Result<(), Box<dyn Error>> {
    let drive = mirror(&[("host.mode", "closed-loop"), ("host.queue_depth", "64")])?;
    let state = std::env::temp_dir().join(format!("reclaim-mqsim-{}.state", std::process::id()));
    prepare(&drive, &state)?;
    for (count, measured) in MEASURED {
        let options = RunOptions { snapshot_in: Some(state.clone()), ..RunOptions::default() };
        let trace = writes(&Geometry::new(&drive)?, count);
        let outcome = simulate(&drive, &trace, &options, &mut |_| ControlFlow::Continue(()))?;
        println!("{count} writes                 ours        MQSim   deviation");
        for ((name, ours), theirs) in FIGURES.iter().zip(figures(&outcome)).zip(measured) {
            println!("{name:22} {ours:12.3} {theirs:12.3} {:+9.2} %", 100.0 * (ours / theirs - 1.0));
        }
        println!("write amplification by windows: {:.3?}\n", outcome.results.windows.write_amplification);
    }
    std::fs::remove_file(state)?;
    Ok(())
}

fn mirror(set: &[(&str, &str)]) -> Result<Config, Box<dyn Error>> {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Ok(load(&LoadRequest { device: "mqsim-mirror".to_owned(), schemes: vec![], set })?)
}

fn writes(geometry: &Geometry, count: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: u64::from(geometry.logical_pages) * u64::from(geometry.page_bytes),
        request_bytes: u64::from(geometry.page_bytes),
        count,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 0,
        seed: 1,
    })
}

fn figures(outcome: &Outcome) -> [f64; 8] {
    let (results, latency) = (&outcome.results, &outcome.histograms[1]);
    let percentile = |share: f64| latency.value_at_quantile(share) as f64 / 1e3;
    [
        results.gc.write_amplification.unwrap_or_default(),
        results.gc.jobs as f64,
        results.trace.requests as f64 * 1e9 / results.simulated_ns as f64,
        latency.mean() / 1e3,
        percentile(0.5),
        percentile(0.9),
        percentile(0.95),
        percentile(0.99),
    ]
}

/// Leaves at `state` a drive as MQSim prepares it.
fn prepare(drive: &Config, state: &Path) -> Result<(), Box<dyn Error>> {
    let geometry = Geometry::new(drive)?;
    let logical = geometry.logical_pages as usize;
    let mut live = vec![false; logical];
    let mut source = writes(&geometry, DRAWS).source()?;
    let mut records = Vec::new();
    while source.fill(&mut records, 4096)? > 0 {
        for record in records.drain(..) {
            live[(record.offset_bytes / u64::from(geometry.page_bytes)) as usize] = true;
        }
    }
    // Nothing may be collected while the state is made.
    let patient = mirror(&[
        ("gc.trigger.start", "2 blocks"),
        ("gc.trigger.hard", "1 block"),
        ("gc.trigger.host_stop", "1 block"),
    ])?;
    let mut ftl = Ftl::new(&patient, &geometry, false);
    let mut stream = RandomStream::new(1, "layout");
    for plane in 0..PLANES {
        let (mut data, garbage): (Vec<usize>, Vec<usize>) =
            (plane..logical).step_by(PLANES).partition(|lpn| live[*lpn]);
        shuffle(&mut data, &mut stream);
        let mut blocks = layout(data.len());
        shuffle(&mut blocks, &mut stream);
        let (mut data, mut garbage_again) = (data.into_iter(), garbage.iter().cycle());
        for valid in blocks {
            let pages = data
                .by_ref()
                .take(valid)
                .chain(garbage_again.by_ref().copied().take(PAGES_PER_BLOCK - valid));
            pages.for_each(|lpn| ftl.write_now(Lpn(lpn as u32)));
        }
        for lpn in garbage {
            ftl.trim(Lpn(lpn as u32));
        }
    }
    assert_eq!(ftl.counters().gc_programs, 0, "the state must not depend on our collector");
    let warmup = WarmupResult { kind: "empty".to_owned(), ..WarmupResult::default() };
    ftl.save(drive, &serde_json::to_string(&(&drive.warmup, warmup))?, state)?;
    Ok(())
}

fn shuffle<T>(items: &mut [T], stream: &mut RandomStream) {
    for last in (1..items.len()).rev() {
        items.swap(last, stream.below(last as u32 + 1) as usize);
    }
}

/// Valid pages of each block of a plane with so many pages of data, MQSim's rounding included.
fn layout(data: usize) -> Vec<usize> {
    let shares = mean_field(data as f64 / BLOCKS as f64);
    let mut counts: Vec<usize> = shares.iter().map(|share| (share * BLOCKS as f64) as usize).collect();
    let placed: usize = counts.iter().enumerate().map(|(valid, blocks)| valid * blocks).sum();
    if let Some(fullest) = counts.iter().rposition(|blocks| *blocks > 0) {
        counts[fullest] += data.saturating_sub(placed).div_ceil(fullest);
    }
    let mut left = data;
    let mut blocks = Vec::with_capacity(BLOCKS);
    for valid in (0..=PAGES_PER_BLOCK).rev().flat_map(|valid| std::iter::repeat_n(valid, counts[valid])) {
        blocks.push(valid.min(left));
        left -= valid.min(left);
    }
    blocks
}

/// Shares of blocks with 0, 1, … valid pages when `mean` is their mean: Van Houdt's mean field of d choices
/// (SIGMETRICS 2013), 1 - s_i^d = (E i / mean) (s_i - s_{i+1}) with s_i the share of blocks with at least i.
fn mean_field(mean: f64) -> Vec<f64> {
    let at_least = |writes: f64| {
        let mut shares = vec![0.0; PAGES_PER_BLOCK + 2];
        for valid in (1..=PAGES_PER_BLOCK).rev() {
            let (slope, above) = (writes * valid as f64 / mean, shares[valid + 1]);
            let mut share = 1.0_f64;
            for _ in 0..100 {
                let power = share.powi(D - 1);
                share += (1.0 - share * power - slope * (share - above)) / (f64::from(D) * power + slope);
            }
            shares[valid] = share;
        }
        shares[0] = 1.0;
        shares
    };
    let (mut low, mut high) = (1e-9, PAGES_PER_BLOCK as f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least(middle)[1..].iter().sum::<f64>() > mean { low = middle } else { high = middle }
    }
    at_least(low).windows(2).map(|pair| pair[0] - pair[1]).collect()
}
