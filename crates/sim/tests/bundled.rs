//! Every bundled recording under every victim policy, on a drive just large enough for it: collection runs, trims
//! count, and the audit finds nothing.

use std::path::Path;

use crate::common::config;
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{OpenOptions, Trace};
use rstest::rstest;
use std::ops::ControlFlow;

const PLANES: u64 = 16;
const PAGES_PER_BLOCK: u64 = 64;

#[rstest]
fn audit(#[values("dbench", "mysql", "rocksdb", "sqlite", "varmail")] name: &str) {
    for victim in reclaim_sim::gc::victim::MEMBERS.all.iter().filter(|victim| victim.stands_alone()) {
        audit_with(name, victim.name);
    }
}

fn audit_with(name: &str, victim: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/traces");
    let trace =
        Trace::open(&folder.join(format!("{name}.blkparse.txt.zst")), &OpenOptions::default()).unwrap();
    let summary = trace.scan().unwrap();
    // A tenth more pages than the trace touches, and 15 % spare.
    let pages = summary.footprint_bytes / 4096 * 11 / 10;
    let blocks = (pages * 100 / 85).div_ceil(PLANES * PAGES_PER_BLOCK) + 1;
    let blocks = blocks.max(32).to_string();
    let config = config(
        "gc-bypass",
        &[
            ("geometry.chips_per_channel", "2"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "2"),
            ("geometry.blocks_per_plane", &blocks),
            ("geometry.pages_per_block", "64"),
            ("geometry.spare_factor", "15%"),
            ("gc.victim", victim),
            ("warmup.kind", "overwrite"),
            ("warmup.overwrites", "0.5"),
            ("trace.remap", "compact"),
        ],
    );
    let options = RunOptions { audit: true, ..RunOptions::default() };
    let results = simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap().results;
    let requests = &results.requests;
    let completed = requests.read.count + requests.write.count + requests.trim.count + requests.flush.count;
    assert_eq!(completed, summary.requests);
    assert!(results.audit.is_some_and(|audit| audit.passed));
    assert!(results.gc.jobs > 0, "collection must have had something to do");
    assert!(results.flash.trimmed_pages > 0, "trims must have had something to trim");
}
