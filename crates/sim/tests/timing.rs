//! Latencies of hand-made situations, to the nanosecond: what overlaps, what waits, and for how long.

use crate::common::prelude::*;

/// 2 channels x 2 chips x 2 dies x 2 planes, striped over channels first: page number to place.
const CHANNEL: u64 = 1;
const CHIP: u64 = 2;
const DIE: u64 = 4;
const PLANE: u64 = 8;

type Set<'a> = &'a [(&'a str, &'a str)];

fn outcome(set: Set<'_>, records: Vec<Record>) -> Outcome {
    TestDrive::of([2, 2, 2, 2])
        .blocks(32, 16)
        .with(&[("geometry.spare_factor", "25%"), ("gc.trigger.start", "5%")])
        .with(&[("flash.cell", "SLC"), ("warmup.kind", "filled")])
        .with(set)
        .run(records)
}

/// Latency of each request, in order of arrival.
fn latencies(set: Set<'_>, records: Vec<Record>) -> Vec<u64> {
    rows(&outcome(set, records))
}

/// Two requests of a kind at the same instant, `apart` pages from each other.
#[rstest]
// Other channel: nothing shared.
#[case(&[], Op::Read, CHANNEL, [READ, READ])]
#[case(&[], Op::Write, CHANNEL, [WRITE, WRITE])]
// Other chip or die of the channel: array times overlap, the channel is shared. The second command follows the first,
// and its data waits for the first's.
#[case(&[], Op::Read, CHIP, [READ, READ + DATA])]
#[case(&[], Op::Read, DIE, [READ, READ + DATA])]
#[case(&[], Op::Write, CHIP, [WRITE, WRITE + COMMAND + DATA])]
#[case(&[], Op::Write, DIE, [WRITE, WRITE + COMMAND + DATA])]
// Other plane of the die: one array operation at a time.
#[case(&[], Op::Read, PLANE, [READ, 2 * READ])]
#[case(&[], Op::Write, PLANE, [WRITE, 2 * WRITE])]
// The same page.
#[case(&[], Op::Read, 0, [READ, 2 * READ])]
// A serialized channel is held for the whole operation, an ideal one is never waited for.
#[case(&[("interconnect", "serialized-channel")], Op::Read, DIE, [READ, 2 * READ])]
#[case(&[("interconnect", "serialized-channel")], Op::Read, CHANNEL, [READ, READ])]
#[case(&[("interconnect", "ideal")], Op::Write, DIE, [WRITE, WRITE])]
fn two_at_once(#[case] set: Set<'_>, #[case] op: Op, #[case] apart: u64, #[case] expected: [u64; 2]) {
    assert_eq!(latencies(set, vec![at(0, op, 16, 1), at(0, op, 16 + apart, 1)]), expected);
}

/// The first goes alone; the two behind it find both planes waiting. Plane 0 is one page ahead of plane 1 after the
/// first write, so that pages of one number may not go together.
#[test]
fn planes_of_a_die_work_together_where_allowed() {
    let three = |op| [0, 16, 16 + PLANE].map(|page| at(0, op, page, 1)).to_vec();
    let together = WRITE + 2 * (COMMAND + DATA) + T_PROG;
    let both = READ + 2 * COMMAND + T_R + DATA;
    for (rule, second, third) in
        [("same-page", 2 * WRITE, 3 * WRITE), ("any-page", together, together), ("off", 2 * WRITE, 3 * WRITE)]
    {
        let set = [("flash.multi_plane", rule)];
        assert_eq!(latencies(&set, three(Op::Write)), [WRITE, second, third], "{rule}");
        let reads = if rule == "off" { [READ, 2 * READ, 3 * READ] } else { [READ, both, both + DATA] };
        assert_eq!(latencies(&set, three(Op::Read)), reads, "{rule}");
    }
}

/// The read comes 100 us after the program began. One that comes while it is served does not keep the program waiting
/// again, which goes on to its end.
#[test]
fn a_read_waits_for_a_program_unless_it_may_suspend_it() {
    let mut records = vec![at(0, Op::Write, 16, 1), at(100, Op::Read, 32, 1)];
    assert_eq!(latencies(&[], records.clone()), [WRITE, WRITE - 100_000 + READ]);
    let set = [
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "20us"),
        ("flash.suspend.t_resume", "5us"),
    ];
    let suspended = 20_000 + READ;
    let write = WRITE + suspended + 5_000;
    assert_eq!(latencies(&set, records.clone()), [write, suspended]);
    records.push(at(150, Op::Read, 48, 1));
    assert_eq!(latencies(&set, records), [write, suspended, write - 150_000 + READ]);
}

/// Three pages: channels 0, 1 and channel 0's other chip.
#[test]
fn a_request_completes_with_its_slowest_page() {
    assert_eq!(latencies(&[], vec![at(0, Op::Write, 16, 3)]), [WRITE + COMMAND + DATA]);
}

#[rstest]
#[case(&[], READ + WRITE, 1)]
// Only the kept sectors cross the channel where the channel moves sectors.
#[case(&[("channel.granularity", "512B")], READ - DATA + 2048 + WRITE, 1)]
// Nothing to keep on a fresh drive.
#[case(&[("warmup.kind", "empty")], WRITE, 0)]
fn a_partial_write_reads_what_it_keeps(#[case] set: Set<'_>, #[case] takes: u64, #[case] reads: u64) {
    let half = Record { size_bytes: 2048, ..at(0, Op::Write, 16, 1) };
    let outcome = outcome(set, vec![half]);
    assert_eq!((rows(&outcome)[0], outcome.results.flash.rmw_reads), (takes, reads));
}

/// A trimmed page reads as never written. The first flush ends with the write before it, the second has nothing to wait
/// for.
#[test]
fn trims_and_flushes() {
    let records = vec![
        at(0, Op::Write, 16, 1),
        at(1, Op::Flush, 0, 0),
        at(2, Op::Trim, 0, 8),
        at(2, Op::Read, 3, 1),
        at(900, Op::Flush, 0, 0),
    ];
    let results = outcome(&[], records).results;
    assert_eq!((results.flash.trimmed_pages, results.flash.unmapped_reads), (8, 1));
    assert_eq!((results.requests.trim.max_ns, results.requests.flush.count), (0, 2));
    assert_eq!((results.requests.flush.max_ns, results.requests.flush.min_ns), (WRITE - 1_000, 0));
}

#[test]
fn the_host_keeps_its_queue_depth_and_its_time_scale() {
    let set = [("host.mode", "closed-loop"), ("host.queue_depth", "1")];
    let results = outcome(&set, (0..10).map(|k| at(0, Op::Read, k, 1)).collect()).results;
    assert_eq!((results.simulated_ns, results.max_outstanding_requests), (10 * READ, 1));
    let records = vec![at(0, Op::Read, 0, 1), at(1_000, Op::Read, 0, 1)];
    let results = outcome(&[("host.time_scale", "4.0")], records).results;
    assert_eq!(results.simulated_ns, 250_000 + READ);
}

/// One channel with four dies of one plane; page number modulo 4 is the die.
fn on_four_dies(more: Set<'_>, records: Vec<Record>) -> Vec<u64> {
    let dies = [
        ("geometry.channels", "1"),
        ("geometry.chips_per_channel", "4"),
        ("geometry.dies_per_chip", "1"),
        ("geometry.planes_per_die", "1"),
    ];
    latencies(&[&dies, more].concat(), records)
}

/// Die 0 sends its program's data at once; dies 1, 2 and 3 wait for the channel. Then a read comes to die 3.
#[test]
fn a_read_does_not_stand_in_line_as_the_program_it_came_after() {
    let records = || vec![at(0, Op::Write, 0, 4), at(1, Op::Read, 7, 1)];
    // Its command goes as soon as the channel is free, ahead of the data of dies 1 and 2. Die 3's program begins when
    // the read has left the die, and ends the write.
    let read = COMMAND + DATA - 1_000 + READ;
    assert_eq!(on_four_dies(&[], records()), [1_000 + read + WRITE, read]);
    // Where the die itself takes the older program first, the read waits for it.
    let write = 3 * (COMMAND + DATA) + WRITE;
    assert_eq!(on_four_dies(&[("scheduler", "fcfs")], records()), [write, write - 1_000 + READ]);
    // So it is where commands and data wait in one line: die 3 takes the read, but in the program's place.
    let read = 3 * (COMMAND + DATA) - 1_000 + READ;
    assert_eq!(on_four_dies(&[("channel.order", "data-first")], records()), [1_000 + read + WRITE, read]);
}

#[test]
fn a_program_does_not_take_the_place_of_a_read_that_is_gone() {
    let records = vec![
        at(0, Op::Write, 0, 2),
        // Waits to send its command to die 3 while die 0 has the channel ...
        at(1, Op::Read, 7, 1),
        // ... and is answered from the buffer when its turn comes, because this write replaced the page.
        at(2, Op::Write, 7, 1),
        at(3, Op::Write, 2, 1),
    ];
    let sent = COMMAND + DATA;
    // Programs go in the order of dies 0, 1, 2 and, at the end of their line, 3.
    let expected = [sent + WRITE, sent - 1_000, 3 * sent - 2_000 + WRITE, 2 * sent - 3_000 + WRITE];
    assert_eq!(on_four_dies(&[], records), expected);
}

/// Word lines of three pages; of which a program takes so long.
fn word_lines(set: Set<'_>) -> (TestDrive, u64) {
    let drive = TestDrive::one_plane()
        .blocks(16, 12)
        .set("flash.cell", "TLC")
        .set("flash.program_unit", "word-line")
        .set("flash.flush_after", "5ms")
        .with(set);
    let program = Timing::new(&drive.config()).unloaded_program().0;
    (drive, program)
}

/// Behind three writes come four more, of which three fill the next unit and one is left: it waits for two others
/// `flush_after` from when it came, not from when it became the first.
#[test]
fn a_page_left_behind_waits_since_it_came() {
    let (drive, program) = word_lines(&[]);
    let records = (0..7).map(|page| at(if page < 3 { 0 } else { 100 }, Op::Write, page, 1)).collect();
    let outcome = drive.run(records);
    assert_eq!((outcome.results.flash.padded_pages, rows(&outcome)[6]), (2, 5_000_000 + program));
}

/// A trace that is played four times as fast waits a quarter of the time; a closed loop has no time of a trace.
#[rstest]
#[case(&[("host.time_scale", "4.0")], 1_250_000)]
#[case(&[("host.time_scale", "4.0"), ("flash.flush_clock", "drive")], 5_000_000)]
#[case(&[("host.mode", "closed-loop")], 5_000_000)]
fn the_flush_timer_keeps_the_pace_of_the_trace(#[case] set: Set<'_>, #[case] waits: u64) {
    let (drive, program) = word_lines(set);
    assert_eq!(rows(&drive.run(vec![at(0, Op::Write, 0, 1)])), [waits + program]);
}

/// Pages that a replay of these writes takes.
fn padded(set: Set<'_>, records: Vec<Record>) -> u32 {
    let drive = word_lines(&[&[("warmup.kind", "replay")], set].concat()).0;
    (drive.run(records).results.start.programmed_share * 16.0 * 12.0).round() as u32
}

/// The page that comes when the timer of the one before it is due, or later, finds that padded.
#[rstest]
#[case(4_999, &[], 3)]
#[case(5_000, &[], 6)]
#[case(5_000, &[("warmup.padding", "none")], 3)]
#[case(5_000, &[("host.mode", "closed-loop")], 3)]
#[case(5_000, &[("host.time_scale", "4.0")], 6)]
#[case(5_000, &[("host.time_scale", "4.0"), ("flash.flush_clock", "drive")], 3)]
fn warm_up_pads_as_time_would(#[case] later_us: u64, #[case] set: Set<'_>, #[case] programmed: u32) {
    let records = vec![at(0, Op::Write, 0, 1), at(later_us, Op::Write, 1, 1)];
    assert_eq!(padded(set, records), programmed);
}

/// Time runs in trims and reads, too, and a play ends whatever the next would bring. Of each play: a page and two of
/// padding, two pages and one.
#[test]
fn each_play_of_a_warm_up_pads_for_itself() {
    let writes = [(6_001, 1), (6_002, 2)].map(|(time, page)| at(time, Op::Write, page, 1));
    let records = [vec![at(0, Op::Write, 0, 1), at(6_000, Op::Read, 0, 1)], writes.to_vec()].concat();
    assert_eq!(padded(&[("warmup.replays", "2")], records), 12);
}
