//! Which figures depend on what, and percentiles with too few requests beyond them.

use super::{Code, Evidence, Remark, Verdict};
use crate::metrics::results::{ClassResult, SAMPLES_BEYOND};

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

    /// What depends on how much is collected: amplification, what it does to dies and wires, and the waiting it causes.
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
}

pub(super) fn look(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let mut figures = Vec::new();
    let mut said = Vec::new();
    let mut fewest = u64::MAX;
    for (name, class) in evidence.classes() {
        // Trims take no time on most drives: there is no percentile to speak of.
        if class.max_ns == 0 || class.not_established.is_empty() {
            continue;
        }
        fewest = fewest.min(class.count);
        figures.extend(class.not_established.iter().map(|key| format!("requests.{name}.{key}")));
        let plural = if name == "flush" { "flushes".to_owned() } else { format!("{name}s") };
        said.push(format!("from {} of {} {plural}", label(&class.not_established[0]), class.count));
    }
    if !figures.is_empty() {
        let message = format!(
            "Percentiles with fewer than {SAMPLES_BEYOND} requests beyond them are chance: {}.",
            said.join(", ")
        );
        // Ten of ten thousand times as many lie beyond the last percentile there is.
        let remedy = evidence.played_times((SAMPLES_BEYOND * 10_000) as f64 / fewest as f64);
        verdict.notes.push(Remark::new(Code::FewSamples, message).of(figures).settled_by(remedy));
    }
}

/// `p99_9_ns` as people write it.
fn label(key: &str) -> String {
    key.trim_end_matches("_ns").replace('_', ".")
}
