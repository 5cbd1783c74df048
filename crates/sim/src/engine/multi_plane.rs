//! Multi-plane operations: which waiting operations of other planes share one operation with the one that starts.

use super::drive::Drive;
use super::ops::OpKind;
use crate::ids::{OpId, PlaneId};
use crate::scheduler::Class;
use crate::settings::MultiPlane;

impl Drive {
    /// Take from its queue what plane `other` can do in one multi-plane operation with `first`, which starts on
    /// `plane`; and the class in which that waited.
    pub(super) fn take_partner(
        &mut self,
        first: OpId,
        plane: PlaneId,
        other: PlaneId,
        class: Class,
    ) -> Option<(OpId, Class)> {
        if other == plane {
            return None;
        }
        if self.config.flash.multi_plane == MultiPlane::SamePageAnywhere {
            let (class, previous) = self.partner(first, other, class)?;
            let id = self.queues.take(other, class, previous, &mut self.ops);
            self.bring_to_flash(id, class);
            return Some((id, class));
        }
        self.can_share(first, other, class).then(|| (self.take_from_queue(other, class), class))
    }

    /// Whether the head of another plane's queue can share the multi-plane operation begun with `first`.
    fn can_share(&mut self, first: OpId, plane: PlaneId, class: Class) -> bool {
        if !self.queues.head(plane, class).is_some() {
            return false;
        }
        let writes = class == Class::HostWrite;
        if writes && !self.unit_is_ready(plane) {
            return false;
        }
        if writes && !self.has_page(plane) && !self.has_room(plane) {
            return false;
        }
        while self.drop_if_stale(plane, class) {
            if !self.queues.head(plane, class).is_some() {
                return false;
            }
        }
        let head = &self.ops[self.queues.head(plane, class)];
        let first = &self.ops[first];
        if head.kind != first.kind {
            return false;
        }
        if self.config.flash.multi_plane == MultiPlane::AnyPage || first.kind == OpKind::Erase {
            return true;
        }
        let number = match head.kind {
            OpKind::Read => self.geometry.page_in_block(head.ppn),
            _ => match self.page_to_be(self.queues.head(plane, class), class) {
                Some(number) => number,
                None => return false,
            },
        };
        number == self.geometry.page_in_block(first.ppn)
    }

    /// What another plane can do in the same multi-plane operation, wherever it waits: its class and what it waits
    /// behind. Reads are searched for through the whole queue; programs only at the head, because pages of a block are
    /// programmed in order.
    fn partner(&self, first: OpId, plane: PlaneId, class: Class) -> Option<(Class, OpId)> {
        let number = self.geometry.page_in_block(self.ops[first].ppn);
        let classes = match class {
            Class::HostRead => [Class::HostRead, Class::GcRead].as_slice(),
            Class::GcRead => &[Class::GcRead, Class::HostRead],
            Class::HostWrite => &[Class::HostWrite, Class::GcWrite],
            Class::GcWrite => &[Class::GcWrite, Class::HostWrite],
            Class::Erase => &[Class::Erase],
        };
        for &class in classes {
            let mut previous = OpId::NONE;
            let mut id = self.queues.head(plane, class);
            while id.is_some() {
                let op = &self.ops[id];
                let fits = match class {
                    Class::Erase => true,
                    Class::HostRead | Class::GcRead => {
                        op.kind == OpKind::Read
                            && self.geometry.page_in_block(op.ppn) == number
                            && !self.is_stale(id, class)
                    }
                    Class::HostWrite | Class::GcWrite => {
                        self.page_to_be(id, class) == Some(number)
                            && !self.is_stale(id, class)
                            && (class != Class::HostWrite || self.unit_is_ready(plane))
                    }
                };
                if fits {
                    return Some((class, previous));
                }
                if !matches!(class, Class::HostRead | Class::GcRead) {
                    break;
                }
                previous = id;
                id = op.next;
            }
        }
        None
    }

    /// The number in its block of the page that the program at the head of a queue would fill now.
    fn page_to_be(&self, id: OpId, class: Class) -> Option<u32> {
        let op = &self.ops[id];
        if op.ppn.is_some() && op.ppn != op.source {
            return Some(self.geometry.page_in_block(op.ppn));
        }
        if class == Class::HostWrite && !self.has_room(op.plane) {
            return None;
        }
        if class == Class::HostWrite && self.needs.own_parity_blocks {
            return Some(self.ftl.next_stripe_page_number(op.plane, op.lpn));
        }
        Some(self.ftl.next_page_number(op.plane, class == Class::GcWrite))
    }
}
