//! What is noted, where it is asked for, of everything that takes time: for views of the drive over time.

use super::ops::{OpKind, PageOp};
use crate::gc::JobFacts;
use crate::ids::DieId;
use crate::interconnect::{Interconnect, Lease, Transfer};
use crate::metrics::{Span, SpanKind, SpanRecorder};
use crate::time::SimTime;

fn number_of(kind: OpKind) -> u8 {
    match kind {
        OpKind::Read => 0,
        OpKind::Program => 1,
        OpKind::Erase => 2,
        OpKind::Copyback => 3,
    }
}

/// A die begins, or goes on with, an operation.
#[cold]
pub(super) fn note_operation(spans: &mut SpanRecorder, die: DieId, op: &PageOp) {
    spans.operation_begins(die.0, number_of(op.kind), op.cause.is_collection());
}

/// A die has ended or set aside what it did since `start`; the buffers hold so many pages.
#[cold]
pub(super) fn note_end(spans: &mut SpanRecorder, die: DieId, lasted: (SimTime, SimTime), held: [u64; 2]) {
    let doing = spans.doing(die.0);
    note_done(spans, die, doing, lasted, held);
}

/// An operation that ran so long, and whether it was of the collector; then how many pages the buffers hold.
fn note_done(
    spans: &mut SpanRecorder,
    die: DieId,
    (operation, for_gc): (u8, bool),
    (start, end): (SimTime, SimTime),
    held: [u64; 2],
) {
    spans.note(Span { kind: SpanKind::Operation, track: die.0, start, end, operation, for_gc, value: 0 });
    spans.buffers(end, held);
}

/// A plane reads by itself, or an array programs what was loaded; it works during this time.
#[cold]
pub(super) fn note_part_array(
    spans: &mut SpanRecorder,
    die: DieId,
    (kind, for_gc): (OpKind, bool),
    (start, end): (SimTime, SimTime),
) {
    let operation = number_of(kind);
    spans.note(Span { kind: SpanKind::Array, track: die.0, start, end, operation, for_gc, value: 0 });
}

/// A part of a die has done what it did by itself: a plane a read, from the command to the last data, or to its cache
/// register, or from there; a program went to the cache register, or from there into the array.
#[cold]
pub(super) fn note_part_done(
    spans: &mut SpanRecorder,
    die: DieId,
    (kind, for_gc): (OpKind, bool),
    lasted: (SimTime, SimTime),
    held: [u64; 2],
) {
    note_done(spans, die, (number_of(kind), for_gc), lasted, held);
}

/// Something moves from `start` to `end` over what is leased, which must not have been given to anybody else.
pub(super) fn note_transfer(
    spans: &mut SpanRecorder,
    interconnect: &dyn Interconnect,
    (lease, transfer): (Lease, &Transfer),
    (start, end): (SimTime, SimTime),
) {
    let (operation, _) = spans.doing(transfer.die.0);
    let (for_gc, value) = (transfer.for_gc, u64::from(transfer.die.0));
    let of = |kind, track| Span { kind, track, start, end, operation, for_gc, value };
    spans.note(of(SpanKind::Carrier, interconnect.carrier(lease)));
    spans.note(of(SpanKind::Transfer, transfer.die.0));
    if let Some(links) = interconnect.links() {
        links.each_of(lease, &mut |link| spans.note(of(SpanKind::Link, link)));
    }
}

/// A collection job has ended.
#[cold]
pub(super) fn note_job(spans: &mut SpanRecorder, job: &JobFacts, end: SimTime) {
    spans.note(Span {
        kind: SpanKind::Job,
        track: job.plane.0,
        start: job.started,
        end,
        operation: 0,
        for_gc: true,
        value: u64::from(job.victim.0),
    });
}
