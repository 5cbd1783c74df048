//! What follows from a configuration (and a trace) before anything is run; how much memory it needs.

use reclaim_trace::Summary;

use super::start::{GcStarts, Start, StartLevels, pages_of};
use crate::building::BuildContext;
use crate::flash::{Geometry, Timing};
use crate::ftl::{mapping_cache, placement, separation};
use crate::gc::trigger::{self, Trigger};
use crate::load_ends::{LoadEnd, beyond_formulas, beyond_victims, load_ends};
use crate::mapping::Classes;
use crate::metric::figures;
use crate::settings::Config;

figures! {
    /// Facts derived from a configuration and, where given, a trace.
    pub struct Facts {
        /// The state in which the run finds the drive, in words: what the warm-up leaves. Free blocks and the start of
        /// collection are about a drive in this state.
        assumed_state: String,
        /// Bytes of user data that all physical pages hold together.
        raw_bytes: u64 => "bytes",
        /// User capacity in bytes.
        user_bytes: u64 => "bytes",
        /// Number of physical pages, T: the size of the reverse map, and the T of every spare factor.
        physical_pages: u32 => "pages",
        /// Number of logical pages, U: the size of the forward map, and the U of every spare factor.
        logical_pages: u32 => "pages",
        /// Number of planes in the drive: how many arrays can be collected independently of each other.
        planes: u32 => "planes",
        /// Number of dies that can work at the same time: the parallelism that utilisation is a share of.
        dies: u32 => "dies",
        /// Spare share of all pages, (T - U) / T.
        spare_factor: f64 => "share",
        /// Spare pages per user page, (T - U) / U.
        over_provisioning: f64 => "ratio",
        /// What uniform overwrites come to in the long run when the host leaves collection the time to bring each plane
        /// back to the free blocks of its trigger: the end of highest write amplification.
        light_load: LoadEnd,
        /// The same when a host operation always waits at each die, and collection is deferred until a plane is
        /// urgent: the end of lowest write amplification, but for what the write buffer holds.
        heavy_load: LoadEnd,
        /// Why their write amplification is null.
        write_amplification_unknown: Option<String>,
        /// Free blocks per plane when the timed run starts, at most.
        free_blocks_per_plane: u32 => "blocks",
        /// Free blocks per plane at which collection starts.
        gc_start_blocks: u32 => "blocks",
        /// Free blocks per plane at which collection goes before the host; null if it never does.
        gc_urgent_blocks: Option<u32> => "blocks",
        /// The warning where collection is urgent as soon as it starts, with both levels as they come out on this
        /// drive. Null where they differ, or where collection does not start by a level.
        urgent_from_the_start: Option<String>,
        /// Pages the host can write before the first plane is collected, if writes spread evenly. Zero on a drive that
        /// collects already.
        gc_starts_after_pages: u64 => "pages",
        /// Latency of reading the first page of a full, idle drive, which is of the fastest level.
        unloaded_read_ns: u64 => "ns",
        /// Latency of writing the first page of an idle drive, to the fastest level, until `controller.acknowledge`
        /// calls it done. Includes `flash.flush_after` with program units of several pages, and the reads of the stripe
        /// with redundancy (on a full drive).
        unloaded_write_ns: u64 => "ns",
        /// Time of an erase, ns.
        erase_ns: u64 => "ns",
        /// Data bytes per second that the data lines of one channel carry, whatever `interconnect` makes of them.
        channel_bytes_per_s: f64 => "bytes/s",
        /// Bytes of state kept per physical page (mapping, valid bits, block table).
        state_bytes_per_page: f64 => "bytes",
        /// Memory of a process that runs the drive, estimated; the trace, and tables that are recorded, come on top.
        run_memory_bytes: u64 => "bytes",
        /// Memory that an audited run needs beside that.
        audit_memory_bytes: u64 => "bytes",
        /// What the trace is on this drive.
        trace: Option<TraceFacts>,
    }
}

figures! {
    /// What a trace is on a drive.
    pub struct TraceFacts {
        /// Its footprint as a share of the user capacity.
        footprint_share: f64 => "share",
        /// How many user capacities it writes.
        drive_writes: f64 => "drive capacities",
        /// Whether it reaches beyond the user capacity.
        larger_than_drive: bool,
        /// Whether it makes collection start on a drive in the assumed state.
        gc_starts: GcStarts,
        /// After about how many of its requests that is, if writes come evenly; null if it does not start.
        gc_starts_after_requests: Option<u64> => "requests",
    }
}

/// What single requests take on an idle drive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unloaded {
    /// Latency of a read, ns.
    pub read_ns: u64,
    /// Latency of a write, ns.
    pub write_ns: u64,
}

/// The warning of levels that coincide.
fn urgent_from_the_start(trigger: &dyn Trigger, geometry: &Geometry) -> Option<String> {
    let terms = trigger.terms();
    let (hard, start) = (terms.urgent_blocks?, terms.start_blocks);
    let blocks = |count: u32| if count == 1 { "1 block".to_owned() } else { format!("{count} blocks") };
    (terms.starts_by_level && hard >= start).then(|| {
        format!(
            "gc.trigger.hard comes to {} and gc.trigger.start to {} of the {} of a plane: collection is \
             urgent, before reads and writes of the host, as soon as it starts; lower hard (\"0 blocks\" or \
             \"off\"), or raise start",
            blocks(hard),
            blocks(start),
            geometry.blocks_per_plane
        )
    })
}

/// Derives the facts where it is known how many pages the warm-up has written, if it is.
///
/// # Panics
/// When `config` was not loaded by [`super::load`], which checks it.
pub(crate) fn facts_after(
    config: &Config,
    trace: Option<&Summary>,
    warmup_pages: Option<u64>,
    unloaded: Unloaded,
) -> Facts {
    let geometry = Geometry::new(config).expect("a loaded configuration is checked");
    let timing = Timing::new(config);
    let context = BuildContext::new(config, &geometry);
    let mut trigger = trigger::MEMBERS.build_checked(&config.gc.trigger, &context);
    let terms = trigger.terms();
    let gc_start_blocks = terms.start_blocks;
    let beyond = beyond_formulas(config, &context, trigger.as_ref());
    let by_free_blocks = beyond.is_none();
    let levels = if terms.of_drive {
        StartLevels::in_the_mean(gc_start_blocks)
    } else if by_free_blocks {
        StartLevels::exactly(gc_start_blocks)
    } else {
        StartLevels::of_space_alone(trigger.as_mut(), &geometry)
    };
    let classes = separation::terms_of(config, &context).map_or(1, |terms| terms.classes);
    let levels = levels.with_open_blocks(classes);
    let start = Start::of(&config.warmup, &geometry, trigger.as_ref(), levels, trace, warmup_pages);
    let (light_load, heavy_load) = load_ends(config, &geometry, trigger.as_mut(), by_free_blocks);
    let user_bytes = u64::from(geometry.logical_pages) * u64::from(geometry.page_bytes);
    Facts {
        assumed_state: start.state.clone(),
        raw_bytes: u64::from(geometry.pages()) * u64::from(geometry.page_bytes),
        user_bytes,
        physical_pages: geometry.pages(),
        logical_pages: geometry.logical_pages,
        planes: geometry.planes(),
        dies: geometry.dies(),
        spare_factor: geometry.spare_factor(),
        over_provisioning: geometry.over_provisioning(),
        light_load,
        heavy_load,
        write_amplification_unknown: beyond.or_else(|| beyond_victims(&config.gc.victim, &geometry)),
        free_blocks_per_plane: start.free_blocks,
        gc_start_blocks,
        gc_urgent_blocks: terms.urgent_blocks,
        urgent_from_the_start: urgent_from_the_start(trigger.as_ref(), &geometry),
        gc_starts_after_pages: start.starts_after,
        unloaded_read_ns: unloaded.read_ns,
        unloaded_write_ns: unloaded.write_ns,
        erase_ns: timing.unloaded_erase().0,
        channel_bytes_per_s: config.channel.rate.0 as f64 * f64::from(config.channel.width_bits) / 8.0,
        state_bytes_per_page: state_bytes(&geometry) / f64::from(geometry.pages()),
        run_memory_bytes: run_bytes(config, &geometry),
        audit_memory_bytes: audit_bytes(&geometry),
        trace: trace.map(|summary| TraceFacts {
            footprint_share: summary.footprint_bytes as f64 / user_bytes as f64,
            drive_writes: summary.write_bytes as f64 / user_bytes as f64,
            larger_than_drive: summary.max_end_bytes > user_bytes,
            gc_starts: start.gc_starts(pages_of(summary, &geometry)),
            gc_starts_after_requests: start.requests_before(summary, pages_of(summary, &geometry)),
        }),
    }
}

// How much memory a run needs, estimated before anything is allocated.

/// What a process has beside the tables of the drive, bytes: interpreter, modules, program, and all else that does not
/// grow with the drive. Measured with Python 3.11 and a short trace on Linux: 28 to 33 million.
const PROCESS_BYTES: f64 = 31e6;

/// Forward and reverse map, valid bit, and the block's share of the block table and victim lists.
pub(super) fn state_bytes(geometry: &Geometry) -> f64 {
    let pages = f64::from(geometry.pages());
    let stored = f64::from(geometry.stored_pages);
    let block_table = 1.0 + 2.0 + 2.0 + 2.0 + 4.0;
    let victim_lists = 8.0;
    let heads = f64::from(geometry.planes()) * f64::from(geometry.pages_per_block + 1) * 8.0;
    let blocks = f64::from(geometry.blocks()) * (block_table + victim_lists + 4.0);
    pages * (4.0 + 0.125) + stored * 4.0 + blocks + heads
}

/// Memory of a process that runs the drive, and what an audited run needs beside that, bytes: as [`Facts`] have them,
/// whose other parts take a run.
///
/// # Panics
/// As [`facts_after`].
pub fn memory_of(config: &Config) -> (u64, u64) {
    let geometry = Geometry::new(config).expect("a loaded configuration is checked");
    (run_bytes(config, &geometry), audit_bytes(&geometry))
}

/// Memory of a process that runs the drive, without that of the trace and of recorded tables.
pub(crate) fn run_bytes(config: &Config, geometry: &Geometry) -> u64 {
    let context = BuildContext::new(config, geometry);
    let placement = placement::MEMBERS.build_checked(&config.ftl.placement, &context);
    let separation = separation::MEMBERS.build_checked(&config.ftl.separation, &context);
    let mapping = mapping_cache::MEMBERS.build_checked(&config.ftl.mapping_cache, &context);
    let classes = separation.terms().map_or(0, |terms| {
        let blocks = terms.knows_blocks().then(|| geometry.blocks());
        Classes::bytes(geometry.stored_pages, terms.knows_ages(), blocks)
    });
    let drive =
        state_bytes(geometry) as u64 + placement.bytes() + separation.bytes() + mapping.bytes() + classes;
    // A window is measured while the next gathers its requests, and the trace goes on.
    let windows = if config.measure.windows.is_some() { 2 * drive } else { 0 };
    PROCESS_BYTES as u64 + drive + windows.max(order_check_bytes(config, geometry, drive))
}

/// What looking at the order of replay needs beside the drive, at most: a copy of it, and twelve bytes for each page
/// that is written to that, in the order of the trace and in another.
fn order_check_bytes(config: &Config, geometry: &Geometry, drive: u64) -> u64 {
    let looks = config.warmup.order_check && config.warmup.kind.plays_the_trace();
    if looks && config.trace.repeat_order.is_same() {
        drive + u64::from(geometry.stored_pages) * 24
    } else {
        0
    }
}

/// What an audited run needs beside that: the newest version of every logical page, the one in every physical page, a
/// bit for each, and with stripes what every physical page holds.
pub(crate) fn audit_bytes(geometry: &Geometry) -> u64 {
    let content = if geometry.stripes.is_some() { 8.0 } else { 0.0 };
    let (pages, stored) = (f64::from(geometry.pages()), f64::from(geometry.stored_pages));
    (pages * (4.0 + 0.125 + content) + stored * (4.0 + 0.125)) as u64
}

/// What counting the losses of power cuts needs beside that: three numbers for every logical page; with stripes as many
/// for every physical one, for what parity says of itself and to sort pages by stripe.
pub(crate) fn power_cut_bytes(geometry: &Geometry) -> u64 {
    let of_stripes = geometry.stripes.as_ref().map_or(0, |_| u64::from(geometry.pages()) * 12);
    u64::from(geometry.stored_pages) * 12 + of_stripes
}
