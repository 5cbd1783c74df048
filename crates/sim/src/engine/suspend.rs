//! Program and erase suspension: a host read interrupts a long array operation, which goes on afterwards.

use super::die::{GcClock, Phase, Suspended};
use super::drive::Drive;
use super::ops::{OpCause, OpKind};
use super::queue::Event;
use super::spans;
use crate::ids::{DieId, OpId};

impl Drive {
    /// A host read has come to a die at work: set a program or an erase aside for it, if that is allowed and pays.
    pub(super) fn consider_suspending(&mut self, die: DieId) {
        let now = self.events.now();
        let rules = &self.config.flash.suspend;
        let state = &self.dies[die];
        if state.phase != Phase::Array || state.suspended.is_some() || now < state.array_from {
            return;
        }
        let allowed = match self.ops[state.active_ops].kind {
            OpKind::Program => rules.program,
            OpKind::Erase => rules.erase,
            OpKind::Read | OpKind::Copyback => false,
        };
        let remaining = state.array_to.since(now);
        if !allowed || state.suspensions >= rules.limit || remaining <= self.timing.suspend {
            return;
        }
        // A plane that needs space at once cannot wait for reads.
        let domain = self.ops[state.active_ops];
        if domain.cause != OpCause::Host && self.ftl.collection_is_urgent(domain.plane) {
            return;
        }
        let free_at = now + self.timing.suspend;
        let reads_before = self.queues.sequence();
        let state = &mut self.dies[die];
        state.suspended = Some(Suspended { active_ops: state.active_ops, remaining, at: now, reads_before });
        state.suspensions += 1;
        state.active_ops = OpId::NONE;
        state.phase = Phase::Suspending;
        self.recorder.flash.suspends += 1;
        self.events.schedule(free_at, Event::Die(die));
        if let Some(spans) = &mut self.recorder.spans {
            spans.array_stops(die.0, now);
        }
    }

    /// Go on with an operation that was set aside, when no read is left.
    pub(super) fn resume(&mut self, die: DieId) {
        let now = self.events.now();
        let Some(suspended) = self.dies[die].suspended.take() else { return };
        let resume = self.timing.resume;
        let mut id = suspended.active_ops;
        let for_gc = self.ops[id].cause != OpCause::Host;
        while id.is_some() {
            let op = &mut self.ops[id];
            // Its planned array time stays; the time the reads took counts as waiting behind the host.
            op.spent.charge_queue(now.since(suspended.at));
            op.spent.charge_array(resume);
            id = op.next;
        }
        if for_gc {
            self.set_gc_clock(die, GcClock::Running(now));
        }
        let state = &mut self.dies[die];
        state.active_ops = suspended.active_ops;
        state.busy_since = now;
        state.for_host = !for_gc;
        if let Some(spans) = &mut self.recorder.spans {
            spans::note_operation(spans, die, &self.ops[suspended.active_ops]);
        }
        self.work(die, now, suspended.remaining + resume);
    }
}
