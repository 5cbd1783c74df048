//! Reads that fail and that the die repeats, as many as chance says.

use crate::random::RandomStream;
use crate::settings::ReadRetryConfig;
use crate::time::Nanos;

/// How often each read is repeated.
pub(super) struct Retries {
    stream: RandomStream,
    /// Reads of a million that fail.
    rate: u32,
    most: u32,
    /// What a repetition adds, if not tR of the page.
    length: Option<Nanos>,
}

impl Retries {
    /// As the configuration says.
    pub(super) fn new(seed: u64, config: &ReadRetryConfig) -> Self {
        Self {
            stream: RandomStream::new(seed, "read retries"),
            rate: config.rate.ppm,
            most: config.most,
            length: config.t_retry.map(|time| time.0),
        }
    }

    /// What the repetitions of one read of that tR add to its array time.
    pub(super) fn draw(&mut self, t_read: Nanos) -> Nanos {
        let mut times = 0;
        while times < self.most && self.stream.below(1_000_000) < self.rate {
            times += 1;
        }
        Nanos(self.length.unwrap_or(t_read).0 * u64::from(times))
    }
}
