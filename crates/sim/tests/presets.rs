//! Every preset's mini runs a real-looking workload to the end, audited, with collection at work.

use crate::common::prelude::*;
use reclaim_sim::config::presets;

#[test]
fn every_mini_preset_collects_and_keeps_its_data() {
    for preset in presets().into_iter().filter(|p| p.name.ends_with("-mini")) {
        let config = config(&preset.name, &[("warmup.kind", "overwrite"), ("warmup.overwrites", "1.0")]);
        let facts = reclaim_sim::derive_facts(&config, None);
        let trace = Trace::uniform(UniformSpec {
            footprint_bytes: facts.user_bytes,
            request_bytes: 16 << 10,
            count: 20_000,
            write_fraction: 0.7,
            trim_fraction: 0.02,
            mean_interarrival_ns: 200_000,
            seed: 5,
        });
        let results = run(&config, &trace).unwrap_or_else(|e| panic!("{}: {e}", preset.name)).results;
        assert!(results.gc.jobs > 0, "{}", preset.name);
        assert!(results.audit.is_some_and(|audit| audit.passed), "{}", preset.name);
    }
}
