//! What a verdict is made from, and which figures depend on what.

use crate::results::figures::Drift;
use crate::results::figures::Measured;
use crate::results::figures::{ClassResult, Ingredients, RequestResults};

/// What a verdict is made from.
pub(crate) struct Evidence<'a> {
    pub run: &'a Measured,
    pub with: &'a Ingredients,
    pub requests: &'a RequestResults,
    pub drift: &'a Drift,
}

/// Write amplification, in bytes and in pages.
pub(super) const AMPLIFICATION: [&str; 2] = ["gc.nand_write_amplification", "gc.write_amplification"];

/// Share of a mean latency that collection must have caused for the mean to be a figure of collection, too.
const MEAN_DEPENDS: f64 = 0.05;

const LATENCIES: [&str; 9] = [
    "mean_ns",
    "p50_ns",
    "p90_ns",
    "p95_ns",
    "p99_ns",
    "p99_9_ns",
    "p99_99_ns",
    "max_ns",
    "breakdown.queue_ns",
];

impl Evidence<'_> {
    /// The classes of which requests were measured.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&'static str, &ClassResult)> {
        let all = self.requests;
        [("read", &all.read), ("write", &all.write), ("trim", &all.trim), ("flush", &all.flush)]
            .into_iter()
            .filter(|(_, class)| class.count > 0)
    }

    /// What depends on how much is collected: amplification, what it does to dies and channels, and the waiting it
    /// causes.
    pub(super) fn figures_of_collection(&self) -> Vec<String> {
        let mut figures: Vec<String> = AMPLIFICATION.map(str::to_owned).into();
        let others = [
            "gc.valid_pages_per_victim",
            "gc.host_write_stall_ns",
            "gc.stalled_writes",
            "utilisation.die",
            "utilisation.die_max",
            "utilisation.channel",
            "utilisation.channel_max",
        ];
        figures.extend(others.map(str::to_owned));
        for (name, class) in self.classes().filter(|(name, _)| matches!(*name, "read" | "write")) {
            let mut add =
                |keys: &[&str]| figures.extend(keys.iter().map(|key| format!("requests.{name}.{key}")));
            if class.breakdown.gc_ns >= MEAN_DEPENDS * class.mean_ns {
                add(&["mean_ns", "p90_ns", "p95_ns"]);
            }
            add(&["p99_ns", "p99_9_ns", "p99_99_ns", "max_ns", "breakdown.gc_ns"]);
        }
        figures
    }

    /// What slows arrivals down, for a remedy: to that share of their pace, or by how much nobody knows.
    pub(super) fn slower(&self, share: Option<f64>) -> String {
        let host = &self.run.config.host;
        if host.target_utilisation.is_some() {
            return "a lower host.target_utilisation".to_owned();
        }
        if host.target_total_utilisation.is_some() {
            return "a lower host.target_total_utilisation".to_owned();
        }
        match share {
            Some(share) => format!("--time-scale {} or less", two_digits(host.time_scale * share)),
            None => format!("--time-scale below {}", host.time_scale),
        }
    }

    /// All latencies.
    pub(super) fn latencies(&self) -> Vec<String> {
        let of = |name: &str| LATENCIES.map(|key| format!("requests.{name}.{key}"));
        self.classes().filter(|(name, _)| *name != "trim").flat_map(|(name, _)| of(name)).collect()
    }

    /// What a class of requests experienced, and how many of them there were in a second.
    pub(super) fn figures_of(name: &str) -> Vec<String> {
        let keys = LATENCIES.into_iter().chain(["min_ns", "iops", "bandwidth_bytes_per_s"]);
        keys.map(|key| format!("requests.{name}.{key}")).collect()
    }

    /// `--plays` with so many times what was played.
    pub(super) fn played_times(&self, times: f64) -> String {
        let now = self.run.config.trace.repeat as f64;
        format!("--plays {}", (now * times.max(1.0)).ceil())
    }
}

/// A number above 0, rounded down to two digits that count.
fn two_digits(value: f64) -> String {
    let (mut scaled, mut decimals) = (value, 0);
    while scaled < 10.0 && decimals < 9 {
        (scaled, decimals) = (scaled * 10.0, decimals + 1);
    }
    let mut unit = 1.0;
    while scaled / unit >= 100.0 {
        unit *= 10.0;
    }
    let rounded = (scaled / unit).floor() * unit;
    let divisor = 10_f64.powi(decimals);
    format!("{:.*}", decimals as usize, rounded / divisor)
}

#[cfg(test)]
mod tests {
    use super::two_digits;

    #[test]
    fn a_pace_is_rounded_down_to_two_digits() {
        let told = [0.4291, 1.0, 0.999, 12.9, 1_234.5, 0.0319].map(two_digits);
        assert_eq!(told, ["0.42", "1.0", "0.99", "12", "1200", "0.031"]);
    }
}
