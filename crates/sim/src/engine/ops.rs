//! Page operations, which are all that the translation layer asks of flash.

use crate::ids::{JobId, JoinId, Lpn, OpId, PlaneId, Ppn, RequestId, SlotId, UnitId};
use crate::latency::LatencyAccount;
use crate::mapping::{Cause, Stream};
use crate::prefetch::prefetch;
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
    /// Parity of a row of a superblock is programmed: nobody waits for it.
    Parity,
}

impl OpCause {
    /// Whether what waits for such an operation waits for collection.
    #[inline]
    pub fn is_collection(self) -> bool {
        !matches!(self, Self::Host | Self::Parity)
    }
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
    /// Reads a translation page.
    Translation,
}

/// One page operation. What all are asked for comes first and fills a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
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
    /// The collection job it belongs to.
    pub job: JobId,
    /// Next in the queue, or next among the active operations of the die.
    pub next: OpId,
    /// What else it is part of.
    pub role: Role,
    /// Bytes of data to move over the channel; more than a page stands for a whole page.
    pub bytes: u32,
    /// Where planes share superblocks, of a program: whose pages it was promised one of.
    pub stream: Stream,
    /// Arrival number: orders operations of different queues.
    pub sequence: u64,
    /// When its present wait began.
    pub since: SimTime,
    /// The host request it belongs to.
    pub request: RequestId,
    /// Version the page had when a read of it was accepted (audit).
    pub version: u32,
    /// Reading of the GC clock of what it waits for (die and plane, or channel) at `since`, ns.
    pub gc_mark: Nanos,
    /// Its latency so far, split by cause. Of the host's operations: nobody asks where the time of others went.
    pub spent: LatencyAccount,
}

const _: () = assert!(std::mem::offset_of!(PageOp, request) == 64 && size_of::<PageOp>() == 128);

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
            stream: Stream::default(),
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
pub(super) const COMMANDS: u8 = Class::HostRead.bit() | Class::GcRead.bit() | Class::Erase.bit();

/// Bits of the classes of the host.
pub(super) const HOST_WRITE: u8 = Class::HostWrite.bit();
/// The same of reads, copybacks among them.
pub(super) const READS: u8 = Class::HostRead.bit() | Class::GcRead.bit();
pub(super) const HOST: u8 = HOST_WRITE | Class::HostRead.bit();

/// Whether operations of a class are the host's.
#[inline]
pub(super) fn is_of_host(class: Class) -> bool {
    HOST & class.bit() != 0
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
        OpCause::Host | OpCause::Parity | OpCause::Gc => Cause::Gc,
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

    /// The same for an operation of a collection job: what only the host's are asked for, the second half, stays as the
    /// last one left it.
    #[inline]
    pub(super) fn insert_of_job(&mut self, op: PageOp) -> OpId {
        let Some(id) = self.free.pop() else { return self.insert(op) };
        let PageOp { kind, cause, waits_for, unit_left, plane, lpn, ppn, source, stream, .. } = op;
        let PageOp { slot, job, next, role, bytes, sequence, since, .. } = op;
        let kept = &mut self.ops[id.index()];
        (kept.kind, kept.cause, kept.waits_for, kept.unit_left) = (kind, cause, waits_for, unit_left);
        (kept.plane, kept.lpn, kept.ppn, kept.source) = (plane, lpn, ppn, source);
        kept.stream = stream;
        (kept.slot, kept.job, kept.next, kept.role) = (slot, job, next, role);
        (kept.bytes, kept.sequence, kept.since) = (bytes, sequence, since);
        id
    }

    /// An operation will be looked at soon, if there is one.
    #[inline]
    pub(super) fn prefetch(&self, id: OpId) {
        prefetch(&self.ops, id.index());
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

    /// `first` and those linked behind it begin together, and take these times: the host's are charged with them.
    #[inline]
    pub(super) fn charge_together(&mut self, first: OpId, in_transfer: Nanos, in_array: Nanos) {
        let mut id = first;
        while id.is_some() {
            let op = &mut self[id];
            if op.cause == OpCause::Host {
                op.spent.charge_transfer(in_transfer);
                op.spent.charge_array(in_array);
            }
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
