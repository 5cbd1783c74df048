//! Every place is as likely as any other; or each comes once, in random order, before any comes again.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::pattern::{Address, Region};
use crate::generate::draw::Shuffle;

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

pub(super) struct Once {
    region: Region,
    places: u64,
    order: Shuffle,
    made: u64,
    pass: u64,
    seed: u64,
    name: String,
}

impl Once {
    pub(super) fn new(region: Region, seed: u64, name: &str) -> Self {
        let places = (region.bytes / region.align).max(1);
        Self {
            region,
            places,
            order: shuffle(places, seed, name, 0),
            made: 0,
            pass: 0,
            seed,
            name: name.to_owned(),
        }
    }
}

/// Every pass has an order of its own.
fn shuffle(places: u64, seed: u64, name: &str, pass: u64) -> Shuffle {
    Shuffle::new(places, seed, &format!("{name} once {pass}"))
}

impl Address for Once {
    fn next(&mut self, size_bytes: u64, _progress: f64) -> u64 {
        if self.made == self.places {
            self.made = 0;
            self.pass += 1;
            self.order = shuffle(self.places, self.seed, &self.name, self.pass);
        }
        let place = self.order.place(self.made);
        self.made += 1;
        self.region.slot(place.min(self.region.slots(size_bytes) - 1))
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        self.region.holds(at, size_bytes)
    }
}
