//! Situations that once went wrong.

use crate::common::prelude::*;
use reclaim_sim::results::Code;

fn small(more: &[(&str, &str)]) -> TestDrive {
    TestDrive::one_plane().set("gc.trigger.start", "5%").with(more)
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
    let drive = small(&[("flash.t_read", "1s"), ("warmup.kind", "filled")]);
    let read = drive.run(vec![at(0, Op::Read, 0, 1); 4_000]).results.requests.read;
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
    let results = small(&set).run(records).results;
    assert_eq!(results.flash.suspends, 1);
    // Its own time, one read and what suspending costs; nothing near the 15 ms of the reads.
    assert!(results.requests.write.max_ns < 1_000_000, "{}", results.requests.write.max_ns);
}

/// Everything that ever queued behind a write without room used to count as waiting for collection for ever after.
#[test]
fn waiting_for_collection_is_not_inherited() {
    let set = [("scheduler", "fcfs"), ("gc.trigger.start", "2 blocks"), ("gc.trigger.hard", "1 block")];
    let writes: Vec<_> = (0..2_000).map(|k| at(k * 500, Op::Write, k % 32, 1)).collect();
    let outcome = small(&set).run(writes);
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
fn closed_loop_requests_that_end_at_once_do_not_shut_the_caller_out() {
    let config = small(&[("host.mode", "closed-loop")]).config();
    let mut looks = 0;
    let trace = Trace::from_records("nothing", vec![at(0, Op::Read, 1, 1); 100_000]);
    let stop_soon = &mut |progress: &reclaim_sim::Progress| {
        looks += u32::from(progress.phase == "run");
        if looks == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = simulate(&config, &trace, &RunOptions::default(), stop_soon).unwrap_err();
    assert!(matches!(error, reclaim_sim::SimError::Interrupted), "{error}");
}

#[test]
fn addresses_beyond_reason_are_not_compacted() {
    let far = Record { time_ns: 0, offset_bytes: 1 << 62, size_bytes: 4096, op: Op::Write, stream: 0 };
    let trace = Trace::from_records("far", vec![far]);
    let compacted = small(&[("trace.remap", "compact")]).config();
    assert!(run(&compacted, &trace).unwrap_err().to_string().contains("unit of its offsets"));
}
