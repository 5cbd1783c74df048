//! Cost-benefit: the block with the highest age * (1 - u) / 2u, u being its share of valid pages and age the time
//! since it last changed. Kawaguchi, Nishioka and Motoda, USENIX 1995; the clock counts programmed pages, so that
//! warm-up and timed run age blocks alike.

use serde::{Deserialize, Serialize};

use super::support::{BucketLists, from_bytes, to_bytes};
use super::{BlockView, Build, Losses, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, NoParameters, ParameterSpec};

const EXAMINED: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates whose valid pages were looked at to choose victims.",
};

pub const MEMBER: Member<Build> = Member {
    name: "cost-benefit",
    about: "highest age * (1 - u) / 2u, u being the share of valid pages",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[EXAMINED],
    build: |_, context| {
        let geometry = &context.geometry;
        let changed_at = vec![0; geometry.blocks() as usize];
        let state = State { lists: BucketLists::new(geometry), changed_at };
        Ok(Box::new(CostBenefit { state, examined: 0 }))
    },
};

struct CostBenefit {
    state: State,
    examined: u64,
}

#[derive(Serialize, Deserialize)]
struct State {
    /// Within a valid count the best candidate is the oldest, which is the head of its list: only one block per
    /// valid count needs a look.
    lists: BucketLists,
    /// Clock at the last change of each block.
    changed_at: Vec<u64>,
}

impl VictimPolicy for CostBenefit {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.state.changed_at[block.index()] = view.programmed;
        self.state.lists.insert(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.state.changed_at[block.index()] = view.programmed;
        self.state.lists.demote(block, view);
    }

    fn prefetch(&self, block: BlockId, is_here: bool, view: &BlockView<'_>) {
        self.state.lists.prefetch(block, is_here, view);
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.state.lists.remove(block, view.blocks.valid(block), view);
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        // Keeps the bound of the search tight; an empty block costs nothing and is chosen whatever its age.
        let first = self.state.lists.first(plane)?;
        if view.blocks.valid(first) == 0 {
            self.examined += 1;
            return Some(first);
        }
        let pages = u128::from(view.geometry.pages_per_block);
        let mut best: Option<(BlockId, u128, u128)> = None;
        for (valid, block) in self.state.lists.heads(plane) {
            self.examined += 1;
            let age = u128::from(view.programmed - self.state.changed_at[block.index()]) + 1;
            // age * (pages - valid) / valid, compared as fractions: exact on every machine.
            let (gain, cost) = (age * (pages - u128::from(valid)), u128::from(valid));
            if best.is_none_or(|(_, best_gain, best_cost)| gain * best_cost > best_gain * cost) {
                best = Some((block, gain, cost));
            }
        }
        best.map(|(block, _, _)| block)
    }

    fn by_plane(&mut self) -> Option<Losses<'_>> {
        Some(Losses::Told)
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.state, state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![EXAMINED.is(self.examined)]
    }
}
