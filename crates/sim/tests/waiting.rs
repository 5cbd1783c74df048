//! Whose fault waiting is: every request's time behind the host, for collection, on the channel and in the array, to
//! the nanosecond.

use crate::common::prelude::*;

/// When the last write of the history comes, and when it lets go of the die and the job begins to work.
const TRIGGER: u64 = 24 * 10_000_000;
const OWN_JOB: u64 = TRIGGER + WRITE;
const BOTH_JOBS: u64 = 2 * (READ + WRITE + ERASE);

/// One plane of 8 blocks of 4 pages.
fn one_plane(more: &[(&str, &str)]) -> TestDrive {
    TestDrive::one_plane().set("geometry.blocks_per_plane", 8).with(more)
}

/// The parts of one more request after the history of such a plane.
fn after_history(more: &[(&str, &str)], time_ns: u64, op: Op, page: u64) -> [u64; 4] {
    let records = [history(), vec![at_ns(time_ns, op, page)]].concat();
    parts(&one_plane(more).run(records), time_ns)
}

/// So many chips of one plane on a channel, filled; the job of the first, and requests so long after its begin.
fn beside_a_job(chips: u64, more: &[(&str, &str)], requests: &[(u64, Op, u64)]) -> Outcome {
    let mut records = nine_of(chips);
    records.extend(requests.iter().map(|(after, op, page)| at_ns(JOB + after, *op, *page)));
    let drive = one_plane(more).set("geometry.chips_per_channel", chips).set("warmup.kind", "filled");
    drive.run(records)
}

/// A read of page 5 while the jobs of its plane go first, because one free block is left.
#[rstest]
// Behind the write that started collection, then behind both jobs.
#[case(TRIGGER + 1_000, WRITE - 1_000, BOTH_JOBS)]
// In the job's read, in its program, in its erase.
#[case(OWN_JOB + 1_000, 0, BOTH_JOBS - 1_000)]
#[case(OWN_JOB + READ + 1_000, 0, BOTH_JOBS - READ - 1_000)]
#[case(OWN_JOB + READ + WRITE + 1_000, 0, BOTH_JOBS - READ - WRITE - 1_000)]
// In the second job's erase.
#[case(OWN_JOB + BOTH_JOBS - 1, 0, 1)]
#[case(OWN_JOB + BOTH_JOBS, 0, 0)]
fn for_the_die(#[case] time_ns: u64, #[case] queue: u64, #[case] gc: u64) {
    assert_eq!(after_history(&[], time_ns, Op::Read, 5), [queue, gc, TRANSFER, T_R]);
}

/// Copyback holds the die without data on the channel: two commands, tR and tPROG.
#[test]
fn for_the_die_that_copies_back() {
    let found = after_history(&[("gc.relocation", "copyback")], OWN_JOB + 1_000, Op::Read, 5);
    let jobs = 2 * (COMMAND + T_R + COMMAND + T_PROG + ERASE);
    assert_eq!(found, [0, jobs - 1_000, TRANSFER, T_R]);
}

/// Two chips. The job of chip 0 reads, its data is on the channel from 75,007 to 79,103 after that; then it programs,
/// with data until 83,206.
#[rstest]
// To send its command: 3,103 ns behind data of the job.
#[case(76_000, 3_103)]
// Commands go before programs: the job's program comes after it.
#[case(79_000, 103)]
// To send its command: 3,206 ns behind the data of the job's program.
#[case(80_000, 3_206)]
// To bring its data: the array is done at 75,507, the channel is free at 79,103.
#[case(500, 79_103 - 75_507)]
// A free channel.
#[case(90_000, 0)]
fn for_a_channel_that_carries_relocated_pages(#[case] after: u64, #[case] gc: u64) {
    let outcome = beside_a_job(2, &[], &[(after, Op::Read, 1)]);
    assert_eq!(parts(&outcome, JOB + after), [0, gc, TRANSFER, T_R]);
}

/// The same channel, taken by a read of the other chip for the host from 75,007 to 79,103.
#[test]
fn for_a_channel_that_carries_data_of_the_host() {
    let drive = TestDrive::one_plane().set("geometry.chips_per_channel", 2).set("warmup.kind", "filled");
    let outcome = drive.run(vec![at(0, Op::Read, 0, 1), at(76, Op::Read, 1, 1)]);
    assert_eq!(parts(&outcome, 76_000), [3_103, 0, TRANSFER, T_R]);
}

/// First come, first served; four writes of page 13 come a microsecond after the write that started collection. The
/// job's read was queued before them and its program after them. Three of them fill block 6, which then holds nothing
/// but old versions. The fourth finds one free block, the collector's, and is stalled: through the program, which opens
/// that block, the erase, which gives one back, and a second job, which only erases block 6. Where the host goes first
/// it is stalled while the job reads, too; each instant counts once, whether the plane reads by itself or not.
#[rstest]
#[case(&[("scheduler", "fcfs")], READ, WRITE + 2 * ERASE)]
#[case(&[("gc.trigger.hard", "off")], 0, READ + WRITE + 2 * ERASE)]
#[case(&[("gc.trigger.hard", "off"), ("flash.plane_reads", "independent")], 0, READ + WRITE + 2 * ERASE)]
fn for_space(#[case] set: &[(&str, &str)], #[case] waits_for_a_read: u64, #[case] stalled: u64) {
    let time_ns = TRIGGER + 1_000;
    let records = [history(), vec![at_ns(time_ns, Op::Write, 13); 4]].concat();
    let outcome = one_plane(set).run(records);
    let queue = WRITE - 1_000 + 3 * WRITE;
    assert_eq!(parts(&outcome, time_ns), [queue, waits_for_a_read + stalled, TRANSFER, T_PROG]);
    let gc = &outcome.results.gc;
    assert_eq!((gc.stalled_writes, gc.host_write_stall_ns), (1, stalled));
    assert_eq!(outcome.gc_log.unwrap().victim_block[..2], [0, 6]);
}

const SUSPEND: [(&str, &str); 2] = [("flash.suspend.program", "true"), ("flash.suspend.t_resume", "5us")];

/// A program set aside for a read waits behind the host until it goes on; what going on costs is array time.
#[test]
fn for_a_read_that_interrupts() {
    let drive = TestDrive::one_plane().with(&SUSPEND).set("warmup.kind", "filled");
    let drive = drive.set("flash.suspend.t_suspend", "20us");
    let outcome = drive.run(vec![at(0, Op::Write, 0, 1), at(100, Op::Read, 5, 1)]);
    assert_eq!(parts(&outcome, 100_000), [20_000, 0, TRANSFER, T_R]);
    assert_eq!(parts(&outcome, 0), [20_000 + READ, 0, TRANSFER, T_PROG + 5_000]);
    assert_eq!(outcome.results.flash.suspends, 1);
}

/// A program of chip 1 is set aside for a read at 66,000. The die is free at 76,000, but the channel carries a page of
/// the job of chip 0 until 79,103: that is time lost to collection, for the read and for the program.
#[test]
fn for_a_read_that_interrupts_and_waits_for_collection() {
    let set = [&SUSPEND[..], &[("flash.suspend.t_suspend", "10us")]].concat();
    let outcome = beside_a_job(2, &set, &[(1_000, Op::Write, 1), (66_000, Op::Read, 3)]);
    assert_eq!(outcome.results.flash.suspends, 1);
    assert_eq!(parts(&outcome, JOB + 66_000), [10_000, 3_103, TRANSFER, T_R]);
    assert_eq!(parts(&outcome, JOB + 1_000), [10_000 + READ, 3_103, TRANSFER, T_PROG + 5_000]);
}

/// Half a page over a full one: the rest is read first, and both are the write's own time.
#[test]
fn for_nothing_but_its_own_read() {
    let half = Record { size_bytes: 2048, ..at(0, Op::Write, 5, 1) };
    let outcome = TestDrive::one_plane().set("warmup.kind", "filled").run(vec![half]);
    assert_eq!(parts(&outcome, 0), [0, 0, 2 * TRANSFER, T_R + T_PROG]);
    assert_eq!(outcome.results.flash.rmw_reads, 1);
    assert_eq!(outcome.results.flash.host_reads, 0, "no read of the host's");
}

const INDEPENDENT: (&str, &str) = ("flash.plane_reads", "independent");
const CACHE_READS: (&str, &str) = ("flash.cache_reads", "true");

/// A write while the jobs of its plane go first: in the job's read, in the data of that, in its program, in its erase.
/// Where the plane reads by itself all of it is collection, too.
#[rstest]
fn for_the_die_that_reads_by_itself(
    #[values(&[][..], &[INDEPENDENT], &[INDEPENDENT, CACHE_READS])] reads: &[(&str, &str)],
    #[values(1_000, 76_000, READ + 1_000, READ + WRITE + 1_000)] after: u64,
) {
    let expected = [0, BOTH_JOBS - after, TRANSFER, T_PROG];
    assert_eq!(after_history(reads, OWN_JOB + after, Op::Write, 5), expected);
}

/// A write to plane 1 of a die while plane 0 reads for collection: it waits for that, and then for the rest of both
/// jobs.
#[rstest]
fn for_another_plane_of_the_die(#[values("shared", "independent")] reads: &str) {
    let drive = one_plane(&[("flash.multi_plane", "off"), ("flash.plane_reads", reads)]);
    let drive = drive.set("geometry.planes_per_die", 2).set("warmup.kind", "filled");
    let outcome = drive.run([nine_of(2), vec![at_ns(JOB + 1_000, Op::Write, 1)]].concat());
    assert_eq!(parts(&outcome, JOB + 1_000), [0, BOTH_JOBS - 1_000, TRANSFER, T_PROG]);
}

/// Three chips on a channel, each read takes 3 us in the array and leaves by a cache register. The job's data go over
/// to it at 3,007 ns, but the channel carries data of chip 1 until 6,096; then a read of the host begins on chip 0,
/// and data of chip 2 go before the job's: from 6,103 to 10,199. At 9,103 the host's page is read, and waits for the
/// register until 14,295: for the data of the job, whoever the channel carries meanwhile.
#[test]
fn for_data_of_the_collector_in_a_cache_register() {
    let set = [("flash.t_read", "3us"), INDEPENDENT, CACHE_READS];
    let mut records = nine_of(3);
    for (time_ns, page) in [(JOB - 1_007, 1), (JOB + 100, 2), (JOB + 1_000, 15)] {
        records.push(at_ns(time_ns, Op::Read, page));
    }
    let drive = one_plane(&set).set("geometry.chips_per_channel", 3).set("warmup.kind", "filled");
    // Until 3,007 the plane is the job's; from then on the read waits for data of the host, to send its command.
    let (gc, queue) = (3_007 - 1_000, 6_096 - 3_007);
    let expected = [queue, gc + (14_295 - 9_103), TRANSFER, 3_000];
    assert_eq!(parts(&drive.run(records), JOB + 1_000), expected);
}

/// Two pages of a job are read through a cache register. The data of the first have left when a read of the host still
/// waits for the second to be read: that is collection to the end.
#[test]
fn for_the_second_of_two_pages_that_the_collector_reads() {
    let pages: Vec<u64> = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).collect();
    let set = [("gc.trigger.hard", "off"), ("gc.pages_in_flight", "2"), INDEPENDENT, CACHE_READS];
    let time_ns = OWN_JOB + 76_000;
    let records = [spaced_writes(&pages), vec![at_ns(time_ns, Op::Read, 15)]].concat();
    // The second read is in the array from 75,014 on.
    let expected = [0, 150_014 - 76_000, TRANSFER, T_R];
    assert_eq!(parts(&one_plane(&set).run(records), time_ns), expected);
}

/// A read of the host goes first when the write that started the job ends; the job's page is read under its data.
/// Another read waits for that page: this is collection to the end, though data of the host leave meanwhile.
#[test]
fn for_a_page_that_the_collector_reads_under_data_of_the_host() {
    let set = [("gc.trigger.hard", "off"), INDEPENDENT, CACHE_READS];
    let time_ns = OWN_JOB + 76_000;
    let reads = [at_ns(TRIGGER + 1_000, Op::Read, 5), at_ns(time_ns, Op::Read, 15)];
    let outcome = one_plane(&set).run([history(), reads.to_vec()].concat());
    assert_eq!(parts(&outcome, TRIGGER + 1_000), [WRITE - 1_000, COMMAND, TRANSFER, T_R]);
    assert_eq!(parts(&outcome, time_ns), [0, 2 * (COMMAND + T_R) - 76_000, TRANSFER, T_R]);
}

/// The same jobs, which go first, and a write that comes while the first of the two pages is read: from then on the
/// collector has the die, page after page, until both jobs are over. The second moves one page: the other is written.
#[test]
fn for_all_pages_that_the_collector_reads() {
    let pages: Vec<u64> = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).collect();
    let set = [("gc.pages_in_flight", "2"), INDEPENDENT, CACHE_READS];
    let time_ns = OWN_JOB + 1_000;
    let records = [spaced_writes(&pages), vec![at_ns(time_ns, Op::Write, 15)]].concat();
    // The second command goes before the data of the first page, which leave while the second is read.
    let first = 2 * (COMMAND + T_R) + DATA + 2 * WRITE + ERASE;
    let expected = [0, first + BOTH_JOBS / 2 - 1_000, TRANSFER, T_PROG];
    assert_eq!(parts(&one_plane(&set).run(records), time_ns), expected);
}

/// Two chips of four planes that read by themselves. When the job of plane 0 of either has read its page, its program
/// goes first, but waits for a read of the host on plane 1. Plane 2 could read, and does not while the program waits:
/// that is collection.
#[rstest]
fn for_a_program_of_the_collector_that_waits_for_other_reads(#[values(0, 1)] chip: u64) {
    // The first pages of both chips' planes come by turns.
    let page = |plane: u64| 2 * plane + chip;
    let mut records = nine_of(8);
    for record in &mut records {
        record.offset_bytes += page(0) * 4096;
    }
    records.extend(
        [(READ - 10_000, 1), (READ + 1_000, 2)]
            .map(|(after, plane)| at_ns(JOB + after, Op::Read, page(plane))),
    );
    let drive = one_plane(&[("flash.multi_plane", "off"), INDEPENDENT]);
    let drive = drive.set("geometry.planes_per_die", 4).set("geometry.chips_per_channel", 2);
    let drive = drive.set("warmup.kind", "filled");
    let outcome = drive.run(records);
    // The read of plane 1 ends at 2 READ - 10 us; then come program and erase. The next job's read is sent before that
    // of plane 2, and so are its data.
    let gc = (READ - 11_000) + WRITE + ERASE + COMMAND + (DATA - COMMAND);
    assert_eq!(parts(&outcome, JOB + READ + 1_000), [0, gc, TRANSFER, T_R]);
}

/// Room for one page. The first write waits for both jobs, and the second for the first: it loses as much of its time
/// outside to collection as the first of its time inside. The third waits for both, of which the second loses nothing
/// inside.
#[test]
fn for_a_page_in_the_buffer_that_waits_for_collection() {
    let records =
        [(1_000, 5), (2_000, 6), (3_000, 7)].map(|(after, page)| at_ns(OWN_JOB + after, Op::Write, page));
    let drive = one_plane(&[("controller.write_buffer", "4KiB")]);
    let outcome = drive.run([history(), records.to_vec()].concat());
    let inside = BOTH_JOBS - 1_000 + WRITE;
    assert_eq!(parts(&outcome, OWN_JOB + 1_000), [0, BOTH_JOBS - 1_000, TRANSFER, T_PROG]);
    let outside = inside - 1_000;
    let gc = outside * (BOTH_JOBS - 1_000) / inside;
    assert_eq!(parts(&outcome, OWN_JOB + 2_000), [outside - gc, gc, TRANSFER, T_PROG]);
    let outside = outside - 1_000 + WRITE;
    let gc = outside * (BOTH_JOBS - 1_000) / (inside + WRITE);
    assert_eq!(parts(&outcome, OWN_JOB + 3_000), [outside - gc, gc, TRANSFER, T_PROG]);
}

/// A die that waits to start a program of the collector gets a write of the host, whose class goes before data of host
/// reads on the channel: it moves to that line, before data of chip 2, which were there first. The job's page has left
/// at 79,103; then data of chip 1 leave, and chip 2 has read its page at 80,007.
#[test]
fn lines_by_class_are_changed_for_programs_too() {
    let set = [
        ("channel.order", "by-class"),
        ("scheduler", "by-class"),
        ("scheduler.order", r#"["host-write", "host-read", "gc-write", "gc-read", "erase"]"#),
        ("scheduler.urgent_order", "none"),
    ];
    let outcome =
        beside_a_job(3, &set, &[(1_000, Op::Read, 1), (5_000, Op::Read, 2), (81_000, Op::Write, 15)]);
    let free = 79_103 + DATA;
    assert_eq!(parts(&outcome, JOB + 81_000), [free - 81_000, 0, TRANSFER, T_PROG]);
    assert_eq!(parts(&outcome, JOB + 5_000), [free + TRANSFER - 80_007, 0, TRANSFER, T_R]);
}
