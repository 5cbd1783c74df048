//! Going on without the lines that cannot be read: what is counted, what is kept, and what stops all the same.

use crate::common::file;
use reclaim_trace::transform::{MergeSpec, RepeatSpec, Transforms};
use reclaim_trace::{OnError, OpenOptions, Summary, Trace, TraceError};

fn scan(content: &str, options: &OpenOptions) -> Result<Summary, TraceError> {
    let (_folder, path) = file("t", content.as_bytes());
    Trace::open(&path, options)?.scan()
}

fn report() -> OpenOptions {
    OpenOptions { on_error: OnError::Report, ..OpenOptions::default() }
}

const HEADER: &str = "time_us,op,offset_bytes,size_bytes\n";

#[test]
fn bad_lines_are_counted_and_the_first_kept_with_their_numbers() {
    let content = format!(
        "{HEADER}0,R,0,512\nrubbish\n5,W,0,0\n4,R,0,512\n4,W,-1,512\n\n3,R,0,512\nx\ny\nz\n6,W,512,512\n"
    );
    let summary = scan(&content, &report()).unwrap();
    assert_eq!((summary.requests, summary.reads, summary.writes), (3, 2, 1));
    assert_eq!((summary.bad_lines, summary.span_ns), (7, 6000));
    assert_eq!(
        summary.first_bad_lines,
        [
            "line 3: time_us is missing or not a number (rubbish)",
            "line 4: a write of zero bytes is not a request (5,W,0,0)",
            "line 6: offset_bytes is negative (4,W,-1,512)",
            "line 8: time goes backwards: 0.000003000 s after 0.000004000 s; use --sort to put the \
             requests in order of time first (3,R,0,512)",
            "line 9: time_us is missing or not a number (x)",
        ]
    );
    let strict = scan(&content, &OpenOptions::default()).unwrap_err().to_string();
    assert!(strict.contains(":3: time_us is missing"), "{strict}");
}

#[test]
fn what_is_left_is_the_same_trace_as_without_the_bad_lines() {
    let good = scan(&format!("{HEADER}0,R,0,512\n6,W,512,512\n"), &OpenOptions::default()).unwrap();
    // A first line that is refused must not set the origin of time.
    let damaged =
        scan(&format!("{HEADER}100,W,0,0\n200,R,0,512\n201,?\n206,W,512,512\n"), &report()).unwrap();
    assert_eq!((damaged.content_hash, damaged.bad_lines), (good.content_hash, 2));
    assert_eq!((good.bad_lines, good.first_bad_lines.len()), (0, 0));
}

#[test]
fn sorting_and_leaving_out_go_together() {
    let options = OpenOptions { sort: true, ..report() };
    let summary = scan(&format!("{HEADER}9,R,0,512\nrubbish\n5,W,0,512\n"), &options).unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (2, 1));
}

#[test]
fn a_trace_of_which_nothing_is_left_is_refused() {
    let message = scan("time_us,op,offset,size\n0,R,0,512\n", &report()).unwrap_err().to_string();
    let says = "t: holds no requests that can be read; wrong: 2, first line 1: the first line must be \
                the header time_us,op,offset_bytes,size_bytes";
    assert!(message.contains(says), "{message}");
    assert!(
        message.contains("--columns time_us=time:us,op=op,offset=offset:bytes,size=size:bytes"),
        "{message}"
    );
    assert!(message.ends_with("(time_us,op,offset,size)"), "{message}");
}

#[test]
fn a_header_that_names_no_columns_leaves_nothing() {
    let columns = Some("T=time:us,O=op,A=offset:bytes,S=size:bytes".to_owned());
    let message = scan("T,O,S,L\n0,R,0,512\n1,R,0,512\n", &OpenOptions { columns, ..report() }).unwrap_err();
    assert!(message.to_string().contains("wrong: 3, first line 1: the header has no column \"A\""));
}

#[test]
fn a_cut_file_stops_the_reading_all_the_same() {
    // A zstd frame of which only the beginning is there.
    let frame = b"\x28\xb5\x2f\xfd\x04\x58\x41\x01";
    let (_folder, path) = file("t", frame);
    let error = Trace::open(&path, &report()).and_then(|trace| trace.scan()).unwrap_err();
    assert!(error.to_string().contains("zstd data"), "{error}");
}

#[test]
fn a_second_device_is_left_out_like_any_other_bad_line() {
    let summary = scan("1 4 8 8 0\n2 5 8 8 0\n3 4 16 8 1\n", &report()).unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (2, 1));
}

#[test]
fn the_ways_to_meet_an_error_have_names() {
    assert_eq!("report".parse(), Ok(OnError::Report));
    let error = "skip".parse::<OnError>().unwrap_err().to_string();
    assert_eq!(error, "unknown way to meet an error \"skip\"; valid: stop, report");
}

#[test]
fn what_was_left_out_is_reported_for_a_transformed_trace_too() {
    let (_folder, path) = file("t", format!("{HEADER}0,R,0,512\nrubbish\n6,W,512,512\n").as_bytes());
    let trace = Trace::open(&path, &report()).unwrap();
    let merge = vec![MergeSpec { trace: trace.clone(), shift_bytes: 4096 }];
    // Once scanned, a trace is played from memory.
    assert_eq!(trace.scan().unwrap().bad_lines, 1);
    let shifted = Transforms { shift_bytes: 4096, ..Transforms::default() };
    let repeated = Transforms {
        repeat: Some(RepeatSpec { times: 3, gap_ns: None, shuffled_by: None }),
        ..Transforms::default()
    };
    for (transforms, bad) in [(shifted, 1), (repeated, 1), (Transforms { merge, ..Transforms::default() }, 2)]
    {
        let summary = trace.transformed(transforms).unwrap().scan().unwrap();
        assert_eq!((summary.bad_lines, summary.first_bad_lines.len()), (bad, bad as usize));
    }
}

#[test]
fn what_is_not_played_is_not_left_out() {
    let good = |from: u64, to: u64| {
        let lines: Vec<String> = (from..to).map(|time| format!("{time},R,0,512\n")).collect();
        lines.concat()
    };
    let bad = "rubbish\n".repeat(20);
    let content = format!("{HEADER}{bad}{}{bad}{}{bad}", good(0, 100), good(100, 9000));
    let (_folder, path) = file("t", content.as_bytes());
    let first = |requests| Transforms { max_requests: Some(requests), ..Transforms::default() };
    let until = |to_ns| Transforms { to_ns: Some(to_ns), ..Transforms::default() };
    for scanned_before in [false, true] {
        let trace = Trace::open(&path, &report()).unwrap();
        if scanned_before {
            assert_eq!(trace.scan().unwrap().bad_lines, 60);
        }
        let ways = [(first(1), 20), (first(100), 20), (first(101), 40), (first(8900), 40)];
        for (transforms, bad) in ways.into_iter().chain([(until(50_000), 20), (until(200_000), 40)]) {
            let summary = trace.transformed(transforms).unwrap().scan().unwrap();
            assert_eq!(summary.bad_lines, bad, "of {} requests", summary.requests);
        }
    }
}
