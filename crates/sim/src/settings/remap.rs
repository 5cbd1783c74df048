//! How the addresses of a trace that is larger than the drive are remapped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How addresses beyond the drive's are remapped to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remap {
    /// As they are; a trace larger than the drive is refused.
    #[default]
    None,
    /// Page number modulo the drive's pages: distant pages may share a place.
    Wrap,
    /// Pages numbered in the order in which they are first read or written: keeps every page apart, loses distance.
    Compact,
    /// All addresses shrunk by one factor: keeps order and distance, neighbouring pages share a place.
    Scale,
}
