//! Several patterns, one drawn for each request.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::pattern::Address;

pub(super) struct Mixed {
    parts: Vec<Box<dyn Address>>,
    /// Share of the requests to each part and those before it.
    up_to: Vec<f64>,
    last: usize,
    random: Pcg64,
}

impl Mixed {
    /// One of `parts` for each request, drawn in proportion to the weight that stands before it.
    pub(super) fn new(parts: Vec<(f64, Box<dyn Address>)>, seed: u64, name: &str) -> Self {
        let sum: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let mut so_far = 0.0;
        let up_to = parts
            .iter()
            .map(|(weight, _)| {
                so_far += weight;
                so_far / sum
            })
            .collect();
        Self {
            parts: parts.into_iter().map(|(_, pattern)| pattern).collect(),
            up_to,
            last: 0,
            random: stream(seed, &format!("{name} mixed")),
        }
    }
}

impl Address for Mixed {
    fn next(&mut self, size_bytes: u64, progress: f64) -> u64 {
        let draw: f64 = self.random.random();
        self.last = self.up_to.iter().position(|up_to| draw < *up_to).unwrap_or(self.parts.len() - 1);
        self.parts[self.last].next(size_bytes, progress)
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        // Parts may lie over one another: the part drawn last is asked first.
        let last = self.last;
        self.parts[last].go_on(at, size_bytes)
            || self
                .parts
                .iter_mut()
                .enumerate()
                .any(|(index, part)| index != last && part.go_on(at, size_bytes))
    }
}
