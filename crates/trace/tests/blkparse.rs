//! blkparse text: what each kind of line means, and the errors about bad ones.

use crate::common;
use crate::common::{message, record, records};
use reclaim_trace::{Op, OpenOptions, Record, Trace};
use rstest::rstest;

/// An issue event at 1 s with this ending.
fn issued(ending: &str) -> String {
    format!("  8,16   3        5     1.000026421  3645  D {ending}\n")
}

/// A good last line, so that files whose other lines hold no request are not refused for that.
const LAST: &str = "8,16 0 9 1.000026422 1 D R 8 + 8 [x]\n";

fn last() -> Record {
    record(1, Op::Read, 4096, 4096)
}

#[rstest]
#[case::read("R 4938888 + 256 [java]", &[(Op::Read, 4938888 * 512, 131072)])]
#[case::read_ahead("RA 0 + 8 [mount]", &[(Op::Read, 0, 4096)])]
#[case::metadata_read("RM 16 + 8 [mount]", &[(Op::Read, 8192, 4096)])]
#[case::write("W 8 + 1 [x]", &[(Op::Write, 4096, 512)])]
#[case::synchronous_metadata_write("WSM 8 + 16 [jbd2/loop0-8]", &[(Op::Write, 4096, 8192)])]
#[case::forced_unit_access("WFS 8 + 16 [x]", &[(Op::Write, 4096, 8192)])]
#[case::preflush("FWS 8 + 16 [x]", &[(Op::Flush, 0, 0), (Op::Write, 4096, 8192)])]
#[case::preflush_and_fua("FWFSM 8 + 16 [x]", &[(Op::Flush, 0, 0), (Op::Write, 4096, 8192)])]
#[case::preflush_alone("FWS [x]", &[(Op::Flush, 0, 0)])]
#[case::preflush_no_sectors("FWS 0 + 0 [x]", &[(Op::Flush, 0, 0)])]
#[case::flush_by_the_kernel("FF 0 + 0 [kworker/1:1H]", &[(Op::Flush, 0, 0)])]
#[case::flush_by_blkparse("FN [kworker/1:1H]", &[(Op::Flush, 0, 0)])]
#[case::flush_short("F 18446744073709551615 + 0 [x]", &[(Op::Flush, 0, 0)])]
#[case::discard("DS 64 + 128 [x]", &[(Op::Trim, 32768, 65536)])]
#[case::secure_erase("DES 64 + 128 [x]", &[(Op::Trim, 32768, 65536)])]
#[case::with_step_time("W 8 + 8 (    1234) [x]", &[(Op::Write, 4096, 4096)])]
#[case::spaces_and_brackets_in_the_command("W 8 + 8 [Chrome [IO] 1]", &[(Op::Write, 4096, 4096)])]
#[case::spaces_at_the_end("W 8 + 8 [x]  ", &[(Op::Write, 4096, 4096)])]
#[case::empty_command("W 8 + 8 []", &[(Op::Write, 4096, 4096)])]
#[case::passthrough("R 36 (12 00 00 00 24 00 ..) [udevd]", &[])]
#[case::passthrough_completed("R (12 00 00 00 24 00 ..) [0]", &[])]
#[case::flush_completed("FN (35 00 ..) [0]", &[(Op::Flush, 0, 0)])]
#[case::passthrough_without_data("N 0 (35 00 00 ..) [kworker]", &[])]
#[case::barrier_of_old_kernels("WBS 8 + 16 [x]", &[(Op::Flush, 0, 0), (Op::Write, 4096, 8192)])]
#[case::barrier_and_flush_first("FWBS 8 + 16 [x]", &[(Op::Flush, 0, 0), (Op::Write, 4096, 8192)])]
#[case::barrier_alone("WB [x]", &[(Op::Flush, 0, 0)])]
#[case::barrier_of_nothing("NB 0 + 0 [x]", &[(Op::Flush, 0, 0)])]
#[case::barrier_discard("DB 64 + 128 [x]", &[(Op::Flush, 0, 0), (Op::Trim, 32768, 65536)])]
#[case::priority_word("WS N 8 + 8 [x]", &[(Op::Write, 4096, 4096)])]
#[case::priority_class("WS be/4 8 + 8 [x]", &[(Op::Write, 4096, 4096)])]
#[case::priority_number("R 0 8 + 8 [x]", &[(Op::Read, 4096, 4096)])]
#[case::zone_reset("ZRS 8 + 16 [x]", &[(Op::Trim, 4096, 8192)])]
#[case::zone_opened("ZO 8 + 16 [x]", &[])]
#[case::zone_closed("ZCS 8 + 16 [x]", &[])]
#[case::zone_finished("ZF 8 + 16 [x]", &[])]
#[case::nothing("N 0 + 0 [x]", &[])]
#[case::nothing_without_sectors("NS [x]", &[])]
fn kinds_of_request(#[case] ending: &str, #[case] expected: &[(Op, u64, u64)]) {
    let mut expected: Vec<Record> =
        expected.iter().map(|(op, offset, size)| record(0, *op, *offset, *size)).collect();
    // Time is relative to the first request.
    expected.push(if expected.is_empty() { record(0, Op::Read, 4096, 4096) } else { last() });
    for ending in [ending.to_owned(), format!("{ending}\r")] {
        assert_eq!(records((issued(&ending) + LAST).as_bytes()).as_deref(), Ok(&expected[..]), "{ending}");
    }
}

#[rstest]
#[case::completed("8,16 3 7 1.001795683 3557 C R 4938888 + 256 [0]")]
#[case::inserted("8,16 3 7 1.001795683 3557 I R 4938888 + 256 [java]")]
#[case::queued_before_issued("8,16 3 7 1.001795683 3557 Q R 4938888 + 256 [java]")]
#[case::remapped("8,0 3 7 1.001795683 3557 A R 4938888 + 256 <- (8,1) 4936840")]
#[case::split("8,16 3 7 1.001795683 3557 X R 4938888 / 4938896 [java]")]
#[case::unplugged("8,16 3 7 1.001795683 3557 U N [java] 4")]
#[case::unplugged_by_timer("8,16 3 7 1.001795683 3557 UT N [java] 4")]
#[case::message("8,16 3 0 1.001795683 0 m N cfq3557S / insert_request")]
#[case::blank("   ")]
#[case::other_device("8,0 3 7 1.001795683 3557 C R 4938888 + 256 [0]")]
fn lines_that_are_no_request(#[case] line: &str) {
    assert_eq!(records(format!("{line}\n{LAST}").as_bytes()), Ok(vec![record(0, Op::Read, 4096, 4096)]));
}

const SUMMARY: &str = "CPU0 (8,16):\n Reads Queued:           0,        0KiB\t Writes Queued: 0\n\n\
                       Total (8,16):\n Events (8,16): 29662 entries\nSkips: 0 forward (0 -   0.0%)\n";

#[test]
fn the_closing_summary_ends_the_events() {
    let good = format!("{LAST}\n{SUMMARY}");
    assert_eq!(records(good.as_bytes()).map(|r| r.len()), Ok(1));
    assert_eq!(
        message(format!("{good}{LAST}").as_bytes(), None),
        "t:9: an event after the closing summary: two outputs of blkparse have been joined\n  \
         the line reads: 8,16 0 9 1.000026422 1 D R 8 + 8 [x]\n  \
         expected: 8,0 1 42 0.062712996 4957 D WS 16777088 + 8 [command]"
    );
}

#[test]
fn a_text_without_its_closing_summary_is_said_to_be_perhaps_cut() {
    let scanned = |content: String| {
        let (_folder, path) = common::file("t", content.as_bytes());
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        let first = trace.scan().unwrap();
        // Played from memory it says the same, and only at its end.
        let mut again = trace.source().unwrap();
        assert!(again.bad_lines().warnings.is_empty());
        common::collect(again.as_mut()).unwrap();
        assert_eq!(again.bad_lines().warnings, first.warnings);
        (first.bad_lines, first.warnings)
    };
    assert_eq!(scanned(format!("{LAST}\n{SUMMARY}")), (0, Vec::new()));
    // Events picked from a text are no cut text.
    assert_eq!(scanned(LAST.to_owned()), (0, Vec::new()));
    let (bad_lines, warnings) = scanned(format!("{LAST}8,16 0 9 1.000026423 1 C R 8 + 8 [0]\n"));
    assert_eq!((bad_lines, warnings.len()), (0, 1));
    assert!(warnings[0].starts_with("the text ends without the summary"), "{warnings:?}");
}

#[test]
fn queue_events_stand_in_when_there_are_no_issue_events() {
    let queued = "8,0 0 1 0.000000000 5 Q WS 8 + 8 [x]\n8,0 0 2 0.000000700 5 C WS 8 + 8 [0]\n";
    let (_folder, path) = common::file("t", queued.as_bytes());
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!(trace.events(), Some("Q (queued)"));
    assert_eq!(trace.scan().unwrap().writes, 1);

    let (_folder, path) =
        common::file("t", format!("{queued}8,0 0 3 0.000000900 5 D WS 8 + 8 [x]\n").as_bytes());
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!((trace.format(), trace.events()), ("blkparse", Some("D (issued to the device)")));
    assert_eq!(trace.scan().unwrap().writes, 1);
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
    record(0, Op::Write, 4096, 4096), record(200, Op::Write, 8192, 4096), record(600, Op::Trim, 32768, 65536),
    record(900, Op::Flush, 0, 0)])]
#[case::issued_requests_hold_what_was_merged_into_them("D", "D (issued to the device)", &[
    record(0, Op::Write, 4096, 8192), record(300, Op::Trim, 32768, 65536), record(600, Op::Flush, 0, 0)])]
#[case::completed("C", "C (completed)", &[
    record(0, Op::Write, 4096, 8192), record(300, Op::Trim, 32768, 65536), record(400, Op::Flush, 0, 0)])]
fn the_event_that_counts_can_be_chosen(
    #[case] event: &str,
    #[case] described: &str,
    #[case] expected: &[Record],
) {
    let (_folder, path) = common::file("t", LIFE.as_bytes());
    let options = OpenOptions { event: Some(event.parse().unwrap()), ..OpenOptions::default() };
    assert_eq!(common::read(&path, &options).as_deref(), Ok(expected));
    assert_eq!(Trace::open(&path, &options).unwrap().events(), Some(described));
}

#[test]
fn an_event_that_does_not_occur_is_named() {
    let (_folder, path) = common::file("t", LAST.as_bytes());
    for (event, reason) in [("Q", "no Q (queued) events"), ("C", "no C (completed) events")] {
        let options = OpenOptions { event: Some(event.parse().unwrap()), ..OpenOptions::default() };
        let error = common::read(&path, &options).unwrap_err().to_string();
        assert!(error.ends_with(&format!("holds no requests: {reason}")), "{error}");
    }
    let error = "I".parse::<reclaim_trace::Event>().unwrap_err().to_string();
    assert_eq!(error, "unknown event \"I\"; valid: Q, D, C");
}

#[test]
fn one_of_several_devices() {
    let content =
        format!("8,0 0 1 1.000000000 5 D R 0 + 8 [x]\n{LAST}8,17 0 1 2.000000000 5 D R 0 + 8 [x]\n");
    let (_folder, path) = common::file("t", content.as_bytes());
    let of = |device: &str| {
        let options = OpenOptions { device: Some(device.to_owned()), ..OpenOptions::default() };
        common::read(&path, &options).map_err(|error| error.to_string())
    };
    assert_eq!(of("8,16"), Ok(vec![record(0, Op::Read, 4096, 4096)]));
    assert_eq!(of("all").unwrap().len(), 3);
    assert!(of("8,1").unwrap_err().ends_with("holds no requests to device 8,1; it has 8,0, 8,16, 8,17"));
    assert!(of("sda").unwrap_err().contains("major,minor, as in 8,16"));
}

const MISSING: &str = "is missing or not a number";

#[rstest]
#[case::no_device("x", &format!("the device (major,minor) in the first field {MISSING}"))]
#[case::no_comma("8 0 1", "the first field is not a device (major,minor)")]
#[case::no_processor("8,0", "the line ends after the device's minor number in the first field")]
#[case::processor("8,0 a", &format!("the processor in the second field {MISSING}"))]
#[case::sequence("8,16 1 1.5", "the sequence number in the third field is not a whole number")]
#[case::time_negative("8,16 1 1 -1.000000000 5 D R 8 + 8 [x]", "the time in the fourth field is negative")]
#[case::time_short(
    "8,0 1 1 1.5 5 D R 8 + 8 [x]",
    "the time in the fourth field is not seconds.nanoseconds with nine decimals"
)]
#[case::time_whole(
    "8,0 1 1 15 5 D R 8 + 8 [x]",
    "the time in the fourth field is not seconds.nanoseconds with nine decimals"
)]
#[case::time_large(
    "8,0 1 1 18446744074.000000000 5 D R 8 + 8 [x]",
    "the time in the fourth field is too large for 64 bits of nanoseconds"
)]
#[case::process("8,16 1 1 1.000000000 D R 8 + 8 [x]", &format!("the process in the fifth field {MISSING}"))]
#[case::no_action("8,16 1 1 1.000000000 5 ", "the line ends before the action in the sixth field")]
#[case::action("8,16 1 1 1.000000000 5 Z R 8 + 8 [x]", "unknown action \"Z\" in the sixth field")]
#[case::rwbs(
    "8,16 1 1 1.000000000 5 D XS 8 + 8 [x]",
    "unknown RWBS flags \"XS\"; valid: R, W, D (discard), DE, N or F (flush), ZA (zone append), ZR, \
     ZO, ZC, ZF (zone reset, open, close, finish), after an optional F (flush first), followed by any \
     of F, A, B (barrier), S, M, U"
)]
#[case::rwbs_hint(
    "8,16 1 1 1.000000000 5 D WX 8 + 8 [x]",
    "unknown RWBS flags \"WX\"; valid: R, W, D (discard), DE, N or F (flush), ZA (zone append), ZR, \
     ZO, ZC, ZF (zone reset, open, close, finish), after an optional F (flush first), followed by any \
     of F, A, B (barrier), S, M, U"
)]
#[case::no_rwbs(
    "8,0 1 1 1.000000000 5 D",
    "unknown RWBS flags \"\"; valid: R, W, D (discard), DE, N or F (flush), ZA (zone append), ZR, \
     ZO, ZC, ZF (zone reset, open, close, finish), after an optional F (flush first), followed by any \
     of F, A, B (barrier), S, M, U"
)]
#[case::no_sector("8,16 1 1 1.000000000 5 D R", &format!("the start sector {MISSING}"))]
#[case::sector_negative("8,16 1 1 1.000000000 5 D R -8 + 8 [x]", "the start sector is negative")]
#[case::sector_overflow(
    "8,16 1 1 1.000000000 5 D R 99999999999999999999 + 8 [x]",
    "the start sector is too large for 64 bits"
)]
#[case::sector_bytes(
    "8,16 1 1 1.000000000 5 D R 18446744073709551615 + 8 [x]",
    "the start sector is too large for 64 bits of bytes"
)]
#[case::no_plus("8,16 1 1 1.000000000 5 D R 8", "the start sector is not followed by \"+ sectors\"")]
#[case::cut_at_count("8,16 1 1 1.000000000 5 D R 8 + ", "the start sector is not followed by \"+ sectors\"")]
#[case::count("8,16 1 1 1.000000000 5 D R 8 + x [x]", &format!("the number of sectors {MISSING}"))]
#[case::cut_after_count("8,16 1 1 1.000000000 5 D R 8 + 8", "the line ends before the command in brackets")]
#[case::cut_in_command(
    "8,16 1 1 1.000000000 5 D R 8 + 8 [mariad",
    "the line does not end with the command in brackets"
)]
#[case::zero("8,16 1 1 1.000000000 5 D R 8 + 0 [x]", "a read of zero bytes is not a request")]
#[case::zero_without_sectors("8,16 1 1 1.000000000 5 D WS [x]", "a write of zero bytes is not a request")]
#[case::no_data_but_sectors(
    "8,16 1 1 1.000000000 5 D N 8 + 8 [x]",
    "RWBS \"N\" is neither read, write nor discard, yet has 8 sectors"
)]
#[case::huge(
    "8,16 1 1 1.000000000 5 D R 0 + 8388609 [x]",
    "a read of 4294967808 bytes is more than one request can move (4294967296 bytes); are the columns in \
     the right order and unit?"
)]
#[case::end_overflow(
    "8,16 1 1 1.000000000 5 D D 36028797018963967 + 8 [x]",
    "the trim ends beyond what 64 bits can address (offset 18446744073709551104 + size 4096 bytes)"
)]
#[case::second_device(
    "8,17 1 1 1.000026423 5 D R 8 + 8 [x]",
    "a request to device 8,17 in a trace of device 8,16: their addresses would overlap; take one with \
     --trace-device 8,16, or all with --trace-device all"
)]
#[case::backwards(
    "8,16 1 1 1.000026421 5 D R 8 + 8 [x]",
    "time goes backwards: 1.000026421 s after 1.000026422 s; use --sort to put the requests in order of \
     time first"
)]
fn bad_lines(#[case] line: &str, #[case] reason: &str) {
    // A good line before it, a good line after it: neither hides it.
    let content = format!("{LAST}{line}\n{LAST}");
    let expected = format!(
        "t:2: {reason}\n  the line reads: {line}\n  expected: 8,0 1 42 0.062712996 4957 D WS 16777088 + 8 \
         [command]"
    );
    assert_eq!(message(content.as_bytes(), None), expected);
}

#[rstest]
#[case::only_completions(
    "8,0 1 1 1.000000000 5 C R 8 + 8 [0]\n",
    "t: holds no requests: neither D (issued) nor Q (queued) events"
)]
#[case::only_a_passthrough(
    "8,16 1 1 1.000000000 5 D N 0 (35 00 ..) [x]\n",
    "t: holds no requests: neither D (issued) nor Q (queued) events"
)]
fn files_without_requests(#[case] content: &str, #[case] expected: &str) {
    assert_eq!(message(content.as_bytes(), None), expected);
}

#[test]
fn issue_events_far_behind_queue_events_are_not_mixed_with_them() {
    // More than a format may look at to decide.
    let mut content = "8,0 0 1 1.000000000 5 Q WS 8 + 8 [x]\n".repeat(10_000);
    content += "8,0 0 2 1.000000000 5 D WS 8 + 8 [x]\n";
    assert_eq!(
        message(content.as_bytes(), None),
        "t:10001: a D (issued) event, but the beginning of the file has only Q (queued) events: say which to \
         take with --event D or --event Q\n  the line reads: 8,0 0 2 1.000000000 5 D WS 8 + 8 [x]\n  \
         expected: 8,0 1 42 0.062712996 4957 D WS 16777088 + 8 [command]"
    );
}

#[test]
fn where_a_zone_append_went_only_its_completion_says() {
    let text = "8,0 1 1 1.0 5 D R 0 + 8 [x]\n".replace("1.0", "1.000000000")
        + "8,0 1 2 1.000000001 5 D ZAS 0 + 8 [x]\n8,0 1 3 1.000000002 5 C ZAS 24 + 8 [0]\n";
    assert!(message(text.as_bytes(), None).contains("take completions with --event C"));
    let (_folder, path) = common::file("t", text.as_bytes());
    let options = OpenOptions { event: Some("C".parse().unwrap()), ..OpenOptions::default() };
    assert_eq!(common::read(&path, &options), Ok(vec![record(0, Op::Write, 24 * 512, 4096)]));
}
