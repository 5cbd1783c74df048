//! What went on over time: a row for each operation and each work of an array, and what buffers hold.

use crate::common::prelude::*;
use reclaim_sim::metrics::{SpanKind, SpanWindow, Spans};
use reclaim_sim::time::SimTime;

fn spans(drive: &TestDrive, records: Vec<Record>) -> Spans {
    let window = SpanWindow { from: SimTime(0), to: SimTime(u64::MAX) };
    let options = RunOptions { record_spans: Some(window), ..RunOptions::default() };
    let trace = Trace::from_records("hand-made", records);
    go(&drive.config(), &trace, &options).spans.unwrap()
}

/// Start, end and value of the rows of a kind, by start.
fn of(spans: &Spans, kind: SpanKind) -> Vec<(u64, u64, u64)> {
    let rows = (0..spans.kind.len()).filter(|row| spans.kind[*row] == kind as u8);
    let mut found: Vec<_> =
        rows.map(|row| (spans.start_ns[row], spans.end_ns[row], spans.value[row])).collect();
    found.sort_unstable();
    found
}

#[test]
fn an_operation_lasts_from_its_command_to_its_data_and_its_array_in_between() {
    let found = spans(&TestDrive::one_plane().set("warmup.kind", "filled"), vec![at(0, Op::Read, 3, 1)]);
    assert_eq!(of(&found, SpanKind::Operation), [(0, READ, 0)]);
    assert_eq!(of(&found, SpanKind::Array), [(COMMAND, COMMAND + T_R, 0)]);
}

/// The second plane begins when the command of the first has been sent; its data wait for nothing.
#[test]
fn planes_that_read_by_themselves_have_an_operation_each() {
    let drive = TestDrive::one_plane().with(&[
        ("geometry.planes_per_die", "2"),
        ("flash.plane_reads", "independent"),
        ("flash.multi_plane", "any-page"),
        ("warmup.kind", "filled"),
    ]);
    let found = spans(&drive, vec![at(0, Op::Read, 8, 1), at(10, Op::Read, 3, 1)]);
    assert_eq!(of(&found, SpanKind::Operation), [(0, READ, 0), (10_000, 10_000 + READ, 0)]);
    let arrays = [(COMMAND, COMMAND + T_R, 0), (10_000 + COMMAND, 10_000 + COMMAND + T_R, 0)];
    assert_eq!(of(&found, SpanKind::Array), arrays);
}

/// Two pages come at once and are written one after the other.
#[test]
fn the_write_buffer_is_seen_to_empty() {
    let buffer = [("controller.acknowledge", "staged"), ("controller.write_buffer", "64KiB")];
    let found = spans(&TestDrive::one_plane().with(&buffer), vec![at(0, Op::Write, 3, 2)]);
    let ends: Vec<u64> = of(&found, SpanKind::Operation).iter().map(|(_, end, _)| *end).collect();
    let held = of(&found, SpanKind::WriteBuffer);
    assert_eq!(ends.len(), 2);
    assert!(ends[1] - ends[0] >= T_PROG);
    let last: Vec<_> = held.iter().map(|(at, _, pages)| (*at, *pages)).rev().take(2).collect();
    assert_eq!(last, [(ends[1], 0), (ends[0], 1)]);
}
