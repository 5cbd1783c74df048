//! Reads that fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::unprinted;
use super::units::{Ratio, Time};

/// Reads that fail, and that the die repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReadRetryConfig {
    /// The share of reads, and of repeated reads again, that fail. Which do is drawn, from the seed of the run.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0%", "1%", "10%"],
        "How many reads fail depends on the age of the flash and is printed nowhere."
    )))]
    pub rate: Ratio,
    /// How often a read is repeated at most; the last is taken to succeed.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1", "16"],
        "The length of a drive's table of read voltages is printed nowhere."
    )))]
    pub most: u32,
    /// What each repetition adds to the array time. Default: tR of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "A repetition may have to set other voltages first, or be quicker than a read; vendors print no time."
    )))]
    pub t_retry: Option<Time>,
}

impl ReadRetryConfig {
    /// Whether every read succeeds.
    pub(crate) fn is_off(&self) -> bool {
        self.rate.ppm == 0 && *self == Self::default()
    }
}

impl Default for ReadRetryConfig {
    fn default() -> Self {
        Self { rate: Ratio { ppm: 0 }, most: 8, t_retry: None }
    }
}
