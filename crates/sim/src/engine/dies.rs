//! All dies: what each does, how much there is for it to do, and which of them start nothing yet.

use super::die::Die;
use crate::ids::{ChannelId, DieId};
use crate::time::SimTime;

/// The dies of a drive, by their numbers.
#[derive(Debug)]
pub struct Dies {
    states: Box<[Die]>,
    /// Operations waiting or running on each.
    pending: Box<[u32]>,
    /// A request is being split: dies that got an operation of it start none until all of it is queued.
    defers_starts: bool,
    deferred_starts: Vec<DieId>,
    /// Channels of dies that have had nothing to do since triggers were asked last, where one waits for that.
    idle_channels: Vec<ChannelId>,
}

impl Dies {
    /// So many, with nothing to do.
    pub(super) fn new(dies: u32) -> Self {
        Self {
            states: vec![Die::default(); dies as usize].into(),
            pending: vec![0; dies as usize].into(),
            defers_starts: false,
            deferred_starts: Vec::new(),
            idle_channels: Vec::new(),
        }
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Die> {
        self.states.iter()
    }

    /// Measuring begins.
    pub(super) fn start_afresh(&mut self, now: SimTime) {
        self.states.iter_mut().for_each(|die| die.start_afresh(now));
    }

    /// Operations waiting or running on a die.
    #[inline]
    pub(super) fn pending(&self, die: DieId) -> u32 {
        self.pending[die.index()]
    }

    /// The same of each.
    #[inline]
    pub(super) fn pending_per_die(&self) -> &[u32] {
        &self.pending
    }

    /// There is one more operation for a die; how many there were before.
    #[inline]
    pub(super) fn one_more_pending(&mut self, die: DieId) -> u32 {
        let pending = &mut self.pending[die.index()];
        *pending += 1;
        *pending - 1
    }

    /// There is one operation less for a die; how many are left.
    #[inline]
    pub(super) fn one_less_pending(&mut self, die: DieId) -> u32 {
        let pending = &mut self.pending[die.index()];
        *pending -= 1;
        *pending
    }

    /// Whether operations are only queued.
    #[inline]
    pub(super) fn starts_are_deferred(&self) -> bool {
        self.defers_starts
    }

    /// From now on operations are only queued.
    #[inline]
    pub(super) fn begin_deferral(&mut self) {
        self.defers_starts = true;
    }

    /// An operation was queued for a die, which is to start it when all are.
    #[inline]
    pub(super) fn defer_start(&mut self, die: DieId) {
        self.deferred_starts.push(die);
    }

    /// All are queued: dies that were to start something follow, until [`Self::deferrals_are_over`].
    #[inline]
    pub(super) fn end_deferral(&mut self) {
        self.defers_starts = false;
    }

    /// A die that was to start something, by the order in which operations were queued.
    #[inline]
    pub(super) fn deferred_start(&self, at: usize) -> Option<DieId> {
        self.deferred_starts.get(at).copied()
    }

    /// All of them have been offered what was queued for them.
    #[inline]
    pub(super) fn deferrals_are_over(&mut self) {
        self.deferred_starts.clear();
    }

    /// A die of a channel has nothing left to do.
    pub(super) fn note_idle_channel(&mut self, channel: ChannelId) {
        self.idle_channels.push(channel);
    }

    /// Whether any was noted since they were taken last.
    pub(super) fn has_idle_channels(&self) -> bool {
        !self.idle_channels.is_empty()
    }

    /// Those that were noted, in that order.
    pub(super) fn take_idle_channels(&mut self) -> impl Iterator<Item = ChannelId> {
        self.idle_channels.drain(..)
    }
}

impl std::ops::Index<DieId> for Dies {
    type Output = Die;
    #[inline]
    fn index(&self, die: DieId) -> &Die {
        &self.states[die.index()]
    }
}

impl std::ops::IndexMut<DieId> for Dies {
    #[inline]
    fn index_mut(&mut self, die: DieId) -> &mut Die {
        &mut self.states[die.index()]
    }
}
