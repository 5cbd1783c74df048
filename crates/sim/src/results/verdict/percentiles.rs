//! Percentiles with too few requests beyond them.

use super::evidence::Evidence;
use super::remark::{Code, Remark, Verdict};
use crate::results::figures::SAMPLES_BEYOND;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
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
