//! Seam `ftl.mapping_cache`: which part of the mapping is in the controller's memory, where not all of it is.

mod held;
mod lru;

pub(crate) use held::{Held, Unit};

use crate::building;
use crate::ids::Lpn;
use crate::mapping::TranslationCounts;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, members};
use crate::settings::alternatives::reading;
use crate::settings::{AssignPages, GcFrontier};

/// What it takes to know where a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookUp {
    /// Whether its translation page must be read first.
    pub misses: bool,
    /// A translation page, by its number, that must be written because what was changed of it leaves memory.
    pub write_back: Option<u32>,
}

impl LookUp {
    /// It is known.
    pub const KNOWN: Self = Self { misses: false, write_back: None };
}

/// Decides which entries of the mapping stay in memory. Where the pages themselves lie is the drive's.
pub trait MappingCache: Send {
    /// The host reads a page, or writes it and so changes its entry.
    fn look_up(&mut self, lpn: Lpn, changes: bool) -> LookUp;

    /// Collection or a trim has changed the entry of a page. Tells whether that is noted in memory, so that its
    /// translation page need not be written now.
    fn change(&mut self, lpn: Lpn) -> bool;

    /// A translation page, by its number, is written with all that memory knows of it.
    fn written(&mut self, page: u32);

    /// Whether memory holds translation pages as they are, so that nothing is read before one is written.
    fn holds_whole_pages(&self) -> bool;

    /// Memory of its own tables, bytes.
    fn bytes(&self) -> u64 {
        0
    }

    /// Its state, for a snapshot.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }

    /// What became of the mapping.
    fn metrics(&self, counts: &TranslationCounts) -> Vec<Reading> {
        let TranslationCounts { look_ups, misses, reads, programs } = *counts;
        vec![LOOK_UPS.is(look_ups), MISSES.is(misses), READS.is(reads), PROGRAMS.is(programs)]
    }
}

const LOOK_UPS: Metric =
    Metric { name: "mapping_look_ups", unit: "pages", about: "Pages of the host that were looked up." };

const MISSES: Metric = Metric {
    name: "mapping_misses",
    unit: "pages",
    about: "Those whose entry was not in memory; 1 minus their share is the hit ratio.",
};

const READS: Metric = Metric {
    name: "translation_reads",
    unit: "pages",
    about: "Translation pages read from flash: for entries that were not in memory, and before a part of \
            one is written.",
};

const PROGRAMS: Metric = Metric {
    name: "translation_programs",
    unit: "pages",
    about: "Translation pages programmed, but for those that collection moves: they count as write \
            amplification.",
};

/// Of whoever has translation pages.
const METRICS: &[Metric] = &[LOOK_UPS, MISSES, READS, PROGRAMS];

const KEY: &str = "ftl.mapping_cache";

/// Translation pages are data of the host's kind that nobody else knows of, in open blocks of their own.
const CONFLICTS: &[Conflict] = &[
    Conflict {
        key: KEY,
        with: &["any redundancy but none"],
        why: "translation pages: they and parity would have the same numbers behind the user's; use \
              redundancy = { kind = \"none\" }, or ftl.mapping_cache = \"all\"",
        applies: |config| config.redundancy.kind != "none",
    },
    Conflict {
        key: KEY,
        with: &["any gc.relocation but controller and copyback"],
        why: "translation pages: this gc.relocation learns from pages that the host writes, or lifts them \
              into a buffer where the host finds them; use gc.relocation = \"controller\" or \"copyback\"",
        applies: |config| !["controller", "copyback"].contains(&config.gc.relocation.kind.as_str()),
    },
    Conflict {
        key: KEY,
        with: &["any ftl.placement but append"],
        why: "translation pages: they have open blocks of their own, and this placement chooses among all by \
              the level of the next page; use ftl.placement = \"append\"",
        applies: |config| config.ftl.placement.kind != "append",
    },
    Conflict {
        key: KEY,
        with: &["ftl.gc_frontier = shared"],
        why: "translation pages: they have open blocks of their own; use ftl.gc_frontier = \"separate\"",
        applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: KEY,
        with: &["ftl.assign_pages = on-arrival"],
        why: "translation pages: their open block is chosen when the program starts; use ftl.assign_pages = \
              \"at-start\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    },
];

/// Builds a member.
pub type Build = building::Build<dyn MappingCache>;

members! {
    /// Members of the seam.
    "ftl.mapping_cache", Build, reading(
        &["pages", "dftl"],
        "Where a part of the mapping is held, papers hold single entries, and firmware pages of it."
    );
    all,
    pages,
    dftl,
}
