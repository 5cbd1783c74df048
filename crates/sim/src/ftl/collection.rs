//! Collection of a plane: whether it is wanted, which block, and what becomes of it.

use super::state::Ftl;
use crate::gc::events::BlockEvent;
use crate::gc::trigger::RequestsWaitedFor;
use crate::ids::{BlockId, ChannelId, Lpn, PlaneId};
use crate::mapping::{BlockState, Cause};

/// Why a plane has no victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoVictim {
    /// Nothing of it can be reclaimed.
    Starved,
    /// The relocation policy's buffer has no room for the pages of the one that was chosen.
    BufferFull,
}

impl Ftl {
    /// Whether the plane's trigger asks for (more) collection, and another job finds room for what it would move: each
    /// has less than a block.
    ///
    /// `channel_idle` is told to policies that [wait for that](Self::waits_for_idle).
    #[inline]
    pub fn wants_collection(&self, plane: PlaneId, goes_on: bool, channel_idle: bool) -> bool {
        self.wants_collection_for(plane, goes_on, channel_idle, true)
    }

    /// The same where `request_waits` says whether an operation of the host waits for the plane: told to triggers that
    /// [wait for that](Self::waits_for_requests).
    #[inline]
    pub fn wants_collection_for(
        &self,
        plane: PlaneId,
        goes_on: bool,
        channel_idle: bool,
        request_waits: bool,
    ) -> bool {
        if !self.another_job_fits(plane) {
            return false;
        }
        let state = &self.planes[plane.index()];
        let view = space_view!(self, plane, state, channel_idle, request_waits);
        self.policies.trigger.wants(&view, goes_on)
    }

    /// Whether a plane may have one job more than it has.
    #[inline]
    pub fn another_job_fits(&self, plane: PlaneId) -> bool {
        let state = &self.planes[plane.index()];
        state.jobs == 0 || (state.jobs < self.policies.jobs_per_plane && state.free.len() > state.jobs)
    }

    /// Whether the trigger asks for (more) collection of a plane's scope, in which something is folded still.
    #[cold]
    pub(crate) fn scope_must_wait(&self, plane: PlaneId, goes_on: bool) -> bool {
        let state = &self.planes[plane.index()];
        let folds = self.geometry.scope_of(plane).any(|plane| self.planes[plane.index()].jobs > 0);
        folds && self.policies.trigger.wants(&space_view!(self, plane, state, false, true), goes_on)
    }

    /// Which operations of the host the trigger waits for.
    pub fn waits_for_requests(&self) -> RequestsWaitedFor {
        self.policies.trigger.terms().waits_for_requests
    }

    /// Whether the trigger, or the limit of jobs, waits for channels to fall idle.
    #[inline]
    pub fn waits_for_idle(&self) -> bool {
        self.policies.waits_for_idle
    }

    /// Whether the limit of jobs does.
    pub fn limit_waits_for_idle(&self) -> bool {
        self.policies.concurrency.waits_for_idle()
    }

    /// Whether the limit of jobs may hold one back.
    pub fn limits_jobs(&self) -> bool {
        self.policies.concurrency.holds_back()
    }

    /// Whether the limit of jobs changes with the state of the drive.
    pub fn limit_changes(&self) -> bool {
        self.policies.concurrency.limit_changes()
    }

    /// Whether its answers change with anything that it is told.
    pub fn limit_changes_with_everything(&self) -> bool {
        self.policies.concurrency.changes_with_everything()
    }

    /// Whether allocation may let a write wait although a plane has room.
    pub fn allocation_may_wait(&self) -> bool {
        self.policies.allocation.may_wait()
    }

    /// Whether it did when it was asked last.
    pub fn allocation_waits(&self) -> bool {
        self.policies.allocation.waits()
    }

    /// What a policy of the user's for allocation did that leaves the drive nothing to do, if it is one: its last page
    /// waits for `plane`, or for any.
    pub fn blame_allocation(&self, plane: Option<PlaneId>, why: &str) -> Option<String> {
        self.policies.allocation.blame(plane, why)
    }

    /// Whether the limit of jobs goes by what was, too, and is [looked at](Self::look_at_limit) after every event.
    pub fn limit_remembers(&self) -> bool {
        self.policies.limit_remembers
    }

    /// Let the limit of jobs see the drive as it is; `nothing_waits`: no plane collects or waits to.
    pub fn look_at_limit(&mut self, jobs_per_channel: &[u32], nothing_waits: bool) {
        let drained = nothing_waits && !self.policies.trigger.has_listed();
        let view = jobs_view!(self, jobs_per_channel, false);
        self.policies.concurrency.note_jobs(&view, drained);
    }

    /// Whether there is more to look at after an event than the planes whose space has changed.
    pub fn has_occasions(&self) -> bool {
        self.policies.waits_for_idle
            || self.gc_buffer.is_some()
            || self.limits_jobs()
            || self.allocation_may_wait()
    }

    /// A channel may have fallen idle: have the trigger asked, if that matters to it.
    pub fn note_idle(&mut self, channel: ChannelId) {
        self.policies.trigger.on_channel_idle(channel, &self.geometry, &mut self.signals);
    }

    /// Whether the limit of jobs lets one start on the plane; `channel_idle` as in [`Self::wants_collection`].
    pub fn may_start(&mut self, plane: PlaneId, jobs_per_channel: &[u32], channel_idle: bool) -> bool {
        let view = jobs_view!(self, jobs_per_channel, channel_idle);
        self.policies.concurrency.may_start(plane, &view)
    }

    /// A job starts on a stalled plane, whatever the limit of jobs; `channel_idle` as in [`Self::may_start`].
    pub fn note_emergency(&mut self, plane: PlaneId, jobs_per_channel: &[u32], channel_idle: bool) {
        let view = jobs_view!(self, jobs_per_channel, channel_idle);
        self.policies.concurrency.on_emergency(plane, &view);
    }

    /// Most channels that may collect now, where there is such a limit.
    pub fn channel_limit(&self, jobs_per_channel: &[u32]) -> Option<u32> {
        self.policies.concurrency.channel_limit(&jobs_view!(self, jobs_per_channel, false))
    }

    /// Whether the newest flash copy of a page lies in a block under collection.
    pub fn is_being_moved(&self, lpn: Lpn) -> bool {
        let copy = self.map.flash_copy(lpn);
        copy.is_some_and(|ppn| self.blocks.state(self.geometry.block_of(ppn)) == BlockState::Victim)
    }

    /// Whether collection of the plane must go before host operations.
    #[inline]
    pub fn collection_is_urgent(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].urgent
    }

    /// Whether it must in any plane.
    #[inline]
    pub(crate) fn any_is_urgent(&self) -> bool {
        self.urgent_planes > 0
    }

    /// The plane's free blocks have changed.
    pub(super) fn note_free(&mut self, plane: PlaneId) {
        let state = &self.planes[plane.index()];
        let view = space_view!(self, plane, state, false, true);
        let urgent = self.policies.trigger.urgent(&view);
        let was = std::mem::replace(&mut self.planes[plane.index()].urgent, urgent);
        self.urgent_planes = self.urgent_planes - u32::from(was) + u32::from(urgent);
    }

    /// A plane whose trigger should be asked, because its space changed.
    #[inline]
    pub fn next_signal(&mut self) -> Option<PlaneId> {
        self.signals.pop()
    }

    /// Mark every plane's trigger to be asked: warm-up or a restored state may have left something to collect.
    pub fn signal_all(&mut self) {
        self.signal_all_from(PlaneId(0));
    }

    /// The same while the drive runs, beginning with the plane of which a block was opened, so that none is asked
    /// before the others because of its number.
    #[cold]
    #[inline(never)]
    pub(super) fn signal_all_from(&mut self, first: PlaneId) {
        let planes = self.geometry.planes();
        self.signals.clear();
        self.signals.extend((0..planes).rev().map(|turn| PlaneId((first.0 + turn) % planes)));
    }

    /// Choose a victim of the plane and take it out of circulation.
    pub fn begin_collection(&mut self, plane: PlaneId) -> Option<BlockId> {
        self.try_collection(plane).ok()
    }

    /// The same; says why there is none.
    ///
    /// # Errors
    /// Why no job begins.
    pub fn try_collection(&mut self, plane: PlaneId) -> Result<BlockId, NoVictim> {
        let state = &self.planes[plane.index()];
        let chosen = if state.reclaimable == 0 {
            None
        } else {
            let nominee =
                if state.urgent { None } else { self.policies.trigger.nominee(plane, &self.geometry) };
            let view = block_view!(self);
            nominee.or_else(|| self.policies.victim.select(plane, &view))
        };
        let Some(block) = chosen else {
            self.planes[plane.index()].starved = true;
            return Err(NoVictim::Starved);
        };
        if !self.fits_in_buffer(block) {
            return Err(NoVictim::BufferFull);
        }
        self.remove_from_circulation(block);
        self.tell_victim_class(block);
        self.tally.note_job(plane, self.blocks.valid(block));
        Ok(block)
    }

    pub(super) fn remove_from_circulation(&mut self, block: BlockId) {
        assert_eq!(self.blocks.state(block), BlockState::Sealed, "only a sealed block can be a victim");
        self.policies.victim.on_removed(block, &block_view!(self));
        self.blocks.set_state(block, BlockState::Victim);
        self.tell(BlockEvent::Removed, block);
        let state = &mut self.planes[self.geometry.plane_of(block).index()];
        state.reclaimable -= self.geometry.reclaimable(self.blocks.valid(block));
        state.jobs += 1;
        state.victim = block;
    }

    /// The emptied victim was erased.
    pub fn end_collection(&mut self, block: BlockId, cause: Cause) {
        if cause == Cause::Fold {
            return self.end_fold(block);
        }
        let plane = self.geometry.plane_of(block);
        self.blocks.erase(block);
        self.tally.note_erased(plane, self.geometry.pages_per_block, cause);
        let state = &mut self.planes[plane.index()];
        state.erases += 1;
        state.jobs -= 1;
        if state.jobs == 0 {
            state.victim = BlockId::NONE;
        }
        state.erases_since_check += 1;
        self.free_or_fail(plane, block);
        self.note_free(plane);
        self.note_erased(block);
    }

    /// What a block held is gone: the audit, copies and policies hear of it.
    pub(super) fn note_erased(&mut self, block: BlockId) {
        if let Some(versions) = &mut self.versions {
            let first = self.geometry.page(block, 0);
            versions.erased(first, self.geometry.pages_per_block);
        }
        if self.policies.counts_copybacks
            && let Some(copies) = self.policies.relocation.copies_mut()
        {
            copies.erased(self.geometry.page(block, 0), self.geometry.pages_per_block);
        }
        if self.policies.borrows
            && let Some(policy) = self.policies.relocation.borrowing()
        {
            policy.on_erased(block);
        }
        self.tell(BlockEvent::Erased, block);
    }

    // Static wear levelling: when the spread of erase counts grows too wide, the least-worn data moves.

    /// The least-erased full block of the plane, taken out of circulation, if the plane's erase counts have grown
    /// apart by more than the threshold.
    ///
    /// Looks at the plane's blocks only once in as many erases as an eighth of them, so the scan costs a constant
    /// amount per erase.
    pub fn wear_victim(&mut self, plane: PlaneId) -> Option<BlockId> {
        let coldest = self.coldest(plane)?;
        if !self.fits_in_buffer(coldest) {
            return None;
        }
        self.remove_from_circulation(coldest);
        Some(coldest)
    }

    /// The same, not taken out of circulation yet. Where planes share superblocks, it is a part of a full one.
    pub(super) fn coldest(&mut self, plane: PlaneId) -> Option<BlockId> {
        let threshold = self.static_wear?;
        let per_plane = self.geometry.blocks_per_plane;
        let state = &mut self.planes[plane.index()];
        // The move needs a whole block beside the reserve of the next collection.
        if state.erases_since_check < per_plane.div_ceil(8) || state.free.len() < 2 || state.jobs > 0 {
            return None;
        }
        state.erases_since_check = 0;
        let first = self.geometry.first_block(plane).0;
        // Those of an SLC cache wear by themselves.
        let blocks = (first..first + self.geometry.ordinary_blocks()).map(BlockId);
        let most = blocks.clone().map(|block| self.blocks.erases(block)).max()?;
        let (table, superblocks, geometry) = (&self.blocks, self.superblocks.as_deref(), &self.geometry);
        let sealed = blocks.filter(|block| match superblocks {
            None => table.state(*block) == BlockState::Sealed,
            Some(superblocks) => superblocks.is_candidate(geometry.superblock_of(*block)),
        });
        let ranked = sealed.map(|block| (table.erases(block), block.0));
        let coldest = BlockId(self.policies.wear_ties.choose(ranked)?);
        (most - self.blocks.erases(coldest) > threshold).then_some(coldest)
    }
}
