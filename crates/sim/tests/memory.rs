//! How much memory a run needs is known before it begins, and refused where there is less.

use crate::common::prelude::*;
use reclaim_sim::backlog_bytes;

/// Measured with Python 3.11 on Linux: the highest resident memory of a process that played 20,000 requests on the
/// filled drive, in bytes.
#[rstest]
#[case("64", false, 48.0e6)]
#[case("64", true, 64.6e6)]
#[case("512", false, 164.1e6)]
#[case("512", true, 293.4e6)]
#[case("4096", false, 1093.0e6)]
fn the_memory_of_a_run_is_estimated(#[case] blocks: &str, #[case] audit: bool, #[case] measured: f64) {
    let facts = derive_facts(&config("gc-bypass", &[("geometry.blocks_per_plane", blocks), TRIGGER]), None);
    let estimate = facts.run_memory_bytes + if audit { facts.audit_memory_bytes } else { 0 };
    let ratio = estimate as f64 / measured;
    assert!((0.9..1.1).contains(&ratio), "{estimate} bytes are {ratio} of what was measured");
}

/// As in the small drive of the preset, whose spare blocks are few.
const TRIGGER: (&str, &str) = ("gc.trigger.start", "1 block");

#[test]
fn a_run_beyond_its_memory_is_refused_before_it_allocates() {
    let drive = TestDrive::one_plane().config();
    let trace = Trace::from_records("one", spaced_writes(&[0]));
    let needed = derive_facts(&drive, None);
    let run = |audit, memory_limit| {
        let options = RunOptions { audit, memory_limit, ..RunOptions::default() };
        simulate(&drive, &trace, &options, &mut |_| ControlFlow::Continue(())).map(drop)
    };
    // Its one request comes when its time is over.
    let waits = backlog_bytes(&drive, &Geometry::new(&drive).unwrap(), &trace.scan().unwrap(), 1.0);
    let plain = needed.run_memory_bytes + waits;
    run(false, Some(plain)).unwrap();
    run(true, None).unwrap();
    let message = run(false, Some(plain - 1)).unwrap_err().to_string();
    assert!(message.contains("a run of") && message.contains("RECLAIM_MEMORY_LIMIT"), "{message}");
    assert!(run(true, Some(plain)).unwrap_err().to_string().contains("an audited run of"));
    assert!(run(true, Some(plain + needed.audit_memory_bytes)).is_ok());
    // Power cuts need all versions, and twelve bytes for each of 32 pages beside them.
    let cuts = TestDrive::one_plane().set("measure.power_cut_every", 100).config();
    let with_cuts = |memory_limit| {
        let options = RunOptions { memory_limit: Some(memory_limit), ..RunOptions::default() };
        simulate(&cuts, &trace, &options, &mut |_| ControlFlow::Continue(())).map(drop)
    };
    let all = plain + needed.audit_memory_bytes + 32 * 12;
    assert!(with_cuts(all).is_ok());
    assert!(with_cuts(all - 1).unwrap_err().to_string().contains("RECLAIM_MEMORY_LIMIT"));

    // The largest drive that there may be, on a computer of 16 GiB.
    let most = [("geometry.blocks_per_plane", "100000"), ("geometry.pages_per_block", "300")];
    let large = config("gc-bypass", &most);
    assert!(derive_facts(&large, None).run_memory_bytes > 30_000_000_000);
    let options = RunOptions { memory_limit: Some(16 << 30), ..RunOptions::default() };
    let refused = simulate(&large, &trace, &options, &mut |_| ControlFlow::Continue(()));
    assert!(refused.unwrap_err().to_string().contains("and may use 16.0 GiB"));
}

/// It has a copy of the drive, and twelve bytes for each page and order: between two sizes the difference is twice
/// that of the drives, and 24 bytes for each page that they store more.
#[test]
fn looking_at_the_order_of_replay_is_in_the_estimate() {
    let of = |blocks: &str, looks: &str| {
        let set = [("warmup.kind", "workload"), ("warmup.order_check", looks), TRIGGER];
        let drive = config("gc-bypass", &[&set[..], &[("geometry.blocks_per_plane", blocks)]].concat());
        let pages = u64::from(Geometry::new(&drive).unwrap().stored_pages);
        (derive_facts(&drive, None).run_memory_bytes, pages)
    };
    let more = |looks| of("512", looks).0 - of("64", looks).0;
    let pages = of("512", "true").1 - of("64", "true").1;
    assert_eq!(more("true"), 2 * more("false") + 24 * pages);
}

/// 1001 requests, 100 us apart: what is left of them when the last has come is what the die could not do meanwhile.
#[test]
fn requests_that_must_wait_are_in_the_memory_of_a_run() {
    let bytes = |set: &[(&str, &str)], op: Op, dimensions: [u32; 4]| {
        let config = TestDrive::of(dimensions).set("warmup.kind", "filled").with(set).config();
        let records = (0..1001).map(|k| at(k * 100, op, k % 4, 1)).collect();
        let summary = Trace::from_records("flood", records).scan().unwrap();
        backlog_bytes(&config, &Geometry::new(&config).unwrap(), &summary, config.host.time_scale)
    };
    let left = |span_ns: u64, takes_ns: u64| 108.0 * (1001.0 - span_ns as f64 / takes_ns as f64);
    let near =
        |found: u64, expected: f64| assert!((found as f64 - expected).abs() < 2.0, "{found} {expected}");
    let one = [1, 1, 1, 1];
    near(bytes(&[], Op::Write, one), left(100_000_000, WRITE));
    near(bytes(&[("host.time_scale", "10")], Op::Write, one), left(10_000_000, WRITE));
    near(bytes(&[("host.time_scale", "10")], Op::Read, one), left(10_000_000, READ));
    // Two dies take half the time, two planes of one die do so where they may work together.
    near(bytes(&[], Op::Write, [1, 1, 2, 1]), left(100_000_000, WRITE / 2));
    near(bytes(&[], Op::Write, [1, 1, 1, 2]), left(100_000_000, WRITE));
    near(bytes(&[("flash.multi_plane", "any-page")], Op::Write, [1, 1, 1, 2]), left(100_000_000, WRITE / 2));
    // Four parts of a page are read at once, or programmed with one command; three pages of a word line are programmed
    // at once, and read one by one.
    let parts =
        [("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB"), ("host.time_scale", "20")];
    near(bytes(&parts, Op::Read, one), left(5_000_000, READ / 4));
    near(bytes(&parts, Op::Write, one), left(5_000_000, DATA + (COMMAND + T_PROG) / 4));
    let word_lines = [
        ("flash.cell", "TLC"),
        ("flash.program_unit", "word-line"),
        ("geometry.pages_per_block", "12"),
        ("host.time_scale", "20"),
    ];
    near(bytes(&word_lines, Op::Read, one), left(5_000_000, READ));
    near(bytes(&word_lines, Op::Write, one), left(5_000_000, WRITE / 3));

    let keeps_up: [(&[(&str, &str)], Op); 6] = [
        (&[], Op::Read),
        (&[("host.mode", "closed-loop")], Op::Write),
        (&[("host.time_scale", "0.1")], Op::Write),
        (&[("host.target_utilisation", "50%")], Op::Write),
        // What was never written takes no time to read.
        (&[("host.time_scale", "10"), ("warmup.kind", "empty")], Op::Read),
        // Only the newest of four pages must be programmed.
        (&[("controller.acknowledge", "staged"), ("controller.merge_overwrites", "true")], Op::Write),
    ];
    for (set, op) in keeps_up {
        assert_eq!(bytes(set, op, one), 0, "{set:?}");
    }
}

#[test]
fn a_flood_beyond_the_memory_is_refused_before_it_allocates() {
    let drive = TestDrive::one_plane().config();
    let memory_limit = Some(derive_facts(&drive, None).run_memory_bytes + 100);
    let options = RunOptions { memory_limit, ..RunOptions::default() };
    let run = |every_us: u64| {
        let trace = Trace::from_records("t", (0..9).map(|k| at(k * every_us, Op::Write, 0, 1)).collect());
        simulate(&drive, &trace, &options, &mut |_| ControlFlow::Continue(())).map(drop)
    };
    assert!(run(10_000).is_ok());
    let message = run(1).unwrap_err().to_string();
    assert!(message.contains("host.time_scale: the trace asks for more than the drive can do"), "{message}");
}
