//! BLAKE3 over requests as they are, whatever file they stand in.

use crate::Record;

/// In the byte of the operation: that of a stream follows.
const HAS_STREAM: u8 = 0x80;

/// Takes records in order.
#[derive(Default)]
pub(crate) struct Checksum {
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
}

impl Checksum {
    pub(crate) fn add(&mut self, records: &[Record]) {
        self.bytes.clear();
        for record in records {
            for field in [record.time_ns, record.offset_bytes, record.size_bytes] {
                self.bytes.extend_from_slice(&field.to_le_bytes());
            }
            match record.stream {
                0 => self.bytes.push(record.op as u8),
                stream => self.bytes.extend([record.op as u8 | HAS_STREAM, stream]),
            }
        }
        self.hasher.update(&self.bytes);
    }

    /// The checksum in hexadecimal.
    pub(crate) fn text(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }
}
