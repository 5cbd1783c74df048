//! Latencies of hand-made situations, to the nanosecond: what overlaps, what waits, and for how long.

use crate::common;
use crate::common::{TestDrive, at};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

// The drive of these tests: 7 cycles of 1 ns, one byte per ns, 75 us, 750 us, 3.8 ms.
const COMMAND: u64 = 7;
const DATA: u64 = 4096;
const T_R: u64 = 75_000;
const T_PROG: u64 = 750_000;
const READ: u64 = COMMAND + T_R + DATA;
const WRITE: u64 = COMMAND + DATA + T_PROG;

/// 2 channels x 2 chips x 2 dies x 2 planes, striped over channels first: page number to place.
const CHANNEL: u64 = 1;
const CHIP: u64 = 2;
const DIE: u64 = 4;
const PLANE: u64 = 8;

fn outcome(set: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    TestDrive::of([2, 2, 2, 2])
        .blocks(32, 16)
        .with(&[("geometry.spare_factor", "25%"), ("gc.trigger.start", "5%")])
        .with(&[("flash.cell", "SLC"), ("warmup.kind", "filled")])
        .with(set)
        .run(records)
}

/// Latency of each request, in order of arrival.
fn latencies(set: &[(&str, &str)], records: Vec<Record>) -> Vec<u64> {
    common::rows(&outcome(set, records))
}

/// Two requests of a kind at the same instant, `apart` pages from each other.
#[rstest]
// Other channel: nothing shared.
#[case(Op::Read, CHANNEL, [READ, READ])]
#[case(Op::Write, CHANNEL, [WRITE, WRITE])]
// Other chip or die of the channel: array times overlap, the channel is shared. The second command follows the first,
// and its data waits for the first's.
#[case(Op::Read, CHIP, [READ, READ + DATA])]
#[case(Op::Read, DIE, [READ, READ + DATA])]
#[case(Op::Write, CHIP, [WRITE, WRITE + COMMAND + DATA])]
#[case(Op::Write, DIE, [WRITE, WRITE + COMMAND + DATA])]
// Other plane of the die: one array operation at a time.
#[case(Op::Read, PLANE, [READ, 2 * READ])]
#[case(Op::Write, PLANE, [WRITE, 2 * WRITE])]
// The same page.
#[case(Op::Read, 0, [READ, 2 * READ])]
fn two_at_once(#[case] op: Op, #[case] apart: u64, #[case] expected: [u64; 2]) {
    assert_eq!(latencies(&[], vec![at(0, op, 16, 1), at(0, op, 16 + apart, 1)]), expected);
}

#[rstest]
#[case("same-page")]
#[case("any-page")]
fn planes_of_a_die_work_together_where_allowed(#[case] rule: &str) {
    let set = [("flash.multi_plane", rule)];
    // The first write goes alone; the two behind it find both planes waiting and go as one.
    let writes = vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 16, 1), at(0, Op::Write, 16 + PLANE, 1)];
    let together = WRITE + 2 * (COMMAND + DATA) + T_PROG;
    let measured = latencies(&set, writes.clone());
    if rule == "any-page" {
        assert_eq!(measured, [WRITE, together, together]);
    } else {
        // Plane 0 is one page ahead of plane 1 after the first write, so the pair may not go together.
        assert_eq!(measured, [WRITE, 2 * WRITE, 3 * WRITE]);
    }
    let reads = vec![at(0, Op::Read, 0, 1), at(0, Op::Read, 16, 1), at(0, Op::Read, 16 + PLANE, 1)];
    let both = READ + 2 * COMMAND + T_R + DATA;
    assert_eq!(latencies(&set, reads), [READ, both, both + DATA]);
    // And off by default.
    assert_eq!(latencies(&[], writes), [WRITE, 2 * WRITE, 3 * WRITE]);
}

#[test]
fn a_serialized_channel_is_held_for_the_whole_operation() {
    let set = [("interconnect", "serialized-channel")];
    let other_die = vec![at(0, Op::Read, 16, 1), at(0, Op::Read, 16 + DIE, 1)];
    assert_eq!(latencies(&set, other_die), [READ, 2 * READ]);
    let other_channel = vec![at(0, Op::Read, 16, 1), at(0, Op::Read, 16 + CHANNEL, 1)];
    assert_eq!(latencies(&set, other_channel), [READ, READ]);
}

#[test]
fn an_ideal_channel_is_never_waited_for() {
    let set = [("interconnect", "ideal")];
    let other_die = vec![at(0, Op::Write, 16, 1), at(0, Op::Write, 16 + DIE, 1)];
    assert_eq!(latencies(&set, other_die), [WRITE, WRITE]);
}

#[test]
fn a_read_waits_for_a_program_unless_it_may_suspend_it() {
    // The read comes 100 us after the program began.
    let records = || vec![at(0, Op::Write, 16, 1), at(100, Op::Read, 32, 1)];
    let waits = WRITE - 100_000 + READ;
    assert_eq!(latencies(&[], records()), [WRITE, waits]);
    let set = [
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "20us"),
        ("flash.suspend.t_resume", "5us"),
    ];
    let suspended = 20_000 + READ;
    assert_eq!(latencies(&set, records()), [WRITE + suspended + 5_000, suspended]);
}

#[test]
fn what_is_set_aside_goes_on_before_reads_that_come_later() {
    let set = [
        ("flash.suspend.program", "true"),
        ("flash.suspend.t_suspend", "20us"),
        ("flash.suspend.t_resume", "5us"),
    ];
    // The first read interrupts the program. The second comes while the first is served, and the program goes on, to
    // its end.
    let records = vec![at(0, Op::Write, 16, 1), at(100, Op::Read, 32, 1), at(150, Op::Read, 48, 1)];
    let suspended = 20_000 + READ;
    let write = WRITE + suspended + 5_000;
    assert_eq!(latencies(&set, records), [write, suspended, write - 150_000 + READ]);
}

#[test]
fn a_request_completes_with_its_slowest_page() {
    // Three pages on one plane's stripe position each: channels 0, 1 and channel 0's other chip.
    let expected = WRITE + COMMAND + DATA;
    assert_eq!(latencies(&[], vec![at(0, Op::Write, 16, 3)]), [expected]);
}

#[test]
fn a_partial_write_reads_what_it_keeps() {
    let half = Record { time_ns: 0, offset_bytes: 16 * 4096, size_bytes: 2048, op: Op::Write, stream: 0 };
    assert_eq!(latencies(&[], vec![half]), [READ + WRITE]);
    // Only the kept sectors cross the channel where the channel moves sectors.
    let set = [("channel.granularity", "512B")];
    assert_eq!(latencies(&set, vec![half]), [READ - DATA + 2048 + WRITE]);
    // Nothing to keep on a fresh drive.
    let fresh = [("warmup.kind", "empty")];
    let outcome = outcome(&fresh, vec![half]);
    assert_eq!(outcome.results.requests.write.max_ns, WRITE);
    assert_eq!(outcome.results.flash.rmw_reads, 0);
}

#[test]
fn trims_and_flushes() {
    let records = vec![
        at(0, Op::Write, 16, 1),
        at(1, Op::Flush, 0, 0),
        at(2, Op::Trim, 0, 8),
        at(2, Op::Read, 3, 1),
        at(900, Op::Flush, 0, 0),
    ];
    let outcome = outcome(&[], records);
    let results = &outcome.results;
    assert_eq!(results.flash.trimmed_pages, 8);
    assert_eq!(results.flash.unmapped_reads, 1, "a trimmed page reads as never written");
    assert_eq!(results.requests.trim.max_ns, 0);
    assert_eq!(results.requests.flush.count, 2);
    // The first flush ends with the write before it, the second has nothing to wait for.
    assert_eq!(results.requests.flush.max_ns, WRITE - 1_000);
    assert_eq!(results.requests.flush.min_ns, 0);
}

#[test]
fn page_levels_have_their_own_times() {
    let set = [
        ("flash.cell", "TLC"),
        ("flash.t_read", r#"["50us", "75us", "100us"]"#),
        ("flash.t_program", r#"["500us", "750us", "1ms"]"#),
        ("warmup.kind", "empty"),
    ];
    // Pages 0, 16, 32 and 48 of the stripe are pages 0 to 3 of one block: levels 0, 1, 2, 0.
    let writes = (0..4).map(|k| at(k * 10_000, Op::Write, k * 16, 1)).collect();
    let expected = [500_000, 750_000, 1_000_000, 500_000].map(|t| COMMAND + DATA + t);
    assert_eq!(latencies(&set, writes), expected);
}

#[test]
fn closed_loop_keeps_the_queue_depth() {
    let set = [("host.mode", "closed-loop"), ("host.queue_depth", "1")];
    let records = (0..10).map(|k| at(0, Op::Read, k, 1)).collect();
    let outcome = outcome(&set, records);
    assert_eq!(outcome.results.simulated_ns, 10 * READ);
    assert_eq!(outcome.results.max_outstanding_requests, 1);
}

#[test]
fn time_scale_plays_the_trace_faster() {
    let records = vec![at(0, Op::Read, 0, 1), at(1_000, Op::Read, 0, 1)];
    let outcome = outcome(&[("host.time_scale", "4.0")], records);
    assert_eq!(outcome.results.simulated_ns, 250_000 + READ);
}

/// One channel with four dies of one plane; page number modulo 4 is the die.
const FOUR_DIES: [(&str, &str); 4] = [
    ("geometry.channels", "1"),
    ("geometry.chips_per_channel", "4"),
    ("geometry.dies_per_chip", "1"),
    ("geometry.planes_per_die", "1"),
];

#[test]
fn a_read_does_not_stand_in_line_as_the_program_it_came_after() {
    // Die 0 sends its program's data at once; dies 1, 2 and 3 wait for the channel. Then a read comes to die 3.
    let records = || vec![at(0, Op::Write, 0, 4), at(1, Op::Read, 7, 1)];
    // Its command goes as soon as the channel is free, ahead of the data of dies 1 and 2.
    let read = COMMAND + DATA - 1_000 + READ;
    // Die 3's program begins when the read has left the die, and ends the write.
    assert_eq!(latencies(&FOUR_DIES, records()), [1_000 + read + WRITE, read]);
    // Where the die itself takes the older program first, the read waits for it.
    let mut fcfs = FOUR_DIES.to_vec();
    fcfs.push(("scheduler", "fcfs"));
    let write = 3 * (COMMAND + DATA) + WRITE;
    assert_eq!(latencies(&fcfs, records()), [write, write - 1_000 + READ]);
    // So it is where commands and data wait in one line: die 3 takes the read, but in the program's place.
    let mut one_line = FOUR_DIES.to_vec();
    one_line.push(("channel.order", "data-first"));
    let read = 3 * (COMMAND + DATA) - 1_000 + READ;
    assert_eq!(latencies(&one_line, records()), [1_000 + read + WRITE, read]);
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
    assert_eq!(latencies(&FOUR_DIES, records), expected);
}

fn word_lines() -> TestDrive {
    TestDrive::one_plane()
        .blocks(16, 12)
        .set("flash.cell", "TLC")
        .set("flash.program_unit", "word-line")
        .set("flash.flush_after", "5ms")
}

/// Word lines of three pages. Behind three writes come four more, of which three fill the next unit and one is left: it
/// waits for two others `flush_after` from when it came, not from when it became the first.
#[test]
fn a_page_left_behind_waits_since_it_came() {
    let drive = word_lines();
    let program = reclaim_sim::flash::Timing::new(&drive.config()).unloaded_program().0;
    let records = (0..7).map(|page| at(if page < 3 { 0 } else { 100 }, Op::Write, page, 1)).collect();
    let outcome = drive.run(records);
    assert_eq!(outcome.results.flash.padded_pages, 2);
    assert_eq!(common::rows(&outcome)[6], 5_000_000 + program);
}

/// A trace that is played four times as fast waits a quarter of the time; a closed loop has no time of a trace.
#[rstest]
#[case(&[("host.time_scale", "4.0")], 1_250_000)]
#[case(&[("host.time_scale", "4.0"), ("flash.flush_clock", "drive")], 5_000_000)]
#[case(&[("host.mode", "closed-loop")], 5_000_000)]
fn the_flush_timer_keeps_the_pace_of_the_trace(#[case] set: &[(&str, &str)], #[case] waits: u64) {
    let drive = word_lines().with(set);
    let program = reclaim_sim::flash::Timing::new(&drive.config()).unloaded_program().0;
    assert_eq!(common::rows(&drive.run(vec![at(0, Op::Write, 0, 1)])), [waits + program]);
}

/// Units of three pages: the page that comes when the timer of the one before it is due, or later, finds that padded.
#[rstest]
#[case(4_999, &[], 3)]
#[case(5_000, &[], 6)]
#[case(5_000, &[("warmup.padding", "none")], 3)]
#[case(5_000, &[("host.mode", "closed-loop")], 3)]
#[case(5_000, &[("host.time_scale", "4.0")], 6)]
#[case(5_000, &[("host.time_scale", "4.0"), ("flash.flush_clock", "drive")], 3)]
fn warm_up_pads_as_time_would(#[case] later_us: u64, #[case] set: &[(&str, &str)], #[case] programmed: u32) {
    let drive = word_lines().set("warmup.kind", "replay").with(set);
    let outcome = drive.run(vec![at(0, Op::Write, 0, 1), at(later_us, Op::Write, 1, 1)]);
    assert_eq!((outcome.results.start.programmed_share * 16.0 * 12.0).round() as u32, programmed);
}

/// Time runs in trims and reads, too, and a play ends whatever the next would bring.
#[test]
fn each_play_of_a_warm_up_pads_for_itself() {
    let drive = word_lines().set("warmup.kind", "replay").set("warmup.replays", "2");
    let records = vec![
        at(0, Op::Write, 0, 1),
        at(6_000, Op::Read, 0, 1),
        at(6_001, Op::Write, 1, 1),
        at(6_002, Op::Write, 2, 1),
    ];
    // Of each play: a page and two of padding, two pages and one.
    let outcome = drive.run(records);
    assert_eq!((outcome.results.start.programmed_share * 16.0 * 12.0).round() as u32, 12);
}
