//! FIFO (circular, LRU cleaning): the block that was sealed first, whatever it holds.

use std::collections::VecDeque;

use super::support::{from_bytes, to_bytes};
use super::{BlockView, Build, Losses, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "fifo",
    about: "the block sealed first, whatever it holds",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, context| {
        let geometry = &context.geometry;
        let queue = || VecDeque::with_capacity(geometry.blocks_per_plane as usize);
        Ok(Box::new(Fifo { queues: (0..geometry.planes()).map(|_| queue()).collect() }))
    },
};

struct Fifo {
    queues: Vec<VecDeque<BlockId>>,
}

impl VictimPolicy for Fifo {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.queues[view.geometry.plane_of(block).index()].push_back(block);
    }

    fn on_invalidated(&mut self, _: BlockId, _: Ppn, _: &BlockView<'_>) {}

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        let queue = &mut self.queues[view.geometry.plane_of(block).index()];
        if queue.front() == Some(&block) {
            queue.pop_front();
        } else if let Some(at) = queue.iter().position(|queued| *queued == block) {
            // Only wear levelling takes a block out of turn, which is rare.
            queue.remove(at);
        }
    }

    fn select(&mut self, plane: PlaneId, _: &BlockView<'_>) -> Option<BlockId> {
        self.queues[plane.index()].front().copied()
    }

    fn by_plane(&mut self) -> Option<Losses<'_>> {
        Some(Losses::Ignored)
    }

    fn chooses_in_turn(&self) -> bool {
        false
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.queues)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.queues, state)
    }
}
