//! Every place is as likely as any other.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::pattern::{Address, Region};

pub(super) struct Uniform {
    region: Region,
    random: Pcg64,
}

impl Uniform {
    pub(super) fn new(region: Region, seed: u64, name: &str) -> Self {
        Self { region, random: stream(seed, &format!("{name} uniform")) }
    }
}

impl Address for Uniform {
    fn next(&mut self, size_bytes: u64, _progress: f64) -> u64 {
        self.region.slot(self.random.random_range(0..self.region.slots(size_bytes)))
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        self.region.holds(at, size_bytes)
    }
}
