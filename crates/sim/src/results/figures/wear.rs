//! How worn the blocks of a drive are.

use crate::metric::figures;

figures! {
    /// Erases of the blocks: since the drive was made, warm-up included, and those before (`flash.initial_erases`).
    #[allow(clippy::struct_field_names)]
    pub struct WearResult {
        /// Fewest of any block.
        min_erases: u32 => "erases",
        /// Most of any block.
        max_erases: u32 => "erases",
        /// Mean over the blocks.
        mean_erases: f64 => "erases",
        /// Standard deviation over the blocks.
        stddev_erases: f64 => "erases",
    }
}

pub(crate) fn wear(erases: &[u32]) -> WearResult {
    let count = erases.len() as f64;
    let mean = erases.iter().map(|e| f64::from(*e)).sum::<f64>() / count;
    let variance = erases.iter().map(|e| (f64::from(*e) - mean).powi(2)).sum::<f64>() / count;
    WearResult {
        min_erases: erases.iter().copied().min().unwrap_or(0),
        max_erases: erases.iter().copied().max().unwrap_or(0),
        mean_erases: mean,
        stddev_erases: variance.sqrt(),
    }
}
