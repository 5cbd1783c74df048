//! Reads that fail and that the die repeats, as many as chance says.

use crate::random::RandomStream;
use crate::settings::ReadRetryConfig;

/// How often each read is repeated.
pub(super) struct Retries {
    stream: RandomStream,
    /// Reads of a million that fail.
    rate: u32,
    most: u32,
}

impl Retries {
    /// As the configuration says.
    pub(super) fn new(seed: u64, config: &ReadRetryConfig) -> Self {
        Self { stream: RandomStream::new(seed, "read retries"), rate: config.rate.ppm, most: config.most }
    }

    /// How often one read is repeated.
    pub(super) fn draw(&mut self) -> u32 {
        let mut times = 0;
        while times < self.most && self.stream.below(1_000_000) < self.rate {
            times += 1;
        }
        times
    }
}
