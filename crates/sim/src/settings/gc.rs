//! Garbage collection: the four policies and what they have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PolicyChoice;

/// Garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcConfig {
    /// When a plane is to be collected.
    pub trigger: PolicyChoice,
    /// Which block.
    pub victim: PolicyChoice,
    /// How valid pages move.
    pub relocation: PolicyChoice,
    /// How many planes collect at once.
    pub concurrency: PolicyChoice,
    /// Page moves one job keeps under way at a time.
    pub pages_in_flight: u32,
    /// Whether host requests for a page of a block under collection wait until it has been moved, as in MQSim.
    /// Otherwise reads go to where the page is, and writes make its move needless.
    pub block_victim_access: bool,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            trigger: PolicyChoice::of("free-blocks"),
            victim: PolicyChoice::of("greedy"),
            relocation: PolicyChoice::of("controller"),
            concurrency: PolicyChoice::of("all"),
            pages_in_flight: 1,
            block_victim_access: false,
        }
    }
}
