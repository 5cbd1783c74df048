//! The queues in which page operations wait for their die.

use std::ops::Range;

use super::ops::OpArena;
use crate::ids::{OpId, PlaneId};
use crate::prefetch::prefetch;
use crate::scheduler::Class;

/// One list of waiting operations.
#[derive(Debug, Clone, Copy)]
struct PlaneQueue {
    head: OpId,
    tail: OpId,
    /// Arrival number of the head.
    oldest: u64,
}

/// What waits in a plane, by class. It begins on a cache line, which holds all but erases.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct PlaneLists([PlaneQueue; Class::COUNT]);

/// Whether a set has more than one member.
#[inline]
fn has_several(bits: u16) -> bool {
    bits & bits.wrapping_sub(1) != 0
}

/// Waiting operations: a first-come-first-served list per plane and class, linked through the arena.
#[derive(Debug)]
pub struct PlaneQueues {
    planes: Box<[PlaneLists]>,
    /// Of each plane a bit for each class that has something waiting.
    waiting: Box<[u8]>,
    /// The arrival number of the next operation.
    sequence: u64,
}

impl PlaneQueues {
    /// Queues for `planes` planes, one per class, with nothing waiting.
    pub fn new(planes: u32) -> Self {
        let empty = PlaneQueue { head: OpId::NONE, tail: OpId::NONE, oldest: u64::MAX };
        Self {
            planes: vec![PlaneLists([empty; Class::COUNT]); planes as usize].into(),
            waiting: vec![0; planes as usize].into(),
            sequence: 0,
        }
    }

    /// What waits in a plane will be looked at soon.
    #[inline]
    pub(super) fn prefetch(&self, plane: PlaneId) {
        prefetch(&self.planes, plane.index());
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
        self.waiting[plane.index()]
    }

    /// The same of several planes together, and whether more than one list of theirs has something waiting.
    #[inline]
    pub(super) fn waiting_in(&self, planes: Range<u32>) -> (u8, bool) {
        match &self.waiting[planes.start as usize..planes.end as usize] {
            [one] => (*one, has_several(u16::from(*one))),
            [one, other] => (one | other, has_several(u16::from_le_bytes([*one, *other]))),
            more => more.iter().fold((0, false), |(all, several), waiting| {
                let both = u16::from_le_bytes([all, *waiting]);
                (all | waiting, several || has_several(both))
            }),
        }
    }

    /// The one of several planes whose operation of a class waits longest.
    #[inline]
    pub(super) fn oldest_in(&self, planes: Range<u32>, class: Class) -> PlaneId {
        let first = planes.start;
        let oldest = |lists: &PlaneLists| lists.0[class as usize].oldest;
        match &self.planes[first as usize..planes.end as usize] {
            [_] => PlaneId(first),
            [one, other] => PlaneId(first + u32::from(oldest(other) < oldest(one))),
            more => {
                let numbers = more.iter().map(oldest);
                let oldest = (first..).zip(numbers).min_by_key(|(_, number)| *number);
                oldest.map_or(PlaneId::NONE, |(plane, _)| PlaneId(plane))
            }
        }
    }

    /// The operation that waits longest.
    #[inline]
    pub fn head(&self, plane: PlaneId, class: Class) -> OpId {
        self.planes[plane.index()].0[class as usize].head
    }

    /// Arrival number of the operation that waits longest; `u64::MAX` when none waits.
    #[inline]
    pub fn oldest(&self, plane: PlaneId, class: Class) -> u64 {
        self.planes[plane.index()].0[class as usize].oldest
    }

    /// Append an operation.
    #[inline]
    pub fn push(&mut self, plane: PlaneId, class: Class, id: OpId, ops: &mut OpArena) {
        let list = &mut self.planes[plane.index()].0[class as usize];
        let op = &mut ops[id];
        op.next = OpId::NONE;
        let tail = std::mem::replace(&mut list.tail, id);
        if tail.is_some() {
            ops[tail].next = id;
        } else {
            list.head = id;
            list.oldest = op.sequence;
            self.waiting[plane.index()] |= class.bit();
        }
    }

    /// Take an operation out of the middle: the one behind `previous`, or the head where there is none.
    pub fn take(&mut self, plane: PlaneId, class: Class, previous: OpId, ops: &mut OpArena) -> OpId {
        if !previous.is_some() {
            return self.pop(plane, class, ops);
        }
        let id = ops[previous].next;
        ops[previous].next = ops[id].next;
        let list = &mut self.planes[plane.index()].0[class as usize];
        if list.tail == id {
            list.tail = previous;
        }
        id
    }

    /// Take the operation that waits longest.
    #[inline]
    pub fn pop(&mut self, plane: PlaneId, class: Class, ops: &OpArena) -> OpId {
        let list = &mut self.planes[plane.index()].0[class as usize];
        let id = list.head;
        debug_assert!(id.is_some());
        list.head = ops[id].next;
        if list.head.is_some() {
            list.oldest = ops[list.head].sequence;
        } else {
            list.tail = OpId::NONE;
            list.oldest = u64::MAX;
            self.waiting[plane.index()] &= !class.bit();
        }
        id
    }
}
