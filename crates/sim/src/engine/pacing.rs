//! Paced collection: jobs wait for the host before they relocate more, and are looked at when it has written.

use super::drive::Drive;
use crate::ids::{JobId, PlaneId};
use crate::mapping::Cause;

impl<const PLAIN: bool> Drive<PLAIN> {
    /// A job begins, whose pages are relocated at the pace of the host.
    pub(super) fn begin_pace(&mut self, plane: PlaneId) {
        if self.needs.paced() {
            self.paces.begin(plane);
        }
    }

    /// The host has taken a page of a plane.
    #[inline]
    pub(super) fn pace_by_write(&mut self, plane: PlaneId) {
        if self.needs.paced() {
            self.paces.note_written(plane);
        }
    }

    /// A write was sent to a plane, which has less room than before.
    #[inline]
    pub(super) fn pace_by_room(&mut self, plane: PlaneId) {
        if self.needs.paced() {
            self.paces.note(plane);
        }
    }

    /// Whether a job must wait for the host before its next step. If so it is noted, and goes on when it may.
    #[cold]
    pub(super) fn waits_for_host_if_paced(&mut self, id: JobId) -> bool {
        let job = &self.jobs[id];
        let facts = job.facts();
        let plane = facts.plane;
        let state = self.ftl.plane(plane);
        let valid_pages = [facts.valid_pages, self.geometry.pages_per_block].map(u64::from);
        let blocks = [state.free.len(), self.ftl.start_blocks().max(1)].map(u64::from);
        let waits = facts.cause == Cause::Gc
            && self.ftl.blocks().valid(facts.victim) > 0
            && !self.ftl.collection_is_urgent(plane)
            && self.ftl.has_unreserved_page(plane)
            && !self.stalls.is_stalled(plane)
            && self.requests.first_parked().is_none()
            && !self.host_is_idle()
            && !self.paces.allows(plane, u64::from(job.batch().taken), valid_pages, blocks);
        self.paces.set_waiting(plane, waits.then_some(id));
        waits
    }

    /// Whether nothing of the host is under way. Pages that are rebuilt are not the host's.
    fn host_is_idle(&self) -> bool {
        self.requests.outstanding() == 0 && self.buffered_pages() == 0
    }

    /// Jobs that wait for the host go on, if what they wait for has come.
    #[cold]
    pub(super) fn go_on_paced(&mut self) {
        if self.paces.any_waits() && self.host_is_idle() {
            for plane in 0..self.geometry.planes() {
                self.look_at_pace(PlaneId(plane));
            }
        }
        let mut at = 0;
        while let Some(plane) = self.paces.take_noted(at) {
            self.look_at_pace(plane);
            at += 1;
        }
        self.paces.end_noted();
    }

    fn look_at_pace(&mut self, plane: PlaneId) {
        if let Some(job) = self.paces.waiting(plane) {
            self.advance_job(job);
        }
    }
}
