//! Whether what a run measured was steady while it was measured.

use super::measured::Measured;
use crate::metric::figures;
use crate::metrics::{Mark, MeasuredWindow, Recorder, finite};

figures! {
    /// How a figure behaved over the measured part of a run, from its means over equal batches of that part.
    #[derive(Copy)]
    pub struct Trend {
        /// Mean of the batches, in the figure's own unit.
        mean: f64 => "as the figure",
        /// Half of the width of the mean's 95 % confidence interval, as a share of the mean.
        half_width_share: f64 => "share",
        /// Rise (or fall) of the straight line through the batches from one end to the other, as a share of the mean.
        change_share: f64 => "share",
        /// What that change would stay below, up or down, in 99 of 100 runs if only chance were at work, as a share
        /// of the mean.
        noise_share: f64 => "share",
        /// How many batches.
        batches: u32 => "batches",
    }
}

/// Most batches of a measured part. Few, so that each is long against what makes neighbours alike (rounds of
/// collection, bursts), and enough for a standard error.
const BATCHES: usize = 16;

/// Plays of a repeated trace from which on batches are whole plays: what comes back in each is then no variation.
/// Below, the error of so few batches would say nothing.
const PLAYS: usize = 4;

/// Student's t by degrees of freedom from 2 on: for 95 % on both sides together, for the mean, and for 99 %, for the
/// slope, which is stricter because every run of every sweep is tested.
const T: [(f64, f64); 14] = [
    (4.303, 9.925),
    (3.182, 5.841),
    (2.776, 4.604),
    (2.571, 4.032),
    (2.447, 3.707),
    (2.365, 3.499),
    (2.306, 3.355),
    (2.262, 3.250),
    (2.228, 3.169),
    (2.201, 3.106),
    (2.179, 3.055),
    (2.160, 3.012),
    (2.145, 2.977),
    (2.131, 2.947),
];

impl Trend {
    /// The trend of 4 to 16 batch means; `None` where it has no meaning.
    pub fn of(batches: &[f64]) -> Option<Self> {
        let count = batches.len() as f64;
        let (t_mean, _) = T.get(batches.len().checked_sub(3)?)?;
        let (_, t_slope) = T.get(batches.len().checked_sub(4)?)?;
        let mean = batches.iter().sum::<f64>() / count;
        let middle = (count - 1.0) / 2.0;
        let places = || (0..batches.len()).map(|batch| batch as f64 - middle);
        let spread: f64 = places().map(|place| place * place).sum();
        let slope = places().zip(batches).map(|(place, value)| place * (value - mean)).sum::<f64>() / spread;
        let square = |value: f64| value * value;
        let around_mean: f64 = batches.iter().map(|value| square(value - mean)).sum();
        let around_line: f64 =
            places().zip(batches).map(|(place, value)| square(value - mean - slope * place)).sum();
        let error_of_mean = (around_mean / (count - 1.0) / count).sqrt();
        let error_of_slope = (around_line / (count - 2.0) / spread).sqrt();
        Some(Self {
            mean: finite(mean).filter(|mean| *mean > 0.0)?,
            half_width_share: t_mean * error_of_mean / mean,
            change_share: slope * count / mean,
            noise_share: t_slope * error_of_slope * count / mean,
            batches: batches.len() as u32,
        })
    }

    /// Whether the figure moved by more than `tolerance` and more than chance explains.
    pub fn moves(&self, tolerance: f64) -> bool {
        self.change_share.abs() > tolerance.max(self.noise_share)
    }
}

/// Something that adds up along something else: moves over host pages, requests in flight over arrivals.
struct Sums {
    /// Ends of the windows.
    along: Vec<f64>,
    /// Sums up to each end.
    up_to: Vec<f64>,
    /// Where what was measured ended, less than a window after the last.
    end: f64,
}

impl Sums {
    /// The sum up to a point, evenly spread inside a window.
    fn at(&self, point: f64) -> f64 {
        let window = self.along.partition_point(|end| *end < point).min(self.along.len() - 1);
        let before = |of: &[f64]| if window == 0 { 0.0 } else { of[window - 1] };
        let (from, sum) = (before(&self.along), before(&self.up_to));
        sum + (self.up_to[window] - sum) * (point - from) / (self.along[window] - from)
    }

    /// Means over equal batches, of whole plays where there are enough of those.
    fn batches(&self, plays: f64) -> Vec<f64> {
        let windows = self.along.len();
        if windows < BATCHES {
            return Vec::new();
        }
        let whole = plays as usize;
        let (count, length) = if whole >= PLAYS {
            let each = whole.div_ceil(BATCHES);
            (whole / each, self.end / plays * each as f64)
        } else {
            (BATCHES, self.end / BATCHES as f64)
        };
        (0..count)
            .map(|batch| (self.at((batch + 1) as f64 * length) - self.at(batch as f64 * length)) / length)
            .collect()
    }
}

figures! {
    /// Whether the measured part was steady.
    pub struct Drift {
        /// What the host wrote while it was measured, in multiples of the capacity it sees.
        capacities_written: f64 => "drive capacities",
        /// How often the trace was played in the measured part.
        plays: f64 => "plays",
        /// Of write amplification in pages; null with too few writes.
        write_amplification: Option<Trend>,
        /// Erased pages at the end less those at the start.
        free_pages_gained: i64 => "pages",
        /// The same as a share of what the host wrote; null if it wrote nothing.
        free_pages_gained_share: Option<f64> => "share",
        /// Of the requests in flight; null with too few requests.
        outstanding: Option<Trend>,
        /// Of the mean latency of all requests, from one of the windows of `measure.windows` to the next; absent
        /// without them, and with fewer than four.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean_latency: Option<Trend>,
    }
}

impl Drift {
    /// Whether batches are whole plays of the trace, so that nothing in the trace itself makes them differ.
    pub fn compares_plays(&self) -> bool {
        self.plays as usize >= PLAYS
    }
}

figures! {
    /// The measured part in windows of equally many host pages, for whoever wants to draw it: one entry for each
    /// window. The last has what is left besides, or is that, if it is at least half as long as the others. With
    /// `measure.windows` these are the windows, however many pages each has.
    #[derive(Default)]
    pub struct WindowResults {
        /// Pages the host had written when the window ended.
        host_pages: Vec<u64> => "pages",
        /// Write amplification in the window, in bytes, as `gc.nand_write_amplification`; null where no write of the
        /// host entered the buffer in it.
        nand_write_amplification: Vec<Option<f64>> => "bytes per byte",
        /// Write amplification in the window, in pages.
        write_amplification: Vec<f64> => "pages per page",
        /// Erased pages at its end less those at the start of the measured part.
        free_pages_gained: Vec<i64> => "pages",
    }
}

/// Looks at what was recorded of a trace of so many requests.
pub(crate) fn drift(run: &Measured, requests: u64) -> Drift {
    let counters = run.counters;
    let gained = Mark::of(&counters).free_pages_gained(run.geometry.pages_per_block);
    let windows = &run.measure.windows;
    let measured = if windows.is_empty() { requests - run.measure.requests_before } else { run.requests };
    let plays = run.config.trace.repeat as f64 * measured as f64 / requests as f64;
    let of_life = run.config.measure.is_of_life();
    // Plays at different ages are no repeats of one thing.
    let of_windows =
        |figure: fn(&MeasuredWindow) -> Option<f64>| if of_life { None } else { of_windows(windows, figure) };
    let (write_amplification, outstanding) = if windows.is_empty() {
        let amplification = programs(&run.recorder, counters.host_programs).batches(plays);
        (Trend::of(&amplification), Trend::of(&in_flight(&run.recorder, measured).batches(plays)))
    } else {
        let amplification = of_windows(|window| window.write_amplification);
        (amplification, of_windows(|window| window.outstanding))
    };
    Drift {
        capacities_written: counters.host_programs as f64 / f64::from(run.geometry.logical_pages),
        plays,
        write_amplification,
        free_pages_gained: gained,
        free_pages_gained_share: finite(gained as f64 / counters.host_programs as f64),
        outstanding,
        mean_latency: of_windows(|window| window.mean_latency_ns),
    }
}

/// The trend from window to window of one trace; many of them are taken together, several at a time.
fn of_windows(windows: &[MeasuredWindow], figure: fn(&MeasuredWindow) -> Option<f64>) -> Option<Trend> {
    let figures: Vec<f64> = windows.iter().filter_map(figure).collect();
    let each = figures.len().div_ceil(BATCHES).max(1);
    let batches: Vec<f64> =
        figures.chunks_exact(each).map(|batch| batch.iter().sum::<f64>() / each as f64).collect();
    Trend::of(&batches)
}

/// Before anything was done.
const NOTHING: Mark = Mark { host_programs: 0, moves: 0, erases: 0, cached: 0, host_bytes: 0, programmed: 0 };

pub(crate) fn windows(run: &Measured) -> WindowResults {
    let marks = if run.measure.windows.is_empty() {
        to_the_end(run.recorder.programs.marks(), Mark::of(&run.counters))
    } else {
        run.recorder.programs.marks().to_vec()
    };
    let starts = || std::iter::once(&NOTHING).chain(&marks);
    let (per_block, page_bytes) = (run.geometry.pages_per_block, run.geometry.page_bytes);
    WindowResults {
        host_pages: marks.iter().map(|mark| mark.host_programs).collect(),
        nand_write_amplification: marks
            .iter()
            .zip(starts())
            .map(|(end, start)| end.nand_amplification_since(start, page_bytes))
            .collect(),
        write_amplification: marks
            .iter()
            .zip(starts())
            .map(|(end, start)| end.amplification_since(start))
            .collect(),
        free_pages_gained: marks.iter().map(|mark| mark.free_pages_gained(per_block)).collect(),
    }
}

/// Ends of windows, the last of them the end of all. What is left after the last whole window is one of its own only if
/// it is half as long: what a few pages cost says nothing.
fn to_the_end(marks: &[Mark], end: Mark) -> Vec<Mark> {
    let mut marks = marks.to_vec();
    if let Some(last) = marks.last() {
        let before = marks.len().checked_sub(2).map_or(0, |index| marks[index].host_programs);
        if 2 * (end.host_programs - last.host_programs) < last.host_programs - before {
            marks.pop();
        }
        marks.push(end);
    }
    marks
}

/// All programs over those of the host.
fn programs(recorder: &Recorder, host_programs: u64) -> Sums {
    let marks = recorder.programs.marks();
    Sums {
        along: marks.iter().map(|mark| mark.host_programs as f64).collect(),
        up_to: marks.iter().map(|mark| (mark.host_programs + mark.moves) as f64).collect(),
        end: host_programs as f64,
    }
}

fn in_flight(recorder: &Recorder, arrivals: u64) -> Sums {
    let (sums, width) = recorder.in_flight.sums();
    let running = sums.iter().scan(0, |up_to, sum| {
        *up_to += sum;
        Some(*up_to as f64)
    });
    Sums {
        along: (1..=sums.len() as u64).map(|window| (window * width) as f64).collect(),
        up_to: running.collect(),
        end: arrivals as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line from 2 to 4, and one with a known jag on it, worked out by hand.
    #[test]
    fn a_trend_is_the_line_through_the_batches_with_its_errors() {
        let line: Vec<f64> = (0..16).map(|batch| 2.0 + (f64::from(batch) + 0.5) / 8.0).collect();
        let trend = Trend::of(&line).unwrap();
        assert!((trend.mean - 3.0).abs() < 1e-12);
        assert!((trend.change_share - 2.0 / 3.0).abs() < 1e-12);
        assert!(trend.noise_share < 1e-12);
        assert!(trend.moves(0.05) && !trend.moves(0.7));
        // The standard deviation of 0, 1, … 15 is sqrt(68 / 3); each step is 1/8.
        let expected = 2.131 * (68.0_f64 / 3.0).sqrt() / 8.0 / 4.0 / 3.0;
        assert!((trend.half_width_share - expected).abs() < 1e-12);

        let jagged: Vec<f64> = (0..16).map(|batch| if batch % 2 == 0 { 2.9 } else { 3.1 }).collect();
        let trend = Trend::of(&jagged).unwrap();
        // Its line rises by 0.1 * 8 / 340 a batch, far less than the jags explain.
        assert!((trend.change_share - 0.1 * 8.0 / 340.0 * 16.0 / 3.0).abs() < 1e-12);
        let around_line = 16.0 * 0.01 - 0.8 * 0.8 / 340.0;
        let expected = 2.977 * (around_line / 14.0 / 340.0_f64).sqrt() * 16.0 / 3.0;
        assert!((trend.noise_share - expected).abs() < 1e-12);
        assert!(!trend.moves(0.01));
    }

    #[test]
    fn what_never_changes_has_no_trend_and_too_little_none_either() {
        let trend = Trend::of(&[1.0; 5]).unwrap();
        assert_eq!((trend.half_width_share, trend.change_share, trend.noise_share), (0.0, 0.0, 0.0));
        assert_eq!(trend.batches, 5);
        assert_eq!(Trend::of(&[0.0; 16]), None);
        assert_eq!(Trend::of(&[1.0; 3]), None);
        assert_eq!(Trend::of(&[1.0; 17]), None);
    }

    #[test]
    fn windows_reach_to_the_end() {
        let mark = |host_programs| Mark { host_programs, moves: 2 * host_programs, ..Mark::default() };
        let ends = |end: u64| -> Vec<u64> {
            to_the_end(&[mark(8), mark(16)], mark(end)).iter().map(|mark| mark.host_programs).collect()
        };
        assert_eq!(ends(16), [8, 16]);
        assert_eq!(ends(19), [8, 19]);
        assert_eq!(ends(20), [8, 16, 20]);
        assert_eq!(to_the_end(&[mark(8)], mark(9)), [mark(9)]);
        assert_eq!(to_the_end(&[], mark(0)), []);
    }

    /// A trace whose second half costs three times as much as its first, played over and over.
    #[test]
    fn batches_of_whole_plays_do_not_see_what_comes_back_in_each() {
        let of = |windows: u32, per_play: u32| {
            let cost = |window: u32| if window % per_play < per_play / 2 { 1.0 } else { 3.0 };
            let sums = (0..windows).scan(0.0, |up_to, window| {
                *up_to += cost(window);
                Some(*up_to)
            });
            let along = (1..=windows).map(f64::from).collect();
            Sums { along, up_to: sums.collect(), end: f64::from(windows) }
        };
        assert_eq!(of(100, 20).batches(5.0), [2.0; 5]);
        // 16 batches at most, so two plays each; what is left over at the end is left out.
        assert_eq!(of(68, 4).batches(17.0), [2.0; 8]);
        // A part of a play more at the end.
        assert_eq!(of(90, 20).batches(4.5), [2.0; 4]);
        // Too few plays for that.
        assert_eq!(of(64, 64).batches(1.0), [[1.0; 8], [3.0; 8]].concat());
        assert!(of(15, 3).batches(5.0).is_empty());
    }
}
