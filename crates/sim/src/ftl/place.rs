//! Placing a page of the host among several open blocks of its plane.

use super::state::Ftl;
use crate::future::Future;
use crate::ids::{BlockId, Lpn, PlaneId};
use crate::mapping::{MOST_OPEN_BLOCKS, OpenFor};

impl Ftl {
    /// The open block that a page goes to becomes the host's frontier. The host can take a page of the plane.
    ///
    /// While there are fewer than may be open, and free blocks that the collector does not need, one more is opened.
    #[cold]
    pub(super) fn place_among_open(&mut self, plane: PlaneId, lpn: Lpn) {
        if self.separated.is_some() {
            return self.place_by_class(plane, lpn);
        }
        let spare = self.accounting().has_free_for_host(plane);
        let vacancy = self.open.as_ref().and_then(|open| open.vacancy(plane)).filter(|_| spare);
        if let Some(at) = vacancy {
            let block = self.open_block(plane);
            if let (Some(open), Some(block)) = (&mut self.open, block) {
                open.occupy(plane, at, block);
            }
        }
        let Some(open) = &self.open else { return };
        let mut levels = [0; MOST_OPEN_BLOCKS];
        let mut blocks = [BlockId::NONE; MOST_OPEN_BLOCKS];
        let mut count = 0;
        for block in open.of(plane).iter().filter(|block| block.is_some()) {
            levels[count] = self.level_of_page[self.blocks.allocated(*block) as usize];
            blocks[count] = *block;
            count += 1;
        }
        let chosen = self.policies.placement.choose(lpn, &levels[..count]);
        self.planes[plane.index()].host_frontier = blocks[chosen];
    }

    /// The host writes a page: those hear of it who choose among open blocks.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once for every page; the compiler sees that no block is opened")]
    pub(super) fn note_write(&mut self, lpn: Lpn) {
        self.policies.placement.on_write(lpn);
        if let Some(separated) = self.separated.as_deref_mut() {
            separated.classify(self.policies.separation.as_ref(), lpn);
        }
    }

    /// Whether a policy wants to know what the trace will write.
    pub(crate) fn wants_future(&mut self) -> bool {
        let relocation = self.policies.relocation.borrowing();
        self.policies.placement.wants_future() || relocation.is_some_and(|policy| policy.wants_future())
    }

    /// What the trace writes from now on, again and again.
    pub(crate) fn foresee(&mut self, future: Future) {
        if let Some(policy) = self.policies.relocation.borrowing()
            && policy.wants_future()
        {
            policy.foresee(future.clone());
        }
        self.policies.placement.foresee(future);
    }

    /// Whether a block is one that pages of its plane go to.
    pub(crate) fn is_frontier(&self, plane: PlaneId, block: BlockId) -> bool {
        let state = &self.planes[plane.index()];
        [state.host_frontier, state.gc_frontier, state.parity_frontier].contains(&block)
            || self.open.iter().chain(self.open_of_gc()).any(|open| open.of(plane).contains(&block))
            || self.superblocks().is_some_and(|superblocks| {
                [OpenFor::Host, OpenFor::Collection]
                    .iter()
                    .any(|open_for| superblocks.waiting(plane, *open_for).contains(&block))
            })
    }
}
