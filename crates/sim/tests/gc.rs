//! Collection jobs in small, hand-made situations: when they start, which block, how long, who waits.

use crate::common::{TestDrive, at};
use reclaim_sim::{GcLog, Outcome};
use reclaim_trace::{Op, Record, Trace, UniformSpec};
use rstest::rstest;

const COMMAND: u64 = 7;
const ERASE: u64 = 5 + 3_800_000;
const DATA: u64 = 4096;
const READ: u64 = COMMAND + 75_000 + DATA;
const WRITE: u64 = COMMAND + DATA + 750_000;

/// One plane of 8 blocks of 4 pages; the host sees 16 of the 32. Collection at one free block.
fn one_plane(more: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    TestDrive::one_plane().blocks(8, 4).with(more).run(records)
}

/// Writes of `pages`, ten milliseconds apart, so that the drive is at rest before each.
fn writes(pages: &[u64]) -> Vec<Record> {
    pages.iter().enumerate().map(|(k, page)| at(k as u64 * 10_000, Op::Write, *page, 1)).collect()
}

/// Blocks 0 to 6 filled: 0-3, 4-7, 8-11, 12-15, then pages 0-3 over block 0 except that page 3 is left out, and so on.
fn history() -> Vec<u64> {
    let mut pages: Vec<u64> = (0..16).collect();
    // Block 4: leaves page 3 valid in block 0. Block 5: leaves 5 and 7 in block 1, 9 in block 2, 12 in block 3.
    pages.extend([0, 1, 2, 4]);
    pages.extend([6, 8, 10, 11]);
    // Opening block 6 leaves one free block: collection starts with this page.
    pages.push(13);
    pages
}

fn job(log: &GcLog, row: usize) -> (u32, u32, u64) {
    (log.victim_block[row], log.valid_pages[row], log.end_ns[row] - log.start_ns[row])
}

#[test]
fn collection_starts_when_the_last_but_one_block_is_opened() {
    let pages = history();
    let before = one_plane(&[], writes(&pages[..pages.len() - 1]));
    assert_eq!(before.results.gc.jobs, 0);
    assert_eq!(before.results.verdict.warnings[0].code, reclaim_sim::results::Code::GcNeverRan);
    let after = one_plane(&[], writes(&pages));
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
        let log = one_plane(&set, writes(&history())).gc_log.unwrap();
        // The job begins while the write that triggered it holds the die.
        let expected = WRITE + u64::from(valid) * per_page + ERASE;
        assert_eq!(job(&log, 0), (block, valid, expected), "{victim} {relocation}");
        assert_eq!(log.free_blocks_after[0], 1, "one block reclaimed, one opened for the relocated page");
    }
}

#[test]
fn a_trimmed_block_is_erased_without_a_move() {
    let mut records = writes(&history());
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
    let mut records = writes(&history());
    // Page 3 is the only valid page of the victim; the host overwrites it while the victim waits for the die.
    let trigger = records.last().unwrap().time_ns;
    records.push(Record { time_ns: trigger + 1_000, ..at(0, Op::Write, 3, 1) });
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

#[rstest]
#[case("striping")]
#[case("dynamic")]
fn the_breakdown_of_every_request_adds_up_to_its_latency(#[case] allocation: &str) {
    let set = [
        ("ftl.allocation", allocation),
        ("geometry.blocks_per_plane", "32"),
        ("geometry.pages_per_block", "16"),
        ("geometry.spare_factor", "25%"),
        ("gc.trigger.start", "2 blocks"),
        ("warmup.kind", "overwrite"),
    ];
    let trace = Trace::uniform(UniformSpec {
        footprint_bytes: 40 << 20,
        request_bytes: 6 << 10,
        count: 20_000,
        write_fraction: 0.6,
        trim_fraction: 0.05,
        mean_interarrival_ns: 100_000,
        seed: 1,
    });
    let table = TestDrive::preset().with(&set).play(&trace).requests.unwrap();
    let mut waited_for_gc = 0;
    for row in 0..table.op.len() {
        let on_drive = table.queue_ns[row] + table.gc_ns[row] + table.transfer_ns[row] + table.array_ns[row];
        let parts = on_drive + table.link_ns[row];
        assert_eq!(parts, table.completion_ns[row] - table.arrival_ns[row], "row {row}");
        waited_for_gc += u64::from(table.gc_ns[row] > 0);
    }
    assert!(waited_for_gc > 100, "collection must have been in somebody's way: {waited_for_gc}");
}

#[test]
fn at_most_half_of_the_channels_collect_at_once() {
    let most_at_once = |concurrency: &str| {
        let set = [
            ("gc.concurrency", concurrency),
            ("geometry.blocks_per_plane", "64"),
            ("geometry.pages_per_block", "16"),
            ("geometry.spare_factor", "25%"),
            ("gc.trigger.start", "6 blocks"),
            ("gc.trigger.hard", "1 block"),
            ("warmup.kind", "overwrite"),
        ];
        let trace = Trace::uniform(UniformSpec {
            footprint_bytes: 300 << 20,
            request_bytes: 4 << 10,
            count: 20_000,
            write_fraction: 1.0,
            trim_fraction: 0.0,
            mean_interarrival_ns: 400_000,
            seed: 1,
        });
        let outcome = TestDrive::preset().with(&set).play(&trace);
        let low_water = outcome.results.gc.free_blocks_low_water;
        assert!(low_water > 1, "an urgent plane may not be held back, so none may become urgent here");
        let log = outcome.gc_log.unwrap();
        let mut edges: Vec<(u64, bool, u32)> = (0..log.plane.len())
            .flat_map(|row| {
                let channel = log.plane[row] / 32;
                [(log.start_ns[row], true, channel), (log.end_ns[row], false, channel)]
            })
            .collect();
        // At one instant ends come first: a job may begin when another ends.
        edges.sort_by_key(|(time, begins, channel)| (*time, *begins, *channel));
        let mut jobs = [0_u32; 4];
        let mut most = 0;
        for (_, begins, channel) in edges {
            if begins {
                jobs[channel as usize] += 1;
            } else {
                jobs[channel as usize] -= 1;
            }
            most = most.max(jobs.iter().filter(|jobs| **jobs > 0).count());
        }
        most
    };
    assert_eq!(most_at_once("all"), 4);
    assert_eq!(most_at_once("channels"), 2);
}

/// A write and a read wait for a die at work: who goes first?
#[rstest]
#[case("read-first", [WRITE, 2 * WRITE + READ - 1_000, WRITE + READ - 2_000])]
#[case("fcfs", [WRITE, 2 * WRITE - 1_000, 2 * WRITE + READ - 2_000])]
fn schedulers_order_what_waits(#[case] scheduler: &str, #[case] expected: [u64; 3]) {
    let records = vec![at(0, Op::Write, 0, 1), at(1, Op::Write, 1, 1), at(2, Op::Read, 5, 1)];
    let set = [("scheduler", scheduler), ("warmup.kind", "filled")];
    let table = one_plane(&set, records).requests.unwrap();
    let mut rows: Vec<_> =
        (0..3).map(|r| (table.arrival_ns[r], table.completion_ns[r] - table.arrival_ns[r])).collect();
    rows.sort_unstable();
    assert_eq!(rows.into_iter().map(|(_, latency)| latency).collect::<Vec<_>>(), expected);
}
