//! How fast a drive is at its best: what one request takes of an idle drive, and how many pages a second a drive reads
//! and writes whose host always has more to ask for. Both are found by running it: program units, planes that work
//! together, networks, links and parity make their own figure in every combination.
//!
//! What runs is the drive with fewer and smaller blocks, which is built in a moment. Nothing of its timing depends on
//! them while nothing is collected.

use std::ops::ControlFlow;

use reclaim_trace::{Op, Record, Trace};
use serde_json::Value;

use crate::config::{Facts, Unloaded, facts_after};
use crate::engine::{Drive, Fault};
use crate::fill::Fill;
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::metric::figures;
use crate::metrics::{Recorder, RequestTable};
use crate::settings::{
    Acknowledge, Config, ControllerConfig, FtlConfig, GcConfig, HostConfig, HostMode, MeasureConfig,
    PolicyChoice, Remap, Size, TraceConfig, WarmupConfig, WarmupKind, WearConfig,
};
use crate::warmup::warm_up;

figures! {
    /// How many pages a second a drive reads and writes at most while nothing is collected.
    pub struct PeakRates {
        /// Pages per second of sequential reads, each of a page, of a full drive whose host always has more of them
        /// outstanding than the drive can work on; null where that was not tried.
        read_pages_per_s: Option<f64> => "pages/s",
        /// The same of sequential writes, of a page each, or of a whole stripe with redundancy, whose parity does not
        /// count; until nothing is free any more. What writes wait for is part of it: the write buffer, the link.
        /// Without an SLC cache: what is written past it.
        write_pages_per_s: Option<f64> => "pages/s",
        /// Why the rates are null.
        rates_unknown: Option<String>,
    }
}

/// Derives the facts.
///
/// # Panics
/// When `config` was not loaded by [`crate::config::load`], which checks it.
pub fn derive_facts(config: &Config, trace: Option<&reclaim_trace::Summary>) -> Facts {
    facts_after(config, trace, None, unloaded(config))
}

/// Latencies of single requests.
pub(crate) fn unloaded(config: &Config) -> Unloaded {
    let alone = |op, fill| {
        let small = Small::new(config, 1);
        let table = small.run(&[small.request(op, 0, 1)], fill, 1);
        table.completion_ns[0] - table.arrival_ns[0]
    };
    Unloaded {
        read_ns: alone(Op::Read, WarmupKind::Filled),
        // What a stripe holds must be read before; elsewhere an empty drive has its first page next.
        write_ns: alone(Op::Write, if config.is_striped() { WarmupKind::Filled } else { WarmupKind::Empty }),
    }
}

/// Planes of the largest drive whose rates are measured: it takes a second.
const MOST_PLANES: u32 = 4096;

/// Pages that each plane reads or writes, at least: of these the middle half is timed.
const PAGES_OF_PLANE: u32 = 128;

/// Measures the rates of a drive.
///
/// # Panics
/// When `config` was not loaded by [`crate::config::load`], which checks it.
pub fn peak_rates(config: &Config) -> PeakRates {
    let planes = Geometry::new(config).expect("a loaded configuration is checked").planes();
    if planes > MOST_PLANES {
        let reason = format!("measured for drives of up to {MOST_PLANES} planes; this one has {planes}");
        return PeakRates { read_pages_per_s: None, write_pages_per_s: None, rates_unknown: Some(reason) };
    }
    // An empty buffer takes up what is staged in no time; what lasts is how fast pages leave it.
    let controller = ControllerConfig { acknowledge: Acknowledge::Programmed, ..config.controller.clone() };
    // The same of a cache: what lasts is how fast pages come to other blocks.
    let ftl = FtlConfig { slc_cache: PolicyChoice::of("none"), ..config.ftl.clone() };
    let small = Small::new(&Config { controller, ftl, ..config.clone() }, PAGES_OF_PLANE);
    let rate = |op, pages, fill| Some(small.rate(op, pages, fill));
    let (pages, fill) = match &small.geometry.stripes {
        Some(stripes) => (stripes.data_pages(), WarmupKind::Filled),
        None => (1, WarmupKind::Empty),
    };
    PeakRates {
        read_pages_per_s: rate(Op::Read, 1, WarmupKind::Filled),
        write_pages_per_s: rate(Op::Write, pages, fill),
        rates_unknown: None,
    }
}

/// Blocks of a plane beside those with data: what open blocks and collection keep.
const SPARE_BLOCKS: u32 = 24;

/// Pages of a block, at least.
const PAGES_OF_BLOCK: u32 = 16;

/// A word line of more pages than this is tried with one of each level: the levels are as many then, in another order.
const MOST_OF_A_WORD_LINE: u32 = 64;

/// A drive of few blocks that works as another one does until it collects.
struct Small {
    config: Config,
    geometry: Geometry,
    /// Pages after which the levels of each plane come round again.
    cycle: u32,
}

impl Small {
    /// The drive with room for so many pages of data in each plane, at least, and for as many again.
    fn new(config: &Config, pages_of_plane: u32) -> Self {
        let mut config = config.clone();
        let levels = config.flash.cell.levels();
        if config.flash.pages_per_word_line.is_some_and(|pages| pages > MOST_OF_A_WORD_LINE) {
            config.flash.pages_per_word_line = None;
        }
        let word_line = config.flash.pages_per_word_line.unwrap_or(levels);
        let pages_of_block = word_line * PAGES_OF_BLOCK.div_ceil(word_line);
        let parts = config.geometry.parts_of_page();
        let blocks = pages_of_plane.div_ceil(pages_of_block);
        let g = &mut config.geometry;
        let planes = g.channels * g.chips_per_channel * g.dies_per_chip * g.planes_per_die;
        let stored = u64::from(planes) * u64::from(blocks * pages_of_block * parts);
        let chips = config.redundancy.parameters.get("stripe_chips").and_then(Value::as_u64);
        let users = chips.map_or(stored, |chips| stored / chips * (chips - 1));
        (g.blocks_per_plane, g.pages_per_block) = (2 * blocks + SPARE_BLOCKS, pages_of_block);
        g.user_capacity = Some(Size(users * g.mapped().0));
        (g.over_provisioning, g.spare_factor) = (None, None);
        // Collection has nothing to do, whatever it is. What may send writes elsewhere stays.
        let mut trigger = PolicyChoice::of("free-blocks");
        trigger.parameters.insert("start".to_owned(), Value::from("1 block"));
        config.gc = GcConfig { trigger, deferral: config.gc.deferral, ..GcConfig::default() };
        config.ftl.wear = WearConfig::default();
        let cache = &mut config.ftl.slc_cache.parameters;
        for (_, count) in cache.iter_mut().filter(|(name, _)| ["blocks", "start"].contains(&name.as_str())) {
            *count = Value::from("1 block");
        }
        config.redundancy.parameters.remove("rebuild_chip");
        (config.trace, config.measure) = (TraceConfig::default(), MeasureConfig::default());
        let geometry = Geometry::new(&config).expect("fewer blocks than a drive that was checked");
        Self { config, geometry, cycle: planes * word_line * parts }
    }

    /// A request of so many pages, from one of them on.
    fn request(&self, op: Op, page: u64, pages: u64) -> Record {
        let bytes = u64::from(self.geometry.page_bytes);
        Record { time_ns: 0, offset_bytes: page * bytes, size_bytes: pages * bytes, op, stream: 0 }
    }

    /// Plays requests, so many of them outstanding at any time.
    fn run(&self, records: &[Record], fill: WarmupKind, outstanding: u32) -> RequestTable {
        let link = self.config.host.link.clone();
        let host = HostConfig {
            mode: HostMode::ClosedLoop,
            queue_depth: outstanding,
            link,
            ..HostConfig::default()
        };
        let warmup = WarmupConfig { kind: fill, ..WarmupConfig::default() };
        let config = Config { host, warmup, ..self.config.clone() };
        played(&config, &self.geometry, records).expect("a drive that has room plays what fits into it")
    }

    /// Pages a second of requests one after the other, of so many pages each.
    fn rate(&self, op: Op, pages: u32, fill: WarmupKind) -> f64 {
        let pages = u64::from(pages);
        let count = u64::from(self.geometry.logical_pages) / pages;
        let records: Vec<_> = (0..count).map(|k| self.request(op, k * pages, pages)).collect();
        let outstanding = 4 * self.geometry.planes() * self.geometry.unit_pages;
        let ends = self.run(&records, fill, outstanding.max(64)).completion_ns;
        // Requests end together, turn by turn: between equal places of two turns lie whole ones.
        let turn = (u64::from(self.cycle) / pages).max(1) as usize;
        let first = ends.len() / 4;
        let last = first + (ends.len() / 2 / turn).max(1) * turn;
        let last = last.min(ends.len() - 1);
        (last - first) as f64 * pages as f64 * 1e9 / (ends[last] - ends[first]).max(1) as f64
    }
}

fn played(config: &Config, geometry: &Geometry, records: &[Record]) -> Result<RequestTable, Fault> {
    let trace = Trace::from_records("requests", records.to_vec());
    let end = records.iter().map(|each| each.offset_bytes + each.size_bytes).max().unwrap_or(0);
    let mut mapper = AddressMapper::new(Remap::None, end, geometry.page_bytes, geometry.logical_pages)?;
    let control = &mut |_: &_| ControlFlow::Continue(());
    let mut ftl = Ftl::new(config, geometry, false);
    let fill = Fill::of(&config.warmup, ftl.geometry()).expect("a checked configuration");
    warm_up(config, &mut ftl, &fill, control)?;
    ftl.finish_host_units();
    ftl.reset_counters();
    let drive = Drive::new(config, ftl, Recorder::new(true, false, false));
    let mut source = trace.source()?;
    let drive = drive.run(source.as_mut(), &mut mapper, records.len() as u64, None, control)?;
    Ok(drive.into_recorder().requests.expect("it keeps its requests"))
}
