//! Host requests in flight, and the order that flushes impose.

use std::collections::VecDeque;

use reclaim_trace::Op;

use super::blocked_pages::BlockedPages;
use crate::ids::{OpId, RequestId};
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
    pub remaining: u32,
    /// It arrived while the run was measured.
    pub counted: bool,
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
    pub parked: VecDeque<OpId>,
    /// Pages that wait until collection has relocated them.
    pub blocked: BlockedPages,
    /// Requests that have arrived.
    pub arrived: u64,
    /// Requests that have been completed.
    pub completed: u64,
    /// Those of them that arrived before the run was measured.
    pub uncounted: u64,
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
    pub fn insert(
        &mut self,
        op: Op,
        offset_bytes: u64,
        size_bytes: u64,
        arrival: SimTime,
        counted: bool,
    ) -> RequestId {
        self.arrived += 1;
        let epoch = self.first_epoch + self.epochs.len() as u64 - 1;
        if op == Op::Write
            && let Some(last) = self.epochs.back_mut()
        {
            last.writes += 1;
        }
        let request = Request { op, offset_bytes, size_bytes, arrival, remaining: 1, counted, epoch };
        if let Some(id) = self.free.pop() {
            self.slots[id.index()] = request;
            id
        } else {
            self.slots.push(request);
            RequestId(self.slots.len() as u32 - 1)
        }
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

    /// The request is completed and forgotten.
    pub fn remove(&mut self, id: RequestId) -> Request {
        self.completed += 1;
        self.free.push(id);
        self.slots[id.index()]
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

impl std::ops::IndexMut<RequestId> for Requests {
    fn index_mut(&mut self, id: RequestId) -> &mut Request {
        &mut self.slots[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(requests: &mut Requests, op: Op) -> RequestId {
        requests.insert(op, 0, 4096, SimTime::ZERO, true)
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
    fn a_flush_with_nothing_before_it_does_not_wait() {
        let mut requests = Requests::default();
        let read = arrive(&mut requests, Op::Read);
        let flush = arrive(&mut requests, Op::Flush);
        assert!(!requests.flush_waits(flush));
        requests.remove(read);
        assert_eq!(requests.outstanding(), 1);
    }
}
