//! The flash translation layer: placement, open blocks, wear levelling, the SLC cache.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{SWITCH, reading, scope, unprinted};
use super::{BlockCount, PolicyChoice, Ratio, Size, Ties, Time};

/// Which open block the collector writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GcFrontier {
    /// Collected pages go to an open block of their own.
    #[default]
    Separate,
    /// Host and collected pages share one open block.
    Shared,
}

/// When a program gets its physical page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AssignPages {
    /// When it starts: pages of a block are programmed in order whatever the scheduler does.
    #[default]
    AtStart,
    /// When it is queued, as in MQSim: open blocks fill, and triggers are asked, while programs still wait. Needs a
    /// separate collection frontier and moves through the controller.
    OnArrival,
}

/// Which planes have their blocks opened, collected and erased together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Superblock {
    /// None: each plane by itself.
    #[default]
    Plane,
    /// The planes of a die.
    Die,
    /// The planes of a channel.
    Channel,
    /// All planes of the drive.
    #[serde(rename = "drive")]
    Whole,
}

/// The flash translation layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FtlConfig {
    /// Where a host write goes.
    pub allocation: PolicyChoice,
    /// Which of the open blocks of its plane a page goes to.
    pub placement: PolicyChoice,
    /// Which pages are kept in blocks apart from others.
    pub separation: PolicyChoice,
    /// Blocks in single-level mode that host writes go to first.
    pub slc_cache: PolicyChoice,
    /// Which part of the mapping is in the controller's memory. Default: `all`.
    #[serde(skip_serializing_if = "PolicyChoice::is_all")]
    pub mapping_cache: PolicyChoice,
    /// Which planes share superblocks: one block of the same number in each plane, opened, collected and erased
    /// together. Default: `plane`, no sharing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = reading(
        &["plane", "die", "channel", "drive"],
        "Drives collect blocks that span planes; papers and simulators look at each plane."
    )))]
    pub superblock: Option<Superblock>,
    /// Whether host and collected pages share an open block.
    #[schemars(extend("x-alternatives" = reading(
        &["separate", "shared"],
        "Papers seldom say whether collected pages share open blocks with the host's."
    )))]
    pub gc_frontier: GcFrontier,
    /// When a program gets its physical page.
    #[schemars(extend("x-alternatives" = reading(
        &["at-start", "on-arrival"],
        "MQSim gives a program its page when it is queued, others when it starts."
    )))]
    pub assign_pages: AssignPages,
    /// Dynamic and static wear levelling: what keeps the erase counts of blocks together.
    pub wear: WearConfig,
}

impl Superblock {
    /// What configuration calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Die => "die",
            Self::Channel => "channel",
            Self::Whole => "drive",
        }
    }
}

impl FtlConfig {
    /// Which planes share superblocks.
    pub fn superblock(&self) -> Superblock {
        self.superblock.unwrap_or_default()
    }

    /// Whether `ftl.separation` tells classes of relocated pages apart, which need open blocks of their own.
    pub fn relocates_by_class(&self) -> bool {
        let always = ["sepbit", "dac", "fadac", "future-knowledge"].contains(&self.separation.kind.as_str());
        let own = self.separation.parameters.get("relocated_open_blocks").and_then(serde_json::Value::as_u64);
        always || self.separation.text("relocated") == Some("by-class") || own.is_some_and(|count| count > 1)
    }
}

impl Default for FtlConfig {
    fn default() -> Self {
        Self {
            allocation: PolicyChoice::of("striping"),
            placement: PolicyChoice::of("append"),
            separation: PolicyChoice::of("none"),
            slc_cache: PolicyChoice::of("none"),
            mapping_cache: PolicyChoice::of("all"),
            superblock: None,
            gc_frontier: GcFrontier::default(),
            assign_pages: AssignPages::default(),
            wear: WearConfig::default(),
        }
    }
}

/// Wear levelling, off by default. `examples/devices/wear-levelling.toml` is a drive that has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearConfig {
    /// Dynamic: open the least-erased free block instead of the one freed first.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "Wear levelling is mentioned, and its rule left out."
    )))]
    pub dynamic: bool,
    /// Static: when a block has been erased this much more often than the least-erased full block of its plane, the
    /// latter's data is moved, so that it wears, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["20"],
        "Wear levelling is mentioned, and its threshold left out."
    )))]
    pub static_threshold: Option<u32>,
    /// Which of several least-erased full blocks that is. Default: `lowest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally worn blocks is moved is printed nowhere."
    )))]
    pub ties: Option<Ties>,
}

// Parameters of the SLC cache: the dimensions and the times of the drive follow from them, and what is done with it.

/// A cache of the same blocks for good.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StaticCache {
    /// Blocks of each plane that are the cache's, a share of at least one. They are taken off the spare ones.
    #[schemars(extend("x-alternatives" = scope(
        &["2%", "10%"],
        "Drives set aside a little of their flash for a cache, or much of it."
    )))]
    pub blocks: BlockCount,
    /// A plane is folded while fewer blocks of its cache than this are free; a share is one of the cache's blocks.
    /// `100%`: whatever is full is folded at once.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "50%", "100%"],
        "When a cache is emptied is printed nowhere; drives wait until it is full, or hasten."
    )))]
    pub start: BlockCount,
    /// tR of a page of the cache. Absent: that of the fastest level of `flash.t_read`, which is read like a cell of one
    /// bit.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash in single-level mode is as slow or as fast as this within a generation."
    )))]
    pub t_read: Option<Time>,
    /// tPROG of a page of the cache. Absent: that of the fastest level of `flash.t_program`, which is programmed like a
    /// cell of one bit.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "Flash in single-level mode is as slow or as fast as this within a generation."
    )))]
    pub t_program: Option<Time>,
    /// Whether full blocks of the cache are folded at the end of the warm-up: the drive has rested. Otherwise the run
    /// starts with the cache as the last writes left it.
    #[schemars(extend("x-alternatives" = unprinted(
        SWITCH,
        "How full the cache is when a measurement begins is printed nowhere."
    )))]
    pub rested: bool,
}

/// Parameters of `ftl.mapping_cache` where a part of the mapping is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CachedMapping {
    /// Memory for entries of the mapping. An entry that is held by itself takes twice `entry`: it names its page, too.
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "How much memory a controller has for its mapping differs from drive to drive."
    )))]
    pub size: Size,
    /// An entry of the mapping in a translation page, whose page holds as many as fit in.
    #[schemars(extend("x-alternatives" = unprinted(
        &["4B", "8B"],
        "Papers count with four bytes an entry, or with eight, and some do not say."
    )))]
    pub entry: Size,
}

impl Default for CachedMapping {
    fn default() -> Self {
        Self { size: Size(1 << 20), entry: Size(4) }
    }
}

impl Default for StaticCache {
    fn default() -> Self {
        Self {
            blocks: BlockCount::Share(Ratio { ppm: 50_000 }),
            start: BlockCount::Blocks(1),
            t_read: None,
            t_program: None,
            rested: true,
        }
    }
}

impl StaticCache {
    /// Number of blocks in a plane of so many.
    pub fn blocks_of(&self, blocks_per_plane: u32) -> u32 {
        at_least_a_share(self.blocks, blocks_per_plane)
    }

    /// Number of free blocks of the cache below which it is folded.
    pub fn start_of(&self, blocks_per_plane: u32) -> u32 {
        at_least_a_share(self.start, self.blocks_of(blocks_per_plane))
    }
}

/// A share of few blocks is one of them at least.
fn at_least_a_share(count: BlockCount, of: u32) -> u32 {
    let blocks = count.resolve(of);
    if matches!(count, BlockCount::Share(_)) { blocks.max(1) } else { blocks }
}
