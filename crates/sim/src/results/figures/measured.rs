//! What was measured of a run, read off its drive at rest. Results are made of it, and what windows of one trace have
//! measured adds up to it.

use super::classes::percentile;
use super::wear::{WearResult, Worn, wear, worn};
use crate::engine::{Drive, PowerCutResult};
use crate::flash::Geometry;
use crate::ftl::Ftl;
use crate::host::BufferResult;
use crate::ids::PlaneId;
use crate::interconnect::NetworkMap;
use crate::mapping::{FtlCounters, PlaneCounters, StreamCounters};
use crate::metric::summed;
use crate::metrics::{
    ClassSums, InFlight, Mark, MeasureResult, MeasuredWindow, PolicyResults, Programs, Recorder, finite,
};
use crate::settings::Config;
use crate::time::Nanos;

/// What a run, or a window of it, has measured.
pub(crate) struct Measured {
    pub config: Config,
    pub geometry: Geometry,
    pub recorder: Recorder,
    pub counters: FtlCounters,
    pub planes: Vec<PlaneCounters>,
    /// Of each stream what was counted of its data, and how many valid pages it has; nothing where none is named.
    pub streams: Vec<(StreamCounters, u64)>,
    /// Fewest free blocks of any plane.
    pub low_water: u32,
    /// Erased pages of a plane, in blocks, mean over planes and pages of the host.
    pub erased_blocks: Option<f64>,
    pub has_erased: bool,
    pub wear: WearResult,
    /// The same by cell mode, of what runs have worn alone.
    pub worn: [Worn; 2],
    pub buffer: BufferResult,
    pub policies: PolicyResults,
    pub measure: MeasureResult,
    /// Requests that arrived while it was measured.
    pub requests: u64,
    /// Of each die the time it was busy, and the part of it for the host.
    pub dies: Vec<(Nanos, Nanos)>,
    /// Time that each channel was in use.
    pub channels: Vec<Nanos>,
    pub network: Option<Network>,
    /// From where measuring began to the last arrival, ns.
    pub arrivals_ns: u64,
    /// The same to the last completion, ns.
    pub completions_ns: u64,
    /// The same to the last event, ns.
    pub events_ns: u64,
    pub events: u64,
    pub power_cuts: Option<PowerCutResult>,
}

/// How old a drive is where a window begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Age {
    host_bytes: u64,
    mean_erases: f64,
    failed_blocks: Option<u32>,
}

impl Age {
    /// Of a drive to which the host has written so many pages.
    pub fn of(ftl: &Ftl, host_pages: u64) -> Self {
        let WearResult { mean_erases, failed_blocks, .. } = wear(ftl);
        Self { host_bytes: host_pages * u64::from(ftl.geometry().page_bytes), mean_erases, failed_blocks }
    }
}

/// The links of a network of routers.
pub(crate) struct Network {
    pub map: NetworkMap,
    /// Time that each link was in use.
    pub links: Vec<Nanos>,
    /// Transfers by the links of their way.
    pub ways: Vec<u64>,
}

impl Measured {
    /// Reads a drive that plays no more.
    pub fn of(drive: Drive) -> Self {
        let planes = (0..drive.geometry.planes()).map(PlaneId);
        let since = |at: u64| at.saturating_sub(drive.measured_from().0);
        let now = since(drive.now().0);
        Self {
            counters: *drive.ftl.counters(),
            planes: drive.ftl.plane_counters().to_vec(),
            streams: drive.ftl.stream_counters(),
            low_water: planes.map(|plane| drive.ftl.plane(plane).low_water).min().unwrap_or(0),
            erased_blocks: mean_erased_blocks_per_plane(&drive.ftl, &drive.recorder.programs),
            has_erased: drive.ftl.has_erased(),
            worn: worn(&drive.ftl, drive.config.flash.initial_erases),
            wear: wear(&drive.ftl),
            buffer: drive.write_buffer.result(drive.most_buffered_pages()),
            policies: drive.policy_results(),
            measure: drive.measure_result(),
            requests: drive.measured_requests(),
            dies: drive.dies.worked().collect(),
            channels: drive.measured_channel_time().collect(),
            network: network(&drive, now.max(1)),
            arrivals_ns: since(drive.recorder.last_arrival.0),
            completions_ns: since(drive.recorder.last_completion.0),
            events_ns: now,
            events: drive.events.scheduled(),
            power_cuts: drive.power_cut_result(),
            config: drive.config.clone(),
            geometry: drive.geometry.clone(),
            recorder: drive.into_recorder(),
        }
    }

    /// What windows of one trace have measured, first window first, as if it were one run: counts and times are sums,
    /// and blocks are as worn as the last has left them. Each comes with the requests of the trace before it, and with
    /// the age of its drive.
    pub fn of_windows(windows: Vec<((u64, Age), Self)>) -> Option<Self> {
        let (mut facts, mut in_flight, mut marks) = (Vec::new(), Vec::new(), Vec::new());
        let mut all: Option<Self> = None;
        for (begins, window) in windows {
            in_flight.push(window.recorder.in_flight.total());
            facts.push(window.fact(begins));
            let sum = match all.take() {
                None => window,
                Some(mut sum) => {
                    sum.add(window);
                    sum
                }
            };
            marks.push(Mark::of(&sum.counters));
            all = Some(sum);
        }
        let mut all = all?;
        all.recorder.programs = Programs::ending_at(marks);
        all.recorder.in_flight = InFlight::summing_to(in_flight, facts[0].requests);
        all.measure.windows = facts;
        Some(all)
    }

    fn fact(&self, (first_request, age): (u64, Age)) -> MeasuredWindow {
        let tail = |class: usize| {
            let (histogram, sums) = (&self.recorder.histograms[class], &self.recorder.sums[class]);
            (sums.count > 0).then(|| percentile(histogram, sums, 0.999))
        };
        let of = |sum: fn(&ClassSums) -> u128| self.recorder.sums.iter().map(sum).sum::<u128>() as f64;
        MeasuredWindow {
            first_request,
            requests: self.requests,
            lead_in: self.measure.requests_before,
            host_bytes_before: age.host_bytes,
            mean_erases: age.mean_erases,
            failed_blocks: age.failed_blocks,
            read_p99_9_ns: tail(0),
            write_p99_9_ns: tail(1),
            mean_latency_ns: finite(of(|sums| sums.latency_ns) / of(|sums| u128::from(sums.count))),
            outstanding: finite(self.recorder.in_flight.total() as f64 / self.requests as f64),
            write_amplification: finite(self.counters.write_amplification()),
        }
    }

    fn add(&mut self, next: Self) {
        let pages = |of: &Self| of.counters.host_programs as f64;
        let weighed = |of: &Self| of.erased_blocks.map_or(0.0, |blocks| blocks * pages(of));
        let erased = (weighed(self) + weighed(&next)) / (pages(self) + pages(&next));
        self.erased_blocks = Some(erased).filter(|blocks| blocks.is_finite());
        self.counters = summed(&self.counters, &next.counters);
        self.planes.iter_mut().zip(&next.planes).for_each(|(sum, more)| *sum = summed(sum, more));
        self.streams.iter_mut().zip(&next.streams).for_each(|((sum, valid), (more, after))| {
            (*sum, *valid) = (summed(sum, more), *after);
        });
        self.low_water = self.low_water.min(next.low_water);
        self.has_erased |= next.has_erased;
        self.wear = next.wear;
        self.worn = next.worn;
        self.buffer.max_pages = self.buffer.max_pages.max(next.buffer.max_pages);
        self.buffer.waits += next.buffer.waits;
        self.buffer.wait_ns += next.buffer.wait_ns;
        for (kind, metrics) in next.policies {
            let sums = self.policies.entry(kind).or_default();
            for (name, metric) in metrics {
                match sums.get_mut(&name) {
                    Some(sum) => sum.value += metric.value,
                    None => drop(sums.insert(name, metric)),
                }
            }
        }
        self.measure.requests_before += next.measure.requests_before;
        self.requests += next.requests;
        self.dies.iter_mut().zip(&next.dies).for_each(|(sum, more)| {
            sum.0 += more.0;
            sum.1 += more.1;
        });
        add_each(&mut self.channels, &next.channels);
        if let (Some(sum), Some(more)) = (&mut self.network, next.network) {
            add_each(&mut sum.links, &more.links);
            sum.ways.resize(sum.ways.len().max(more.ways.len()), 0);
            sum.ways.iter_mut().zip(&more.ways).for_each(|(sum, more)| *sum += more);
        }
        self.arrivals_ns += next.arrivals_ns;
        self.completions_ns += next.completions_ns;
        self.events_ns += next.events_ns;
        self.events += next.events;
        self.recorder.add(&next.recorder);
    }
}

fn add_each(sums: &mut [Nanos], more: &[Nanos]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += *more);
}

/// The links of a network while the run was measured, for so many ns.
fn network(drive: &Drive, elapsed: u64) -> Option<Network> {
    let links = drive.interconnect.links()?;
    let map = links.map()?;
    let (time_before, ways_before) = drive.network_before();
    let before = time_before.iter().copied().chain(std::iter::repeat(Nanos(0)));
    // Of a transfer under way when measuring began all counts, or nothing.
    let busy = links.busy_time().iter().zip(before);
    let busy = busy.map(|(busy, before)| Nanos((busy.0 - before.0).min(elapsed))).collect();
    let before = ways_before.iter().copied().chain(std::iter::repeat(0));
    let ways = links.way_lengths().iter().zip(before).map(|(ways, before)| ways - before).collect();
    Some(Network { map, links: busy, ways })
}

/// Erased pages of a plane, in blocks: mean over the planes and over the pages that the host wrote while it was
/// measured.
fn mean_erased_blocks_per_plane(ftl: &Ftl, programs: &Programs) -> Option<f64> {
    let geometry = ftl.geometry();
    let per_block = geometry.pages_per_block;
    let now: u64 = (0..geometry.planes()).map(|plane| ftl.erased_pages(PlaneId(plane))).sum();
    let at_start = now as f64 - Mark::of(ftl.counters()).free_pages_gained(per_block) as f64;
    let mean = at_start + programs.mean_free_pages_gained(per_block);
    finite(mean / f64::from(per_block) / f64::from(geometry.planes()))
}
