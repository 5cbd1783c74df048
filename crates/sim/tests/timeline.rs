//! Timelines: what a row says is what the tables of requests and of jobs say of the same interval, and all rows
//! together are the results.

use crate::common::prelude::*;
use reclaim_sim::{RequestTable, Timeline};

/// 2 channels of 2 dies of 2 planes, of 32 blocks of 8 pages.
fn drive() -> TestDrive {
    TestDrive::of([2, 2, 1, 2])
        .blocks(32, 8)
        .set("geometry.spare_factor", "30%")
        .set("warmup.kind", "overwrite")
        .set("ftl.wear.static_threshold", 1)
}

/// Two of three are writes of a page, most of them among a tenth of the pages; the others read, trim and flush.
fn records(count: u64, gap_us: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(1, "records");
    let mut record = |number: u64| {
        let page = if stream.below(4) > 0 { stream.below(140) } else { stream.below(1_400) };
        let op = match stream.below(60) {
            0 => return at(number * gap_us, Op::Flush, 0, 0),
            1..3 => Op::Trim,
            3..20 => Op::Read,
            _ => Op::Write,
        };
        at(number * gap_us, op, u64::from(page), 1)
    };
    (0..count).map(&mut record).collect()
}

fn recorded(drive: &TestDrive, records: Vec<Record>) -> Outcome {
    with(drive, records, RunOptions { audit: true, ..RunOptions::default() })
}

fn with(drive: &TestDrive, records: Vec<Record>, options: RunOptions) -> Outcome {
    let options = RunOptions { record_timeline: true, record_requests: true, record_gc: true, ..options };
    let trace = Trace::from_records("timeline", records);
    go(&drive.config(), &trace, &options)
}

fn parts(outcome: &Outcome) -> (&Timeline, &RequestTable, &GcLog) {
    let Outcome { timeline, requests, gc_log, .. } = outcome;
    (timeline.as_ref().unwrap(), requests.as_ref().unwrap(), gc_log.as_ref().unwrap())
}

fn sum(column: &[u64]) -> u64 {
    column.iter().sum()
}

/// Rows follow each other without a gap, all but the last as long as 10 us times a power of two.
fn check_intervals(timeline: &Timeline) {
    let rows = timeline.start_ns.len();
    assert!(rows <= 2048, "{rows} rows");
    let interval = timeline.length_ns[0];
    if rows > 1 {
        assert!((interval / 10_000).is_power_of_two() && interval.is_multiple_of(10_000), "{interval} ns");
        assert!(rows >= 1024 || interval == 10_000, "{rows} rows of {interval} ns");
    }
    for row in 1..rows {
        assert_eq!(timeline.start_ns[row], timeline.start_ns[row - 1] + interval);
        assert!(
            timeline.length_ns[row] == interval || (row == rows - 1 && timeline.length_ns[row] <= interval)
        );
    }
}

#[rstest]
fn rows_add_up_to_the_results(
    #[values("start", "50%", "first-round")] after: &str,
    #[values("open-loop", "closed-loop")] mode: &str,
) {
    let drive = drive().set("measure.after", after).set("host.mode", mode);
    let outcome = recorded(&drive, records(6_000, 400));
    let (timeline, results) = (outcome.timeline.as_ref().unwrap(), &outcome.results);
    check_intervals(timeline);
    assert_eq!(Some(timeline.start_ns[0]), results.measure.from_ns);
    let end = timeline.start_ns[0] + sum(&timeline.length_ns);
    assert!(end > timeline.start_ns[0] + results.simulated_ns);

    let requests = &results.requests;
    let classes = [&requests.read, &requests.write, &requests.trim, &requests.flush];
    assert!(classes.iter().all(|class| class.count > 0), "the workload has requests of every class");
    assert_eq!(sum(&timeline.completed_requests), classes.iter().map(|class| class.count).sum::<u64>());
    let longest = classes.iter().map(|class| class.max_ns).max();
    assert_eq!(timeline.latency_max_ns.iter().max().copied(), longest);
    let flash = &results.flash;
    assert!(flash.gc_programs > 0 && flash.wear_programs > 0, "the workload makes the drive collect");
    let written = &results.written;
    assert!(written.host_bytes > 0);
    for (number, (column, total)) in [
        (&timeline.host_programs, flash.host_programs),
        (&timeline.gc_programs, flash.gc_programs),
        (&timeline.wear_programs, flash.wear_programs),
        (&timeline.erases, flash.erases),
        (&timeline.wear_erases, flash.wear_erases),
        (&timeline.jobs_begun, results.gc.jobs),
        (&timeline.host_bytes, written.host_bytes),
        (&timeline.nand_bytes, written.nand_bytes),
        (&timeline.nand_host_bytes, written.nand_host_bytes),
        (&timeline.nand_collection_bytes, written.nand_collection_bytes),
        (&timeline.nand_levelling_bytes, written.nand_levelling_bytes),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(sum(column), total, "column {number}");
    }
    assert!(timeline.buffered_pages.iter().max() <= Some(&u64::from(results.buffer.max_pages)));
    assert!(timeline.outstanding_requests.iter().max() <= Some(&results.max_outstanding_requests));
}

#[rstest]
fn space_balances_in_every_row(#[values("start", "50%")] after: &str) {
    let drive = drive().set("measure.after", after);
    let geometry = Geometry::new(&drive.config()).unwrap();
    let (pages, per_block) = (u64::from(geometry.pages()), u64::from(geometry.pages_per_block));
    let outcome = recorded(&drive, records(6_000, 400));
    let timeline = outcome.timeline.as_ref().unwrap();
    for row in 0..timeline.start_ns.len() {
        let used = timeline.used_pages[row];
        assert!(timeline.valid_pages[row] <= used);
        // What is not used is erased: whole blocks, and what is left of up to two open ones in each plane.
        let in_open_blocks = pages - used - timeline.free_blocks[row] * per_block;
        assert!(in_open_blocks <= 2 * u64::from(geometry.planes()) * per_block);
        if row > 0 {
            let programs = timeline.host_programs[row]
                + timeline.gc_programs[row]
                + timeline.wear_programs[row]
                + timeline.padded_pages[row]
                + timeline.wasted_pages[row];
            let erased = (timeline.erases[row] + timeline.wear_erases[row]) * per_block;
            assert_eq!(used + erased, timeline.used_pages[row - 1] + programs, "row {row}");
        }
    }
    let most = timeline.used_pages.iter().max().unwrap() - timeline.used_pages.iter().min().unwrap();
    assert!(most > per_block, "the workload fills and empties blocks");
}

/// Whatever both tables know of an interval.
#[rstest]
#[case("start", 400)]
#[case("start", 60)]
#[case("50%", 400)]
fn rows_say_what_requests_and_jobs_say(#[case] after: &str, #[case] gap_us: u64) {
    let drive = drive().set("measure.after", after);
    let outcome = recorded(&drive, records(2_000, gap_us));
    let (timeline, requests, log) = parts(&outcome);
    check_intervals(timeline);
    let jobs = || log.start_ns.iter().zip(&log.end_ns).zip(log.plane.iter().zip(&log.cause));
    for row in 0..timeline.start_ns.len() {
        let start = timeline.start_ns[row];
        let end = start + timeline.length_ns[row];
        let within = |time: u64| (start..end).contains(&time);
        let latencies: Vec<u64> = requests
            .completion_ns
            .iter()
            .zip(&requests.arrival_ns)
            .filter(|(completion, _)| within(**completion))
            .map(|(completion, arrival)| completion - arrival)
            .collect();
        assert_eq!(timeline.completed_requests[row], latencies.len() as u64, "row {row}");
        assert_eq!(timeline.latency_sum_ns[row], sum(&latencies));
        assert_eq!(timeline.latency_max_ns[row], latencies.iter().max().copied().unwrap_or(0));
        let of = |cause: u8, time: &[u64]| {
            time.iter().zip(&log.cause).filter(|(time, of)| within(**time) && **of == cause).count() as u64
        };
        assert_eq!(timeline.jobs_begun[row], of(0, &log.start_ns));
        assert_eq!(timeline.erases[row], of(0, &log.end_ns));
        assert_eq!(timeline.wear_erases[row], of(1, &log.end_ns));
        // What begins or ends at the end of an interval does so in the next.
        let under_way = || jobs().filter(|((from, to), _)| **from < end && **to >= end);
        assert_eq!(timeline.gc_jobs[row], under_way().count() as u64, "row {row}");
        // Four planes have a channel in common.
        let mut channels: Vec<u32> = under_way().map(|(_, (plane, _))| plane / 4).collect();
        channels.sort_unstable();
        channels.dedup();
        assert_eq!(timeline.gc_channels[row], channels.len() as u64);
        if after == "start" {
            let open = requests.arrival_ns.iter().zip(&requests.completion_ns);
            let open =
                open.filter(|(arrival, completion)| **arrival < end && **completion >= end).count() as u64;
            assert_eq!(timeline.outstanding_requests[row], open);
        }
    }
    assert!(timeline.gc_channels.contains(&2), "both channels collect at some time");
    assert!(timeline.pending_operations.iter().any(|pending| *pending > 0));
}

#[test]
fn a_run_that_is_never_measured_has_no_rows() {
    let drive = TestDrive::one_plane().set("measure.after", "first-round");
    let outcome = recorded(&drive, vec![at(0, Op::Write, 0, 1)]);
    assert_eq!((outcome.results.measure.from_ns, outcome.timeline), (None, Some(Timeline::default())));
}

#[test]
fn a_saved_state_is_as_full_as_the_drive_was() {
    let path = Saved::new();
    let saving = RunOptions { snapshot_out: Some(path.0.clone()), ..RunOptions::default() };
    let restoring = RunOptions { snapshot_in: Some(path.0.clone()), ..RunOptions::default() };
    let saved = with(&drive(), records(200, 400), saving);
    let restored = with(&drive(), records(200, 400), restoring);
    assert_eq!(restored.timeline, saved.timeline);
}

#[test]
fn frames_of_blocks_end_as_the_drive_does_and_change_nothing() {
    let plain = with(&drive(), records(4_000, 60), RunOptions::default());
    let watched =
        with(&drive(), records(4_000, 60), RunOptions { record_blocks: true, ..RunOptions::default() });
    assert_eq!(plain.results, watched.results);
    assert_eq!(plain.timeline, watched.timeline);
    assert_eq!(plain.block_frames, None);
    let (frames, timeline) = (watched.block_frames.unwrap(), watched.timeline.unwrap());
    let blocks = 2 * 2 * 2 * 32_usize;
    let mut now = vec![(0, 0, 0); blocks];
    for row in 0..frames.block.len() {
        now[frames.block[row] as usize] =
            (frames.state[row], frames.written_pages[row], frames.valid_pages[row]);
    }
    let sum = |of: fn(&(u8, u32, u32)) -> u32| now.iter().map(of).map(u64::from).sum::<u64>();
    assert_eq!(Some(&sum(|each| each.2)), timeline.valid_pages.last());
    assert_eq!(Some(&sum(|each| each.1)), timeline.used_pages.last());
    assert_eq!(Some(&sum(|each| u32::from(each.0 == 0))), timeline.free_blocks.last());
    let first = frames.at_ns[0];
    assert_eq!(frames.at_ns.iter().filter(|at| **at == first).count(), blocks, "the first moment has all");
}

/// Three pages and their parity, four in all, are in the write buffer until the last is programmed: in the 76th
/// interval of 10 us.
#[test]
fn pages_of_a_stripe_are_in_the_buffer_until_all_are_programmed() {
    let stripes = TestDrive::of([4, 1, 1, 1])
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", 4);
    let held = recorded(&stripes, vec![at(0, Op::Write, 0, 3)]).timeline.unwrap().buffered_pages.clone();
    assert_eq!((&held[..75], held.last()), (&[4; 75][..], Some(&0)));
}
