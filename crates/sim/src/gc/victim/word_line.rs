//! Word-line-aware: the block whose valid pages take the least array time to relocate, which are not the fewest where
//! page levels differ. Campos et al., IEEE Latin America Transactions, sections III and IV.
//!
//! The weight of a block is kept as pages are programmed and invalidated, and candidates stand in a heap of each plane
//! by weight, so that nothing is ever searched: O(log n) for each change of a candidate. The paper adds up what its
//! Table I gives for reading and writing a page of the source's level; where a page goes is not known yet. `weigh` has
//! this and other models. The erase is the same for every block: it counts in what victims weigh, if at all, and
//! never in which is chosen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::support::{MinHeaps, from_bytes, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::flash::{Geometry, Timing};
use crate::gc::events::{BlockEvent, BlockEvents};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{SWITCH, reading, unprinted};
use crate::time::Nanos;

/// What a valid page adds to the weight of its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Weigh {
    /// tR of its level: what the program that the paper's authors published compares.
    Read,
    /// tR + tPROG of its level, as if it went to a page of the same level: the paper's model.
    ReadProgram,
    /// tR of its level + the mean tPROG of all levels: to which level it goes is not known when the victim is chosen.
    ReadMeanProgram,
}

/// Which of several blocks of the same weight is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ties {
    /// The one with the fewest valid pages, then the one with the lowest number.
    #[default]
    FewestValid,
    /// The one left unchanged longest.
    Oldest,
    /// The one with the lowest number, as a search through the plane finds it (the paper's Figure 4).
    LowestNumber,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// What a valid page adds to the weight of its block. Default: `read-program`.
    #[schemars(extend("x-alternatives" = reading(
        &["read", "read-program", "read-mean-program"],
        "The paper's text and its published program weigh differently."
    )))]
    weigh: Option<Weigh>,
    /// Instead of `weigh`: weight of a valid page of each level, the fastest (SLC-like) first.
    #[schemars(extend("x-alternatives" = unprinted(
        &["[1, 2]", "[1, 2, 4, 8]"],
        "Weights can be given by rank instead of by times."
    )))]
    weights: Option<Vec<u32>>,
    /// Whether `victim_weight` counts tBERS for each victim.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "The erase is in one of the paper's equations and left out of another."
    )))]
    erase: bool,
    /// Which of several blocks of the same weight is taken.
    #[schemars(extend("x-alternatives" = unprinted(
        &["fewest-valid", "oldest", "lowest-number"],
        "Which of several blocks of the same weight is taken is shown in a figure alone."
    )))]
    ties: Ties,
}

impl Parameters {
    /// Weight of a valid page of each level.
    fn weights(&self, timing: &Timing) -> Result<Vec<u64>, String> {
        let levels = timing.by_level();
        match (&self.weights, self.weigh) {
            (Some(_), Some(_)) => Err("weigh and weights: give one of them".to_owned()),
            (Some(weights), None) if weights.len() == levels.len() => {
                Ok(weights.iter().copied().map(u64::from).collect())
            }
            (Some(weights), None) => {
                let reason = "give one for each level, the fastest first";
                Err(format!("{} weights for {} page levels; {reason}", weights.len(), levels.len()))
            }
            (None, weigh) => {
                let mean = levels.iter().map(|(_, program)| program.0).sum::<u64>() / levels.len() as u64;
                let of = |(read, program): &(Nanos, Nanos)| match weigh.unwrap_or(Weigh::ReadProgram) {
                    Weigh::Read => read.0,
                    Weigh::ReadProgram => read.0 + program.0,
                    Weigh::ReadMeanProgram => read.0 + mean,
                };
                Ok(levels.iter().map(of).collect())
            }
        }
    }
}

const WEIGHT: Metric = Metric {
    name: "victim_weight",
    unit: "ns",
    about: "Weights of victims, added up: array time of relocating what they held, as `weigh` counts it, \
            unless `weights` is set; with `erase` that of erasing them, too.",
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
        let given: Parameters = parameters(choice);
        let erase = if given.erase { timing.t_erase().0 } else { 0 };
        Ok(Box::new(WordLine::new(&given.weights(timing)?, erase, given.ties, geometry, timing)))
    },
};

struct WordLine {
    /// What a valid page adds to the key of its block, by its number in the block, see `SCALE`.
    of_page: Box<[u128]>,
    /// Added once for each victim, ns.
    erase: u64,
    ties: Ties,
    state: State,
    victim_weight: u64,
    lighter_but_fuller: u64,
}

#[derive(Serialize, Deserialize)]
struct State {
    /// What each block is compared by, candidate or not, see `SCALE`.
    keys: Vec<u128>,
    /// The candidates of each plane, the lightest first.
    heaps: MinHeaps,
    /// Changes of candidates so far, where `ties` asks for the oldest.
    changes: u64,
}

/// A key is the weight of the block times this, plus what decides among blocks of the same weight: the number of valid
/// pages, so that collection makes progress also where pages weigh nothing, or the number of its last change.
const SCALE: u128 = 1 << 64;

impl WordLine {
    fn new(weights: &[u64], erase: u64, ties: Ties, geometry: &Geometry, timing: &Timing) -> Self {
        let one = u128::from(ties == Ties::FewestValid);
        let of_page = (0..geometry.pages_per_block)
            .map(|page| u128::from(weights[timing.level(page) as usize]) * SCALE + one)
            .collect();
        let keys = vec![0; geometry.blocks() as usize];
        let state = State { keys, heaps: MinHeaps::new(geometry), changes: 0 };
        Self { of_page, erase, ties, state, victim_weight: 0, lighter_but_fuller: 0 }
    }

    /// A candidate has changed. It joins the heap when collecting it wins anything: the lightest of those that win
    /// nothing would be collected for ever.
    fn update(&mut self, block: BlockId, view: &BlockView<'_>) {
        let State { keys, heaps, changes } = &mut self.state;
        if self.ties == Ties::Oldest {
            *changes += 1;
            let key = &mut keys[block.index()];
            *key = *key / SCALE * SCALE + u128::from(*changes);
        }
        if view.geometry.reclaimable(view.blocks.valid(block)) > 0 {
            heaps.update(view.geometry.plane_of(block), block, keys);
        }
    }

    fn weight(&self, block: BlockId) -> u64 {
        (self.state.keys[block.index()] / SCALE) as u64
    }

    fn of_page(&self, page: Ppn, view: &BlockView<'_>) -> u128 {
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
        self.state.heaps.remove(view.geometry.plane_of(block), block, &self.state.keys);
    }

    fn listens(&self) -> BlockEvents {
        BlockEvents::PROGRAMMED.and(BlockEvents::INVALIDATED)
    }

    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) {
        match event {
            BlockEvent::Programmed(page) => self.state.keys[block.index()] += self.of_page(page, view),
            BlockEvent::Invalidated(page) => self.state.keys[block.index()] -= self.of_page(page, view),
            BlockEvent::Sealed | BlockEvent::Removed | BlockEvent::Erased => {}
        }
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let victim = self.state.heaps.first(plane)?;
        self.victim_weight += self.weight(victim) + self.erase;
        let next = self.state.heaps.second(plane, &self.state.keys);
        let emptier = next.is_some_and(|next| view.blocks.valid(next) < view.blocks.valid(victim));
        self.lighter_but_fuller += u64::from(emptier);
        Some(victim)
    }

    fn depends_on(&self) -> String {
        format!("{:?} {:?}", self.ties, self.of_page)
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
        Some((valid.map(|page| self.of_page(page, view)).sum::<u128>() / SCALE) as u64)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![WEIGHT.is(self.victim_weight), LIGHTER.is(self.lighter_but_fuller)]
    }
}
