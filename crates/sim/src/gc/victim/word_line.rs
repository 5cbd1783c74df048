//! Word-line-aware: the block whose valid pages take the least array time to relocate, which are not the fewest where
//! page levels differ. Campos et al., IEEE Latin America Transactions, sections III and IV.
//!
//! The weight of a block is kept as pages are programmed and invalidated, and candidates stand in a heap of each plane
//! by weight, so that nothing is ever searched: O(log n) for each change of a candidate. The paper adds up what its
//! Table I gives for reading and writing a page of the source's level; where a page goes is not known yet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::support::{MinHeaps, from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::flash::{Geometry, Timing};
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Weight of a valid page of each level, the fastest (SLC-like) first. Default: tR + tPROG of the level, ns.
    weights: Option<Vec<u32>>,
}

const WEIGHT: Metric = Metric {
    name: "victim_weight",
    unit: "ns",
    about: "Weights of victims, added up: array time of relocating what they held, unless `weights` is set.",
};

const LIGHTER: Metric = Metric {
    name: "lighter_but_fuller",
    unit: "blocks",
    about: "Victims with more valid pages than the second-lightest candidate: greedy would choose others.",
};

pub const MEMBER: Member<Build> = Member {
    name: "word-line",
    about: "least array time to relocate its valid pages, by page level (word-line-aware GC)",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[WEIGHT, LIGHTER],
    build: |choice, context| {
        let (geometry, timing) = (&context.geometry, &context.timing);
        let levels = timing.relocation_by_level();
        let given: Parameters = parameters(choice);
        let weights = match given.weights {
            None => levels.iter().map(|time| time.0).collect::<Vec<u64>>(),
            Some(weights) if weights.len() == levels.len() => weights.into_iter().map(u64::from).collect(),
            Some(weights) => {
                let reason = "give one for each level, the fastest first";
                return Err(format!("{} weights for {} page levels; {reason}", weights.len(), levels.len()));
            }
        };
        Ok(Box::new(WordLine::new(&weights, geometry, timing)))
    },
};

struct WordLine {
    /// Weight of a valid page by its number in the block, see `SCALE`.
    of_page: Box<[u128]>,
    state: State,
    victim_weight: u64,
    lighter_but_fuller: u64,
}

#[derive(Serialize, Deserialize)]
struct State {
    /// Weight of each block, candidate or not, see `SCALE`.
    weights: Vec<u128>,
    /// The candidates of each plane, the lightest first.
    heaps: MinHeaps,
}

/// Weights are kept times this, plus the number of valid pages: of blocks that weigh the same the one with fewer valid
/// pages is lighter, so that collection makes progress also where pages weigh nothing.
const SCALE: u128 = 1 << 16;

impl WordLine {
    fn new(weights: &[u64], geometry: &Geometry, timing: &Timing) -> Self {
        let of_page = (0..geometry.pages_per_block)
            .map(|page| u128::from(weights[timing.level(page) as usize]) * SCALE + 1)
            .collect();
        let state = State { weights: vec![0; geometry.blocks() as usize], heaps: MinHeaps::new(geometry) };
        Self { of_page, state, victim_weight: 0, lighter_but_fuller: 0 }
    }

    /// A candidate has become lighter. It joins the heap when collecting it wins anything: the lightest of those that
    /// win nothing would be collected for ever.
    fn update(&mut self, block: BlockId, view: &BlockView<'_>) {
        if view.geometry.reclaimable(view.blocks.valid(block)) > 0 {
            let State { weights, heaps } = &mut self.state;
            heaps.update(view.geometry.plane_of(block), block, weights);
        }
    }

    fn weight(&self, block: BlockId) -> u64 {
        (self.state.weights[block.index()] / SCALE) as u64
    }

    fn weight_of(&self, page: Ppn, view: &BlockView<'_>) -> u128 {
        self.of_page[view.geometry.page_in_block(page) as usize]
    }
}

impl VictimPolicy for WordLine {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.update(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.update(block, view);
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.state.heaps.remove(view.geometry.plane_of(block), block, &self.state.weights);
    }

    fn listens(&self) -> BlockEvents {
        BlockEvents::PROGRAMMED.and(BlockEvents::INVALIDATED)
    }

    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) {
        match event {
            BlockEvent::Programmed(page) => self.state.weights[block.index()] += self.weight_of(page, view),
            BlockEvent::Invalidated(page) => self.state.weights[block.index()] -= self.weight_of(page, view),
            BlockEvent::Sealed | BlockEvent::Removed | BlockEvent::Erased => {}
        }
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let victim = self.state.heaps.first(plane)?;
        self.victim_weight += self.weight(victim);
        let next = self.state.heaps.second(plane, &self.state.weights);
        let emptier = next.is_some_and(|next| view.blocks.valid(next) < view.blocks.valid(victim));
        self.lighter_but_fuller += u64::from(emptier);
        Some(victim)
    }

    fn depends_on(&self) -> String {
        format!("{:?}", self.of_page)
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.state)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.state, state)
    }

    fn block_weight(&self, block: BlockId) -> Option<u64> {
        Some(self.weight(block))
    }

    fn recounted_weight(&self, block: BlockId, view: &BlockView<'_>) -> Option<u64> {
        let pages = (0..view.geometry.pages_per_block).map(|page| view.geometry.page(block, page));
        let valid = pages.filter(|page| view.map.is_valid(*page));
        Some((valid.map(|page| self.weight_of(page, view)).sum::<u128>() / SCALE) as u64)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![WEIGHT.is(self.victim_weight), LIGHTER.is(self.lighter_but_fuller)]
    }
}
