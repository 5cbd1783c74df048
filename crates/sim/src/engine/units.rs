//! What is programmed together: pages of a program unit, and when one may start without all of them; operations of
//! several planes that share a multi-plane operation.

use super::drive::Drive;
use super::event_queue::{Event, Timer};
use super::needs::begins_with;
use super::ops::{OpCause, OpKind, PageOp, Role, gc_cause};
use crate::ftl::separation::OPEN_BLOCKS;
use crate::gc::Unit;
use crate::gc::relocation::Move;
use crate::ids::{JobId, Lpn, OpId, PlaneId, Ppn, UnitId};
use crate::scheduler::Class;
use crate::settings::MultiPlane;
use crate::time::Nanos;

/// Most classes that pages of a unit can be of: those of the host, and streams behind them.
const MOST_CLASSES: usize = *OPEN_BLOCKS.end() as usize + 2;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Queue the parity of rows that are complete.
    pub(super) fn queue_parity(&mut self) {
        if !self.ftl.is_parity_due() {
            return;
        }
        let pages = self.needs.unit_pages();
        self.gather_starts();
        while let Some(first) = self.ftl.take_parity_unit() {
            let plane = self.geometry.plane_of(self.geometry.block_of(first));
            for at in 0..pages {
                let mut op = PageOp::new(OpKind::Program, OpCause::Parity, plane, Lpn::NONE);
                op.ppn = Ppn(first.0 + at);
                op.unit_left = if pages > 1 { (pages - at) as u8 } else { 0 };
                let id = self.ops.insert(op);
                self.enqueue(id);
            }
        }
        self.start_gathered();
    }

    /// Queue what relocates the pages of a step.
    pub(super) fn queue_unit(&mut self, job: JobId, step: &Move) {
        let pages = step.pages.len();
        let first = step.pages.first();
        let first = self.gc_op(begins_with(step.way), job, first, self.ftl.map().owner(first));
        let PageOp { kind, stream, .. } = self.copied_back_if_it_can(first);
        let copyback = kind == OpKind::Copyback;
        let to_read = if copyback { 0 } else { pages };
        // Reads of parts of a page begin together, too.
        let together = copyback || self.needs.parts_of_page() > 1;
        let unit = self.jobs.units.insert(Unit::new(pages, to_read, step.wastes, step.load));
        for (at, page) in step.pages.as_slice().iter().enumerate() {
            let mut op = self.gc_op(kind, job, *page, self.ftl.map().owner(*page));
            op.role = Role::OfUnit(unit);
            op.stream = stream;
            op.unit_left = if together { (pages - at as u32) as u8 } else { 0 };
            let id = self.ops.insert(op);
            self.enqueue(id);
        }
    }

    /// A page of a step has been read into the controller; with the last of them, all are programmed together.
    pub(super) fn unit_page_read(&mut self, id: OpId) {
        let Some(unit) = self.ops[id].unit() else { return };
        self.jobs.units[unit].note_read(id);
        self.program_unit(unit);
    }

    /// A page of a step will not be read any more; tells whether others of the step are left.
    pub(super) fn unit_loses_read(&mut self, unit: UnitId) -> bool {
        self.jobs.units[unit].lose_read()
    }

    /// If the last page of a step has been read: program those that were.
    pub(super) fn program_unit(&mut self, unit: UnitId) {
        let mut state = self.jobs.units[unit];
        let Some(pages) = state.all_read() else { return };
        // Reads can overtake each other.
        pages.sort_unstable_by_key(|id| self.ops[*id].source);
        let first = &self.ops[pages[0]];
        let in_scope = if self.needs.superblocks() {
            self.ftl.promise_collected(first.plane, first.stream, gc_cause(first))
        } else {
            (first.plane, first.stream)
        };
        for (at, id) in pages.iter().enumerate() {
            let op = &mut self.ops[*id];
            op.kind = OpKind::Program;
            (op.plane, op.stream) = in_scope;
            op.unit_left = (pages.len() - at) as u8;
            self.enqueue(*id);
        }
    }

    /// A move of a step has ended; tells whether it was the last.
    pub(super) fn unit_is_done(&mut self, unit: UnitId) -> bool {
        let done = self.jobs.units[unit].end_move();
        if done {
            self.jobs.units.remove(unit);
        }
        done
    }

    /// An operation that begins with others was queued: tells whether the die is offered it later, with the last one.
    pub(super) fn queued_for_unit(&mut self, id: OpId, class: Class, plane: PlaneId) -> bool {
        if class == Class::HostWrite && self.queues.head(plane, class) == id {
            self.set_flush_timer(plane);
        }
        self.ops[id].unit_left > 1
    }

    /// Whether an operation must wait until the others of its unit are queued, too, and starts with them.
    #[inline]
    pub(super) fn starts_in_unit(&self, id: OpId, class: Class) -> bool {
        self.needs.unit_pages() > 1 && (class == Class::HostWrite || self.ops[id].unit_left > 0)
    }

    /// Whether the host writes that wait in a plane fill a unit, or have waited long enough.
    #[inline]
    pub(super) fn unit_is_ready(&self, plane: PlaneId) -> bool {
        self.needs.unit_pages() == 1 || self.host_unit_is_ready(plane)
    }

    fn host_unit_is_ready(&self, plane: PlaneId) -> bool {
        self.before_host_unit(plane).is_some()
    }

    /// Behind which of the host writes that wait in a plane the first of a ready unit stands, if there is one: behind
    /// none where the first of all has waited long enough, or enough others wait; where a unit must be of one class,
    /// behind the last one before the first of a class of which enough wait.
    fn before_host_unit(&self, plane: PlaneId) -> Option<OpId> {
        let first = self.queues.head(plane, Class::HostWrite);
        if !first.is_some() {
            return None;
        }
        if self.ops[first].since + self.needs.flush_after <= self.events.now() {
            return Some(OpId::NONE);
        }
        let (unit_pages, of_one_class) = self.next_host_unit(plane);
        let mut classes = [(0, OpId::NONE); MOST_CLASSES];
        let (mut previous, mut id) = (OpId::NONE, first);
        while id.is_some() {
            let class = if of_one_class { self.class_in_unit(id) } else { 0 };
            let pages = unit_pages.unwrap_or_else(|| self.ftl.unit_of_stream(self.ops[id].stream));
            let (count, before) = &mut classes[class];
            if *count == 0 {
                *before = previous;
            }
            *count += 1;
            if *count == pages {
                return Some(*before);
            }
            (previous, id) = (id, self.ops[id].next);
        }
        None
    }

    /// How many pages of the host a plane programs together next, unless each stream has its own number, and whether
    /// they must be of one class.
    fn next_host_unit(&self, plane: PlaneId) -> (Option<u32>, bool) {
        if self.needs.superblocks() {
            return (None, true);
        }
        let (pages, of_one_class) = self.ftl.next_host_unit(plane);
        (Some(pages), of_one_class)
    }

    /// The class by which a write that waits joins others: where it was promised a page, that of the page.
    fn class_in_unit(&self, id: OpId) -> usize {
        let op = &self.ops[id];
        if self.needs.superblocks() { usize::from(op.stream.0) } else { self.ftl.class_of(op.lpn) }
    }

    /// Take the first of a ready unit of the host from its queue; the others follow it.
    pub(super) fn take_first_of_unit(&mut self, plane: PlaneId) -> OpId {
        let before = self.before_host_unit(plane).expect("a unit begins when it is ready");
        let id = self.queues.take(plane, Class::HostWrite, before, &mut self.ops);
        self.bring_to_flash(id, Class::HostWrite);
        id
    }

    /// Another operation is the first of a plane's host writes, or none is: set or stop the timer that programs their
    /// unit without the pages it lacks.
    pub(super) fn set_flush_timer(&mut self, plane: PlaneId) {
        let timer = Timer::Flush(plane);
        let first = self.queues.head(plane, Class::HostWrite);
        if first.is_some() {
            let due = self.ops[first].since + self.needs.flush_after;
            self.events.schedule(due.max(self.events.now()), Event::Timer(timer));
        } else {
            self.events.cancel(timer);
        }
    }

    /// The first host write of a plane has waited long enough.
    pub(super) fn flush_due(&mut self, plane: PlaneId) {
        self.offer(self.geometry.die_of(plane));
    }

    /// `first` begins, alone so far: the rest of its unit leaves the queue, and all take their pages. Returns the last
    /// of them, and their times on the channel and in the array.
    pub(super) fn gather_unit(
        &mut self,
        first: OpId,
        class: Class,
        plane: PlaneId,
        further: bool,
    ) -> (OpId, Nanos, Nanos) {
        let kind = self.ops[first].kind;
        if matches!(kind, OpKind::Read | OpKind::Erase) {
            let (in_transfer, in_array) = self.times_of(first, further);
            let in_array = in_array + self.drawn_retries(first, in_array);
            return (self.take_rest_of_page(first, class, plane), in_transfer, in_array);
        }
        let last = self.take_rest_of_unit(first, class, plane);
        let closed = if class == Class::HostWrite || self.ops[first].cause == OpCause::Parity {
            None
        } else {
            if self.needs.superblocks() {
                self.ftl.keep_promise(plane, self.ops[first].stream);
            }
            let op = &self.ops[first];
            let source = (kind == OpKind::Copyback).then_some(op.source);
            self.ftl.prepare_unit(plane, source, gc_cause(op))
        };
        let (mut in_transfer, mut in_array) = (Nanos(0), Nanos(0));
        let mut id = first;
        while id.is_some() {
            self.take_page(id, class);
            let (its_transfer, its_array) = self.times_of(id, further || id != first);
            in_transfer += its_transfer;
            if id != first && kind == OpKind::Program && self.goes_on_in_page(id) {
                in_transfer = in_transfer - self.timing.program_further_plane;
            }
            in_array = if kind == OpKind::Copyback { in_array + its_array } else { in_array.max(its_array) };
            id = self.ops[id].next;
        }
        if class == Class::HostWrite {
            self.ftl.finish_unit_of(self.ops[last].ppn);
        } else if let Some(unit) = self.ops[first].unit() {
            let unit = self.jobs.units[unit];
            if !unit.is_loaded() {
                let cause = gc_cause(&self.ops[first]);
                self.ftl.finish_gc_unit(plane, unit.wastes(), cause);
            } else if kind == OpKind::Program {
                // Its data is only sent to the page register.
                in_array = Nanos(0);
            }
        }
        if let Some(block) = closed {
            in_array += self.t_program_of_unit(block);
        }
        (last, in_transfer, in_array)
    }

    /// The operations behind `first` that belong to its unit leave the queue and are linked behind it; the last one.
    fn take_rest_of_unit(&mut self, first: OpId, class: Class, plane: PlaneId) -> OpId {
        let mut last = first;
        if class == Class::HostWrite {
            let (unit_pages, of_one_class) = self.next_host_unit(plane);
            let pages = unit_pages.unwrap_or_else(|| self.ftl.unit_of_stream(self.ops[first].stream));
            let of_first = self.class_in_unit(first);
            let (mut count, mut previous) = (1, OpId::NONE);
            let mut id = self.queues.head(plane, class);
            while count < pages && id.is_some() {
                let next = self.ops[id].next;
                if of_one_class && self.class_in_unit(id) != of_first {
                    previous = id;
                } else {
                    last = self.link_behind(last, class, plane, previous);
                    count += 1;
                }
                id = next;
            }
            self.set_flush_timer(plane);
            return last;
        }
        for _ in 1..self.ops[first].unit_left {
            if !self.drop_if_stale(plane, class) {
                last = self.link_next(last, class, plane);
            }
        }
        last
    }

    /// Whether a program is of a further part of the page of flash that the part before it begins or goes on with: one
    /// command is for all of them.
    fn goes_on_in_page(&self, id: OpId) -> bool {
        let parts = self.needs.parts_of_page();
        parts > 1 && !self.geometry.page_in_block(self.ops[id].ppn).is_multiple_of(parts)
    }

    /// `first` reads a page of flash: what waits next behind it for other parts of that page leaves the queue and is
    /// linked behind it. Returns the last.
    pub(super) fn take_rest_of_page(&mut self, first: OpId, class: Class, plane: PlaneId) -> OpId {
        let parts = self.needs.parts_of_page();
        let mut last = first;
        if parts == 1 || self.ops[first].kind != OpKind::Read {
            return last;
        }
        let page = self.ops[first].ppn.0 / parts;
        for _ in 1..parts {
            let head = self.queues.head(plane, class);
            let joins = head.is_some()
                && self.ops[head].kind == OpKind::Read
                && self.ops[head].ppn.0 / parts == page
                && !self.is_stale(head, class);
            if !joins {
                break;
            }
            last = self.link_next(last, class, plane);
        }
        last
    }

    fn link_next(&mut self, last: OpId, class: Class, plane: PlaneId) -> OpId {
        self.link_behind(last, class, plane, OpId::NONE)
    }

    /// The operation that waits behind `previous`, or first of all, leaves its queue and is linked behind `last`.
    fn link_behind(&mut self, last: OpId, class: Class, plane: PlaneId, previous: OpId) -> OpId {
        let id = self.queues.take(plane, class, previous, &mut self.ops);
        self.account_wait(id, class);
        self.ops[id].next = OpId::NONE;
        self.ops[last].next = id;
        id
    }

    /// Whether what is on a die was only to be loaded into its page register.
    pub(super) fn is_only_loaded(&self, first: OpId) -> bool {
        self.ops[first].unit().is_some_and(|unit| self.jobs.units[unit].is_loaded())
    }

    /// Take from its queue what plane `other` can do in one multi-plane operation with `first`, which starts on
    /// `plane`; and the class in which that waited.
    pub(super) fn take_partner(
        &mut self,
        first: OpId,
        plane: PlaneId,
        other: PlaneId,
        class: Class,
    ) -> Option<(OpId, Class)> {
        if other == plane {
            return None;
        }
        if self.config.flash.multi_plane == MultiPlane::SamePageAnywhere {
            let (class, previous) = self.partner(first, other, class)?;
            let id = self.queues.take(other, class, previous, &mut self.ops);
            self.bring_to_flash(id, class);
            return Some((id, class));
        }
        self.can_share(first, other, class).then(|| (self.take_from_queue(other, class), class))
    }

    /// Whether the head of another plane's queue can share the multi-plane operation begun with `first`.
    fn can_share(&mut self, first: OpId, plane: PlaneId, class: Class) -> bool {
        if !self.queues.head(plane, class).is_some() {
            return false;
        }
        let writes = class == Class::HostWrite;
        if writes && !self.unit_is_ready(plane) {
            return false;
        }
        if writes && !self.has_page(plane) && !self.next_write_has_room(plane) {
            return false;
        }
        while self.drop_if_stale(plane, class) {
            if !self.queues.head(plane, class).is_some() {
                return false;
            }
        }
        let id = self.first_to_begin(plane, class);
        let head = &self.ops[id];
        let first = &self.ops[first];
        if head.kind != first.kind {
            return false;
        }
        if self.config.flash.multi_plane == MultiPlane::AnyPage || first.kind == OpKind::Erase {
            return true;
        }
        let number = match head.kind {
            OpKind::Read => self.page_of_array(head.ppn),
            _ => match self.page_to_be(id, class) {
                Some(number) => number,
                None => return false,
            },
        };
        number == self.page_of_array(first.ppn)
    }

    /// The operation of a plane's queue that begins first: the head, or that of the unit of the host that is ready.
    fn first_to_begin(&self, plane: PlaneId, class: Class) -> OpId {
        let head = self.queues.head(plane, class);
        if self.needs.unit_pages() == 1 || class != Class::HostWrite {
            return head;
        }
        match self.before_host_unit(plane) {
            Some(before) if before.is_some() => self.ops[before].next,
            _ => head,
        }
    }

    /// What an operation must have in common with others of the same multi-plane operation: the number of its page in
    /// the block, and whether that is one of the SLC cache.
    fn page_of_array(&self, page: Ppn) -> (u32, bool) {
        let cached = self.needs.caches() && self.geometry.is_cache_block(self.geometry.block_of(page));
        (self.geometry.flash_page_in_block(page), cached)
    }

    /// What another plane can do in the same multi-plane operation, wherever it waits: its class and what it waits
    /// behind. Reads are searched for through the whole queue; programs only at the head, because pages of a block are
    /// programmed in order.
    fn partner(&self, first: OpId, plane: PlaneId, class: Class) -> Option<(Class, OpId)> {
        let number = self.page_of_array(self.ops[first].ppn);
        let classes = match class {
            Class::HostRead => [Class::HostRead, Class::GcRead].as_slice(),
            Class::GcRead => &[Class::GcRead, Class::HostRead],
            Class::HostWrite => &[Class::HostWrite, Class::GcWrite],
            Class::GcWrite => &[Class::GcWrite, Class::HostWrite],
            Class::Erase => &[Class::Erase],
        };
        for &class in classes {
            let mut previous = OpId::NONE;
            let mut id = self.queues.head(plane, class);
            if self.needs.unit_pages() > 1 && class == Class::HostWrite {
                let Some(before) = self.before_host_unit(plane) else { continue };
                (previous, id) = (before, self.first_to_begin(plane, class));
            }
            while id.is_some() {
                let op = &self.ops[id];
                let fits = match class {
                    Class::Erase => true,
                    Class::HostRead | Class::GcRead => {
                        op.kind == OpKind::Read
                            && self.page_of_array(op.ppn) == number
                            && !self.is_stale(id, class)
                    }
                    Class::HostWrite | Class::GcWrite => {
                        self.page_to_be(id, class) == Some(number)
                            && !self.is_stale(id, class)
                            && (class != Class::HostWrite || self.unit_is_ready(plane))
                    }
                };
                if fits {
                    return Some((class, previous));
                }
                if !matches!(class, Class::HostRead | Class::GcRead) {
                    break;
                }
                previous = id;
                id = op.next;
            }
        }
        None
    }

    /// [The same](Self::page_of_array) of the page that a program, the first to begin of its queue, would fill now.
    fn page_to_be(&self, id: OpId, class: Class) -> Option<(u32, bool)> {
        let op = &self.ops[id];
        if op.ppn.is_some() && op.ppn != op.source {
            return Some(self.page_of_array(op.ppn));
        }
        if class == Class::HostWrite && !self.next_write_has_room(op.plane) {
            return None;
        }
        let of_parity = self.needs.own_parity_blocks() && class == Class::HostWrite;
        let (number, cached) =
            match of_parity.then(|| self.ftl.next_parity_page_number(op.plane, op.lpn)).flatten() {
                Some(number) => (number, false),
                None if class == Class::HostWrite => self.ftl.next_host_page(op.plane, op.lpn, op.stream),
                None => (self.ftl.next_collected_page(op.plane), false),
            };
        Some((number / self.needs.parts_of_page(), cached))
    }
}
