//! Score: the block for which arithmetic that the user writes gives the lowest number, such as `valid / age`.
//!
//! A policy of one's own without a line of Rust. Every candidate is looked at for every choice, in columns.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::candidates::{Candidates, Quantity};
use super::support::to_bytes;
use super::{BlockView, Build, VictimPolicy};
use crate::expression::Expression;
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::alternatives::{Exemption, exempt};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// What is lowest for the victim, in `+ - * /`, brackets, `min(a, b)`, `max(a, b)`, `pow(a, b)`, `sqrt(a)`,
    /// `abs(a)`, `floor(a)`, names of `params`, and these numbers of a block: `valid` and `invalid` pages, `erases`,
    /// `age` (pages programmed since it last changed), `since_sealed`, `level_0`, `level_1` and so on (valid pages of a
    /// level, 0 the fastest), and `pages` (of any block). Equals: the lowest block number.
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    score: String,
    /// Numbers that `score` has names for, as in `score = "valid / pow(age, a)"` with `params = { a = 0.5 }`.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = exempt(Exemption::Identity)))]
    params: BTreeMap<String, f64>,
}

const EXAMINED: Metric = Metric {
    name: "candidates_scored",
    unit: "blocks",
    about: "Candidates whose score was computed to choose victims.",
};

pub const MEMBER: Member<Build> = Member {
    name: "score",
    about: "lowest value of arithmetic of your own, such as `valid / age`",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[EXAMINED],
    build: |choice, context| {
        let (geometry, timing) = (&context.geometry, &context.timing);
        let levels = timing.by_level().len() as u32;
        let of_level: Vec<String> = (0..levels).map(|level| format!("level_{level}")).collect();
        let mut names = vec!["valid", "invalid", "erases", "age", "since_sealed", "pages"];
        names.extend(of_level.iter().map(String::as_str));
        let given: Parameters = parameters(choice);
        let expression = Expression::read(&given.score, &names, &given.params)?;
        let known = [Some(Quantity::Valid), Some(Quantity::Invalid), Some(Quantity::Erases)];
        let known = known.into_iter().chain([Some(Quantity::Age), Some(Quantity::SinceSealed), None]);
        let quantities: Box<[_]> = known.chain((0..levels).map(|k| Some(Quantity::OfLevel(k)))).collect();
        let used: Vec<_> = (0..names.len()).filter(|name| expression.uses(*name)).collect();
        let needs = |quantity| used.iter().any(|name| quantities[*name] == Some(quantity));
        let candidates = Candidates::new(geometry, timing, needs);
        let blocks = Vec::with_capacity(geometry.blocks_per_plane as usize);
        Ok(Box::new(Score { expression, quantities, candidates, blocks, stack: Vec::new(), scored: 0 }))
    },
};

struct Score {
    expression: Expression,
    /// What each name stands for; `None`: the pages of a block.
    quantities: Box<[Option<Quantity>]>,
    candidates: Candidates,
    /// Room for the candidates of a plane, and for their numbers.
    blocks: Vec<BlockId>,
    stack: Vec<Vec<f64>>,
    scored: u64,
}

impl VictimPolicy for Score {
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>) {
        self.candidates.changed(block, view);
    }

    fn on_invalidated(&mut self, block: BlockId, _: Ppn, view: &BlockView<'_>) {
        self.candidates.changed(block, view);
    }

    fn on_removed(&mut self, _: BlockId, _: &BlockView<'_>) {}

    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId> {
        let Self { expression, quantities, candidates, blocks, stack, .. } = self;
        blocks.clear();
        Candidates::each_of_plane(plane, view, |block| blocks.push(block));
        self.scored += blocks.len() as u64;
        let pages = f64::from(view.geometry.pages_per_block);
        let scores = expression.compute(blocks.len(), stack, |name, into| match quantities[name] {
            Some(quantity) => {
                into.extend(blocks.iter().map(|block| candidates.of(quantity, *block, view) as f64));
            }
            None => into.resize(blocks.len(), pages),
        });
        lowest(scores).map(|position| blocks[position])
    }

    fn depends_on(&self) -> String {
        self.candidates.depends_on()
    }

    fn save(&self) -> Vec<u8> {
        to_bytes(&self.candidates.save())
    }

    fn load(&mut self, state: &[u8]) -> bool {
        self.candidates.load(state)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![EXAMINED.is(self.scored)]
    }
}

/// The first of the lowest numbers. What is no number (0 / 0) counts as higher than any.
fn lowest(scores: &[f64]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (position, score) in scores.iter().enumerate() {
        let score = if score.is_nan() { f64::INFINITY } else { *score };
        if best.is_none_or(|(_, least)| score < least) {
            best = Some((position, score));
        }
    }
    best.map(|(position, _)| position)
}
