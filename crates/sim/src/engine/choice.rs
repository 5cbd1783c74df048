//! Operations wait in the queues of their planes; an idle die chooses among them.

use super::drive::Drive;
use super::ops::{HOST, HOST_WRITE, READS, class_of, is_of_host};
use super::waiting::{Attempt, Want};
use crate::ids::{DieId, Lpn, OpId, PlaneId};
use crate::scheduler::{Class, DieView};

/// Planes of a die of which something is fetched ahead; where it has fewer, of the next die, too.
const PLANES_FETCHED: u32 = 2;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// What the event of a die will touch is fetched, while another is worked on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every event")]
    pub(super) fn prefetch_die(&self, die: DieId) {
        self.ops.prefetch(self.dies[die].active_ops());
        let first = self.geometry.planes_of(die).start;
        for plane in (first..first + PLANES_FETCHED).map(PlaneId) {
            self.queues.prefetch(plane);
            self.ftl.prefetch_plane(plane);
        }
    }

    /// Queue an operation at its plane's die. It begins at once if nothing is in its way; a trigger that asks for it
    /// hears of it, and may begin a job.
    pub(crate) fn enqueue(&mut self, id: OpId) {
        let op = &self.ops[id];
        let plane = op.plane;
        let die = self.geometry.die_of(plane);
        let class = class_of(op);
        let sequence = self.queues.next_sequence();
        let waiting = self.dies.one_more_pending(die);
        if self.needs.defers() {
            self.deferring.note_queued(die, self.events.now(), class);
        }
        if class == Class::HostRead {
            self.count_queued_read(die);
        }
        let asks = self.needs.asks_when_queued() & class.bit() != 0;
        if waiting == 0
            && !asks
            && !self.dies.gathers_starts()
            && !self.starts_in_unit(id, class)
            && self.start_alone(die, class, plane, id, sequence)
        {
            return;
        }
        let op = &mut self.ops[id];
        op.sequence = sequence;
        op.since = self.events.now();
        // Nobody asks where the time of the collector's operations went.
        if is_of_host(class) {
            self.ops[id].gc_mark = self.waiting_for_gc(plane, class);
        }
        self.queues.push(plane, class, id, &mut self.ops);
        if self.needs.unit_pages() > 1 && self.queued_for_unit(id, class, plane) {
            return;
        }
        if asks {
            self.consider_collecting(plane, false);
        }
        if class == Class::HostRead {
            self.consider_suspending(die);
        }
        self.offer_or_gather(die);
    }

    /// An operation was queued for a die: it is offered it at once, or with others when all are gathered.
    #[inline]
    pub(super) fn offer_or_gather(&mut self, die: DieId) {
        if self.dies.gathers_starts() {
            self.dies.gather_start(die);
        } else {
            self.offer(die);
        }
    }

    #[inline]
    fn count_queued_read(&mut self, die: DieId) {
        let mut planes = self.geometry.planes_of(die).map(PlaneId);
        let urgent = self.ftl.any_is_urgent() && planes.any(|plane| self.ftl.collection_is_urgent(plane));
        self.recorder.flash.queued_reads += 1;
        self.recorder.flash.urgent_reads += u64::from(urgent);
    }

    /// An operation was queued for a die: start it, or, if the die waits for the channel already, check whether its
    /// place in the wait list is still right.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "follows the queueing of most operations")]
    pub(super) fn offer(&mut self, die: DieId) {
        if self.dies[die].waits_to_start() {
            self.reconsider(die);
        } else if self.dies[die].may_choose() {
            self.try_start(die);
        }
    }

    /// An operation was queued for a die that waits for the channel. If a command (where lines go by class: anything)
    /// is among what the die could start, it chooses again and moves to the wait list that is served sooner: a read
    /// must not wait in the list of the program it arrived after.
    fn reconsider(&mut self, die: DieId) {
        if !self.dies[die].may_choose() || self.waits.compare(die, Want::Command).is_ge() {
            return;
        }
        let mut planes = self.geometry.planes_of(die).map(PlaneId);
        if !planes.any(|plane| self.queues.waiting(plane) & self.needs.moves_lines() != 0) {
            return;
        }
        if let Some((class, _)) = self.drop_stale_and_choose(die) {
            let want = Want::to_start(class);
            if self.waits.compare(die, want).is_lt() {
                let domain = self.needs.domain_of[die.index()];
                self.waits.rejoin(domain, want, die);
                self.wake_again(domain);
            }
        }
    }

    /// From now on operations are queued and none starts, until [`Self::start_gathered`]: pages of a request, of a
    /// stripe or of a batch reach the dies together, so that those which can share a multi-plane operation do. One must
    /// end before the next begins.
    pub(crate) fn gather_starts(&mut self) {
        self.dies.begin_gathering();
    }

    /// Start what was gathered, dies in the order in which operations were queued for them.
    pub(crate) fn start_gathered(&mut self) {
        self.dies.end_gathering();
        let mut at = 0;
        while let Some(die) = self.dies.gathered_start(at) {
            self.offer(die);
            at += 1;
        }
        self.dies.forget_gathered();
    }

    /// Start an operation on the die if it is idle and its channel is free.
    ///
    /// Not inlined: a copy of this for each caller gains nothing.
    #[inline(never)]
    pub(crate) fn try_start(&mut self, die: DieId) {
        if !self.dies[die].is_free() {
            return;
        }
        let Some((class, plane)) = self.choose_class(die) else {
            self.resume(die);
            return;
        };
        let domain = self.needs.domain_of[die.index()];
        // Whoever has waited longer goes first, even if the channel happens to be free at this instant.
        let goes_on = self.goes_on_with_task(domain, self.queues.head(plane, class));
        let refused = if goes_on || self.may_try(domain) {
            match self.start(die, class, plane) {
                Attempt::Refused(busy) => Some(busy),
                _ if self.needs.plane_reads() => return self.start_beside(die),
                _ => return,
            }
        } else {
            self.wake_again(domain);
            None
        };
        let (gc_time, mark) = (self.die_gc_time(die), self.channel_gc_time(die));
        self.dies[die].wait_to_start(gc_time, mark);
        if self.needs.cache_programs() {
            self.go_by_array(die);
        }
        self.waits.join(domain, Want::to_start(class), die);
        self.wake_when_free(domain, refused);
    }

    /// The class that the scheduler picks among what could start now. What is stale is dropped before, which can end
    /// requests, go on with jobs, and start operations of other dies.
    #[inline(never)]
    pub(super) fn drop_stale_and_choose(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        self.choose_class(die)
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "once or twice for every operation: the second time in `drop_stale_and_choose`"
    )]
    fn choose_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        loop {
            let of_task = if self.needs.keeps_tasks() { self.class_of_task(die) } else { None };
            let (class, plane) = match of_task {
                Some(chosen) => chosen,
                None => match self.pick_class(die) {
                    Some(chosen) => chosen,
                    None if self.needs.parts_work() => return self.beside_parts(die, None),
                    None => return None,
                },
            };
            if !self.drop_if_stale(plane, class) {
                let chosen = Some((class, plane));
                return if self.needs.parts_work() { self.beside_parts(die, chosen) } else { chosen };
            }
        }
    }

    /// What the scheduler picks of what waits and could start; it is not asked where a single class waits on a single
    /// plane.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as its caller")]
    fn pick_class(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        if self.dies[die].has_suspended() || self.needs.plane_reads() {
            return self.class_by_age(die);
        }
        let planes = self.geometry.planes_of(die);
        let (mut startable, is_choice) = self.queues.waiting_in(planes.clone());
        let mut writes_to = PlaneId::NONE;
        if startable & HOST_WRITE != 0 {
            writes_to = self.plane_to_write(die);
            if !writes_to.is_some() {
                startable &= !HOST_WRITE;
            }
        }
        if startable & HOST_WRITE != 0 && self.is_turn_of_write(die) {
            startable &= !Class::HostRead.bit();
        }
        let class = if is_choice {
            if self.needs.goes_by_age() {
                return self.class_by_age(die);
            }
            let gc_urgent = startable & !HOST != 0 && self.ftl.any_is_urgent() && self.is_urgent(die);
            self.scheduler.pick_by_class(startable, gc_urgent)?
        } else {
            Class::of_bits(startable)?
        };
        let plane = if class == Class::HostWrite { writes_to } else { self.queues.oldest_in(planes, class) };
        Some((class, plane))
    }

    /// Whether collection is urgent in a plane of a die where some of it waits.
    #[inline]
    fn is_urgent(&self, die: DieId) -> bool {
        let mut planes = self.geometry.planes_of(die).map(PlaneId);
        planes.any(|plane| self.ftl.collection_is_urgent(plane) && self.queues.waiting(plane) & !HOST != 0)
    }

    /// The plane of a die whose host program waits longest of those that could start now, as far as pages are
    /// concerned.
    #[inline]
    fn plane_to_write(&mut self, die: DieId) -> PlaneId {
        let mut chosen = (PlaneId::NONE, u64::MAX);
        for plane in self.geometry.planes_of(die).map(PlaneId) {
            if self.queues.waiting(plane) & HOST_WRITE != 0 && self.can_write(die, plane) {
                let oldest = self.queues.oldest(plane, Class::HostWrite);
                if oldest < chosen.1 {
                    chosen = (plane, oldest);
                }
            }
        }
        chosen.0
    }

    /// The first write of the host that waits in a plane without room for it, and its logical page.
    #[cold]
    pub(super) fn write_without_room(&self) -> Option<(PlaneId, Lpn)> {
        let waits = |plane: &PlaneId| {
            self.queues.waiting(*plane) & HOST_WRITE != 0 && !self.next_write_has_room(*plane)
        };
        let plane = (0..self.geometry.planes()).map(PlaneId).find(waits)?;
        Some((plane, self.ops[self.queues.head(plane, Class::HostWrite)].lpn))
    }

    /// What the scheduler picks of the task for which the channel of a die is kept, if that has something to start
    /// here: nothing else gets the channel before its end.
    #[cold]
    fn class_of_task(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        let task = self.kept_for(self.needs.domain_of[die.index()]);
        if !task.is_some() || self.dies.pending(die) == 0 {
            return None;
        }
        let plane = self.jobs[task].facts().plane;
        if self.geometry.die_of(plane) != die {
            return None;
        }
        let gc_urgent = self.ftl.collection_is_urgent(plane);
        let mut view = DieView { oldest: [u64::MAX; Class::COUNT], gc_urgent };
        for class in [Class::GcRead, Class::GcWrite, Class::Erase] {
            let waits = self.queues.waiting(plane) & class.bit() != 0;
            if waits && self.ops[self.queues.head(plane, class)].job == task {
                view.oldest[class as usize] = self.queues.oldest(plane, class);
            }
        }
        if view.oldest.iter().all(|number| *number == u64::MAX) {
            return None;
        }
        self.scheduler.pick(&view).map(|class| (class, plane))
    }

    /// What the scheduler picks where there is a choice, and it goes by the age of what waits.
    #[inline(never)]
    fn class_by_age(&mut self, die: DieId) -> Option<(Class, PlaneId)> {
        // With an operation set aside, only the reads it was set aside for.
        let (classes, before) = match self.dies[die].reads_before() {
            None => (u8::MAX, u64::MAX),
            Some(before) => (Class::HostRead.bit(), before),
        };
        let mut view = DieView { oldest: [u64::MAX; Class::COUNT], gc_urgent: false };
        let mut at = [PlaneId::NONE; Class::COUNT];
        for plane in self.geometry.planes_of(die).map(PlaneId) {
            let mut waiting = self.queues.waiting(plane) & classes;
            if self.needs.plane_reads() && !self.dies.may_read(plane) {
                waiting &= !READS;
            }
            if waiting & HOST_WRITE != 0 && !self.can_write(die, plane) {
                waiting &= !HOST_WRITE;
            }
            if waiting & !HOST != 0 {
                view.gc_urgent |= self.ftl.collection_is_urgent(plane);
            }
            while waiting != 0 {
                let class = waiting.trailing_zeros() as usize;
                waiting &= waiting - 1;
                let sequence = self.queues.oldest(plane, Class::ALL[class]);
                if sequence < view.oldest[class] && sequence < before {
                    view.oldest[class] = sequence;
                    at[class] = plane;
                }
            }
        }
        if view.has(Class::HostWrite) && self.is_turn_of_write(die) {
            view.oldest[Class::HostRead as usize] = u64::MAX;
        }
        let class = self.scheduler.pick(&view)?;
        Some((class, at[class as usize]))
    }

    /// Whether a die has begun as many host reads in a row as it may while a host program waits.
    #[inline]
    fn is_turn_of_write(&self, die: DieId) -> bool {
        let limit = self.needs.reads_before_write();
        limit > 0 && self.dies[die].reads_in_a_row() >= limit
    }

    /// A die begins an operation of a class, which has left its queue.
    #[cold]
    pub(super) fn count_turns(&mut self, die: DieId, class: Class) {
        let (waiting, _) = self.queues.waiting_in(self.geometry.planes_of(die));
        match class {
            Class::HostRead if waiting & HOST_WRITE != 0 => self.dies[die].begin_read_before_write(),
            Class::HostRead => self.dies[die].end_reads_in_a_row(),
            Class::HostWrite => {
                let before_reads = waiting & Class::HostRead.bit() != 0 && self.is_turn_of_write(die);
                self.recorder.flash.write_turns += u64::from(before_reads);
                self.dies[die].end_reads_in_a_row();
            }
            Class::GcRead | Class::GcWrite | Class::Erase => {}
        }
    }

    /// Whether the host program that waits longest in a plane could start now, as far as pages are concerned.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "asked at every start, and left out of line otherwise")]
    fn can_write(&mut self, die: DieId, plane: PlaneId) -> bool {
        (self.needs.unit_pages() == 1 || self.unit_is_ready(plane))
            && (self.has_page(plane) || self.note_room(die, plane))
    }

    /// Whether the host program that waits longest in a plane has got its page already.
    pub(super) fn has_page(&self, plane: PlaneId) -> bool {
        self.ops[self.queues.head(plane, Class::HostWrite)].ppn.is_some()
    }

    /// Whether a waiting operation has become unnecessary: its page was moved, overwritten or trimmed.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "asked of every operation of a queue that starts; most of it is constant"
    )]
    pub(super) fn is_stale(&self, id: OpId, class: Class) -> bool {
        let (op, map) = (&self.ops[id], self.ftl.map());
        match class {
            Class::HostRead => !map.is_valid(op.ppn) || map.owner(op.ppn) != op.lpn,
            Class::GcRead => !map.is_valid(op.ppn),
            Class::GcWrite if op.slot.is_some() => !op.ppn.is_some() && self.ftl.is_replaced(op.slot),
            // One that has its page already must fill it.
            Class::GcWrite => op.ppn == op.source && !map.is_valid(op.source),
            Class::HostWrite | Class::Erase => false,
        }
    }

    /// Drop the head of a queue if it became unnecessary while it waited: its page was moved, overwritten or trimmed.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as what it calls")]
    pub(super) fn drop_if_stale(&mut self, plane: PlaneId, class: Class) -> bool {
        // Writes for the host and erases never do.
        if matches!(class, Class::HostWrite | Class::Erase) {
            return false;
        }
        let stale = self.is_stale(self.queues.head(plane, class), class);
        if stale {
            self.drop_stale(plane, class);
        }
        stale
    }

    #[cold]
    fn drop_stale(&mut self, plane: PlaneId, class: Class) {
        let die = self.geometry.die_of(plane);
        // This can queue another operation here, which must not start behind the back of whoever chooses.
        let choosing = self.dies[die].begin_choosing();
        let id = self.queues.pop(plane, class, &self.ops);
        self.one_less_pending(die);
        self.account_wait(id, class);
        match class {
            Class::HostRead => self.route_read(id),
            _ => self.move_dropped(id),
        }
        self.dies[die].end_choosing(choosing);
    }
}
