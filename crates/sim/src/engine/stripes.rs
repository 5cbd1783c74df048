//! Stripes in time: pages of a write that share a stripe are written together with its parity, after what that needs
//! has been read, and count only when all have been programmed. `docs/model.md`, section 16.

use super::drive::Drive;
use super::joins::{JoinKind, JoinPage};
use super::ops::{OpKind, PageOp};
use crate::flash::Stripes;
use crate::ftl::Ftl;
use crate::host::{AddressMapper, RemapError, Request};
use crate::ids::{JoinId, Lpn, OpId, RequestId, SlotId};
use crate::mapping::Place;
use crate::redundancy::{ReadBefore, StripeEvent, StripeUpdate};

impl Drive {
    pub(super) fn stripes(&self) -> &Stripes {
        self.geometry.stripes.as_ref().expect("asked only where there are stripes")
    }

    /// Pages of a write are gathered: neighbours that share a stripe are written together.
    ///
    /// # Errors
    /// When a page cannot be mapped to the drive's.
    pub(super) fn admit_stripe_writes(
        &mut self,
        id: RequestId,
        request: &Request,
        pages: std::ops::Range<u64>,
        mapper: &mut AddressMapper,
    ) -> Result<(), RemapError> {
        let mut gathered: Option<(JoinId, Lpn)> = None;
        for page in pages {
            let lpn = mapper.place(page)?;
            let bytes = mapper.covered(page, request.offset_bytes, request.size_bytes);
            let stripes = self.stripes();
            let join = match gathered {
                Some((join, last)) if stripes.are_written_together(last, lpn) => join,
                before => {
                    let stripe = stripes.stripe_of(lpn);
                    if let Some((complete, _)) = before {
                        self.offer_stripe_write(complete);
                    }
                    self.joins.insert(JoinKind::Write, id, stripe, self.events.now())
                }
            };
            self.joins[join].pages.push(JoinPage { lpn, bytes, slot: SlotId::NONE });
            gathered = Some((join, lpn));
        }
        if let Some((complete, _)) = gathered {
            self.offer_stripe_write(complete);
        }
        Ok(())
    }

    /// A write of pages of a stripe reaches the buffer: it is let in, or waits in line.
    fn offer_stripe_write(&mut self, id: JoinId) {
        if self.joins.outside.is_empty() && self.fits_in(id) {
            self.let_in(id);
            return;
        }
        self.write_buffer.counted.waits += self.joins[id].pages.len() as u64;
        self.joins[id].since = self.events.now();
        self.joins.outside.push_back(id);
    }

    /// Whether the buffer has room for a write and its parity.
    fn fits_in(&self, id: JoinId) -> bool {
        let needed = self.joins.used_pages + self.joins[id].pages.len() as u32;
        self.write_buffer.has_room(needed as usize)
    }

    fn let_in(&mut self, id: JoinId) {
        self.joins.used_pages += self.joins[id].pages.len() as u32 + 1;
        self.joins.most_used_pages = self.joins.most_used_pages.max(self.joins.used_pages);
        self.ask_for_stripe(id);
    }

    fn ask_for_stripe(&mut self, id: JoinId) {
        if self.joins.ask(id) {
            self.begin_join(id);
        } else {
            self.ftl.note_stripe(StripeEvent::Waits);
            self.joins[id].since = self.events.now();
        }
    }

    /// A read of the host for a page of the unreadable chip: it is rebuilt from the rest of its stripe. Tells whether
    /// the page is such a one.
    pub(super) fn rebuild_page(&mut self, request: RequestId, lpn: Lpn) -> bool {
        let stripes = self.stripes();
        if self.ftl.unreadable_chip() != Some(stripes.chip_of(lpn)) || !self.is_there(lpn) {
            return false;
        }
        let stripe = stripes.stripe_of(lpn);
        self.ftl.note_stripe(StripeEvent::DegradedRead);
        let id = self.joins.insert(JoinKind::Rebuild, request, stripe, self.events.now());
        self.joins[id].pages.push(JoinPage { lpn, bytes: u32::MAX, slot: SlotId::NONE });
        self.ask_for_stripe(id);
        true
    }

    fn is_there(&self, lpn: Lpn) -> bool {
        matches!(self.ftl.map().place(lpn), Place::Flash(_))
    }

    /// An access holds its stripe: what it needs of it is read.
    fn begin_join(&mut self, id: JoinId) {
        let mut reads = std::mem::take(&mut self.stripe_reads);
        reads.clear();
        match self.joins[id].kind {
            JoinKind::Write => self.choose_reads(id, &mut reads),
            JoinKind::Rebuild => self.all_but(self.joins[id].stripe, self.joins[id].pages[0].lpn, &mut reads),
        }
        self.joins[id].reads_left = reads.len() as u32;
        for lpn in &reads {
            self.ftl.note_stripe(StripeEvent::PageRead);
            let request = self.joins[id].request;
            let read = self.host_op(OpKind::Read, request, *lpn, u32::MAX);
            let read = self.ops.insert(PageOp { successor: OpId(id.0), ..read });
            self.route_read(read);
        }
        let nothing_to_read = reads.is_empty();
        self.stripe_reads = reads;
        if nothing_to_read {
            self.join_has_read(id);
        }
    }

    /// What is read before a stripe is written, as redundancy decides.
    fn choose_reads(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        let join = &self.joins[id];
        let (stripe, page_bytes) = (join.stripe, self.geometry.page_bytes);
        let is_part = |page: &JoinPage| page.bytes < page_bytes;
        let written_there = |page: &&JoinPage| self.is_there(page.lpn);
        let is_other = |lpn: &Lpn| !join.pages.iter().any(|page| page.lpn == *lpn);
        let parity = stripes.parity_of(stripe);
        let update = StripeUpdate {
            data_pages: stripes.data_pages(),
            written: join.pages.len() as u32,
            written_there: join.pages.iter().filter(written_there).count() as u32,
            partly_written_there: join.pages.iter().filter(|p| is_part(p) && written_there(p)).count() as u32,
            whole_pages: !join.pages.iter().any(is_part),
            others_there: stripes.data(stripe).filter(|lpn| is_other(lpn) && self.is_there(*lpn)).count()
                as u32,
            parity_there: self.is_there(parity),
        };
        let read_before = self.ftl.read_before(&update);
        match read_before {
            ReadBefore::Nothing => {}
            ReadBefore::Replaced => {
                let replaced = join.pages.iter().map(|page| page.lpn).chain([parity]);
                reads.extend(replaced.filter(|lpn| self.is_there(*lpn)));
            }
            ReadBefore::Others => {
                let partly = |lpn: &Lpn| join.pages.iter().any(|page| page.lpn == *lpn && is_part(page));
                let needed = stripes.data(stripe).filter(|lpn| is_other(lpn) || partly(lpn));
                reads.extend(needed.filter(|lpn| self.is_there(*lpn)));
            }
        }
        let unreadable = self.ftl.unreadable_chip();
        let lost = reads.iter().copied().find(|lpn| unreadable == Some(stripes.chip_of(*lpn)));
        self.joins[id].read_before = read_before;
        if let Some(lost) = lost {
            self.all_but(stripe, lost, reads);
        }
    }

    /// Every page of a stripe that is in flash, but for one: what that can be rebuilt from.
    fn all_but(&self, stripe: u32, lost: Lpn, reads: &mut Vec<Lpn>) {
        reads.clear();
        reads.extend(self.stripes().members(stripe).filter(|lpn| *lpn != lost && self.is_there(*lpn)));
    }

    /// A page that a stripe was read for has arrived.
    pub(super) fn stripe_page_read(&mut self, read: OpId) {
        let PageOp { successor, spent, lpn, ppn, .. } = self.ops[read];
        let id = JoinId(successor.0);
        self.ops.remove(read);
        if self.ftl.versions().is_some() {
            let content = self.ftl.content(ppn);
            self.joins[id].found.push((lpn, content));
        }
        let join = &mut self.joins[id];
        join.reads_left -= 1;
        if join.reads_left == 0 {
            join.spent.charge_all_of(&spent);
            self.join_has_read(id);
        }
    }

    fn join_has_read(&mut self, id: JoinId) {
        match self.joins[id].kind {
            JoinKind::Write => self.await_room(id),
            JoinKind::Rebuild => self.page_rebuilt(id),
        }
    }

    /// All is read: the stripe is written, or waits until its planes can hold it.
    fn await_room(&mut self, id: JoinId) {
        if self.joins.for_room.is_empty() && self.planes_may_hold(id) {
            self.write_join(id);
            return;
        }
        self.ftl.note_stripe(StripeEvent::WaitsForRoom);
        self.joins[id].since = self.events.now();
        self.joins.for_room.push_back(id);
    }

    fn planes_may_hold(&self, id: JoinId) -> bool {
        let (join, stripes) = (&self.joins[id], self.stripes());
        let parity = stripes.parity_of(join.stripe);
        let mut written = join.pages.iter().map(|page| page.lpn).chain([parity]);
        written.all(|lpn| self.ftl.may_hold(stripes.home(lpn)))
    }

    /// Pages and parity are in the buffer in their new version, and on their way to flash.
    fn write_join(&mut self, id: JoinId) {
        let lpn = self.stripes().parity_of(self.joins[id].stripe);
        self.joins[id].pages.push(JoinPage { lpn, bytes: u32::MAX, slot: SlotId::NONE });
        for page in &mut self.joins[id].pages {
            page.slot = self.ftl.accept_beside(page.lpn);
        }
        if self.ftl.versions().is_some() {
            self.make_parity(id);
        }
        let join = &mut self.joins[id];
        join.programs_left = join.pages.len() as u32;
        let (request, spent) = (join.request, join.spent);
        for at in 0..self.joins[id].pages.len() {
            let JoinPage { lpn, slot, .. } = self.joins[id].pages[at];
            let plane = self.stripes().home(lpn);
            let op = self.host_op(OpKind::Program, request, lpn, u32::MAX);
            let op = self.ops.insert(PageOp { slot, plane, spent, successor: OpId(id.0), ..op });
            self.ftl.reserve_page(plane);
            self.enqueue(op);
        }
    }

    /// A page of a stripe has been programmed; with the last of them, all take the place of what they replace.
    pub(super) fn stripe_page_programmed(&mut self, program: OpId) {
        let PageOp { successor, spent, slot, ppn, .. } = self.ops[program];
        let id = JoinId(successor.0);
        self.ops.remove(program);
        self.ftl.land(slot, ppn);
        let join = &mut self.joins[id];
        join.programs_left -= 1;
        if join.programs_left > 0 {
            return;
        }
        self.defer_starts();
        for at in 0..self.joins[id].pages.len() {
            let slot = self.joins[id].pages[at].slot;
            self.ftl.commit_landed(slot);
        }
        self.joins.used_pages -= self.joins[id].pages.len() as u32;
        let (request, data_pages) = (self.joins[id].request, self.joins[id].pages.len() - 1);
        for _ in 0..data_pages {
            self.release_part(request, &spent);
        }
        self.leave_stripe(id);
        self.start_deferred();
    }

    /// A page of the unreadable chip has been rebuilt.
    fn page_rebuilt(&mut self, id: JoinId) {
        if self.ftl.versions().is_some() {
            self.check_rebuilt(id);
        }
        // A page in flash has its parity there, so something was read and nobody is gathering starts.
        debug_assert!(!self.defers_starts);
        self.defer_starts();
        let (request, spent) = (self.joins[id].request, self.joins[id].spent);
        self.release_part(request, &spent);
        self.leave_stripe(id);
        self.start_deferred();
    }

    /// The holder of a stripe is done: the next one begins, and those who wait for room look again.
    fn leave_stripe(&mut self, id: JoinId) {
        let now = self.events.now();
        let next = self.joins.give_up(id);
        self.joins.remove(id);
        if let Some(next) = next {
            let join = &mut self.joins[next];
            join.spent.charge_queue(now.since(join.since));
            self.begin_join(next);
        }
        while let Some(&first) = self.joins.for_room.front()
            && self.planes_may_hold(first)
        {
            self.joins.for_room.pop_front();
            let join = &mut self.joins[first];
            join.spent.charge_gc(now.since(join.since));
            self.write_join(first);
        }
        while let Some(&first) = self.joins.outside.front()
            && self.fits_in(first)
        {
            self.joins.outside.pop_front();
            let join = &mut self.joins[first];
            let waited = now.since(join.since);
            join.spent.charge_queue(waited);
            let pages = join.pages.len() as u64;
            self.write_buffer.counted.wait_ns += self.measured_part(waited).0 * pages;
            self.let_in(first);
        }
    }

    /// The host no longer needs a range of pages: stripes that lie in it wholly are given up, unless one is held.
    pub(super) fn trim_stripes(&mut self, first: u64, count: u64, mapper: &AddressMapper) {
        let is_held = |stripe| self.joins.is_held(stripe);
        self.recorder.flash.trimmed_pages += trim_whole_stripes(&mut self.ftl, mapper, first, count, is_held);
    }

    /// Audit: makes the parity of what was read and of what is written, as a controller would.
    fn make_parity(&mut self, id: JoinId) {
        let join = &self.joins[id];
        let [written @ .., parity] = join.pages.as_slice() else { unreachable!("a write has its parity") };
        let new = written.iter().fold(0, |sum, page| sum ^ self.ftl.slot_content(page.slot));
        // All but one page of the stripe were read if one could not be.
        let rebuilt = join.found.iter().fold(0, |sum, (_, content)| sum ^ content);
        let before = |lpn: Lpn| {
            let found = join.found.iter().find(|(page, _)| *page == lpn);
            found.map_or_else(|| if self.ftl.was_there(lpn) { rebuilt } else { 0 }, |(_, content)| *content)
        };
        let sum = match join.read_before {
            ReadBefore::Replaced => {
                written.iter().fold(new ^ before(parity.lpn), |sum, page| sum ^ before(page.lpn))
            }
            ReadBefore::Nothing | ReadBefore::Others => {
                let data = self.stripes().data(join.stripe);
                let others = data.filter(|lpn| !written.iter().any(|page| page.lpn == *lpn));
                others.fold(new, |sum, lpn| sum ^ before(lpn))
            }
        };
        self.ftl.set_parity(parity.slot, sum);
    }

    /// Audit: the rest of the stripe sums to the page that was rebuilt.
    fn check_rebuilt(&mut self, id: JoinId) {
        let join = &self.joins[id];
        let lpn = join.pages[0].lpn;
        let sum = join.found.iter().fold(0, |sum, (_, content)| sum ^ content);
        let Place::Flash(ppn) = self.ftl.map().place(lpn) else {
            return self.recorder.fault(format!("{lpn:?} was rebuilt, but is not in flash"));
        };
        if sum != self.ftl.content(ppn) {
            self.recorder.fault(format!("{lpn:?} was rebuilt from its stripe, but holds something else"));
        }
    }
}

/// Trims the stripes that a range of trace pages covers wholly, but for those with an operation at work: number of
/// pages of data that were somewhere.
pub(crate) fn trim_whole_stripes(
    ftl: &mut Ftl,
    mapper: &AddressMapper,
    first: u64,
    count: u64,
    is_held: impl Fn(u32) -> bool,
) -> u64 {
    let stripes = ftl.geometry().stripes.as_ref().expect("asked only where there are stripes");
    let data_pages = stripes.data_pages();
    let mut trimmed = 0;
    let mut trim =
        |ftl: &mut Ftl, stripe| trimmed += if is_held(stripe) { 0 } else { ftl.trim_stripe(stripe) };
    if mapper.is_identity() {
        // What was never written is stepped over quickly.
        let end = ((first + count) / u64::from(data_pages)) as u32;
        let mut from = first.div_ceil(u64::from(data_pages)) as u32;
        while from < end
            && let Some(lpn) = ftl.map().next_mapped(from * data_pages, end * data_pages)
        {
            let stripe = lpn.0 / data_pages;
            trim(ftl, stripe);
            from = stripe + 1;
        }
    } else {
        for stripe in mapper.whole_stripes(first, count, data_pages) {
            trim(ftl, stripe);
        }
    }
    trimmed
}
