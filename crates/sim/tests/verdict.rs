//! Verdicts that hold: which runs can be trusted, which figures of others are not established, and what settles them.

mod common;

use common::{at, config, run};
use reclaim_sim::metrics::{Code, Level, Remark, Verdict};
use reclaim_sim::{Results, derive_facts};
use reclaim_trace::{Op, Record, Trace, UniformSpec};
use rstest::rstest;

/// Two channels of one die, 96 blocks of 32 pages each, a quarter of them hidden.
const DRIVE: [(&str, &str); 8] = [
    ("geometry.channels", "2"),
    ("geometry.chips_per_channel", "1"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
    ("geometry.blocks_per_plane", "96"),
    ("geometry.pages_per_block", "32"),
    ("geometry.spare_factor", "25%"),
    ("controller.write_buffer", "128KiB"),
];

fn drive(more: &[(&str, &str)]) -> reclaim_sim::Config {
    config("gc-bypass", &[&DRIVE[..], more].concat())
}

fn pages() -> u64 {
    u64::from(derive_facts(&drive(&[]), None).logical_pages)
}

/// Writes of single pages, every page of the drive as likely as any other.
fn uniform(count: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: pages() * 4096,
        request_bytes: 4096,
        count,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 4_000_000,
        seed: 9,
    })
}

/// Writes over the first tenth of the drive, in order and again from the beginning.
fn sweep(writes: u64) -> Trace {
    let hot = pages() / 10;
    let records = (0..writes).map(|k| at(4_000 * k, Op::Write, k % hot, 1));
    Trace::from_records("sweep", records.collect::<Vec<_>>())
}

fn results(set: &[(&str, &str)], trace: &Trace) -> Results {
    let outcome = run(&drive(set), trace).unwrap();
    assert!(outcome.results.audit.as_ref().is_some_and(|audit| audit.passed));
    outcome.results
}

fn doubt(verdict: &Verdict, code: Code) -> &Remark {
    let found = verdict.doubts.iter().find(|doubt| doubt.code == code);
    found.unwrap_or_else(|| panic!("no {} in {verdict:?}", code.text()))
}

fn codes(remarks: &[Remark]) -> Vec<Code> {
    remarks.iter().map(|remark| remark.code).collect()
}

/// Every plane stands close before its next round of collection when warm-up ends, and a run of a few writes pays for
/// whole rounds.
#[test]
fn a_few_writes_after_warm_up_establish_nothing() {
    let results = results(&[("warmup.kind", "steady")], &uniform(64));
    let verdict = &results.verdict;
    assert_eq!(verdict.level, Level::NotEstablished, "{verdict:?}");
    let space = doubt(verdict, Code::FreeSpaceDrifts);
    for figure in ["gc.write_amplification", "requests.write.p99_ns", "gc.host_write_stall_ns"] {
        assert!(space.figures.iter().any(|known| known == figure), "{figure} in {space:?}");
    }
    assert!(space.remedy.as_ref().is_some_and(|remedy| remedy.contains("--measure-after first-round")), "{space:?}");
}
