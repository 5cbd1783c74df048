//! Page operations, which are all that the translation layer asks of flash, and the queues they wait in.

use crate::ids::{JobId, JoinId, Lpn, OpId, PlaneId, Ppn, RequestId, SlotId, UnitId};
use crate::latency::LatencyAccount;
use crate::mapping::Cause;
use crate::scheduler::Class;
use crate::time::{Nanos, SimTime};

/// What the flash is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    /// Array to page register, then over the channel to the controller.
    Read,
    /// Over the channel to the page register, then into the array.
    Program,
    /// Erase a block.
    Erase,
    /// Array to page register to another page of the plane.
    Copyback,
}

/// On whose behalf an operation runs: tells host latency and utilisation apart from those of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpCause {
    /// A request of the host waits for it.
    Host,
    /// Garbage collection relocates a page or erases a victim to free space.
    Gc,
    /// Static wear levelling relocates data that does not change, to spread erases.
    Wear,
    /// A block of the SLC cache is folded.
    Fold,
}

/// What an operation is part of, beside a request or a job; decides what follows when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Of nothing else.
    Plain,
    /// A read of what a partial write does not cover: the program that waits for it.
    RestOf(OpId),
    /// A read or a program of an access to a stripe.
    OfStripe(JoinId),
    /// Relocates a page of a step that has several.
    OfUnit(UnitId),
}

/// One page operation.
#[derive(Debug, Clone, Copy)]
pub struct PageOp {
    /// What the flash is to do.
    pub kind: OpKind,
    /// On whose behalf: decides the queue it waits in and who is charged for the time.
    pub cause: OpCause,
    /// Number of operations this one still waits for (reads before a read-modify-write's program).
    pub waits_for: u8,
    /// Of relocated pages that are programmed as a unit: operations of the unit from this one on in the queue; 0 of an
    /// operation by itself.
    pub unit_left: u8,
    /// The plane whose array does it; [`PlaneId::NONE`] until one is chosen.
    pub plane: PlaneId,
    /// The logical page; [`Lpn::NONE`] for an erase.
    pub lpn: Lpn,
    /// Read, copyback: the page read. Program: the page written, once taken. Erase: first page of the block.
    pub ppn: Ppn,
    /// The page that garbage collection relocates; program and copyback put it at `ppn`.
    pub source: Ppn,
    /// Buffer slot of a host program.
    pub slot: SlotId,
    /// The host request it belongs to.
    pub request: RequestId,
    /// The collection job it belongs to.
    pub job: JobId,
    /// What else it is part of.
    pub role: Role,
    /// Next in the queue, or next among the active operations of the die.
    pub next: OpId,
    /// Bytes of data to move over the channel; more than a page stands for a whole page.
    pub bytes: u32,
    /// Version the page had when a read of it was accepted (audit).
    pub version: u32,
    /// Arrival number: orders operations of different queues.
    pub sequence: u64,
    /// When its present wait began.
    pub since: SimTime,
    /// Reading of the GC clock of what it waits for (die and plane, or channel) at `since`, ns.
    pub gc_mark: Nanos,
    /// Its latency so far, split by cause.
    pub spent: LatencyAccount,
}

impl PageOp {
    /// The access to a stripe that it belongs to.
    ///
    /// # Panics
    /// When it belongs to none: writes of the host do where pages are written in stripes.
    #[inline]
    pub fn join(&self) -> JoinId {
        let Role::OfStripe(join) = self.role else { unreachable!("{:?} belongs to no stripe", self.lpn) };
        join
    }

    /// The step of a job that it belongs to with others, if it does.
    #[inline]
    pub fn unit(&self) -> Option<UnitId> {
        if let Role::OfUnit(unit) = self.role { Some(unit) } else { None }
    }

    /// An operation of a plane on a logical page, with nothing else known of it yet.
    #[inline]
    pub fn new(kind: OpKind, cause: OpCause, plane: PlaneId, lpn: Lpn) -> Self {
        Self {
            kind,
            cause,
            waits_for: 0,
            unit_left: 0,
            plane,
            lpn,
            ppn: Ppn::NONE,
            source: Ppn::NONE,
            slot: SlotId::NONE,
            request: RequestId::NONE,
            job: JobId::NONE,
            role: Role::Plain,
            next: OpId::NONE,
            // A whole page.
            bytes: u32::MAX,
            version: 0,
            sequence: 0,
            since: SimTime::ZERO,
            gc_mark: Nanos(0),
            spent: LatencyAccount::default(),
        }
    }
}

/// For whom an operation that empties a block for `cause` runs.
pub(super) fn cause_of(cause: Cause) -> OpCause {
    match cause {
        Cause::Gc => OpCause::Gc,
        Cause::Wear => OpCause::Wear,
        Cause::Fold => OpCause::Fold,
    }
}

/// Bits of the classes that begin with a command without data.
pub(super) const COMMANDS: u8 =
    1 << Class::HostRead as u8 | 1 << Class::GcRead as u8 | 1 << Class::Erase as u8;

/// Bits of the classes of the host.
pub(super) const HOST_WRITE: u8 = 1 << Class::HostWrite as u8;
/// The same of reads, copybacks among them.
pub(super) const READS: u8 = 1 << Class::HostRead as u8 | 1 << Class::GcRead as u8;
pub(super) const HOST: u8 = HOST_WRITE | 1 << Class::HostRead as u8;

/// Whether operations of a class are the host's.
#[inline]
pub(super) fn is_of_host(class: Class) -> bool {
    HOST & (1 << class as u8) != 0
}

/// The class in which an operation waits.
#[inline]
pub(super) fn class_of(op: &PageOp) -> Class {
    match (op.kind, op.cause) {
        (OpKind::Read, OpCause::Host) => Class::HostRead,
        (OpKind::Program, OpCause::Host) => Class::HostWrite,
        (OpKind::Read | OpKind::Copyback, _) => Class::GcRead,
        (OpKind::Program, _) => Class::GcWrite,
        (OpKind::Erase, _) => Class::Erase,
    }
}

/// Why an operation that is not the host's empties a block.
#[inline]
pub(super) fn gc_cause(op: &PageOp) -> Cause {
    match op.cause {
        OpCause::Host | OpCause::Gc => Cause::Gc,
        OpCause::Wear => Cause::Wear,
        OpCause::Fold => Cause::Fold,
    }
}

/// All page operations in flight.
#[derive(Debug, Default)]
pub struct OpArena {
    ops: Vec<PageOp>,
    free: Vec<OpId>,
}

impl OpArena {
    /// Keep `op`; its number may be one that was freed.
    #[inline]
    pub fn insert(&mut self, op: PageOp) -> OpId {
        if let Some(id) = self.free.pop() {
            self.ops[id.index()] = op;
            id
        } else {
            self.ops.push(op);
            OpId(self.ops.len() as u32 - 1)
        }
    }

    /// Forget an operation.
    #[inline]
    pub fn remove(&mut self, id: OpId) {
        self.free.push(id);
    }

    /// Operations in flight.
    pub fn in_flight(&self) -> usize {
        self.ops.len() - self.free.len()
    }

    /// `first` and those linked behind it begin together, and take these times.
    #[inline]
    pub(super) fn charge_together(&mut self, first: OpId, in_transfer: Nanos, in_array: Nanos) {
        let mut id = first;
        while id.is_some() {
            let op = &mut self[id];
            op.spent.charge_transfer(in_transfer);
            op.spent.charge_array(in_array);
            id = op.next;
        }
    }

    /// `first` and those linked behind it wait for the channel from now on, whose clock of collection shows `gc_mark`.
    #[inline]
    pub(super) fn wait_together(&mut self, first: OpId, now: SimTime, gc_mark: Nanos) {
        let mut id = first;
        while id.is_some() {
            let op = &mut self[id];
            op.since = now;
            op.gc_mark = gc_mark;
            id = op.next;
        }
    }
}

impl std::ops::Index<OpId> for OpArena {
    type Output = PageOp;
    #[inline]
    fn index(&self, id: OpId) -> &PageOp {
        &self.ops[id.index()]
    }
}

impl std::ops::IndexMut<OpId> for OpArena {
    #[inline]
    fn index_mut(&mut self, id: OpId) -> &mut PageOp {
        &mut self.ops[id.index()]
    }
}

/// One list of waiting operations.
#[derive(Debug, Clone, Copy)]
struct PlaneQueue {
    head: OpId,
    tail: OpId,
    /// Arrival number of the head.
    oldest: u64,
}

/// What waits in a plane.
#[derive(Debug, Clone, Copy)]
struct PlaneLists {
    lists: [PlaneQueue; Class::COUNT],
    /// A bit for each class that has something waiting.
    waiting: u8,
}

/// Waiting operations: a first-come-first-served list per plane and class, linked through the arena.
#[derive(Debug)]
pub struct PlaneQueues {
    planes: Box<[PlaneLists]>,
    /// The arrival number of the next operation.
    sequence: u64,
}

impl PlaneQueues {
    /// Queues for `planes` planes, one per class, with nothing waiting.
    pub fn new(planes: u32) -> Self {
        let empty = PlaneQueue { head: OpId::NONE, tail: OpId::NONE, oldest: u64::MAX };
        Self {
            planes: vec![PlaneLists { lists: [empty; Class::COUNT], waiting: 0 }; planes as usize].into(),
            sequence: 0,
        }
    }

    /// The arrival number of an operation, which comes now.
    #[inline]
    pub fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence - 1
    }

    /// The arrival number of the operation that comes next.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// A bit for each class that has something waiting in the plane.
    #[inline]
    pub fn waiting(&self, plane: PlaneId) -> u8 {
        self.planes[plane.index()].waiting
    }

    /// The operation that waits longest.
    #[inline]
    pub fn head(&self, plane: PlaneId, class: Class) -> OpId {
        self.planes[plane.index()].lists[class as usize].head
    }

    /// Arrival number of the operation that waits longest; `u64::MAX` when none waits.
    #[inline]
    pub fn oldest(&self, plane: PlaneId, class: Class) -> u64 {
        self.planes[plane.index()].lists[class as usize].oldest
    }

    /// Append an operation.
    #[inline]
    pub fn push(&mut self, plane: PlaneId, class: Class, id: OpId, ops: &mut OpArena) {
        let here = &mut self.planes[plane.index()];
        let list = &mut here.lists[class as usize];
        let op = &mut ops[id];
        op.next = OpId::NONE;
        let tail = std::mem::replace(&mut list.tail, id);
        if tail.is_some() {
            ops[tail].next = id;
        } else {
            list.head = id;
            list.oldest = op.sequence;
            here.waiting |= 1 << class as u8;
        }
    }

    /// Take an operation out of the middle: the one behind `previous`, or the head where there is none.
    pub fn take(&mut self, plane: PlaneId, class: Class, previous: OpId, ops: &mut OpArena) -> OpId {
        if !previous.is_some() {
            return self.pop(plane, class, ops);
        }
        let id = ops[previous].next;
        ops[previous].next = ops[id].next;
        let list = &mut self.planes[plane.index()].lists[class as usize];
        if list.tail == id {
            list.tail = previous;
        }
        id
    }

    /// Take the operation that waits longest.
    #[inline]
    pub fn pop(&mut self, plane: PlaneId, class: Class, ops: &OpArena) -> OpId {
        let here = &mut self.planes[plane.index()];
        let list = &mut here.lists[class as usize];
        let id = list.head;
        debug_assert!(id.is_some());
        list.head = ops[id].next;
        if list.head.is_some() {
            list.oldest = ops[list.head].sequence;
        } else {
            list.tail = OpId::NONE;
            list.oldest = u64::MAX;
            here.waiting &= !(1 << class as u8);
        }
        id
    }
}
