//! Random with a threshold: draw full blocks of the plane, with replacement, until one holds enough invalid pages, and
//! take that. MQSim's RANDOM_PP, which it calls RANDOM++ after Van Houdt, SIGMETRICS 2013.
//!
//! Every draw is of one of the plane's candidates, all equally likely, and the first with at least the threshold ends
//! the search, so a block that qualifies at once costs one number of the stream. After `draws` draws without one, the
//! block with the fewest valid pages of those drawn is taken, the one drawn first among equals. (MQSim draws among all
//! blocks, also free and open ones, as often as a plane has blocks, and then takes what it drew last.)

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use super::support::{self, CandidateSet, to_bytes};
use super::{BlockView, Build, VictimPolicy};
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::random::RandomStream;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Ratio;
use crate::settings::alternatives::unprinted;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Share of a block's pages that must be invalid, rounded down, at least one page. Default: the share of the
    /// drive's pages that are spare, as MQSim's RANDOM_PP.
    #[serde(deserialize_with = "share_of_a_block")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["5%", "20%"],
        "From which share of invalid pages a block qualifies is MQSim's own."
    )))]
    invalid: Option<Ratio>,
    /// Most blocks drawn for a victim, at most 65535; if none of them qualifies, the emptiest of them is taken.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How often is drawn before any block is taken is not printed."
    )))]
    draws: std::num::NonZeroU16,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { invalid: None, draws: std::num::NonZeroU16::new(64).expect("64 is not 0") }
    }
}

/// A share that a block can have: no block has more invalid pages than pages.
fn share_of_a_block<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Ratio>, D::Error> {
    let share = Ratio::deserialize(given)?;
    if share.ppm > 1_000_000 {
        return Err(de::Error::custom(format!("invalid = \"{share}\" of a block: must be at most 100%")));
    }
    Ok(Some(share))
}

/// Invalid pages that end the search.
fn threshold(invalid: Option<Ratio>, geometry: &Geometry) -> u32 {
    let pages = u64::from(geometry.pages_per_block);
    let spare = u64::from(geometry.spare_pages());
    // Both shares are at most 1, so the result is at most the pages of a block.
    let least = invalid.map_or(spare * pages / u64::from(geometry.pages()), |share| share.of(pages));
    least.max(1) as u32
}

const EXAMINED: Metric = Metric {
    name: "candidates_examined",
    unit: "blocks",
    about: "Candidates whose valid pages were looked at to choose victims.",
};

const BELOW: Metric = Metric {
    name: "victims_below_threshold",
    unit: "blocks",
    about: "Victims that held too few invalid pages, as did every other block that was drawn for them.",
};

pub const MEMBER: Member<Build> = Member {
    name: "random-threshold",
    about: "draw full blocks of the plane until one holds enough invalid pages",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[EXAMINED, BELOW],
    build: |choice, context| {
        let geometry = &context.geometry;
        let given: Parameters = parameters(choice);
        Ok(Box::new(RandomThreshold {
            // Of a full block, every page that is not invalid is valid.
            most_valid: geometry.pages_per_block - threshold(given.invalid, geometry),
            draws: u32::from(given.draws.get()),
            candidates: CandidateSet::new(geometry),
            stream: context.stream("victim"),
            examined: 0,
            below: 0,
        }))
    },
};

struct RandomThreshold {
    /// Valid pages that a block may have and still hold enough invalid ones.
    most_valid: u32,
    draws: u32,
    candidates: CandidateSet,
    stream: RandomStream,
    examined: u64,
    below: u64,
}

impl VictimPolicy for RandomThreshold {
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
        let mut emptiest = (u32::MAX, BlockId::NONE);
        for _ in 0..self.draws {
            let block = self.candidates.at(plane, self.stream.below(count));
            self.examined += 1;
            let valid = view.blocks.valid(block);
            // Only fewer is better: the one drawn first of equals stays.
            if valid < emptiest.0 {
                emptiest = (valid, block);
            }
            if valid <= self.most_valid {
                break;
            }
        }
        self.below += u64::from(emptiest.0 > self.most_valid);
        Some(emptiest.1)
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
        vec![EXAMINED.is(self.examined), BELOW.is(self.below)]
    }
}
