//! A request of a block trace, in the units that all of Reclaim uses: nanoseconds and bytes.

use serde::{Deserialize, Serialize};

/// Most bytes that one read or write may move: the block layers of Linux and Windows count a request in 32 bits.
/// A larger number means that a column was taken for another, or is in another unit.
pub const MAX_TRANSFER_BYTES: u64 = 1 << 32;

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

impl Op {
    /// The operation as one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Flush => "flush",
        }
    }
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
    /// What the drive is asked to do.
    pub op: Op,
    /// The stream that the host puts its data into (as streams of NVMe, or placement handles of FDP); 0 where a trace
    /// says nothing of that.
    pub stream: u8,
}

impl Record {
    /// First byte after the request.
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.size_bytes
    }

    /// Whether this is a request. Every reader checks every record with it.
    #[inline]
    pub(crate) fn is_request(&self) -> bool {
        if self.op == Op::Flush {
            return self.offset_bytes == 0 && self.size_bytes == 0;
        }
        let transfers = matches!(self.op, Op::Read | Op::Write);
        self.size_bytes > 0
            && self.offset_bytes.checked_add(self.size_bytes).is_some()
            && !(transfers && self.size_bytes > MAX_TRANSFER_BYTES)
    }

    /// Why this is no request, if it is none.
    #[inline]
    pub(crate) fn fault(&self) -> Option<String> {
        if self.is_request() { None } else { Some(self.describe_fault()) }
    }

    #[cold]
    fn describe_fault(&self) -> String {
        let Self { offset_bytes, size_bytes, op, .. } = self;
        let name = op.name();
        if *op == Op::Flush {
            format!(
                "a flush addresses nothing, so its offset and size must be 0, not {offset_bytes} and \
                 {size_bytes}"
            )
        } else if *size_bytes == 0 {
            format!("a {name} of zero bytes is not a request")
        } else if offset_bytes.checked_add(*size_bytes).is_none() {
            format!(
                "the {name} ends beyond what 64 bits can address (offset {offset_bytes} + size \
                 {size_bytes} bytes)"
            )
        } else {
            format!(
                "a {name} of {size_bytes} bytes is more than one request can move ({MAX_TRANSFER_BYTES} \
                 bytes); are the columns in the right order and unit?"
            )
        }
    }
}
