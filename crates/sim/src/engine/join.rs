//! One access to a stripe: pages that are written or trimmed together, or a page that is rebuilt from the others.

use crate::ids::{Lpn, PlaneId, RequestId, SlotId};
use crate::latency::{Holding, LatencyAccount};
use crate::redundancy::ReadBefore;
use crate::time::{Nanos, SimTime};

/// What a stripe is accessed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinKind {
    /// Pages are written, and the parity with them.
    Write,
    /// Pages are trimmed, and the parity is written.
    Trim,
    /// A page is rebuilt for a read of the host: its chip cannot be read, or is left to collect.
    Rebuild,
    /// A page of a lost chip is rebuilt, and written on the erased one.
    Restore,
}

/// A page that is written, trimmed or rebuilt.
#[derive(Debug, Clone, Copy)]
pub(super) struct JoinPage {
    pub(super) lpn: Lpn,
    /// Number of bytes that the write covers.
    pub(super) bytes: u32,
    /// Where it is in the buffer, once it is written.
    pub(super) slot: SlotId,
    /// The plane that it was sent to, once it is written.
    pub(super) plane: PlaneId,
}

/// One access to a stripe.
#[derive(Debug)]
pub(super) struct Join {
    kind: JoinKind,
    request: RequestId,
    stripe: u32,
    /// In ascending order; behind them comes the parity as soon as it is written.
    pages: Vec<JoinPage>,
    /// The first of them that is written: those of a trim before it are trimmed.
    first_written: usize,
    /// What was found in the pages that were read; kept when the run is audited.
    found: Vec<(Lpn, u64)>,
    lost: Lpn,
    read_before: ReadBefore,
    /// Number of pages whose read has not ended, and whose program has not.
    reads_left: u32,
    programs_left: u32,
    release: SimTime,
    since: SimTime,
    spent: LatencyAccount,
    /// What had been held of what it waits for when it began to wait.
    held_before: Holding,
    /// Since when it holds its pages of the write buffer, and its stripe, and what it had lost to collection then.
    in_buffer: (SimTime, Nanos),
    of_stripe: (SimTime, Nanos),
    /// What those before it in the line held the stripe.
    held_by_others: Holding,
}

impl Join {
    /// An access without pages yet, of a request that has taken so long.
    pub(super) fn new(kind: JoinKind, request: RequestId, stripe: u32, spent: LatencyAccount) -> Self {
        Self {
            kind,
            request,
            stripe,
            pages: Vec::new(),
            first_written: 0,
            found: Vec::new(),
            lost: Lpn::NONE,
            read_before: ReadBefore::Nothing,
            reads_left: 0,
            programs_left: 0,
            release: SimTime::ZERO,
            since: SimTime::ZERO,
            spent,
            held_before: Holding::default(),
            in_buffer: (SimTime::ZERO, Nanos(0)),
            of_stripe: (SimTime::ZERO, Nanos(0)),
            held_by_others: Holding::default(),
        }
    }

    /// The same in the room of one that has ended.
    pub(super) fn in_room_of(mut self, ended: &mut Self) -> Self {
        self.pages = std::mem::take(&mut ended.pages);
        self.pages.clear();
        self.found = std::mem::take(&mut ended.found);
        self.found.clear();
        self
    }

    pub(super) fn kind(&self) -> JoinKind {
        self.kind
    }

    pub(super) fn request(&self) -> RequestId {
        self.request
    }

    pub(super) fn stripe(&self) -> u32 {
        self.stripe
    }
}

// Its pages.
impl Join {
    /// There is one more, of which so many bytes are covered.
    pub(super) fn add_page(&mut self, lpn: Lpn, bytes: u32) {
        self.pages.push(JoinPage { lpn, bytes, slot: SlotId::NONE, plane: PlaneId::NONE });
    }

    /// In ascending order; behind them comes the parity as soon as it is written.
    pub(super) fn pages(&self) -> &[JoinPage] {
        &self.pages
    }

    /// Whether a page is one of them.
    pub(super) fn covers(&self, lpn: Lpn) -> bool {
        self.pages.iter().any(|page| page.lpn == lpn)
    }

    /// Those that are to be written, before their parity is one of them; of a trim none.
    pub(super) fn new_data(&self) -> &[JoinPage] {
        if self.kind == JoinKind::Trim { &[] } else { &self.pages }
    }

    /// Once the parity is one of them: those that are trimmed, and those that are written.
    pub(super) fn trimmed_and_written(&self) -> (&[JoinPage], &[JoinPage]) {
        self.pages.split_at(self.first_written)
    }

    /// The one that is rebuilt.
    pub(super) fn rebuilt_page(&self) -> Lpn {
        self.pages[0].lpn
    }

    /// Only some of them are left to be trimmed.
    pub(super) fn keep_pages(&mut self, mut is_left: impl FnMut(Lpn) -> bool) {
        self.pages.retain(|page| is_left(page.lpn));
    }

    /// The parity is written with them, or instead of them: those that are written take slots of the buffer.
    pub(super) fn add_parity(&mut self, parity: Lpn, mut accept: impl FnMut(Lpn) -> SlotId) {
        self.first_written = if self.kind == JoinKind::Trim { self.pages.len() } else { 0 };
        self.add_page(parity, u32::MAX);
        for page in &mut self.pages[self.first_written..] {
            page.slot = accept(page.lpn);
        }
    }

    /// The page that is rebuilt is in a slot of the buffer.
    pub(super) fn accept_rebuilt(&mut self, slot: SlotId) {
        self.pages[0].slot = slot;
    }

    /// A page is sent to a plane.
    pub(super) fn send(&mut self, lpn: Lpn, plane: PlaneId) {
        for page in self.pages.iter_mut().filter(|page| page.lpn == lpn) {
            page.plane = plane;
        }
    }
}

// How far it has got.
impl Join {
    /// What is read before it is written, as redundancy decides.
    pub(super) fn plan(&mut self, read_before: ReadBefore) {
        self.read_before = read_before;
    }

    /// The same.
    pub(super) fn read_before(&self) -> ReadBefore {
        self.read_before
    }

    /// A page would be read that cannot be: all others of the stripe are read instead.
    pub(super) fn lose(&mut self, lpn: Lpn) {
        self.lost = lpn;
    }

    /// That page.
    pub(super) fn lost(&self) -> Lpn {
        self.lost
    }

    /// So many pages are read.
    pub(super) fn begin_reads(&mut self, count: u32) {
        self.reads_left = count;
    }

    /// When they will have been read, as estimated.
    pub(super) fn note_release(&mut self, at: SimTime) {
        self.release = at;
    }

    /// The same.
    pub(super) fn release(&self) -> SimTime {
        self.release
    }

    /// What was found in a page that was read, for the audit.
    pub(super) fn note_found(&mut self, lpn: Lpn, content: u64) {
        self.found.push((lpn, content));
    }

    /// What was found in all of them, and their sum.
    pub(super) fn found(&self) -> (&[(Lpn, u64)], u64) {
        (&self.found, self.found.iter().fold(0, |sum, (_, content)| sum ^ content))
    }

    /// A page has been read. The last one says where the time went. Tells whether it was.
    pub(super) fn end_read(&mut self, spent: &LatencyAccount) -> bool {
        self.reads_left -= 1;
        let was_last = self.reads_left == 0;
        if was_last {
            self.spent.charge_all_of(spent);
        }
        was_last
    }

    /// All pages that are written are programmed. Returns their number.
    pub(super) fn begin_programs(&mut self) -> usize {
        let count = self.pages.len() - self.first_written;
        self.programs_left = count as u32;
        count
    }

    /// A page has been programmed. Tells whether it was the last.
    pub(super) fn end_program(&mut self) -> bool {
        self.programs_left -= 1;
        self.programs_left == 0
    }

    /// It waits from now on: outside, for its stripe or for room.
    pub(super) fn begin_wait(&mut self, now: SimTime) {
        self.since = now;
    }

    /// For how long it has waited.
    pub(super) fn waited(&self, now: SimTime) -> Nanos {
        now.since(self.since)
    }

    /// It waits from now on for others, who have held what it waits for so long already.
    pub(super) fn begin_wait_for(&mut self, held: Holding, now: SimTime) {
        self.held_before = held;
        self.begin_wait(now);
    }

    /// It need not wait for them any longer; they have held it so long by now. Tells how long it has waited.
    pub(super) fn end_wait_for(&mut self, held: Holding, now: SimTime) -> Nanos {
        let waited = self.waited(now);
        self.spent.charge_wait(waited, held.lost(self.held_before, waited));
        waited
    }

    /// It has pages of the write buffer from now on.
    pub(super) fn enter_buffer(&mut self, now: SimTime) {
        self.in_buffer = (now, self.spent.gc());
    }

    /// It gives so many back, to those that waited for them.
    pub(super) fn leave_buffer(&self, pages: u32, now: SimTime, held: &mut Holding) {
        let (since, before) = self.in_buffer;
        held.end(pages, now.since(since), self.spent.gc() - before);
    }

    /// It holds its stripe from now on, which others have held so long since somebody waited.
    pub(super) fn hold_stripe(&mut self, held_by_others: Holding, now: SimTime) {
        self.held_by_others = held_by_others;
        self.of_stripe = (now, self.spent.gc());
    }

    /// What the stripe was held before it, since somebody waited.
    pub(super) fn held_by_others(&self) -> Holding {
        self.held_by_others
    }

    /// The same when it gives the stripe up.
    pub(super) fn held_with_it(&self, now: SimTime) -> Holding {
        let ((since, before), mut held) = (self.of_stripe, self.held_by_others);
        held.end(1, now.since(since), self.spent.gc() - before);
        held
    }

    /// The last of its programs says where the time went.
    pub(super) fn end_as(&mut self, spent: &LatencyAccount) {
        self.spent = *spent;
    }

    /// It has waited so long for the controller.
    pub(super) fn charge_queue(&mut self, time: Nanos) {
        self.spent.charge_queue(time);
    }

    /// It has waited so long for space.
    pub(super) fn charge_gc(&mut self, time: Nanos) {
        self.spent.charge_gc(time);
    }

    /// Where its time went so far.
    pub(super) fn spent(&self) -> LatencyAccount {
        self.spent
    }
}
