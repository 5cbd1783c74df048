//! What an experiment is made of, what follows from it for one block, and its pools of blocks.

use crate::random::RandomStream;
use crate::settings::ConfigError;

/// Page levels of a QLC block.
pub const LEVELS: usize = 4;

/// Valid pages of a block on each level.
pub type Counts = [u16; LEVELS];

/// How valid pages are drawn. Both ways have the same distribution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Drawing {
    /// The number of valid pages of each level of a block at once.
    #[default]
    ByLevel,
    /// Each page by itself, as the published program does.
    ByPage,
}

/// One experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Blocks of a pool.
    pub blocks: u32,
    /// Pages of a block, a quarter on each level.
    pub pages_per_block: u32,
    /// Chance of a page to be valid, in per cent: a pool for each and for each batch.
    pub valid_percents: Vec<u32>,
    /// Pools of the same chance.
    pub batches: u32,
    /// How validity is drawn.
    pub drawing: Drawing,
    /// Weight of a valid page of each level, by which word-line-aware GC compares blocks.
    pub weights: [u32; LEVELS],
    /// Time to relocate a valid page of each level, ns.
    pub relocation_ns: [u32; LEVELS],
    /// Time to erase a block, ns.
    pub erase_ns: u32,
    /// Of every draw.
    pub seed: u64,
}

impl Experiment {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let most_pages = LEVELS as u32 * u32::from(u16::MAX);
        let refuse = |key, reason: &str| Err(ConfigError::at(key, reason));
        if self.blocks < 4 {
            return refuse("blocks", "a quarter of them is chosen: give 4 or more");
        }
        let pages = self.pages_per_block;
        if pages == 0 || !pages.is_multiple_of(LEVELS as u32) || pages > most_pages {
            return refuse("pages_per_block", "give a multiple of 4, for 4 levels, up to 262140");
        }
        if self.batches == 0 {
            return refuse("batches", "give 1 or more");
        }
        if self.valid_percents.iter().any(|percent| *percent > 100) {
            return refuse("valid_percents", "give whole percentages, 100 at most");
        }
        for (key, of_level) in [("weights", self.weights), ("relocation_ns", self.relocation_ns)] {
            let of_full_block: u64 = of_level.iter().map(|of_page| u64::from(*of_page)).sum();
            if of_full_block * u64::from(self.pages_per_level()) > u64::from(u32::MAX) {
                return refuse(key, "those of all pages of a block must add up to less than 2^32");
            }
        }
        Ok(())
    }

    pub(super) fn pages_per_level(&self) -> u16 {
        (self.pages_per_block / LEVELS as u32) as u16
    }

    pub(super) fn victims(&self) -> u32 {
        self.blocks / 4
    }

    pub(super) fn weight(&self, block: Counts) -> u32 {
        sum_of(block, &self.weights)
    }

    pub(super) fn relocation_ns(&self, block: Counts) -> u32 {
        sum_of(block, &self.relocation_ns)
    }

    pub(super) fn latency_ns(&self, block: Counts) -> u64 {
        u64::from(self.relocation_ns(block)) + u64::from(self.erase_ns)
    }
}

fn sum_of(block: Counts, of_level: &[u32; LEVELS]) -> u32 {
    block.iter().zip(of_level).map(|(pages, of_page)| u32::from(*pages) * of_page).sum()
}

// Blocks of one fill level in one batch, and which of them each policy takes.

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

// A number of successes drawn at once, from the distribution itself.

/// Top bits of a draw that find where to begin looking: few steps are left from there.
const GUIDE_BITS: u32 = 12;

/// The binomial distribution of `trials` with one probability, drawn by inversion: the least k whose cumulative
/// probability is above the draw.
///
/// Exact but for rounding: the draw has 64 bits, and probabilities are sums of doubles. They are made by the four
/// basic operations alone, which round the same on every machine.
#[derive(Debug)]
pub struct Binomial {
    /// Cumulative probability of k = 0 … trials - 1, times 2^64.
    cumulative: Box<[u64]>,
    /// For each value of the top bits: the least k that a draw with these can give.
    guide: Box<[u16]>,
}

impl Binomial {
    /// Of `trials` that each succeed with `probability`, 0 to 1.
    pub fn new(trials: u16, probability: f64) -> Self {
        let terms = terms(trials, probability);
        let total: f64 = terms.iter().sum();
        let mut sum = 0.0;
        let cumulative: Box<[u64]> = terms[..usize::from(trials)]
            .iter()
            .map(|term| {
                sum += term;
                // Saturates where rounding makes it 1.
                (sum / total * 2_f64.powi(64)) as u64
            })
            .collect();
        let first = |top: u64| cumulative.partition_point(|upto| *upto <= top << (64 - GUIDE_BITS)) as u16;
        let guide = (0..1 << GUIDE_BITS).map(first).collect();
        Self { cumulative, guide }
    }

    /// A number of successes.
    #[inline]
    pub fn draw(&self, stream: &mut RandomStream) -> u16 {
        let bits = stream.bits();
        let mut successes = self.guide[(bits >> (64 - GUIDE_BITS)) as usize];
        while self.cumulative.get(usize::from(successes)).is_some_and(|upto| *upto <= bits) {
            successes += 1;
        }
        successes
    }
}

/// Probabilities of 0 … trials successes, all times the same number: that of the most likely is 1.
///
/// From there each follows from its neighbour by a ratio, so that small ones are as exact as large ones.
fn terms(trials: u16, probability: f64) -> Vec<f64> {
    let (n, p, q) = (f64::from(trials), probability, 1.0 - probability);
    let likeliest = (((n + 1.0) * p) as usize).min(usize::from(trials));
    let mut terms = vec![1.0; usize::from(trials) + 1];
    for k in likeliest..usize::from(trials) {
        terms[k + 1] = terms[k] * ((n - k as f64) * p) / ((k + 1) as f64 * q);
    }
    for k in (0..likeliest).rev() {
        terms[k] = terms[k + 1] * ((k + 1) as f64 * q) / ((n - k as f64) * p);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_the_binomial_coefficients() {
        let terms = terms(6, 0.25);
        let total: f64 = terms.iter().sum();
        let expected = [729.0, 1458.0, 1215.0, 540.0, 135.0, 18.0, 1.0].map(|ways: f64| ways / 4096.0);
        for (term, expected) in terms.iter().zip(expected) {
            assert!((term / total - expected).abs() < 1e-15, "{terms:?}");
        }
    }

    #[test]
    fn certainties_are_certain() {
        let mut stream = RandomStream::new(1, "draws");
        let (never, always) = (Binomial::new(256, 0.0), Binomial::new(256, 1.0));
        for _ in 0..1000 {
            assert_eq!((never.draw(&mut stream), always.draw(&mut stream)), (0, 256));
        }
        assert_eq!(Binomial::new(0, 0.3).draw(&mut stream), 0);
    }

    /// Every k comes as often as it should, far into the tails: chi-squared over all k that are expected 10 times.
    #[test]
    fn every_number_comes_as_often_as_it_should() {
        for (trials, probability) in [(16, 0.5), (256, 0.05), (256, 0.95), (1024, 0.3), (4096, 0.75)] {
            let draws = 400_000;
            let binomial = Binomial::new(trials, probability);
            let mut stream = RandomStream::new(7, "draws");
            let mut seen = vec![0_u32; usize::from(trials) + 1];
            (0..draws).for_each(|_| seen[usize::from(binomial.draw(&mut stream))] += 1);

            let terms = terms(trials, probability);
            let total: f64 = terms.iter().sum();
            let expected = terms.iter().map(|term| term / total * f64::from(draws));
            let common: Vec<_> = seen.iter().zip(expected).filter(|(_, expected)| *expected > 10.0).collect();
            let chi_squared: f64 =
                common.iter().map(|(seen, expected)| (f64::from(**seen) - expected).powi(2) / expected).sum();
            let freedom = common.len() as f64;
            // Its mean is the degrees of freedom, its variance twice that.
            let off = (chi_squared - freedom) / (2.0 * freedom).sqrt();
            assert!(off.abs() < 4.0, "{trials} {probability}: {chi_squared} for {freedom}");
        }
    }
}
