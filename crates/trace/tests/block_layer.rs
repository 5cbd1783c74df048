//! Recordings of the Linux block layer: blkparse's text, blktrace's binary files, block events of ftrace.

use crate::common::{file, kept, names, opened, packed, read, record, records, refused, refuses, with};
use niffler::send::compression::Format as Compression;
use reclaim_trace::Op::{Flush as F, Read as R, Trim as T, Write as W};
use reclaim_trace::{Event, Op, OpenOptions, Record, Trace, TraceError};
use rstest::rstest;
use tempfile::TempDir;

/// A good last line, so that files whose other lines hold no request are not refused for that.
const LAST: &str = "8,16 0 9 1.000026422 1 D R 8 + 8 [x]\n";

/// Operations, offsets and sizes.
type Requests = &'static [(Op, u64, u64)];

/// An issue event with this ending, and what it is a request for.
#[rstest]
#[case::read("R 4938888 + 256 [java]", &[(R, 4938888 * 512, 131072)])]
#[case::read_ahead("RA 0 + 8 [mount]", &[(R, 0, 4096)])]
#[case::metadata_read("RM 16 + 8 [mount]", &[(R, 8192, 4096)])]
#[case::synchronous_metadata_write("WSM 8 + 16 [jbd2/loop0-8]", &[(W, 4096, 8192)])]
#[case::forced_unit_access("WFS 8 + 16 [x]", &[(W, 4096, 8192)])]
#[case::preflush_and_fua("FWFSM 8 + 16 [x]", &[(F, 0, 0), (W, 4096, 8192)])]
#[case::preflush_alone("FWS [x]", &[(F, 0, 0)])]
#[case::preflush_no_sectors("FWS 0 + 0 [x]", &[(F, 0, 0)])]
#[case::flush_by_the_kernel("FF 0 + 0 [kworker/1:1H]", &[(F, 0, 0)])]
#[case::flush_by_blkparse("FN [kworker/1:1H]", &[(F, 0, 0)])]
#[case::flush_short("F 18446744073709551615 + 0 [x]", &[(F, 0, 0)])]
#[case::secure_erase("DES 64 + 128 [x]", &[(T, 32768, 65536)])]
#[case::with_step_time("W 8 + 8 (    1234) [x]", &[(W, 4096, 4096)])]
#[case::spaces_and_brackets_in_the_command("W 8 + 8 [Chrome [IO] 1]  ", &[(W, 4096, 4096)])]
#[case::empty_command("W 8 + 8 []", &[(W, 4096, 4096)])]
#[case::passthrough("R 36 (12 00 00 00 24 00 ..) [udevd]", &[])]
#[case::passthrough_completed("R (12 00 00 00 24 00 ..) [0]", &[])]
#[case::flush_completed("FN (35 00 ..) [0]", &[(F, 0, 0)])]
#[case::passthrough_without_data("N 0 (35 00 00 ..) [kworker]", &[])]
#[case::barrier_of_old_kernels("WBS 8 + 16 [x]", &[(F, 0, 0), (W, 4096, 8192)])]
#[case::barrier_and_flush_first("FWBS 8 + 16 [x]", &[(F, 0, 0), (W, 4096, 8192)])]
#[case::barrier_alone("WB [x]", &[(F, 0, 0)])]
#[case::barrier_of_nothing("NB 0 + 0 [x]", &[(F, 0, 0)])]
#[case::barrier_discard("DB 64 + 128 [x]", &[(F, 0, 0), (T, 32768, 65536)])]
#[case::priority_word("WS N 8 + 8 [x]", &[(W, 4096, 4096)])]
#[case::priority_class("WS be/4 8 + 8 [x]", &[(W, 4096, 4096)])]
#[case::priority_number("R 0 8 + 8 [x]", &[(R, 4096, 4096)])]
#[case::write_zeroes("WZS 8 + 16 [x]", &[(T, 4096, 8192)])]
#[case::completion_sector("WS N 8 + 8 [0] <16>", &[(W, 8192, 4096)])]
#[case::zone_reset("ZRS 8 + 16 [x]", &[(T, 4096, 8192)])]
#[case::zone_opened("ZO 8 + 16 [x]", &[])]
#[case::zone_closed("ZCS 8 + 16 [x]", &[])]
#[case::zone_finished("ZF 8 + 16 [x]", &[])]
#[case::nothing("N 0 + 0 [x]", &[])]
#[case::nothing_without_sectors("NS [x]", &[])]
fn kinds_of_request(#[case] ending: &str, #[case] expected: Requests) {
    let mut expected: Vec<Record> =
        expected.iter().map(|(op, offset, size)| record(0, *op, *offset, *size)).collect();
    // Time is relative to the first request.
    expected.push(record(u64::from(!expected.is_empty()), R, 4096, 4096));
    let line = format!("  8,16   3        5     1.000026421  3645  D {ending}");
    for text in [format!("{line}\n{LAST}"), format!("{line}\r\n{LAST}")] {
        assert_eq!(records(&text).as_deref(), Ok(&expected[..]), "{ending}");
    }
}

#[test]
fn lines_that_are_no_request() {
    for line in [
        "8,16 3 7 1.001795683 3557 C R 4938888 + 256 [0]",
        "8,16 3 7 1.001795683 3557 I R 4938888 + 256 [java]",
        "8,16 3 7 1.001795683 3557 Q R 4938888 + 256 [java]",
        "8,0 3 7 1.001795683 3557 A R 4938888 + 256 <- (8,1) 4936840",
        "8,16 3 7 1.001795683 3557 X R 4938888 / 4938896 [java]",
        "8,16 3 7 1.001795683 3557 U N [java] 4",
        "8,16 3 7 1.001795683 3557 UT N [java] 4",
        "8,16 3 0 1.001795683 0 m N cfq3557S / insert_request",
        "8,0 3 7 1.001795683 3557 C R 4938888 + 256 [0]",
    ] {
        assert_eq!(records(format!("{line}\n{LAST}")), Ok(vec![record(0, R, 4096, 4096)]), "{line}");
    }
}

#[test]
fn the_closing_summary_ends_the_events_and_a_text_without_it_is_perhaps_cut() {
    let summary = "CPU0 (8,16):\n Reads Queued:           0,        0KiB\t Writes Queued: 0\n\n\
                   Total (8,16):\n Events (8,16): 29662 entries\nSkips: 0 forward (0 -   0.0%)\n";
    let good = format!("{LAST}\n{summary}");
    names(&records(format!("{good}{LAST}")).unwrap_err(), "t:9: |after the closing summary");
    // Events picked from a text are no cut text.
    let cut = format!("{LAST}8,16 0 9 1.000026423 1 C R 8 + 8 [0]\n");
    for (content, warned) in [(&*good, 0), (LAST, 0), (&*cut, 1)] {
        let (_folder, path) = file("t", content);
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        let first = trace.scan().unwrap();
        assert_eq!(
            (first.requests, first.bad_lines, first.warnings.len()),
            (1, 0, warned),
            "{:?}",
            first.warnings
        );
        // Played from memory it says the same, and only at its end.
        let mut again = trace.source().unwrap();
        assert!(again.bad_lines().warnings.is_empty());
        crate::common::collect(again.as_mut()).unwrap();
        assert_eq!(again.bad_lines().warnings, first.warnings);
    }
}

/// One bio merged into another (M), the merged request issued and completed, then a discard and a flush.
const LIFE: &str = "8,0 0 1 0.000000100 5 Q WS 8 + 8 [x]\n8,0 0 2 0.000000200 5 G WS 8 + 8 [x]\n\
                    8,0 0 3 0.000000300 5 Q WS 16 + 8 [x]\n8,0 0 4 0.000000400 5 M WS 16 + 8 [x]\n\
                    8,0 0 5 0.000000500 5 D WS 8 + 16 [x]\n8,0 0 6 0.000000700 5 Q DS 64 + 128 [x]\n\
                    8,0 0 7 0.000000800 5 D DS 64 + 128 [x]\n8,0 0 8 0.000000900 0 C WS 8 + 16 [0]\n\
                    8,0 0 9 0.000001000 5 Q FWS [x]\n8,0 0 10 0.000001100 5 D FN [x]\n\
                    8,0 0 11 0.000001200 0 C DS 64 + 128 [0]\n8,0 0 12 0.000001300 0 C FN 0 [0]\n";

#[rstest]
#[case::queued_bios_are_requests_of_their_own("Q", "Q (queued)", &[
    record(0, W, 4096, 4096), record(200, W, 8192, 4096), record(600, T, 32768, 65536),
    record(900, F, 0, 0)])]
#[case::issued_requests_hold_what_was_merged_into_them("D", "D (issued to the device)", &[
    record(0, W, 4096, 8192), record(300, T, 32768, 65536), record(600, F, 0, 0)])]
#[case::completed("C", "C (completed)", &[
    record(0, W, 4096, 8192), record(300, T, 32768, 65536), record(400, F, 0, 0)])]
fn the_event_that_counts_can_be_chosen(#[case] event: &str, #[case] told: &str, #[case] expected: &[Record]) {
    let (_folder, path) = file("t", LIFE);
    let options = with(&[("event", event)]);
    assert_eq!(read(&path, &options).as_deref(), Ok(expected));
    assert_eq!(Trace::open(&path, &options).unwrap().events(), Some(told));
}

#[test]
fn queue_events_stand_in_when_there_are_no_issue_events() {
    let queued = "8,0 0 1 0.000000000 5 Q WS 8 + 8 [x]\n8,0 0 2 0.000000700 5 C WS 8 + 8 [0]\n";
    let both = format!("{queued}8,0 0 3 0.000000900 5 D WS 8 + 8 [x]\n");
    for (text, events) in [(queued, "Q (queued)"), (&both, "D (issued to the device)")] {
        let (_folder, path) = file("t", text);
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        assert_eq!((trace.format(), trace.events()), ("blkparse", Some(events)));
        assert_eq!(trace.scan().unwrap().writes, 1);
    }
    // More than a format may look at to decide.
    let far =
        "8,0 0 1 1.000000000 5 Q WS 8 + 8 [x]\n".repeat(10_000) + "8,0 0 2 1.000000000 5 D WS 8 + 8 [x]\n";
    names(&records(far).unwrap_err(), "t:10001: |--event D|--event Q");
}

#[test]
fn an_event_that_does_not_occur_is_named() {
    for (event, reason) in [("Q", "no Q (queued) events"), ("C", "no C (completed) events")] {
        names(&refused(LAST, &with(&[("event", event)])), &format!("no requests|{reason}"));
    }
    names(&"I".parse::<Event>().unwrap_err().to_string(), "\"I\"; valid: Q, D, C");
    for none in ["8,0 1 1 1.000000000 5 C R 8 + 8 [0]\n", "8,16 1 1 1.000000000 5 D N 0 (35 00 ..) [x]\n"] {
        names(&records(none).unwrap_err(), "no requests|neither D (issued) nor Q (queued)");
    }
}

#[test]
fn one_of_several_devices() {
    let text = format!("8,0 0 1 1.000000000 5 D R 0 + 8 [x]\n{LAST}8,17 0 1 2.000000000 5 D R 0 + 8 [x]\n");
    let of = |device: &str| opened(&text, &with(&[("device", device)]));
    assert_eq!(of("8,16"), Ok(vec![record(0, R, 4096, 4096)]));
    assert_eq!(of("all").unwrap().len(), 3);
    names(&of("8,1").unwrap_err(), "no requests to device 8,1; it has 8,0, 8,16, 8,17");
    names(&of("sda").unwrap_err(), "major,minor|8,16");
    names(
        &records(&text).unwrap_err(),
        "t:2: |device 8,16 in a trace of device 8,0|--trace-device 8,0|--trace-device all",
    );
}

#[test]
fn bad_lines_of_blkparse() {
    let rwbs = "R, W, D (discard), DE, WZ (write zeroes), N or F (flush), ZA (zone append), ZR, ZO, ZC, ZF";
    let rwbs = |said: &str| format!("unknown RWBS flags \"{said}\"; valid: {rwbs}");
    let rows: &[(&str, &str)] = &[
        ("x", "first field is missing|(major,minor)"),
        ("8 0 1", "first field|(major,minor)"),
        ("8,0", "ends after|first field"),
        ("8,0 a", "second field is missing"),
        ("8,16 1 1.5", "third field"),
        ("8,0 1 1 1.5 5 D R 8 + 8 [x]", "fourth field|nine decimals"),
        ("8,0 1 1 15 5 D R 8 + 8 [x]", "fourth field|nine decimals"),
        ("8,0 1 1 18446744074.000000000 5 D R 8 + 8 [x]", "fourth field is too large"),
        ("8,16 1 1 1.000000000 D R 8 + 8 [x]", "fifth field is missing"),
        ("8,16 1 1 1.000000000 5 ", "ends before|sixth field"),
        ("8,16 1 1 1.000000000 5 Z R 8 + 8 [x]", "unknown action \"Z\"|sixth field"),
        ("8,16 1 1 1.000000000 5 D XS 8 + 8 [x]", &rwbs("XS")),
        ("8,16 1 1 1.000000000 5 D WX 8 + 8 [x]", &rwbs("WX")),
        ("8,0 1 1 1.000000000 5 D", &rwbs("")),
        ("8,16 1 1 1.000000000 5 D R", "start sector is missing"),
        (
            "8,16 1 1 1.000000000 5 D R 18446744073709551615 + 8 [x]",
            "start sector is too large for 64 bits of bytes",
        ),
        ("8,16 1 1 1.000000000 5 D R 8", "start sector is not followed by \"+ sectors\""),
        ("8,16 1 1 1.000000000 5 D R 8 + ", "start sector is not followed by \"+ sectors\""),
        ("8,16 1 1 1.000000000 5 D R 8 + x [x]", "number of sectors is missing"),
        ("8,16 1 1 1.000000000 5 D R 8 + 8", "ends before the command"),
        ("8,16 1 1 1.000000000 5 D R 8 + 8 [mariad", "does not end with the command"),
        ("8,16 1 1 1.000000000 5 D WS [x]", "a write of zero bytes"),
        ("8,16 1 1 1.000000000 5 D N 8 + 8 [x]", "RWBS \"N\"|8 sectors"),
        ("8,16 1 1 1.000000000 5 D R 0 + 8388609 [x]", "4294967808 bytes|4294967296"),
        (
            "8,16 1 1 1.000000000 5 D D 36028797018963967 + 8 [x]",
            "offset 18446744073709551104 + size 4096 bytes",
        ),
    ];
    refuses(&OpenOptions::default(), "", LAST.trim_end(), rows);
}

#[test]
fn where_a_zone_append_went_only_its_completion_says() {
    let text = "8,0 1 1 1.000000000 5 D R 0 + 8 [x]\n8,0 1 2 1.000000001 5 D ZAS 0 + 8 [x]\n\
                8,0 1 3 1.000000002 5 C ZAS N 0 + 8 [0] <24>\n";
    names(&records(text).unwrap_err(), "--event C");
    assert_eq!(opened(text, &with(&[("event", "C")])), Ok(vec![record(0, W, 24 * 512, 4096)]));
}

/// What a list of `action RWBS sector sectors` comes to, a microsecond apart, by issue, queue or completion: when, and
/// which sectors.
fn counted(events: &[&str], event: Option<&str>) -> Vec<(u64, Op, u64, u64)> {
    let line = |(at, event): (usize, &&str)| {
        let said: Vec<&str> = event.split(' ').collect();
        let at = at * 1000;
        format!("8,0 1 {at} 1.{at:09} 5 {} {} {} + {} [x]\n", said[0], said[1], said[2], said[3])
    };
    let text: String = events.iter().enumerate().map(line).collect();
    let found = opened(text, &with(event.map(|event| ("event", event)).as_slice())).unwrap();
    let sectors = |r: &Record| (r.time_ns / 1000, r.op, r.offset_bytes / 512, r.size_bytes / 512);
    found.iter().map(sectors).collect()
}

/// Requests that the device did not take, and that were issued once more.
#[rstest]
#[case::twice_more(&["D W 0 8", "R W 0 8", "D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8"], &[(0, W, 0, 8)])]
#[case::and_written_again_later(&["D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8", "D W 0 8", "C W 0 8"],
    &[(0, W, 0, 8), (4, W, 0, 8)])]
#[case::given_up(&["D W 0 8", "R W 0 8", "C W 0 8", "D W 0 8", "C W 0 8"], &[(0, W, 0, 8), (3, W, 0, 8)])]
#[case::another_meanwhile(&["D W 0 8", "R W 0 8", "D W 64 8", "D R 0 8", "D W 0 8"],
    &[(0, W, 0, 8), (2, W, 64, 8), (3, R, 0, 8)])]
#[case::merged_behind(&["D W 0 8", "R W 0 8", "M W 8 8", "D W 0 16", "C W 0 16"],
    &[(0, W, 0, 8), (3, W, 8, 8)])]
#[case::merged_before(&["D W 8 8", "R W 8 8", "F W 0 8", "D W 0 16"], &[(0, W, 8, 8), (3, W, 0, 8)])]
#[case::merged_on_both_sides(&["D W 8 8", "R W 8 8", "D W 0 24"],
    &[(0, W, 8, 8), (2, W, 0, 8), (2, W, 16, 8)])]
#[case::two_made_one(&["D W 0 8", "D W 8 8", "R W 8 8", "R W 0 8", "D W 0 16"],
    &[(0, W, 0, 8), (1, W, 8, 8)])]
#[case::two_made_one_with_more_between(&["D W 0 8", "D W 16 8", "R W 0 8", "R W 16 8", "D W 0 24"],
    &[(0, W, 0, 8), (1, W, 16, 8), (4, W, 8, 8)])]
#[case::split(&["D W 0 16", "R W 0 16", "D W 0 8", "D W 8 8"], &[(0, W, 0, 16)])]
#[case::done_in_part(&["D W 0 16", "C W 0 8", "R W 8 8", "D W 8 8", "C W 8 8"], &[(0, W, 0, 16)])]
#[case::inserted_and_got_again(
    &["Q W 0 8", "G W 0 8", "I W 0 8", "D W 0 8", "R W 0 8", "G W 0 8", "I W 0 8", "D W 0 8"],
    &[(0, W, 0, 8)])]
#[case::a_flush(&["D FN 0 0", "R FN 0 0", "D FN 0 0", "C FN 0 0", "D FN 0 0"], &[(0, F, 0, 0), (4, F, 0, 0)])]
#[case::a_write_with_a_flush(&["D FW 0 8", "R FW 0 8", "D FW 0 8"], &[(0, F, 0, 0), (0, W, 0, 8)])]
#[case::issued_before_the_recording(&["D R 64 8", "R W 0 8", "D W 0 8"], &[(0, R, 64, 8), (2, W, 0, 8)])]
fn a_requeued_request_counts_once(#[case] events: &[&str], #[case] expected: &[(u64, Op, u64, u64)]) {
    assert_eq!(counted(events, Some("D")), expected);
    assert_eq!(counted(events, None), expected);
}

#[test]
fn a_requeued_request_counts_once_by_queue_and_completion_too() {
    for event in ["Q", "C"] {
        let events = ["Q W 0 8", "D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8"];
        assert_eq!(counted(&events, Some(event)), [(0, W, 0, 8)], "{event}");
    }
    // The parts of a request complete one by one.
    let parts = ["D W 0 16", "C W 0 8", "R W 8 8", "D W 8 8", "C W 8 8"];
    assert_eq!(counted(&parts, Some("C")), [(0, W, 0, 8), (3, W, 8, 8)]);
    // Whatever happens to requests of another device says nothing of those that count.
    let text = "8,0 1 1 1.000000000 5 D W 0 + 8 [x]\n8,0 1 2 1.000001000 5 R W 0 + 8 [x]\n\
                8,16 1 3 1.000002000 5 C W 0 + 8 [x]\n8,16 1 4 1.000003000 5 R W 0 + 8 [x]\n\
                8,0 1 5 1.000004000 5 D W 0 + 8 [x]\n8,0 1 6 1.000005000 5 C W 0 + 8 [x]\n";
    assert_eq!(records(text).unwrap().len(), 1);
}

/// What blkparse 1.2.0 prints of the recording in `fixtures/blktrace-little.bin`.
const TEXT: &str = "\
  8,16   0        1     0.000000000     7  Q  WS 2048 + 8 [jbd2/vdb-8]
  8,16   0        2     0.000000100     7  F  WS 2048 + 8 [jbd2/vdb-8]
  8,16   0        3     0.000000200     7  D  WS 2048 + 16 [jbd2/vdb-8]
  8,16   0        4     0.000000250     7  D   R 36 (12 00 00 00 24 00 ..) [jbd2/vdb-8]
  8,16   0        5     0.000000300     7  C  WS 2048 + 16 [0]
  8,16   0        6     0.000000400     7  D FWS [jbd2/vdb-8]
  8,16   0        7     0.000000500     7  D FWFS 4096 + 32 [jbd2/vdb-8]
  8,16   0        8     0.000000600     7  D   D 8192 + 2048 [jbd2/vdb-8]
  8,16   0        9     0.000000700     7  D  RM 64 + 1 [jbd2/vdb-8]
  8,16   0        0     0.000000800     0  m   N cfq message
";

/// Actions and categories of <linux/blktrace_api.h>.
const QUEUE: u32 = 1 | 1 << 20;
const REQUEUE: u32 = 6 | 1 << 24;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const MESSAGE: u32 = 2 | 1 << 26;
const WRITE: u32 = 1 << 17;

struct Event48 {
    sequence: u32,
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: (u32, u32),
    more: &'static [u8],
}

fn bytes(events: &[Event48]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend(event.sequence.to_le_bytes());
        bytes.extend(event.time_ns.to_le_bytes());
        bytes.extend(event.sector.to_le_bytes());
        let device = event.device.0 << 20 | event.device.1;
        bytes.extend([event.bytes, event.action, 77, device, 0].map(u32::to_le_bytes).as_flattened());
        bytes.extend([0, event.more.len() as u16].map(u16::to_le_bytes).as_flattened());
        bytes.extend(event.more);
    }
    bytes
}

/// A page written.
fn at(time_ns: u64, sector: u64) -> Event48 {
    Event48 { sequence: 1, time_ns, sector, bytes: 4096, action: ISSUE | WRITE, device: (8, 0), more: b"" }
}

#[rstest]
#[case(None, 6)]
#[case(Some("Q"), 1)]
#[case(Some("D"), 6)]
#[case(Some("C"), 1)]
fn a_recording_is_what_blkparse_prints_of_it(#[case] event: Option<&str>, #[case] count: usize) {
    let options = with(event.map(|event| ("event", event)).as_slice());
    let (_folder, text) = file("t", TEXT);
    let printed = read(&text, &options).unwrap();
    assert_eq!(printed.len(), count);
    for name in ["fixtures/blktrace-little.bin", "fixtures/blktrace-big.bin"] {
        let trace = Trace::open(&kept(name), &options).unwrap();
        assert_eq!(trace.format(), "blktrace");
        assert_eq!(trace.events(), Trace::open(&text, &options).unwrap().events());
        assert_eq!(read(&kept(name), &options).unwrap(), printed, "{name}");
    }
}

/// A folder with these files.
fn recording(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn sectors(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.offset_bytes / 512).collect()
}

#[test]
fn one_file_of_a_recording_stands_for_all() {
    let tie = |sequence, sector| Event48 { sequence, ..at(30, sector) };
    let message = Event48 { action: MESSAGE, more: b"hello", ..at(5, 0) };
    let folder = recording(&[
        ("sdb.blktrace.0", Vec::new()),
        ("sdb.blktrace.1", bytes(&[at(10, 1), tie(9, 4), at(40, 5)])),
        ("sdb.blktrace.2", bytes(&[message, at(20, 2), tie(8, 3), at(50, 7)])),
        ("sdb.blktrace.10", bytes(&[at(45, 6)])),
        ("sdc.blktrace.0", bytes(&[at(0, 99)])),
        ("sdb.blktrace.x", bytes(&[at(0, 99)])),
    ]);
    for name in ["sdb.blktrace.0", "sdb.blktrace.1", "sdb.blktrace.2", "sdb"] {
        let found = read(&folder.path().join(name), &OpenOptions::default()).unwrap();
        assert_eq!(sectors(&found), [1, 2, 3, 4, 5, 6, 7], "{name}");
        let times: Vec<_> = found.iter().map(|record| record.time_ns).collect();
        assert_eq!(times, [0, 10, 20, 20, 30, 35, 40], "{name}");
    }
}

#[test]
fn files_of_processors_that_are_not_there_are_missed() {
    let warnings = |names: &[&str]| {
        let files: Vec<_> = names.iter().zip(1..).map(|(name, ns)| (*name, bytes(&[at(ns, 1)]))).collect();
        let folder = recording(&files);
        let path = folder.path().join(names[0]);
        let scan =
            |options: &OpenOptions| Trace::open(&path, options).unwrap().scan().unwrap().warnings.join("\n");
        assert_eq!(scan(&with(&[("sort", "")])), scan(&OpenOptions::default()));
        scan(&OpenOptions::default())
    };
    for whole in [&["d.blktrace.0", "d.blktrace.1"][..], &["all"]] {
        assert_eq!(warnings(whole), "");
    }
    let two = warnings(&["d.blktrace.0", "d.blktrace.2", "d.blktrace.4"]);
    names(&two, "of 5 files|(d.blktrace.1, d.blktrace.3)");
    let many = warnings(&["d.blktrace.9.gz", "d.blktrace.0"]);
    names(&many, "(d.blktrace.0.gz, d.blktrace.1.gz,| and 5 more");
    // A processor that did nothing has an empty file, which is no gap.
    let folder = recording(&[("d.blktrace.0", Vec::new()), ("d.blktrace.1", bytes(&[at(0, 1)]))]);
    let trace = Trace::open(&folder.path().join("d.blktrace.1"), &OpenOptions::default()).unwrap();
    assert!(trace.scan().unwrap().warnings.is_empty());
}

#[test]
fn a_completion_of_nothing_closes_a_request_whose_parts_completed_before() {
    const FLUSH: u32 = 1 << 18;
    const DISCARD: u32 = 1 << 29;
    let kinds =
        [(4096, WRITE), (0, WRITE), (0, WRITE | FLUSH), (0, WRITE | DISCARD), (0, FLUSH), (0, 0), (512, 0)];
    let completed = |(time_ns, (bytes, kind))| Event48 { action: COMPLETE | kind, bytes, ..at(time_ns, 8) };
    let binary = bytes(&(0..).zip(kinds).map(completed).collect::<Vec<_>>());
    // As blkparse prints it.
    let printed = ["W 8 + 8", "W 8", "FW 8", "D 8", "FN 8", "N 8", "R 8 + 1"];
    let text = (0..).zip(printed).map(|(ns, what): (u64, _)| format!("8,0 0 1 0.{ns:09} 0 C {what} [0]\n"));
    let expected = vec![record(0, W, 4096, 4096), record(4, F, 0, 0), record(6, R, 4096, 512)];
    for content in [binary, text.collect::<String>().into_bytes()] {
        assert_eq!(opened(content, &with(&[("event", "C")])).as_ref(), Ok(&expected));
    }
}

#[test]
fn a_file_that_is_there_is_opened_as_it_is() {
    let folder = recording(&[
        ("sdb", bytes(&[at(0, 1)])),
        ("sdb.blktrace.0", bytes(&[at(0, 2)])),
        ("all", bytes(&[at(20, 3), at(10, 4)])),
    ]);
    assert_eq!(sectors(&read(&folder.path().join("sdb"), &OpenOptions::default()).unwrap()), [1]);
    // Files of several processors one behind the other go back in time.
    let all = folder.path().join("all");
    let error = read(&all, &OpenOptions::default()).unwrap_err().to_string();
    names(&error, "record 2: time goes backwards|--sort");
    assert_eq!(sectors(&read(&all, &with(&[("sort", "")])).unwrap()), [4, 3]);
    let missing = Trace::open(&folder.path().join("sdz"), &OpenOptions::default()).unwrap_err();
    names(&missing.to_string(), "sdz: no such file");
}

#[test]
fn packed_recordings_are_merged_too() {
    let pack = |content: Vec<u8>| packed(&content, Compression::Zstd);
    let folder = recording(&[
        ("d.blktrace.0.zst", pack(bytes(&[at(10, 1), at(30, 3)]))),
        ("d.blktrace.1.zst", pack(bytes(&[at(20, 2)]))),
        ("d.blktrace.1", bytes(&[at(20, 99)])),
    ]);
    let found = read(&folder.path().join("d.blktrace.0.zst"), &OpenOptions::default()).unwrap();
    assert_eq!(sectors(&found), [1, 2, 3]);
}

#[test]
fn a_bad_event_is_named_by_its_file() {
    let bad = Event48 { action: 99, ..at(20, 9) };
    let folder = recording(&[
        ("d.blktrace.0", bytes(&[at(10, 1), at(30, 3)])),
        ("d.blktrace.1", bytes(&[at(15, 2), bad])),
    ]);
    let path = folder.path().join("d.blktrace.0");
    let error = read(&path, &OpenOptions::default()).unwrap_err().to_string();
    names(&error, "d.blktrace.0: record 2 of d.blktrace.1: unknown action 99|1 (queued) to 17");
    let summary = Trace::open(&path, &with(&[("report", "")])).unwrap().scan().unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (3, 1));
}

#[test]
fn which_events_and_devices_of_a_recording_count() {
    let two = bytes(&[at(0, 1), Event48 { device: (259, 5), ..at(1, 2) }]);
    names(&records(&two).unwrap_err(), "t: record 2: |device 259,5 in a trace of device 8,0");
    assert_eq!(sectors(&opened(&two, &with(&[("device", "259,5")])).unwrap()), [2]);
    let queued = |time_ns, sector| Event48 { action: QUEUE | WRITE, ..at(time_ns, sector) };
    let completed = Event48 { action: COMPLETE | WRITE, ..at(9, 3) };
    assert_eq!(sectors(&records(bytes(&[queued(0, 1), at(1, 2), completed])).unwrap()), [2]);
    let only_queued = bytes(&[queued(0, 1), queued(1, 2)]);
    assert_eq!(sectors(&records(&only_queued).unwrap()), [1, 2]);
    names(&refused(&only_queued, &with(&[("event", "D")])), "no D (issued) events|--event Q");
    let message = bytes(&[Event48 { action: MESSAGE, ..at(0, 0) }]);
    names(&records(message).unwrap_err(), "neither D (issued) nor Q (queued)");
}

#[rstest]
#[case::cut_record(|bytes: &mut Vec<u8>| bytes.truncate(70), "t: |22 of 48 bytes|after byte 48")]
#[case::cut_before_what_follows(|bytes: &mut Vec<u8>| { bytes[46] = 1; bytes.truncate(48) },
    "t: |1 bytes are missing")]
#[case::lost(|bytes: &mut Vec<u8>| bytes.insert(48, 0), "t: record 2 |magic number")]
#[case::other_version(|bytes: &mut Vec<u8>| bytes[48] = 8, "t: record 2 |version 8|version 7 is known")]
#[case::too_far(|bytes: &mut Vec<u8>| bytes[48 + 23] = 0xFF, "t: record 2: |start sector|64 bits")]
#[case::nothing(|bytes: &mut Vec<u8>| bytes[48 + 25] = 0, "t: record 2: |a write of zero bytes")]
fn damaged_recordings(#[case] damage: fn(&mut Vec<u8>), #[case] told: &str) {
    let mut content = bytes(&[at(0, 1), at(1, 2)]);
    damage(&mut content);
    names(&records(&content).unwrap_err(), told);
}

#[test]
fn a_file_that_is_no_recording_is_refused_when_forced() {
    let text = "Hello, world, this is a text of more than one record's length";
    names(&refused(text, &with(&[("format", "blktrace")])), "t: is no blktrace recording|magic number");
    let (_folder, path) = file("t", b"");
    assert!(matches!(Trace::open(&path, &OpenOptions::default()), Err(TraceError::File { .. })));
}

#[test]
fn a_requeued_request_of_a_recording_counts_once() {
    let event = |time_ns, action, bytes| Event48 { action: action | WRITE, bytes, ..at(time_ns, 8) };
    let events = bytes(&[
        event(0, QUEUE, 4096),
        event(10, ISSUE, 4096),
        event(20, REQUEUE, 4096),
        // Merged with what follows it, meanwhile.
        event(30, ISSUE, 8192),
        event(40, COMPLETE, 8192),
    ]);
    let twice = [record(0, W, 8 * 512, 4096), record(20, W, 16 * 512, 4096)];
    assert_eq!(records(&events).unwrap(), twice);
    let taken = |event| opened(&events, &with(&[("event", event)])).unwrap();
    assert_eq!(taken("D"), twice);
    assert_eq!(taken("Q"), twice[..1]);
    assert_eq!(taken("C"), [record(0, W, 8 * 512, 8192)]);
}

#[rstest]
#[case::trace_pipe(
    "     kworker/0:1-100   [001] .....  1000.000500: block_rq_issue: 8,0 WS 8192 () 2000 + 16 [x]"
)]
#[case::with_priority("a b-7 [001] d..1. 1000.000500: block_rq_issue: 8,0 WS 8192 () 2000 + 16 be,4,0 [x y]")]
#[case::perf_script("fio  812 [001]  1000.000500: block:block_rq_issue: 8,0 WS 8192 () 2000 + 16 [fio]")]
#[case::nanoseconds("fio-8 [001] 1000.000500000: block_rq_issue: 8,0 WS 8192 () 2000 + 16 [fio]")]
fn events_of_ftrace(#[case] line: &str) {
    let first = "x-1 [000] ..... 1000.000400: block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 [x]";
    let other = "x-1 [000] ..... 1000.000450: sched_switch: prev_comm=x ==> next_comm=y";
    let text = format!("# tracer: nop\n#\n{first}\n{other}\n{line}\n");
    assert_eq!(records(text), Ok(vec![record(0, F, 0, 0), record(100_000, W, 2000 * 512, 8192)]));
}

#[test]
fn ftrace_counts_by_event_and_tells_of_lost_events() {
    let text = "f-1 [0] . 1.000000: block_bio_queue: 8,0 W 0 + 8 [f]\n\
        f-1 [0] . 1.000001: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.000002: block_rq_requeue: 8,0 W () 0 + 8 [0]\n\
        CPU:1 [LOST 12 EVENTS]\n\
        f-1 [0] . 1.000003: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.000004: block_rq_complete: 8,0 W () 0 + 8 none,0,0 [0]\n";
    for event in [None, Some("Q"), Some("D"), Some("C")] {
        let options = with(event.map(|event| ("event", event)).as_slice());
        assert_eq!(opened(text, &options), Ok(vec![record(0, W, 0, 4096)]), "{event:?}");
    }
    let (_folder, path) = file("t", text);
    let warnings = Trace::open(&path, &OpenOptions::default()).unwrap().scan().unwrap().warnings;
    assert_eq!(warnings.len(), 1);
    names(&warnings[0], "12 events");
    let bad = "f-1 [0] . 1.0: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.1: block_rq_issue: 8,0 W 4096 () [f]\n";
    names(&records(bad).unwrap_err(), "t:2: the start sector is missing");
}
