//! The sinks of a running drive, with the optional long tables.

use std::borrow::Cow;

use hdrhistogram::Histogram;

use super::windows::{InFlight, Programs};
use super::{BlockFramesRecorder, FlashResult, GcResult, Measuring, SpanRecorder, TimelineRecorder};
use crate::gc::JobFacts;
use crate::host::Request;
use crate::latency::LatencyAccount;
use crate::mapping::{Cause, FtlCounters, STREAMS};
use crate::metric::summed;
use crate::time::{Nanos, SimTime};

/// Request classes with statistics of their own, numbered as `reclaim_trace::Op`.
pub const CLASSES: usize = 4;

/// Sums over the requests of a class.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClassSums {
    /// How many requests have ended.
    pub count: u64,
    /// Bytes they asked for, as in the trace.
    pub bytes: u64,
    /// Sum of their latencies, exact where the histogram rounds.
    pub latency_ns: u128,
    /// The shortest latency, exact; 0 before the first request.
    pub min_ns: u64,
    /// The longest latency, exact; the end of the distribution.
    pub max_ns: u64,
    /// Where they went, by the parts of [`LatencyAccount`]; only what no part knows is missing.
    pub queue_ns: u128,
    /// Waiting for collection.
    pub gc_ns: u128,
    /// Between controller and die.
    pub transfer_ns: u128,
    /// In the array.
    pub array_ns: u128,
    /// Between host and drive.
    pub link_ns: u128,
}

impl ClassSums {
    /// A request of so many bytes has ended; its time went like this.
    #[inline]
    fn note(&mut self, bytes: u64, latency: Nanos, spent: &LatencyAccount) {
        self.min_ns = if self.count == 0 { latency.0 } else { self.min_ns.min(latency.0) };
        self.max_ns = self.max_ns.max(latency.0);
        self.count += 1;
        self.bytes += bytes;
        self.latency_ns += u128::from(latency.0);
        self.queue_ns += u128::from(spent.queue().0);
        self.gc_ns += u128::from(spent.gc().0);
        self.transfer_ns += u128::from(spent.transfer().0);
        self.array_ns += u128::from(spent.array().0);
        self.link_ns += u128::from(spent.link().0);
    }

    fn add(&mut self, next: &Self) {
        if next.count > 0 {
            self.min_ns = if self.count == 0 { next.min_ns } else { self.min_ns.min(next.min_ns) };
        }
        self.max_ns = self.max_ns.max(next.max_ns);
        self.count += next.count;
        self.bytes += next.bytes;
        self.latency_ns += next.latency_ns;
        self.queue_ns += next.queue_ns;
        self.gc_ns += next.gc_ns;
        self.transfer_ns += next.transfer_ns;
        self.array_ns += next.array_ns;
        self.link_ns += next.link_ns;
    }
}

/// Latencies of the reads and writes of one stream.
#[derive(Debug, Default)]
pub struct StreamLatencies {
    /// Made with the first request: a trace may skip streams.
    pub(crate) histograms: Option<Box<[Histogram<u64>; 2]>>,
    pub(crate) sums: [ClassSums; 2],
}

impl StreamLatencies {
    /// Memory of one stream, bytes: a histogram begins with 2,048 counts, and each time its range doubles come 1,024.
    pub(crate) const BYTES: u64 = 2 * 8 * (2_048 + 30 * 1_024);

    #[inline]
    fn request_ended(&mut self, request: &Request, latency: Nanos, spent: &LatencyAccount) {
        let class = request.op as usize;
        if let Some(sums) = self.sums.get_mut(class) {
            sums.note(request.size_bytes, latency, spent);
            self.histograms_mut()[class].record(latency.0).expect("the histogram widens as needed");
        }
    }

    /// Of reads (0) or writes (1).
    pub(crate) fn histogram(&self, class: usize) -> Cow<'_, Histogram<u64>> {
        self.histograms.as_ref().map_or_else(|| Cow::Owned(histogram()), |all| Cow::Borrowed(&all[class]))
    }

    fn histograms_mut(&mut self) -> &mut [Histogram<u64>; 2] {
        self.histograms.get_or_insert_with(|| Box::new(std::array::from_fn(|_| histogram())))
    }

    fn add(&mut self, next: &Self) {
        self.sums.iter_mut().zip(&next.sums).for_each(|(sum, more)| sum.add(more));
        let Some(more) = &next.histograms else { return };
        for (sum, more) in self.histograms_mut().iter_mut().zip(more.iter()) {
            sum.add(more).expect("the histogram widens as needed");
        }
    }
}

/// Without a latency. Three significant digits: values are kept to 0.1 %. Longer latencies widen it as needed.
fn histogram() -> Histogram<u64> {
    let mut histogram = Histogram::new_with_bounds(1, 1_000_000_000_000, 3).expect("the bounds are valid");
    histogram.auto(true);
    histogram
}

/// Everything recorded during a timed run.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) histograms: [Histogram<u64>; CLASSES],
    pub(crate) sums: [ClassSums; CLASSES],
    /// Where requests name streams: latencies of each, by its number.
    pub(crate) streams: Option<Box<[StreamLatencies]>>,
    /// What the engine counts of operations on flash.
    pub(crate) flash: FlashResult,
    /// What the engine counts of garbage collection.
    pub(crate) gc: GcResult,
    pub(crate) last_arrival: SimTime,
    pub(crate) last_completion: SimTime,
    pub(crate) max_outstanding: u64,
    pub(crate) in_flight: InFlight,
    pub(crate) programs: Programs,
    pub(crate) requests: Option<RequestTable>,
    pub(crate) gc_log: Option<GcLog>,
    /// Jobs that ended before what is kept.
    forgotten_jobs: u32,
    pub(crate) timeline: Option<TimelineRecorder>,
    /// What blocks hold now and then, where that is asked for; only beside a timeline.
    pub(crate) block_frames: Option<Box<BlockFramesRecorder>>,
    /// What lasts how long, where that is asked for; of the whole run, measured or not.
    pub(crate) spans: Option<Box<SpanRecorder>>,
    /// Of each die where the time of the pages went that it has read or programmed for requests; of audited runs.
    pub(crate) of_dies: Option<Box<[LatencyAccount]>>,
    fault: Option<String>,
    /// From when on it is measured.
    pub(crate) measuring: Measuring,
}

impl Recorder {
    /// An empty recorder, with tables of requests, of collection jobs and of intervals if they are to be kept.
    ///
    /// # Panics
    /// Never: the histogram bounds are valid.
    pub fn new(keep_requests: bool, keep_gc: bool, keep_timeline: bool) -> Self {
        Self {
            histograms: std::array::from_fn(|_| histogram()),
            sums: [ClassSums::default(); CLASSES],
            streams: None,
            flash: FlashResult::default(),
            gc: GcResult::default(),
            last_arrival: SimTime::ZERO,
            last_completion: SimTime::ZERO,
            max_outstanding: 0,
            in_flight: InFlight::default(),
            programs: Programs::default(),
            requests: keep_requests.then(RequestTable::default),
            gc_log: keep_gc.then(GcLog::default),
            forgotten_jobs: 0,
            timeline: keep_timeline.then(TimelineRecorder::default),
            block_frames: None,
            spans: None,
            of_dies: None,
            fault: None,
            measuring: Measuring::default(),
        }
    }

    /// Latencies of each stream are kept, too.
    pub(crate) fn keep_streams(&mut self) {
        self.streams = Some((0..STREAMS).map(|_| StreamLatencies::default()).collect());
    }

    /// Where the time of the pages of each of so many dies goes is recorded, too.
    pub(crate) fn account_for_dies(&mut self, dies: u32) {
        self.of_dies = Some(vec![LatencyAccount::default(); dies as usize].into());
    }

    /// The same, of a run that is measured from when on this says.
    pub(crate) fn measuring_with(self, measuring: Measuring) -> Self {
        Self { measuring, ..self }
    }

    /// Forget everything but what must be known of the whole run.
    pub fn start_afresh(&mut self) {
        let fresh = Self::new(self.requests.is_some(), self.gc_log.is_some(), self.timeline.is_some());
        let jobs = self.next_job_row().unwrap_or(0);
        let before = std::mem::replace(self, fresh);
        self.forgotten_jobs = jobs;
        self.fault = before.fault;
        self.spans = before.spans;
        self.block_frames = before.block_frames;
        self.of_dies = before.of_dies;
        self.of_dies.iter_mut().flatten().for_each(|spent| *spent = LatencyAccount::default());
        self.measuring = before.measuring;
        if before.streams.is_some() {
            self.keep_streams();
        }
    }

    /// Adds what another has recorded of a later part of the same trace; long tables and windows are not.
    pub(crate) fn add(&mut self, next: &Self) {
        for (sum, more) in self.histograms.iter_mut().zip(&next.histograms) {
            sum.add(more).expect("the histogram widens as needed");
        }
        self.sums.iter_mut().zip(&next.sums).for_each(|(sum, more)| sum.add(more));
        let streams = self.streams.iter_mut().flatten().zip(next.streams.iter().flatten());
        streams.for_each(|(sum, more)| sum.add(more));
        self.flash = summed(&self.flash, &next.flash);
        self.gc = summed(&self.gc, &next.gc);
        self.max_outstanding = self.max_outstanding.max(next.max_outstanding);
    }

    /// A request arrived; so many are in flight now.
    #[inline]
    pub fn arrived(&mut self, now: SimTime, in_flight: u64) {
        self.last_arrival = now;
        self.max_outstanding = self.max_outstanding.max(in_flight);
        self.in_flight.note(in_flight);
    }

    /// A request is completed; its time went as its slowest page's did.
    #[inline]
    pub fn request_ended(&mut self, request: &Request, now: SimTime, spent: &LatencyAccount) {
        let latency = now.since(request.arrival);
        debug_assert!(
            request.op == reclaim_trace::Op::Flush || spent.total() == latency,
            "{spent:?} does not add up to {latency:?} of {request:?}"
        );
        let class = request.op as usize;
        self.histograms[class].record(latency.0).expect("the histogram widens as needed");
        self.sums[class].note(request.size_bytes, latency, spent);
        if let Some(streams) = &mut self.streams {
            streams[usize::from(request.stream)].request_ended(request, latency, spent);
        }
        self.last_completion = self.last_completion.max(now);
        if let Some(timeline) = &mut self.timeline {
            timeline.request_ended(latency);
        }
        if let Some(table) = &mut self.requests {
            table.arrival_ns.push(request.arrival.0);
            table.completion_ns.push(now.0);
            table.offset_bytes.push(request.offset_bytes);
            table.size_bytes.push(request.size_bytes);
            table.op.push(request.op as u8);
            table.stream.push(request.stream);
            table.queue_ns.push(spent.queue().0);
            table.gc_ns.push(spent.gc().0);
            table.transfer_ns.push(spent.transfer().0);
            table.array_ns.push(spent.array().0);
            table.link_ns.push(spent.link().0);
        }
    }

    /// So much has been programmed by now.
    #[inline]
    pub fn pages_programmed(&mut self, counters: &FtlCounters) {
        self.programs.note(counters);
    }

    /// A collection job ended, its victim erased; the plane has so many free blocks now.
    pub fn job_ended(&mut self, job: &JobFacts, end: SimTime, free_blocks_after: u32) {
        if let Some(log) = &mut self.gc_log {
            log.start_ns.push(job.started.0);
            log.end_ns.push(end.0);
            log.written_back_ns.push(end.0);
            log.plane.push(job.plane.0);
            log.victim_block.push(job.victim.0);
            log.valid_pages.push(job.valid_pages);
            log.free_blocks_after.push(free_blocks_after);
            log.cause.push(match job.cause {
                Cause::Gc => 0,
                Cause::Wear => 1,
                Cause::Fold => 2,
            });
            log.emergency.push(u8::from(job.emergency));
            log.used_pages.push(job.used_pages);
        }
    }

    /// The number of the row that the next job to end gets, counted from the begin of the run; none without a log.
    pub fn next_job_row(&self) -> Option<u32> {
        self.gc_log.as_ref().map(|log| self.forgotten_jobs + log.plane.len() as u32)
    }

    /// A page of a job that has ended is in flash again.
    pub fn written_back(&mut self, row: u32, now: SimTime) {
        let Some(log) = &mut self.gc_log else { return };
        // Jobs that ended before measuring began have no row any more.
        if let Some(row) = row.checked_sub(self.forgotten_jobs) {
            log.written_back_ns[row as usize] = now.0;
        }
    }

    /// The simulator contradicts itself; the first time counts.
    pub fn fault(&mut self, what: String) {
        self.fault.get_or_insert(what);
    }

    /// The first contradiction, if any.
    pub fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }
}

// Optional long tables, as struct of arrays: one row per request, one row per collection job.

/// One row per completed request, in order of completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestTable {
    /// When it reached the drive, ns of simulated time.
    pub arrival_ns: Vec<u64>,
    /// When the host was told that it is done, ns of simulated time.
    pub completion_ns: Vec<u64>,
    /// First byte, as in the trace.
    pub offset_bytes: Vec<u64>,
    /// Bytes, as in the trace.
    pub size_bytes: Vec<u64>,
    /// 0 read, 1 write, 2 trim, 3 flush.
    pub op: Vec<u8>,
    /// The stream that the trace names for it.
    pub stream: Vec<u8>,
    /// Waiting behind other host operations, ns (of the slowest page, like the next four).
    pub queue_ns: Vec<u64>,
    /// Waiting for garbage collection, ns.
    pub gc_ns: Vec<u64>,
    /// Between controller and die, ns.
    pub transfer_ns: Vec<u64>,
    /// In the array, ns.
    pub array_ns: Vec<u64>,
    /// Between host and drive, ns.
    pub link_ns: Vec<u64>,
}

/// One row per collection job, in order of completion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GcLog {
    /// When the victim was chosen, ns of simulated time.
    pub start_ns: Vec<u64>,
    /// End of the erase, ns.
    pub end_ns: Vec<u64>,
    /// When the last of its pages was in flash again, ns: later than the erase where pages wait for it in a buffer.
    pub written_back_ns: Vec<u64>,
    /// Global number of the plane collected.
    pub plane: Vec<u32>,
    /// Global number of the victim block.
    pub victim_block: Vec<u32>,
    /// Its valid pages when it was chosen.
    pub valid_pages: Vec<u32>,
    /// Free blocks of the plane after the erase.
    pub free_blocks_after: Vec<u32>,
    /// 0 garbage collection, 1 wear levelling.
    pub cause: Vec<u8>,
    /// 1 if a host write waited for a page of the plane when the job began, so that no limit held it back; else 0.
    pub emergency: Vec<u8>,
    /// Pages of the drive written and not erased since when the job began, valid or not.
    pub used_pages: Vec<u64>,
}
