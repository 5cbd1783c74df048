//! What `raid5` can be told: how stripes lie, which chip is lost, and how it is rebuilt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::redundancy::RebuildOrder;
use crate::settings::Time;
use crate::settings::alternatives::{SWITCH, reading, scope, unprinted};
use crate::time::Nanos;

/// Where parity is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ParityBlocks {
    /// Among the host's pages.
    #[default]
    Shared,
    /// To open blocks of its own: it is replaced more often than most data.
    Own,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "the geometry reads the number of chips")]
pub(super) struct Parameters {
    /// Number of chips that share a stripe, one of them for parity: a divisor of the number of chips, at least 2.
    #[schemars(required)]
    #[schemars(extend("x-alternatives" = scope(
        &["×0.5", "×2"],
        "The paper varies the number of chips of a stripe itself."
    )))]
    pub(super) stripe_chips: Option<u32>,
    /// A chip whose pages the host cannot read, by its number, channel by channel: they are rebuilt from the rest of
    /// their stripes. Writes and collection go on there. Every chip can be read if this is absent.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = scope(&["0"], "A drive serves requests with a chip lost, too.")))]
    pub(super) unreadable_chip: Option<u32>,
    /// A chip that was lost before the run, by its number: an erased one is in its place, on which the pages that it
    /// held are rebuilt from the rest of their stripes while the host goes on.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = scope(
        &["0"],
        "A drive serves requests while a chip is rebuilt, too."
    )))]
    pub(super) rebuild_chip: Option<u32>,
    /// Who goes first meanwhile.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = unprinted(
        &["host-first", "rebuild-first"],
        "Who goes first during a rebuild is seldom printed."
    )))]
    pub(super) rebuild_order: RebuildOrder,
    /// Number of stripes that are rebuilt at once, at most.
    #[serde(default = "some_stripes")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.25", "×4"],
        "How many stripes are rebuilt at once is seldom printed."
    )))]
    pub(super) rebuild_stripes: u32,
    /// Where parity is written.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        &["shared", "own"],
        "Parity lies among data, or in blocks of its own."
    )))]
    pub(super) parity_blocks: ParityBlocks,
    /// Whether a page that the host reads is made up from the rest of its stripe while its chip is under collection and
    /// none of the others is.
    #[serde(default)]
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "A page of a chip under collection can be made up from the rest of its stripe."
    )))]
    pub(super) read_around: bool,
    /// How long the controller takes to add pages up (exclusive or), once they have been read.
    #[serde(default = "no_time")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "10us"],
        "What the controller takes for the exclusive or is seldom printed."
    )))]
    pub(super) xor: Time,
}

pub(super) fn some_stripes() -> u32 {
    4
}

pub(super) fn no_time() -> Time {
    Time(Nanos(0))
}
