//! Whether what a run measured stood still while it was measured.

use serde::{Deserialize, Serialize};

use super::recorder::Recorder;
use super::results::finite;
use super::windows::Mark;
use crate::drive::Drive;

/// How a figure behaved over the measured part of a run, from its means over equal batches of that part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Mean of the batches.
    pub mean: f64,
    /// Half of the width of the mean's 95 % confidence interval, as a share of the mean.
    pub half_width_share: f64,
    /// Rise (or fall) of the straight line through the batches from one end to the other, as a share of the mean.
    pub change_share: f64,
    /// What that change would stay below, up or down, in 99 of 100 runs if only chance were at work; same unit.
    pub noise_share: f64,
}

/// Batches of a measured part. Few, so that each is long against what makes neighbours alike (rounds of collection,
/// bursts), and enough for a standard error.
pub const BATCHES: usize = 16;

/// Student's t for 95 % on both sides together and one degree of freedom less than there are batches.
const T_MEAN: f64 = 2.131;
/// Student's t for 99 % on both sides together and two degrees of freedom less than there are batches. Stricter than for
/// the mean, because every run of every sweep is tested.
const T_SLOPE: f64 = 2.977;

impl Trend {
    /// The trend of batch means; `None` where it has no meaning.
    pub fn of(batches: &[f64; BATCHES]) -> Option<Self> {
        let count = BATCHES as f64;
        let mean = batches.iter().sum::<f64>() / count;
        let middle = (count - 1.0) / 2.0;
        let places = || (0..BATCHES).map(|batch| batch as f64 - middle);
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
            half_width_share: T_MEAN * error_of_mean / mean,
            change_share: slope * count / mean,
            noise_share: T_SLOPE * error_of_slope * count / mean,
        })
    }

    /// Whether the figure moved by more than `tolerance` and more than chance explains.
    pub fn moves(&self, tolerance: f64) -> bool {
        self.change_share.abs() > tolerance.max(self.noise_share)
    }
}

/// Whether the measured part stood still.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// What the host wrote while it was measured, in multiples of the capacity it sees.
    pub capacities_written: f64,
    /// Of write amplification; null with fewer windows than batches.
    pub write_amplification: Option<Trend>,
    /// Erased pages at the end less those at the start.
    pub free_pages_gained: i64,
    /// The same as a share of what the host wrote; null if it wrote nothing.
    pub free_pages_gained_share: Option<f64>,
    /// Of the requests in flight; null with fewer windows than batches.
    pub outstanding: Option<Trend>,
}

/// Windows of a measured part, for whoever wants to draw it. One entry for each window of equally many host pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowResults {
    /// Pages the host had written when the window ended.
    pub host_pages: Vec<u64>,
    /// Write amplification in the window.
    pub write_amplification: Vec<f64>,
    /// Erased pages at its end less those at the start of the measured part.
    pub free_pages_gained: Vec<i64>,
}

/// Looks at what was recorded.
pub(super) fn drift(drive: &Drive) -> Drift {
    let counters = drive.ftl.counters();
    let gained = Mark::of(counters).free_pages_gained(drive.geometry.pages_per_block);
    let recorder = &drive.recorder;
    Drift {
        capacities_written: counters.host_programs as f64 / f64::from(drive.geometry.logical_pages),
        write_amplification: amplification(recorder),
        free_pages_gained: gained,
        free_pages_gained_share: finite(gained as f64 / counters.host_programs as f64),
        outstanding: outstanding(recorder),
    }
}

pub(super) fn windows(drive: &Drive) -> WindowResults {
    let marks = drive.recorder.programs.marks();
    let starts = std::iter::once(&Mark { host_programs: 0, moves: 0, erases: 0 }).chain(marks);
    WindowResults {
        host_pages: marks.iter().map(|mark| mark.host_programs).collect(),
        write_amplification: marks
            .iter()
            .zip(starts)
            .map(|(end, start)| end.amplification_since(start))
            .collect(),
        free_pages_gained: marks
            .iter()
            .map(|mark| mark.free_pages_gained(drive.geometry.pages_per_block))
            .collect(),
    }
}

fn amplification(recorder: &Recorder) -> Option<Trend> {
    let marks = recorder.programs.marks();
    if marks.len() < BATCHES {
        return None;
    }
    let end =
        |batch: usize| if batch == 0 { Mark::default() } else { marks[batch * marks.len() / BATCHES - 1] };
    Trend::of(&std::array::from_fn(|batch| end(batch + 1).amplification_since(&end(batch))))
}

fn outstanding(recorder: &Recorder) -> Option<Trend> {
    let means = recorder.in_flight.means();
    if means.len() < BATCHES {
        return None;
    }
    let from = |batch: usize| batch * means.len() / BATCHES;
    Trend::of(&std::array::from_fn(|batch| {
        let part = &means[from(batch)..from(batch + 1)];
        part.iter().sum::<f64>() / part.len() as f64
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line from 2 to 4 with a known jag on it, worked out by hand.
    #[test]
    fn a_trend_is_the_line_through_the_batches_with_its_errors() {
        let line: [f64; BATCHES] = std::array::from_fn(|batch| 2.0 + (batch as f64 + 0.5) / 8.0);
        let trend = Trend::of(&line).unwrap();
        assert!((trend.mean - 3.0).abs() < 1e-12);
        assert!((trend.change_share - 2.0 / 3.0).abs() < 1e-12);
        assert!(trend.noise_share < 1e-12);
        assert!(trend.moves(0.05) && !trend.moves(0.7));
        // The standard deviation of 0, 1, … 15 is sqrt(68 / 3); each step is 1/8.
        let expected = 2.131 * (68.0_f64 / 3.0).sqrt() / 8.0 / 4.0 / 3.0;
        assert!((trend.half_width_share - expected).abs() < 1e-12);

        let jagged: [f64; BATCHES] = std::array::from_fn(|batch| if batch % 2 == 0 { 2.9 } else { 3.1 });
        let trend = Trend::of(&jagged).unwrap();
        // Its line rises by 0.1 * 8 / 340 a batch, far less than the jags explain.
        assert!((trend.change_share - 0.1 * 8.0 / 340.0 * 16.0 / 3.0).abs() < 1e-12);
        assert!(trend.noise_share > 0.1 && !trend.moves(0.01));
    }

    #[test]
    fn what_never_changes_has_no_trend_and_nothing_no_mean() {
        let trend = Trend::of(&[1.0; BATCHES]).unwrap();
        assert_eq!((trend.half_width_share, trend.change_share, trend.noise_share), (0.0, 0.0, 0.0));
        assert_eq!(Trend::of(&[0.0; BATCHES]), None);
    }
}
