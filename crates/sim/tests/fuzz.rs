//! Tiny drives at the very edge of what is accepted, under hostile workloads, every one audited: whatever is combined,
//! nothing deadlocks, nothing is lost, no share exceeds one.
//!
//! Runs a fixed set of drives; `RECLAIM_FUZZ_DRIVES=4000` runs so many (`make test-all` does),
//! `RECLAIM_FUZZ_SECONDS=600` goes on with new ones for that long and prints what was covered (`--nocapture`),
//! `RECLAIM_FUZZ_SEED=n` runs one.

use crate::common::hostile::{records, settings, widened};
use crate::common::later::{in_streams, later, together};
use crate::common::own;
use crate::common::prelude::*;
use reclaim_sim::config::catalogue;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Drives of an ordinary test run.
const DRIVES: u64 = 1_000;
/// Drives beyond these that raise counters of policies which chance raises seldom.
const RARE: [u64; 10] = [1_059, 1_087, 1_179, 1_225, 1_275, 1_411, 1_467, 1_495, 1_531, 3_501];
const REQUESTS: usize = 1_500;
/// Of these with everything that goes together, beside them.
const TOGETHER: u64 = 200;

/// What was covered: of each policy in how many drives it was chosen, and its counters; which combinations there were.
#[derive(Default)]
struct Coverage {
    drives: u64,
    refused: u64,
    cuts: u64,
    chosen: BTreeMap<String, u64>,
    counters: BTreeMap<String, u64>,
    combinations: BTreeSet<String>,
}

fn choices(config: &Config) -> [(&'static str, &str); 13] {
    [
        ("interconnect", &config.interconnect.kind),
        ("ftl.allocation", &config.ftl.allocation.kind),
        ("ftl.placement", &config.ftl.placement.kind),
        ("ftl.separation", &config.ftl.separation.kind),
        ("ftl.slc_cache", &config.ftl.slc_cache.kind),
        ("ftl.mapping_cache", &config.ftl.mapping_cache.kind),
        ("gc.trigger", &config.gc.trigger.kind),
        ("gc.victim", &config.gc.victim.kind),
        ("gc.relocation", &config.gc.relocation.kind),
        ("gc.concurrency", &config.gc.concurrency.kind),
        ("gc.deferral", &config.gc.deferral.kind),
        ("redundancy", &config.redundancy.kind),
        ("scheduler", &config.scheduler.kind),
    ]
}

impl Coverage {
    fn add(&mut self, results: &Results) {
        self.drives += 1;
        self.cuts += results.power_cuts.as_ref().map_or(0, |cuts| cuts.cuts);
        let chosen = choices(&results.config).map(|(key, kind)| format!("{key} = {kind}"));
        self.combinations.insert(chosen.join(", ") + &format!(", {:?}", results.config.flash.program_unit));
        for choice in chosen {
            *self.chosen.entry(choice).or_default() += 1;
        }
        for (key, kind) in choices(&results.config) {
            for (name, metric) in results.policies.get(key).into_iter().flatten() {
                *self.counters.entry(format!("{key} = {kind}: {name}")).or_default() += metric.value;
            }
        }
    }

    /// Policies never chosen, and counters of theirs that were never raised.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for seam in catalogue().as_array().expect("a list of kinds") {
            for policy in seam["policies"].as_array().expect("a list") {
                let name =
                    format!("{} = {}", seam["key"].as_str().unwrap(), policy["name"].as_str().unwrap());
                if !self.chosen.contains_key(&name) {
                    missing.push(name.clone());
                }
                for metric in policy["metrics"].as_array().into_iter().flatten() {
                    let counter = format!("{name}: {}", metric["name"].as_str().unwrap());
                    if self.counters.get(&counter).is_none_or(|value| *value == 0) {
                        missing.push(counter);
                    }
                }
            }
        }
        missing
    }
}

/// Runs one drive; the drive's settings and what is wrong with it, if anything is.
fn fault(seed: u64, coverage: &mut Coverage) -> Option<String> {
    fault_of(&drive(seed), seed, coverage)
}

fn drive(seed: u64) -> Vec<(String, String)> {
    // Every other one with what came later, and every other one of those with what came last; some with what users
    // write.
    match seed % 4 {
        0 if seed.is_multiple_of(12) => own::instead(settings(seed), seed / 12),
        0 | 2 => settings(seed),
        1 => widened(seed),
        _ => own::in_place_of_sepbit(later(widened(seed), seed)),
    }
}

fn fault_of(set: &[(String, String)], seed: u64, coverage: &mut Coverage) -> Option<String> {
    let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.to_owned() };
    // Some drives are a page beyond the edge.
    let Ok(config) = load(&request) else {
        coverage.refused += 1;
        return None;
    };
    let pages = reclaim_sim::derive_facts(&config, None).logical_pages;
    let trace = Trace::from_records("hostile", in_streams(records(seed, pages, REQUESTS), seed));
    let begun = Instant::now();
    let patience = &mut |_: &_| {
        if begun.elapsed() > Duration::from_mins(1) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = RunOptions { audit: true, audit_every: Some(211), ..RunOptions::default() };
    let run = std::panic::AssertUnwindSafe(|| simulate(&config, &trace, &options, patience));
    let wrong = match std::panic::catch_unwind(run) {
        Err(_) => "it panics".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Ok(Ok(outcome)) => {
            coverage.add(&outcome.results);
            let used = &outcome.results.utilisation;
            if used.die_max <= 1.0 && used.channel_max <= 1.0 {
                return None;
            }
            format!("utilisation {} {}", used.die_max, used.channel_max)
        }
    };
    let set: Vec<_> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    Some(format!("RECLAIM_FUZZ_SEED={seed}: {wrong}\n  {}", set.join(" ")))
}

#[test]
fn hostile_drives() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut coverage = Coverage::default();
    if let Some(seed) = number("RECLAIM_FUZZ_SEED") {
        assert_eq!(fault(seed, &mut coverage), None);
        return;
    }
    let until = Instant::now() + Duration::from_secs(number("RECLAIM_FUZZ_SECONDS").unwrap_or(0));
    let mut seed = 0;
    let mut faults = Vec::new();
    let drives = number("RECLAIM_FUZZ_DRIVES").unwrap_or(DRIVES);
    for seed in RARE.into_iter().filter(|seed| *seed > drives) {
        faults.extend(fault(seed, &mut coverage));
    }
    while seed < drives || Instant::now() < until {
        seed += 1;
        faults.extend(fault(seed, &mut coverage));
    }
    let Coverage { drives, refused, chosen, counters, combinations, .. } = &coverage;
    println!(
        "{drives} drives of {} combinations of policies ({refused} refused), {} faults",
        combinations.len(),
        faults.len()
    );
    println!("{chosen:#?}\n{counters:#?}");
    assert!(faults.is_empty(), "{} of {seed}:\n{}", faults.len(), faults[..faults.len().min(5)].join("\n"));
    assert_eq!(coverage.missing(), Vec::<String>::new(), "nothing of this was ever covered");
}

/// Whatever goes together is switched on together, and the power is cut at random moments: no page that was
/// acknowledged is gone, and nothing else is wrong. `audit_at_scale` runs many more of these drives.
#[test]
fn everything_together() {
    let mut coverage = Coverage::default();
    let cuts = ("measure.power_cut_every".to_owned(), "300".to_owned());
    let drive = |seed| [together(seed), vec![cuts.clone()]].concat();
    let faults: Vec<_> =
        (1..=TOGETHER).filter_map(|seed| fault_of(&drive(seed), seed, &mut coverage)).collect();
    let some = faults[..faults.len().min(5)].join("\n");
    assert!(faults.is_empty(), "{} of {TOGETHER}:\n{some}", faults.len());
    let Coverage { drives, refused, cuts, .. } = coverage;
    assert_eq!((drives, refused), (TOGETHER, 0));
    assert!(cuts > 1_000, "only {cuts} power cuts");
}
