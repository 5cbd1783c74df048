//! Greedy: the block with the fewest valid pages; among equals the one left unchanged longest.

use super::support::{BucketLists, from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::engine::Stream;
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::registry::{Member, NoParameters, ParameterSpec};

pub const MEMBER: Member<Build> = Member {
    name: "greedy",
    about: "fewest valid pages; among equals the block left unchanged longest",
    parameters: &ParameterSpec::of::<NoParameters>(),
    build: |_, geometry| Box::new(Greedy { lists: BucketLists::new(geometry) }),
};

struct Greedy {
    lists: BucketLists,
}

impl VictimPolicy for Greedy {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.lists.insert(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.lists.demote(block, view);
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.lists.remove(block, view.blocks.valid(block), view);
    }

    fn select(&mut self, plane: PlaneId, _: &BlockView<'_>, _: &mut Stream) -> Option<BlockId> {
        self.lists.first(plane)
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.lists)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.lists, state)
    }
}
