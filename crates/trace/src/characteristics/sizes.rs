//! Sizes of requests: every size that occurs, with its count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Percentiles;
use crate::{Op, Record};

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
