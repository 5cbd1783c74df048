//! Windowed greedy: the block with the fewest valid pages among the oldest so many of the plane. A window of one is
//! FIFO, a window of all is greedy. Hu et al., SYSTOR 2009.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Deserialize;

use super::support::{from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::BlockCount;
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// How many of the plane's oldest full blocks are looked at; at least one.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "The size of the window is a parameter of the policy that is seldom printed."
    )))]
    window: BlockCount,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { window: BlockCount::Blocks(32) }
    }
}

const EXAMINED: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates whose valid pages were looked at to choose victims.",
};

pub const MEMBER: Member<Build> = Member {
    name: "windowed-greedy",
    about: "fewest valid pages among the oldest full blocks of the plane",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[EXAMINED],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        let window = given.window.resolve(geometry.blocks_per_plane).max(1) as usize;
        let queue = || VecDeque::with_capacity(geometry.blocks_per_plane as usize);
        let queues = (0..geometry.planes()).map(|_| queue()).collect();
        Ok(Box::new(WindowedGreedy { window, queues, examined: 0 }))
    },
};

struct WindowedGreedy {
    window: usize,
    /// Full blocks of each plane, oldest first.
    queues: Vec<VecDeque<BlockId>>,
    examined: u64,
}

impl VictimPolicy for WindowedGreedy {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.queues[view.geometry.plane_of(block).index()].push_back(block);
    }

    fn on_invalidated(&mut self, _: BlockId, _: Ppn, _: &BlockView<'_>) {}

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        let queue = &mut self.queues[view.geometry.plane_of(block).index()];
        // A victim lies in the window, near the front; only wear levelling takes others.
        if let Some(at) = queue.iter().position(|queued| *queued == block) {
            queue.remove(at);
        }
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let oldest = self.queues[plane.index()].iter().take(self.window);
        self.examined += oldest.len() as u64;
        // `min_by_key` keeps the first of equals: the oldest.
        oldest.copied().min_by_key(|block| view.blocks.valid(*block))
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.queues)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.queues, state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![EXAMINED.is(self.examined)]
    }
}
