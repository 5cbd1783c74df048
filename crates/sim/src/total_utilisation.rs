//! The search for the time scale at which a drive has a given die utilisation in total, collection included.
//!
//! What collection costs is known from a run only, so the trace is run at one time scale after another. The same work
//! in less time is a higher utilisation, so the first steps are in proportion; once one run was below the target and
//! one above, the next is between them. Sums, products and quotients are all it takes: they are the same on every
//! machine.

use crate::engine::Round;
use crate::settings::{ConfigError, Ratio};

/// How near to the target a utilisation is found, as a share of the target.
const NEAR: f64 = 0.01;
/// Runs at most.
const MOST_RUNS: u64 = 12;
/// A step changes the time scale by this factor at most.
const LONGEST_STEP: f64 = 4.0;
/// A drive that is not this much busier when requests come twice as fast has no more to give.
const FULL: f64 = 1.005;
/// Between these, time scales are valid (`host.time_scale`).
const SCALES: (f64, f64) = (1e-6, 1e6);

/// A run that was made.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tried {
    scale: f64,
    utilisation: f64,
}

/// A search under way.
#[derive(Debug)]
pub(crate) struct Search {
    target: Ratio,
    first: f64,
    tried: Vec<Tried>,
}

impl Search {
    /// For a utilisation of `target`, from a time scale that may give it.
    pub(crate) fn new(target: Ratio, first: f64) -> Self {
        Self { target, first, tried: Vec::new() }
    }

    /// The run that comes next, for progress.
    pub(crate) fn run(&self) -> Round {
        Round { what: "run", number: self.tried.len() as u64 + 1, most: MOST_RUNS }
    }

    /// What a run at `scale` gave.
    pub(crate) fn found(&mut self, scale: f64, utilisation: f64) {
        self.tried.push(Tried { scale, utilisation });
    }

    /// The time scale of the run that came nearest to the target.
    pub(crate) fn scale(&self) -> f64 {
        self.nearest().map_or(self.first, |tried| tried.scale)
    }

    fn off(&self, tried: &Tried) -> f64 {
        (tried.utilisation - self.target.value()).abs()
    }

    fn nearest(&self) -> Option<&Tried> {
        self.tried.iter().min_by(|a, b| self.off(a).total_cmp(&self.off(b)))
    }

    /// The time scale to try next; `None` once the target is reached.
    ///
    /// # Errors
    /// When it cannot be reached, or is not after as many runs as there may be; says what was reached. `under` is the
    /// scheme.
    pub(crate) fn next(&self, under: &str) -> Result<Option<f64>, ConfigError> {
        let Some(nearest) = self.nearest() else { return Ok(Some(self.first)) };
        if self.off(nearest) <= NEAR * self.target.value() {
            return Ok(None);
        }
        let step = self.step().filter(|_| (self.tried.len() as u64) < MOST_RUNS);
        step.map(Some).ok_or_else(|| {
            let reason = format!(
                "{} in total under {under} is not reached to within {} %: the nearest of {} runs had \
                 {:.2} %, played {:.6} times as fast as recorded; ask for what the drive can give",
                self.target,
                NEAR * 100.0,
                self.tried.len(),
                nearest.utilisation * 100.0,
                nearest.scale
            );
            ConfigError::at("host.target_total_utilisation", &reason)
        })
    }

    /// Where to go on, if there is anything left to try.
    fn step(&self) -> Option<f64> {
        let target = self.target.value();
        let (below, above): (Vec<Tried>, Vec<Tried>) =
            self.tried.iter().partition(|tried| tried.utilisation < target);
        let low = below.into_iter().max_by(|a, b| a.scale.total_cmp(&b.scale));
        let high = above.into_iter().min_by(|a, b| a.scale.total_cmp(&b.scale));
        match (low, high) {
            (Some(low), Some(high)) => Some(between(low, high, target, self.tried.len())),
            (Some(low), None) => self.beyond(low, target),
            (None, Some(high)) => self.beyond(high, target),
            (None, None) => None,
        }
    }

    /// A step beyond everything tried. Where steps in proportion fall short, each is the square of what it would be.
    fn beyond(&self, end: Tried, target: f64) -> Option<f64> {
        // Nothing was measured, or so little that no proportion says anything.
        let mut factor =
            (target / end.utilisation.max(f64::MIN_POSITIVE)).clamp(1.0 / LONGEST_STEP, LONGEST_STEP);
        for _ in 1..self.tried.len() {
            factor = (factor * factor).clamp(1.0 / LONGEST_STEP, LONGEST_STEP);
        }
        let is_full = |before: &Tried| {
            end.utilisation < target
                && before.utilisation > 0.0
                && before.scale * 2.0 <= end.scale
                && end.utilisation < before.utilisation * FULL
        };
        let scale = (end.scale * factor).clamp(SCALES.0, SCALES.1);
        (scale != end.scale && !self.tried.iter().any(is_full)).then_some(scale)
    }
}

/// Between two runs: where a straight line through them meets the target, but not close to either of them, and every
/// other time not even near, so that a bend cannot hold the search up.
fn between(low: Tried, high: Tried, target: f64, tried: usize) -> f64 {
    let share = (target - low.utilisation) / (high.utilisation - low.utilisation);
    let share = if tried.is_multiple_of(2) { share.clamp(0.05, 0.95) } else { share.clamp(0.25, 0.75) };
    low.scale + (high.scale - low.scale) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn search(percent: u32, first: f64, drive: impl Fn(f64) -> f64) -> Result<Search, String> {
        let mut search = Search::new(Ratio { ppm: percent * 10_000 }, first);
        while let Some(scale) = search.next("greedy").map_err(|error| error.to_string())? {
            search.found(scale, drive(scale));
        }
        Ok(search)
    }

    /// Drives that are busier in proportion, less and less, more and more, and by leaps.
    #[rstest]
    #[case(|scale| 0.1 * scale, 4)]
    #[case(|scale| scale / (scale + 4.0), 9)]
    #[case(|scale| 0.02 * scale * scale, 9)]
    #[case(|scale: f64| (0.1 * scale + if scale > 3.0 { 0.2 } else { 0.0 }).min(0.9), 9)]
    fn finds_the_scale(#[case] drive: fn(f64) -> f64, #[case] runs: usize) {
        for first in [0.7, 30.0] {
            let found = search(60, first, drive).unwrap();
            assert!((drive(found.scale()) / 0.6 - 1.0).abs() <= 0.01, "{found:?}");
            assert!(found.tried.len() <= runs, "{found:?}");
        }
    }

    #[test]
    fn what_no_scale_gives_is_told_with_what_was_reached() {
        // Full at 80 %.
        let error = search(90, 3.0, |scale| (0.1 * scale).min(0.8)).unwrap_err();
        assert!(error.contains("90% in total under greedy is not reached to within 1 %"), "{error}");
        assert!(error.contains("had 80.00 %"), "{error}");
        // Never anything in between: all runs are made.
        let error = search(50, 3.0, |scale| if scale > 5.0 { 0.7 } else { 0.3 }).unwrap_err();
        assert!(error.contains("the nearest of 12 runs"), "{error}");
        // Nothing is ever done.
        let error = search(50, 3.0, |_| 0.0).unwrap_err();
        assert!(error.contains("had 0.00 %"), "{error}");
    }
}
