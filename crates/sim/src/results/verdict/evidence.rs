//! What a verdict is made from, and which figures depend on what.

use crate::engine::Drive;
use crate::results::figures::Drift;
use crate::results::figures::{ClassResult, Ingredients, RequestResults};

/// What a verdict is made from.
pub(crate) struct Evidence<'a> {
    pub drive: &'a Drive,
    pub with: &'a Ingredients,
    pub requests: &'a RequestResults,
    pub drift: &'a Drift,
}

/// Share of a mean latency that collection must have caused for the mean to be a figure of collection, too.
const MEAN_DEPENDS: f64 = 0.05;

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
        let mut figures: Vec<String> = [
            "gc.write_amplification",
            "gc.valid_pages_per_victim",
            "gc.host_write_stall_ns",
            "gc.stalled_writes",
            "utilisation.die",
            "utilisation.die_max",
            "utilisation.channel",
            "utilisation.channel_max",
        ]
        .map(str::to_owned)
        .into();
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

    /// All latencies.
    pub(super) fn latencies(&self) -> Vec<String> {
        const KEYS: [&str; 9] = [
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
        let of = |name: &str| KEYS.map(|key| format!("requests.{name}.{key}"));
        self.classes().filter(|(name, _)| *name != "trim").flat_map(|(name, _)| of(name)).collect()
    }

    /// `--repeat` with so many times what was played.
    pub(super) fn played_times(&self, times: f64) -> String {
        let now = self.drive.config.trace.repeat as f64;
        format!("--repeat {}", (now * times.max(1.0)).ceil())
    }
}
