//! What a run needs of its trace before anything is prepared or played, and what makes it fail there.

use reclaim_trace::{Summary, Trace};

use crate::demand::time_scale_for;
use crate::fill::Fill;
use crate::flash::Geometry;
use crate::ftl::separation;
use crate::host::AddressMapper;
use crate::page_accesses::for_each_page;
use crate::replay::{one_round, played_by_warm_up};
use crate::results::{OnePlayResult, one_play};
use crate::settings::{Config, Remap};
use crate::sim_error::SimError;

/// The trace of a run, looked through.
pub(crate) struct Before {
    /// With the steps of the configuration.
    pub trace: Trace,
    pub summary: Summary,
    /// Which pages of the drive its addresses are.
    pub mapper: AddressMapper,
    /// One round of it.
    pub round: Trace,
    pub one_play: OnePlayResult,
}

impl Before {
    /// Looks a trace through.
    ///
    /// # Errors
    /// When it cannot be read, has no requests, or the drive has no place for its addresses or streams.
    pub fn of(config: &Config, given: &Trace, geometry: &Geometry) -> Result<Self, SimError> {
        let trace = config.trace.apply(given, config.seed)?;
        let summary = trace.scan()?;
        if summary.requests == 0 {
            return Err(SimError::EmptyTrace(trace.name().to_owned()));
        }
        for each in std::iter::once(config).chain(config.preparing().as_ref()) {
            if let Some(count) = separation::streams_of(each, geometry) {
                trace.check_streams(count, "ftl.separation.open_blocks")?;
            }
        }
        let (page_bytes, pages) = (geometry.page_bytes, geometry.logical_pages);
        let mapper = AddressMapper::new(config.trace.remap, summary.max_end_bytes, page_bytes, pages)?;
        let round = one_round(config, given, &trace)?;
        let one_play = one_play(&round, &mapper, (page_bytes, pages))?;
        Ok(Self { trace, summary, mapper, round, one_play })
    }
}

/// Sees whether a run would fail for its trace and its drive beside each other, without running it.
///
/// # Errors
/// As the run would have, save that of a utilisation in total, which only runs can tell.
pub fn check_run(config: &Config, given: &Trace) -> Result<(), SimError> {
    let geometry = Geometry::new(config)?;
    let Before { trace, summary, mapper, round, .. } = Before::of(config, given, &geometry)?;
    let pages = summary.max_end_bytes.div_ceil(u64::from(geometry.page_bytes));
    if config.trace.remap == Remap::Compact && pages > u64::from(geometry.logical_pages) {
        // Reads take pages, too: only the whole way through tells how many.
        for_each_page(&round, &mut mapper.untouched(), |_, _| ())?;
    }
    if let Some(target) = config.host.target_utilisation {
        time_scale_for(("host.target_utilisation", target), config, &geometry, &trace, &summary)?;
    }
    let fill = Fill::of(&config.warmup, &geometry)?;
    if config.warmup.kind.plays_the_trace() {
        fill.beside(&config.warmup, &played_by_warm_up(config, &round, &trace)?, &mapper, &geometry)?;
    }
    Ok(())
}
