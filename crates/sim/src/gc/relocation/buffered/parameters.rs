//! What `buffered` can be told: how large the buffer is, where pages go from it, and what the host does to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::alternatives::{reading, scope, unprinted};
use crate::settings::{BlockCount, Ties};

/// Where pages are written back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Destination {
    /// The plane of the victim.
    #[default]
    Home,
    /// The least-worn plane with room whose die is idle; the plane of the victim if there is none.
    Free,
    /// All pages of a batch to one chip with room, the chip of the victim if there is none (GC bypass, section 3.3).
    Chip,
}

/// Which chip with room the pages of a batch go to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Chip {
    /// Of those whose dies are all idle, the one with the fewest erases.
    #[default]
    FewestErases,
    /// Of all, busy or not, the one with the fewest operations queued at its dies or under way on them.
    FewestWaiting,
    /// Of those whose dies are all idle, the one with the most erased pages that collection could take.
    Roomiest,
    /// Of those whose dies are all idle, the one that was sent a batch longest ago.
    Rotating,
}

/// Which plane of the chip of a batch a page is written back to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Planes {
    /// The one with room that owes the fewest, so that all of them program.
    #[default]
    Even,
    /// The one with the most room and garbage, less what it owes, so that they stay as full as each other.
    BySpace,
}

/// Whether the way to a chip is kept between the pages that are written back to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Hold {
    /// Until none is queued there, where the interconnect keeps circuits; others may remove it.
    #[default]
    Batch,
    /// For each transfer by itself.
    Transfer,
}

/// What becomes of a page in the buffer that the host writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HostWrites {
    /// The write is done as any other, and the page in the buffer is not written back.
    #[default]
    Replace,
    /// The page in the buffer becomes what was written, which is acknowledged, and is written back (GC bypass, section
    /// 3.4: its dirty bit).
    Absorb,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// Size of the buffer, at least a block.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "4 blocks"],
        "How many victims the buffer takes at once is not settled by the text."
    )))]
    pub(super) capacity: BlockCount,
    /// Where pages are written back.
    #[schemars(extend("x-alternatives" = reading(
        &["home", "free", "chip"],
        "Where valid pages go is given for one scheme and left open for others."
    )))]
    pub(super) destination: Destination,
    /// Which chip with room all pages of a batch go to, with `destination = "chip"`: of those whose dies are all idle
    /// the one with the fewest erases, with the most erased pages that collection could take, or that was sent a batch
    /// longest ago; or of all chips, busy or not, the one with the fewest operations queued or under way.
    #[schemars(extend("x-alternatives" = reading(
        &["fewest-erases", "fewest-waiting", "roomiest", "rotating"],
        "The paper weighs idle chips by wear and load; it does not print how."
    )))]
    pub(super) chip: Chip,
    /// Which plane of a chip, with `destination = "chip"`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["even", "by-space"],
        "Which plane of the chosen chip a page goes to is not printed."
    )))]
    pub(super) planes: Planes,
    /// Batches in which a job lifts its pages, each written back before the next: the buffer is so many times smaller
    /// (GC bypass, Table 2).
    #[schemars(extend("x-alternatives" = scope(
        &["1", "4"],
        "The paper itself divides the buffer into batches."
    )))]
    pub(super) batches: u32,
    /// Whether the way to a chip is kept between the pages that are written back to it.
    #[schemars(extend("x-alternatives" = reading(
        &["batch", "transfer"],
        "A path is held for a batch of writes, or for each transfer."
    )))]
    pub(super) hold: Hold,
    /// What becomes of a page in the buffer that the host writes.
    #[schemars(extend("x-alternatives" = reading(
        &["replace", "absorb"],
        "A write of the host replaces the buffered page, or is absorbed by it."
    )))]
    pub(super) host_writes: HostWrites,
    /// Which of several planes or chips that are as good, with `destination = "free"` or `"chip"`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally worn chips is taken is not printed."
    )))]
    pub(super) ties: Ties,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            capacity: BlockCount::Blocks(1),
            destination: Destination::default(),
            chip: Chip::default(),
            planes: Planes::default(),
            batches: 1,
            hold: Hold::default(),
            host_writes: HostWrites::default(),
            ties: Ties::Rotating,
        }
    }
}
