//! Garbage collection: the five policies and what they have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PolicyChoice;
use super::alternatives::{SWITCH, reading, unprinted};

/// Garbage collection: a policy for each of five decisions, and how its jobs treat the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcConfig {
    /// When a plane is to be collected.
    pub trigger: PolicyChoice,
    /// Which block of the plane is reclaimed next.
    pub victim: PolicyChoice,
    /// How the valid pages of a victim are relocated.
    pub relocation: PolicyChoice,
    /// How many planes collect at once.
    pub concurrency: PolicyChoice,
    /// Which writes leave chips that are about to be collected, and which chips collect when nothing waits for them.
    pub deferral: PolicyChoice,
    /// Number of page relocations that one job keeps under way at a time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "4", "16"],
        "How many pages a job relocates at once is printed nowhere."
    )))]
    pub pages_in_flight: u32,
    /// Whether host requests for a page of a block under collection wait until it has been relocated, as in MQSim.
    /// Otherwise a read goes to where the page is, and an overwrite cancels the relocation.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "MQSim lets the host wait for a block under collection; others serve it meanwhile."
    )))]
    pub block_victim_access: bool,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            trigger: PolicyChoice::of("free-blocks"),
            victim: PolicyChoice::of("greedy"),
            relocation: PolicyChoice::of("controller"),
            concurrency: PolicyChoice::of("all"),
            deferral: PolicyChoice::of("none"),
            pages_in_flight: 1,
            block_victim_access: false,
        }
    }
}
