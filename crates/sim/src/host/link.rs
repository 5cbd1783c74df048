//! The link between host and drive: a PCIe link with an NVMe queue pair.
//!
//! A request rings a doorbell; the drive fetches its entry and a write's data; when it is done it sends a read's data
//! and a completion entry. Each direction carries one message at a time, in order. Time on the link, waiting for it
//! included, counts as time on wires.

use std::collections::VecDeque;

use reclaim_trace::Op;

use super::{FitError, Placer};
use crate::config::LinkConfig;
use crate::drive::Drive;
use crate::engine::{Event, Nanos, SimTime};
use crate::ids::RequestId;
use crate::metrics::Breakdown;

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Host to drive.
    Down = 0,
    /// Drive to host.
    Up = 1,
}

/// What is on the way.
#[derive(Debug, Clone, Copy)]
enum Message {
    /// Down: there is a new entry.
    Doorbell,
    /// Up: the drive asks for the entry.
    FetchEntry,
    /// Down: the entry.
    Entry,
    /// Up: the drive asks for the data of a write.
    FetchData,
    /// Down: that data.
    WriteData,
    /// Up: the data of a read.
    ReadData,
    /// Up: the request is done.
    Completion,
    /// Down: the host has taken the completion entry.
    Acknowledge,
}

/// Where a request's time went outside the link.
#[derive(Debug, Clone, Copy, Default)]
struct Visit {
    submitted: SimTime,
    done: SimTime,
    spent: Breakdown,
}

/// The link and what is on it.
#[derive(Debug)]
pub struct Link {
    config: LinkConfig,
    /// Times of the messages of fixed size.
    doorbell: Nanos,
    entry: Nanos,
    completion: Nanos,
    /// The data that was on the wire last, and its time: requests tend to be of one size.
    data: (u64, Nanos),
    /// Messages of each direction; the first is on the wire.
    queues: [VecDeque<(Message, RequestId)>; 2],
    /// By request.
    visits: Vec<Visit>,
}

impl Link {
    /// An idle link.
    pub fn new(config: &LinkConfig) -> Self {
        let mut link = Self {
            config: config.clone(),
            doorbell: Nanos(0),
            entry: Nanos(0),
            completion: Nanos(0),
            data: (0, Nanos(0)),
            queues: [VecDeque::new(), VecDeque::new()],
            visits: Vec::new(),
        };
        link.doorbell = link.time(config.doorbell.0);
        link.entry = link.time(config.submission_entry.0);
        link.completion = link.time(config.completion_entry.0);
        link
    }

    /// Time of `bytes` on the wire, in packets.
    fn time(&self, bytes: u64) -> Nanos {
        let packets = bytes.div_ceil(self.config.max_payload.0);
        let wire = bytes + packets * self.config.packet_overhead.0;
        let per_lane = u128::from(wire.div_ceil(u64::from(self.config.lanes)));
        Nanos((per_lane * 1_000_000_000).div_ceil(u128::from(self.config.lane_rate.0)) as u64)
    }

    fn length(&mut self, message: Message, size_bytes: u64) -> Nanos {
        match message {
            Message::Doorbell | Message::FetchEntry | Message::FetchData | Message::Acknowledge => {
                self.doorbell
            }
            Message::Entry => self.entry,
            Message::WriteData | Message::ReadData => {
                if self.data.0 != size_bytes {
                    self.data = (size_bytes, self.time(size_bytes));
                }
                self.data.1
            }
            Message::Completion => self.completion,
        }
    }

    fn visit(&mut self, id: RequestId) -> &mut Visit {
        if self.visits.len() <= id.index() {
            self.visits.resize(id.index() + 1, Visit::default());
        }
        &mut self.visits[id.index()]
    }
}

impl Drive {
    pub(super) fn ring_doorbell(&mut self, id: RequestId) {
        self.send(Direction::Down, Message::Doorbell, id);
    }

    pub(super) fn send_answer(&mut self, id: RequestId, spent: &Breakdown) {
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
        let Some(link) = &mut self.link else { return };
        let queue = &mut link.queues[direction as usize];
        queue.push_back((message, id));
        if queue.len() == 1 {
            self.put_on_wire(direction);
        }
    }

    fn put_on_wire(&mut self, direction: Direction) {
        let Some(link) = &mut self.link else { return };
        let Some((message, id)) = link.queues[direction as usize].front().copied() else { return };
        let length = link.length(message, self.requests[id].size_bytes);
        self.events.schedule(self.events.now() + length, Event::Link(direction));
    }

    /// A message has arrived.
    ///
    /// # Errors
    /// When a request's pages cannot be laid on the drive.
    pub(crate) fn link_event(&mut self, direction: Direction, placer: &mut Placer) -> Result<(), FitError> {
        let now = self.events.now();
        let Some(link) = &mut self.link else { return Ok(()) };
        let (message, id) = link.queues[direction as usize].pop_front().expect("a message was on the wire");
        self.put_on_wire(direction);
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
                self.submit(id, placer)?;
            }
            Message::ReadData | Message::Acknowledge => {}
            Message::Completion => {
                let Some(link) = &mut self.link else { return Ok(()) };
                let Visit { submitted, done, mut spent } = *link.visit(id);
                spent.wires += submitted.since(self.requests[id].arrival) + now.since(done);
                self.send(Direction::Down, Message::Acknowledge, id);
                self.end_request(id, &spent);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_packets_over_lanes() {
        let mut link = Link::new(&LinkConfig::default());
        // 32 packets of 128 + 28 bytes over four lanes of one byte per nanosecond.
        assert_eq!(link.time(4096), Nanos(1248));
        assert_eq!(link.time(512), Nanos(156));
        // A rest is a packet of its own.
        assert_eq!(link.time(130), Nanos((130 + 56_u64).div_ceil(4)));
        assert_eq!(link.length(Message::FetchData, 4096), Nanos(8));
        assert_eq!(link.length(Message::Completion, 4096), Nanos(11));
    }
}
