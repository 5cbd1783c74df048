//! Reclaim's own CSV and that of MSR Cambridge: what each line means, and the errors about bad ones.

use crate::common;
use crate::common::{message, read, record, records};
use reclaim_trace::{Op, OpenOptions};
use rstest::rstest;

const HEADER: &str = "time_us,op,offset_bytes,size_bytes";

#[rstest]
#[case("5,write,0,512", Op::Write, 0, 512)]
#[case("5,W,4096,4096", Op::Write, 4096, 4096)]
#[case("5,read,1,1", Op::Read, 1, 1)]
#[case("5,R,0,4294967296", Op::Read, 0, 1 << 32)]
#[case("5,trim,0,18446744073709551615", Op::Trim, 0, u64::MAX)]
#[case("5,T,0,1", Op::Trim, 0, 1)]
#[case("5,D,0,1", Op::Trim, 0, 1)]
#[case("5,flush,0,0", Op::Flush, 0, 0)]
#[case("5,F,0,0", Op::Flush, 0, 0)]
fn own_operations(#[case] line: &str, #[case] op: Op, #[case] offset: u64, #[case] size: u64) {
    let expected = Ok(vec![record(0, op, offset, size)]);
    for content in [
        format!("{HEADER}\n{line}\n"),
        format!("{HEADER}\n{line}"),
        format!("{HEADER}\r\n{line}\r\n"),
        format!("{HEADER}\n\n{line}\n\n"),
        format!("\u{feff}{HEADER}\n{line}\n"),
    ] {
        assert_eq!(records(content.as_bytes()), expected, "{content:?}");
    }
}

#[rstest]
#[case("7", 0)]
#[case("7.0", 0)]
#[case("7.5", 500)]
#[case("7.05", 50)]
#[case("7.005", 5)]
#[case("18446744073709551.615", u64::MAX - 7000)]
fn own_times(#[case] time: &str, #[case] expected: u64) {
    let content = format!("{HEADER}\n7,R,0,1\n{time},R,0,1\n");
    assert_eq!(records(content.as_bytes()).unwrap()[1].time_ns, expected);
}

#[rstest]
#[case::no_time(",R,0,1", "time_us is missing or not a number")]
#[case::negative_time("-1,R,0,1", "time_us is negative")]
#[case::time_overflow("18446744073709551.616,R,0,1", "time_us is too large for 64 bits")]
#[case::time_digits("99999999999999999999999,R,0,1", "time_us is too large for 64 bits")]
#[case::exponent("1e6,R,0,1", "unexpected \"e6,R,0,1\" after time_us")]
#[case::too_fine("1.0005,R,0,1", "time_us has more than three decimals, which is finer than a nanosecond")]
#[case::bare_point("1.,R,0,1", "the fraction of time_us is missing or not a number")]
#[case::only_time("17", "the line ends after time_us; four columns are needed")]
#[case::op("17,X,0,1", "unknown op \"X\"; valid: read, write, trim, flush, or R, W, T (also D, discard), F")]
#[case::no_op("17,", "unknown op \"\"; valid: read, write, trim, flush, or R, W, T (also D, discard), F")]
#[case::no_offset("17,R", "offset_bytes is missing or not a number")]
#[case::negative_offset("17,R,-4096,1", "offset_bytes is negative")]
#[case::offset_overflow("17,R,18446744073709551616,1", "offset_bytes is too large for 64 bits")]
#[case::no_size_column("17,R,0", "the line ends after offset_bytes; four columns are needed")]
#[case::no_size("17,R,0,", "size_bytes is missing or not a number")]
#[case::float_size("17,R,0,1.5", "unexpected \".5\" after size_bytes")]
#[case::five_columns("17,R,0,1,9", "unexpected \",9\" after size_bytes")]
#[case::zero_read("17,R,0,0", "a read of zero bytes is not a request")]
#[case::zero_trim("17,T,0,0", "a trim of zero bytes is not a request")]
#[case::flush_of_something(
    "17,F,0,9",
    "a flush addresses nothing, so its offset and size must be 0, not 0 and 9"
)]
#[case::end_overflow(
    "17,W,18446744073709551615,1",
    "the write ends beyond what 64 bits can address (offset 18446744073709551615 + size 1 bytes)"
)]
#[case::huge(
    "17,W,0,4294967297",
    "a write of 4294967297 bytes is more than one request can move (4294967296 bytes); are the columns in \
     the right order and unit?"
)]
#[case::backwards(
    "16,R,0,1",
    "time goes backwards: 0.000016000 s after 0.000017000 s; use --sort to put the requests in order of \
     time first"
)]
fn own_bad_lines(#[case] line: &str, #[case] reason: &str) {
    let content = format!("{HEADER}\n17,R,0,1\n{line}\n18,R,0,1\n");
    let expected =
        format!("t:3: {reason}\n  the line reads: {line}\n  expected: 1308.875,write,3173736448,4096");
    assert_eq!(message(content.as_bytes(), None), expected);
}

#[test]
fn own_lines_in_quotation_marks() {
    let plain = records(format!("{HEADER}\n17,write,0,512\n18.5,F,0,0\n").as_bytes()).unwrap();
    for content in [
        "\"time_us\",\"op\",\"offset_bytes\",\"size_bytes\"\n17,\"write\",0,512\n18.5,\"F\",0,0\n",
        "time_us,op,offset_bytes,size_bytes\n\"17\",\"write\",\"0\",\"512\"\n\"18.5\",F,0,0\n",
    ] {
        assert_eq!(records(content.as_bytes()).as_ref(), Ok(&plain), "{content}");
    }
    let open = format!("{HEADER}\n17,\"R,0,1\n");
    assert!(message(open.as_bytes(), None).starts_with("t:2: unknown op \"\"R\""));
}

#[test]
fn msr_with_its_header() {
    let lines = "128166372003061629,hm,0,Read,383496192,32768,1413\n";
    for header in [
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
        "timestamp,hostname,disknumber,type,offset,size,responsetime",
    ] {
        assert_eq!(records(format!("{header}\n{lines}").as_bytes()), records(lines.as_bytes()));
    }
    let again = format!("{lines}Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n");
    assert!(message(again.as_bytes(), None).starts_with("t:2: Timestamp is missing or not a number"));
}

#[test]
fn own_header_must_be_exact() {
    assert_eq!(
        message(b"time_us,op,offset,size\n1,R,0,1\n", None),
        "t:1: the first line must be the header time_us,op,offset_bytes,size_bytes\n  \
         its first line names the columns time_us, op, offset, size; say what they hold: --columns \
         time_us=time:us,op=op,offset=offset:bytes,size=size:bytes (guessed, so check: offset:bytes, \
         size:bytes)\n  \
         the line reads: time_us,op,offset,size\n  expected: 1308.875,write,3173736448,4096"
    );
    assert_eq!(message(format!("{HEADER}\n").as_bytes(), None), "t: holds no requests");
}

#[rstest]
#[case("0,R,0,1", "the line ends after size_bytes; the header has a stream behind it")]
#[case("0,R,0,1,x", "stream is missing or not a number")]
#[case("0,R,0,1,256", "stream 256 is above 255, the highest there is")]
#[case("0,R,0,1,2,3", "unexpected \",3\" after stream")]
fn a_stream_is_a_small_number(#[case] line: &str, #[case] reason: &str) {
    let said = message(format!("{HEADER},stream\n{line}\n").as_bytes(), None);
    assert!(said.starts_with(&format!("t:2: {reason}\n")), "{said}");
}

#[test]
fn long_and_unprintable_lines_are_shown_safely() {
    let line = format!("17,\u{1b}[31m{},0,1", "x".repeat(200));
    let message = message(format!("{HEADER}\n{line}\n").as_bytes(), None);
    let shown = message.lines().nth(1).unwrap();
    assert_eq!(shown, format!("  the line reads: 17,\\u{{1b}}[31m{}…", "x".repeat(112)));
}

#[test]
fn msr_lines() {
    let content = "128166372003061629,hm,0,Read,383496192,32768,1413\r\n\
                   128166372003061630,hm,0,Write,4096,512,0\r\n";
    let expected = vec![record(0, Op::Read, 383496192, 32768), record(100, Op::Write, 4096, 512)];
    assert_eq!(records(content.as_bytes()), Ok(expected));
}

#[rstest]
#[case::time("x,hm,0,Read,0,512,9", "Timestamp is missing or not a number")]
#[case::time_overflow(
    "184467440737095517,hm,0,Read,0,512,9",
    "Timestamp in nanoseconds is too large for 64 bits"
)]
#[case::disk("128166372003061629,hm,,Read,0,512,9", "DiskNumber is missing or not a number")]
#[case::op("128166372003061629,hm,0,read,0,512,9", "unknown Type \"read\"; valid: Read, Write")]
#[case::offset("128166372003061629,hm,0,Read,-1,512,9", "Offset is negative")]
#[case::cut_in_offset(
    "128166372003061629,hm,0,Read,3834",
    "the line ends after Offset; seven columns are needed"
)]
#[case::cut_in_size(
    "128166372003061629,hm,0,Read,0,512",
    "the line ends after Size; seven columns are needed"
)]
#[case::cut_after_size("128166372003061629,hm,0,Read,0,512,", "ResponseTime is missing or not a number")]
#[case::eight("128166372003061629,hm,0,Read,0,512,9,1", "unexpected \",1\" after ResponseTime")]
#[case::offset_words("128166372003061629,hm,0,Read,0x10,512,9", "unexpected \"x10,512,9\" after Offset")]
#[case::zero("128166372003061629,hm,0,Read,0,0,9", "a read of zero bytes is not a request")]
#[case::other_disk(
    "128166372003061629,hm,1,Read,0,512,9",
    "a request to disk hm_1 in a trace of disk hm_0: their addresses would overlap; take one with \
     --trace-device hm_0, or all with --trace-device all"
)]
#[case::other_host(
    "128166372003061629,prxy,0,Read,0,512,9",
    "a request to disk prxy_0 in a trace of disk hm_0: their addresses would overlap; take one with \
     --trace-device hm_0, or all with --trace-device all"
)]
#[case::backwards(
    "128166372003061628,hm,0,Read,0,512,9",
    "time goes backwards: 12816637200.306162800 s after 12816637200.306162900 s; use --sort to put the \
     requests in order of time first"
)]
fn msr_bad_lines(#[case] line: &str, #[case] reason: &str) {
    let good = "128166372003061629,hm,0,Read,383496192,32768,1413\n";
    let expected = format!(
        "t:2: {reason}\n  the line reads: {line}\n  expected: \
         128166372003061629,hm,0,Read,383496192,32768,1413"
    );
    assert_eq!(message(format!("{good}{line}\n{good}").as_bytes(), None), expected);
}

#[test]
fn sorting_is_stable_and_relative_to_the_earliest() {
    let content = format!("{HEADER}\n3,R,3,1\n1,R,1,1\n3,R,4,1\n1,W,2,1\n");
    let (_folder, path) = common::file("t", content.as_bytes());
    let sorted = read(&path, &OpenOptions { sort: true, ..OpenOptions::default() }).unwrap();
    let expected = [
        record(0, Op::Read, 1, 1),
        record(0, Op::Write, 2, 1),
        record(2000, Op::Read, 3, 1),
        record(2000, Op::Read, 4, 1),
    ];
    assert_eq!(sorted, expected);
}
