//! Tiny drives at the very edge of what is accepted, under hostile workloads, every one audited: whatever is combined,
//! nothing deadlocks, nothing is lost, no share exceeds one.
//!
//! Runs a fixed set of drives; `RECLAIM_FUZZ_SECONDS=600` goes on with new ones for that long,
//! `RECLAIM_FUZZ_SEED=n` runs one.

mod common;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::hostile::{records, settings};
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::Trace;

/// Drives of an ordinary test run.
const DRIVES: u64 = 2_500;
const REQUESTS: usize = 1_500;

/// Runs one drive; the drive's settings and what is wrong with it, if anything is.
fn fault(seed: u64) -> Option<String> {
    let set = settings(seed);
    let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.clone() };
    // Some drives are a page beyond the edge.
    let config = load(&request).ok()?;
    let pages = reclaim_sim::derive_facts(&config, None).logical_pages;
    let trace = Trace::from_records("hostile", records(seed, pages, REQUESTS));
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
    if let Some(seed) = number("RECLAIM_FUZZ_SEED") {
        assert_eq!(fault(seed), None);
        return;
    }
    let until = Instant::now() + Duration::from_secs(number("RECLAIM_FUZZ_SECONDS").unwrap_or(0));
    let mut seed = 0;
    let mut faults = Vec::new();
    while seed < DRIVES || Instant::now() < until {
        seed += 1;
        faults.extend(fault(seed));
    }
    println!("{seed} drives, {} faults", faults.len());
    assert!(faults.is_empty(), "{} of {seed}:\n{}", faults.len(), faults[..faults.len().min(5)].join("\n"));
}
