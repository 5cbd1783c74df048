//! Translation pages that are read and written: pages of requests wait for the entry that says where they are.

use super::drive::Drive;
use super::ops::{OpCause, OpKind, PageOp, Role};
use crate::host::{BlockedPage, OfferedPage};
use crate::ids::{Lpn, OpId, PlaneId};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Looks up where a page of a request is, which then goes on or waits. Translation pages that are to be written
    /// come after it: no request waits for them.
    pub(super) fn look_up_page(&mut self, page: OfferedPage, write: bool) {
        let outdated = self.ftl.take_outdated();
        let (missing, leaving) = self.ftl.look_up(page.lpn, write);
        if !self.waits_for_translation(&page, write, missing) {
            self.admit_looked_up(page, write);
        }
        for page in outdated {
            self.update_translation(page, true);
        }
        if let Some(page) = leaving {
            let reads = !self.ftl.holds_whole_translation_pages();
            self.update_translation(page, reads);
        }
    }

    /// Whether a page of a request waits until its translation page has been read, which begins if it is `missing`.
    fn waits_for_translation(&mut self, page: &OfferedPage, write: bool, missing: Option<Lpn>) -> bool {
        let waiting = |since| BlockedPage { page: *page, write, since };
        let (now, translation_page) = (self.events.now(), self.ftl.translation_page_of(page.lpn));
        if self.translations.join(translation_page, waiting(now)) {
            return true;
        }
        let begins = missing.is_some() && self.ftl.begin_translation_read(translation_page);
        if begins {
            self.translations.begin(translation_page);
            self.translations.join(translation_page, waiting(now));
            self.read_translation(translation_page);
        }
        begins
    }

    /// A translation page is written anew: first it is read, where memory does not hold all of it.
    fn update_translation(&mut self, page: Lpn, reads: bool) {
        if !reads {
            return self.write_translation(page);
        }
        if self.translations.write_back_afterwards(page) {
            return;
        }
        if !self.ftl.begin_translation_read(page) {
            return self.write_translation(page);
        }
        self.translations.begin(page);
        self.translations.write_back_afterwards(page);
        self.read_translation(page);
    }

    fn read_translation(&mut self, page: Lpn) {
        let op = self.translation_op(OpKind::Read, page);
        let id = self.ops.insert(PageOp { role: Role::Translation, ..op });
        self.route_read(id);
    }

    fn write_translation(&mut self, page: Lpn) {
        let slot = self.ftl.accept_translation_page(page);
        let op = self.translation_op(OpKind::Program, page);
        let id = self.ops.insert(PageOp { slot, ..op });
        self.place_write(id);
    }

    fn translation_op(&self, kind: OpKind, page: Lpn) -> PageOp {
        let (bytes, since) = (self.geometry.page_bytes, self.events.now());
        PageOp { bytes, since, ..PageOp::new(kind, OpCause::Host, PlaneId::NONE, page) }
    }

    /// A translation page has been read: what waited for it is done as if it came now, and then it is written, where
    /// that is why it was read.
    pub(super) fn translation_read(&mut self, id: OpId) {
        let PageOp { lpn, spent, .. } = self.ops[id];
        self.ops.remove(id);
        let now = self.events.now();
        let mut ended = self.translations.end(lpn);
        for BlockedPage { mut page, write, since } in ended.waiting() {
            let waited = now.since(since);
            // Who has waited as long as the read took has its account; who came later stood in line for it.
            if spent.total() == waited {
                page.spent.charge_all_of(&spent);
            } else {
                page.spent.charge_queue(waited);
            }
            self.admit_looked_up(page, write);
        }
        let writes_back = ended.writes_back();
        self.translations.forget(ended);
        if writes_back {
            self.write_translation(lpn);
        }
    }

    /// The program of a translation page has ended.
    pub(super) fn translation_written(&mut self, id: OpId) {
        let PageOp { ppn, slot, .. } = self.ops[id];
        self.ops.remove(id);
        self.ftl.commit_translation_page(ppn, slot);
    }
}
