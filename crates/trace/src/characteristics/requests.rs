//! Number of requests, bytes and units of each operation, and sizes of requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Percentiles;
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

// Sizes of requests: every size that occurs, with its count.

const SECTOR_BYTES: u64 = 512;
/// Sizes of whole sectors up to 4 MiB are counted in a table, all others in a map.
const TABLE: usize = (4 << 20) / SECTOR_BYTES as usize + 1;

/// The sizes of the requests of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeDistribution {
    /// Requests of this kind.
    pub count: u64,
    /// Mean size, in bytes.
    pub mean_bytes: f64,
    /// Smallest, in bytes; 0 where there are no requests.
    pub min_bytes: u64,
    /// Largest, in bytes.
    pub max_bytes: u64,
    /// Exact percentiles, in bytes.
    pub percentiles_bytes: Percentiles,
    /// Every size in bytes that occurs, in rising order, with the number of requests of that size.
    pub counts: Vec<(u64, u64)>,
}

/// The sizes of requests, by kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Sizes {
    pub read: SizeDistribution,
    pub write: SizeDistribution,
    pub trim: SizeDistribution,
}

#[derive(Default)]
struct Counter {
    table: Vec<u64>,
    others: BTreeMap<u64, u64>,
}

impl Counter {
    #[inline]
    fn add(&mut self, size_bytes: u64) {
        let sectors = (size_bytes / SECTOR_BYTES) as usize;
        if size_bytes.is_multiple_of(SECTOR_BYTES) && sectors < TABLE {
            if self.table.is_empty() {
                self.table = vec![0; TABLE];
            }
            self.table[sectors] += 1;
        } else {
            *self.others.entry(size_bytes).or_default() += 1;
        }
    }

    fn finish(self) -> SizeDistribution {
        let table = self.table.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut counts: Vec<(u64, u64)> =
            table.map(|(sectors, count)| (sectors as u64 * SECTOR_BYTES, *count)).collect();
        counts.extend(self.others);
        counts.sort_unstable();
        let count = counts.iter().map(|(_, count)| count).sum::<u64>();
        if count == 0 {
            return SizeDistribution::default();
        }
        let bytes: u128 = counts.iter().map(|(size, count)| u128::from(*size) * u128::from(*count)).sum();
        SizeDistribution {
            count,
            mean_bytes: bytes as f64 / count as f64,
            min_bytes: counts[0].0,
            max_bytes: counts[counts.len() - 1].0,
            percentiles_bytes: Percentiles::of(&counts, count),
            counts,
        }
    }
}

#[derive(Default)]
pub(super) struct SizeCounters {
    counters: [Counter; 3],
}

impl SizeCounters {
    #[inline]
    pub(super) fn add(&mut self, record: &Record) {
        if record.op != Op::Flush {
            self.counters[record.op as usize].add(record.size_bytes);
        }
    }

    pub(super) fn finish(self) -> Sizes {
        let [read, write, trim] = self.counters.map(Counter::finish);
        Sizes { read, write, trim }
    }
}
