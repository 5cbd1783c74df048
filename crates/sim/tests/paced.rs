//! Paced collection, to the nanosecond: a job waits for the host until one of the reasons to go on holds.

use crate::common::prelude::*;

/// One plane of 13 blocks of 4 pages, of which the host sees 24, all written; then two pages of each of the six blocks
/// anew, which leaves four blocks free. The next write opens another, and its job relocates pages 2 and 3 of block 0.
const WRITTEN: [u64; 12] = [0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21];

/// Arrivals after the write with which the job begins, ns: one at once, the others while something else is under way,
/// so that there is always a write behind what the job has queued.
const ARRIVALS: [u64; 5] = [0, 0, 1_100_000, 2_300_000, 3_200_000];

/// Latencies of these writes, and the end of the job since then. Operations go in the order in which they were queued.
fn run(pace: &str, more: &[(&str, &str)]) -> (Vec<u64>, u64) {
    let pages: Vec<u64> = (0..24).chain(WRITTEN).collect();
    let mut records = spaced_writes(&pages);
    let begin = records[records.len() - 1].time_ns + 10_000_000;
    let writes = ARRIVALS.iter().zip([0, 1, 0, 1, 0]);
    records.extend(writes.map(|(after, page)| at_ns(begin + after, Op::Write, page)));
    let set = [
        ("geometry.blocks_per_plane", "13"),
        ("gc.trigger.start", "3 blocks"),
        ("gc.trigger.hard", "off"),
        ("scheduler", "fcfs"),
        ("gc.pace", pace),
    ];
    let drive = TestDrive::of([1, 1, 1, 1]).set("geometry.spare_factor", "53.8%");
    let outcome = drive.with(&set).with(more).run(records);
    let log = outcome.gc_log.as_ref().unwrap();
    assert_eq!((log.victim_block[0], log.valid_pages[0], log.start_ns[0]), (0, 2, begin));
    (rows(&outcome).split_off(pages.len()), log.end_ns[0] - begin)
}

/// What the five writes take if they end at these times.
fn latencies(ends: [u64; 5]) -> Vec<u64> {
    ends.iter().zip(ARRIVALS).map(|(end, arrival)| end - arrival).collect()
}

/// The job's first read is queued before the second write; from then on job and host take turns.
#[rstest]
#[case::without_a_pace("off", &[])]
#[case::urgent("0%", &[("gc.trigger.hard", "3 blocks")])]
fn a_job_that_need_not_wait_takes_turns_with_the_host(#[case] pace: &str, #[case] more: &[(&str, &str)]) {
    let ends = [WRITE, 2 * WRITE + READ, 4 * WRITE + READ, 5 * WRITE + READ, 6 * WRITE + 2 * READ];
    let end = 7 * WRITE + 2 * READ + ERASE;
    assert_eq!(run(pace, more), (latencies(ends), end));
}

/// The victim wins two pages for two that are relocated, so the job has a page for each that the host takes after it
/// has begun: the second write's, which is under way while the third waits.
#[rstest]
#[case("by-victim")]
#[case("100%")]
fn a_job_relocates_a_page_for_a_page(#[case] pace: &str) {
    // W1 W2 R W3 P W4 R W5 P E: both reads are queued as soon as a write begins, or the move before has ended.
    let ends = [WRITE, 2 * WRITE, 3 * WRITE + READ, 5 * WRITE + READ, 6 * WRITE + 2 * READ];
    let end = 7 * WRITE + 2 * READ + ERASE;
    assert_eq!(run(pace, &[]), (latencies(ends), end));
}

/// At 30% the first page goes with the first that the host takes, but the second with the fourth, which is W5's.
#[test]
fn a_job_waits_until_the_host_has_written_enough() {
    // W1 W2 R W3 P W4 W5 R P E
    let ends = [WRITE, 2 * WRITE, 3 * WRITE + READ, 5 * WRITE + READ, 6 * WRITE + READ];
    let end = 7 * WRITE + 2 * READ + ERASE;
    // Pages count when their step begins: a second step does not begin with the same page of the host.
    for in_flight in ["1", "2"] {
        assert_eq!(run("30%", &[("gc.pages_in_flight", in_flight)]), (latencies(ends), end));
    }
}

/// At 0% the job goes on only while nothing of the host is under way: between the third write and the fourth, and after
/// the fifth.
#[test]
fn a_job_goes_on_while_the_host_rests() {
    // W1 W2 W3 | R W4 P W5 | R P E
    let ends = [WRITE, 2 * WRITE, 3 * WRITE, 4 * WRITE + READ, 6 * WRITE + READ];
    let end = 7 * WRITE + 2 * READ + ERASE;
    assert_eq!(run("0%", &[]), (latencies(ends), end));
}

/// Behind the first of many writes at once there is room for eleven: three in the block that it opened, and two blocks
/// beside the one that is kept for the job. As soon as eleven wait there, the job need not wait, whatever its pace.
#[test]
fn a_job_of_a_plane_without_room_for_the_host_does_not_wait() {
    let pages: Vec<u64> = (0..24).chain(WRITTEN).collect();
    let set = [
        ("geometry.blocks_per_plane", "13"),
        ("gc.trigger.start", "3 blocks"),
        ("gc.trigger.hard", "off"),
        ("gc.pace", "0%"),
    ];
    let drive = TestDrive::of([1, 1, 1, 1]).set("geometry.spare_factor", "53.8%").with(&set);
    let second_write = |writes: u64| {
        let mut records = spaced_writes(&pages);
        let begin = records[records.len() - 1].time_ns + 10_000_000;
        records.extend((0..writes).map(|_| at_ns(begin, Op::Write, 0)));
        let set = [("scheduler", "type-first"), ("scheduler.gc_first", "always")];
        let outcome = drive.clone().with(&set).run(records);
        // Only if the job does not wait its operations go before the writes behind the first.
        rows(&outcome).split_off(pages.len() + 1)[0]
    };
    assert_eq!(second_write(11), 2 * WRITE, "there is room for one more than the ten that wait");
    // The block that the first job wins is one of the three at which the next begins.
    let job = 2 * (READ + WRITE) + ERASE;
    assert_eq!(second_write(12), WRITE + 2 * job + WRITE);
}
