//! Requests of the block layer that the device did not take, and that were issued once more.

use crate::common::{file, read};
use reclaim_trace::{Op, OpenOptions, Record};
use rstest::rstest;

/// What a list of `action RWBS sector sectors` comes to, a microsecond apart, by issue, queue or completion: when, and
/// which sectors.
fn counted(events: &[&str], event: Option<&str>) -> Vec<(u64, Op, u64, u64)> {
    let line = |(at, event): (usize, &&str)| {
        let mut said = event.split(' ');
        let (action, rwbs) = (said.next().unwrap(), said.next().unwrap());
        let place: Vec<&str> = said.collect();
        let at = at * 1000;
        format!("8,0 1 {at} 1.{at:09} 5 {action} {rwbs} {} + {} [x]\n", place[0], place[1])
    };
    let text: String = events.iter().enumerate().map(line).collect();
    let (_folder, path) = file("t", text.as_bytes());
    let event = event.map(|name| name.parse().unwrap());
    let found = read(&path, &OpenOptions { event, ..OpenOptions::default() }).unwrap();
    let sectors = |r: &Record| (r.time_ns / 1000, r.op, r.offset_bytes / 512, r.size_bytes / 512);
    found.iter().map(sectors).collect()
}

const W: Op = Op::Write;

#[rstest]
#[case::once_more(&["D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8"], &[(0, W, 0, 8)])]
#[case::twice_more(
    &["D W 0 8", "R W 0 8", "D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8"],
    &[(0, W, 0, 8)]
)]
#[case::and_written_again_later(
    &["D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8", "D W 0 8", "C W 0 8"],
    &[(0, W, 0, 8), (4, W, 0, 8)]
)]
#[case::given_up(&["D W 0 8", "R W 0 8", "C W 0 8", "D W 0 8", "C W 0 8"], &[(0, W, 0, 8), (3, W, 0, 8)])]
#[case::another_meanwhile(
    &["D W 0 8", "R W 0 8", "D W 64 8", "D R 0 8", "D W 0 8"],
    &[(0, W, 0, 8), (2, W, 64, 8), (3, Op::Read, 0, 8)]
)]
#[case::merged_behind(
    &["D W 0 8", "R W 0 8", "M W 8 8", "D W 0 16", "C W 0 16"],
    &[(0, W, 0, 8), (3, W, 8, 8)]
)]
#[case::merged_before(&["D W 8 8", "R W 8 8", "F W 0 8", "D W 0 16"], &[(0, W, 8, 8), (3, W, 0, 8)])]
#[case::merged_on_both_sides(
    &["D W 8 8", "R W 8 8", "D W 0 24"],
    &[(0, W, 8, 8), (2, W, 0, 8), (2, W, 16, 8)]
)]
#[case::two_made_one(
    &["D W 0 8", "D W 8 8", "R W 8 8", "R W 0 8", "D W 0 16"],
    &[(0, W, 0, 8), (1, W, 8, 8)]
)]
#[case::two_made_one_with_more_between(
    &["D W 0 8", "D W 16 8", "R W 0 8", "R W 16 8", "D W 0 24"],
    &[(0, W, 0, 8), (1, W, 16, 8), (4, W, 8, 8)]
)]
#[case::split(&["D W 0 16", "R W 0 16", "D W 0 8", "D W 8 8"], &[(0, W, 0, 16)])]
#[case::done_in_part(&["D W 0 16", "C W 0 8", "R W 8 8", "D W 8 8", "C W 8 8"], &[(0, W, 0, 16)])]
#[case::inserted_and_got_again(
    &["Q W 0 8", "G W 0 8", "I W 0 8", "D W 0 8", "R W 0 8", "G W 0 8", "I W 0 8", "D W 0 8"],
    &[(0, W, 0, 8)]
)]
#[case::a_flush(
    &["D FN 0 0", "R FN 0 0", "D FN 0 0", "C FN 0 0", "D FN 0 0"],
    &[(0, Op::Flush, 0, 0), (4, Op::Flush, 0, 0)]
)]
#[case::a_write_with_a_flush(
    &["D FW 0 8", "R FW 0 8", "D FW 0 8"],
    &[(0, Op::Flush, 0, 0), (0, W, 0, 8)]
)]
#[case::issued_before_the_recording(
    &["D R 64 8", "R W 0 8", "D W 0 8"],
    &[(0, Op::Read, 64, 8), (2, W, 0, 8)]
)]
fn a_requeued_request_counts_once(#[case] events: &[&str], #[case] expected: &[(u64, Op, u64, u64)]) {
    assert_eq!(counted(events, Some("D")), expected);
    assert_eq!(counted(events, None), expected);
}

/// Whatever happens to requests of another device says nothing of those that count.
#[test]
fn other_devices_have_requeued_requests_of_their_own() {
    let lines = ["8,0 1 1 1.000000000 5 D W", "8,0 1 2 1.000001000 5 R W", "8,16 1 3 1.000002000 5 C W"];
    let more = ["8,16 1 4 1.000003000 5 R W", "8,0 1 5 1.000004000 5 D W", "8,0 1 6 1.000005000 5 C W"];
    let line = |event: &&str| format!("{event} 0 + 8 [x]\n");
    let text: String = lines.iter().chain(&more).map(line).collect();
    let (_folder, path) = file("t", text.as_bytes());
    assert_eq!(read(&path, &OpenOptions::default()).unwrap().len(), 1);
}

#[test]
fn a_requeued_request_counts_once_by_queue_and_completion_too() {
    let events = ["Q W 0 8", "D W 0 8", "R W 0 8", "D W 0 8", "C W 0 8"];
    for event in ["Q", "C"] {
        assert_eq!(counted(&events, Some(event)), [(0, W, 0, 8)], "{event}");
    }
    // The parts of a request complete one by one.
    let parts = ["D W 0 16", "C W 0 8", "R W 8 8", "D W 8 8", "C W 8 8"];
    assert_eq!(counted(&parts, Some("C")), [(0, W, 0, 8), (3, W, 8, 8)]);
}
