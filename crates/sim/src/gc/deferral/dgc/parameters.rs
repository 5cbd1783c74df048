//! What `dgc` can be told: which writes leave a chip, where they go, and which chips collect when idle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::BlockCount;
use crate::settings::alternatives::{SWITCH, reading, scope, unprinted};

/// Which write leaves a warned plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Take {
    /// The one that has waited longest, as in the paper's figure 5.
    #[default]
    Oldest,
    /// The one that is being queued.
    Newest,
}

/// What makes a write leave its plane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum When {
    /// More writes wait than the plane can take before it is collected.
    #[default]
    Warned,
    /// Its die is busy, and another would be done sooner: dynamic allocation, whatever collection does.
    Busy,
    /// No write leaves: idle collection alone.
    Never,
}

/// Which planes are collected while their die has nothing to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Idle {
    /// Those that have been warned.
    #[default]
    Warned,
    /// All that are short of free blocks.
    All,
    /// None are: redirection alone.
    None,
}

/// Whether a chip may get two pages of a stripe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SameStripe {
    /// It may not: any one chip can be lost.
    #[default]
    Forbidden,
    /// It may, as in the paper, whose rule excludes the page's own parity set only. Counted.
    Allowed,
}

/// Where a page goes if several planes would be done with it at the same time, as all idle ones would.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ties {
    /// To the one to which none went for longest.
    #[default]
    Rotating,
    /// To the one with the lowest number, and so to the chips with low numbers more often than to others.
    Lowest,
    /// To any, each with the same chance.
    Random,
    /// To the one with the fewest erases; of several of those to the one with the lowest number.
    LeastWorn,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Parameters {
    /// What makes a write leave its plane.
    #[schemars(extend("x-alternatives" = scope(
        &["warned", "busy", "never"],
        "Redirection can be told apart from what comes with it."
    )))]
    pub(super) redirect: When,
    /// Which write leaves a warned plane.
    #[schemars(extend("x-alternatives" = reading(
        &["oldest", "newest"],
        "The paper's figure moves the oldest write; its rule names none."
    )))]
    pub(super) take: Take,
    /// Whether pages of parity are redirected, too.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "The paper keeps a mapping of data alone and redirects any write."
    )))]
    pub(super) parity: bool,
    /// Whether a chip may get two pages of a stripe.
    #[schemars(extend("x-alternatives" = reading(
        &["forbidden", "allowed"],
        "The paper's rule permits what its claim of fault tolerance excludes."
    )))]
    pub(super) same_stripe: SameStripe,
    /// Number of requests to come of which it knows when they will arrive and where they go: 0 in a real drive, more
    /// is a bound.
    #[schemars(extend("x-alternatives" = reading(
        &["0", "64"],
        "The arrival of the next request is estimated, or known."
    )))]
    pub(super) lookahead: u32,
    /// Which planes are collected while their die has nothing to do.
    #[schemars(extend("x-alternatives" = reading(
        &["warned", "all", "none"],
        "The paper adds idle collection in one section and none in another."
    )))]
    pub(super) idle: Idle,
    /// Where a page goes if several planes would be done with it at the same time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random", "least-worn"],
        "Which of several idle chips takes a write is not printed."
    )))]
    pub(super) ties: Ties,
    /// That goes on until a plane has so many free blocks more than the trigger's `start`.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1 block", "2 blocks"],
        "How long idle collection goes on is not printed."
    )))]
    pub(super) restore: BlockCount,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            redirect: When::Warned,
            take: Take::Oldest,
            parity: true,
            same_stripe: SameStripe::Forbidden,
            lookahead: 0,
            idle: Idle::Warned,
            ties: Ties::Rotating,
            restore: BlockCount::Blocks(1),
        }
    }
}
