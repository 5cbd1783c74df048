//! Zones, each with its share of the space and of the requests.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::super::draw::stream;
use super::super::spec::ZoneSpec;
use super::pattern::{Address, Region};

pub(super) struct HotCold {
    zones: Vec<Zone>,
    /// End of the footprint: a request larger than its zone still begins inside it.
    end: u64,
    /// Chance that a request stays in the zone drawn last.
    stay: f64,
    drawn: usize,
    random: Pcg64,
}

struct Zone {
    region: Region,
    /// Share of the requests to this zone and those before it.
    up_to: f64,
    window: f64,
}

impl HotCold {
    pub(super) fn new(region: Region, specs: &[ZoneSpec], run: Option<f64>, seed: u64, name: &str) -> Self {
        let places = region.bytes / region.align;
        let (mut space, mut access, mut from) = (0.0, 0.0, 0);
        let mut zones = Vec::with_capacity(specs.len());
        for spec in specs {
            space += spec.space;
            access += spec.access;
            let to = (libm::round(space * places as f64) as u64).clamp(from, places);
            if to > from {
                let part = Region {
                    start: region.slot(from),
                    bytes: (to - from) * region.align,
                    align: region.align,
                };
                zones.push(Zone { region: part, up_to: access, window: spec.window });
            } else if let Some(before) = zones.last_mut() {
                // A zone too small for a single place: its requests go to its neighbour.
                before.up_to = access;
            }
            from = to;
        }
        let end = region.end();
        if let Some(last) = zones.last_mut() {
            last.region.bytes = end - last.region.start;
        } else {
            zones.push(Zone { region, up_to: 1.0, window: 1.0 });
        }
        let random = stream(seed, &format!("{name} hot-cold"));
        let mut new = Self { zones, end, stay: run.map_or(0.0, |run| 1.0 - 1.0 / run), drawn: 0, random };
        if new.stay > 0.0 {
            new.drawn = new.draw();
        }
        new
    }

    fn draw(&mut self) -> usize {
        let draw: f64 = self.random.random();
        self.zones.iter().position(|zone| draw < zone.up_to).unwrap_or(self.zones.len() - 1)
    }
}

impl Address for HotCold {
    fn next(&mut self, size_bytes: u64, progress: f64) -> u64 {
        if self.stay == 0.0 || self.random.random::<f64>() >= self.stay {
            self.drawn = self.draw();
        }
        let drawn = self.drawn;
        // What is larger than its zone goes to the next that holds it.
        let holds = |zone: &Zone| zone.region.bytes >= size_bytes;
        let zone = self.zones[drawn..].iter().chain(&self.zones).find(|zone| holds(zone));
        let zone = zone.unwrap_or(&self.zones[drawn]);
        let part = zone.region;
        let slots = part.slots(size_bytes);
        let index = if zone.window < 1.0 {
            // The window runs through the zone once and wraps around, so that every place is in it equally long.
            let window = ((slots as f64 * zone.window) as u64).max(1);
            let start = (slots as f64 * progress) as u64;
            (start + self.random.random_range(0..window)) % slots
        } else {
            self.random.random_range(0..slots)
        };
        let slot = part.slot(index);
        // On a footprint that is no multiple of the grid, keep to the grid.
        let over = (slot + size_bytes).saturating_sub(self.end).div_ceil(part.align);
        slot - over * part.align
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        // A request stays in the zone of the one before it, so that zones keep their shares.
        self.zones.iter().any(|zone| zone.region.ended_here(at) && zone.region.holds(at, size_bytes))
    }
}
