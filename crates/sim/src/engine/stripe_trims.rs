//! Trims of pages of stripes: whole stripes go at once; of others the parity is written anew, and the pages go with
//! that.

use super::drive::Drive;
use super::joins::{JoinKind, JoinPage};
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::ids::{JoinId, Lpn, RequestId};
use crate::mapping::Place;
use crate::redundancy::{ReadBefore, StripeEvent};

/// Pages that a trim covers and that are somewhere: found once, and used stripe by stripe.
pub(crate) type TrimmedPages = Vec<Lpn>;

/// The pages that a trim of a range of trace pages covers and that are somewhere, in ascending order.
pub(crate) fn trimmed_stripes(
    ftl: &Ftl,
    mapper: &AddressMapper,
    (first, count): (u64, u64),
    pages: &mut TrimmedPages,
) {
    pages.clear();
    if mapper.is_identity() {
        // What was never written is stepped over quickly.
        let (mut from, end) = (first as u32, (first + count) as u32);
        while let Some(lpn) = ftl.map().next_mapped(from, end.max(from)) {
            pages.push(lpn);
            from = lpn.0 + 1;
        }
        return;
    }
    mapper.for_touched(first, count, |lpn| pages.push(lpn));
    pages.sort_unstable();
    pages.dedup();
    pages.retain(|lpn| ftl.map().place(*lpn) != Place::Nowhere);
}

impl Drive {
    /// The host no longer needs a range of pages: each stripe that has some of them is asked for by itself.
    pub(super) fn trim_stripes(
        &mut self,
        request: RequestId,
        first: u64,
        count: u64,
        mapper: &AddressMapper,
    ) {
        let mut pages = self.joins.take_trims();
        trimmed_stripes(&self.ftl, mapper, (first, count), &mut pages);
        let stripes = self.stripes().clone();
        self.defer_starts();
        for of_one in pages.chunk_by(|a, b| stripes.stripe_of(*a) == stripes.stripe_of(*b)) {
            let stripe = stripes.stripe_of(of_one[0]);
            let is_free = !self.joins.is_held(stripe) && self.joins.first_outside().is_none();
            if is_free && self.nothing_but(stripe, |lpn| of_one.contains(&lpn)) {
                self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
                continue;
            }
            let id = self.new_join(JoinKind::Trim, request, stripe);
            self.joins[id].pages.extend(of_one.iter().map(|lpn| JoinPage::new(*lpn, u32::MAX)));
            self.requests[request].remaining += 1;
            self.offer_stripe_write(id);
        }
        self.start_deferred();
        self.joins.keep_trims(pages);
    }

    /// Whether all pages of data of a stripe that are somewhere are among some.
    fn nothing_but(&self, stripe: u32, among: impl Fn(Lpn) -> bool) -> bool {
        self.stripes().data(stripe).all(|lpn| self.ftl.map().place(lpn) == Place::Nowhere || among(lpn))
    }

    /// A trim holds its stripe: what is read before its parity is written; nothing where no parity is left to write.
    pub(super) fn choose_reads_of_trim(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let stripe = self.joins[id].stripe;
        let mut pages = std::mem::take(&mut self.joins[id].pages);
        pages.retain(|page| self.is_there(page.lpn));
        let is_trimmed = |lpn: Lpn| pages.iter().any(|page| page.lpn == lpn);
        reads.extend(self.stripes().data(stripe).filter(|lpn| !is_trimmed(*lpn) && self.is_there(*lpn)));
        let mut read_before = ReadBefore::Nothing;
        if pages.is_empty() || reads.is_empty() {
            reads.clear();
        } else {
            self.ftl.note_stripe(StripeEvent::TrimUpdate);
            read_before = ReadBefore::Others;
            if pages.len() < reads.len() {
                read_before = ReadBefore::Replaced;
                reads.clear();
                reads.extend(pages.iter().map(|page| page.lpn).chain([self.stripes().parity_of(stripe)]));
            }
            self.read_around_lost(id, reads);
        }
        self.joins[id].pages = pages;
        self.joins[id].read_before = read_before;
    }

    /// All is read for a trim: the parity is written, unless none of its pages is left, or nothing but them.
    pub(super) fn await_room_or_trim(&mut self, id: JoinId) {
        if self.joins[id].read_before != ReadBefore::Nothing {
            self.await_room(id);
            return;
        }
        let pages = self.joins[id].pages.len();
        if pages > 0 {
            let stripe = self.joins[id].stripe;
            self.recorder.flash.trimmed_pages += self.ftl.trim_stripe(stripe);
        }
        self.joins.give_back_pages(1);
        self.release_and_leave(id);
    }

    /// The parity of a stripe has been written without its first pages: these are nowhere now.
    pub(super) fn trim_pages_of(&mut self, id: JoinId, count: usize) {
        for at in 0..count {
            let lpn = self.joins[id].pages[at].lpn;
            self.recorder.flash.trimmed_pages += u64::from(self.ftl.trim_page(lpn));
        }
    }
}
