//! Garbage collection: the five policies and what they have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{SWITCH, reading, unprinted};
use super::{GcPace, PolicyChoice};

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
    /// Pages that a job relocates for each page that the host writes to its plane, which spreads relocation over the
    /// writes that need its space. `by-victim`: valid pages of the victim over its invalid ones, like the tokens of
    /// MQSim-E (Lee et al., IEEE CAL 2022). `off`: no limit. There is no limit either where the plane is urgent or has
    /// no page left for the host, or while no host operation is under way.
    #[schemars(extend("x-alternatives" = reading(
        &["off", "by-victim", "100%"],
        "Simulators relocate as fast as they can; firmware of enterprise drives spreads it over writes."
    )))]
    #[serde(skip_serializing_if = "GcPace::is_off")]
    pub pace: GcPace,
    /// Whether host requests for a page of a block under collection wait until it is relocated, as in MQSim. Otherwise
    /// a read goes to where the page is, and an overwrite cancels the relocation.
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
            pace: GcPace::Off,
            block_victim_access: false,
        }
    }
}
