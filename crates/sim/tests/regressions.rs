//! Situations that once went wrong.

use crate::common::{TestDrive, at, config, run};
use reclaim_sim::results::{Code, Level};
use reclaim_sim::{RunOptions, derive_facts, simulate};
use reclaim_trace::{Op, Record, Trace, UniformSpec};
use std::ops::ControlFlow;

fn small(more: &[(&str, &str)]) -> reclaim_sim::Config {
    TestDrive::one_plane().set("gc.trigger.start", "5%").with(more).config()
}

/// Warm-up used to forget that other planes than the one written to wanted collection; the timed run then stood still.
#[test]
fn dynamic_allocation_goes_on_after_warm_up() {
    let config = config(
        "gc-bypass-mini",
        &[
            ("ftl.allocation", "dynamic"),
            ("geometry.spare_factor", "9%"),
            ("geometry.pages_per_block", "32"),
            ("warmup.kind", "overwrite"),
            ("warmup.overwrites", "4.0"),
            ("host.mode", "closed-loop"),
            ("host.queue_depth", "128"),
        ],
    );
    let trace = Trace::uniform(UniformSpec {
        footprint_bytes: derive_facts(&config, None).user_bytes,
        request_bytes: 4096,
        count: 20_000,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 0,
        seed: 1,
    });
    let results = run(&config, &trace).unwrap().results;
    assert!(results.gc.jobs > 0);
}

/// Round robin used to send a write to a plane full of pages that are never written again.
#[test]
fn round_robin_steps_over_a_plane_that_is_full_of_cold_data() {
    let config = TestDrive::of([2, 1, 1, 1])
        .blocks(64, 64)
        .set("geometry.spare_factor", "25%")
        .set("gc.trigger.start", "5%")
        .set("ftl.allocation.by", "arrival")
        .config();
    // Cold, hot, cold, hot: every cold page goes to the same plane.
    let writes = (0..12_000).map(|k| at(0, Op::Write, if k % 2 == 0 { (k / 2) % 6_000 } else { 6_050 }, 1));
    run(&config, &Trace::from_records("alternating", writes.collect::<Vec<_>>())).unwrap();
}

/// Latencies beyond 1000 s used to be cut off there.
#[test]
fn percentiles_of_a_hopeless_backlog_are_not_cut_off() {
    let config = small(&[("flash.t_read", "1s"), ("warmup.kind", "filled")]);
    let reads: Vec<_> = (0..4_000).map(|_| at(0, Op::Read, 0, 1)).collect();
    let read = run(&config, &Trace::from_records("backlog", reads)).unwrap().results.requests.read;
    let seconds = |ns: u64| ns as f64 / 1e9;
    assert!((seconds(read.p50_ns) / 2_000.0 - 1.0).abs() < 0.01, "p50 {} s", seconds(read.p50_ns));
    assert!((seconds(read.p99_ns) / 3_960.0 - 1.0).abs() < 0.01, "p99 {} s", seconds(read.p99_ns));
}

/// A program used to stay suspended for as long as reads kept coming.
#[test]
fn a_suspended_program_gets_its_turn() {
    let set = [("flash.suspend.program", "true"), ("flash.suspend.limit", "1"), ("warmup.kind", "filled")];
    let mut records = vec![at(0, Op::Write, 0, 1)];
    // A read every 75 us keeps the die busy all the time.
    records.extend((0..200).map(|k| at(10 + 75 * k, Op::Read, 1, 1)));
    let results = run(&small(&set), &Trace::from_records("reads", records)).unwrap().results;
    assert_eq!(results.flash.suspends, 1);
    // Its own time, one read and what suspending costs; nothing near the 15 ms of the reads.
    assert!(results.requests.write.max_ns < 1_000_000, "{}", results.requests.write.max_ns);
}

/// Everything that ever queued behind a write without room used to count as waiting for collection for ever after.
#[test]
fn waiting_for_collection_is_not_inherited() {
    let set = [("scheduler", "fcfs"), ("gc.trigger.start", "2 blocks"), ("gc.trigger.hard", "1 block")];
    let writes: Vec<_> = (0..2_000).map(|k| at(k * 500, Op::Write, k % 32, 1)).collect();
    let outcome = {
        let options =
            RunOptions { audit: true, record_requests: true, record_gc: true, ..RunOptions::default() };
        let trace = Trace::from_records("steady", writes);
        simulate(&small(&set), &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    let log = outcome.gc_log.unwrap();
    let table = outcome.requests.unwrap();
    let last = table.op.len() - 1;
    let (from, to) = (table.arrival_ns[last], table.completion_ns[last]);
    // The last write can have lost no more time to collection than collection was under way while it waited.
    let overlap = |row: usize| log.end_ns[row].min(to).saturating_sub(log.start_ns[row].max(from));
    let collecting: u64 = (0..log.end_ns.len()).map(overlap).sum();
    assert!(table.gc_ns[last] <= collecting, "{} of {collecting} ns", table.gc_ns[last]);
    assert!(table.queue_ns[last] > 0, "a backlog of host writes is waiting for the host, too");
}

#[test]
fn facts_say_when_collection_really_starts() {
    for (start, stop) in [("1 block", "1 block"), ("1 block", "3 blocks"), ("4 blocks", "4 blocks")] {
        let set = [("gc.trigger.start", start), ("gc.trigger.stop", stop)];
        let config = small(&set);
        let predicted = derive_facts(&config, None).gc_starts_after_pages;
        let jobs_after = |writes: u64| {
            let records: Vec<_> = (0..writes).map(|k| at(k * 10_000, Op::Write, k % 32, 1)).collect();
            run(&config, &Trace::from_records("fill", records)).unwrap().results.gc.jobs
        };
        assert_eq!(jobs_after(predicted), 0, "{start} {stop}: {predicted}");
        assert!(jobs_after(predicted + 1) > 0, "{start} {stop}: {predicted}");
    }
}

#[test]
fn a_short_burst_of_large_requests_is_seen_as_overload() {
    let config = config("gc-bypass-mini", &[("warmup.kind", "filled")]);
    let reads = (0..400).map(|k| Record {
        time_ns: k * 5_000_000,
        offset_bytes: (k % 64) * (32 << 20),
        size_bytes: 32 << 20,
        op: Op::Read,
        stream: 0,
    });
    let trace = Trace::from_records("large", reads.collect::<Vec<_>>());
    let verdict = run(&config, &trace).unwrap().results.verdict;
    assert!(verdict.warnings.iter().any(|warning| warning.code == Code::UnboundedQueue), "{verdict:?}");
}

#[test]
fn a_trace_with_few_writes_on_a_used_drive_can_be_trusted() {
    let set = [("warmup.kind", "overwrite"), ("geometry.blocks_per_plane", "64")];
    let reads: Vec<_> =
        (0..500).map(|k| at(k * 1_000, Op::Read, k % 32, 1)).chain([at(600_000, Op::Write, 1, 1)]).collect();
    let verdict = run(&small(&set), &Trace::from_records("reads", reads)).unwrap().results.verdict;
    assert_eq!(verdict.level, Level::Trustworthy, "{verdict:?}");
}

#[test]
fn closed_loop_requests_that_end_at_once_do_not_shut_the_caller_out() {
    let config = small(&[("host.mode", "closed-loop")]);
    let reads: Vec<_> = (0..100_000).map(|_| at(0, Op::Read, 1, 1)).collect();
    let mut looks = 0;
    let trace = Trace::from_records("nothing", reads);
    let stop_soon = &mut |progress: &reclaim_sim::Progress| {
        looks += u32::from(progress.phase == "run");
        if looks == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = simulate(&config, &trace, &RunOptions::default(), stop_soon).unwrap_err();
    assert!(matches!(error, reclaim_sim::SimError::Interrupted), "{error}");
}

#[test]
fn a_restored_state_names_the_warm_up_that_made_it_and_damage_is_seen() {
    let path = std::env::temp_dir().join(format!("reclaim-review-{}", std::process::id()));
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let trace = Trace::from_records("one", vec![at(0, Op::Write, 0, 1)]);
    let mut options = RunOptions { snapshot_out: Some(path.clone()), ..RunOptions::default() };
    simulate(&small(&[("warmup.kind", "overwrite")]), &trace, &options, go_on).unwrap();
    options.snapshot_in = options.snapshot_out.take();
    let results = simulate(&small(&[]), &trace, &options, go_on).unwrap().results;
    assert_eq!(results.config.warmup.kind, reclaim_sim::config::WarmupKind::Overwrite);
    assert_eq!(results.facts.gc_starts_after_pages, 0);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = simulate(&small(&[]), &trace, &options, go_on).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
fn addresses_beyond_reason_are_not_compacted() {
    let far = Record { time_ns: 0, offset_bytes: 1 << 62, size_bytes: 4096, op: Op::Write, stream: 0 };
    let trace = Trace::from_records("far", vec![far]);
    let compacted = small(&[("trace.remap", "compact")]);
    let error =
        simulate(&compacted, &trace, &RunOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("check the unit of its offsets"), "{error}");
}
