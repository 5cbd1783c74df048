//! How much work a trace is for the dies of a drive, and how fast it must be played for a given die utilisation; what
//! requests take in memory that wait because the trace asks for more than the drive can do.

use reclaim_trace::{Op, Summary, Trace};

use crate::flash::{Geometry, Timing};
use crate::settings::{Config, ConfigError, HostMode, MultiPlane, Ratio, WarmupKind};
use crate::sim_error::SimError;
use crate::time::Nanos;

/// Pages of a trace, on pages of one size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Pages that reads touch, counted at every read.
    pub pages_read: u64,
    /// Pages that writes touch, counted at every write.
    pub pages_written: u64,
    /// Those of them that are written in part, so that their rest must be read.
    pub pages_written_in_part: u64,
}

impl Demand {
    /// Counts the pages of a trace.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn of(trace: &Trace, page_bytes: u32) -> Result<Self, reclaim_trace::TraceError> {
        const AT_ONCE: usize = 4096;
        let page_bytes = u64::from(page_bytes);
        let mut demand = Self::default();
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        while source.fill(&mut records, AT_ONCE)? > 0 {
            for record in records.drain(..) {
                let (begin, end) = (record.offset_bytes, record.end_bytes());
                let pages = end.div_ceil(page_bytes) - begin / page_bytes;
                match record.op {
                    Op::Read => demand.pages_read += pages,
                    Op::Write => {
                        demand.pages_written += pages;
                        let cut = |byte: u64| u64::from(!byte.is_multiple_of(page_bytes));
                        demand.pages_written_in_part += (cut(begin) + cut(end)).min(pages);
                    }
                    Op::Trim | Op::Flush => {}
                }
            }
        }
        Ok(demand)
    }

    /// Time for which these pages occupy dies on an idle channel, in ns, with all page levels equally likely: a read by
    /// its command, tR and the data on the channel; a program by its command, the data and tPROG, where pages are
    /// mapped in parts by the share of a part; a page written in part by a read, too. Garbage collection is not in it,
    /// nor what multi-plane operations, reads of several parts of a page and programs loaded under others save.
    pub fn flash_ns(&self, config: &Config, geometry: &Geometry) -> f64 {
        let timing = Timing::new(config);
        let pages = geometry.pages_per_block;
        let mean = |time: &dyn Fn(u32) -> Nanos| {
            (0..pages).map(|page| time(page).0 as f64).sum::<f64>() / f64::from(pages)
        };
        let data = timing.data(geometry.page_bytes) + timing.host_buffer;
        let read = (timing.read_command + data).0 as f64 + mean(&|page| timing.t_read(page));
        let whole = timing.program_command.0 as f64 + mean(&|page| timing.t_program(page));
        let program = data.0 as f64 + whole / f64::from(geometry.parts_of_page);
        (self.pages_read + self.pages_written_in_part) as f64 * read + self.pages_written as f64 * program
    }
}

/// The time scale at which the host's pages alone give the die utilisation `target`, which `key` asks for:
/// scale = target * dies * span / flash time.
///
/// # Errors
/// When the trace cannot be read or no time scale does it.
pub(crate) fn time_scale_for(
    (key, target): (&str, Ratio),
    config: &Config,
    geometry: &Geometry,
    trace: &Trace,
    summary: &Summary,
) -> Result<f64, SimError> {
    let fail = |reason: &str| SimError::from(ConfigError::at(key, reason));
    if config.host.mode == HostMode::ClosedLoop {
        return Err(fail(
            "a closed loop keeps the queue full whatever the time; use host.mode = \"open-loop\"",
        ));
    }
    let flash_ns = Demand::of(trace, geometry.page_bytes)?.flash_ns(config, geometry);
    if summary.span_ns == 0 || flash_ns == 0.0 {
        return Err(fail(
            "the trace has no time or reads and writes nothing, so no time scale gives a die utilisation",
        ));
    }
    let scale = target.value() * f64::from(geometry.dies()) * summary.span_ns as f64 / flash_ns;
    if !(1e-6..=1e6).contains(&scale) {
        return Err(fail(&format!(
            "the trace would have to be played {scale:.3e} times as fast, which is not between 1e-6 and 1e6"
        )));
    }
    Ok(scale)
}

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
    let mut pages_written = summary.writes.max(summary.write_bytes / page);
    if config.controller.merge_overwrites {
        // Whatever else is merged, the newest version is programmed.
        pages_written = pages_written.min(summary.write_footprint_bytes / page);
    }
    // A page that was never written takes no time.
    let pages_read = if config.warmup.kind == WarmupKind::Empty { 0 } else { summary.reads };
    let flash_ns = |pages_read, pages_written| {
        Demand { pages_read, pages_written, pages_written_in_part: 0 }.flash_ns(config, geometry)
    };
    // Planes that work together on one command do as much as dies of their own, at best.
    let together = flash.multi_plane != MultiPlane::Off || !flash.plane_reads.are_shared();
    let at_once = if together { geometry.planes() } else { geometry.dies() };
    // At best all parts of a page are read at once, and all pages of a word line are programmed so.
    let of_word_line = if flash.programs_word_lines() { flash.cell.levels() } else { 1 };
    let reading_ns = flash_ns(pages_read, 0) / f64::from(geometry.parts_of_page);
    let programming_ns = flash_ns(0, pages_written) / f64::from(of_word_line);
    let busy_ns = (reading_ns + programming_ns) / f64::from(at_once);
    let span_ns = summary.span_ns as f64 / time_scale;
    if busy_ns <= span_ns {
        return 0;
    }
    let asking = (summary.reads + summary.writes) as f64;
    (asking * (1.0 - span_ns / busy_ns) * WAITING_BYTES) as u64
}
