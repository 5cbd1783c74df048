//! The controller's side of a configuration: what it has memory for, and what it takes time for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{reading, unprinted};
use super::{BufferSize, Size, Time};
use crate::time::Nanos;

/// The controller's memory for host data, and its own time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// Room for pages of host writes, each from its arrival until it is programmed. A page that finds no room waits
    /// outside, in order of arrival, and changes nothing before it is admitted. `unlimited` (MQSim's model) lets a
    /// backlog invalidate old copies early, which lowers write amplification under overload.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1MiB", "16MiB", "unlimited"],
        "Papers seldom print the buffer; MQSim's has no bound."
    )))]
    pub write_buffer: BufferSize,
    /// How long it takes to look up where the pages of a read, a write or a trim are, before anything else happens to
    /// them. Any number of requests are looked up at the same time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "1us"],
        "Mapping costs no time in most simulators, and some in a controller."
    )))]
    pub lookup: Time,
    /// When the drive says that a page of a write is done.
    #[schemars(extend("x-alternatives" = reading(
        &["programmed", "staged"],
        "A write is done when it is in flash, or when it is in the buffer."
    )))]
    pub acknowledge: Acknowledge,
}

/// When the drive says that a page of a write is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledge {
    /// When its program has ended.
    #[default]
    Programmed,
    /// When it is in the controller's buffer and has a plane, as in drives whose buffer outlives a power cut. A flush
    /// then waits for no program either.
    Staged,
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self {
            write_buffer: BufferSize::Limited(Size(16 << 20)),
            lookup: Time(Nanos(0)),
            acknowledge: Acknowledge::default(),
        }
    }
}
