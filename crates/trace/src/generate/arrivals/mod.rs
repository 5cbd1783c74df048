//! The list of arrival processes; each that needs more than a line is a file in this folder.

mod bursts;
mod process;
mod windows;

use rand_pcg::Pcg64;

use super::draw::stream;
use super::spec::ArrivalSpec;
pub(super) use process::Arrivals;
use process::{exponential, normal};
pub(super) use windows::window_counts;

/// Put a checked description to work for a trace of `requests`.
pub(super) fn build(spec: &ArrivalSpec, requests: u64, seed: u64) -> Box<dyn Arrivals> {
    let random = stream(seed, "arrivals");
    match spec {
        ArrivalSpec::ClosedLoop => Box::new(Constant { next_ns: 0, interval_ns: 0 }),
        ArrivalSpec::Constant { interval } => Box::new(Constant { next_ns: 0, interval_ns: interval.0 }),
        ArrivalSpec::Poisson { interval } => {
            Box::new(Gaps { now_ns: 0, random, gap: Gap::Exponential(interval.0 as f64) })
        }
        ArrivalSpec::LogNormal { interval, sigma } => {
            // The mean of exp(mu + sigma z) is exp(mu + sigma²/2).
            let mu = libm::log(interval.0.max(1) as f64) - sigma * sigma / 2.0;
            Box::new(Gaps { now_ns: 0, random, gap: Gap::LogNormal { mu, sigma: *sigma } })
        }
        ArrivalSpec::OnOff { interval, on, off } => {
            Box::new(bursts::OnOff::new(interval.0 as f64, on.0 as f64, off.0 as f64, random))
        }
        ArrivalSpec::Windows { interval, window, levels } => {
            Box::new(windows::Windows::new(requests, interval.0, window.0, levels, seed))
        }
    }
}

struct Constant {
    next_ns: u64,
    interval_ns: u64,
}

impl Arrivals for Constant {
    fn next(&mut self) -> u64 {
        let now_ns = self.next_ns;
        self.next_ns = now_ns.saturating_add(self.interval_ns);
        now_ns
    }
}

enum Gap {
    Exponential(f64),
    LogNormal { mu: f64, sigma: f64 },
}

/// Gaps drawn independently of each other.
struct Gaps {
    now_ns: u64,
    random: Pcg64,
    gap: Gap,
}

impl Arrivals for Gaps {
    fn next(&mut self) -> u64 {
        let gap_ns = match self.gap {
            Gap::Exponential(mean) => exponential(mean, &mut self.random),
            Gap::LogNormal { mu, sigma } => libm::exp(mu + sigma * normal(&mut self.random)),
        };
        self.now_ns = self.now_ns.saturating_add(libm::round(gap_ns) as u64);
        self.now_ns
    }
}
