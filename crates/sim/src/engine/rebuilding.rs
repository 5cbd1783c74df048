//! A chip that was lost before the run is rebuilt on an erased one while the host goes on. `docs/model.md`, section 18.

use reclaim_trace::Op;

use super::drive::Drive;
use super::joins::{JoinKind, JoinPage};
use super::lost_pages::LostPages;
use crate::host::Request;
use crate::ids::{JoinId, Lpn, RequestId};
use crate::mapping::Place;
use crate::redundancy::{RebuildEvent, RebuildOrder};

impl Drive {
    /// Before the first event: the chip is lost, with all that is on it, and an erased one is in its place.
    pub(super) fn lose_chip(&mut self) {
        let Some(rebuild) = self.ftl.rebuild() else { return };
        let pages = self.ftl.lose_chip(rebuild.chip);
        let host_first = rebuild.order == RebuildOrder::HostFirst;
        self.joins.lose(LostPages::new(pages, rebuild.stripes, host_first));
    }

    /// After every event: as many stripes are rebuilt as may be.
    pub(super) fn rebuild_more(&mut self) {
        while let Some(lost) = self.joins.lost_pages()
            && let Some(lpn) = lost.next(|lpn| self.ftl.is_lost(lpn))
        {
            if lost.host_first && !self.is_stripe_idle(lpn) {
                break;
            }
            self.joins.begin_rebuild();
            let id = self.new_join(JoinKind::Restore, RequestId::NONE, self.stripes().stripe_of(lpn));
            self.joins[id].pages.push(JoinPage::new(lpn, u32::MAX));
            self.ask_for_stripe(id);
        }
        if self.joins.end_rebuild() {
            self.ftl.note_rebuild(RebuildEvent::Ended(self.events.now().0));
        }
    }

    /// Whether no die that a lost page is rebuilt from, or on, has anything to do.
    fn is_stripe_idle(&self, lost: Lpn) -> bool {
        let stripes = self.stripes();
        let is_idle = |plane| self.dies.pending(self.geometry.die_of(plane)) == 0;
        is_idle(stripes.home(lost))
            && stripes.members(stripes.stripe_of(lost)).all(|lpn| match self.ftl.map().place(lpn) {
                Place::Flash(ppn) => is_idle(self.geometry.plane_of(self.geometry.block_of(ppn))),
                Place::Nowhere | Place::Lost | Place::Buffer(_) => true,
            })
    }

    /// Pages of a stripe, and among them the one that is rebuilt, if it is still lost.
    pub(super) fn choose_reads_of_rebuild(&mut self, id: JoinId, reads: &mut Vec<Lpn>) {
        let (stripe, lpn) = (self.joins[id].stripe, self.joins[id].pages[0].lpn);
        if self.ftl.is_lost(lpn) {
            self.all_but(stripe, lpn, reads);
        }
    }

    /// All is read for a rebuild: the page is written, unless somebody else has done that, or trimmed it.
    pub(super) fn await_room_or_leave(&mut self, id: JoinId) {
        if self.ftl.is_lost(self.joins[id].pages[0].lpn) {
            self.await_room(id);
            return;
        }
        let gathers = !self.dies.starts_are_deferred();
        if gathers {
            self.defer_starts();
        }
        self.leave_rebuild(id);
        if gathers {
            self.start_deferred();
        }
    }

    /// A rebuild holds its stripe no longer.
    pub(super) fn leave_rebuild(&mut self, id: JoinId) {
        if let Some(lost) = self.joins.lost_pages() {
            lost.end_one();
        }
        self.leave_stripe(id);
    }

    /// The page is in the buffer as it was.
    pub(super) fn accept_rebuilt(&mut self, id: JoinId) {
        let join = &self.joins[id];
        let content = join.found.iter().fold(0, |sum, (_, content)| sum ^ content);
        match self.ftl.accept_rebuilt(join.pages[0].lpn, content) {
            Ok(slot) => self.joins[id].pages[0].slot = slot,
            Err(fault) => self.recorder.fault(fault),
        }
    }

    /// A request has ended: how long it took counts while a chip is rebuilt.
    #[cold]
    pub(super) fn note_meanwhile(&mut self, request: &Request) {
        let took = self.events.now().since(request.arrival).0;
        match request.op {
            Op::Read => self.ftl.note_rebuild(RebuildEvent::ReadMeanwhile(took)),
            Op::Write => self.ftl.note_rebuild(RebuildEvent::WriteMeanwhile(took)),
            Op::Trim | Op::Flush => {}
        }
    }
}
