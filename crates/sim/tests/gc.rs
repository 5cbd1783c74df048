//! Collection jobs in small, hand-made situations: when they start, which block, how long, who waits.

use crate::common::prelude::*;

/// One plane of 8 blocks of 4 pages; the host sees 16 of the 32. Collection at one free block.
fn one_plane(more: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    TestDrive::one_plane().blocks(8, 4).with(more).run(records)
}

fn job(log: &GcLog, row: usize) -> (u32, u32, u64) {
    (log.victim_block[row], log.valid_pages[row], log.end_ns[row] - log.start_ns[row])
}

#[test]
fn collection_starts_when_the_last_but_one_block_is_opened() {
    let before = one_plane(&[], history()[..24].to_vec());
    assert_eq!(before.results.gc.jobs, 0);
    assert_eq!(before.results.verdict.warnings[0].code, reclaim_sim::results::Code::GcNeverRan);
    let after = one_plane(&[], history());
    // The first job reclaims a block but opens one for the page it moves; the second leaves two free.
    assert_eq!(after.results.gc.jobs, 2);
    assert_eq!(after.gc_log.unwrap().free_blocks_after, [1, 2]);
}

#[rstest]
// Valid pages: block 0 has 3 (page 3), block 1 has 5 and 7, block 2 has 9, block 3 has 12, 14 and 15 (13 is being
// overwritten). Greedy takes block 0 before block 2: both have one, block 0 was left unchanged longer.
#[case("greedy", 0, 1)]
// The first one sealed.
#[case("fifo", 0, 1)]
fn victim_and_duration(#[case] victim: &str, #[case] block: u32, #[case] valid: u32) {
    for (relocation, per_page) in [("controller", READ + WRITE), ("copyback", 2 * COMMAND + 75_000 + 750_000)]
    {
        let set = [("gc.victim", victim), ("gc.relocation", relocation)];
        let log = one_plane(&set, history()).gc_log.unwrap();
        // The job begins while the write that triggered it holds the die.
        let expected = WRITE + u64::from(valid) * per_page + ERASE;
        assert_eq!(job(&log, 0), (block, valid, expected), "{victim} {relocation}");
        assert_eq!(log.free_blocks_after[0], 1, "one block reclaimed, one opened for the relocated page");
    }
}

#[test]
fn a_trimmed_block_is_erased_without_a_move() {
    let mut records = history();
    let last = records.pop().unwrap();
    records.push(at(235_000, Op::Trim, 4, 4));
    records.push(Record { time_ns: 240_000_000, ..last });
    let outcome = one_plane(&[], records);
    let log = outcome.gc_log.unwrap();
    assert_eq!(job(&log, 0), (1, 0, WRITE + ERASE));
    assert_eq!(outcome.results.gc.pages_moved, 0);
}

#[test]
fn a_page_overwritten_while_its_block_is_collected_is_not_moved() {
    let mut records = history();
    // Page 3 is the only valid page of the victim; the host overwrites it while the victim waits for the die.
    let trigger = records.last().unwrap().time_ns;
    records.push(at_ns(trigger + 1_000, Op::Write, 3));
    let outcome = one_plane(&[], records);
    assert_eq!(outcome.results.gc.dropped_moves, 1);
    assert_eq!(outcome.results.gc.pages_moved, 0);
}

#[test]
fn host_writes_wait_for_space_and_lose_nothing() {
    // First come, first served: collection has to queue behind the very writes that need its space.
    let records: Vec<_> = (0..400).map(|k| at(0, Op::Write, (k * k * 7 + k) % 16, 1)).collect();
    let set = [("scheduler", "fcfs"), ("host.mode", "closed-loop"), ("host.queue_depth", "8")];
    let outcome = one_plane(&set, records);
    let results = &outcome.results;
    assert_eq!(results.requests.write.count, 400);
    assert!(results.gc.stalled_writes > 0 && results.gc.host_write_stall_ns > 0, "{:?}", results.gc);
    assert!(results.requests.write.breakdown.gc_ns > 0.0);
    assert!(results.audit.as_ref().is_some_and(|audit| audit.passed));
}

/// The parts of every latency add up to it.
#[rstest]
#[case("striping")]
#[case("dynamic")]
fn the_breakdown_of_every_request_adds_up_to_its_latency(#[case] allocation: &str) {
    let drive = TestDrive::of([2, 2, 1, 2]).blocks(32, 16).set("ftl.allocation", allocation);
    let drive = drive.with(&[("geometry.spare_factor", "25%"), ("warmup.kind", "overwrite")]);
    let table = drive.set("gc.trigger.start", "2 blocks").play(&uniform(3_000, 10_000, 0.6, 400_000, 1));
    let table = table.requests.unwrap();
    for row in 0..table.op.len() {
        let on_drive = table.queue_ns[row] + table.gc_ns[row] + table.transfer_ns[row] + table.array_ns[row];
        let latency = table.completion_ns[row] - table.arrival_ns[row];
        assert_eq!(on_drive + table.link_ns[row], latency, "row {row}");
    }
    let waited_for_gc = table.gc_ns.iter().filter(|gc| **gc > 0).count();
    assert!(waited_for_gc > 100, "collection must have been in somebody's way: {waited_for_gc}");
}
