//! What requests take in memory that wait because the trace asks for more than the drive can do.

use reclaim_trace::Summary;

use crate::demand::Demand;
use crate::flash::Geometry;
use crate::settings::{Config, HostMode, MultiPlane, WarmupKind};

/// A request that waits, and its first page; measured over floods of some millions.
const WAITING_BYTES: f64 = 108.0;

/// Memory that requests of an open loop take at least while they wait, bytes: what is left of the trace when its time
/// is over, on a drive that collects nothing, wastes no time, and saves itself whatever work it can. Nothing where the
/// time scale is chosen for a utilisation: then the drive keeps up.
pub fn backlog_bytes(config: &Config, geometry: &Geometry, summary: &Summary, time_scale: f64) -> u64 {
    let (host, flash) = (&config.host, &config.flash);
    let keeps_up = host.target_utilisation.is_some() || host.target_total_utilisation.is_some();
    if host.mode == HostMode::ClosedLoop || keeps_up || config.ftl.slc_cache.kind != "none" {
        return 0;
    }
    let page = u64::from(geometry.page_bytes);
    let written = summary.writes.max(summary.write_bytes / page);
    let demand = Demand {
        // A page that was never written takes no time.
        pages_read: if config.warmup.kind == WarmupKind::Empty { 0 } else { summary.reads },
        // Whatever else is merged, the newest version is programmed.
        pages_written: if config.controller.merge_overwrites {
            written.min(summary.write_footprint_bytes / page)
        } else {
            written
        },
        pages_written_in_part: 0,
    };
    // Planes that work together on one command do as much as dies of their own, at best.
    let together = flash.multi_plane != MultiPlane::Off || !flash.plane_reads.are_shared();
    let at_once = if together { geometry.planes() } else { geometry.dies() };
    let of_unit = if flash.programs_word_lines() { flash.cell.levels() } else { 1 } * geometry.parts_of_page;
    let busy_ns = demand.flash_ns(config, geometry) / f64::from(at_once) / f64::from(of_unit);
    let span_ns = summary.span_ns as f64 / time_scale;
    if busy_ns <= span_ns {
        return 0;
    }
    let asking = (summary.reads + summary.writes) as f64;
    (asking * (1.0 - span_ns / busy_ns) * WAITING_BYTES) as u64
}
