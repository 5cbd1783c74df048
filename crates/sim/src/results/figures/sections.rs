//! Sections made when a run has ended: the work of each plane, utilisation, the audit, the links of a network.

use super::measured::{Measured, Network};
use crate::engine::Drive;
use crate::latency::LatencyAccount;
use crate::mapping::PlaneCounters;
use crate::metric::figures;
use crate::settings::{HostConfig, Ratio};
use crate::time::Nanos;

figures! {
    /// What each plane did in the measured part: whether they all did their share. Each list is by the number of the
    /// plane; the planes of a chip follow each other, and so do the chips of a channel.
    #[derive(Default, Eq)]
    pub struct PlanesResult {
        /// Collection jobs begun.
        jobs: Vec<u64> => "jobs",
        /// Blocks erased, by garbage collection or static wear levelling.
        erases: Vec<u64> => "blocks",
        /// Pages programmed for writes of the host.
        host_programs: Vec<u64> => "pages",
        /// Pages of parity programmed.
        parity_programs: Vec<u64> => "pages",
        /// Pages programmed to move them, by garbage collection or static wear levelling.
        relocated_pages: Vec<u64> => "pages",
    }
}

figures! {
    /// Shares of the measured time for which dies and channels were busy.
    pub struct UtilisationResult {
        /// Share of the time for which a die was busy with an operation, from its command until its last data has left;
        /// mean over the dies.
        die: f64 => "share",
        /// The part of `die` that the host's own pages take: reads and programs that requests wait for, with parity and
        /// the pages of partial writes. The rest is garbage collection and wear levelling.
        die_host: f64 => "share",
        /// The die utilisation by the host's pages alone that was asked for with `host.target_utilisation`; null if
        /// none was.
        die_host_asked: Option<f64> => "share",
        /// The die utilisation in total that was asked for with `host.target_total_utilisation`; null if none was. The
        /// scheme of `host.target_scheme` has it to within 1 %, others another one.
        die_asked: Option<f64> => "share",
        /// The same of the busiest die.
        die_max: f64 => "share",
        /// Share of the time for which a channel was in use, mean over the channels.
        channel: f64 => "share",
        /// The same of the busiest channel.
        channel_max: f64 => "share",
        /// The share of each die, by its number.
        per_die: Vec<f64> => "share",
        /// The share of each channel, by its number.
        per_channel: Vec<f64> => "share",
    }
}

figures! {
    /// What the audit looked at; null without `--audit`.
    #[derive(Eq)]
    pub struct AuditResult {
        /// Checks made when the drive had come to rest.
        checks: u64 => "checks",
        /// Whether all held; a run of which one did not ends with an error and has no results.
        passed: bool,
        /// Of each die, summed over the pages that it has read or programmed for requests: waiting behind other work
        /// of the host, as in `breakdown`.
        queue_ns: Vec<u64> => "ns",
        /// The same: waiting for garbage collection.
        gc_ns: Vec<u64> => "ns",
        /// The same: between controller and die.
        transfer_ns: Vec<u64> => "ns",
        /// The same: work of the array.
        array_ns: Vec<u64> => "ns",
    }
}

impl AuditResult {
    /// Audits a drive that plays no more.
    ///
    /// # Errors
    /// The first contradiction found.
    pub(crate) fn of(drive: &Drive) -> Result<Self, String> {
        let of_dies = drive.recorder.of_dies.as_deref().unwrap_or_default();
        let each = |part: fn(&LatencyAccount) -> Nanos| of_dies.iter().map(|spent| part(spent).0).collect();
        // A window ends while collection and later requests are under way.
        let is_over = drive.recorder.measuring.is_stopped();
        Ok(Self {
            checks: if is_over { crate::audit::check(drive.ftl(), false)? } else { drive.audit()? },
            passed: true,
            queue_ns: each(LatencyAccount::queue),
            gc_ns: each(LatencyAccount::gc),
            transfer_ns: each(LatencyAccount::transfer),
            array_ns: each(LatencyAccount::array),
        })
    }

    /// The same of both.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let both = |part: fn(&Self) -> &Vec<u64>| {
            part(self).iter().zip(part(other)).map(|(one, other)| one + other).collect()
        };
        Self {
            checks: self.checks + other.checks,
            passed: true,
            queue_ns: both(|audit| &audit.queue_ns),
            gc_ns: both(|audit| &audit.gc_ns),
            transfer_ns: both(|audit| &audit.transfer_ns),
            array_ns: both(|audit| &audit.array_ns),
        }
    }
}

pub(crate) fn planes(counters: &[PlaneCounters]) -> PlanesResult {
    let each = |count: fn(&PlaneCounters) -> u64| counters.iter().map(count).collect();
    PlanesResult {
        jobs: each(|plane| plane.jobs),
        erases: each(|plane| plane.erases),
        host_programs: each(|plane| plane.host_programs),
        parity_programs: each(|plane| plane.parity_programs),
        relocated_pages: each(|plane| plane.relocated_pages),
    }
}

/// `asked` is what the settings said before a time scale took their place.
pub(crate) fn utilisation(measured: &Measured, asked: &HostConfig) -> UtilisationResult {
    // Collection may go on after the last completion, so the divisor is the last event.
    let elapsed = measured.events_ns.max(1) as f64;
    let share = |busy: Nanos| busy.0 as f64 / elapsed;
    let (per_die, for_host): (Vec<f64>, Vec<f64>) =
        measured.dies.iter().map(|(busy, for_host)| (share(*busy), share(*for_host))).unzip();
    let per_channel: Vec<f64> = measured.channels.iter().map(|busy| share(*busy)).collect();
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let max = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    UtilisationResult {
        die: mean(&per_die),
        die_host: mean(&for_host),
        die_host_asked: asked.target_utilisation.map(Ratio::value),
        die_asked: asked.target_total_utilisation.map(Ratio::value),
        die_max: max(&per_die),
        channel: mean(&per_channel),
        channel_max: max(&per_channel),
        per_die,
        per_channel,
    }
}

figures! {
    /// The links of a network of routers, by place; null without one.
    pub struct NetworkResult {
        /// Rows of routers.
        rows: u32 => "rows",
        /// Columns of routers.
        columns: u32 => "columns",
        /// Router of each chip, row and column.
        chips: Vec<[u32; 2]>,
        /// Router of each controller, row and column: the host's, then those for collection alone.
        controllers: Vec<[u32; 2]>,
        /// How many of them are the host's.
        host_controllers: u32 => "controllers",
        /// The two routers of each link, by its number.
        links: Vec<[[u32; 2]; 2]>,
        /// Share of the measured time for which each link was in use.
        per_link: Vec<f64> => "share",
        /// Mean over the links.
        link: f64 => "share",
        /// That of the busiest link.
        link_max: f64 => "share",
        /// Transfers by the links of their way: none, one, two, …
        transfers_by_hops: Vec<u64> => "transfers",
    }
}

pub(crate) fn network(measured: &Measured) -> Option<NetworkResult> {
    let Network { map, links, ways } = measured.network.as_ref()?;
    let elapsed = measured.events_ns.max(1) as f64;
    let per_link: Vec<f64> = links.iter().map(|busy| busy.0 as f64 / elapsed).collect();
    let mut transfers_by_hops = ways.clone();
    while transfers_by_hops.last() == Some(&0) {
        transfers_by_hops.pop();
    }
    let map = map.clone();
    Some(NetworkResult {
        rows: map.rows,
        columns: map.columns,
        chips: map.chips,
        controllers: map.controllers,
        host_controllers: map.host_controllers,
        links: map.links,
        link: per_link.iter().sum::<f64>() / (per_link.len() as f64).max(1.0),
        link_max: per_link.iter().copied().fold(0.0, f64::max),
        per_link,
        transfers_by_hops,
    })
}
