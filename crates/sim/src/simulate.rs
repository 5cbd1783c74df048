//! One call: a configuration and a trace in, results out.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use reclaim_trace::{Summary, Trace};
use serde::{Deserialize, Serialize};

use crate::before::Before;
use crate::config::{Facts, audit_bytes, facts_after, power_cut_bytes, run_bytes};
use crate::demand::{backlog_bytes, time_scale_for};
use crate::engine::{Drive, Progress};
use crate::fill::Fill;
use crate::flash::Geometry;
use crate::ftl::{Ftl, SnapshotError, noted};
use crate::gc::relocation::Sample;
use crate::host::AddressMapper;
use crate::losses::Losses;
use crate::mapping::Streams;
use crate::metrics::{
    BlockFrames, BlockFramesRecorder, GcLog, Recorder, RequestTable, SpanRecorder, SpanWindow, Spans,
    StreamLatencies, Timeline, WarmupResult,
};
use crate::order_of_replay::order_of_replay;
use crate::probe::unloaded;
use crate::replay::{foresee, place_all, played_by_warm_up, replay};
use crate::results::{
    AuditResult, Ingredients, Measured, OnePlayResult, RequestResults, Results, buckets, results, start,
};
use crate::settings::{Config, ConfigError, HostConfig, RepeatOrder, WarmupConfig};
use crate::sim_error::SimError;
use crate::total_utilisation::Search;
use crate::untimed::play_untimed;
use crate::warmup::warm_up;
use crate::windows::{Audited, Ways, play_windows};

/// Settings of a run that do not belong to the drive.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Version every write and check all invariants at the end.
    pub audit: bool,
    /// Check all invariants every this many events, too.
    pub audit_every: Option<u64>,
    /// Lose every chip, each by itself, at random moments, so many events apart on average. Needs an audit, and
    /// stripes.
    pub chip_losses: Option<u64>,
    /// Keep one row per request.
    pub record_requests: bool,
    /// Keep one row per collection job.
    pub record_gc: bool,
    /// Keep one row per interval of simulated time.
    pub record_timeline: bool,
    /// Keep what every block holds at some moments.
    pub record_blocks: bool,
    /// Keep one row for everything that lasts and begins within this stretch of simulated time.
    pub record_spans: Option<SpanWindow>,
    /// Take up this saved state instead of warming up.
    pub snapshot_in: Option<PathBuf>,
    /// Save the state after warm-up here.
    pub snapshot_out: Option<PathBuf>,
    /// Name of the build that runs: noted in a state that is saved, and asked of one that is taken up. Empty asks for
    /// none.
    pub build: String,
    /// Names of other builds whose states may be taken up.
    pub accepted: Vec<String>,
    /// Keep what the relocation policy learns from.
    pub keep_samples: bool,
    /// Do writes without time one by one, although they could be batched by plane: the same comes of it, slower.
    pub one_by_one: bool,
    /// Name of the scheme, for results.
    pub scheme: String,
    /// Refuse a run that needs more memory than so many bytes.
    pub memory_limit: Option<u64>,
    /// How many windows of a trace (`measure.windows`) are measured at once; 0 and 1 are one after the other.
    pub workers: usize,
}

/// What a run leaves.
#[derive(Debug)]
pub struct Outcome {
    /// Everything a report needs.
    pub results: Results,
    /// Latencies in ns of reads, writes, trims and flushes, at most 0.1 % off.
    pub histograms: [Histogram<u64>; 4],
    /// What the loss of each chip would have lost, if asked for.
    pub losses: Option<Losses>,
    /// One row per request, if asked for.
    pub requests: Option<RequestTable>,
    /// One row per collection job, if asked for.
    pub gc_log: Option<GcLog>,
    /// One row per interval of simulated time, if asked for.
    pub timeline: Option<Timeline>,
    /// What blocks held at some moments, if asked for.
    pub block_frames: Option<BlockFrames>,
    /// What the relocation policy learned from, if that was to be kept.
    pub samples: Vec<Sample>,
    /// One row for everything that lasts, if asked for.
    pub spans: Option<Spans>,
}

impl Outcome {
    /// The whole distribution of latencies: (class, longest latency of a bucket in ns, requests in it), for every
    /// bucket that is not empty, shortest first; reads, then writes, trims and flushes. No bucket reaches beyond the
    /// longest latency of its class.
    pub fn latency_buckets(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let RequestResults { read, write, trim, flush } = &self.results.requests;
        let classes = [("read", read), ("write", write), ("trim", trim), ("flush", flush)];
        classes.into_iter().zip(&self.histograms).flat_map(|((class, stats), histogram)| {
            buckets(histogram, stats.max_ns).map(move |(upper_ns, count)| (class, upper_ns, count))
        })
    }
}

/// Longest simulated time; keeps every instant far from the end of the clock.
const LONGEST_RUN_NS: f64 = 1e18;

/// Simulates `trace` on the drive of `config`.
///
/// `control` is called now and then with how far the run has got; it stops the run by returning `Break`.
///
/// # Errors
/// Bad configuration, trace, remap or state; an interruption; a failed audit.
pub fn simulate(
    config: &Config,
    trace: &Trace,
    options: &RunOptions,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, SimError> {
    let geometry = Geometry::new(config)?;
    let audited = keeps_versions(config, options);
    fits_memory(config, &geometry, 0, audited, options.memory_limit)?;
    let stopped = |progress: ControlFlow<()>| progress.is_break().then_some(SimError::Interrupted);
    let at = |phase| Progress::of(phase, 0, 0);
    if let Some(stop) = stopped(control(&at("scan"))) {
        return Err(stop);
    }
    let given = trace;
    let Before { trace, summary, mut mapper, round, one_play } = Before::of(config, given, &geometry)?;
    let trace = &trace;
    let time_scale = time_scale(config, given, (trace, &summary), options, control)?;
    if summary.span_ns as f64 / time_scale > LONGEST_RUN_NS {
        let reason = format!(
            "{} makes {} s of trace last more than 30 years of simulated time",
            time_scale,
            summary.span_ns / 1_000_000_000
        );
        return Err(ConfigError::at("host.time_scale", &reason).into());
    }

    // A request of stream 0 is one of no stream.
    let counts_streams = summary.last_stream > 0;
    let of_streams = if counts_streams { stream_bytes(&geometry, &summary) } else { 0 };
    let waiting = of_streams + backlog_bytes(config, &geometry, &summary, time_scale);
    fits_memory(config, &geometry, waiting, audited, options.memory_limit)?;
    if config.measure.windows.is_some() {
        refuse_tables(options)?;
    }

    let mut ftl = Ftl::new(config, &geometry, audited);
    if options.keep_samples {
        ftl.keep_samples();
    }
    if options.one_by_one {
        ftl.write_one_by_one();
    }
    if counts_streams {
        ftl.count_streams();
    }
    let asked = config.host.clone();
    let of_warm_up = played_by_warm_up(config, &round, trace)?;
    let mut transforms = trace.transforms();
    if let Some(target) = aim_in_words(&asked) {
        transforms.push(format!("played {time_scale:.6} times as fast as recorded, for {target}"));
    }
    // A run with the settings of a result must play as this one did, so they name a time scale that was solved for.
    let paced = Config { host: asked.at_scale(time_scale), ..config.clone() };
    let Prepared { settings, result: warmup, .. } =
        prepare(&paced, &mut ftl, (&of_warm_up, (&round, &one_play)), &mut mapper, options, control)?;
    if config.trace.repeat_order == RepeatOrder::Shuffled && settings.kind.plays_the_trace() {
        transforms.push(format!(
            "played by warm-up with its requests in another order each time (seed {})",
            config.seed
        ));
    }
    // Likewise a restored state brings the warm-up that made it; results must name that one.
    let config = &Config { warmup: settings, ..paced };
    ftl.reset_counters();
    let started = start(&ftl);

    let played = if config.measure.windows.is_some() {
        // Each has a drive of its own: as many as there is memory for.
        let fit = options.memory_limit.map_or(u64::MAX, |limit| limit / run_bytes(config, &geometry));
        let workers = options.workers.min(fit.try_into().unwrap_or(usize::MAX));
        let ways = Ways { workers, audited: options.audit.then_some(Audited(options.audit_every)) };
        let (measured, audit) =
            play_windows(config, (ftl, trace), &mut mapper, summary.requests, &ways, control)?;
        transforms.push(windows_in_words(config, &measured));
        Played { measured, audit, losses: None, samples: Vec::new() }
    } else {
        played(config, (ftl, trace), &mut mapper, summary.requests, options, control)?
    };
    let Played { measured, audit, losses, samples } = played;
    let page_bytes = u64::from(geometry.page_bytes);
    let with = Ingredients {
        scheme: options.scheme.clone(),
        transforms,
        writes_are_uniform: trace.uniform_writes().is_some_and(|(footprint_bytes, request_bytes)| {
            let slots = footprint_bytes / page_bytes;
            request_bytes == page_bytes && slots == u64::from(geometry.logical_pages)
        }),
        facts: facts_after(config, Some(&summary), Some(warmup.host_writes), unloaded(config)),
        trace: summary,
        one_play,
        warmup,
        start: started,
        asked,
        audit,
    };
    let results = results(&measured, with);
    let recorder = measured.recorder;
    Ok(Outcome {
        results,
        histograms: recorder.histograms,
        losses,
        requests: recorder.requests,
        gc_log: recorder.gc_log,
        timeline: recorder
            .timeline
            .filter(|_| options.record_timeline)
            .map(|timeline| timeline.table(geometry.page_bytes)),
        block_frames: recorder.block_frames.map(|frames| frames.table()),
        samples,
        spans: recorder.spans.map(|spans| spans.rows()),
    })
}

/// Memory that counting by stream takes: tables of pages, and the latencies of reads and writes.
fn stream_bytes(geometry: &Geometry, summary: &Summary) -> u64 {
    Streams::bytes(geometry.logical_pages) + (u64::from(summary.last_stream) + 1) * StreamLatencies::BYTES
}

/// What a run has come to.
struct Played {
    measured: Measured,
    audit: Option<AuditResult>,
    losses: Option<Losses>,
    samples: Vec<Sample>,
}

/// Plays a trace of so many requests to its end, with time or without.
fn played(
    config: &Config,
    (ftl, trace): (Ftl, &Trace),
    mapper: &mut AddressMapper,
    requests: u64,
    options: &RunOptions,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Played, SimError> {
    // Whoever looks at blocks does so when an interval of the timeline ends: other runs do not even ask.
    let keeps_timeline = options.record_timeline || options.record_blocks;
    let geometry = ftl.geometry().clone();
    let mut recorder = Recorder::new(options.record_requests, options.record_gc, keeps_timeline);
    recorder.block_frames =
        options.record_blocks.then(|| Box::new(BlockFramesRecorder::new(geometry.blocks() as usize)));
    if options.audit {
        recorder.account_for_dies(geometry.dies());
    }
    recorder.spans = options.record_spans.map(|window| Box::new(SpanRecorder::new(window, geometry.dies())));
    let mut drive = Drive::new(config, ftl, recorder);
    if let Some(every) = options.chip_losses.filter(|_| options.audit) {
        drive.lose_chips(every);
    }
    let mut drive = if config.measure.untimed {
        play_untimed(&mut drive, trace, mapper, requests, control)?;
        drive
    } else {
        let mut source = trace.source()?;
        drive.run(source.as_mut(), mapper, requests, options.audit_every, control)?
    };
    let mut audit = None;
    if options.audit {
        if control(&Progress::of("audit", 0, 0)).is_break() {
            return Err(SimError::Interrupted);
        }
        audit = Some(AuditResult::of(&drive).map_err(SimError::Audit)?);
    }
    let (losses, samples) = (drive.losses(), drive.ftl.samples().to_vec());
    Ok(Played { measured: Measured::of(drive), audit, losses, samples })
}

/// How a trace was measured in windows.
fn windows_in_words(config: &Config, measured: &Measured) -> String {
    let windows = &measured.measure.windows;
    let (count, requests) = (windows.len(), windows[0].requests);
    if config.measure.is_of_life() {
        return format!(
            "played over and over without time until the drive is worn out, and {count} of its plays of \
             {requests} requests with time"
        );
    }
    format!(
        "measured in {count} windows of {requests} requests each, played without time between them (seed {})",
        config.seed
    )
}

/// The die utilisation that was asked for, if one was.
fn aim_in_words(host: &HostConfig) -> Option<String> {
    if let Some(target) = host.target_utilisation {
        return Some(format!("a die utilisation of {target} by the host's pages alone"));
    }
    let under = host.target_scheme.as_deref().unwrap_or("the policies of host.target_policies");
    host.target_total_utilisation
        .map(|target| format!("a die utilisation of {target} in total under {under}"))
}

/// How many times as fast as recorded the trace is played: as given, or as gives the utilisation that was asked for.
fn time_scale(
    config: &Config,
    given: &Trace,
    (trace, summary): (&Trace, &Summary),
    options: &RunOptions,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<f64, SimError> {
    if let Some(target) = config.host.target_utilisation {
        let asked = ("host.target_utilisation", target);
        return time_scale_for(asked, config, &Geometry::new(config)?, trace, summary);
    }
    let Some(target) = config.host.target_total_utilisation else { return Ok(config.host.time_scale) };
    let warmup = match &options.snapshot_in {
        // Warmed up as the drive was that the state is of.
        Some(path) => noted_warm_up(&noted(path)?, path)?.settings,
        None => config.warmup.clone(),
    };
    let warmed = Config { warmup, ..config.clone() };
    let mut drive = warmed.target_drive()?.expect("loading a configuration gives the scheme its policies");
    let under = config.host.target_scheme.clone().unwrap_or_default();
    let with =
        RunOptions { scheme: under.clone(), memory_limit: options.memory_limit, ..RunOptions::default() };
    let asked = ("host.target_total_utilisation", target);
    let first = time_scale_for(asked, &drive, &Geometry::new(&drive)?, trace, summary)?;
    let mut search = Search::new(target, first);
    while let Some(scale) = search.next(&under)? {
        drive.host.time_scale = scale;
        let run = search.run();
        let mut told = |progress: &Progress| control(&progress.as_part_of("time scale", run));
        let found = simulate(&drive, given, &with, &mut told)?.results;
        search.found(scale, found.utilisation.die);
    }
    Ok(search.scale())
}

/// Whether a run knows at any time which version of a page is where.
fn keeps_versions(config: &Config, options: &RunOptions) -> bool {
    options.audit || config.measure.power_cut_every.is_some()
}

/// The facts of `config` on a drive that starts from a saved state instead of warming up.
///
/// # Errors
/// When the file cannot be read or is no saved state. Whether it is one of this drive is seen when it is loaded.
pub fn facts_of_state(config: &Config, trace: Option<&Summary>, state: &Path) -> Result<Facts, SimError> {
    let Prepared { settings: warmup, result, .. } = noted_warm_up(&noted(state)?, state)?;
    let config = &Config { warmup, ..config.clone() };
    Ok(facts_after(config, trace, Some(result.host_writes), unloaded(config)))
}

/// How a drive came into its state; noted with a saved one.
#[derive(Serialize, Deserialize)]
struct Prepared {
    settings: WarmupConfig,
    result: WarmupResult,
    /// Of the run that warmed up; empty for a drive as its device file has it.
    scheme: String,
    /// Of the program that warmed up; empty where it did not say.
    #[serde(default)]
    build: String,
    /// Digest of the trace whose order of replay it has looked at; else empty.
    #[serde(default)]
    looked_at: String,
}

/// Who prepared a drive, where no scheme was named.
const ITS_DEVICE: &str = "the device's own policies";

/// The warm-up that made a saved state.
fn noted_warm_up(noted: &str, path: &Path) -> Result<Prepared, SnapshotError> {
    serde_json::from_str(noted).map_err(|_| SnapshotError::File {
        path: path.to_owned(),
        reason: "the saved state is damaged".to_owned(),
    })
}

/// Brings the drive into the state in which the timed run begins; tells how.
fn prepare(
    config: &Config,
    ftl: &mut Ftl,
    (trace, one_play): (&Trace, (&Trace, &OnePlayResult)),
    mapper: &mut AddressMapper,
    options: &RunOptions,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Prepared, SimError> {
    let by_itself = options.snapshot_in.is_none() && config.warmup.policies.is_none();
    let prepared = if let Some(path) = &options.snapshot_in {
        check_build(&noted_warm_up(&noted(path)?, path)?.build, (&options.build, &options.accepted), path)?;
        let (noted, whole) = ftl.load(config, path)?;
        let Prepared { settings, mut result, scheme, build, looked_at } = noted_warm_up(&noted, path)?;
        if result.order_of_replay.is_some() && one_play.0.scan()?.content_hash != looked_at {
            result.order_of_replay = None;
        }
        if settings.kind.plays_the_trace() {
            // That has already given every page its place.
            place_all(trace, mapper)?;
        }
        if !whole && result.prepared_by.is_none() {
            result.prepared_by = Some(if scheme.is_empty() { ITS_DEVICE.to_owned() } else { scheme.clone() });
        }
        Prepared { settings, result, scheme, build, looked_at }
    } else {
        let made = |result: WarmupResult| -> Result<_, SimError> {
            let looked_at = result
                .order_of_replay
                .map_or(Ok(String::new()), |_| one_play.0.scan().map(|summary| summary.content_hash))?;
            let (scheme, build) = (options.scheme.clone(), options.build.clone());
            Ok(Prepared { settings: config.warmup.clone(), result, scheme, build, looked_at })
        };
        match config.preparing() {
            None => made(warmed_up(config, ftl, (trace, one_play), mapper, control)?)?,
            Some(preparing) => {
                let geometry = ftl.geometry().clone();
                let mut other = Ftl::new(&preparing, &geometry, ftl.versions().is_some());
                if ftl.counts_streams() {
                    other.count_streams();
                }
                let mut result = warmed_up(&preparing, &mut other, (trace, one_play), mapper, control)?;
                ftl.take_over(config, other)?;
                result.prepared_by.clone_from(&config.warmup.scheme);
                made(result)?
            }
        }
    };
    if !(by_itself && config.warmup.kind.plays_the_trace()) {
        foresee(ftl, trace, mapper)?;
    }
    if let Some(path) = &options.snapshot_out {
        let noted = serde_json::to_string(&prepared).expect("a warm-up is a plain table");
        ftl.save(config, &noted, path)?;
    }
    Ok(prepared)
}

/// Warms a drive up with its own policies, up to whole program units.
fn warmed_up(
    config: &Config,
    ftl: &mut Ftl,
    (trace, one_play): (&Trace, (&Trace, &OnePlayResult)),
    mapper: &mut AddressMapper,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<WarmupResult, SimError> {
    let mut fill = Fill::of(&config.warmup, ftl.geometry())?;
    if config.warmup.kind.plays_the_trace() {
        fill = fill.beside(&config.warmup, trace, mapper, ftl.geometry())?;
    }
    let mut result = warm_up(config, ftl, &fill, control)?;
    let filled = (*ftl.counters(), result.host_writes);
    if config.warmup.kind.plays_the_trace() {
        foresee(ftl, trace, mapper)?;
        result = replay(config, ftl, trace, mapper, control)?;
        result.host_writes += filled.1;
    }
    ftl.finish_host_units();
    ftl.rest();
    if config.warmup.kind.plays_the_trace() {
        result.order_of_replay =
            order_of_replay(config, ftl, one_play, mapper, (&result, &filled.0), control)?;
    }
    Ok(result)
}

/// Windows of a run keep none of the long tables, which tell of one drive from one end of a run to the other.
fn refuse_tables(options: &RunOptions) -> Result<(), ConfigError> {
    let tables = [
        (options.record_requests, "rows of requests (--record-requests)"),
        (options.record_gc, "rows of collection jobs (--record-gc)"),
        (options.record_timeline, "timeline (--record-timeline)"),
        (options.record_blocks, "contents of blocks"),
        (options.record_spans.is_some(), "rows of operations (--timeline)"),
        (options.keep_samples, "samples for gc.relocation to learn from"),
    ];
    let Some((_, table)) = tables.iter().find(|(asked, _)| *asked) else { return Ok(()) };
    let reason = format!("windows keep no {table}; leave that out, or measure the whole run");
    Err(ConfigError::at("measure.windows", &reason))
}

// What is refused before it can do harm: a run without the memory for it, a state that another program has saved.

/// Whether a run has the memory that it needs. Where it has not, allocating would end the whole process.
/// `waiting` is what requests take that must wait, `audited` whether all versions are kept, `limit` what a run may use.
pub(crate) fn fits_memory(
    config: &Config,
    geometry: &Geometry,
    waiting: u64,
    audited: bool,
    limit: Option<u64>,
) -> Result<(), ConfigError> {
    let of_audit = if audited { audit_bytes(geometry) } else { 0 };
    let of_cuts = config.measure.power_cut_every.map_or(0, |_| power_cut_bytes(geometry));
    let of_drive = run_bytes(config, geometry) + of_audit + of_cuts;
    let needed = of_drive + waiting;
    let Some(limit) = limit.filter(|limit| needed > *limit) else { return Ok(()) };
    let shown = |bytes: u64| match bytes {
        0..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    };
    let audited = if audited { "an audited run" } else { "a run" };
    let reason = format!(
        "{audited} of {} needs about {} of memory, and may use {}: what the computer, its container, or a \
         limit of the process (ulimit -v, ulimit -d) leaves; use larger or fewer pages, or set \
         RECLAIM_MEMORY_LIMIT to another size or to \"unlimited\" in the environment",
        config.name,
        shown(needed),
        shown(limit)
    );
    if of_drive <= limit {
        let reason = format!(
            "the trace asks for more than the drive can do, so that requests wait, {} of memory of \
             them at the end: {reason}; or play it slower, in a closed loop, or only its first \
             requests (trace.max_requests)",
            shown(waiting)
        );
        return Err(ConfigError::at("host.time_scale", &reason));
    }
    Err(ConfigError::at("geometry", &reason))
}

/// Whether the state of a drive may be taken up that this build has saved: another may decide otherwise.
pub(crate) fn check_build(
    theirs: &str,
    (ours, accepted): (&str, &[String]),
    path: &Path,
) -> Result<(), SnapshotError> {
    // What comes before the digest says where it is from.
    let digest = |name: &str| name.rsplit('-').next().unwrap_or_default().to_owned();
    let theirs = if theirs.is_empty() { "unknown" } else { theirs };
    let mut known = std::iter::once(ours).chain(accepted.iter().map(String::as_str));
    if ours.is_empty() || known.any(|name| digest(name) == digest(theirs)) {
        return Ok(());
    }
    Err(SnapshotError::Build { path: path.to_owned(), theirs: theirs.to_owned(), ours: ours.to_owned() })
}
