//! Number of requests, bytes and units of each operation.

use serde::{Deserialize, Serialize};

use super::distribution::ratio;
use crate::{Op, Record};

/// Requests by operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Number of requests of any operation.
    pub total: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Trims among them.
    pub trims: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// Reads as a share of all requests.
    pub read_share: f64,
    /// Writes as a share of all requests.
    pub write_share: f64,
    /// Trims as a share of all requests.
    pub trim_share: f64,
    /// Flushes as a share of all requests.
    pub flush_share: f64,
    /// Writes as a share of reads and writes: what papers call the write ratio.
    pub write_ratio: f64,
    /// Bytes written as a share of bytes read and written.
    pub write_ratio_bytes: f64,
    /// Sum of the sizes of all reads, in bytes.
    pub read_bytes: u64,
    /// Sum of the sizes of all writes, in bytes.
    pub write_bytes: u64,
    /// Sum of the sizes of all trims, in bytes.
    pub trim_bytes: u64,
    /// Units that reads touch, counted at every read.
    pub read_units: u64,
    /// Units that writes touch, counted at every write.
    pub write_units: u64,
    /// Units that trims cover entirely, counted at every trim.
    pub trim_units: u64,
}

impl Requests {
    pub(super) fn add(&mut self, record: &Record) {
        self.total += 1;
        let (count, bytes) = match record.op {
            Op::Read => (&mut self.reads, &mut self.read_bytes),
            Op::Write => (&mut self.writes, &mut self.write_bytes),
            Op::Trim => (&mut self.trims, &mut self.trim_bytes),
            Op::Flush => {
                self.flushes += 1;
                return;
            }
        };
        *count += 1;
        *bytes = bytes.saturating_add(record.size_bytes);
    }

    pub(super) fn finish(&mut self) {
        self.read_share = ratio(self.reads, self.total);
        self.write_share = ratio(self.writes, self.total);
        self.trim_share = ratio(self.trims, self.total);
        self.flush_share = ratio(self.flushes, self.total);
        self.write_ratio = ratio(self.writes, self.reads + self.writes);
        self.write_ratio_bytes = ratio(self.write_bytes, self.read_bytes.saturating_add(self.write_bytes));
    }
}
