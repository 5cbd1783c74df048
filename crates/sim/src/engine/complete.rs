//! Ending operations, and what follows from each; and setting them aside: a host read interrupts a long program or
//! erase, which goes on afterwards.

use super::die::Phase;
use super::drive::Drive;
use super::event_queue::Event;
use super::ops::{OpCause, OpKind, Role};
use super::spans;
use crate::ids::{DieId, OpId};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// The current phase of a die ended.
    pub(crate) fn die_event(&mut self, die: DieId) {
        let state = &self.dies[die];
        let (phase, first) = (state.phase(), state.active_ops());
        // Most are of this phase: a jump by phase would be guessed wrong more often.
        if phase == Phase::Array {
            return self.array_done(die, first);
        }
        match phase {
            Phase::DataOut if self.needs.plane_reads() => self.plane_read_is_out(die),
            Phase::DataOut => {
                let next = self.ops[first].next;
                self.dies[die].data_is_out(next);
                self.finish(die, first);
                if next.is_some() {
                    self.await_channel(die);
                } else {
                    self.idle(die);
                }
            }
            Phase::Suspending => self.idle(die),
            Phase::Loading => self.loaded(die),
            Phase::Idle | Phase::Starting | Phase::Array | Phase::AwaitChannel | Phase::Loaded => {
                unreachable!("no event in that phase")
            }
        }
    }

    /// The array has done with `first`, and with those linked behind it.
    fn array_done(&mut self, die: DieId, first: OpId) {
        let kind = self.ops[first].kind;
        let first_half =
            kind == OpKind::Copyback && !self.dies[die].is_in_second_half() && !self.is_only_loaded(first);
        if kind == OpKind::Read || first_half {
            if self.needs.plane_reads() && kind == OpKind::Read {
                return self.plane_has_read(die);
            }
            let now = self.events.now();
            let alone = !self.ops[first].next.is_some();
            if alone {
                self.ops[first].since = now;
                // Most find the channel free; only one of the host that waits needs the channel's GC clock.
                if !self.await_channel(die) && self.ops[first].cause == OpCause::Host {
                    self.ops[first].gc_mark = self.channel_gc_time(die);
                }
                return;
            }
            let mark = self.channel_gc_time(die);
            self.ops.wait_together(first, now, mark);
            self.await_channel(die);
            return;
        }
        if self.needs.cache_programs() && kind == OpKind::Program {
            return self.programmed(die);
        }
        self.finish_all(die, first);
        self.idle(die);
    }

    /// `first` and those linked behind it are done, one after the other.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every program and erase; the other caller is rare")]
    pub(super) fn finish_all(&mut self, die: DieId, first: OpId) {
        let mut id = first;
        while id.is_some() {
            let next = self.ops[id].next;
            self.finish(die, id);
            id = next;
        }
    }

    /// The die has nothing left to finish.
    fn idle(&mut self, die: DieId) {
        let now = self.events.now();
        self.release_channel(die, now);
        let since = self.dies[die].end(now);
        if !PLAIN && self.recorder.spans.is_some() {
            self.note_end(die, since, now);
        }
        self.try_start(die);
    }

    /// One operation is done. The die is still occupied: nothing started from here runs on it before [`Self::idle`].
    #[inline]
    pub(super) fn finish(&mut self, die: DieId, id: OpId) {
        self.one_less_pending(die);
        let op = &self.ops[id];
        let (job, lpn, role) = (op.job, op.lpn, op.role);
        if !PLAIN && let Some(dies) = &mut self.recorder.of_dies {
            let for_request =
                (op.kind == OpKind::Program || role == Role::Plain) && !self.ftl.is_translation_page(lpn);
            if op.cause == OpCause::Host && for_request {
                dies[die.index()].charge_all_of(&op.spent);
            }
        }
        match (op.kind, op.cause) {
            (OpKind::Read, OpCause::Host) => {
                let for_write = role != Role::Plain;
                self.check_read(id);
                self.recorder.flash.host_reads += u64::from(!for_write);
                if for_write || !self.begin_passage(id) {
                    self.host_read_done(id);
                }
            }
            (OpKind::Program, OpCause::Host) if self.needs.striped() => self.stripe_page_programmed(id),
            (OpKind::Program, OpCause::Host)
                if self.needs.maps_on_demand() && self.ftl.is_translation_page(lpn) =>
            {
                self.translation_written(id);
            }
            (OpKind::Program, OpCause::Host) => {
                self.write_buffer.leave(op.slot, self.events.now(), op.spent.gc());
                self.ftl.commit_host(op.ppn, op.slot);
                self.part_done(id);
                if !self.write_buffer.line_is_empty() {
                    self.admit_waiting_pages();
                }
            }
            (OpKind::Read, _) => {
                self.recorder.flash.gc_reads += 1;
                self.moved_page_read(id);
            }
            (OpKind::Program, OpCause::Parity) => {
                self.ftl.commit_parity(op.ppn);
                self.ops.remove(id);
            }
            (OpKind::Program, _) if op.slot.is_some() => self.written_back(id),
            (OpKind::Program | OpKind::Copyback, _) => {
                if op.kind == OpKind::Copyback {
                    self.ftl.commit_copyback(op.source, op.ppn);
                } else {
                    self.ftl.commit_move(op.source, op.ppn);
                }
                self.ops.remove(id);
                self.move_done(job, lpn, role);
            }
            (OpKind::Erase, _) => {
                self.ops.remove(id);
                self.victim_erased(job);
            }
        }
    }

    /// A host read has come to a die at work: set a program or an erase aside for it, if that is allowed and pays.
    pub(super) fn consider_suspending(&mut self, die: DieId) {
        let now = self.events.now();
        let rules = &self.config.flash.suspend;
        let Some((remaining, suspensions)) = self.dies[die].interruptible(now) else { return };
        let op = &self.ops[self.dies[die].active_ops()];
        let allowed = match op.kind {
            OpKind::Program => rules.program,
            OpKind::Erase => rules.erase,
            OpKind::Read | OpKind::Copyback => false,
        };
        if !allowed || suspensions >= rules.limit || remaining <= self.timing.suspend {
            return;
        }
        // A plane that needs space at once cannot wait for reads.
        if op.cause.is_collection() && self.ftl.collection_is_urgent(op.plane) {
            return;
        }
        let free_at = now + self.timing.suspend;
        let mark = self.die_gc_time(die);
        self.ops.wait_together(self.dies[die].active_ops(), now, mark);
        self.dies[die].suspend(now, self.queues.sequence());
        self.recorder.flash.suspends += 1;
        self.events.schedule(free_at, Event::Die(die));
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans.array_stops(die.0, now);
        }
    }

    /// Go on with an operation that was set aside, when no read is left.
    #[inline]
    pub(super) fn resume(&mut self, die: DieId) {
        if self.dies[die].has_suspended() {
            self.resume_suspended(die);
        }
    }

    #[cold]
    fn resume_suspended(&mut self, die: DieId) {
        if self.needs.plane_reads() && self.dies.reads(die) {
            return;
        }
        let Some(suspended) = self.dies[die].take_suspended() else { return };
        let (now, gc_time) = (self.events.now(), self.die_gc_time(die));
        let resume = self.timing.resume;
        let mut id = suspended.active_ops;
        let for_gc = self.ops[id].cause.is_collection();
        while id.is_some() {
            let op = &mut self.ops[id];
            // Its planned array time stays; the time the reads took counts as waiting behind the host, but for what
            // they waited for the collector on the channel.
            op.spent.charge_wait(now.since(op.since), gc_time - op.gc_mark);
            op.spent.charge_array(resume);
            id = op.next;
        }
        self.dies[die].resume(suspended.active_ops, for_gc, now);
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            spans::note_operation(spans, die, &self.ops[suspended.active_ops]);
        }
        self.work(die, now, suspended.remaining + resume);
    }
}
