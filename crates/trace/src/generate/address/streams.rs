//! Sequential streams side by side.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::pattern::{Address, Region};

pub(super) struct Streams {
    parts: Vec<Region>,
    /// Where each stream goes on.
    heads: Vec<u64>,
    /// Probability that a stream jumps before a request.
    jump: f64,
    random: Pcg64,
}

impl Streams {
    pub(super) fn new(region: Region, count: u64, run: Option<f64>, seed: u64, name: &str) -> Self {
        let places = region.bytes / region.align;
        let parts: Vec<Region> = (0..count)
            .map(|index| {
                let cut = |index: u64| (u128::from(places) * u128::from(index) / u128::from(count)) as u64;
                let (from, to) = (cut(index), cut(index + 1));
                let end = if index + 1 == count { region.end() } else { region.slot(to) };
                Region { start: region.slot(from), bytes: end - region.slot(from), align: region.align }
            })
            .collect();
        Self {
            heads: parts.iter().map(|part| part.start).collect(),
            parts,
            jump: run.map_or(0.0, |run| 1.0 / run),
            random: stream(seed, &format!("{name} streams")),
        }
    }
}

impl Address for Streams {
    fn next(&mut self, size_bytes: u64, _progress: f64) -> u64 {
        let stream = self.random.random_range(0..self.parts.len());
        let (part, head) = (&self.parts[stream], &mut self.heads[stream]);
        if self.jump > 0.0 && self.random.random::<f64>() < self.jump {
            *head = part.slot(self.random.random_range(0..part.slots(size_bytes)));
        } else if *head + size_bytes > part.end() {
            *head = part.start;
        }
        let offset = *head;
        *head += size_bytes;
        offset
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        let Some(stream) = self.heads.iter().position(|head| *head == at) else { return false };
        let room = self.parts[stream].holds(at, size_bytes);
        self.heads[stream] += if room { size_bytes } else { 0 };
        room
    }
}
