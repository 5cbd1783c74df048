//! Seam `ftl.separation`: which pages are kept in blocks apart from others, and so are likely to die together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building::{self, BuildContext};
use crate::flash::Geometry;
use crate::future::Future;
use crate::ids::Lpn;
use crate::mapping::{PageMove, PageWrite};
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, members};
use crate::settings::alternatives::scope;
use crate::settings::{AssignPages, Config, GcFrontier, MultiPlane};

/// Open blocks that a plane may have for the host, one for each class.
pub const OPEN_BLOCKS: std::ops::RangeInclusive<u32> = 2..=8;

/// Where pages go that collection relocates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relocated {
    /// All to one open block of the plane.
    #[default]
    Together,
    /// Each to an open block for the class of the data that the host has written last of it.
    ByClass,
}

/// What a separation asks of the drive.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Number of classes of what the host writes, each with an open block in every plane.
    pub classes: u32,
    /// Number of classes of relocated pages, each with an open block in every plane; 1: all lie together.
    pub relocated: u32,
    /// What it goes by.
    pub knows: Knows,
}

/// What a separation goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knows {
    /// The stream that a request names: a trace may have as many as there are classes.
    Streams,
    /// Only which page it is.
    Pages,
    /// How long ago a page was written, too.
    Ages,
    /// And of which class a victim is, and how long ago it was opened.
    Blocks,
}

impl Terms {
    /// As many classes of relocated pages as there are of the host's, or one.
    fn like(classes: u32, relocated: Relocated, knows: Knows) -> Self {
        let relocated = if relocated == Relocated::ByClass { classes } else { 1 };
        Self { classes, relocated, knows }
    }

    /// Open blocks of a plane, for the host and for collection together.
    pub fn open_blocks(&self) -> u32 {
        self.classes + self.relocated
    }

    /// Whether it knows how long ago a page was written.
    pub fn knows_ages(&self) -> bool {
        matches!(self.knows, Knows::Ages | Knows::Blocks)
    }

    /// Whether it knows what blocks were opened for, and when.
    pub fn knows_blocks(&self) -> bool {
        self.knows == Knows::Blocks
    }

    /// The same, once the number is a legal one.
    fn checked(self) -> Result<Self, String> {
        if OPEN_BLOCKS.contains(&self.classes) {
            return Ok(self);
        }
        let (least, most) = (OPEN_BLOCKS.start(), OPEN_BLOCKS.end());
        Err(format!("open_blocks = {}; from {least} to {most} can be open", self.classes))
    }
}

/// Decides which class a page is of, when the host writes it and when collection relocates it.
///
/// The drive and [the log](crate::log_structured) ask the same questions.
pub trait Separation: Send {
    /// What it asks of the drive; `None` if nothing is kept apart, and nothing is asked.
    fn terms(&self) -> Option<Terms>;

    /// The class of pages that were never written.
    fn unwritten(&self) -> u8 {
        0
    }

    /// The class of translation pages, where the drive has any: nothing else is asked about these.
    fn of_translation_pages(&self) -> u8 {
        0
    }

    /// The host begins a write of so many pages, this one first, while so many of the drive are valid. Its first page
    /// is asked about next.
    fn on_request(&mut self, _first: Lpn, _pages: u32, _valid_pages: u64) {}

    /// The class of a write, counted from 0. Called once for every page that the host writes, in that order.
    fn class(&mut self, write: &PageWrite) -> u8;

    /// The class of a page that collection relocates, counted from 0 among those of relocated pages.
    fn relocated_class(&mut self, page: &PageMove) -> u8 {
        page.class
    }

    /// Whether it is to see all pages of a victim that are relocated at one instant, before each is asked about.
    fn wants_pages_of_victim(&self) -> bool {
        false
    }

    /// These are relocated next, in this order, and nothing happens in between.
    fn see_pages_of_victim(&mut self, _: &[PageMove]) {}

    /// A block of this class becomes a victim, when the host has written so many pages since it was opened. Told to
    /// those that know [blocks](Knows::Blocks).
    fn on_victim(&mut self, _block_class: u8, _lived: u32) {}

    /// Whether it wants to know what the trace will write.
    fn wants_future(&self) -> bool {
        false
    }

    /// What the trace writes from now on.
    fn foresee(&mut self, _: Future) {}

    /// Memory of its own tables, bytes, without what it keeps of a trace.
    fn bytes(&self) -> u64 {
        0
    }

    /// The policy's state, for a snapshot.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }

    /// What became of its classes: so many pages of the host, and of collection, went to the block of another class,
    /// because theirs had none and none could be opened.
    fn metrics(&self, elsewhere: [u64; 2]) -> Vec<Reading> {
        vec![HOST_ELSEWHERE.is(elsewhere[0]), RELOCATED_ELSEWHERE.is(elsewhere[1])]
    }
}

const HOST_ELSEWHERE: Metric = Metric {
    name: "host_pages_elsewhere",
    unit: "pages",
    about: "Pages of the host that went to the open block of another class, because theirs had none.",
};

const RELOCATED_ELSEWHERE: Metric = Metric {
    name: "relocated_pages_elsewhere",
    unit: "pages",
    about: "The same of pages that collection relocated, where they are kept apart.",
};

const METRICS: &[Metric] = &[HOST_ELSEWHERE, RELOCATED_ELSEWHERE];

/// Of those whose relocated pages always lie together.
const METRICS_OF_HOST: &[Metric] = &[HOST_ELSEWHERE];

const KEY: &str = "ftl.separation";

/// What moves several pages together, or knows of one open block only, cannot choose for each page.
const CONFLICTS: &[Conflict] = &[
    Conflict {
        key: KEY,
        with: &["any ftl.placement but append"],
        why: "classes: both choose the open block of a page; use ftl.placement = \"append\", or \
              ftl.separation = \"none\"",
        applies: |config| config.ftl.placement.kind != "append",
    },
    Conflict {
        key: KEY,
        with: &["ftl.gc_frontier = shared"],
        why: "classes: pages of the host have blocks of their own; use ftl.gc_frontier = \"separate\"",
        applies: |config| config.ftl.gc_frontier == GcFrontier::Shared,
    },
    Conflict {
        key: KEY,
        with: &["ftl.assign_pages = on-arrival"],
        why: "classes: the block is chosen when the program starts; use ftl.assign_pages = \"at-start\"",
        applies: |config| config.ftl.assign_pages == AssignPages::OnArrival,
    },
    Conflict {
        key: KEY,
        with: &["relocated pages by class, flash.multi_plane = same-page or same-page-anywhere"],
        why: "relocated pages by class: planes would have to agree on the next page of a class when they \
              collect; use flash.multi_plane = \"off\" or \"any-page\", or relocated = \"together\"",
        applies: |config| {
            let of_pages = [MultiPlane::SamePage, MultiPlane::SamePageAnywhere];
            config.ftl.relocates_by_class() && of_pages.contains(&config.flash.multi_plane)
        },
    },
    Conflict {
        key: KEY,
        with: &["any gc.deferral but none"],
        why: "classes: a page that leaves its chip is sent where one open block has room for it; use \
              gc.deferral = \"none\"",
        applies: |config| config.gc.deferral.kind != "none",
    },
    Conflict {
        key: KEY,
        with: &["relocated pages by class, flash.program_unit = word-line or geometry.mapping_unit"],
        why: "relocated pages by class: pages of a victim that are programmed together would be of several \
              classes; use ftl.separation = \"by-stream\" or \"by-lifetime\" with relocated = \"together\"",
        applies: |config| {
            let in_units = config.flash.programs_word_lines() || config.geometry.parts_of_page() > 1;
            config.ftl.relocates_by_class() && in_units
        },
    },
    Conflict {
        key: KEY,
        with: &["relocated pages by class, any gc.relocation but controller and copyback"],
        why: "relocated pages by class: this gc.relocation plans for the one open block that collected \
              pages go to; use gc.relocation = \"controller\" or \"copyback\", or ftl.separation = \
              \"by-stream\" or \"by-lifetime\" with relocated = \"together\"",
        applies: |config| {
            config.ftl.relocates_by_class()
                && !["controller", "copyback"].contains(&config.gc.relocation.kind.as_str())
        },
    },
];

/// Builds a member.
pub type Build = building::Build<dyn Separation>;

members! {
    /// Members of the seam.
    "ftl.separation", Build, scope(
        &["none", "by-lifetime"],
        "A drive may keep data of different lifetimes in blocks of their own."
    );
    none,
    by_stream,
    by_lifetime,
    dac,
    eti,
    sfr,
    fadac,
    sepbit,
    future_knowledge,
    python,
}

/// What the separation of a checked configuration asks of the drive; `None` if it keeps nothing apart.
pub fn terms_of(config: &Config, context: &BuildContext) -> Option<Terms> {
    MEMBERS.build_checked(&config.ftl.separation, context).terms()
}

/// Number of streams that a trace may have, where they matter.
pub fn streams_of(config: &Config, geometry: &Geometry) -> Option<u32> {
    terms_of(config, &BuildContext::new(config, geometry))
        .filter(|terms| terms.knows == Knows::Streams)
        .map(|terms| terms.classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_knows_blocks_knows_ages() {
        let knows = |knows| {
            let terms = Terms::like(3, Relocated::ByClass, knows);
            (terms.knows_ages(), terms.knows_blocks(), terms.open_blocks())
        };
        assert_eq!([Knows::Streams, Knows::Pages].map(knows), [(false, false, 6); 2]);
        assert_eq!([Knows::Ages, Knows::Blocks].map(knows), [(true, false, 6), (true, true, 6)]);
    }
}
