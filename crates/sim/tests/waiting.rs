//! Whose fault waiting is: every request's time behind the host, for collection, on the channel and in the array, to
//! the nanosecond.

use crate::common::{TestDrive, at, spaced_writes};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

const TRANSFER: u64 = 7 + 4096;
const READ: u64 = TRANSFER + 75_000;
const WRITE: u64 = TRANSFER + 750_000;
const ERASE: u64 = 5 + 3_800_000;

/// One plane of 8 blocks of 4 pages, 16 of them for the host. Pages 0 to 15 in order, then nine again: the last opens
/// block 6 and starts collection, of block 0 for page 3 and then of block 2 for page 9.
fn history() -> Vec<Record> {
    let pages: Vec<u64> = (0..16).chain([0, 1, 2, 4, 6, 8, 10, 11, 13]).collect();
    spaced_writes(&pages)
}

/// When the last write of the history comes, and when it lets go of the die and the job begins to work.
const TRIGGER: u64 = 24 * 10_000_000;
const JOB: u64 = TRIGGER + WRITE;
const BOTH_JOBS: u64 = 2 * (READ + WRITE + ERASE);

/// Queue, GC, transfer and array time of the request that came at `time_ns`; of several the one that ended last.
fn parts(outcome: &Outcome, time_ns: u64) -> [u64; 4] {
    let table = outcome.requests.as_ref().unwrap();
    let rows = (0..table.op.len()).filter(|row| table.arrival_ns[*row] == time_ns);
    let row = rows.max_by_key(|row| table.completion_ns[*row]).unwrap();
    [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]]
}

fn with(more: &[(&str, &str)], mut records: Vec<Record>, time_ns: u64, op: Op, page: u64) -> [u64; 4] {
    records.push(Record { time_ns, ..at(0, op, page, 1) });
    let set = [&[("geometry.blocks_per_plane", "8")], more].concat();
    parts(&TestDrive::one_plane().with(&set).run(records), time_ns)
}

/// A read of page 5 while the jobs of its plane go first, because one free block is left.
#[rstest]
// Behind the write that started collection, then behind both jobs.
#[case(TRIGGER + 1_000, WRITE - 1_000, BOTH_JOBS)]
// In the job's read, in its program, in its erase.
#[case(JOB + 1_000, 0, BOTH_JOBS - 1_000)]
#[case(JOB + READ + 1_000, 0, BOTH_JOBS - READ - 1_000)]
#[case(JOB + READ + WRITE + 1_000, 0, BOTH_JOBS - READ - WRITE - 1_000)]
// In the second job's erase.
#[case(JOB + BOTH_JOBS - 1, 0, 1)]
#[case(JOB + BOTH_JOBS, 0, 0)]
fn for_the_die(#[case] time_ns: u64, #[case] queue: u64, #[case] gc: u64) {
    assert_eq!(with(&[], history(), time_ns, Op::Read, 5), [queue, gc, TRANSFER, 75_000]);
}

/// Copyback holds the die without data on the channel: two commands, tR and tPROG.
#[test]
fn for_the_die_that_copies_back() {
    let set = [("gc.relocation", "copyback")];
    let jobs = 2 * (7 + 75_000 + 7 + 750_000 + ERASE);
    assert_eq!(with(&set, history(), JOB + 1_000, Op::Read, 5), [0, jobs - 1_000, TRANSFER, 75_000]);
}

/// Two chips of one die on a channel, both filled; page k of chip 0 is page 2k of the drive. The job of chip 0 reads
/// from JOB on, and its data is on the channel from 75,007 to 79,103 after that; then it programs, with data until
/// 83,206.
#[rstest]
// To send its command: 3,103 ns behind data of the job.
#[case(76_000, [0, 3_103, TRANSFER, 75_000])]
// Commands go before programs: the job's program comes after it.
#[case(79_000, [0, 103, TRANSFER, 75_000])]
// To send its command: 3,206 ns behind the data of the job's program.
#[case(80_000, [0, 3_206, TRANSFER, 75_000])]
// To bring its data: the array is done at 75,507, the channel is free at 79,103.
#[case(500, [0, 79_103 - 75_507, TRANSFER, 75_000])]
// A free channel.
#[case(90_000, [0, 0, TRANSFER, 75_000])]
fn for_a_channel_that_carries_relocated_pages(#[case] after: u64, #[case] expected: [u64; 4]) {
    let two_chips =
        [("geometry.chips_per_channel", "2"), ("geometry.blocks_per_plane", "8"), ("warmup.kind", "filled")];
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 2 * page));
    let job = 8 * 10_000_000 + WRITE;
    records.push(Record { time_ns: job + after, ..at(0, Op::Read, 1, 1) });
    assert_eq!(parts(&TestDrive::one_plane().with(&two_chips).run(records), job + after), expected);
}

/// The same channel, taken by a read of the other chip for the host from 75,007 to 79,103.
#[test]
fn for_a_channel_that_carries_data_of_the_host() {
    let two_chips = [("geometry.chips_per_channel", "2"), ("warmup.kind", "filled")];
    let records = vec![at(0, Op::Read, 0, 1), Record { time_ns: 76_000, ..at(0, Op::Read, 1, 1) }];
    assert_eq!(
        parts(&TestDrive::one_plane().with(&two_chips).run(records), 76_000),
        [3_103, 0, TRANSFER, 75_000]
    );
}

/// First come, first served; four writes of page 13 come a microsecond after the write that started collection. The
/// job's read was queued before them and its program after them. Three of them fill block 6, which then holds nothing
/// but old versions. The fourth finds one free block, the collector's, and is stalled: through the program, which opens
/// that block, the erase, which gives one back, and a second job, which only erases block 6.
#[test]
fn for_space() {
    let mut records = history();
    let time_ns = TRIGGER + 1_000;
    records.extend([Record { time_ns, ..at(0, Op::Write, 13, 1) }; 4]);
    let set = [("geometry.blocks_per_plane", "8"), ("scheduler", "fcfs")];
    let outcome = TestDrive::one_plane().with(&set).run(records);
    let queue = WRITE - 1_000 + 3 * WRITE;
    let stalled = WRITE + 2 * ERASE;
    assert_eq!(parts(&outcome, time_ns), [queue, READ + stalled, TRANSFER, 750_000]);
    let gc = &outcome.results.gc;
    assert_eq!((gc.stalled_writes, gc.host_write_stall_ns), (1, stalled));
    assert_eq!(outcome.gc_log.unwrap().victim_block[..2], [0, 6]);
}

/// A program set aside for a read waits behind the host until it goes on; what going on costs is array time.
#[test]
fn for_a_read_that_interrupts() {
    let set = [
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "20us"),
        ("flash.suspend.t_resume", "5us"),
        ("warmup.kind", "filled"),
    ];
    let records = vec![at(0, Op::Write, 0, 1), at(100, Op::Read, 5, 1)];
    let outcome = TestDrive::one_plane().with(&set).run(records);
    assert_eq!(parts(&outcome, 100_000), [20_000, 0, TRANSFER, 75_000]);
    assert_eq!(parts(&outcome, 0), [20_000 + READ, 0, TRANSFER, 755_000]);
    assert_eq!(outcome.results.flash.suspends, 1);
}

/// Half a page over a full one: the rest is read first, and both are the write's own time.
#[test]
fn for_nothing_but_its_own_read() {
    let half = Record { size_bytes: 2048, ..at(0, Op::Write, 5, 1) };
    let outcome = TestDrive::one_plane().with(&[("warmup.kind", "filled")]).run(vec![half]);
    assert_eq!(parts(&outcome, 0), [0, 0, 2 * TRANSFER, 825_000]);
    assert_eq!(outcome.results.flash.rmw_reads, 1);
    assert_eq!(outcome.results.flash.host_reads, 0, "no read of the host's");
}

/// A write while the jobs of its plane go first: in the job's read, in the data of that, in its program, in its erase.
/// Where the plane reads by itself all of it is collection, too.
#[rstest]
fn for_the_die_that_reads_by_itself(
    #[values(&[("flash.plane_reads", "shared")][..],
             &[("flash.plane_reads", "independent")],
             &[("flash.plane_reads", "independent"), ("flash.cache_reads", "true")])]
    reads: &[(&str, &str)],
    #[values(1_000, 76_000, READ + 1_000, READ + WRITE + 1_000)] after: u64,
) {
    let expected = [0, BOTH_JOBS - after, TRANSFER, 750_000];
    assert_eq!(with(reads, history(), JOB + after, Op::Write, 5), expected);
}

/// A write to plane 1 of a die while plane 0 reads for collection: it waits for that, and then for the rest of both
/// jobs.
#[rstest]
fn for_another_plane_of_the_die(#[values("shared", "independent")] reads: &str) {
    let set = [
        ("geometry.planes_per_die", "2"),
        ("geometry.blocks_per_plane", "8"),
        ("flash.multi_plane", "off"),
        ("flash.plane_reads", reads),
        ("warmup.kind", "filled"),
    ];
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 2 * page));
    let time_ns = 8 * 10_000_000 + WRITE + 1_000;
    records.push(Record { time_ns, ..at(0, Op::Write, 1, 1) });
    let outcome = TestDrive::one_plane().with(&set).run(records);
    assert_eq!(parts(&outcome, time_ns), [0, BOTH_JOBS - 1_000, TRANSFER, 750_000]);
}

/// The host goes first: four writes of page 13 come a microsecond after the one that started collection. Three fill the
/// open block, the fourth is stalled while the job reads, programs and erases, and through a second job, which erases
/// the block that they filled. Each instant counts once, whether the plane reads by itself or not.
#[rstest]
fn for_space_while_the_plane_reads(#[values("shared", "independent")] reads: &str) {
    let mut records = history();
    let time_ns = TRIGGER + 1_000;
    records.extend([Record { time_ns, ..at(0, Op::Write, 13, 1) }; 4]);
    let set = [("geometry.blocks_per_plane", "8"), ("gc.trigger.hard", "off"), ("flash.plane_reads", reads)];
    let outcome = TestDrive::one_plane().with(&set).run(records);
    let stalled = READ + WRITE + 2 * ERASE;
    assert_eq!(parts(&outcome, time_ns), [WRITE - 1_000 + 3 * WRITE, stalled, TRANSFER, 750_000]);
    assert_eq!(outcome.results.gc.host_write_stall_ns, stalled);
}

/// Three chips on a channel, each read takes 3 us in the array and leaves by a cache register. The job's data go over
/// to it at 3,007 ns, but the channel carries data of chip 1 until 6,096; then a read of the host begins on chip 0,
/// and data of chip 2 go before the job's: from 6,103 to 10,199. At 9,103 the host's page is read, and waits for the
/// register until 14,295: for the data of the job, whoever the channel carries meanwhile.
#[test]
fn for_data_of_the_collector_in_a_cache_register() {
    let set = [
        ("geometry.chips_per_channel", "3"),
        ("geometry.blocks_per_plane", "8"),
        ("flash.t_read", "3us"),
        ("flash.plane_reads", "independent"),
        ("flash.cache_reads", "true"),
        ("warmup.kind", "filled"),
    ];
    let job = 8 * 10_000_000 + WRITE;
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 3 * page));
    for (time_ns, page) in [(job - 1_007, 1), (job + 100, 2), (job + 1_000, 15)] {
        records.push(Record { time_ns, ..at(0, Op::Read, page, 1) });
    }
    let outcome = TestDrive::one_plane().with(&set).run(records);
    // Until 3,007 the plane is the job's; from then on the read waits for data of the host, to send its command.
    let (gc, queue) = (3_007 - 1_000, 6_096 - 3_007);
    assert_eq!(parts(&outcome, job + 1_000), [queue, gc + (14_295 - 9_103), TRANSFER, 3_000]);
}

/// Two pages of a job are read through a cache register. The data of the first have left when a read of the host still
/// waits for the second to be read: that is collection to the end.
#[test]
fn for_the_second_of_two_pages_that_the_collector_reads() {
    let pages: Vec<u64> = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).collect();
    let set = [
        ("geometry.blocks_per_plane", "8"),
        ("gc.trigger.hard", "off"),
        ("gc.pages_in_flight", "2"),
        ("flash.plane_reads", "independent"),
        ("flash.cache_reads", "true"),
    ];
    let time_ns = JOB + 76_000;
    let mut records = spaced_writes(&pages);
    records.push(Record { time_ns, ..at(0, Op::Read, 15, 1) });
    let outcome = TestDrive::one_plane().with(&set).run(records);
    // The second read is in the array from 75,014 on.
    assert_eq!(parts(&outcome, time_ns), [0, 150_014 - 76_000, TRANSFER, 75_000]);
}

/// A program of chip 1 is set aside for a read at 66,000. The die is free at 76,000, but the channel carries a page of
/// the job of chip 0 until 79,103: that is time lost to collection, for the read and for the program.
#[test]
fn for_a_read_that_interrupts_and_waits_for_collection() {
    let set = [
        ("geometry.chips_per_channel", "2"),
        ("geometry.blocks_per_plane", "8"),
        ("warmup.kind", "filled"),
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "10us"),
        ("flash.suspend.t_resume", "5us"),
    ];
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 2 * page));
    let job = 8 * 10_000_000 + WRITE;
    records.push(Record { time_ns: job + 1_000, ..at(0, Op::Write, 1, 1) });
    records.push(Record { time_ns: job + 66_000, ..at(0, Op::Read, 3, 1) });
    let outcome = TestDrive::one_plane().with(&set).run(records);
    assert_eq!(outcome.results.flash.suspends, 1);
    assert_eq!(parts(&outcome, job + 66_000), [10_000, 3_103, TRANSFER, 75_000]);
    assert_eq!(parts(&outcome, job + 1_000), [10_000 + READ, 3_103, TRANSFER, 755_000]);
}

/// A die that waits to start a program of the collector gets a write of the host, whose class goes before data of host
/// reads on the channel: it moves to that line, before data of chip 2, which were there first.
#[test]
fn lines_by_class_are_changed_for_programs_too() {
    let set = [
        ("geometry.chips_per_channel", "3"),
        ("geometry.blocks_per_plane", "8"),
        ("warmup.kind", "filled"),
        ("channel.order", "by-class"),
        ("scheduler", "by-class"),
        ("scheduler.order", r#"["host-write", "host-read", "gc-write", "gc-read", "erase"]"#),
        ("scheduler.urgent_order", "none"),
    ];
    let job = 8 * 10_000_000 + WRITE;
    let mut records = spaced_writes(&[0, 1, 2, 4, 6, 8, 10, 11, 13].map(|page| 3 * page));
    // The job's page has left at 79,103; then data of chip 1 leave, and chip 2 has read its page at 80,007.
    for (after, op, page) in [(1_000, Op::Read, 1), (5_000, Op::Read, 2), (81_000, Op::Write, 15)] {
        records.push(Record { time_ns: job + after, ..at(0, op, page, 1) });
    }
    let outcome = TestDrive::one_plane().with(&set).run(records);
    let free = 79_103 + 4_096;
    assert_eq!(parts(&outcome, job + 81_000), [free - 81_000, 0, TRANSFER, 750_000]);
    assert_eq!(parts(&outcome, job + 5_000), [free + TRANSFER - 80_007, 0, TRANSFER, 75_000]);
}
