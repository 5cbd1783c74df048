//! One line of a block trace, in the only units the rest of Reclaim knows.

use serde::{Deserialize, Serialize};

/// What a request asks of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Op {
    /// Bring data from the drive.
    Read = 0,
    /// Store data on the drive.
    Write = 1,
    /// Tell the drive that data is no longer needed (ATA TRIM, NVMe deallocate, block-layer discard).
    Trim = 2,
    /// Make everything written so far durable. Offset and size are zero.
    Flush = 3,
}

/// One request of a block trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Arrival, in nanoseconds since the first record of the trace.
    pub time_ns: u64,
    /// First byte addressed on the device.
    pub offset_bytes: u64,
    /// Bytes addressed; zero only for [`Op::Flush`].
    pub size_bytes: u64,
    /// What is asked.
    pub op: Op,
}

impl Record {
    /// First byte after the request.
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.size_bytes
    }
}
