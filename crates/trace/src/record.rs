//! A request of a block trace, in the units that all of Reclaim uses: nanoseconds and bytes. Which streams there are,
//! and the checksum of many.

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

/// The streams that a drive keeps apart.
#[derive(Debug, Clone)]
pub(crate) struct Streams {
    /// How many there are, numbered from 0.
    pub(crate) count: u32,
    /// The setting that says how many, for messages.
    pub(crate) key: String,
}

impl Streams {
    /// Why a request is of none of them, if it is.
    pub(crate) fn fault(&self, record: &Record) -> Option<String> {
        let Self { count, key } = self;
        let last = count.saturating_sub(1);
        (u32::from(record.stream) > last).then(|| {
            format!(
                "stream {} is none of the drive's, which are 0 to {last} with {key} = {count}",
                record.stream
            )
        })
    }
}

/// The stream that a file gives this number.
pub(crate) fn of_number(number: u64) -> Result<u8, String> {
    u8::try_from(number).map_err(|_| format!("stream {number} is above {}, the highest there is", u8::MAX))
}

// BLAKE3 over requests as they are, whatever file they stand in.

/// In the byte of the operation: that of a stream follows.
const HAS_STREAM: u8 = 0x80;

/// Time, offset, size, operation, stream.
const MOST_BYTES: usize = 3 * 8 + 2;

/// Takes records in order.
#[derive(Default)]
pub(crate) struct Checksum {
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
}

impl Checksum {
    pub(crate) fn add(&mut self, records: &[Record]) {
        let most = records.len() * MOST_BYTES;
        if self.bytes.len() < most {
            self.bytes.resize(most, 0);
        }
        let mut end = 0;
        for record in records {
            let room: &mut [u8; MOST_BYTES] = self.bytes[end..].first_chunk_mut().expect("room for all");
            room[..8].copy_from_slice(&record.time_ns.to_le_bytes());
            room[8..16].copy_from_slice(&record.offset_bytes.to_le_bytes());
            room[16..24].copy_from_slice(&record.size_bytes.to_le_bytes());
            let has_stream = record.stream > 0;
            room[24] = record.op as u8 | if has_stream { HAS_STREAM } else { 0 };
            // Without one, the next record goes over it.
            room[25] = record.stream;
            end += MOST_BYTES - 1 + usize::from(has_stream);
        }
        self.hasher.update(&self.bytes[..end]);
    }

    /// The checksum in hexadecimal.
    pub(crate) fn text(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}
