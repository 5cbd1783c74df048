//! Where a choice goes among several that are as good as each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a choice goes among several that are as good as each other (`docs/model.md`, section 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// To the one taken longest ago; one never taken goes before all, of several of those the lowest number.
    Rotating,
    /// To the lowest number.
    Lowest,
    /// To any, each with the same chance.
    Random,
}
