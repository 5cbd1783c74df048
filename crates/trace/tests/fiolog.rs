//! The logs that fio writes of latencies, bandwidth and operations: those with offsets are traces.

use crate::common;
use crate::common::{message, record, records};
use reclaim_trace::{Op, OpenOptions, Trace};
use rstest::rstest;

const MS: u64 = 1_000_000;

#[rstest]
#[case::before_priorities("0, 104215, 1, 16384, 3173736448\n3, 98211, 0, 4096, 0\n", [0, 3 * MS])]
#[case::of_today("0, 104215, 1, 16384, 3173736448, 0\n3, 98211, 0, 4096, 0, 1\n", [0, 3 * MS])]
#[case::with_log_prio("0, 104215, 1, 16384, 3173736448, 0x4001\n3, 98211, 0, 4096, 0, 0x0000\n", [0, 3 * MS])]
#[case::issue_times("1, 9, 1, 16384, 3173736448, 0, 1000700\n3, 9, 0, 4096, 0, 0, 1900200\n", [0, 899_500])]
#[case::no_issue_times("0, 104215, 1, 16384, 3173736448, 0, 0\n3, 98211, 0, 4096, 0, 0, 0\n", [0, 3 * MS])]
fn a_log_with_offsets_is_a_trace(#[case] content: &str, #[case] times: [u64; 2]) {
    let expected = [record(times[0], Op::Write, 3_173_736_448, 16384), record(times[1], Op::Read, 0, 4096)];
    assert_eq!(records(content.as_bytes()).unwrap(), expected);
}

#[rstest]
#[case("fio_clat.1.log")]
#[case("fio_slat.2.log")]
#[case("fio_lat.1.log")]
#[case("fio_bw.1.log")]
#[case("fio_iops.1.log")]
fn every_log_of_every_job_is_recognised(#[case] name: &str) {
    let (_folder, path) = common::file(name, b"0, 104215, 2, 16384, 4096, 0\n");
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!(trace.format(), "fiolog");
    assert_eq!(common::read(&path, &OpenOptions::default()).unwrap(), [record(0, Op::Trim, 4096, 16384)]);
}

#[rstest]
#[case::old("0, 104215, 1, 16384\n3, 98211, 0, 4096\n")]
#[case::of_today("0, 104215, 1, 16384, 0\n3, 98211, 0, 4096, 1\n")]
#[case::with_log_prio("0, 104215, 1, 16384, 0x0000\n")]
#[case::issue_times("0, 104215, 1, 16384, 0, 1000700\n3, 98211, 0, 4096, 0, 1900200\n")]
fn a_log_without_offsets_says_what_logs_them(#[case] content: &str) {
    assert_eq!(
        message(content.as_bytes(), None),
        "t: is a log of fio without offsets: it says when and how much, not where; \
         write_iolog=FILE logs every request with its offset, as does write_lat_log=FILE with \
         log_offset=1 and without log_avg_msec"
    );
}

#[rstest]
#[case::mean("500, 104215, 1, 0, 0\n1000, 98211, 1, 0, 0\n")]
#[case::mean_with_offsets("500, 104215, 0, 0, 0, 0\n500, 104215, 1, 0, 0, 0\n")]
#[case::both("500, 104215, 204215, 0, 0, 0\n1000, 98211, 104215, 1, 0, 0\n")]
fn averages_are_no_requests(#[case] content: &str) {
    let told = message(content.as_bytes(), None);
    assert!(
        told.starts_with("t: is a log of fio with averages over time, no requests; write_iolog="),
        "{told}"
    );
}

#[rstest]
#[case("0, 1, 3, 4096, 8192, 0\n", "unknown direction 3; valid: 0 (read), 1 (write), 2 (trim)")]
#[case("0, 1, 1, 4096, 8192\n", "5 columns in a log of 6")]
#[case("0, 1, 1, 4096, x, 0\n", "\"x\" in column 5 is no whole number of 64 bits")]
#[case("0, 1, 1, 4096, -1, 0\n", "\"-1\" in column 5 is no whole number of 64 bits")]
#[case("0, 1, 1, 0, 4096, 0\n", "a write of zero bytes is not a request")]
#[case(
    "99999999999999, 1, 1, 1, 4096, 0\n",
    "the time in the first column is too large for 64 bits of nanoseconds"
)]
#[case("0, 1, 1, 4096, 8192, 0, 0, 0, 0\n", "more than 7 columns")]
fn a_bad_line_is_shown(#[case] line: &str, #[case] reason: &str) {
    let good = "0, 104215, 1, 16384, 8192, 0\n".repeat(30);
    let told = message(format!("{good}{line}").as_bytes(), None);
    assert!(told.starts_with(&format!("t:31: {reason}")), "{told}");
}

#[test]
fn other_tables_of_numbers_are_none() {
    for content in ["0,104215,1,16384,8192,0\n", "1, 2, 3, 4\n", "0, 1, 1\n"] {
        assert!(!message(content.as_bytes(), None).contains("log of fio"), "{content}");
    }
    let named = message(b"time_us,op\n", Some("fiolog"));
    assert_eq!(named, "t: has no line of a log of fio: time, value, direction, block size, offset");
}
