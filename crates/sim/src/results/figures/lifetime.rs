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

/// What the host can write until blocks of one mode are worn out if all are equally worn, TB, and how equally they are.
type Limit = (f64, Option<f64>);

pub(crate) fn lifetime(
    run: &Measured,
    written: &WrittenResult,
    trace: &Summary,
    user_bytes: u64,
) -> Option<LifetimeResult> {
    let (endurance, geometry) = (&run.config.flash.endurance, &run.geometry);
    let page = f64::from(geometry.page_bytes);
    let cached = run.counters.cached_pages as f64 * page;
    let others = (written.nand_bytes + written.empty_bytes) as f64 - cached;
    let cache_pages = geometry.cache.map_or(0, |cache| cache.pages_per_block);
    let modes = [
        (run.worn[0], endurance.erases, geometry.pages_per_block, others),
        (run.worn[1], endurance.single_level_erases, cache_pages, cached),
    ];
    let known = || modes.iter().filter_map(|(worn, bears, pages, used)| Some((worn, (*bears)?, pages, used)));
    let limit = |(worn, bears, pages, used): (&Worn, u32, &u32, &f64)| -> Option<Limit> {
        let capacity = worn.blocks as f64 * f64::from(*pages) * page;
        let levelled = finite(capacity * f64::from(bears) * written.host_bytes as f64 / used / TB)?;
        let mean = worn.erases as f64 / worn.blocks as f64;
        Some((levelled, finite(mean / f64::from(worn.most))))
    };
    let tbw = |(levelled, efficiency): Limit| efficiency.map(|share| levelled * share);
    let first = known().filter_map(limit).min_by(|one, other| {
        let ends = |limit: &Limit| tbw(*limit).unwrap_or(limit.0);
        ends(one).total_cmp(&ends(other))
    });
    let used = known().map(|(worn, bears, ..)| {
        let mean =
            worn.erases as f64 / worn.blocks.max(1) as f64 + f64::from(run.config.flash.initial_erases);
        (100.0 * mean / f64::from(bears)) as u64
    });
    let used = used.max()?.min(255);
    let total = first.and_then(tbw);
    let days = DAYS_OF_YEAR * f64::from(endurance.warranty_years);
    Some(LifetimeResult {
        tbw: total,
        tbw_levelled: first.map(|limit| limit.0),
        levelling_efficiency: first.and_then(|limit| limit.1),
        drive_writes_per_day: total.map(|tbw| tbw * TB / user_bytes as f64 / days),
        percentage_used: used,
        years: total
            .and_then(|tbw| finite(tbw * TB / trace.write_bytes as f64 * trace.span_ns as f64 / NS_OF_YEAR)),
    })
}
