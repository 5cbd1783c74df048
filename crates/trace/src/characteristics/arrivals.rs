//! Times of arrival: the gaps between requests, and how unevenly requests fall into windows of time.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::{Histogram, ratio, variance};

const MS: u64 = 1_000_000;
/// Windows over which arrivals are counted.
const WINDOWS_NS: [u64; 3] = [100 * MS, 1000 * MS, 10_000 * MS];

/// Arrivals counted in windows of one length.
///
/// Windows start at the first arrival and lie side by side. Only those that end before the last arrival count: the
/// rest of a window at the end would look like a lull.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Burstiness {
    /// Length of a window.
    pub window_ns: u64,
    /// Windows that count.
    pub windows: u64,
    /// Mean number of requests in a window.
    pub mean_requests: f64,
    /// Variance of the number of requests in a window divided by its mean: 1 for a Poisson process, more the more they
    /// come in bursts. Null with less than two windows.
    pub index_of_dispersion: Option<f64>,
    /// Most requests in a window.
    pub peak_requests: u64,
    /// That, divided by the mean. Null with less than two windows.
    pub peak_to_mean: Option<f64>,
    /// Share of windows without a request.
    pub idle_share: f64,
}

/// When requests come. Every request counts, trims and flushes too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// From the first arrival to the last.
    pub span_ns: u64,
    /// Requests after the first, divided by the span; 0 when all arrive at once.
    pub requests_per_s: f64,
    /// Gaps between one arrival and the next.
    pub interarrival_ns: Distribution,
    /// Share of these gaps that are zero.
    pub simultaneous_share: f64,
    /// Arrivals in windows of 100 ms, 1 s and 10 s.
    pub burstiness: Vec<Burstiness>,
}

struct Windows {
    length_ns: u64,
    /// The window being counted, and how many requests it has.
    current: u64,
    requests: u64,
    /// Over the windows before it.
    busy: u64,
    sum: u128,
    sum_of_squares: u128,
    peak: u64,
}

impl Windows {
    fn new(length_ns: u64) -> Self {
        Self { length_ns, current: 0, requests: 0, busy: 0, sum: 0, sum_of_squares: 0, peak: 0 }
    }

    #[inline]
    fn add(&mut self, since_first_ns: u64) {
        // Division only when a window ends.
        if since_first_ns - self.current * self.length_ns >= self.length_ns {
            self.busy += u64::from(self.requests > 0);
            self.sum += u128::from(self.requests);
            self.sum_of_squares += u128::from(self.requests) * u128::from(self.requests);
            self.peak = self.peak.max(self.requests);
            self.requests = 0;
            self.current = since_first_ns / self.length_ns;
        }
        self.requests += 1;
    }

    fn finish(&self) -> Burstiness {
        let windows = self.current;
        let mean = if windows == 0 { 0.0 } else { self.sum as f64 / windows as f64 };
        let enough = windows >= 2 && self.sum > 0;
        Burstiness {
            window_ns: self.length_ns,
            windows,
            mean_requests: mean,
            index_of_dispersion: enough.then(|| variance(windows, self.sum, self.sum_of_squares) / mean),
            peak_requests: self.peak,
            peak_to_mean: enough.then(|| self.peak as f64 / mean),
            idle_share: if windows == 0 { 0.0 } else { 1.0 - self.busy as f64 / windows as f64 },
        }
    }
}

pub(super) struct ArrivalCounters {
    first_ns: Option<u64>,
    last_ns: u64,
    simultaneous: u64,
    gaps: Histogram,
    windows: [Windows; 3],
}

impl Default for ArrivalCounters {
    fn default() -> Self {
        Self {
            first_ns: None,
            last_ns: 0,
            simultaneous: 0,
            gaps: Histogram::new(),
            windows: WINDOWS_NS.map(Windows::new),
        }
    }
}

impl ArrivalCounters {
    #[inline]
    pub(super) fn add(&mut self, time_ns: u64) {
        if let Some(first_ns) = self.first_ns {
            let gap = time_ns - self.last_ns;
            self.simultaneous += u64::from(gap == 0);
            self.gaps.add(gap, 1);
            self.windows.iter_mut().for_each(|windows| windows.add(time_ns - first_ns));
        } else {
            self.first_ns = Some(time_ns);
            self.windows.iter_mut().for_each(|windows| windows.add(0));
        }
        self.last_ns = time_ns;
    }

    pub(super) fn finish(&self) -> Arrivals {
        let span_ns = self.last_ns - self.first_ns.unwrap_or(self.last_ns);
        let interarrival_ns = self.gaps.finish();
        let gaps = interarrival_ns.count;
        Arrivals {
            span_ns,
            requests_per_s: if span_ns == 0 { 0.0 } else { gaps as f64 * 1e9 / span_ns as f64 },
            simultaneous_share: ratio(self.simultaneous, gaps),
            interarrival_ns,
            burstiness: self.windows.iter().map(Windows::finish).collect(),
        }
    }
}
