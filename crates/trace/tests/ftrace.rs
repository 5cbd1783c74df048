//! Block events of ftrace, trace-cmd and perf script.

use crate::common::{file, message, read, record, records};
use reclaim_trace::{Op, OpenOptions, Trace};
use rstest::rstest;

const FTRACE: &str = "# tracer: nop\n#\n";

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
    let text = format!("{FTRACE}{first}\n{other}\n{line}\n");
    let expected = vec![record(0, Op::Flush, 0, 0), record(100_000, Op::Write, 2000 * 512, 8192)];
    assert_eq!(records(text.as_bytes()), Ok(expected));
}

#[test]
fn ftrace_counts_by_event_and_tells_of_lost_events() {
    let text = "f-1 [0] . 1.000000: block_bio_queue: 8,0 W 0 + 8 [f]\n\
        f-1 [0] . 1.000001: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.000002: block_rq_requeue: 8,0 W () 0 + 8 [0]\n\
        CPU:1 [LOST 12 EVENTS]\n\
        f-1 [0] . 1.000003: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.000004: block_rq_complete: 8,0 W () 0 + 8 none,0,0 [0]\n";
    let (_folder, path) = file("t", text.as_bytes());
    for event in [None, Some("Q"), Some("D"), Some("C")] {
        let event = event.map(|name| name.parse().unwrap());
        let options = OpenOptions { event, ..OpenOptions::default() };
        assert_eq!(read(&path, &options), Ok(vec![record(0, Op::Write, 0, 4096)]), "{event:?}");
    }
    let warnings = Trace::open(&path, &OpenOptions::default()).unwrap().scan().unwrap().warnings;
    assert_eq!(warnings, ["the kernel had no room for 12 events, which are not in the recording"]);
    let bad = "f-1 [0] . 1.0: block_rq_issue: 8,0 W 4096 () 0 + 8 [f]\n\
        f-1 [0] . 1.1: block_rq_issue: 8,0 W 4096 () [f]\n";
    assert!(message(bad.as_bytes(), None).starts_with("t:2: the start sector is missing"));
}
