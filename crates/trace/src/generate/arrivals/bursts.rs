//! Bursts and pauses: an interrupted Poisson process.

use rand_pcg::Pcg64;

use super::process::{Arrivals, exponential};

pub(super) struct OnOff {
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
    pub(super) fn new(interval_ns: f64, on_ns: f64, off_ns: f64, mut random: Pcg64) -> Self {
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
