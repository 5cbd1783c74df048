//! The controller's side of a configuration: what it has memory for, and what it takes time for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternatives::{SWITCH, reading, unprinted};
use super::{BufferSize, Size, Time};
use crate::time::Nanos;

/// The controller's memory for host data, and its own time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// Room for pages of host writes, from arrival until they are programmed. Without room, a page waits outside in
    /// order of arrival and changes nothing. `unlimited` (MQSim's model) lets a backlog invalidate old copies early,
    /// which lowers write amplification under overload.
    #[schemars(extend("x-alternatives" = unprinted(
        &["1MiB", "16MiB", "unlimited"],
        "Papers seldom print the buffer; MQSim's has no bound."
    )))]
    pub write_buffer: BufferSize,
    /// Time that a core of the controller takes for a host command of any kind and size. Commands wait in one line for
    /// the next free core: 4 cores of 5us handle 800,000 commands a second. Absent: no time.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "1us", "5us"],
        "Firmware takes no time in most simulators; in a drive it limits small requests."
    )))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Time>,
    /// Cores of the controller that handle commands at the same time. Absent: one.
    #[schemars(extend("x-alternatives" = unprinted(
        &["×0.5", "×2"],
        "Cores that handle commands are seldom printed."
    )))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Time to look up where the pages of a read, a write or a trim are, before anything else happens to them. Any
    /// number of requests are looked up at the same time.
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
    /// Whether a write replaces an older version of its page in the write buffer, so that one program serves both. Only
    /// with `acknowledge = "staged"`: the buffer survives a power cut.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Write caches merge overwrites; simulators program every write that they have accepted."
    )))]
    #[serde(skip_serializing_if = "super::is_default")]
    pub merge_overwrites: bool,
    /// Host reads that a die begins in a row while a host program waits there. Then the program goes first, whatever
    /// the scheduler prefers: without a limit, a busy die can let writes wait for as long as reads come. 0: no limit.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0", "4", "16"],
        "How long reads may keep a program waiting is printed nowhere."
    )))]
    #[serde(skip_serializing_if = "super::is_default")]
    pub reads_before_write: u32,
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
            command: None,
            cores: None,
            lookup: Time(Nanos(0)),
            acknowledge: Acknowledge::default(),
            merge_overwrites: false,
            reads_before_write: 0,
        }
    }
}
