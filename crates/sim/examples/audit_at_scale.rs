//! Page writes by the thousand million, every one followed by the audit.
//!
//! `audit_at_scale PROGRAMS [FIRST_SEED [SECONDS [DRIVES]]]` draws one random drive after another (every policy of
//! every seam, geometries at the edge of what is accepted, multi-plane operation, suspension, wear levelling, open and
//! closed loop, a host link), plays a hostile workload or a bundled recording on each with the audit on, and stops
//! when so many pages were programmed or so much time has passed. Every version of every page is followed from the
//! first write of the warm-up on; all invariants are checked at the end of each run and every 20,011 events within it.
//! Prints what was covered as `docs/validation.md` shows it; exits with 1 and the settings of every drive that broke
//! one. DRIVES is the name of a redundancy, as `raid5`, or `superblocks`: only drives with it are run; or `together`:
//! other drives, each with everything at once that goes together (`common/later.rs`), whose power is cut at random
//! moments, too, and of which PROGRAMS counts those in simulated time alone.

#[path = "../tests/common/hostile.rs"]
mod hostile;
#[path = "../tests/common/later.rs"]
mod later;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use reclaim_sim::config::{LoadRequest, Superblock, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::random::RandomStream;
use reclaim_sim::time::Nanos;
use reclaim_sim::{Config, Results, RunOptions, simulate};
use reclaim_trace::{OpenOptions, Trace};

const RECORDINGS: [&str; 5] = ["dbench", "mysql", "rocksdb", "sqlite", "varmail"];
/// Of ten runs so many play a recording.
const RECORDINGS_IN_TEN: u32 = 1;
/// The name of drives with everything at once that goes together.
const TOGETHER: &str = "together";
/// The name of drives whose planes share superblocks.
const SUPERBLOCKS: &str = "superblocks";
/// Between two power cuts of such a drive, on the average.
const EVENTS_BETWEEN_CUTS: u32 = 5_000;

#[derive(Default)]
struct Tally {
    runs: u64,
    refused: u64,
    programs: u64,
    /// Of these, in simulated time: for the host, of parity, and moved.
    host: u64,
    parity: u64,
    moved: u64,
    reads: u64,
    erases: u64,
    checks: u64,
    /// Power cuts, and those at which a page would have been lost without a capacitor.
    cuts: u64,
    losing_cuts: u64,
    /// Drives by seam and policy.
    of_what: BTreeMap<&'static str, BTreeMap<String, u64>>,
}

impl Tally {
    fn add(&mut self, results: &Results, geometry: &Geometry, workload: &str) {
        let flash = &results.flash;
        self.runs += 1;
        self.host += flash.host_programs;
        self.parity += flash.parity_programs;
        self.moved += flash.gc_programs + flash.wear_programs;
        // Only full blocks are erased, so this counts every program but those of blocks not erased again.
        let initial = f64::from(results.config.flash.initial_erases);
        let erases = (results.wear.mean_erases - initial) * f64::from(geometry.blocks());
        self.programs += erases.round() as u64 * u64::from(geometry.pages_per_block);
        self.reads += flash.host_reads + flash.gc_reads;
        self.erases += flash.erases + flash.wear_erases;
        self.checks += results.audit.as_ref().map_or(0, |audit| audit.checks);
        if let Some(found) = &results.power_cuts {
            self.cuts += found.cuts;
            self.losing_cuts += found.losing_cuts;
        }
        let config = &results.config;
        for (seam, name) in [
            ("victim", &config.gc.victim.kind),
            ("relocation", &config.gc.relocation.kind),
            ("concurrency", &config.gc.concurrency.kind),
            ("trigger", &config.gc.trigger.kind),
            ("scheduler", &config.scheduler.kind),
            ("allocation", &config.ftl.allocation.kind),
            ("interconnect", &config.interconnect.kind),
            ("redundancy", &config.redundancy.kind),
            ("together", &what_is_together(config)),
            ("workload", &workload.to_owned()),
        ] {
            *self.of_what.entry(seam).or_default().entry(name.clone()).or_default() += 1;
        }
    }
}

/// Which of what came later a drive has.
fn what_is_together(config: &Config) -> String {
    let (flash, controller) = (&config.flash, &config.controller);
    let parts = [
        ("pace", config.gc.pace.to_string() != "off"),
        ("separation", config.ftl.separation.kind != "none"),
        ("SLC cache", config.ftl.slc_cache.kind != "none"),
        ("superblocks", config.ftl.superblock() != Superblock::Plane),
        ("mapping unit", config.geometry.mapping_unit.is_some()),
        ("cache reads", flash.cache_reads),
        ("cache programs", flash.cache_programs),
        ("retries", flash.read_retry.rate.ppm > 0),
        ("wear", !flash.wear.is_empty()),
        ("command", controller.command.is_some()),
        ("lookup", controller.lookup.0 > Nanos(0)),
        ("merging", controller.merge_overwrites),
        ("link", config.host.link.is_some()),
    ];
    let names: Vec<_> = parts.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" + ") }
}

impl Tally {
    /// Pages programmed in simulated time.
    fn timed(&self) -> u64 {
        self.host + self.parity + self.moved
    }

    /// Prints the rows of the table in `docs/validation.md`.
    fn print(&self, first: u64, last: u64, faults: usize) {
        let timed = self.timed();
        let rows = [
            ("pages programmed", self.programs),
            ("of these in simulated time, for the host", self.host),
            ("of these in simulated time, parity", self.parity),
            ("of these in simulated time, moved by collection or wear levelling", self.moved),
            (
                "the rest: writes of the warm-up, without time, audited as well",
                self.programs.saturating_sub(timed),
            ),
            ("drives", self.runs),
            ("drives that the checks of their settings refused", self.refused),
            ("page reads in simulated time", self.reads),
            ("erases in simulated time", self.erases),
            ("single checks", self.checks),
            ("power cuts", self.cuts),
            ("of these with pages that only a capacitor saves", self.losing_cuts),
            ("invariants broken", faults as u64),
        ];
        println!("| seeds {} to {} | |\n|---|--:|", grouped(first), grouped(last));
        for (of_what, count) in rows {
            println!("| {of_what} | {} |", grouped(count));
        }
        println!("\n| seam | drives by policy |\n|---|---|");
        for (seam, policies) in &self.of_what {
            let counts: Vec<_> =
                policies.iter().map(|(name, runs)| format!("{name} {}", grouped(*runs))).collect();
            println!("| {seam} | {} |", counts.join(", "));
        }
    }
}

/// A number with a comma at every third digit.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Runs the drive of a seed; what is wrong with it, if anything is.
fn run(seed: u64, only: Option<&str>, tally: &mut Tally) -> Result<(), String> {
    let mut dice = RandomStream::new(seed, "scale");
    let mut set = match only {
        Some(TOGETHER) => later::together(seed),
        _ if seed.is_multiple_of(2) => later::later(hostile::widened(seed), seed),
        _ => hostile::widened(seed),
    };
    if only == Some(TOGETHER) {
        set.push(("measure.power_cut_every".to_owned(), EVENTS_BETWEEN_CUTS.to_string()));
    }
    // More to do than in the tests: long warm-ups and long workloads.
    let all = [1, 20, 400, 4000];
    let longest = if only == Some(TOGETHER) { 2 } else { 4 };
    let overwrites = all[dice.below(longest) as usize];
    if set.iter().all(|(key, kind)| key != "warmup.kind" || kind == "overwrite") {
        set.push(("warmup.overwrites".to_owned(), format!("{overwrites}.0")));
    }
    set.push(("trace.remap".to_owned(), "wrap".to_owned()));
    let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.clone() };
    // Some drives are a page beyond the edge.
    let Ok(config) = load(&request) else {
        tally.refused += 1;
        return Ok(());
    };
    let has_it = match only {
        None | Some(TOGETHER) => true,
        Some(SUPERBLOCKS) => config.ftl.superblock() != Superblock::Plane,
        Some(redundancy) => config.redundancy.kind == redundancy,
    };
    if !has_it {
        return Ok(());
    }
    let geometry = Geometry::new(&config).expect("a loaded configuration is checked");
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces");
    let (workload, trace) = if dice.below(10) < RECORDINGS_IN_TEN {
        let name = RECORDINGS[dice.below(5) as usize];
        let path = recordings.join(format!("{name}.blkparse.txt.zst"));
        (name, Trace::open(&path, &OpenOptions::default()).map_err(|error| error.to_string())?)
    } else {
        let records = later::in_streams(hostile::records(seed, geometry.logical_pages, 30_000), seed);
        ("hostile", Trace::from_records("hostile", records))
    };
    let options = RunOptions { audit: true, audit_every: Some(20_011), ..RunOptions::default() };
    let simulated = std::panic::AssertUnwindSafe(|| {
        simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(()))
    });
    let wrong = match std::panic::catch_unwind(simulated) {
        Err(_) => "it panics".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Ok(Ok(outcome)) => {
            tally.add(&outcome.results, &geometry, workload);
            return Ok(());
        }
    };
    let set: Vec<_> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Err(format!("seed {seed}, {workload}: {wrong}\n  {}", set.join(" ")))
}

fn main() {
    let number = |at: usize| std::env::args().nth(at).map(|text| text.replace('_', "").parse::<u64>());
    let wanted = number(1).expect("how many pages to program").expect("a number");
    let first = number(2).map_or(1, |seed| seed.expect("a seed"));
    let seconds = number(3).map_or(u64::MAX, |seconds| seconds.expect("a number of seconds"));
    let only = std::env::args().nth(4);
    let begun = Instant::now();
    let mut tally = Tally::default();
    let mut faults = Vec::new();
    let mut seed = first;
    let mut printed = 0;
    let programs =
        |tally: &Tally| if only.as_deref() == Some(TOGETHER) { tally.timed() } else { tally.programs };
    while programs(&tally) < wanted && faults.len() < 20 && begun.elapsed().as_secs() < seconds {
        faults.extend(run(seed, only.as_deref(), &mut tally).err());
        seed += 1;
        if programs(&tally) / 10_000_000 > printed {
            printed = programs(&tally) / 10_000_000;
            let (faults, seconds) = (faults.len(), begun.elapsed().as_secs());
            eprintln!("{} M programs, {} drives, {faults} faults, {seconds} s", printed * 10, tally.runs);
        }
    }
    tally.print(first, seed - 1, faults.len());
    for fault in &faults {
        println!("{fault}");
    }
    std::process::exit(i32::from(!faults.is_empty()));
}
