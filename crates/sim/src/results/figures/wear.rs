//! How worn the blocks of a drive are.

use crate::ftl::Ftl;
use crate::ids::BlockId;
use crate::metric::figures;
use crate::metrics::finite;

figures! {
    /// Erases of the blocks: since the drive was made, warm-up included, and those before (`flash.initial_erases`).
    pub struct WearResult {
        /// Fewest of any block.
        min_erases: u32 => "erases",
        /// Most of any block.
        max_erases: u32 => "erases",
        /// Mean over the blocks.
        mean_erases: f64 => "erases",
        /// Standard deviation over the blocks.
        stddev_erases: f64 => "erases",
        /// `max_erases` over `mean_erases`; null before the first erase.
        spread: Option<f64> => "times the mean",
        /// Number of the block with most; of several the first.
        worst_block: u32 => "block",
        /// Blocks by their erases, from `min_erases` on: `histogram_step` numbers of erases an entry.
        histogram: Vec<u32> => "blocks",
        /// 1, unless there would be more than 64 entries.
        histogram_step: u32 => "erases",
        /// Blocks that have failed since the drive was made, warm-up included; absent without
        /// `flash.endurance.failures`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed_blocks: Option<u32> => "blocks",
        /// Available Spare of the SMART log (02h): of the blocks of a plane that may fail the share that has not, in
        /// the plane with fewest left. At 0 the drive is worn out: no further block fails, and an untimed run ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        available_spare: Option<u32> => "percent",
    }
}

/// Entries of the histogram at most.
const ENTRIES: u32 = 64;

/// Of the blocks of a drive, and of those that have failed.
pub(crate) fn wear(ftl: &Ftl) -> WearResult {
    let failed = ftl.failed_blocks();
    WearResult {
        failed_blocks: failed.map(|(blocks, _)| blocks),
        // Rounded up: a drive with a block left is not worn out.
        available_spare: failed.map(|(_, (left, most))| (100 * left).div_ceil(most)),
        ..by_erases(ftl.blocks().all_erases())
    }
}

fn by_erases(erases: &[u32]) -> WearResult {
    let count = erases.len() as f64;
    let mean = erases.iter().map(|e| f64::from(*e)).sum::<f64>() / count;
    let variance = erases.iter().map(|e| (f64::from(*e) - mean).powi(2)).sum::<f64>() / count;
    let (least, most) =
        (erases.iter().copied().min().unwrap_or(0), erases.iter().copied().max().unwrap_or(0));
    let step = (most - least) / ENTRIES + 1;
    let mut histogram = vec![0; ((most - least) / step + 1) as usize];
    for each in erases {
        histogram[((each - least) / step) as usize] += 1;
    }
    WearResult {
        min_erases: least,
        max_erases: most,
        mean_erases: mean,
        stddev_erases: variance.sqrt(),
        spread: finite(f64::from(most) / mean),
        worst_block: erases.iter().position(|each| *each == most).unwrap_or(0) as u32,
        histogram,
        histogram_step: step,
        failed_blocks: None,
        available_spare: None,
    }
}

/// Blocks of one cell mode, and their erases since the drive was made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Worn {
    pub blocks: u64,
    pub erases: u64,
    pub most: u32,
}

/// Of ordinary blocks, and of those of the SLC cache.
pub(crate) fn worn(ftl: &Ftl, before: u32) -> [Worn; 2] {
    let mut found = [Worn::default(); 2];
    for (block, erases) in (0..).map(BlockId).zip(ftl.blocks().all_erases()) {
        let of = &mut found[usize::from(ftl.geometry().is_cache_block(block))];
        let since = erases - before;
        *of = Worn { blocks: of.blocks + 1, erases: of.erases + u64::from(since), most: of.most.max(since) };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_by_their_erases() {
        let found = by_erases(&[3, 1, 4, 1, 6]);
        assert_eq!((found.min_erases, found.max_erases, found.mean_erases), (1, 6, 3.0));
        assert_eq!((found.spread, found.worst_block), (Some(2.0), 4));
        assert_eq!((found.histogram, found.histogram_step), (vec![2, 0, 1, 1, 0, 1], 1));
        assert_eq!(by_erases(&[2, 7, 7]).worst_block, 1);
        let fresh = by_erases(&[0, 0]);
        assert_eq!((fresh.spread, fresh.histogram, fresh.histogram_step), (None, vec![2], 1));
    }

    #[test]
    fn a_histogram_has_64_entries_at_most() {
        // 10 to 73 are 64 numbers; one more, and two share an entry, so that 33 are enough for 65.
        let of = |most: u32| {
            let found = by_erases(&[10, 11, 12, most]);
            (found.histogram_step, found.histogram.len(), found.histogram[..2].to_vec())
        };
        assert_eq!(of(73), (1, 64, vec![1, 1]));
        assert_eq!(of(74), (2, 33, vec![2, 1]));
        assert_eq!(of(10 + 127), (2, 64, vec![2, 1]));
        assert_eq!(of(10 + 128), (3, 43, vec![3, 0]));
    }
}
