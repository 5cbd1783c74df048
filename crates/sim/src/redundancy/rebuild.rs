//! How a lost chip is rebuilt on an erased one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::ChipId;

/// Who goes first while a chip is rebuilt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RebuildOrder {
    /// The host: a stripe is rebuilt only while none of its chips has anything to do.
    #[default]
    HostFirst,
    /// The rebuild: so many stripes at once are always being rebuilt.
    RebuildFirst,
}

/// A chip that was lost before the run, in the place of which there is an erased one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebuild {
    /// Number of the chip, channel by channel.
    pub chip: ChipId,
    /// Who goes first.
    pub order: RebuildOrder,
    /// Number of stripes that are rebuilt at once, at most.
    pub stripes: u32,
}

/// What happens while a chip is rebuilt, for a policy's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RebuildEvent {
    /// A lost page is in flash again.
    PageRebuilt,
    /// No page is lost any more, so many ns after the run began.
    Ended(u64),
    /// A read of the host was answered meanwhile, and took so many ns.
    ReadMeanwhile(u64),
    /// A write was, likewise.
    WriteMeanwhile(u64),
}
