//! When collection starts: what is reported before a run, beside what the run then does, for every kind of warm-up.

use crate::common::own::choice;
use crate::common::{TestDrive, at, run};
use reclaim_sim::config::{GcStarts, LoadRequest, load, schema};
use reclaim_sim::{Config, Facts, Results, derive_facts};
use reclaim_trace::{Op, Record, Trace};
use rstest::rstest;

/// Four planes of 24 blocks of 8 pages: 768 pages. Writes go to the planes in turn, so that they spread evenly.
fn small() -> TestDrive {
    let drive = TestDrive::of([2, 1, 1, 2]).blocks(24, 8);
    drive.set("gc.trigger.start", "2 blocks").set("ftl.allocation.by", "arrival")
}

const LOGICAL: u64 = 384;
/// Pages that fit before a block is opened that leaves two free: 21 blocks of each plane.
const ROOM: u64 = 4 * 21 * 8;
/// Pages of a block in every plane.
const ROUND: u64 = 4 * 8;

/// Settings, what is reported of the state, and the pages the warm-up has written if collection has not started then.
struct Case {
    kind: &'static str,
    more: &'static [(&'static str, &'static str)],
    state: &'static str,
    written: fn(u64) -> Option<u64>,
}

const fn case(
    kind: &'static str,
    more: &'static [(&'static str, &'static str)],
    state: &'static str,
    written: fn(u64) -> Option<u64>,
) -> Case {
    Case { kind, more, state, written }
}

const CASES: &[Case] = &[
    case("empty", &[], "empty: nothing written", |_| Some(0)),
    case("filled", &[], "filled: every page written once, in order", |_| Some(LOGICAL)),
    case("overwrite", &[], "overwrite: filled, then its capacity overwritten at random 2 times", |_| None),
    case(
        "overwrite",
        &[("warmup.overwrites", "0.25")],
        "overwrite: filled, then its capacity overwritten at random 0.25 times",
        |_| Some(LOGICAL + LOGICAL / 4),
    ),
    case(
        "steady",
        &[],
        "steady: filled, then overwritten at random until write amplification is flat",
        |_| None,
    ),
    case(
        "steady",
        &[("warmup.limit", "0.5")],
        "steady: filled, then overwritten at random until write amplification is flat",
        |_| Some(LOGICAL + LOGICAL / 2),
    ),
    // So much is spare that write amplification is flat, at 1, before collection starts.
    case(
        "steady",
        &[("geometry.spare_factor", "85%")],
        "steady: filled, then overwritten at random until write amplification is flat",
        |_| Some(4 * 116),
    ),
    case(
        "workload",
        &[],
        "workload: filled, then all that the trace writes and trims played until write amplification is flat",
        |_| None,
    ),
    case("replay", &[], "replay: empty, then all that the trace writes and trims played once", |pages| {
        (pages <= ROOM).then_some(pages)
    }),
    case(
        "replay",
        &[("warmup.fill", "true"), ("warmup.replays", "2")],
        "replay: filled, then all that the trace writes and trims played 2 times",
        |pages| (LOGICAL + 2 * pages <= ROOM).then_some(LOGICAL + 2 * pages),
    ),
];

/// Drives that differ in what decides how many blocks are free: settings, and pages of a plane from one job to the next
/// at most.
const DRIVES: &[(&[(&str, &str)], u64)] = &[
    (&[], 1),
    (&[("gc.trigger.stop", "4 blocks")], 3),
    (&[("ftl.gc_frontier", "shared")], 1),
    (
        &[
            ("gc.trigger.kind", "frontier-filled"),
            ("gc.trigger.start", "2 blocks"),
            ("gc.trigger.hard", "1 block"),
        ],
        1,
    ),
];

fn writes(pages: u64, config: &Config) -> Trace {
    let logical = u64::from(derive_facts(config, None).logical_pages);
    // One after another, twenty milliseconds apart.
    let records = (0..pages).map(|k| at(k * 20_000, Op::Write, k % logical, 1));
    Trace::from_records("writes", records.collect::<Vec<Record>>())
}

fn reported_and_done(config: &Config, pages: u64) -> (Facts, Results) {
    let trace = writes(pages, config);
    let reported = derive_facts(config, Some(&trace.scan().unwrap()));
    let done = run(config, &trace).unwrap().results;
    (reported, done)
}

#[test]
fn a_run_does_what_was_reported() {
    for case in CASES {
        for (drive, blocks) in DRIVES {
            let set = [drive, &[("warmup.kind", case.kind)][..], case.more].concat();
            let config = small().with(&set).config();
            // Few enough and many enough, whatever the warm-up is; and where it starts, to the page.
            let mut lengths = vec![1, ROOM / 3, ROOM + 1, blocks * ROUND, blocks * ROUND + 1];
            lengths.extend((case.written)(0).map(|written| ROOM - written));
            lengths.extend((case.written)(0).map(|written| ROOM - written + 1));
            for pages in lengths {
                compare(case, &config, *blocks, pages, &format!("{set:?}, {pages} pages"));
            }
        }
    }
}

fn compare(case: &Case, config: &Config, blocks: u64, pages: u64, what: &str) {
    let (reported, done) = reported_and_done(config, pages);
    assert_eq!(reported.assumed_state, case.state, "{what}");
    let (starts_after, certain_after) = match (case.written)(pages) {
        Some(written) => (ROOM - written, ROOM - written),
        None => (0, blocks * ROUND),
    };
    assert_eq!(reported.gc_starts_after_pages, starts_after, "{what}");
    let trace = reported.trace.as_ref().unwrap();
    let expected = if pages > certain_after {
        GcStarts::Yes
    } else if pages > starts_after {
        GcStarts::Perhaps
    } else {
        GcStarts::No
    };
    assert_eq!(trace.gc_starts, expected, "{what}");
    assert_eq!(trace.gc_starts_after_requests, (expected != GcStarts::No).then_some(starts_after), "{what}");
    match trace.gc_starts {
        GcStarts::Yes => assert!(done.gc.jobs > 0, "{what}: reported to start, and did not"),
        GcStarts::No => assert_eq!(done.gc.jobs, 0, "{what}: reported not to start, and did"),
        GcStarts::Perhaps => {}
    }
    // Results repeat what was reported before; the free blocks are the real ones.
    assert_eq!(done.facts, reported, "{what}");
    assert_eq!(done.warmup.kind, case.kind, "{what}");
}

#[test]
fn every_kind_of_warm_up_is_compared() {
    let kinds: Vec<_> = schema()["$defs"]["WarmupKind"]["oneOf"]
        .as_array()
        .expect("the schema lists the kinds")
        .iter()
        .map(|kind| kind["const"].as_str().unwrap().to_owned())
        .collect();
    assert!(kinds.len() >= 5, "{kinds:?}");
    for kind in kinds {
        assert!(CASES.iter().any(|case| case.kind == kind), "no case for the warm-up kind {kind}");
    }
}

/// One job at a time may share an open block with the host, several may not.
#[rstest]
#[case("free-blocks", "", true)]
#[case("python", "", true)]
#[case("python", ", jobs = 1", true)]
#[case("python", ", jobs = 2", false)]
#[case("frontier-filled", "", false)]
#[case("frontier-filled", ", jobs = 1", true)]
#[case("frontier-filled", ", jobs = 2", false)]
fn several_jobs_of_a_plane_need_an_open_block_of_their_own(
    #[case] kind: &str,
    #[case] jobs: &str,
    #[case] fits: bool,
) {
    let named = if kind == "python" { choice("any") } else { format!("{{ kind = \"{kind}\" }}") };
    let trigger = named.replace(" }", &format!("{jobs} }}"));
    let set = [("gc.trigger".to_owned(), trigger), ("ftl.gc_frontier".to_owned(), "shared".to_owned())];
    let loaded =
        load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: set.to_vec() });
    let says = loaded.map(drop).map_err(|error| error.to_string());
    assert_eq!(says.is_ok(), fits, "{says:?}");
}
