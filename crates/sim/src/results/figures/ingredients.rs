//! What results are made of, beside the drive: from what state it started among it.

use reclaim_trace::Summary;

use super::one_play::OnePlayResult;
use super::sections::AuditResult;
use super::wear::wear;
use crate::config::Facts;
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::ids::{BlockId, PlaneId};
use crate::metric::figures;
use crate::metrics::WarmupResult;
use crate::settings::HostConfig;

/// What is known of a run that its drive does not know.
pub(crate) struct Ingredients {
    pub scheme: String,
    pub transforms: Vec<String>,
    pub trace: Summary,
    pub one_play: OnePlayResult,
    /// The trace writes single pages anywhere on the drive, every page as likely as any other.
    pub writes_are_uniform: bool,
    pub facts: Facts,
    /// The host side as it was given, with the die utilisation that was asked for.
    pub asked: HostConfig,
    pub warmup: WarmupResult,
    pub start: StartResult,
    pub audit: Option<AuditResult>,
}

// The drive when time begins: what every scheme of a comparison starts from.

figures! {
    /// The state of the drive when its warm-up ended (or a saved state was loaded) and time began.
    pub struct StartResult {
        /// Share of all pages of the flash that hold valid data.
        valid_share: f64 => "share",
        /// The same of the die that holds most.
        valid_share_fullest_die: f64 => "share",
        /// The number of that die, the lowest among equals.
        fullest_die: u32 => "die number",
        /// Share of all pages of the flash that are programmed, valid or not.
        programmed_share: f64 => "share",
        /// Free blocks of a plane, mean over the planes.
        free_blocks: f64 => "blocks",
        /// Free blocks of the plane that has fewest.
        free_blocks_least: u32 => "blocks",
        /// The number of the die of that plane, the lowest among equals.
        least_free_die: u32 => "die number",
        /// Fewest erases of any block until then, `flash.initial_erases` included.
        erases_least: u32 => "erases",
        /// Most erases of any block until then, `flash.initial_erases` included.
        erases_most: u32 => "erases",
        /// Erases of the blocks until then, `flash.initial_erases` included, mean.
        erases_mean: f64 => "erases",
    }
}

/// What results tell of a drive at rest.
pub(crate) fn start(ftl: &Ftl) -> StartResult {
    let geometry = ftl.geometry();
    let pages = f64::from(geometry.pages());
    let mut of_die = vec![0_u64; geometry.dies() as usize];
    for block in (0..geometry.blocks()).map(BlockId) {
        let die = geometry.die_of(geometry.plane_of(block));
        of_die[die.index()] += u64::from(ftl.blocks().valid(block));
    }
    let wear = wear(ftl);
    let (fullest_die, most) = first_most(&of_die);
    let free: Vec<u32> = (0..geometry.planes()).map(|plane| ftl.plane(PlaneId(plane)).free.len()).collect();
    let least = free.iter().copied().min().unwrap_or(0);
    let least_plane = free.iter().position(|count| *count == least).unwrap_or(0) as u32;
    StartResult {
        valid_share: of_die.iter().sum::<u64>() as f64 / pages,
        valid_share_fullest_die: most as f64 * f64::from(geometry.dies()) / pages,
        fullest_die,
        programmed_share: ftl.used_pages() as f64 / pages,
        free_blocks: free.iter().map(|count| f64::from(*count)).sum::<f64>() / free.len() as f64,
        free_blocks_least: least,
        least_free_die: die_number(geometry, least_plane),
        erases_least: wear.min_erases,
        erases_most: wear.max_erases,
        erases_mean: wear.mean_erases,
    }
}

fn die_number(geometry: &Geometry, plane: u32) -> u32 {
    geometry.die_of(PlaneId(plane)).0
}

/// The first of the largest values, and what it is.
fn first_most(values: &[u64]) -> (u32, u64) {
    let most = values.iter().copied().max().unwrap_or(0);
    let at = values.iter().position(|value| *value == most).unwrap_or(0);
    (at as u32, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_number_of_equals_is_named() {
        assert_eq!(first_most(&[1, 7, 3, 7]), (1, 7));
        assert_eq!(first_most(&[0, 0]), (0, 0));
    }
}
