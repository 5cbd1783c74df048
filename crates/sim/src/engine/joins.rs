//! All accesses to stripes, the lines in which they wait, and the room that their pages take in the write buffer; and
//! how far the rebuild of a lost chip has got.

use std::collections::VecDeque;

use super::join::Join;
use crate::ids::{JoinId, Lpn};
use crate::latency::Holding;
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
    /// What was held of the write buffer by those that have left it.
    held: Holding,
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
            held: Holding::default(),
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
        let held = self.held;
        self[id].begin_wait_for(held, now);
        self.outside.push_back(id);
    }

    /// The write that has waited longest for that.
    pub(super) fn first_outside(&self) -> Option<JoinId> {
        self.outside.front().copied()
    }

    /// It need not wait any longer. Tells how long it has.
    pub(super) fn leave_outside(&mut self, now: SimTime) -> Nanos {
        let Some(id) = self.outside.pop_front() else { return Nanos(0) };
        let held = self.held;
        self[id].end_wait_for(held, now)
    }

    /// Number of pages of the write buffer in use if a write were let in, but for its parity.
    pub(super) fn pages_with(&self, id: JoinId) -> u32 {
        self.used_pages + self[id].new_data().len() as u32
    }

    /// A write is let into the write buffer, and its parity with it.
    pub(super) fn take_pages(&mut self, id: JoinId, now: SimTime) {
        self[id].enter_buffer(now);
        self.used_pages = self.pages_with(id) + 1;
        self.most_used_pages = self.most_used_pages.max(self.used_pages);
    }

    /// So many pages of a write have left the write buffer.
    pub(super) fn give_back_pages(&mut self, id: JoinId, pages: u32, now: SimTime) {
        self.list[id.index()].leave_buffer(pages, now, &mut self.held);
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
            let held = self.list[line.holder.index()].held_by_others();
            self.next[before.index()] = id;
            self[id].begin_wait_for(held, now);
            return false;
        }
        line.holder = id;
        self[id].hold_stripe(Holding::default(), now);
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
        let held = self[id].held_with_it(now);
        self[next].end_wait_for(held, now);
        self[next].hold_stripe(held, now);
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

#[cfg(test)]
mod tests {
    use super::super::join::JoinKind;
    use super::*;
    use crate::ids::RequestId;
    use crate::latency::LatencyAccount;

    fn joins<const N: usize>() -> (Joins, [JoinId; N]) {
        let mut joins = Joins::new(1);
        let made = [(); N].map(|()| {
            let join = Join::new(JoinKind::Write, RequestId::NONE, 0, LatencyAccount::default());
            joins.insert(join)
        });
        (joins, made)
    }

    /// What an access has waited for the host and for collection.
    fn waits(joins: &Joins, id: JoinId) -> (u64, u64) {
        let spent = joins[id].spent();
        (spent.queue().0, spent.gc().0)
    }

    /// The first holds the stripe from 0 to 100, of which it waits 30 for collection; the second from then to 200, of
    /// which it waits 40. The third has waited from 20 on, for both; the fourth from 150 on, for the last two, of which
    /// the third has it for 100 and waits for nothing.
    #[test]
    fn waiting_for_a_stripe_is_shared_as_the_time_of_its_holders_is() {
        let (mut joins, [first, second, third, fourth]) = joins();
        let at = SimTime;
        assert!(joins.ask(first, at(0)));
        assert!(!joins.ask(second, at(10)) && !joins.ask(third, at(20)));
        joins[first].charge_gc(Nanos(30));
        assert_eq!(joins.give_up(first, at(100)), Some(second));
        assert_eq!(waits(&joins, second), (63, 27));
        joins[second].charge_gc(Nanos(40));
        assert!(!joins.ask(fourth, at(150)));
        assert_eq!(joins.give_up(second, at(200)), Some(third));
        assert_eq!(waits(&joins, third), (180 - 63, 63));
        assert_eq!(joins.give_up(third, at(300)), Some(fourth));
        assert_eq!(waits(&joins, fourth), (150 - 30, 30));
        assert_eq!(joins.give_up(fourth, at(400)), None);
        // Whoever comes later knows nothing of them.
        let (next, last) = (first, second);
        joins.list[next.index()] = Join::new(JoinKind::Write, RequestId::NONE, 0, LatencyAccount::default());
        assert!(joins.ask(next, at(500)) && !joins.ask(last, at(510)));
        let before = waits(&joins, last);
        joins.give_up(next, at(600));
        assert_eq!(waits(&joins, last), (before.0 + 90, before.1));
    }

    /// A write has three pages of the buffer for 100 ns, of which it loses 50; another one of one page has it for 20,
    /// and loses nothing. One that comes at 40 waits for both, and one that comes at 110 for the other alone.
    #[test]
    fn waiting_outside_is_shared_as_the_time_inside_is() {
        let (mut joins, [first, other, waits_for_both, waits_for_one]) = joins();
        let at = SimTime;
        joins.take_pages(first, at(0));
        joins.wait_outside(waits_for_both, at(40));
        joins[first].charge_gc(Nanos(50));
        joins.take_pages(other, at(100));
        joins.used_pages = 4;
        joins.give_back_pages(first, 3, at(100));
        joins.wait_outside(waits_for_one, at(110));
        joins.give_back_pages(other, 1, at(120));
        assert_eq!(joins.leave_outside(at(120)), Nanos(80));
        // 150 of 320.
        assert_eq!(waits(&joins, waits_for_both), (80 - 37, 37));
        assert_eq!(joins.leave_outside(at(130)), Nanos(20));
        assert_eq!(waits(&joins, waits_for_one), (20, 0));
    }
}
