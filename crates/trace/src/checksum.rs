//! BLAKE3 over requests as they are, whatever file they stand in.

use crate::Record;

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
