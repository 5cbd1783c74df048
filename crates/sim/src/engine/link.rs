//! Messages on the host link, in time.

use reclaim_trace::Op;

use super::drive::Drive;
use super::queue::Event;
use crate::host::{AddressMapper, Direction, Message, RemapError, Visit};
use crate::ids::RequestId;
use crate::latency::LatencyAccount;

impl Drive {
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
}
