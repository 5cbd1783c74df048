//! Host requests in flight, and the order that flushes impose.

use std::collections::VecDeque;

use reclaim_trace::{Op, Record};

use super::write_buffer::OfferedPage;
use crate::ids::{Lpn, OpId, RequestId};
use crate::time::SimTime;

/// A request in flight.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What is asked.
    pub op: Op,
    /// First byte, as the trace has it.
    pub offset_bytes: u64,
    /// Bytes, as the trace has it.
    pub size_bytes: u64,
    /// When it reached the drive.
    pub arrival: SimTime,
    /// Parts not done yet.
    remaining: u32,
    /// The stream that the host writes into.
    pub stream: u8,
    /// It arrived while the run was measured.
    pub counted: bool,
    /// A page that it writes was told of.
    told: bool,
    /// The flush epoch a write belongs to.
    epoch: u64,
}

/// Writes between two flushes.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    writes: u32,
    /// The flush that ends the epoch; the last epoch has none yet.
    flush: Option<RequestId>,
}

/// All requests in flight.
#[derive(Debug)]
pub struct Requests {
    slots: Vec<Request>,
    free: Vec<RequestId>,
    epochs: VecDeque<Epoch>,
    /// Number of the first epoch still kept.
    first_epoch: u64,
    /// Writes that wait until any plane has room.
    parked: VecDeque<OpId>,
    /// Pages that wait until collection has relocated them.
    pub blocked: BlockedPages,
    arrived: u64,
    completed: u64,
    uncounted: u64,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            epochs: VecDeque::from([Epoch { writes: 0, flush: None }]),
            first_epoch: 0,
            parked: VecDeque::new(),
            blocked: BlockedPages::default(),
            arrived: 0,
            completed: 0,
            uncounted: 0,
        }
    }
}

impl Requests {
    /// A request arrives.
    pub fn insert(&mut self, record: &Record, arrival: SimTime, counted: bool) -> RequestId {
        let Record { op, offset_bytes, size_bytes, stream, .. } = *record;
        self.arrived += 1;
        let epoch = self.first_epoch + self.epochs.len() as u64 - 1;
        if op == Op::Write
            && let Some(last) = self.epochs.back_mut()
        {
            last.writes += 1;
        }
        let request = Request {
            op,
            offset_bytes,
            size_bytes,
            arrival,
            remaining: 1,
            stream,
            counted,
            told: false,
            epoch,
        };
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = request;
            id
        } else {
            self.slots.push(request);
            RequestId(self.slots.len() as u32 - 1)
        }
    }

    /// How many pages of so many bytes a request writes, the first time that one of them is told of; later, and of
    /// others, 0.
    pub fn begins(&mut self, id: RequestId, page_bytes: u32) -> u32 {
        let request = &mut self.slots[id.index()];
        if request.op != Op::Write || std::mem::replace(&mut request.told, true) {
            return 0;
        }
        let (first, bytes) = (request.offset_bytes, u64::from(page_bytes));
        ((first + request.size_bytes).div_ceil(bytes) - first / bytes) as u32
    }

    /// A flush arrived: tells whether it must wait for earlier writes.
    pub fn flush_waits(&mut self, id: RequestId) -> bool {
        if self.epochs.iter().all(|epoch| epoch.writes == 0) {
            return false;
        }
        if let Some(last) = self.epochs.back_mut() {
            last.flush = Some(id);
        }
        self.epochs.push_back(Epoch { writes: 0, flush: None });
        true
    }

    /// A write completed.
    pub fn write_done(&mut self, id: RequestId) {
        let epoch = (self.slots[id.index()].epoch - self.first_epoch) as usize;
        self.epochs[epoch].writes -= 1;
    }

    /// A flush whose earlier writes are all done.
    pub fn due_flush(&mut self) -> Option<RequestId> {
        let front = self.epochs.front()?;
        let flush = front.flush.filter(|_| front.writes == 0)?;
        self.epochs.pop_front();
        self.first_epoch += 1;
        Some(flush)
    }

    /// The request has so many parts more than its one: its pages, which end by themselves.
    pub fn add_parts(&mut self, id: RequestId, parts: u32) {
        self.slots[id.index()].remaining += parts;
    }

    /// A part has ended. Tells whether it was the last.
    #[inline]
    pub fn end_part(&mut self, id: RequestId) -> bool {
        let remaining = &mut self.slots[id.index()].remaining;
        *remaining -= 1;
        *remaining == 0
    }

    /// The request is completed and forgotten.
    pub fn remove(&mut self, id: RequestId) -> Request {
        let request = self.slots[id.index()];
        self.completed += 1;
        self.uncounted += u64::from(!request.counted);
        self.free.push(id);
        request
    }

    /// A write waits until any plane has room.
    pub fn park(&mut self, write: OpId) {
        self.parked.push_back(write);
    }

    /// The one that has waited longest for that.
    #[inline]
    pub fn first_parked(&self) -> Option<OpId> {
        self.parked.front().copied()
    }

    /// It need not wait any longer.
    pub fn leave_parked(&mut self) {
        self.parked.pop_front();
    }

    /// Number of writes that wait for that.
    pub fn parked(&self) -> usize {
        self.parked.len()
    }

    /// Requests that have arrived.
    #[inline]
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Requests that have been completed.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Those of them that arrived before the run was measured.
    pub fn uncounted(&self) -> u64 {
        self.uncounted
    }

    /// Requests in flight.
    pub fn outstanding(&self) -> u64 {
        self.arrived - self.completed
    }
}

impl std::ops::Index<RequestId> for Requests {
    type Output = Request;
    fn index(&self, id: RequestId) -> &Request {
        &self.slots[id.index()]
    }
}

// Pages of requests that wait until collection has relocated them, where `gc.block_victim_access` asks for that.

/// A page of a request that waits.
#[derive(Debug, Clone, Copy)]
pub struct BlockedPage {
    pub(crate) page: OfferedPage,
    pub(crate) write: bool,
    pub(crate) since: SimTime,
}

/// All of them, in the order in which they came.
#[derive(Debug, Default)]
pub struct BlockedPages {
    line: Vec<BlockedPage>,
}

impl BlockedPages {
    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// One more.
    pub fn push(&mut self, page: BlockedPage) {
        self.line.push(page);
    }

    /// Takes the first from place `at` on that need not wait any longer, and moves `at` there.
    pub fn take_next(&mut self, at: &mut usize, must_wait: impl Fn(Lpn) -> bool) -> Option<BlockedPage> {
        while must_wait(self.line.get(*at)?.page.lpn) {
            *at += 1;
        }
        Some(self.line.remove(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(requests: &mut Requests, op: Op) -> RequestId {
        let record = Record { time_ns: 0, offset_bytes: 0, size_bytes: 4096, op, stream: 0 };
        requests.insert(&record, SimTime::ZERO, true)
    }

    #[test]
    fn a_flush_waits_for_exactly_the_writes_before_it() {
        let mut requests = Requests::default();
        let first = arrive(&mut requests, Op::Write);
        let flush = arrive(&mut requests, Op::Flush);
        assert!(requests.flush_waits(flush));
        let second = arrive(&mut requests, Op::Write);
        let later_flush = arrive(&mut requests, Op::Flush);
        assert!(requests.flush_waits(later_flush));

        requests.write_done(second);
        assert_eq!(requests.due_flush(), None, "the first write is still under way");
        requests.write_done(first);
        assert_eq!(requests.due_flush(), Some(flush));
        assert_eq!(requests.due_flush(), Some(later_flush));
        assert_eq!(requests.due_flush(), None);
    }

    #[test]
    fn a_request_begins_with_the_first_of_its_pages() {
        let mut requests = Requests::default();
        let mut insert = |op, offset_bytes, size_bytes| {
            let record = Record { time_ns: 0, offset_bytes, size_bytes, op, stream: 0 };
            let id = requests.insert(&record, SimTime::ZERO, true);
            [requests.begins(id, 4096), requests.begins(id, 4096)]
        };
        assert_eq!(insert(Op::Write, 4095, 4098), [3, 0], "a byte of the first and of the third page");
        assert_eq!(insert(Op::Write, 8192, 4096), [1, 0]);
        assert_eq!(insert(Op::Trim, 0, 8192), [0, 0]);
    }
}
