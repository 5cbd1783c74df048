//! A request arrives: it is split into page operations. A request ends: with its slowest page.

use reclaim_trace::{Op, Record};

use super::drive::Drive;
use crate::engine::{OpCause, OpKind, PageOp, Role};
use crate::host::{AddressMapper, BlockedPage, OfferedPage, RemapError, Request};
use crate::ids::{Lpn, OpId, PlaneId, RequestId};
use crate::latency::LatencyAccount;
use crate::settings::AssignPages;
use crate::time::SimTime;

impl Drive {
    /// Take a request of the trace.
    ///
    /// # Errors
    /// When its pages cannot be mapped to the drive's.
    pub(crate) fn admit(&mut self, record: &Record, mapper: &mut AddressMapper) -> Result<(), RemapError> {
        let now = self.events.now();
        let counted = self.counts_next();
        let id = self.requests.insert(record.op, record.offset_bytes, record.size_bytes, now, counted);
        self.recorder.arrived(now, self.requests.outstanding());
        if self.link.is_some() {
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
        if self.begin_lookup(id) {
            return Ok(());
        }
        self.split(id, mapper)
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
        let spent = if request.op == Op::Flush { LatencyAccount::default() } else { self.delays.of_lookup() };
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
        self.requests[id].remaining = count as u32 + 1;
        // The pages of a request reach the dies together, so that those which can share an operation do; so does what
        // a write sets off that gets its page at once.
        let together =
            count > 1 || self.needs.striped || self.config.ftl.assign_pages == AssignPages::OnArrival;
        if together {
            self.defer_starts();
        }
        if self.needs.striped && request.op == Op::Write {
            self.admit_stripe_writes(id, request, first..first + count, mapper)?;
        } else {
            for page in first..first + count {
                let lpn = mapper.place(page)?;
                let bytes = mapper.covered(page, request.offset_bytes, request.size_bytes);
                self.admit_page(id, lpn, bytes, request.op == Op::Write);
            }
        }
        if together {
            self.start_deferred();
        }
        Ok(())
    }

    fn admit_page(&mut self, request: RequestId, lpn: Lpn, bytes: u32, write: bool) {
        let page = OfferedPage { request, lpn, bytes, spent: self.delays.of_lookup() };
        if self.block_page(page, write) {
            return;
        }
        if write {
            self.offer_page(page);
        } else {
            self.read_page(page);
        }
    }

    /// Blocks a page of a request until collection has relocated it, where `gc.block_victim_access` asks for that.
    /// Returns whether it waits.
    pub(super) fn block_page(&mut self, page: OfferedPage, write: bool) -> bool {
        let blocked = self.config.gc.block_victim_access && self.ftl.is_being_moved(page.lpn);
        if blocked {
            let since = self.events.now();
            self.requests.blocked.push(BlockedPage { page, write, since });
        }
        blocked
    }

    /// Releases requests blocked on pages of a block under collection; only those for the page `moved`, if it is given.
    pub(crate) fn release_blocked(&mut self, moved: Option<Lpn>) {
        let mut at = 0;
        while let Some(BlockedPage { mut page, write, since }) = self
            .requests
            .blocked
            .take_next(&mut at, |lpn| moved.is_some_and(|moved| moved != lpn) || self.ftl.is_being_moved(lpn))
        {
            page.spent.charge_gc(self.events.now().since(since));
            if write {
                self.offer_page(page);
            } else {
                self.read_page(page);
            }
        }
    }

    fn trim_pages(&mut self, id: RequestId, request: &Request, mapper: &AddressMapper) {
        let (first, count) = mapper.whole_pages(request.offset_bytes, request.size_bytes);
        if self.needs.striped {
            return self.trim_stripes(id, first, count, mapper);
        }
        let mut trimmed = 0;
        if mapper.is_identity() {
            // File systems trim whole free extents, nearly all of it never written: step over that quickly.
            let end = (first + count) as u32;
            let mut from = first as u32;
            while let Some(lpn) = self.ftl.map().next_mapped(from, end.max(from)) {
                trimmed += u64::from(self.ftl.trim(lpn));
                from = lpn.0 + 1;
            }
        } else {
            let ftl = &mut self.ftl;
            mapper.for_touched(first, count, |lpn| trimmed += u64::from(ftl.trim(lpn)));
        }
        self.recorder.flash.trimmed_pages += trimmed;
    }

    /// The buffer has room: the drive accepts a page of a write.
    pub(super) fn write_page(&mut self, page: OfferedPage) {
        let OfferedPage { request, lpn, bytes, spent } = page;
        if self.needs.lifts && self.ftl.absorb_write(lpn) {
            return self.release_part(request, &spent);
        }
        let partial = bytes < self.geometry.page_bytes;
        let slot = self.ftl.accept_write(lpn, partial);
        let mut op = self.host_op(OpKind::Program, request, lpn, bytes);
        op.slot = slot;
        op.spent = spent;
        let id = self.ops.insert(op);
        let reads_rest = partial && self.ftl.map().slot(slot).backing.is_some();
        let passes = self.begin_passage(id);
        self.ops[id].waits_for += u8::from(passes);
        if reads_rest {
            self.recorder.flash.rmw_reads += 1;
            let missing = self.geometry.page_bytes - bytes;
            let mut read = self.host_op(OpKind::Read, request, lpn, missing);
            read.role = Role::RestOf(id);
            self.ops[id].waits_for += 1;
            let read = self.ops.insert(read);
            self.route_read(read);
        } else if !passes {
            self.place_write(id);
        }
    }

    pub(super) fn host_op(&self, kind: OpKind, request: RequestId, lpn: Lpn, bytes: u32) -> PageOp {
        let since = self.events.now();
        PageOp { request, bytes, since, ..PageOp::new(kind, OpCause::Host, PlaneId::NONE, lpn) }
    }

    /// Send a write to the plane that allocation chooses, or park it until any plane has room.
    pub(super) fn place_write(&mut self, id: OpId) {
        let plane = if self.requests.parked.is_empty() { self.choose_plane(id) } else { None };
        if let Some(plane) = plane {
            self.acknowledge(id);
            self.send_write(id, plane);
        } else {
            self.ops[id].since = self.events.now();
            self.recorder.gc.stalled_writes += 1;
            self.stalls.begin_everywhere();
            self.requests.parked.push_back(id);
        }
    }

    fn choose_plane(&mut self, id: OpId) -> Option<PlaneId> {
        self.ftl.place_write(self.ops[id].lpn, self.dies.pending_per_die())
    }

    fn send_write(&mut self, id: OpId, plane: PlaneId) {
        self.ops[id].plane = plane;
        // No write may overtake one that still has no page: pages of a block are programmed in order.
        let early = self.config.ftl.assign_pages == AssignPages::OnArrival
            && self.ftl.plane(plane).reserved_pages == 0;
        let page = if early { self.ftl.take_host_page(plane, self.ops[id].lpn) } else { None };
        if let Some(page) = page {
            self.ops[id].ppn = page;
            // A job that this starts is queued ahead of the write that filled the block.
            if self.ftl.open_ahead(plane, None) {
                self.run_gc_triggers();
            }
        } else {
            self.ftl.reserve_page(plane);
        }
        self.enqueue(id);
    }

    /// Space was freed: parked writes are sent to their planes, oldest first.
    pub(crate) fn admit_parked(&mut self) {
        while let Some(&id) = self.requests.parked.front() {
            let Some(plane) = self.choose_plane(id) else { return };
            self.requests.parked.pop_front();
            let waited = self.events.now().since(self.ops[id].since);
            self.ops[id].spent.charge_gc(waited);
            self.recorder.gc.host_write_stall_ns += self.measured_part(waited).0;
            self.acknowledge(id);
            self.send_write(id, plane);
        }
    }

    /// A page operation of a host request is done.
    pub(crate) fn part_done(&mut self, id: OpId) {
        let PageOp { request, spent, .. } = self.ops[id];
        self.ops.remove(id);
        if request.is_some() {
            self.release_part(request, &spent);
        }
    }

    pub(super) fn release_part(&mut self, id: RequestId, spent: &LatencyAccount) {
        let request = &mut self.requests[id];
        request.remaining -= 1;
        if request.remaining > 0 {
            return;
        }
        if request.op == Op::Write {
            self.requests.write_done(id);
        }
        self.answer(id, spent);
        while let Some(flush) = self.requests.due_flush() {
            self.answer(flush, &LatencyAccount::default());
        }
    }

    /// The drive is done with a request: tell the host.
    fn answer(&mut self, id: RequestId, spent: &LatencyAccount) {
        if self.link.is_some() {
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
        } else {
            self.requests.uncounted += 1;
        }
        self.recorder.pages_programmed(self.ftl.counters());
    }

    /// The error message when no event is left but requests are: what remains in flight.
    pub(crate) fn stuck_message(&self) -> String {
        format!(
            "{} requests are in flight and nothing is left to happen at {:?} ({} operations, {} collection \
             jobs, {} parked writes, {})",
            self.requests.outstanding(),
            self.events.now(),
            self.ops.in_flight(),
            self.jobs.under_way(),
            self.requests.parked.len(),
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
}
