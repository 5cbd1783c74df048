//! What is noted, where it is asked for, of everything that takes time: for views of the drive over time.

use super::drive::Drive;
use super::ops::{OpCause, OpKind};
use crate::gc::Job;
use crate::ids::{DieId, OpId};
use crate::interconnect::{Lease, Transfer};
use crate::metrics::{Span, SpanKind};
use crate::time::{Nanos, SimTime};

fn number_of(kind: OpKind) -> u8 {
    match kind {
        OpKind::Read => 0,
        OpKind::Program => 1,
        OpKind::Erase => 2,
        OpKind::Copyback => 3,
    }
}

impl Drive {
    /// A die begins, or goes on with, an operation.
    pub(super) fn note_operation(&mut self, die: DieId, first: OpId) {
        let Some(spans) = &mut self.recorder.spans else { return };
        let op = &self.ops[first];
        spans.operation_begins(die.0, number_of(op.kind), op.cause != OpCause::Host);
    }

    /// A die has ended or set aside what it did since `start`.
    pub(super) fn note_end(&mut self, die: DieId, start: SimTime, now: SimTime) {
        let pages = [self.ftl.map().host_slots() as u64, u64::from(self.ftl.map().lifted_slots())];
        let Some(spans) = &mut self.recorder.spans else { return };
        let (operation, for_gc) = spans.doing(die.0);
        let kind = SpanKind::Operation;
        spans.note(Span { kind, track: die.0, start, end: now, operation, for_gc, value: 0 });
        spans.buffers(now, pages);
    }

    /// Its array works for so long.
    pub(super) fn note_array(&mut self, die: DieId, start: SimTime, length: Nanos) {
        if let Some(spans) = &mut self.recorder.spans {
            spans.array_works(die.0, start, length);
        }
    }

    /// Its array has stopped before its time.
    pub(super) fn note_suspension(&mut self, die: DieId, now: SimTime) {
        if let Some(spans) = &mut self.recorder.spans {
            spans.array_stops(die.0, now);
        }
    }

    /// Something moves until `end` over what is leased, which must not have been given to anybody else.
    pub(super) fn note_transfer(&mut self, lease: Lease, transfer: &Transfer, start: SimTime, end: SimTime) {
        let Some(spans) = &mut self.recorder.spans else { return };
        let (operation, _) = spans.doing(transfer.die.0);
        let (for_gc, value) = (transfer.for_gc, u64::from(transfer.die.0));
        let of = |kind, track| Span { kind, track, start, end, operation, for_gc, value };
        spans.note(of(SpanKind::Carrier, self.interconnect.carrier(lease)));
        spans.note(of(SpanKind::Transfer, transfer.die.0));
        if let Some(links) = self.interconnect.links() {
            links.each_of(lease, &mut |link| spans.note(of(SpanKind::Link, link)));
        }
    }

    /// A collection job has ended.
    pub(super) fn note_job_span(&mut self, job: &Job, end: SimTime) {
        let Some(spans) = &mut self.recorder.spans else { return };
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
}
