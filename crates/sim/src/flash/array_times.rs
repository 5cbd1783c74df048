//! How long the array of a block works: by the level of a page, and by how often the block was erased.

use crate::settings::{FlashConfig, LevelTimes, ProgramUnit, Ratio, StaticCache, TimesByWear};
use crate::time::Nanos;

/// Times of the array for blocks from so many erases on.
#[derive(Debug, Clone)]
pub struct ArrayTimes {
    /// Erases of a block from which these times hold.
    from: u32,
    /// tR and tPROG of each page of a block, ns: they differ by page level.
    read: Box<[Nanos]>,
    program: Box<[Nanos]>,
    /// tR and tPROG of each page level, whatever the program unit, ns.
    by_level: Box<[(Nanos, Nanos)]>,
    /// tBERS: array time of a block erase, ns.
    pub erase: Nanos,
    /// What each repetition of a read adds, if not tR of the page, ns.
    pub retry: Option<Nanos>,
}

/// A share of a time, rounded to the nearest nanosecond, halves up.
fn share(time: Nanos, factor: Ratio) -> Nanos {
    Nanos(((u128::from(time.0) * u128::from(factor.ppm) + 500_000) / 1_000_000) as u64)
}

fn per_level(times: &LevelTimes, levels: u32) -> Box<[Nanos]> {
    match times {
        LevelTimes::Same(time) => vec![time.0; levels as usize].into(),
        LevelTimes::PerLevel(list) => list.iter().map(|time| time.0).collect(),
    }
}

impl ArrayTimes {
    /// Those of a row, for blocks whose pages have these levels.
    pub(super) fn new(flash: &FlashConfig, row: TimesByWear, level_of_pages: &[u32]) -> Self {
        let worn = |times: &LevelTimes, factor| -> Box<[Nanos]> {
            per_level(times, flash.cell.levels()).iter().map(|time| share(*time, factor)).collect()
        };
        let (reads, programs) = (worn(&flash.t_read, row.read), worn(&flash.t_program, row.program));
        let per_page = |of_level: &[Nanos]| -> Box<[Nanos]> {
            level_of_pages.iter().map(|level| of_level[*level as usize]).collect()
        };
        let (read, mut program) = (per_page(&reads), per_page(&programs));
        if flash.program_unit == ProgramUnit::WordLine {
            // A unit has a page of every level, and is done when the slowest is.
            program.fill(programs.iter().copied().max().unwrap_or_default());
        }
        Self {
            from: row.erases,
            read,
            program,
            by_level: reads.iter().copied().zip(programs.iter().copied()).collect(),
            erase: share(flash.t_erase.0, row.erase),
            retry: flash.read_retry.t_retry.map(|time| share(time.0, row.read)),
        }
    }

    /// The same where each cell holds one bit: of a time that the cache does not name, that of the fastest level.
    pub(super) fn in_single_level_mode(&self, cache: &StaticCache) -> Self {
        let (read, program) = self.by_level[0];
        let mut times = self.clone();
        times.read.fill(cache.t_read.map_or(read, |time| time.0));
        times.program.fill(cache.t_program.map_or(program, |time| time.0));
        times
    }

    /// Those of each row of `flash.wear`, and before the first those of the drive.
    pub(super) fn by_wear(flash: &FlashConfig, level_of_pages: &[u32]) -> Box<[Self]> {
        let fresh = flash.wear.first().is_none_or(|row| row.erases > 0).then_some(TimesByWear::NONE);
        let rows = fresh.into_iter().chain(flash.wear.iter().copied());
        rows.map(|row| Self::new(flash, row, level_of_pages)).collect()
    }

    /// Those that hold for a block erased so often; `stages` are in ascending order, from no erases on.
    pub(super) fn of(stages: &[Self], erases: u32) -> &Self {
        &stages[stages.partition_point(|stage| stage.from <= erases) - 1]
    }

    /// tR and tPROG of each page level, ns, the fastest first: their sum is the array time of relocating a page to one
    /// of the same level.
    pub fn by_level(&self) -> &[(Nanos, Nanos)] {
        &self.by_level
    }

    /// tR of a page.
    #[inline]
    pub fn t_read(&self, page_in_block: u32) -> Nanos {
        self.read[page_in_block as usize]
    }

    /// tPROG of a page.
    #[inline]
    pub fn t_program(&self, page_in_block: u32) -> Nanos {
        self.program[page_in_block as usize]
    }
}
