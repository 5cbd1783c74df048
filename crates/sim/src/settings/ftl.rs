//! The flash translation layer: placement, open blocks, wear levelling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{SWITCH, reading, unprinted};
use super::{PolicyChoice, Ties};

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
    /// Which planes share superblocks: blocks of the same number, one of each plane, that are opened, collected and
    /// erased as one. Default: `plane`, each plane by itself.
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
}

impl Default for FtlConfig {
    fn default() -> Self {
        Self {
            allocation: PolicyChoice::of("striping"),
            placement: PolicyChoice::of("append"),
            separation: PolicyChoice::of("none"),
            slc_cache: PolicyChoice::of("none"),
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
    /// Static: when a block has been erased this much more often than the least-erased full block of its plane,
    /// the data of the latter is moved away so that it wears too.
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
