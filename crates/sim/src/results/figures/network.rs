//! How busy the links of a network were, and how far transfers went.

use crate::engine::Drive;
use crate::metric::figures;
use crate::time::Nanos;

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

pub(crate) fn network(drive: &Drive) -> Option<NetworkResult> {
    let links = drive.interconnect.links()?;
    let map = links.map()?;
    let elapsed = (drive.now().0 - drive.measured_from().0).max(1);
    let (time_before, ways_before) = drive.network_before();
    let before = time_before.iter().copied().chain(std::iter::repeat(Nanos(0)));
    let busy = links.busy_time().iter().zip(before);
    // Of a transfer under way when measuring began all counts, or nothing.
    let per_link: Vec<f64> =
        busy.map(|(busy, before)| (busy.0 - before.0).min(elapsed) as f64 / elapsed as f64).collect();
    let before = ways_before.iter().copied().chain(std::iter::repeat(0));
    let ways = links.way_lengths().iter().zip(before).map(|(ways, before)| ways - before);
    let mut transfers_by_hops: Vec<u64> = ways.collect();
    while transfers_by_hops.last() == Some(&0) {
        transfers_by_hops.pop();
    }
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
