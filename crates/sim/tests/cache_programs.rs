//! Programs that are loaded into the cache register of a die while its array programs the page before.

use crate::common::refusals::{names, refused};
use crate::common::{TestDrive, at, rows, spaced_writes};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

const COMMAND: u64 = 7;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const READ: u64 = COMMAND + T_R + DATA;
/// Command and data of a program.
const LOAD: u64 = COMMAND + DATA;
const WRITE: u64 = LOAD + T_PROG;
const ERASE: u64 = 5 + 3_800_000;

fn cached(drive: TestDrive, more: &[(&str, &str)]) -> TestDrive {
    drive.set("flash.cache_programs", true).with(more)
}

/// One die of one plane, filled: page k lies in block k / 4.
fn one_die(more: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    cached(TestDrive::one_plane().set("warmup.kind", "filled"), more).run(records)
}

fn writes(count: u64) -> Vec<Record> {
    (0..count).map(|page| at(page, Op::Write, page, 1)).collect()
}

/// When each request ends, ns.
fn ends(outcome: &Outcome, records: &[Record]) -> Vec<u64> {
    rows(outcome).iter().zip(records).map(|(latency, record)| record.time_ns + latency).collect()
}

/// Of the request that came at that time: waited for others of the host, for collection, on the channel, in the array.
fn parts(outcome: &Outcome, time_ns: u64) -> [u64; 4] {
    let table = outcome.requests.as_ref().unwrap();
    let row = table.arrival_ns.iter().position(|time| *time == time_ns).unwrap();
    [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]]
}

/// Programs of one die, back to back: a page comes in the longer of both times, where it takes their sum otherwise.
/// What is shorter shows once: before the first page, or behind the last one.
#[rstest]
#[case::array_longer("true", T_PROG, |k| LOAD + (k + 1) * T_PROG)]
#[case::transfer_longer("true", 3_000, |k| (k + 1) * LOAD + 3_000)]
#[case::as_long("true", LOAD, |k| (k + 2) * LOAD)]
#[case::without("false", T_PROG, |k| (k + 1) * WRITE)]
fn pages_come_as_fast_as_the_slower_of_both_allows(
    #[case] cache: &str,
    #[case] t_program: u64,
    #[case] end: fn(u64) -> u64,
) {
    let times = format!("{t_program}ns");
    let set = [("flash.t_program", times.as_str()), ("flash.cache_programs", cache)];
    let drive = TestDrive::one_plane().blocks(32, 8).with(&set);
    // All at once, so that there is always one that waits; there are blocks for all of them.
    let records: Vec<_> = (0..40).map(|page| at(0, Op::Write, page, 1)).collect();
    let outcome = drive.run(records.clone());
    assert_eq!(ends(&outcome, &records), (0..40).map(end).collect::<Vec<_>>());
    assert_eq!(outcome.results.flash.host_programs, 40);
    // The die is never without work, and what lies one under the other counts once.
    assert_eq!((outcome.results.utilisation.die, outcome.results.utilisation.die_host), (1.0, 1.0));
}

/// The second program comes while the data of the first move, is sent when they have arrived, and waits in the register
/// until the array has done with the first. The third comes meanwhile, and is sent when the register is free.
#[test]
fn a_program_is_loaded_under_another() {
    let records = writes(3);
    let outcome = one_die(&[], records.clone());
    assert_eq!(ends(&outcome, &records), [WRITE, WRITE + T_PROG, WRITE + 2 * T_PROG]);
    assert_eq!(parts(&outcome, 0), [0, 0, LOAD, T_PROG]);
    // Until 4,103 it waits for the register, and in it from 8,206 on until the first has been programmed.
    assert_eq!(parts(&outcome, 1_000), [(LOAD - 1_000) + (T_PROG - LOAD), 0, LOAD, T_PROG]);
    // It is sent when the second goes over, under whose array time it is.
    assert_eq!(parts(&outcome, 2_000), [(WRITE - 2_000) + (T_PROG - LOAD), 0, LOAD, T_PROG]);
}

/// A read that comes while a program is in the register waits for that program, too: it goes into the array at once.
/// A read that is there before the next program could be sent goes first, and keeps the register empty; so it does
/// where who has waited longest goes first, and not if the program has.
#[rstest]
#[case::loaded_already("read-first", [0, 1_000, 100_000], [WRITE, WRITE + T_PROG, WRITE + T_PROG + READ])]
#[case::read_first("read-first", [0, 2_000, 1_000], [WRITE, 2 * WRITE + READ, WRITE + READ])]
#[case::read_before_it("fcfs", [0, 2_000, 1_000], [WRITE, 2 * WRITE + READ, WRITE + READ])]
#[case::program_before_it("fcfs", [0, 1_000, 2_000], [WRITE, WRITE + T_PROG, WRITE + T_PROG + READ])]
fn a_read_waits_behind_what_is_loaded(
    #[case] scheduler: &str,
    #[case] times: [u64; 3],
    #[case] expected: [u64; 3],
) {
    let [first, second, read] = times.map(|time| time / 1000);
    let mut records = [at(first, Op::Write, 0, 1), at(second, Op::Write, 1, 1), at(read, Op::Read, 9, 1)];
    let mut expected: Vec<_> = records.iter().map(|record| record.time_ns).zip(expected).collect();
    records.sort_by_key(|record| record.time_ns);
    expected.sort_unstable();
    let outcome = one_die(&[("scheduler", scheduler)], records.to_vec());
    let expected: Vec<_> = expected.into_iter().map(|(_, end)| end).collect();
    assert_eq!(ends(&outcome, &records), expected);
}

/// Of two dies on a channel each loads under its array, and both share the channel; a read of the other die is only in
/// the way of the data.
#[test]
fn data_wait_for_the_channel() {
    let set = [("warmup.kind", "filled"), ("ftl.allocation.order", "DCWP")];
    let drive = cached(TestDrive::of([1, 1, 2, 1]), &set);
    // Even pages lie on die 0. Its second program is to be sent when the data of die 1 have left.
    let records = vec![at(0, Op::Write, 0, 1), at(1, Op::Read, 1, 1), at(81, Op::Write, 2, 1)];
    let outcome = drive.run(records.clone());
    // The command of the read follows the data of the program; its own data come at 4,110 + 75,000.
    let read = LOAD + READ;
    assert_eq!(ends(&outcome, &records), [WRITE, read, WRITE + T_PROG]);
    assert_eq!(parts(&outcome, 81_000)[0], (read - 81_000) + (WRITE - read - LOAD));
}

/// Nothing is sent to a die while data come to it, even if it need not wait for the channel: there is one register.
#[rstest]
#[case::ideal(&[("interconnect", "ideal")], 0)]
#[case::mesh(
    &[("interconnect", "mesh"), ("interconnect.hop", "100ns"), ("interconnect.controllers", "[[0, 1]]")],
    100
)]
fn one_program_is_loaded_at_a_time(#[case] set: &[(&str, &str)], #[case] way: u64) {
    // Two chips, the controller at that of odd pages: a hop from that of even ones.
    let set = [set, &[("warmup.kind", "filled"), ("flash.t_program", "3us")]].concat();
    let drive = cached(TestDrive::of([1, 2, 1, 1]), &set);
    let records: Vec<_> = (0..3).map(|k| at(0, Op::Write, 2 * k, 1)).collect();
    let outcome = drive.run(records.clone());
    let load = LOAD + way;
    assert_eq!(ends(&outcome, &records), [load + 3_000, 2 * load + 3_000, 3 * load + 3_000]);
}

/// Pages 2 and 3 are left in block 0 when the 25th write opens the last but one free block, which begins a job. The
/// first of them is read when that write has been programmed, and to be programmed when a write of the host is, too.
/// That goes first, and the collector's program is loaded behind it; a second write of the host is loaded behind that.
#[test]
fn programs_of_host_and_collector_are_loaded_behind_each_other() {
    let pages: Vec<u64> = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).collect();
    let mut records = spaced_writes(&pages);
    let begin = records[24].time_ns;
    // The array has done with the 25th write at WRITE, and with the first read of the job at 833,206 ns.
    let read_done = WRITE + READ;
    let first = Record { time_ns: begin + read_done - 10_000, ..at(0, Op::Write, 0, 1) };
    // The collector's program is in the array from here on.
    let of_collector = read_done + LOAD + T_PROG;
    let second = Record { time_ns: begin + of_collector + 1_000, ..at(0, Op::Write, 1, 1) };
    records.extend([first, second]);
    let set = [("geometry.blocks_per_plane", "8"), ("gc.pages_in_flight", "1"), ("gc.trigger.hard", "off")];
    let outcome = cached(TestDrive::one_plane(), &set).run(records);
    // It waited for the read of the collector.
    assert_eq!(parts(&outcome, first.time_ns), [0, 10_000, LOAD, T_PROG]);
    // It is sent at once, and waits in the register for the collector's program.
    assert_eq!(parts(&outcome, second.time_ns), [0, T_PROG - 1_000 - LOAD, LOAD, T_PROG]);
    // Only then is the second page of the job read, and moved.
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.start_ns[0], log.valid_pages[0]), (begin, 2));
    assert_eq!(log.end_ns[0], begin + of_collector + 2 * T_PROG + READ + WRITE + ERASE);
}

/// Programs take less than their data. The first write of the host waits for the collector's read and is in the array
/// while the collector's page comes: what the second waits for is that page, whatever the array does.
#[test]
fn a_wait_for_data_of_the_collector_is_for_collection() {
    let pages: Vec<u64> = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).collect();
    let mut records = spaced_writes(&pages);
    let read_done = records[24].time_ns + LOAD + 3_000 + READ;
    let first = Record { time_ns: read_done - 10_000, ..at(0, Op::Write, 0, 1) };
    let second = Record { time_ns: read_done + LOAD + 500, ..at(0, Op::Write, 1, 1) };
    records.extend([first, second]);
    let set = [
        ("geometry.blocks_per_plane", "8"),
        ("flash.t_program", "3us"),
        ("gc.pages_in_flight", "1"),
        ("gc.trigger.hard", "off"),
    ];
    let outcome = cached(TestDrive::one_plane(), &set).run(records);
    assert_eq!(parts(&outcome, first.time_ns), [0, 10_000, LOAD, 3_000]);
    assert_eq!(parts(&outcome, second.time_ns), [0, LOAD - 500, LOAD, 3_000]);
}

/// The array of die 0 does a program of the collector, while data of the host leave die 1. A write of the host comes to
/// die 0 and waits for the channel; that is time lost to the collector all the same. So is the wait of a read, which
/// comes meanwhile and which the scheduler puts before the write, so that die 0 waits for the channel no more.
#[rstest]
#[case::for_the_channel(None)]
#[case::no_more(Some(1_000))]
fn waits_beside_a_program_of_the_collector_are_for_collection(#[case] read_after: Option<u64>) {
    // As above, on die 0, which has even pages; die 1 has page 1.
    let pages = (0..16).chain([0, 1, 4, 8, 12, 5, 9, 13, 13]).map(|page| 2 * page);
    let mut records = spaced_writes(&[1].into_iter().chain(pages).collect::<Vec<_>>());
    let begin = records[25].time_ns;
    let in_array = begin + WRITE + READ + LOAD;
    let other = Record { time_ns: in_array + 1_000, ..at(0, Op::Read, 1, 1) };
    let data_from = other.time_ns + COMMAND + T_R;
    let write = Record { time_ns: data_from + 500, ..at(0, Op::Write, 0, 1) };
    let read = read_after.map(|after| Record { time_ns: write.time_ns + after, ..at(0, Op::Read, 30, 1) });
    records.extend([other, write].into_iter().chain(read));
    let set = [
        ("geometry.blocks_per_plane", "8"),
        ("gc.pages_in_flight", "1"),
        ("gc.trigger.hard", "off"),
        ("ftl.allocation.order", "DCWP"),
    ];
    let outcome = cached(TestDrive::of([1, 1, 2, 1]), &set).run(records);
    assert_eq!(parts(&outcome, other.time_ns), [0, 0, COMMAND + DATA, T_R]);
    let programmed = in_array + T_PROG;
    if let Some(read) = read {
        assert_eq!(parts(&outcome, read.time_ns), [0, programmed - read.time_ns, COMMAND + DATA, T_R]);
    } else {
        let loaded = data_from + DATA + LOAD;
        let waits = (data_from + DATA - write.time_ns) + (programmed - loaded);
        assert_eq!(parts(&outcome, write.time_ns), [0, waits, LOAD, T_PROG]);
    }
}

/// A page that is overwritten or trimmed when its program has been loaded is programmed all the same.
#[test]
fn what_is_loaded_is_programmed() {
    let records = vec![
        at(0, Op::Write, 0, 1),
        at(1, Op::Write, 1, 1),
        // The program of page 1 is in the register.
        at(100, Op::Trim, 1, 1),
        at(101, Op::Write, 0, 1),
        at(3_000, Op::Read, 1, 1),
        at(3_001, Op::Read, 0, 1),
    ];
    let outcome = one_die(&[], records.clone());
    let second = WRITE + T_PROG;
    assert_eq!(
        ends(&outcome, &records),
        [WRITE, second, 100_000, second + T_PROG, 3_000_000, 3_001_000 + READ]
    );
    let flash = outcome.results.flash;
    assert_eq!((flash.host_programs, flash.unmapped_reads, flash.trimmed_pages), (3, 1, 1));
}

/// A write whose answer does not wait for its program is answered when it is in the buffer, which it leaves when the
/// array has done with it, not when it has been loaded.
#[test]
fn a_page_in_the_register_is_in_the_write_buffer_still() {
    let set = [("controller.acknowledge", "staged"), ("controller.write_buffer", "8KiB")];
    let records = writes(3);
    let outcome = one_die(&set, records.clone());
    assert_eq!(ends(&outcome, &records), [0, 1_000, WRITE]);
}

/// Programs of two planes that share an operation are loaded together, under two that do. With room for two in the
/// buffer, the others come to the die when both that were programmed have ended: none can be loaded before.
#[rstest]
#[case::loaded_together("unlimited", 2 * LOAD + 2 * T_PROG)]
#[case::not_before_both_have_ended("8KiB", 2 * (2 * LOAD + T_PROG))]
fn multi_plane_programs_are_loaded_together(#[case] buffer: &str, #[case] expected: u64) {
    let set = [
        ("warmup.kind", "filled"),
        ("flash.multi_plane", "any-page"),
        ("geometry.planes_per_die", "2"),
        ("controller.write_buffer", buffer),
    ];
    // A write of four pages: planes 0 and 1 share one operation, then another one.
    let outcome = cached(TestDrive::one_plane(), &set).run(vec![at(0, Op::Write, 0, 4)]);
    assert_eq!(rows(&outcome), [expected]);
    assert_eq!(outcome.results.flash.multi_plane_operations, 2);
}

/// Where planes read by themselves, programs wait for all of them, and reads for what is loaded.
#[test]
fn planes_do_not_read_while_the_array_programs() {
    let set = [
        ("warmup.kind", "filled"),
        ("geometry.planes_per_die", "2"),
        ("flash.plane_reads", "independent"),
        ("flash.cache_reads", "true"),
    ];
    let reads = [at(0, Op::Read, 8, 1), at(100, Op::Read, 10, 1), at(101, Op::Read, 11, 1)];
    let records = vec![reads[0], at(1, Op::Write, 0, 1), at(2, Op::Write, 1, 1), reads[1], reads[2]];
    let outcome = cached(TestDrive::one_plane(), &set).run(records.clone());
    // The first program begins when the read has left, and the second is loaded under it.
    let done = READ + WRITE + T_PROG;
    assert_eq!(ends(&outcome, &records), [READ, READ + WRITE, done, done + READ, done + READ + DATA]);
}

/// An erase waits until the array has done with what was loaded, and may be suspended for a read; nothing is loaded
/// while it is under way.
#[test]
fn nothing_is_loaded_under_an_erase() {
    let set = [
        ("gc.trigger.hard", "off"),
        ("flash.suspend", r#"{ erase = true, t_suspend = "0us", t_resume = "0us" }"#),
    ];
    // Pages 0 to 3, round after round: the 25th write opens the last but one free block, and block 0 is erased.
    let mut records = spaced_writes(&[0, 1, 2, 3].repeat(7)[..25]);
    let begin = records[24].time_ns;
    let also = [at(1, Op::Write, 1, 1), at(1_600, Op::Write, 2, 1), at(1_700, Op::Read, 9, 1)];
    records.extend(also.map(|record| Record { time_ns: begin + record.time_ns, ..record }));
    let outcome = one_die(&set, records.clone());
    // The erase begins behind both programs, and lets the read in for 79,103 ns.
    let erased = WRITE + T_PROG + ERASE + READ;
    let expected = [WRITE, WRITE + T_PROG, erased + WRITE, 1_700_000 + READ].map(|end| begin + end);
    assert_eq!(ends(&outcome, &records)[24..], expected);
    assert_eq!(outcome.gc_log.unwrap().end_ns[0], begin + erased);
    assert_eq!(outcome.results.flash.suspends, 1);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let word_lines =
        [("flash.cell", "TLC"), ("flash.program_unit", "word-line"), ("geometry.pages_per_block", "6")];
    for (set, parts) in [
        (&[("interconnect", "serialized-channel")][..], "flash.cache_programs|a serialized-channel"),
        (&[("flash.suspend.program", "true")], "flash.cache_programs|may wait"),
        (&word_lines, "flash.cache_programs|a word line"),
    ] {
        names(&refused("gc-bypass", &[&[("flash.cache_programs", "true")], set].concat()), parts);
    }
}
