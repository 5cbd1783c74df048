//! Tells policies what happens to blocks, if they listen.

use super::state::Ftl;
use crate::gc::events::BlockEvent;
use crate::ids::{BlockId, Ppn};

impl Ftl {
    /// Something has happened to a block.
    #[inline]
    pub(super) fn tell(&mut self, event: BlockEvent, block: BlockId) {
        if self.policies.somebody_hears.has(event.kind()) {
            self.tell_policies(event, block);
        }
    }

    /// A page was relocated from one block to another, and somebody may hear of that.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_relocated(&mut self, from: Ppn, to: Ppn) {
        let [left, reached] = [from, to].map(|page| self.geometry.block_of(page));
        self.tell(BlockEvent::Invalidated(from), left);
        self.tell(BlockEvent::Programmed(to), reached);
    }

    #[cold]
    #[inline(never)]
    fn tell_policies(&mut self, event: BlockEvent, block: BlockId) {
        // No policy knows of those of the SLC cache.
        if self.geometry.is_cache_block(block) {
            return;
        }
        if self.settle_bound.is_some() {
            let valid = &mut self.planes[self.geometry.plane_of(block).index()].valid_pages;
            match event {
                BlockEvent::Programmed(_) => *valid += 1,
                BlockEvent::Invalidated(_) => *valid -= 1,
                BlockEvent::Sealed | BlockEvent::Removed | BlockEvent::Erased => {}
            }
        }
        let view = block_view!(self);
        if self.policies.victim_hears.has(event.kind()) {
            self.policies.victim.on_block(event, block, &view);
        }
        if self.policies.trigger_hears.has(event.kind())
            && let Some(plane) = self.policies.trigger.on_block(event, block, &view)
        {
            self.signals.push(plane);
        }
    }
}
