//! The speed of whole drives: `make bench`.
//!
//! Prints the untimed and the timed rate on a drive in steady state at a write amplification near 5, and the memory
//! per physical page. Rates depend on the machine; the `events` and the results do not.

use std::ops::ControlFlow;
use std::time::Instant;

use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::engine::Stream;
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::Lpn;
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{Trace, UniformSpec};

fn config(set: &[(&str, &str)]) -> Config {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set })
        .expect("a good configuration")
}

/// Resident memory now and at most, bytes.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    (field("VmRSS"), field("VmHWM"))
}

fn untimed(what: &str, config: &Config, capacities: u64) {
    let geometry = Geometry::new(config).expect("checked");
    let before = memory().0;
    let mut ftl = Ftl::new(config, &geometry, false);
    let pages = geometry.logical_pages;
    (0..pages).for_each(|page| ftl.write_now(Lpn(page)));
    let mut stream = Stream::new(1, "bench");
    let mut write = |count: u64, ftl: &mut Ftl| {
        (0..count).for_each(|_| ftl.write_now(Lpn(stream.below(pages))));
    };
    write(4 * u64::from(pages), &mut ftl);
    ftl.reset_counters();
    let start = Instant::now();
    write(capacities * u64::from(pages), &mut ftl);
    let seconds = start.elapsed().as_secs_f64();
    let counters = ftl.counters();
    let host = counters.host_programs as f64 / seconds;
    let all = host * counters.write_amplification();
    let bytes = (memory().0.saturating_sub(before)) as f64 / f64::from(geometry.pages());
    println!(
        "{what:<44} {:>6.2} M host pages/s {:>6.1} M programs/s  WA {:.3}  {bytes:>5.1} B/page",
        host / 1e6,
        all / 1e6,
        counters.write_amplification()
    );
}

fn timed(what: &str, config: &Config, spec: UniformSpec) {
    let trace = Trace::uniform(spec);
    let mut begun = None;
    let mut control = |progress: &reclaim_sim::Progress| {
        if progress.phase == "run" && begun.is_none() {
            begun = Some((Instant::now(), progress.done));
        }
        ControlFlow::Continue(())
    };
    let outcome = simulate(config, &trace, &RunOptions::default(), &mut control).expect("a good run");
    let results = &outcome.results;
    let (start, done) = begun.expect("a long enough run");
    let seconds = start.elapsed().as_secs_f64();
    // The first requests went by before the clock was started; take their share of the events off.
    let requests = results.trace.requests - done;
    let share = requests as f64 / results.trace.requests as f64;
    println!(
        "{what:<44} {:>6.0} k requests/s   {:>6.2} M events/s    WA {:.3}",
        requests as f64 / seconds / 1e3,
        results.events as f64 * share / seconds / 1e6,
        results.gc.write_amplification.unwrap_or(1.0)
    );
}

fn main() {
    let small = [
        ("geometry.channels", "4"),
        ("geometry.chips_per_channel", "2"),
        ("geometry.dies_per_chip", "1"),
        ("geometry.planes_per_die", "1"),
        ("geometry.blocks_per_plane", "512"),
        ("geometry.pages_per_block", "64"),
        ("geometry.spare_factor", "10.5%"),
        ("gc.trigger.start", "1 block"),
        ("host.mode", "closed-loop"),
        ("host.queue_depth", "64"),
        ("warmup.kind", "overwrite"),
        ("warmup.overwrites", "4.0"),
    ];
    let mut large = small.to_vec();
    large.extend([("geometry.blocks_per_plane", "32768"), ("geometry.spare_factor", "10%")]);
    let writes = |config: &Config, count| {
        let geometry = Geometry::new(config).expect("checked");
        UniformSpec {
            footprint_bytes: u64::from(geometry.logical_pages) * 4096,
            request_bytes: 4096,
            count,
            write_fraction: 1.0,
            trim_fraction: 0.0,
            mean_interarrival_ns: 0,
            seed: 1,
        }
    };
    println!("{:<44} (steady greedy, 4 KiB uniform random writes)", "drive");
    untimed("untimed, 1 GiB", &config(&small), 20);
    untimed("untimed, 64 GiB", &config(&large), 1);
    timed("timed, 1 GiB, queue depth 64", &config(&small), writes(&config(&small), 2_000_000));
    timed("timed, 64 GiB, queue depth 64", &config(&large), writes(&config(&large), 2_000_000));
    let reads = UniformSpec { write_fraction: 0.0, ..writes(&config(&large), 2_000_000) };
    let mut filled = large.clone();
    filled.push(("warmup.kind", "filled"));
    timed("timed, 64 GiB, random reads, queue depth 64", &config(&filled), reads);
    let (now, most) = memory();
    println!("resident memory: {} MiB now, {} MiB at most", now >> 20, most >> 20);
}
