//! How full and how busy a drive was over simulated time, as a table of equal intervals. Their length doubles as the
//! run goes on, so that a run of any length ends with a table of bounded size, and a long rest costs no more than a
//! short one.

use super::WrittenResult;
use crate::mapping::FtlCounters;
use crate::metric::figures;
use crate::time::{Nanos, SimTime};

/// Rows of a table at most; the next interval would be one too many, so pairs of rows become one.
const MOST_ROWS: usize = 2048;

/// How long intervals are at first.
const FIRST_INTERVAL: Nanos = Nanos(10_000);

figures! {
    /// One row per interval of simulated time, from where measuring began to the last event, with how things stood at
    /// its end and what was done in it. All intervals are equally long, but for the last one; their length follows from
    /// that of the run: 10 us times a power of two, the smallest that gives at most 2,048 rows.
    #[derive(Default, Eq)]
    pub struct Timeline {
        /// When the interval begins, after the start of the trace. What happens at that instant lies in it.
        start_ns: Vec<u64> => "ns",
        /// How long it lasts. The last interval ends with the last event, which still lies in it.
        length_ns: Vec<u64> => "ns",
        /// Erased blocks of all planes at its end, without open ones.
        free_blocks: Vec<u64> => "blocks",
        /// Pages written and not erased since, valid or not, at its end; a page counts from when it is taken for a
        /// program. All others (`facts.physical_pages` less these) are erased.
        used_pages: Vec<u64> => "pages",
        /// Pages that hold the newest flash copy of a logical page, at its end.
        valid_pages: Vec<u64> => "pages",
        /// Collection jobs under way at its end, those of wear levelling included.
        gc_jobs: Vec<u64> => "jobs",
        /// Channels with such a job at its end.
        gc_channels: Vec<u64> => "channels",
        /// Channels that may collect at its end, where `gc.concurrency` limits them; all channels where it does not.
        allowed_channels: Vec<u64> => "channels",
        /// Operations that wait at a die or are under way there, at its end.
        pending_operations: Vec<u64> => "operations",
        /// Requests that have arrived and are not completed, at its end.
        outstanding_requests: Vec<u64> => "requests",
        /// Pages in the write buffer at its end.
        buffered_pages: Vec<u64> => "pages",
        /// Requests completed in the interval, of those that arrived while the run was measured: reads, writes, trims
        /// and flushes.
        completed_requests: Vec<u64> => "requests",
        /// Sum of the latencies of these.
        latency_sum_ns: Vec<u64> => "ns",
        /// Longest latency of these; 0 without one.
        latency_max_ns: Vec<u64> => "ns",
        /// Pages programmed for writes of the host in the interval, counted when the page is taken.
        host_programs: Vec<u64> => "pages",
        /// Pages programmed to move them, by garbage collection, in the interval, counted likewise.
        gc_programs: Vec<u64> => "pages",
        /// Pages programmed to move them, by static wear levelling, in the interval, counted likewise.
        wear_programs: Vec<u64> => "pages",
        /// Pages without data that fill up program units, in the interval.
        padded_pages: Vec<u64> => "pages",
        /// Pages without data because a rule of relocation forbade them, in the interval.
        wasted_pages: Vec<u64> => "pages",
        /// Blocks erased by garbage collection in the interval.
        erases: Vec<u64> => "blocks",
        /// Blocks erased by static wear levelling in the interval.
        wear_erases: Vec<u64> => "blocks",
        /// Collection jobs begun in the interval, without those of wear levelling.
        jobs_begun: Vec<u64> => "jobs",
        /// Bytes of writes of the host that entered the write buffer in the interval.
        host_bytes: Vec<u64> => "bytes",
        /// Bytes programmed in the interval, for whatever cause: the sum of those below.
        nand_bytes: Vec<u64> => "bytes",
        /// Those of them for writes of the host.
        nand_host_bytes: Vec<u64> => "bytes",
        /// Those moved by garbage collection.
        nand_collection_bytes: Vec<u64> => "bytes",
        /// Those folded from the SLC cache.
        nand_folding_bytes: Vec<u64> => "bytes",
        /// Those moved by static wear levelling.
        nand_levelling_bytes: Vec<u64> => "bytes",
        /// Those of parity.
        nand_parity_bytes: Vec<u64> => "bytes",
        /// Those of translation pages, but for what collection moved.
        nand_translation_bytes: Vec<u64> => "bytes",
        /// Those of filler: pages without data that were programmed with others of their unit.
        nand_padding_bytes: Vec<u64> => "bytes",
    }
}

/// What is read off a drive: how things stand, and what was done since recording began.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sample {
    pub(crate) free_blocks: u64,
    pub(crate) used_pages: u64,
    pub(crate) valid_pages: u64,
    pub(crate) gc_jobs: u64,
    pub(crate) gc_channels: u64,
    pub(crate) allowed_channels: u64,
    pub(crate) pending_operations: u64,
    pub(crate) outstanding_requests: u64,
    pub(crate) buffered_pages: u64,
    pub(crate) completed_requests: u64,
    pub(crate) latency_ns: u128,
    pub(crate) counters: FtlCounters,
}

/// An interval that has ended.
#[derive(Debug, Clone, Copy)]
struct Row {
    at_end: Sample,
    latency_max_ns: u64,
}

/// Records a timeline: asked before every event whether an interval has ended by then, because what it reads off a
/// drive changes at events only.
#[derive(Debug)]
pub struct TimelineRecorder {
    rows: Vec<Row>,
    from: SimTime,
    interval: Nanos,
    /// When the interval under way ends; never, before recording begins.
    end: SimTime,
    /// The last event, once the run is over.
    last: SimTime,
    /// Of the requests completed in the interval under way.
    latency_max_ns: u64,
}

impl Default for TimelineRecorder {
    fn default() -> Self {
        Self {
            rows: Vec::with_capacity(MOST_ROWS),
            from: SimTime::ZERO,
            interval: FIRST_INTERVAL,
            end: SimTime(u64::MAX),
            last: SimTime::ZERO,
            latency_max_ns: 0,
        }
    }
}

impl TimelineRecorder {
    /// The first interval begins.
    pub fn begin(&mut self, now: SimTime) {
        self.from = now;
        self.end = now + self.interval;
    }

    /// Whether an interval ends before an event at `at`, so that a sample must be taken first.
    #[inline]
    pub fn is_due(&self, at: SimTime) -> bool {
        at >= self.end
    }

    /// A request is completed.
    #[inline]
    pub fn request_ended(&mut self, latency: Nanos) {
        self.latency_max_ns = self.latency_max_ns.max(latency.0);
    }

    /// Nothing has happened since `sample` would first have read the same, and the next event is at `at`: intervals
    /// that end before it are rows now.
    pub fn end_intervals(&mut self, at: SimTime, sample: Sample) {
        let passed = at.since(self.from).0;
        while passed / self.interval.0 >= MOST_ROWS as u64 {
            self.double();
        }
        let ended = passed / self.interval.0;
        while (self.rows.len() as u64) < ended {
            let latency_max_ns = std::mem::take(&mut self.latency_max_ns);
            self.rows.push(Row { at_end: sample, latency_max_ns });
        }
        self.end = self.from + Nanos((ended + 1) * self.interval.0);
    }

    /// Intervals are twice as long. One that is left over is a part of the interval under way.
    fn double(&mut self) {
        let rows = &mut self.rows;
        if rows.len() % 2 == 1
            && let Some(half) = rows.pop()
        {
            self.latency_max_ns = self.latency_max_ns.max(half.latency_max_ns);
        }
        for row in 0..rows.len() / 2 {
            let (first, second) = (rows[2 * row], rows[2 * row + 1]);
            let latency_max_ns = first.latency_max_ns.max(second.latency_max_ns);
            rows[row] = Row { latency_max_ns, ..second };
        }
        rows.truncate(rows.len() / 2);
        self.interval = Nanos(2 * self.interval.0);
    }

    /// The run is over, and the last event was at `last`.
    pub fn end(&mut self, last: SimTime, sample: Sample) {
        self.rows.push(Row { at_end: sample, latency_max_ns: self.latency_max_ns });
        self.last = last;
        self.end = SimTime(u64::MAX);
    }

    /// What has been recorded, on flash of such pages.
    pub fn table(&self, page_bytes: u32) -> Timeline {
        let mut table = Timeline::default();
        let mut before = Sample::default();
        let mut start = self.from;
        for Row { at_end, latency_max_ns } in &self.rows {
            let length = self.interval.0.min(self.last.since(start).0 + 1);
            table.push(start, length, &before, at_end, *latency_max_ns, page_bytes);
            before = *at_end;
            start = start + Nanos(length);
        }
        table
    }
}

impl Timeline {
    fn push(
        &mut self,
        start: SimTime,
        length_ns: u64,
        before: &Sample,
        at_end: &Sample,
        latency_max_ns: u64,
        page_bytes: u32,
    ) {
        let (done, done_before) = (&at_end.counters, &before.counters);
        let latency_ns = at_end.latency_ns - before.latency_ns;
        self.start_ns.push(start.0);
        self.length_ns.push(length_ns);
        self.free_blocks.push(at_end.free_blocks);
        self.used_pages.push(at_end.used_pages);
        self.valid_pages.push(at_end.valid_pages);
        self.gc_jobs.push(at_end.gc_jobs);
        self.gc_channels.push(at_end.gc_channels);
        self.allowed_channels.push(at_end.allowed_channels);
        self.pending_operations.push(at_end.pending_operations);
        self.outstanding_requests.push(at_end.outstanding_requests);
        self.buffered_pages.push(at_end.buffered_pages);
        self.completed_requests.push(at_end.completed_requests - before.completed_requests);
        self.latency_sum_ns.push(u64::try_from(latency_ns).unwrap_or(u64::MAX));
        self.latency_max_ns.push(latency_max_ns);
        self.host_programs.push(done.host_programs - done_before.host_programs);
        self.gc_programs.push(done.gc_programs - done_before.gc_programs);
        self.wear_programs.push(done.wear_programs - done_before.wear_programs);
        self.padded_pages.push(done.padded_pages - done_before.padded_pages);
        self.wasted_pages.push(done.wasted_pages - done_before.wasted_pages);
        self.erases.push(done.erases - done_before.erases);
        self.wear_erases.push(done.wear_erases - done_before.wear_erases);
        self.jobs_begun.push(done.jobs - done_before.jobs);
        let written = [done, done_before].map(|counters| WrittenResult::of(counters, page_bytes));
        let in_it = |bytes: fn(&WrittenResult) -> u64| bytes(&written[0]) - bytes(&written[1]);
        self.host_bytes.push(in_it(|written| written.host_bytes));
        self.nand_bytes.push(in_it(|written| written.nand_bytes));
        self.nand_host_bytes.push(in_it(|written| written.nand_host_bytes));
        self.nand_collection_bytes.push(in_it(|written| written.nand_collection_bytes));
        self.nand_folding_bytes.push(in_it(|written| written.nand_folding_bytes));
        self.nand_levelling_bytes.push(in_it(|written| written.nand_levelling_bytes));
        self.nand_parity_bytes.push(in_it(|written| written.nand_parity_bytes));
        self.nand_translation_bytes.push(in_it(|written| written.nand_translation_bytes));
        self.nand_padding_bytes.push(in_it(|written| written.nand_padding_bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE_BYTES: u32 = 512;

    /// Plays events of a made-up drive: each completes a request whose latency is its number, and leaves as many blocks
    /// free.
    fn play(from: u64, gaps: &[u64]) -> Timeline {
        let mut recorder = TimelineRecorder::default();
        recorder.begin(SimTime(from));
        let (mut now, mut sample) = (SimTime(from), Sample::default());
        for (number, gap) in (1..).zip(gaps) {
            now = now + Nanos(*gap);
            if recorder.is_due(now) {
                recorder.end_intervals(now, sample);
            }
            recorder.request_ended(Nanos(number));
            sample.free_blocks = number;
            sample.completed_requests += 1;
            sample.latency_ns += u128::from(number);
            sample.counters.gc_programs += 2 * number;
        }
        recorder.end(now, sample);
        assert_eq!(recorder.rows.capacity(), MOST_ROWS, "nothing is allocated on the way");
        recorder.table(PAGE_BYTES)
    }

    #[test]
    fn the_longest_rest_costs_no_more_than_a_table() {
        // 30 years, and an event at the very instant at which an interval ends.
        let gaps = [5, FIRST_INTERVAL.0 - 5, 1_000_000_000_000_000_000, 1];
        let table = play(0, &gaps);
        assert!((MOST_ROWS / 2..=MOST_ROWS).contains(&table.start_ns.len()));
        assert_eq!(table.completed_requests.iter().sum::<u64>(), 4);
        assert_eq!((table.completed_requests[0], table.latency_max_ns[0]), (2, 2));
        assert_eq!(table.free_blocks[1], 2);
    }

    #[test]
    fn bytes_are_those_of_the_interval() {
        let mut recorder = TimelineRecorder::default();
        recorder.begin(SimTime(0));
        let counters = FtlCounters {
            host_bytes: 700,
            host_programs: 1,
            gc_programs: 2,
            fold_programs: 3,
            wear_programs: 4,
            parity_programs: 5,
            padded_pages: 6,
            wasted_pages: 10,
            empty_pages: 3,
            ..FtlCounters::default()
        };
        recorder.end_intervals(SimTime(FIRST_INTERVAL.0), Sample { counters, ..Sample::default() });
        let later = FtlCounters { host_bytes: 701, padded_pages: 7, empty_pages: 3, ..counters };
        recorder.end(SimTime(FIRST_INTERVAL.0), Sample { counters: later, ..Sample::default() });
        let table = recorder.table(PAGE_BYTES);
        assert_eq!(table.host_bytes, [700, 1]);
        let columns = [
            (&table.nand_bytes, [1 + 2 + 3 + 4 + 5 + 6 + 7, 1]),
            (&table.nand_host_bytes, [1, 0]),
            (&table.nand_collection_bytes, [2, 0]),
            (&table.nand_folding_bytes, [3, 0]),
            (&table.nand_levelling_bytes, [4, 0]),
            (&table.nand_parity_bytes, [5, 0]),
            (&table.nand_padding_bytes, [6 + 10 - 3, 1]),
        ];
        for (bytes, pages) in columns {
            assert_eq!(*bytes, pages.map(|pages: u64| 512 * pages));
        }
    }

    #[test]
    fn what_happens_as_an_interval_ends_lies_in_the_next() {
        let table = play(7, &[0, FIRST_INTERVAL.0 - 1, 1]);
        assert_eq!(table.start_ns, [7, 7 + FIRST_INTERVAL.0]);
        assert_eq!(table.completed_requests, [2, 1]);
        assert_eq!(table.free_blocks, [2, 3]);
        assert_eq!(table.length_ns, [FIRST_INTERVAL.0, 1]);
    }

    #[test]
    fn nothing_is_recorded_before_it_begins() {
        let mut recorder = TimelineRecorder::default();
        assert!(!recorder.is_due(SimTime(1_000_000_000_000_000_000)));
        assert_eq!(recorder.table(PAGE_BYTES), Timeline::default());
        recorder.begin(SimTime(3));
        assert!(recorder.is_due(SimTime(3 + FIRST_INTERVAL.0)));
    }
}
