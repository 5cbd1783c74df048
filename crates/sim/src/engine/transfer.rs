//! Transfers: who gets the channel, when those who wait are woken, and what follows the array over the channel.

use super::drive::Drive;
use super::ops::{OpCause, OpKind, PageOp};
use super::spans;
use super::waiting::{Attempt, Want};
use crate::ids::{DieId, JobId, OpId, PlaneId};
use crate::interconnect::{Busy, Direction, Lease, Priority, Transfer};
use crate::time::{Nanos, SimTime};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// What an operation moves to its die or from it.
    #[inline]
    pub(super) fn transfer_of(&self, die: DieId, id: OpId, direction: Direction) -> Transfer {
        let op = &self.ops[id];
        let transfer = Transfer::new(die, op.cause.is_collection(), direction, op.job);
        if op.kind == OpKind::Program && transfer.for_gc {
            self.of_relocation(op, transfer)
        } else {
            transfer
        }
    }

    /// A relocated page is to be programmed: whatever else there is matters more.
    #[inline]
    fn of_relocation(&self, op: &PageOp, transfer: Transfer) -> Transfer {
        let free_blocks = if self.needs.asks_space() { self.ftl.plane(op.plane).free.len() } else { 0 };
        let (start_blocks, priority) = (self.ftl.start_blocks(), Priority::Low);
        let low = Transfer { priority, free_blocks, start_blocks, ..transfer };
        if op.slot.is_some() {
            Transfer { owner: JobId::NONE, keeps_circuit: self.needs.holds_circuits(), ..low }
        } else {
            low
        }
    }

    /// A job is over, and its number may be used again: what is kept for it is free.
    pub(super) fn release_kept(&mut self, plane: PlaneId, job: JobId) {
        let now = self.events.now();
        if self.interconnect.keeping().is_some_and(|keeping| keeping.release_kept(now, job)) {
            self.channel_released(self.geometry.die_of(plane), now);
        }
    }

    /// Who was refused asks again when that is known to be worth it; otherwise a release wakes the domain.
    #[inline]
    pub(super) fn wake_when_free(&mut self, domain: u32, refused: Option<Busy>) {
        if let Some(Busy { until: Some(at) }) = refused {
            self.wake_at(domain, at);
        }
    }

    /// The domain is woken at `at`, unless it is sooner anyhow.
    #[inline]
    pub(super) fn wake_at(&mut self, domain: u32, at: SimTime) {
        if self.waits.note_wake(domain, at) {
            self.events.schedule_wake(at, domain);
        }
    }

    /// Whether a die may ask for the channel: if nobody waits for it, or each for something else and it does not
    /// go before them.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "two look-ups at every start, cheaper than the call")]
    pub(super) fn may_try(&self, domain: u32) -> bool {
        self.waits.is_empty(domain)
            || (self.needs.others_may_try()
                && !(self.needs.waiting_first() && self.waits.are_served_at(domain, self.events.now())))
    }

    /// Whether the channel is kept for the task that an operation belongs to, so that it waits for nobody.
    #[inline]
    pub(super) fn goes_on_with_task(&self, domain: u32, id: OpId) -> bool {
        self.needs.keeps_tasks() && {
            let task = self.kept_for(domain);
            task.is_some() && self.ops[id].job == task
        }
    }

    /// The collection job that a channel is kept for.
    pub(super) fn kept_for(&self, domain: u32) -> JobId {
        self.interconnect.kept_for(domain)
    }

    /// A contention domain fell idle: serve the dies that wait for it, in order, until it is taken again. Where one who
    /// waits needs other things than the next, everybody asks.
    pub(crate) fn wake(&mut self, domain: u32) {
        self.waits.woken(domain);
        if self.needs.others_may_try() {
            self.serve_everybody(domain);
            return;
        }
        while let Some((list, die)) = self.waits.first(domain) {
            let state = &self.dies[die];
            let (starting, first) = (state.waits_to_start(), state.active_ops());
            let attempt = if starting {
                self.start_waiting::<false>(domain, die)
            } else {
                self.finish_over_channel(die, first)
            };
            match attempt {
                Attempt::Served => {}
                Attempt::Moved => continue,
                Attempt::Refused(busy) => {
                    self.wake_when_free(domain, Some(busy));
                    return;
                }
            }
            self.waits.leave(domain, list);
            if starting {
                self.has_stopped_waiting(die);
            }
        }
    }

    /// A die that waits to start something is served. What is stale is dropped on the way, which can end requests and
    /// start operations of other dies. On a `CROWDED` network it is asked first whether the start is refused anyhow.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "once for every wait; the caller for networks is a loop of its own"
    )]
    pub(super) fn start_waiting<const CROWDED: bool>(&mut self, domain: u32, die: DieId) -> Attempt {
        let Some((class, plane)) = self.drop_stale_and_choose(die) else { return Attempt::Served };
        let want = Want::to_start(class);
        if self.waits.compare(die, want).is_gt() {
            // The operation it waited to start is gone, and what is left belongs in a list that is served later.
            self.waits.rejoin(domain, want, die);
            return Attempt::Moved;
        }
        if CROWDED && let Some(busy) = self.refuse_start(die, class) {
            return Attempt::Refused(busy);
        }
        self.start(die, class, plane)
    }

    /// A die that waited to start has left its list. If it is idle, what it waited for is gone, or a reader of it has
    /// begun; either way it goes on with what it had set aside, and may begin something else.
    #[inline]
    pub(super) fn has_stopped_waiting(&mut self, die: DieId) {
        if self.dies[die].leave_wait_list() {
            let gc_time = self.die_gc_time(die);
            self.dies[die].stop_clock(gc_time);
            if self.needs.cache_programs() {
                self.go_by_array(die);
            }
            self.resume(die);
            if self.needs.plane_reads() {
                self.start_beside(die);
            }
        }
    }

    /// A die goes to an earlier line, or to one without asking. If the lines are being walked, the walk may have passed
    /// that line already, so that they are walked once more.
    pub(super) fn wake_again(&mut self, domain: u32) {
        if self.waits.is_walking() {
            self.wake_at(domain, self.events.now());
        }
    }

    /// The channel, if a die has kept it.
    #[inline]
    fn kept_lease(&self, die: DieId) -> Option<Lease> {
        if self.needs.keeps_lease() { self.dies[die].lease() } else { None }
    }

    /// Free the channel that a die keeps, if it keeps one, at `at`, and wake those who wait for it.
    #[inline]
    pub(crate) fn release_channel(&mut self, die: DieId, at: SimTime) {
        if !self.needs.keeps_lease() {
            return;
        }
        let Some(lease) = self.dies[die].take_lease() else { return };
        self.interconnect.release(at, lease);
        self.channel_released(die, at);
    }

    /// Something of a die's domain is free from `at` on: whoever waits there is woken then.
    #[inline]
    pub(super) fn channel_released(&mut self, die: DieId, at: SimTime) {
        let domain = self.needs.domain_of[die.index()];
        if !self.waits.is_empty(domain) {
            self.wake_at(domain, at);
        }
    }

    /// Use the leased channel for `length` from now on, and release it unless the die keeps it during array time.
    /// Returns when all has arrived.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every operation, where most of it is constant")]
    pub(super) fn occupy(&mut self, die: DieId, lease: Lease, transfer: Transfer, length: Nanos) -> SimTime {
        let now = self.events.now();
        if self.needs.keeps_lease() {
            self.dies[die].keep_lease(lease);
            let arrived = self.interconnect.activate(now, lease, &transfer, length);
            if !PLAIN && self.recorder.spans.is_some() {
                self.note_transfer(lease, &transfer, arrived);
            }
            return arrived;
        }
        let arrived = self.interconnect.send::<PLAIN>(now, lease, &transfer, length);
        if !PLAIN && self.recorder.spans.is_some() {
            self.note_transfer(lease, &transfer, arrived);
        }
        self.channel_released(die, arrived);
        arrived
    }

    #[cold]
    fn note_transfer(&mut self, lease: Lease, transfer: &Transfer, arrived: SimTime) {
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            let during = (self.events.now(), arrived);
            spans::note_transfer(spans, &*self.interconnect, (lease, transfer), during);
        }
    }

    /// The array of the die is done and the channel is needed to finish. Returns whether it could be had at once.
    pub(crate) fn await_channel(&mut self, die: DieId) -> bool {
        let domain = self.needs.domain_of[die.index()];
        let first = self.dies[die].await_channel();
        let refused = if self.kept_lease(die).is_some() || self.may_try(domain) {
            match self.finish_over_channel(die, first) {
                Attempt::Refused(busy) => Some(busy),
                Attempt::Served | Attempt::Moved => return true,
            }
        } else {
            self.wake_again(domain);
            None
        };
        let want = want_to_finish(&self.ops[first]);
        self.waits.join(domain, want, die);
        self.wake_when_free(domain, refused);
        false
    }

    /// Move the data of the first active operation, `id`, out, or send the second command of a copyback.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every read, at once or when it is woken")]
    pub(super) fn finish_over_channel(&mut self, die: DieId, id: OpId) -> Attempt {
        debug_assert_eq!(id, self.dies[die].active_ops());
        let now = self.events.now();
        let command = self.ops[id].kind == OpKind::Copyback;
        let direction = if command { Direction::ToFlash } else { Direction::FromFlash };
        let home = self.home_of(die);
        let transfer = self.transfer_of(home, id, direction);
        let lease = match self.kept_lease(die) {
            Some(lease) => lease,
            None => match self.interconnect.reserve::<PLAIN>(now, &transfer) {
                Ok(lease) => lease,
                Err(busy) => return Attempt::Refused(busy),
            },
        };
        let op = &mut self.ops[id];
        let of_host = op.cause == OpCause::Host;
        if of_host {
            let waited = now.since(op.since);
            // One that did not wait lost nothing, and has no mark of this clock.
            let for_gc = if waited == Nanos(0) {
                Nanos(0)
            } else {
                self.interconnect.gc_time::<PLAIN>(now, home) - op.gc_mark
            };
            op.spent.charge_wait(waited, for_gc);
        } else {
            self.ftl.prefetch_source(op.source);
        }
        let length = if command {
            self.timing.program_command
        } else {
            self.timing.data(op.bytes) + self.host_buffer_of(&self.ops[id])
        };
        let arrived = self.occupy(die, lease, transfer, length);
        if of_host {
            self.ops[id].spent.charge_transfer(arrived.since(now));
        }
        if command {
            let program = self.t_program_of(self.ops[id].ppn);
            self.dies[die].begin_second_half();
            self.work(die, arrived, program);
        } else {
            self.dies[die].send_data();
            self.events.schedule_die(arrived, die);
        }
        Attempt::Served
    }
}

/// What a die that is to go on with an operation whose array time is over wants the channel for.
#[inline]
fn want_to_finish(op: &PageOp) -> Want {
    match op.cause {
        _ if op.kind == OpKind::Copyback => Want::FinishCopyback,
        OpCause::Host => Want::FinishHost,
        _ => Want::FinishGc,
    }
}
