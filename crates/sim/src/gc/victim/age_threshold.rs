//! Age threshold: the block with the fewest valid pages among those sealed long enough ago. Young blocks are still
//! losing pages and are left to do so. Menon and Stockmeyer, IBM Journal of Research and Development 42(6), 1998; the
//! clock counts programmed pages, so that warm-up and timed run age blocks alike.
//!
//! Of equals the one left unchanged longest is taken. Where no block that is old enough has anything to reclaim, it is
//! the young one sealed first.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::support::{BucketLists, from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Ratio;
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// How many pages must have been programmed on the drive since a block was sealed, as a share of the drive's
    /// pages: `10%`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "The threshold depends on the workload, and papers print it for their own traces."
    )))]
    age: Ratio,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { age: Ratio { ppm: 100_000 } }
    }
}

const YOUNG: Metric = Metric {
    name: "young_choices",
    unit: "choices",
    about: "Choices that fell on a block below the threshold of age: none above it had anything to reclaim.",
};

pub const MEMBER: Member<Build> = Member {
    name: "age-threshold",
    about: "fewest valid pages among the blocks sealed long enough ago",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[YOUNG],
    build: |choice, context| {
        let geometry = &context.geometry;
        let queue = || VecDeque::with_capacity(geometry.blocks_per_plane as usize);
        let state = State {
            young: (0..geometry.planes()).map(|_| queue()).collect(),
            old: BucketLists::new(geometry),
            sealed_at: vec![0; geometry.blocks() as usize],
            is_old: vec![false; geometry.blocks() as usize],
        };
        let age = parameters::<Parameters>(choice).age.of(u64::from(geometry.pages()));
        Ok(Box::new(AgeThreshold { age, state, young_choices: 0 }))
    },
};

struct AgeThreshold {
    /// Pages programmed since a block was sealed from which on it is old.
    age: u64,
    state: State,
    young_choices: u64,
}

#[derive(Serialize, Deserialize)]
struct State {
    /// Blocks of each plane that were not old when it was asked last, the one sealed first in front.
    young: Vec<VecDeque<BlockId>>,
    old: BucketLists,
    /// Clock at which each block was sealed.
    sealed_at: Vec<u64>,
    is_old: Vec<bool>,
}

impl VictimPolicy for AgeThreshold {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.state.sealed_at[block.index()] = view.programmed;
        self.state.young[view.geometry.plane_of(block).index()].push_back(block);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        if self.state.is_old[block.index()] {
            self.state.old.demote(block, view);
        }
    }

    fn prefetch(&self, block: BlockId, is_here: bool, view: &BlockView<'_>) {
        self.state.old.prefetch(block, is_here, view);
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        if std::mem::take(&mut self.state.is_old[block.index()]) {
            self.state.old.remove(block, view.blocks.valid(block), view);
            return;
        }
        let young = &mut self.state.young[view.geometry.plane_of(block).index()];
        // A young victim is in front; only wear levelling and nominees of a trigger are others.
        if let Some(at) = young.iter().position(|candidate| *candidate == block) {
            young.remove(at);
        }
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let State { young, old, sealed_at, is_old } = &mut self.state;
        let young = &mut young[plane.index()];
        while let Some(block) = young.front().copied()
            && view.programmed - sealed_at[block.index()] >= self.age
        {
            young.pop_front();
            is_old[block.index()] = true;
            old.insert(block, view);
        }
        let emptiest = old.first(plane);
        if emptiest.is_some_and(|block| view.geometry.reclaimable(view.blocks.valid(block)) > 0)
            || young.is_empty()
        {
            return emptiest;
        }
        self.young_choices += 1;
        young.front().copied()
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.state, state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![YOUNG.is(self.young_choices)]
    }
}
