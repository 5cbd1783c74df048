//! Requests: one arrives over the host link, its pages are looked up, and it is split; it ends with the slowest page.

use reclaim_trace::{Op, Record};

use super::drive::Drive;
use super::event_queue::Event;
use super::ops::OpKind;
use super::run::Fault;
use crate::host::{AddressMapper, Direction, Message, RemapError, Request, Visit};
use crate::ids::{JoinId, OpId, RequestId};
use crate::latency::LatencyAccount;
use crate::own;
use crate::time::{Nanos, SimTime};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Take a request of the trace.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(crate) fn admit(&mut self, record: &Record, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        let now = self.events.now();
        let counted = self.counts_next();
        let id = self.requests.insert(record, now, counted);
        if !self.recorder.measuring.is_over() {
            self.recorder.arrived(now, self.requests.outstanding());
        }
        if self.needs.has_link() {
            self.ring_doorbell(id);
            return Ok(());
        }
        self.submit(id, mapper)
    }

    /// The drive has the request, and the data of a write.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(super) fn submit(&mut self, id: RequestId, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        if self.needs.controller_takes_time() && self.delays.cores().begin(id, &mut self.events) {
            return Ok(());
        }
        self.handle(id, Nanos(0), mapper)
    }

    /// A page that a request writes is told of next.
    #[inline]
    pub(super) fn tell_of_request(&mut self, id: RequestId) {
        if self.ftl.hears_of_streams() {
            let begins = self.requests.begins(id, self.geometry.page_bytes);
            self.ftl.set_request(self.requests[id].stream, begins);
        }
    }

    /// What a request has taken once its pages have been looked up.
    #[inline]
    pub(super) fn of_lookup(&self) -> LatencyAccount {
        if self.needs.controller_takes_time() { self.delays.of_lookup() } else { LatencyAccount::default() }
    }

    /// A core is done with a request, which has been there so long: its pages are looked up.
    fn handle(
        &mut self,
        id: RequestId,
        at_cores: Nanos,
        mapper: &mut AddressMapper,
    ) -> Result<(), RemapError> {
        if self.needs.controller_takes_time() {
            if self.begin_lookup(id, at_cores) {
                return Ok(());
            }
            self.delays.note_at_cores(at_cores);
        }
        self.split(id, mapper)
    }

    /// A core is done with a request.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(super) fn command_done(&mut self, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        match self.delays.cores().end(&mut self.events) {
            Some((id, at_cores)) => self.handle(id, at_cores, mapper),
            None => Ok(()),
        }
    }

    /// It is known where the pages of a request are.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(super) fn split(&mut self, id: RequestId, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        let request = self.requests[id];
        if matches!(request.op, Op::Read | Op::Write) {
            self.ftl.note_request(request.op == Op::Write);
        }
        match request.op {
            Op::Read | Op::Write => self.admit_pages(id, &request, mapper)?,
            Op::Trim => self.trim_pages(id, &request, mapper),
            Op::Flush => {
                if self.requests.flush_waits(id) {
                    return Ok(());
                }
            }
        }
        let spent = if request.op == Op::Flush { LatencyAccount::default() } else { self.of_lookup() };
        self.release_part(id, &spent);
        Ok(())
    }

    fn admit_pages(
        &mut self,
        id: RequestId,
        request: &Request,
        mapper: &mut AddressMapper,
    ) -> Result<(), RemapError> {
        let (first, count) = mapper.pages(request.offset_bytes, request.size_bytes);
        // One part more than there are pages, so that the request cannot end while it is being split.
        self.requests.add_parts(id, count as u32);
        // The pages of a request reach the dies together, so that those which can share an operation do; so does what
        // a write sets off that gets its page at once.
        let together = count > 1 || self.needs.striped() || self.needs.pages_on_arrival();
        if together {
            self.gather_starts();
        }
        if self.needs.striped() && request.op == Op::Write {
            self.admit_stripe_writes(id, request, first..first + count, mapper)?;
        } else {
            for page in first..first + count {
                let lpn = mapper.place(page)?;
                let bytes = mapper.covered(page, request.offset_bytes, request.size_bytes);
                self.admit_page(id, lpn, bytes, request.op == Op::Write);
            }
        }
        if together {
            self.start_gathered();
        }
        Ok(())
    }

    pub(super) fn release_part(&mut self, id: RequestId, spent: &LatencyAccount) {
        if !self.requests.end_part(id) {
            return;
        }
        if self.requests[id].op == Op::Write {
            self.requests.write_done(id);
        }
        self.answer(id, spent);
        while let Some(flush) = self.requests.due_flush() {
            self.answer(flush, &LatencyAccount::default());
        }
    }

    /// The drive is done with a request: tell the host.
    fn answer(&mut self, id: RequestId, spent: &LatencyAccount) {
        if self.needs.has_link() {
            self.send_answer(id, spent);
        } else {
            self.end_request(id, spent);
        }
    }

    pub(super) fn end_request(&mut self, id: RequestId, spent: &LatencyAccount) {
        let now = self.events.now();
        let request = self.requests.remove(id);
        if request.counted {
            if self.joins.is_rebuilding() {
                self.note_meanwhile(&request);
            }
            self.recorder.request_ended(&request, now, spent);
        }
        self.recorder.pages_programmed(self.ftl.counters());
    }

    /// The error when no event is left but requests are. Where policies of the user's decide, they are the cause: the
    /// run ends, and says so.
    pub(crate) fn stuck(&self) -> Fault {
        let message = self.stuck_message();
        if let Some(blamed) = self.blamed() {
            own::end(blamed);
        }
        let own = self.config.own_policies();
        if !own.is_empty() {
            own::end(format!("{message}; this drive has policies of your own: {}", own.join(", ")));
        }
        Fault::Inconsistent(message)
    }

    /// What a policy of the user's for allocation has left writes waiting for, if it has.
    fn blamed(&self) -> Option<String> {
        let now = self.events.now().0;
        if let Some(first) = self.requests.first_parked() {
            let why = format!(
                "for logical page {} at {now} ns, and nothing is left to happen that it could wait for: \
                 {} writes wait; name a plane that has room",
                self.ops[first].lpn.0,
                self.requests.parked()
            );
            return self.ftl.blame_allocation(None, &why);
        }
        let (plane, lpn) = self.write_without_room()?;
        let why = format!(
            "for logical page {}: it is full of valid data, and at {now} ns nothing is left to happen that \
             could make room; name a plane that has room",
            lpn.0
        );
        self.ftl.blame_allocation(Some(plane), &why)
    }

    /// What remains in flight when no event is left.
    fn stuck_message(&self) -> String {
        format!(
            "{} requests are in flight and nothing is left to happen at {:?} ({} operations, {} collection \
             jobs, {} parked writes, {})",
            self.requests.outstanding(),
            self.events.now(),
            self.ops.in_flight(),
            self.jobs.under_way(),
            self.requests.parked(),
            if self.write_buffer.line_is_empty() && self.joins.first_outside().is_none() {
                "none outside the buffer"
            } else {
                "some outside the buffer"
            },
        )
    }

    /// The instant of the last event.
    pub(crate) fn now(&self) -> SimTime {
        self.events.now()
    }

    pub(super) fn ring_doorbell(&mut self, id: RequestId) {
        self.send(Direction::Down, Message::Doorbell, id);
    }

    pub(super) fn send_answer(&mut self, id: RequestId, spent: &LatencyAccount) {
        let now = self.events.now();
        let Some(link) = &mut self.link else { return };
        let visit = link.visit(id);
        visit.done = now;
        visit.spent = *spent;
        if self.requests[id].op == Op::Read {
            self.send(Direction::Up, Message::ReadData, id);
        }
        self.send(Direction::Up, Message::Completion, id);
    }

    fn send(&mut self, direction: Direction, message: Message, id: RequestId) {
        if self.link.as_mut().is_some_and(|link| link.enqueue(direction, message, id)) {
            self.begin_message(direction);
        }
    }

    fn begin_message(&mut self, direction: Direction) {
        let Some(link) = &mut self.link else { return };
        let Some(id) = link.next(direction) else { return };
        let Some(length) = link.next_length(direction, self.requests[id].size_bytes) else { return };
        self.events.schedule(self.events.now() + length, Event::Link(direction));
    }

    /// A message has arrived.
    ///
    /// # Errors
    /// When a request's pages cannot be mapped to the drive's.
    pub(crate) fn link_event(
        &mut self,
        direction: Direction,
        mapper: &mut AddressMapper,
    ) -> Result<(), RemapError> {
        let now = self.events.now();
        let Some(link) = &mut self.link else { return Ok(()) };
        let (message, id) = link.arrived(direction);
        self.begin_message(direction);
        match message {
            Message::Doorbell => self.send(Direction::Up, Message::FetchEntry, id),
            Message::FetchEntry => self.send(Direction::Down, Message::Entry, id),
            Message::Entry if self.requests[id].op == Op::Write => {
                self.send(Direction::Up, Message::FetchData, id);
            }
            Message::FetchData => self.send(Direction::Down, Message::WriteData, id),
            Message::Entry | Message::WriteData => {
                if let Some(link) = &mut self.link {
                    link.visit(id).submitted = now;
                }
                self.submit(id, mapper)?;
            }
            Message::ReadData | Message::Acknowledge => {}
            Message::Completion => {
                let Some(link) = &mut self.link else { return Ok(()) };
                let Visit { submitted, done, mut spent } = *link.visit(id);
                spent.charge_link(submitted.since(self.requests[id].arrival) + now.since(done));
                self.send(Direction::Down, Message::Acknowledge, id);
                self.end_request(id, &spent);
            }
        }
        Ok(())
    }

    /// Pages of a request are looked up, if that takes time. Tells whether it does.
    fn begin_lookup(&mut self, id: RequestId, at_cores: Nanos) -> bool {
        self.requests[id].op != Op::Flush && self.delays.lookups.begin((id, at_cores), &mut self.events)
    }

    /// The pages of a request have been looked up.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(super) fn looked_up(&mut self, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        match self.delays.lookups.end(&mut self.events) {
            Some((id, at_cores)) => {
                self.delays.note_at_cores(at_cores);
                self.split(id, mapper)
            }
            None => Ok(()),
        }
    }

    /// What a stripe was read for is added up, if that takes time. Tells whether it does.
    pub(super) fn begin_sum(&mut self, id: JoinId) -> bool {
        let begun = self.delays.sums.begin(id, &mut self.events);
        if begun {
            self.joins[id].charge_queue(self.delays.sums.takes());
        }
        begun
    }

    /// Pages of a stripe have been added up.
    pub(super) fn summed_up(&mut self) {
        if let Some(id) = self.delays.sums.end(&mut self.events) {
            self.join_is_summed(id);
        }
    }

    /// A page that was read for the host, or that it writes, begins to pass the buffer memory, if that takes time off
    /// the channel. Tells whether it does.
    #[inline]
    pub(super) fn begin_passage(&mut self, id: OpId) -> bool {
        self.needs.controller_takes_time() && self.delays.passages.begin(id, &mut self.events)
    }

    /// Pages have passed the memory: reads are answered, writes sent to their planes together.
    pub(super) fn passages_end(&mut self) {
        let now = self.events.now();
        self.gather_starts();
        while let Some(id) = self.delays.passages.take_due(now) {
            let op = &mut self.ops[id];
            if op.kind == OpKind::Read {
                op.spent.charge_transfer(self.delays.passages.takes());
                self.part_done(id);
                continue;
            }
            op.waits_for -= 1;
            if op.waits_for == 0 {
                // The read of the rest may have taken the first part of this time.
                op.spent.charge_transfer(now.since(op.since));
                self.place_write(id);
            }
        }
        self.delays.passages.go_on(&mut self.events);
        self.start_gathered();
    }
}
