//! The link between host and drive: a PCIe link with an NVMe queue pair.
//!
//! A request rings a doorbell; the drive fetches its entry and a write's data; when it is done it sends a read's data
//! and a completion entry. Each direction carries one message at a time, in order. Time on the link, waiting for it
//! included, is a part of a request's latency of its own.

use std::collections::VecDeque;

use crate::ids::RequestId;
use crate::latency::LatencyAccount;
use crate::settings::LinkConfig;
use crate::time::{Nanos, SimTime};

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Host to drive.
    Down = 0,
    /// Drive to host.
    Up = 1,
}

/// What is on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
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
pub struct Visit {
    /// When the drive had the request, and the data of a write.
    pub submitted: SimTime,
    /// When the drive was done with it.
    pub done: SimTime,
    /// Where its time went in between.
    pub spent: LatencyAccount,
}

/// The link and what is on it.
#[derive(Debug)]
pub struct Link {
    config: LinkConfig,
    /// Times of the messages of fixed size.
    doorbell: Nanos,
    entry: Nanos,
    completion: Nanos,
    /// The number of data bytes sent last, and their time: requests tend to be of one size.
    data: (u64, Nanos),
    /// Messages of each direction; the first is under way on the link.
    queues: [VecDeque<(Message, RequestId)>; 2],
    /// Per request, by its number: the part of its way that is not on the link.
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

    /// Time of `bytes` on the link, sent in packets.
    fn time(&self, bytes: u64) -> Nanos {
        let packets = bytes.div_ceil(self.config.max_payload.0);
        let with_overhead = bytes + packets * self.config.packet_overhead.0;
        let per_lane = u128::from(with_overhead.div_ceil(u64::from(self.config.lanes)));
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

    /// What is known of a request's way.
    pub fn visit(&mut self, id: RequestId) -> &mut Visit {
        if self.visits.len() <= id.index() {
            self.visits.resize(id.index() + 1, Visit::default());
        }
        &mut self.visits[id.index()]
    }

    /// A message waits for its turn. Tells whether the direction is idle, so that it goes at once.
    pub fn enqueue(&mut self, direction: Direction, message: Message, id: RequestId) -> bool {
        let queue = &mut self.queues[direction as usize];
        queue.push_back((message, id));
        queue.len() == 1
    }

    /// The request whose message goes next in a direction.
    pub fn next(&self, direction: Direction) -> Option<RequestId> {
        self.queues[direction as usize].front().map(|(_, id)| *id)
    }

    /// Time that the next message of a direction takes; its request is of `size_bytes`.
    pub fn next_length(&mut self, direction: Direction, size_bytes: u64) -> Option<Nanos> {
        let (message, _) = *self.queues[direction as usize].front()?;
        Some(self.length(message, size_bytes))
    }

    /// The message that was under way in a direction has arrived.
    ///
    /// # Panics
    /// When none was.
    pub fn arrived(&mut self, direction: Direction) -> (Message, RequestId) {
        self.queues[direction as usize].pop_front().expect("a message was under way")
    }
}
