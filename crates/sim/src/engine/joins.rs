//! All accesses to stripes, the lines in which they wait, and the room that their pages take in the write buffer; and
//! how far the rebuild of a lost chip has got.

use std::collections::VecDeque;

use super::join::Join;
use crate::ids::{JoinId, Lpn};
use crate::time::{Nanos, SimTime};

/// Per stripe: who accesses it, and the last of those who wait for that, or the holder itself.
#[derive(Debug, Clone, Copy)]
struct Line {
    holder: JoinId,
    last: JoinId,
}

/// All accesses to stripes, and the lines in which they wait.
#[derive(Debug)]
pub(super) struct Joins {
    list: Vec<Join>,
    free: Vec<JoinId>,
    /// The one behind each in the line for its stripe.
    next: Vec<JoinId>,
    lines: Box<[Line]>,
    /// Those that wait for their reads before they write, in no order; noted where writes leave their chips.
    reading: Vec<JoinId>,
    /// Writes that have read what they need, and wait until every plane of their stripe can hold a page more.
    for_room: VecDeque<JoinId>,
    /// Writes that wait for room in the write buffer.
    outside: VecDeque<JoinId>,
    /// Number of pages of the write buffer in use; and the greatest number so far.
    used_pages: u32,
    most_used_pages: u32,
    /// Room to gather pages: those that are read of a stripe, and those that a request trims.
    reads: Vec<Lpn>,
    trims: Vec<Lpn>,
    /// The lost chip that is rebuilt, until it is.
    lost: Option<Box<LostPages>>,
}

impl Joins {
    /// No access to any of so many stripes.
    pub(super) fn new(stripes: u32) -> Self {
        let nobody = Line { holder: JoinId::NONE, last: JoinId::NONE };
        Self {
            list: Vec::new(),
            free: Vec::new(),
            next: Vec::new(),
            lines: vec![nobody; stripes as usize].into(),
            reading: Vec::new(),
            for_room: VecDeque::new(),
            outside: VecDeque::new(),
            used_pages: 0,
            most_used_pages: 0,
            reads: Vec::new(),
            trims: Vec::new(),
            lost: None,
        }
    }

    /// A new access.
    pub(super) fn insert(&mut self, join: Join) -> JoinId {
        let Some(id) = self.free.pop() else {
            self.list.push(join);
            self.next.push(JoinId::NONE);
            return JoinId(self.list.len() as u32 - 1);
        };
        let ended = &mut self.list[id.index()];
        *ended = join.in_room_of(ended);
        self.next[id.index()] = JoinId::NONE;
        id
    }

    /// An access has ended, and given its stripe to the next.
    pub(super) fn remove(&mut self, id: JoinId) {
        self.free.push(id);
    }

    /// Accesses that will write when what they read has been read, where that is noted.
    pub(super) fn reading(&self) -> impl Iterator<Item = &Join> {
        self.reading.iter().map(|id| &self.list[id.index()])
    }

    /// An access that will write has begun to read.
    pub(super) fn note_reading(&mut self, id: JoinId) {
        self.reading.push(id);
    }

    /// An access has read what it needs.
    pub(super) fn note_read(&mut self, id: JoinId) {
        if let Some(at) = self.reading.iter().position(|other| *other == id) {
            self.reading.swap_remove(at);
        }
    }

    /// Room to gather pages that are read of a stripe, empty; [`Self::keep_reads`] takes it back.
    pub(super) fn take_reads(&mut self) -> Vec<Lpn> {
        let mut pages = std::mem::take(&mut self.reads);
        pages.clear();
        pages
    }

    /// The room is needed no longer.
    pub(super) fn keep_reads(&mut self, pages: Vec<Lpn>) {
        self.reads = pages;
    }

    /// Room to gather pages that a request trims; [`Self::keep_trims`] takes it back.
    pub(super) fn take_trims(&mut self) -> Vec<Lpn> {
        std::mem::take(&mut self.trims)
    }

    /// The room is needed no longer.
    pub(super) fn keep_trims(&mut self, pages: Vec<Lpn>) {
        self.trims = pages;
    }

    /// A write has read what it needs, and waits from now on until its planes can hold it.
    pub(super) fn wait_for_room(&mut self, id: JoinId, now: SimTime) {
        self[id].begin_wait(now);
        self.for_room.push_back(id);
    }

    /// The write that has waited longest for that.
    pub(super) fn first_for_room(&self) -> Option<JoinId> {
        self.for_room.front().copied()
    }

    /// It need not wait any longer.
    pub(super) fn leave_for_room(&mut self, now: SimTime) {
        if let Some(id) = self.for_room.pop_front() {
            let waited = self[id].waited(now);
            self[id].charge_gc(waited);
        }
    }

    /// A write waits from now on for room in the write buffer.
    pub(super) fn wait_outside(&mut self, id: JoinId, now: SimTime) {
        self[id].begin_wait(now);
        self.outside.push_back(id);
    }

    /// The write that has waited longest for that.
    pub(super) fn first_outside(&self) -> Option<JoinId> {
        self.outside.front().copied()
    }

    /// It need not wait any longer. Tells how long it has.
    pub(super) fn leave_outside(&mut self, now: SimTime) -> Nanos {
        let Some(id) = self.outside.pop_front() else { return Nanos(0) };
        let waited = self[id].waited(now);
        self[id].charge_queue(waited);
        waited
    }

    /// Number of pages of the write buffer in use if a write were let in, but for its parity.
    pub(super) fn pages_with(&self, id: JoinId) -> u32 {
        self.used_pages + self[id].new_data().len() as u32
    }

    /// A write is let into the write buffer, and its parity with it.
    pub(super) fn take_pages(&mut self, id: JoinId) {
        self.used_pages = self.pages_with(id) + 1;
        self.most_used_pages = self.most_used_pages.max(self.used_pages);
    }

    /// So many pages have left the write buffer.
    pub(super) fn give_back_pages(&mut self, pages: u32) {
        self.used_pages -= pages;
    }

    /// Number of pages of the write buffer in use.
    pub(super) fn used_pages(&self) -> u32 {
        self.used_pages
    }

    /// The greatest number of pages of the write buffer in use so far.
    pub(super) fn most_used_pages(&self) -> u32 {
        self.most_used_pages
    }

    /// A chip is lost, and is rebuilt from now on.
    pub(super) fn lose(&mut self, pages: LostPages) {
        self.lost = Some(Box::new(pages));
    }

    /// Whether a lost chip is being rebuilt.
    #[inline]
    pub(super) fn is_rebuilding(&self) -> bool {
        self.lost.is_some()
    }

    /// The chip that is being rebuilt.
    pub(super) fn lost_pages(&mut self) -> Option<&mut LostPages> {
        self.lost.as_deref_mut()
    }

    /// The next of its pages is being rebuilt.
    pub(super) fn begin_rebuild(&mut self) {
        if let Some(lost) = &mut self.lost {
            lost.begin_next();
        }
    }

    /// It is not lost any more, if all of its pages are rebuilt. Tells whether that is so.
    pub(super) fn end_rebuild(&mut self) -> bool {
        self.lost.take_if(|lost| lost.is_over()).is_some()
    }

    /// Number of accesses that have not ended.
    pub(super) fn under_way(&self) -> usize {
        self.list.len() - self.free.len()
    }

    /// Whether somebody accesses a stripe.
    pub(super) fn is_held(&self, stripe: u32) -> bool {
        self.lines[stripe as usize].holder.is_some()
    }

    /// An access asks for its stripe, and stands in line if it is held. Tells whether it is the holder.
    pub(super) fn ask(&mut self, id: JoinId, now: SimTime) -> bool {
        let line = &mut self.lines[self.list[id.index()].stripe() as usize];
        let before = std::mem::replace(&mut line.last, id);
        if before.is_some() {
            self.next[before.index()] = id;
            self[id].begin_wait(now);
            return false;
        }
        line.holder = id;
        true
    }

    /// The holder of a stripe gives it up: who holds it now, if anybody waited.
    pub(super) fn give_up(&mut self, id: JoinId, now: SimTime) -> Option<JoinId> {
        let next = self.next[id.index()];
        let line = &mut self.lines[self.list[id.index()].stripe() as usize];
        debug_assert_eq!(line.holder, id);
        line.holder = next;
        if !next.is_some() {
            line.last = JoinId::NONE;
            return None;
        }
        let waited = self[next].waited(now);
        self[next].charge_queue(waited);
        Some(next)
    }

    /// Whether no access is left over anywhere.
    pub(super) fn are_at_rest(&self) -> bool {
        self.under_way() == 0
            && self.used_pages == 0
            && self.reading.is_empty()
            && self.for_room.is_empty()
            && self.outside.is_empty()
            && self.lines.iter().all(|line| !line.holder.is_some() && !line.last.is_some())
    }
}

impl std::ops::Index<JoinId> for Joins {
    type Output = Join;
    #[inline]
    fn index(&self, id: JoinId) -> &Join {
        &self.list[id.index()]
    }
}

impl std::ops::IndexMut<JoinId> for Joins {
    #[inline]
    fn index_mut(&mut self, id: JoinId) -> &mut Join {
        &mut self.list[id.index()]
    }
}

/// What is lost, and how far its rebuild has got.
#[derive(Debug)]
pub(super) struct LostPages {
    /// The pages that were lost, by stripe: each stripe has one at most.
    pages: Vec<Lpn>,
    /// Number of them that were looked at.
    next: usize,
    /// Number of rebuilds that have not ended, and how many there may be.
    under_way: u32,
    most: u32,
    host_first: bool,
}

impl LostPages {
    /// Nothing is rebuilt yet.
    pub(super) fn new(pages: Vec<Lpn>, most: u32, host_first: bool) -> Self {
        Self { pages, next: 0, under_way: 0, most, host_first }
    }

    /// Whether a stripe is rebuilt only while its chips have nothing else to do.
    pub(super) fn host_first(&self) -> bool {
        self.host_first
    }

    /// The page that is to be rebuilt next, if one more may be; `is_lost` tells whether one still must be.
    pub(super) fn next(&mut self, is_lost: impl Fn(Lpn) -> bool) -> Option<Lpn> {
        if self.under_way == self.most {
            return None;
        }
        while self.pages.get(self.next).is_some_and(|lpn| !is_lost(*lpn)) {
            self.next += 1;
        }
        self.pages.get(self.next).copied()
    }

    /// The rebuild of that page begins.
    pub(super) fn begin_next(&mut self) {
        self.next += 1;
        self.under_way += 1;
    }

    /// The rebuild of a page has ended.
    pub(super) fn end_one(&mut self) {
        self.under_way -= 1;
    }

    /// Whether all pages are rebuilt.
    pub(super) fn is_over(&self) -> bool {
        self.under_way == 0 && self.next == self.pages.len()
    }
}
