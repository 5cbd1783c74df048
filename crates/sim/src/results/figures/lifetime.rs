//! How long a drive lives under the load of a run, by the erases that its blocks bear.

use reclaim_trace::Summary;

use super::measured::Measured;
use super::wear::Worn;
use crate::metric::figures;
use crate::metrics::{WrittenResult, finite};

figures! {
    /// How long the drive lives under this load; absent without `flash.endurance`. Of ordinary blocks and those of the
    /// SLC cache, those that are worn out first.
    #[derive(Copy)]
    pub struct LifetimeResult {
        /// TBW, what the host can write in all: physical capacity × erases that a block bears ×
        /// `levelling_efficiency` / write amplification in bytes.
        tbw: Option<f64> => "10^12 bytes",
        /// The same with all blocks equally worn.
        tbw_levelled: Option<f64> => "10^12 bytes",
        /// Mean over most erases of a block, without `flash.initial_erases`. It rises with the length of a run.
        levelling_efficiency: Option<f64> => "share",
        /// DWPD, from `tbw` over `flash.endurance.warranty_years`.
        drive_writes_per_day: Option<f64> => "user capacities",
        /// Percentage Used, as log pages have it: mean erases over those that a block bears; at most 255.
        percentage_used: u64 => "percent",
        /// From the first write to `tbw` at the trace's own rate of writes.
        years: Option<f64> => "years",
    }
}

const TB: f64 = 1e12;
const DAYS_OF_YEAR: f64 = 365.0;
const NS_OF_YEAR: f64 = DAYS_OF_YEAR * 86_400e9;

/// Blocks of one cell mode.
struct Mode {
    worn: Worn,
    /// Erases that each bears.
    bears: f64,
    /// Of all of them.
    capacity_bytes: f64,
    programmed_bytes: f64,
}

impl Mode {
    fn mean_erases(&self) -> f64 {
        self.worn.erases as f64 / self.worn.blocks.max(1) as f64
    }

    fn tbw_levelled(&self, host_bytes: u64) -> Option<f64> {
        finite(self.capacity_bytes * self.bears * host_bytes as f64 / self.programmed_bytes / TB)
    }

    fn levelling_efficiency(&self) -> Option<f64> {
        finite(self.mean_erases() / f64::from(self.worn.most))
    }
}

pub(crate) fn lifetime(
    run: &Measured,
    written: &WrittenResult,
    trace: &Summary,
    user_bytes: u64,
) -> Option<LifetimeResult> {
    let (endurance, geometry) = (&run.config.flash.endurance, &run.geometry);
    let page_bytes = f64::from(geometry.page_bytes);
    let cached_bytes = run.counters.cached_pages as f64 * page_bytes;
    let mode = |worn: Worn, bears: Option<u32>, pages_per_block: u32, programmed_bytes: f64| {
        let capacity_bytes = worn.blocks as f64 * f64::from(pages_per_block) * page_bytes;
        bears.map(|bears| Mode { worn, bears: f64::from(bears), capacity_bytes, programmed_bytes })
    };
    let others_bytes = (written.nand_bytes + written.empty_bytes) as f64 - cached_bytes;
    let cache_pages = geometry.cache.map_or(0, |cache| cache.pages_per_block);
    let known: Vec<_> = [
        mode(run.worn[0], endurance.erases, geometry.pages_per_block, others_bytes),
        mode(run.worn[1], endurance.single_level_erases, cache_pages, cached_bytes),
    ]
    .into_iter()
    .flatten()
    .collect();
    let before = f64::from(run.config.flash.initial_erases);
    let used = known.iter().map(|each| (100.0 * (each.mean_erases() + before) / each.bears) as u64);
    let percentage_used = used.max()?.min(255);
    let limits = known.iter().filter_map(|each| {
        let (levelled, efficiency) = (each.tbw_levelled(written.host_bytes)?, each.levelling_efficiency());
        Some((levelled, efficiency, efficiency.map(|share| levelled * share)))
    });
    // Where nothing was erased, nothing says how equally blocks wear.
    let first = limits.min_by(|one, other| one.2.unwrap_or(one.0).total_cmp(&other.2.unwrap_or(other.0)));
    let tbw = first.and_then(|(.., tbw)| tbw);
    let days = DAYS_OF_YEAR * f64::from(endurance.warranty_years);
    let years = |tbw: f64| finite(tbw * TB / trace.write_bytes as f64 * trace.span_ns as f64 / NS_OF_YEAR);
    Some(LifetimeResult {
        tbw,
        tbw_levelled: first.map(|(levelled, ..)| levelled),
        levelling_efficiency: first.and_then(|(_, efficiency, _)| efficiency),
        drive_writes_per_day: tbw.map(|tbw| tbw * TB / user_bytes as f64 / days),
        percentage_used,
        years: tbw.and_then(years),
    })
}
