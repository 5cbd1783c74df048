//! What an event asks of the drive.

use crate::Op;
use crate::devices::MajorMinor;

/// What an event asks of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) struct Asked {
    pub(in crate::formats) device: MajorMinor,
    pub(in crate::formats) time_ns: u64,
    /// Whether everything written before must be durable first, or nothing else is asked.
    pub(in crate::formats) flush: bool,
    /// What is done, if anything; then there is an address, too.
    pub(in crate::formats) op: Option<Op>,
    /// Whether the drive chooses the place, which only the completion tells.
    pub(in crate::formats) appends: bool,
    pub(in crate::formats) offset_bytes: u64,
    pub(in crate::formats) size_bytes: u64,
}
