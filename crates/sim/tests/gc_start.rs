//! When collection starts: what is reported before a run, beside what the run then does, for every kind of warm-up.

use crate::common::own::choice;
use crate::common::prelude::*;
use reclaim_sim::config::{GcStarts, schema};

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

/// Pages that the warm-up has written, if collection has not started then, for a trace of so many.
type Written = fn(u64) -> Option<u64>;
type Set = &'static [(&'static str, &'static str)];

/// Kinds of warm-up, settings and what is written.
const CASES: &[(&str, Set, Written)] = &[
    ("empty", &[], |_| Some(0)),
    ("filled", &[], |_| Some(LOGICAL)),
    ("overwrite", &[], |_| None),
    ("overwrite", &[("warmup.overwrites", "0.25")], |_| Some(LOGICAL + LOGICAL / 4)),
    ("steady", &[], |_| None),
    ("steady", &[("warmup.limit", "0.5")], |_| Some(LOGICAL + LOGICAL / 2)),
    // So much is spare that write amplification is flat, at 1, before collection starts.
    ("steady", &[("geometry.spare_factor", "85%")], |_| Some(4 * 116)),
    ("workload", &[], |_| None),
    ("replay", &[], |pages| (pages <= ROOM).then_some(pages)),
    ("replay", &[("warmup.fill", "true"), ("warmup.replays", "2")], |pages| {
        (LOGICAL + 2 * pages <= ROOM).then_some(LOGICAL + 2 * pages)
    }),
];

/// Drives that differ in what decides how many blocks are free: settings, and pages of a plane from one job to the next
/// at most.
const DRIVES: &[(Set, u64)] = &[
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

#[test]
fn a_run_does_what_was_reported() {
    for (kind, more, written) in CASES {
        for (drive, blocks) in DRIVES {
            let set = [drive, &[("warmup.kind", *kind)][..], more].concat();
            // Few enough and many enough, whatever the warm-up is; and where it starts, to the page.
            let mut lengths = vec![1, ROOM / 3, ROOM + 1, blocks * ROUND, blocks * ROUND + 1];
            lengths.extend(written(0).into_iter().flat_map(|written| [ROOM - written, ROOM - written + 1]));
            for pages in lengths {
                let (starts, certain) = match written(pages) {
                    Some(written) => (ROOM - written, ROOM - written),
                    None => (0, blocks * ROUND),
                };
                compare(&set, pages, starts, certain);
            }
        }
    }
}

/// Collection starts after so many pages at the soonest, and for certain after so many.
fn compare(set: &[(&str, &str)], pages: u64, starts_after: u64, certain_after: u64) {
    let what = format!("{set:?}, {pages} pages");
    let config = small().with(set).config();
    let logical = u64::from(derive_facts(&config, None).logical_pages);
    // One after another, twenty milliseconds apart.
    let records: Vec<_> = (0..pages).map(|k| at(k * 20_000, Op::Write, k % logical, 1)).collect();
    let trace = Trace::from_records("writes", records);
    let reported = derive_facts(&config, Some(&trace.scan().unwrap()));
    let done = run(&config, &trace).unwrap().results;
    assert_eq!(reported.gc_starts_after_pages, starts_after, "{what}");
    let of_trace = reported.trace.as_ref().unwrap();
    let expected = if pages > certain_after {
        GcStarts::Yes
    } else if pages > starts_after {
        GcStarts::Perhaps
    } else {
        GcStarts::No
    };
    assert_eq!(of_trace.gc_starts, expected, "{what}");
    assert_eq!(
        of_trace.gc_starts_after_requests,
        (expected != GcStarts::No).then_some(starts_after),
        "{what}"
    );
    assert!(expected == GcStarts::Perhaps || (done.gc.jobs > 0) == (expected == GcStarts::Yes), "{what}");
    // Results repeat what was reported before; the free blocks are the real ones.
    assert_eq!(done.facts, reported, "{what}");
}

#[test]
fn every_kind_of_warm_up_is_compared() {
    let schema = schema();
    let kinds = schema["$defs"]["WarmupKind"]["oneOf"].as_array().expect("the schema lists the kinds");
    assert!(kinds.len() >= 5, "{kinds:?}");
    for kind in kinds {
        assert!(CASES.iter().any(|(case, ..)| kind["const"] == *case), "no case for the warm-up {kind}");
    }
}

/// One job at a time may share an open block with the host, several may not.
#[test]
fn several_jobs_of_a_plane_need_an_open_block_of_their_own() {
    for (kind, jobs, fits) in [
        ("free-blocks", "", true),
        ("python", "", true),
        ("python", ", jobs = 1", true),
        ("python", ", jobs = 2", false),
        ("frontier-filled", "", false),
        ("frontier-filled", ", jobs = 1", true),
        ("frontier-filled", ", jobs = 2", false),
    ] {
        let named = if kind == "python" { choice("any") } else { format!("{{ kind = \"{kind}\" }}") };
        let trigger = named.replace(" }", &format!("{jobs} }}"));
        let set = owned(&[("gc.trigger", &trigger), ("ftl.gc_frontier", "shared")]);
        let request = LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
        assert_eq!(load(&request).is_ok(), fits, "{trigger}");
    }
}
