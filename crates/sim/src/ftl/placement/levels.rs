//! What the placements by level share: lifetimes become wanted levels, and the open block with the nearest takes the
//! page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building::BuildContext;
use crate::mapping::MOST_OPEN_BLOCKS;
use crate::metric::{Metric, Reading};
use crate::registry::Conflict;
use crate::settings::alternatives::{reading, unprinted};
use crate::settings::{AssignPages, Config, GcFrontier, MultiPlane};

/// Which levels are for data that does not live long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortLived {
    /// The fast ones: the host writes them often, and what is left to collect lies on slow ones.
    #[default]
    Fast,
    /// The slow ones: what is left to collect lies on fast ones.
    Slow,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Open blocks of the host in each plane, from which the one with the wanted level is chosen.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "How many blocks are open at once is seldom printed."
    )))]
    pub open_blocks: u32,
    /// Which levels are for data that does not live long.
    #[schemars(extend("x-alternatives" = reading(
        &["fast", "slow"],
        "Short-lived data can go to fast pages, or be kept off them."
    )))]
    pub short_lived: ShortLived,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { open_blocks: 4, short_lived: ShortLived::default() }
    }
}

pub const ON_WANTED_LEVEL: Metric = Metric {
    name: "pages_on_wanted_level",
    unit: "pages",
    about: "Pages that went to the level that was wanted for them.",
};

pub const LEVELS_OFF: Metric = Metric {
    name: "levels_off",
    unit: "levels",
    about: "By how many levels pages missed the wanted one, added up.",
};

const KEY: &str = "ftl.placement";

/// What moves several pages together, or knows of one open block only, cannot choose for each page.
pub const CONFLICTS: &[Conflict] = &[
    Conflict {
        key: KEY,
        with: &["ftl.gc_frontier = shared"],
        why: "by level: pages of the host are placed among blocks of their own; use ftl.gc_frontier = \
              \"separate\"",
        applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: KEY,
        with: &["ftl.assign_pages = on-arrival"],
        why: "by level: the block is chosen when the program starts; use ftl.assign_pages = \"at-start\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: KEY,
        with: &["flash.program_unit = word-line"],
        why: "by level: a unit has pages of all levels; use flash.program_unit = \"page\"",
        applies: |config| config.flash.programs_word_lines(),
    },
    Conflict {
        key: KEY,
        with: &["flash.multi_plane = same-page", "flash.multi_plane = same-page-anywhere"],
        why: "by level: planes would have to agree on the next page; use flash.multi_plane = \"off\" or \
              \"any-page\"",
        applies: |config| {
            [MultiPlane::SamePage, MultiPlane::SamePageAnywhere].contains(&config.flash.multi_plane)
        },
    },
    Conflict {
        key: KEY,
        with: &["redundancy = raid5"],
        why: "by level: pages of a stripe are written together; use redundancy = \"none\"",
        applies: Config::is_striped,
    },
];

/// Bins of lifetimes: four to each power of two, and the last for data that never ended.
const BINS: usize = 256;
/// Lifetimes are forgotten by half when there are so many.
const REMEMBERED: u32 = 1 << 16;

/// How long data lived, counted in bins: whether a lifetime is short follows from those seen before it.
#[derive(Debug, Serialize, Deserialize)]
struct Lifetimes {
    counts: Vec<u32>,
    total: u32,
}

impl Lifetimes {
    fn new() -> Self {
        Self { counts: vec![0; BINS], total: 0 }
    }

    fn bin(lifetime: Option<u64>) -> usize {
        match lifetime {
            None => BINS - 1,
            Some(pages @ 0..4) => pages as usize,
            Some(pages) => {
                let power = pages.ilog2();
                4 * (power as usize - 1) + ((pages >> (power - 2)) & 3) as usize
            }
        }
    }

    /// Which of so many equal parts of all lifetimes it is in, 0 the shortest; it is counted itself.
    fn part(&mut self, lifetime: Option<u64>, parts: u32) -> u32 {
        let bin = Self::bin(lifetime);
        let below: u32 = self.counts[..bin].iter().sum();
        // Half of those of its own bin count as shorter.
        let twice = u64::from(2 * below + self.counts[bin]);
        let part = (twice * u64::from(parts)).checked_div(2 * u64::from(self.total)).unwrap_or(0);
        self.counts[bin] += 1;
        self.total += 1;
        if self.total == REMEMBERED {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().sum();
        }
        (part as u32).min(parts - 1)
    }
}

/// Wanted levels, and the nearest to them.
#[derive(Debug)]
pub struct Levels {
    open_blocks: u32,
    short_lived: ShortLived,
    /// Levels of a cell.
    count: u32,
    lifetimes: Lifetimes,
    on_wanted_level: u64,
    off: u64,
}

impl Levels {
    /// With checked parameters.
    ///
    /// # Errors
    /// Where there is nothing to choose among.
    pub fn new(given: &Parameters, context: &BuildContext) -> Result<Self, String> {
        let levels = context.timing.by_level().len() as u32;
        if levels == 1 {
            return Err("pages of this cell have one level; use ftl.placement = \"append\"".to_owned());
        }
        if !(2..=MOST_OPEN_BLOCKS as u32).contains(&given.open_blocks) {
            let most = MOST_OPEN_BLOCKS;
            return Err(format!("open_blocks = {}; from 2 to {most} can be open", given.open_blocks));
        }
        Ok(Self {
            open_blocks: given.open_blocks,
            short_lived: given.short_lived,
            count: levels,
            lifetimes: Lifetimes::new(),
            on_wanted_level: 0,
            off: 0,
        })
    }

    pub fn open_blocks(&self) -> u32 {
        self.open_blocks
    }

    /// The place whose next page is of the level nearest to that which data of this lifetime should have; the first
    /// among equals.
    pub fn choose(&mut self, lifetime: Option<u64>, next_levels: &[u32]) -> usize {
        let part = self.lifetimes.part(lifetime, self.count);
        let wanted = match self.short_lived {
            ShortLived::Fast => part,
            ShortLived::Slow => self.count - 1 - part,
        };
        let off = |place: &usize| next_levels[*place].abs_diff(wanted);
        let nearest = (0..next_levels.len()).min_by_key(off).expect("a block is open");
        self.on_wanted_level += u64::from(off(&nearest) == 0);
        self.off += u64::from(off(&nearest));
        nearest
    }

    pub fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.lifetimes).expect("plain tables can be written down")
    }

    pub fn load(&mut self, state: &[u8]) -> bool {
        let Ok(read) = postcard::from_bytes::<Lifetimes>(state) else { return false };
        let fits = read.counts.len() == BINS;
        if fits {
            self.lifetimes = read;
        }
        fits
    }

    pub fn metrics(&self) -> Vec<Reading> {
        vec![ON_WANTED_LEVEL.is(self.on_wanted_level), LEVELS_OFF.is(self.off)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bins_to_each_power_of_two() {
        let bins = |range: std::ops::Range<u64>| range.map(|pages| Lifetimes::bin(Some(pages)));
        assert!(bins(0..9).eq([0, 1, 2, 3, 4, 5, 6, 7, 8]));
        assert!(bins(8..17).eq([8, 8, 9, 9, 10, 10, 11, 11, 12]));
        assert_eq!((Lifetimes::bin(Some(u64::MAX)), Lifetimes::bin(None)), (251, 255));
    }

    #[test]
    fn parts_are_equal() {
        let mut lifetimes = Lifetimes::new();
        let mut parts = [0; 4];
        for turn in 0..40_000_u64 {
            parts[lifetimes.part(Some(turn % 1000), 4) as usize] += 1;
        }
        assert!(parts.iter().all(|part| (9_000..11_000).contains(part)), "{parts:?}");
        assert_eq!(lifetimes.part(None, 4), 3, "data that never ended lives longest");
    }
}
