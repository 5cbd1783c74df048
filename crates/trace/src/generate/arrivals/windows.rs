//! Windows of equal length with rates of their own: the index of dispersion and the peak of counts are met by
//! construction, because the rates are dealt out, not drawn.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::quota::{Quota, apportion};
use super::super::draw::stream;
use super::super::spec::LevelSpec;
use super::process::Arrivals;

pub(super) struct Windows {
    window_ns: u64,
    levels: Quota,
    /// Requests of a window of each level.
    per_window: Vec<f64>,
    to_open: u64,
    requests_left: u64,
    /// Requests that rounding has left over so far.
    carry: f64,
    start_ns: u64,
    /// Requests still to come in this window, and how far into it the last one came.
    in_window: u64,
    into_ns: f64,
    first: bool,
    order: Pcg64,
    places: Pcg64,
}

/// How many windows of each level a trace has.
pub(in super::super) fn window_counts(
    requests: u64,
    interval_ns: u64,
    window_ns: u64,
    levels: &[LevelSpec],
) -> Vec<u64> {
    let span_ns = u128::from(requests) * u128::from(interval_ns);
    let windows = span_ns.div_ceil(u128::from(window_ns)).clamp(1, u128::from(u64::MAX)) as u64;
    let weights: Vec<f64> = levels.iter().map(|level| level.weight).collect();
    apportion(windows, &weights)
}

impl Windows {
    pub(super) fn new(
        requests: u64,
        interval_ns: u64,
        window_ns: u64,
        levels: &[LevelSpec],
        seed: u64,
    ) -> Self {
        let counts = window_counts(requests, interval_ns, window_ns, levels);
        let sum: f64 = levels.iter().zip(&counts).map(|(level, count)| level.rate * *count as f64).sum();
        Self {
            window_ns,
            to_open: counts.iter().sum(),
            levels: Quota::of_counts(counts),
            per_window: levels.iter().map(|level| level.rate * requests as f64 / sum).collect(),
            requests_left: requests,
            carry: 0.0,
            start_ns: 0,
            in_window: 0,
            into_ns: 0.0,
            first: true,
            order: stream(seed, "arrivals windows"),
            places: stream(seed, "arrivals places"),
        }
    }

    fn open_window(&mut self) {
        self.start_ns = self.start_ns.saturating_add(self.window_ns);
        self.into_ns = 0.0;
        self.to_open -= 1;
        let exact = self.per_window[self.levels.draw(&mut self.order)] + self.carry;
        let whole = libm::floor(exact + 1e-9).max(0.0);
        self.carry = exact - whole;
        self.in_window = (whole as u64).min(self.requests_left);
        if self.to_open == 0 {
            self.in_window = self.requests_left;
        }
    }
}

impl Arrivals for Windows {
    fn next(&mut self) -> u64 {
        while self.in_window == 0 {
            self.open_window();
        }
        if self.first {
            // Time counts from the first request: at the start of its window, so that the windows stay where they are.
            self.first = false;
            self.in_window -= 1;
            self.requests_left -= 1;
            return self.start_ns;
        }
        // The least of n places drawn evenly in what is left of the window.
        let left_ns = self.window_ns as f64 - self.into_ns;
        let draw: f64 = self.places.random();
        self.into_ns += left_ns * (1.0 - libm::pow(1.0 - draw, 1.0 / self.in_window as f64));
        self.in_window -= 1;
        self.requests_left -= 1;
        self.start_ns.saturating_add((self.into_ns as u64).min(self.window_ns - 1))
    }
}
