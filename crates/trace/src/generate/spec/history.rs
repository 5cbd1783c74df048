//! The order in which the zones of a space are written and trimmed, as a description has it.

use serde::{Deserialize, Serialize};

use super::units::Size;

/// Writes and trims as a coarse history: which zone of the space gets how many in which slot of time, and for each
/// zone a law of what a request replaces. A description with it has `generator = 2`, and none of its own of
/// operations, writes and trims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistorySpec {
    /// Chance, from 0 to 1, that a request goes to the zone of the one before it, while the slot has more for it.
    pub stay: f64,
    /// Chance, from 0 to 1, that writing goes from one zone to the next of the slot in order of address, instead of to
    /// one drawn by how much is left for each.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_turn: f64,
    /// Share of the slots, spread evenly, in which each zone gets all its requests at once, in order of address.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_order: f64,
    /// Chance, from 0 to 1, that a request that continues a sequential stream comes right after the one it continues.
    pub adjacent: f64,
    /// From -1 to 1: chance that of several places that fit the law the one written most often so far is taken (below
    /// 0: least often).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub favour: f64,
    /// Bins of ranks for each doubling, from 0.5 to 8.
    #[serde(default = "steps", skip_serializing_if = "is_steps")]
    pub steps: f64,
    /// Sizes of requests, and how far behind a multiple of 4 KiB those that continue no other begin.
    pub shapes: Vec<(Size, Size)>,
    /// The zones in order of address, each behind the one before it.
    pub zones: Vec<ZoneHistory>,
    /// Slots in order of time. `r9` are reads, `f2` flushes, `4*7` writes to zone 4, `-4*2` trims in it; without `*`,
    /// one. Within a slot the order is random.
    pub slots: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

fn steps() -> f64 {
    1.5
}

#[allow(clippy::float_cmp)] // left out only if it is the very default
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_steps(value: &f64) -> bool {
    *value == steps()
}

/// A zone of [`HistorySpec`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneHistory {
    /// Units of 4 KiB.
    pub units: u64,
    /// Units behind them that are trimmed and never written.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub dead: u64,
    /// What writes to the zone replace: `12x3y4=` are twelve requests of shape 3 at a place of kind `y4`, where an
    /// extent of the same size begins.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub write: String,
    /// Chance that a write goes to the same kind of place as the one before it in the zone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_again: f64,
    /// What trims in the zone end, as `write`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trim: String,
    /// As `write_again`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_again: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_nothing(units: &u64) -> bool {
    *units == 0
}
