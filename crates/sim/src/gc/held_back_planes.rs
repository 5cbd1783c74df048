//! Planes whose job had to wait: for the concurrency policy, or for room in the collector's buffer.

use std::collections::VecDeque;

use crate::ids::PlaneId;

/// In the order in which they asked, each once.
#[derive(Debug)]
pub struct HeldBackPlanes {
    /// With whether a job of the plane had just ended, which the trigger is told again.
    waiting: VecDeque<(PlaneId, bool)>,
    /// Per plane: it is one of them. With many planes and little room they are asked after every page.
    waits: Box<[bool]>,
}

impl HeldBackPlanes {
    /// None, of so many planes.
    pub fn new(planes: u32) -> Self {
        Self { waiting: VecDeque::with_capacity(planes as usize), waits: vec![false; planes as usize].into() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a plane is one of them.
    pub(crate) fn contains(&self, plane: PlaneId) -> bool {
        self.waits[plane.index()]
    }

    /// Puts a plane behind the others, unless it is one of them; tells whether it was not.
    pub(crate) fn add(&mut self, plane: PlaneId, goes_on: bool) -> bool {
        let is_new = !std::mem::replace(&mut self.waits[plane.index()], true);
        if is_new {
            self.waiting.push_back((plane, goes_on));
        }
        is_new
    }

    /// Takes out the one that has waited longest.
    pub(crate) fn take_first(&mut self) -> Option<(PlaneId, bool)> {
        let first = self.waiting.pop_front();
        if let Some((plane, _)) = first {
            self.waits[plane.index()] = false;
        }
        first
    }
}
