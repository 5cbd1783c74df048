//! d-choices (randomised greedy, RGA): draw d full blocks of the plane, with replacement, and take the one with the
//! fewest valid pages. Van Houdt, SIGMETRICS 2013; Li, Lee and Lui, SIGMETRICS 2013.

use schemars::JsonSchema;
use serde::Deserialize;

use super::support::{self, CandidateSet, to_bytes};
use super::{BlockView, Build, Losses, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::random::RandomStream;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Blocks drawn, at most 65535. Default: log2 of the blocks in a plane, as MQSim's RGA.
    #[schemars(extend("x-alternatives" = unprinted(
        &["2", "8", "16"],
        "How many blocks are drawn is MQSim's own, and seldom printed."
    )))]
    d: Option<std::num::NonZeroU16>,
}

const EXAMINED: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates whose valid pages were looked at to choose victims.",
};

pub const MEMBER: Member<Build> = Member {
    name: "d-choices",
    about: "draw d full blocks of the plane, take the one with the fewest valid pages",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[EXAMINED],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        let d = given.d.map_or(geometry.blocks_per_plane.ilog2().max(1), |d| u32::from(d.get()));
        Ok(Box::new(DChoices {
            d,
            candidates: CandidateSet::new(geometry),
            stream: context.stream("victim"),
            examined: 0,
        }))
    },
};

struct DChoices {
    d: u32,
    candidates: CandidateSet,
    stream: RandomStream,
    examined: u64,
}

impl VictimPolicy for DChoices {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.insert(block, view);
    }

    fn on_invalidated(&mut self, _: BlockId, _: Ppn, _: &BlockView<'_>) {}

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.remove(block, view);
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let count = self.candidates.len(plane);
        if count == 0 {
            return None;
        }
        self.examined += u64::from(self.d);
        let draw = (0..self.d).map(|_| self.candidates.at(plane, self.stream.below(count)));
        // `min_by_key` keeps the first of equals: the one drawn first.
        draw.min_by_key(|block| view.blocks.valid(*block))
    }

    fn by_plane(&mut self) -> Option<Losses<'_>> {
        Some(Losses::Ignored)
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&(&self.candidates, &self.stream))
    }

    fn load(&mut self, state: &[u8]) -> bool {
        support::restored(state)
            .map(|(candidates, stream)| (self.candidates, self.stream) = (candidates, stream))
            .is_some()
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![EXAMINED.is(self.examined)]
    }
}
