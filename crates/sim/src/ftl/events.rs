//! Tells policies what happens to blocks, if they listen.

use super::state::Ftl;
use crate::gc::events::BlockEvent;
use crate::ids::BlockId;

impl Ftl {
    /// Something has happened to a block.
    #[inline]
    pub(super) fn tell(&mut self, event: BlockEvent, block: BlockId) {
        if self.policies.victim_hears.and(self.policies.trigger_hears).has(event.kind()) {
            self.tell_policies(event, block);
        }
    }

    fn tell_policies(&mut self, event: BlockEvent, block: BlockId) {
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
