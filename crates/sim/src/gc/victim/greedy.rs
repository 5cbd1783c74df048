//! Greedy: the block with the fewest valid pages; among equals the one left unchanged longest, or the lowest number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::support::{BucketLists, from_bytes, to_bytes};
use super::{BlockView, Build, Losses, VictimPolicy};
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::unprinted;

/// Which of several equally good blocks is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Ties {
    /// The one left unchanged longest.
    #[default]
    Oldest,
    /// The one with the lowest number, as a search through the plane finds it (MQSim).
    LowestNumber,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Which of several equally good blocks is taken.
    #[schemars(extend("x-alternatives" = unprinted(
        &["oldest", "lowest-number"],
        "Which of several equally good blocks is taken is printed nowhere."
    )))]
    ties: Ties,
}

const EMPTY: Metric = Metric {
    name: "empty_victims",
    unit: "blocks",
    about: "Victims that held nothing valid, so that nothing had to be moved.",
};

pub const MEMBER: Member<Build> = Member {
    name: "greedy",
    about: "fewest valid pages; among equals the block left unchanged longest",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[EMPTY],
    build: |choice, context| {
        let geometry = &context.geometry;
        let ties = parameters::<Parameters>(choice).ties;
        Ok(Box::new(Greedy { ties, lists: BucketLists::new(geometry), empty: 0 }))
    },
};

struct Greedy {
    ties: Ties,
    lists: BucketLists,
    empty: u64,
}

impl VictimPolicy for Greedy {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.lists.insert(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.lists.demote(block, view);
    }

    fn prefetch(&self, block: BlockId, is_here: bool, view: &BlockView<'_>) {
        self.lists.prefetch(block, is_here, view);
    }

    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.lists.remove(block, view.blocks.valid(block), view);
    }

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let victim = match self.ties {
            Ties::Oldest => self.lists.first(plane),
            Ties::LowestNumber => self.lists.lowest_number(plane),
        };
        self.empty += u64::from(victim.is_some_and(|block| view.blocks.valid(block) == 0));
        victim
    }

    fn by_plane(&mut self) -> Option<Losses<'_>> {
        Some(Losses::Listed(&mut self.lists))
    }

    fn chooses_in_turn(&self) -> bool {
        false
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.lists)
    }

    fn load(&mut self, state: &[u8]) -> bool {
        from_bytes(&mut self.lists, state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![EMPTY.is(self.empty)]
    }
}
