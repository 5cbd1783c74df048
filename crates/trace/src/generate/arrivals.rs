//! When requests arrive: the list of arrival processes.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::draw::{Quota, apportion, stream};
use super::spec::{ArrivalSpec, LevelSpec};

/// Put a checked description to work for a trace of `requests`.
pub(super) fn build(spec: &ArrivalSpec, requests: u64, seed: u64) -> Box<dyn Arrivals> {
    let random = stream(seed, "arrivals");
    match spec {
        ArrivalSpec::ClosedLoop => Box::new(Constant { next_ns: 0, interval_ns: 0 }),
        ArrivalSpec::Constant { interval } => Box::new(Constant { next_ns: 0, interval_ns: interval.0 }),
        ArrivalSpec::Poisson { interval } => {
            Box::new(Gaps { now_ns: 0, random, gap: Gap::Exponential(interval.0 as f64) })
        }
        ArrivalSpec::LogNormal { interval, sigma } => {
            // The mean of exp(mu + sigma z) is exp(mu + sigma²/2).
            let mu = libm::log(interval.0.max(1) as f64) - sigma * sigma / 2.0;
            Box::new(Gaps { now_ns: 0, random, gap: Gap::LogNormal { mu, sigma: *sigma } })
        }
        ArrivalSpec::OnOff { interval, on, off } => {
            Box::new(OnOff::new(interval.0 as f64, on.0 as f64, off.0 as f64, random))
        }
        ArrivalSpec::Windows { interval, window, levels } => {
            Box::new(Windows::new(requests, interval.0, window.0, levels, seed))
        }
    }
}

struct Constant {
    next_ns: u64,
    interval_ns: u64,
}

impl Arrivals for Constant {
    fn next(&mut self) -> u64 {
        let now_ns = self.next_ns;
        self.next_ns = now_ns.saturating_add(self.interval_ns);
        now_ns
    }
}

enum Gap {
    Exponential(f64),
    LogNormal { mu: f64, sigma: f64 },
}

/// Gaps drawn independently of each other.
struct Gaps {
    now_ns: u64,
    random: Pcg64,
    gap: Gap,
}

impl Arrivals for Gaps {
    fn next(&mut self) -> u64 {
        let gap_ns = match self.gap {
            Gap::Exponential(mean) => exponential(mean, &mut self.random),
            Gap::LogNormal { mu, sigma } => libm::exp(mu + sigma * normal(&mut self.random)),
        };
        self.now_ns = self.now_ns.saturating_add(libm::round(gap_ns) as u64);
        self.now_ns
    }
}

// Bursts and pauses: an interrupted Poisson process.

struct OnOff {
    interval_ns: f64,
    on_ns: f64,
    off_ns: f64,
    now_ns: u64,
    /// What is left of the present burst.
    left_ns: f64,
    random: Pcg64,
}

impl OnOff {
    /// Starts with a burst.
    fn new(interval_ns: f64, on_ns: f64, off_ns: f64, mut random: Pcg64) -> Self {
        let left_ns = exponential(on_ns, &mut random);
        Self { interval_ns, on_ns, off_ns, now_ns: 0, left_ns, random }
    }
}

impl Arrivals for OnOff {
    fn next(&mut self) -> u64 {
        let mut waited_ns = 0.0;
        loop {
            // An exponential gap has no memory: one cut by the end of a burst is drawn anew in the next.
            let gap_ns = exponential(self.interval_ns, &mut self.random);
            if gap_ns <= self.left_ns {
                self.left_ns -= gap_ns;
                waited_ns += gap_ns;
                break;
            }
            waited_ns += self.left_ns + exponential(self.off_ns, &mut self.random);
            self.left_ns = exponential(self.on_ns, &mut self.random);
        }
        self.now_ns = self.now_ns.saturating_add(libm::round(waited_ns) as u64);
        self.now_ns
    }
}

/// The times of requests one after another, in ns, never decreasing.
pub(super) trait Arrivals: Send {
    /// The time of the next request.
    fn next(&mut self) -> u64;
}

/// An exponential draw.
fn exponential(mean: f64, random: &mut Pcg64) -> f64 {
    let draw: f64 = random.random();
    -libm::log(1.0 - draw) * mean
}

/// A draw from the standard normal distribution (Box and Muller, 1958; one of the pair, so that a draw has no memory).
fn normal(random: &mut Pcg64) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    libm::sqrt(-2.0 * libm::log(1.0 - radius)) * libm::cos(std::f64::consts::TAU * angle)
}

// Windows of equal length with rates of their own: the index of dispersion and the peak of counts are met by
// construction, because the rates are dealt out, not drawn.

struct Windows {
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
pub(super) fn window_counts(
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
    fn new(requests: u64, interval_ns: u64, window_ns: u64, levels: &[LevelSpec], seed: u64) -> Self {
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
