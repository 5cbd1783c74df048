//! Pages of requests: reads go to where the page is; writes enter the controller's write buffer, or wait in line for
//! room in it, and are sent to the plane that allocation chooses.

use super::drive::Drive;
use super::ops::{OpCause, OpKind, PageOp, Role};
use crate::host::{AddressMapper, BlockedPage, OfferedPage, Request};
use crate::ids::{Lpn, OpId, PlaneId, RequestId};
use crate::mapping::Place;

impl<const PLAIN: bool> Drive<PLAIN> {
    pub(super) fn admit_page(&mut self, request: RequestId, lpn: Lpn, bytes: u32, write: bool) {
        let page = OfferedPage { request, lpn, bytes, spent: self.of_lookup() };
        if self.needs.maps_on_demand() {
            return self.look_up_page(page, write);
        }
        self.admit_looked_up(page, write);
    }

    /// It is known where a page of a request is.
    #[inline]
    pub(super) fn admit_looked_up(&mut self, page: OfferedPage, write: bool) {
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
        let blocked = self.needs.blocks_victims() && self.ftl.is_being_moved(page.lpn);
        if blocked {
            let since = self.events.now();
            self.requests.blocked.push(BlockedPage { page, write, since });
        }
        blocked
    }

    /// Pages of requests that waited for the collector are offered again, as if they came now: all that need not wait
    /// any longer, or only those for the page `moved`, if it is given.
    pub(crate) fn offer_blocked_again(&mut self, moved: Option<Lpn>) {
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

    pub(super) fn trim_pages(&mut self, id: RequestId, request: &Request, mapper: &AddressMapper) {
        let (first, count) = mapper.whole_pages(request.offset_bytes, request.size_bytes);
        if self.needs.striped() {
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
        self.tell_of_request(request);
        self.ftl.note_host_bytes(u64::from(bytes));
        if self.needs.lifts() && self.ftl.absorb_write(lpn) {
            return self.release_part(request, &spent);
        }
        if self.needs.merges() && self.ftl.merge_write(lpn) {
            return self.release_part(request, &spent);
        }
        let partial = bytes < self.geometry.page_bytes;
        let slot = self.ftl.accept_write(lpn, partial);
        self.write_buffer.enter(slot, self.events.now(), spent.gc());
        if self.needs.merges() && !partial {
            self.ftl.await_program(slot);
        }
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
        PageOp { bytes, since, request, ..PageOp::new(kind, OpCause::Host, PlaneId::NONE, lpn) }
    }

    /// Send a write to the plane that allocation chooses, or park it until any plane has room.
    pub(super) fn place_write(&mut self, id: OpId) {
        let plane = if self.requests.first_parked().is_none() { self.choose_plane(id) } else { None };
        if let Some(plane) = plane {
            self.acknowledge(id);
            self.send_write(id, plane);
        } else {
            self.ops[id].since = self.events.now();
            self.recorder.gc.stalled_writes += 1;
            self.stalls.begin_everywhere();
            self.requests.park(id);
        }
    }

    fn choose_plane(&mut self, id: OpId) -> Option<PlaneId> {
        self.ftl.place_write(self.ops[id].lpn, self.dies.pending_per_die())
    }

    fn send_write(&mut self, id: OpId, plane: PlaneId) {
        self.ops[id].plane = plane;
        // No write may overtake one that still has no page: pages of a block are programmed in order.
        let early = self.needs.pages_on_arrival() && self.ftl.plane(plane).reserved_pages == 0;
        let page = if early { self.ftl.take_host_page(plane, self.ops[id].lpn) } else { None };
        self.pace_by_room(plane);
        if let Some(page) = page {
            self.ops[id].ppn = page;
            self.pace_by_write(plane);
            self.end_merging(id);
            // A job that this starts is queued ahead of the write that filled the block.
            if self.ftl.open_ahead(plane, None) {
                self.run_gc_triggers();
            }
        } else if self.needs.superblocks() {
            self.ops[id].stream = self.ftl.promise_page(plane, self.ops[id].lpn);
        } else {
            self.ftl.reserve_page(plane);
        }
        self.enqueue(id);
    }

    /// A host program has its page: what is written now comes too late to be merged with it.
    #[inline]
    pub(super) fn end_merging(&mut self, id: OpId) {
        if self.needs.merges() {
            self.ftl.begin_program(self.ops[id].slot);
        }
    }

    /// Space was freed: parked writes are sent to their planes, oldest first.
    pub(crate) fn admit_parked(&mut self) {
        while let Some(id) = self.requests.first_parked() {
            let Some(plane) = self.choose_plane(id) else { return };
            self.requests.leave_parked();
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

    /// A page of a write reaches the buffer: it is admitted, or waits in line.
    #[inline]
    pub(super) fn offer_page(&mut self, page: OfferedPage) {
        let in_use = self.ftl.map().host_slots();
        if self.write_buffer.line_is_empty() && self.write_buffer.has_room(in_use) {
            self.write_page(page);
        } else {
            self.wait_for_room(page);
        }
    }

    #[cold]
    fn wait_for_room(&mut self, page: OfferedPage) {
        self.write_buffer.wait(page, self.events.now());
    }

    /// Pages have left the buffer: those that have waited longest are admitted, one by one, each as if it arrived now.
    pub(crate) fn admit_waiting_pages(&mut self) {
        let now = self.events.now();
        while self.write_buffer.has_room(self.ftl.map().host_slots()) {
            let Some((page, waited)) = self.write_buffer.leave_line(now) else { return };
            let counted = self.measured_part(waited);
            self.write_buffer.note_waited(1, counted);
            let together = self.needs.pages_on_arrival();
            if together {
                self.gather_starts();
            }
            if !self.block_page(page, true) {
                self.write_page(page);
            }
            if together {
                self.start_gathered();
            }
        }
    }

    /// A page of a write has a plane: where that is asked for, it is done as far as the host is concerned, before its
    /// program.
    #[inline]
    pub(super) fn acknowledge(&mut self, id: OpId) {
        if self.needs.staged() {
            let PageOp { request, spent, .. } = self.ops[id];
            self.ops[id].request = RequestId::NONE;
            // Nobody waits for a translation page.
            if request.is_some() {
                self.release_part(request, &spent);
            }
        }
    }

    pub(super) fn read_page(&mut self, page: OfferedPage) {
        let mut op = self.host_op(OpKind::Read, page.request, page.lpn, page.bytes);
        op.spent = page.spent;
        let id = self.ops.insert(op);
        self.route_read(id);
    }

    /// Send a read to where its page is now; answer it at once when that is not the flash.
    pub(crate) fn route_read(&mut self, id: OpId) {
        let lpn = self.ops[id].lpn;
        if self.needs.striped() && self.rebuild_page(id) {
            return;
        }
        if let Some(ppn) = self.ftl.map().flash_copy(lpn) {
            let plane = self.geometry.plane_of(self.geometry.block_of(ppn));
            let versions = if self.needs.audits() { self.ftl.versions() } else { None };
            let version = versions.map_or(0, |versions| versions.in_flash(ppn));
            let op = &mut self.ops[id];
            op.ppn = ppn;
            op.plane = plane;
            op.version = op.version.max(version);
            self.enqueue(id);
            return;
        }
        let nowhere = self.ftl.map().place(lpn) == Place::Nowhere;
        if nowhere && self.needs.audits() && self.ftl.versions().is_some_and(|versions| versions.is_live(lpn))
        {
            self.recorder.fault(format!("{lpn:?} was written, but a read finds it nowhere"));
        }
        // The read before a partial write may find that a newer write has made it unnecessary: that is no host read.
        if self.ops[id].role == Role::Plain {
            self.recorder.flash.unmapped_reads += u64::from(nowhere);
            self.recorder.flash.buffer_hits += u64::from(!nowhere);
        }
        self.host_read_done(id);
    }

    /// A host read is answered: the request's part is done, or the write that waited for it can go.
    pub(crate) fn host_read_done(&mut self, id: OpId) {
        match self.ops[id].role {
            Role::RestOf(program) => self.rest_read(id, program),
            Role::OfStripe(join) => self.stripe_page_read(id, join),
            Role::Translation => self.translation_read(id),
            Role::Plain | Role::OfUnit(_) => self.part_done(id),
        }
    }

    /// What a partial write does not cover has been read: it can go, unless its data is still on its way.
    fn rest_read(&mut self, id: OpId, program: OpId) {
        let spent = self.ops[id].spent;
        self.ops.remove(id);
        let now = self.events.now();
        let write = &mut self.ops[program];
        write.spent.charge_all_of(&spent);
        write.since = now;
        write.waits_for -= 1;
        let complete = write.waits_for == 0;
        self.ftl.drop_backing(write.slot);
        if complete {
            self.place_write(program);
        }
    }

    /// Audits a read: it returned the page it was sent for, in a version not older than when it was sent.
    #[inline]
    pub(crate) fn check_read(&mut self, id: OpId) {
        if self.needs.audits() {
            self.check_version(id);
        }
    }

    fn check_version(&mut self, id: OpId) {
        let op = &self.ops[id];
        if let Role::RestOf(program) = op.role {
            self.ftl.note_rest_read(self.ops[program].slot);
        }
        let Some(versions) = self.ftl.versions() else { return };
        let (found, owner) = (versions.in_flash(op.ppn), self.ftl.map().owner(op.ppn));
        if found < op.version || owner != op.lpn {
            self.recorder.fault(format!(
                "a read of {:?} at {:?} found version {found} of {owner:?}, but version {} was there when \
                 it was sent",
                op.lpn, op.ppn, op.version
            ));
        }
    }
}
