//! Blocks of one fill level in one batch, and which of them each policy takes.

use super::binomial::Binomial;
use super::experiment::{Counts, Drawing, Experiment, LEVELS};
use crate::random::RandomStream;

/// Blocks between two looks at whether to stop.
const BLOCKS_PER_LOOK: usize = 1 << 14;

/// Blocks to choose victims from.
pub struct Pool<'a> {
    experiment: &'a Experiment,
    blocks: Vec<Counts>,
    victims: RandomStream,
}

/// What a policy's victims hold and cost, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Selected {
    /// Valid pages of all victims.
    pub valid_pages: u64,
    /// Time to relocate these and to erase each victim, ns.
    pub latency_ns: u64,
}

/// A policy by its name.
pub type Policy = (&'static str, fn(&Pool<'_>) -> Selected);

/// Every policy takes a quarter of the pool.
pub const POLICIES: [Policy; 6] = [
    ("word-line", |pool| pool.least(|block| pool.experiment.weight(block))),
    ("greedy", |pool| pool.least(valid)),
    ("arbitrary", |pool| pool.sum(pool.blocks.iter().copied().take(pool.victims()))),
    ("random", |pool| pool.at_random()),
    // The dearest by what they cost: no choice of as many can cost more.
    ("worst", |pool| pool.least(|block| u32::MAX - pool.experiment.relocation_ns(block))),
    ("published-replica", |pool| pool.lightest_over_and_over()),
];

fn valid(block: Counts) -> u32 {
    block.iter().map(|pages| u32::from(*pages)).sum()
}

impl<'a> Pool<'a> {
    /// Draws every block, or nothing when `stop` says so.
    pub fn draw(
        experiment: &'a Experiment,
        valid_percent: u32,
        batch: u32,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let stream = |what: &str| {
            RandomStream::new(experiment.seed, &format!("word-line {what} {valid_percent} {batch}"))
        };
        let probability = f64::from(valid_percent) / 100.0;
        let of_level = experiment.pages_per_level();
        let binomial = Binomial::new(of_level, probability);
        let mut validity = stream("validity");
        let mut blocks = Vec::with_capacity(experiment.blocks as usize);
        for block in 0..experiment.blocks as usize {
            if block.is_multiple_of(BLOCKS_PER_LOOK) && stop() {
                return None;
            }
            let draw = |_| match experiment.drawing {
                Drawing::ByLevel => binomial.draw(&mut validity),
                Drawing::ByPage => {
                    (0..of_level).map(|_| u16::from(happens(probability, &mut validity))).sum()
                }
            };
            blocks.push([0; LEVELS].map(draw));
        }
        Some(Self { experiment, blocks, victims: stream("victims") })
    }

    /// Valid pages of each block on each level.
    pub fn blocks(&self) -> &[Counts] {
        &self.blocks
    }

    fn victims(&self) -> usize {
        self.experiment.victims() as usize
    }

    fn sum(&self, victims: impl Iterator<Item = Counts>) -> Selected {
        victims.fold(Selected::default(), |sum, block| Selected {
            valid_pages: sum.valid_pages + u64::from(valid(block)),
            latency_ns: sum.latency_ns + self.experiment.latency_ns(block),
        })
    }

    /// The blocks of least `key`; of several equals those that come first.
    fn least(&self, key: impl Fn(Counts) -> u32) -> Selected {
        let keyed = |(at, block): (usize, &Counts)| u64::from(key(*block)) << 32 | at as u64;
        let mut keys: Vec<u64> = self.blocks.iter().enumerate().map(keyed).collect();
        let (chosen, last, _) = keys.select_nth_unstable(self.victims() - 1);
        let at = |key: &u64| self.blocks[*key as u32 as usize];
        self.sum(chosen.iter().chain([&*last]).map(at))
    }

    /// Any quarter, all equally likely: each block in turn with the chance that fills what is left to fill.
    fn at_random(&self) -> Selected {
        let mut stream = self.victims.clone();
        let (mut wanted, mut left) = (self.victims() as u32, self.blocks.len() as u32);
        self.sum(self.blocks.iter().copied().filter(|_| {
            let taken = stream.below(left) < wanted;
            wanted -= u32::from(taken);
            left -= 1;
            taken
        }))
    }

    /// What the published program counts for word-line-aware GC: its search keeps the lightest block found so far from
    /// one victim to the next, so that it "selects" the lightest of all again and again.
    fn lightest_over_and_over(&self) -> Selected {
        let lightest = self.blocks.iter().copied().min_by_key(|block| self.experiment.weight(*block));
        self.sum(lightest.into_iter().cycle().take(self.victims()))
    }
}

/// True with this probability, to 53 bits: what is certain is certain.
fn happens(probability: f64, stream: &mut RandomStream) -> bool {
    ((stream.bits() >> 11) as f64) * 2_f64.powi(-53) < probability
}
