//! Where in its zone a request of a kind goes that continues no other.

use rand::RngExt;

use super::law::{Extent, Place, Request, distance};
use super::play::Play;
use super::{Kind, UNIT};

/// Places that are looked at for one that fits, on each side of the one drawn.
const NEAR: usize = 12;

impl Play {
    /// The unit at which such a request begins.
    pub(super) fn unit_for(&mut self, kind: Kind, zone: usize, request: Request, count: u32) -> u32 {
        let start = self.space.starts[zone];
        let live = self.space.live(zone);
        match request.place {
            Place::Growth | Place::Empty(_) => {
                if let Some(unit) = self.first_new(kind, zone, count) {
                    return unit;
                }
            }
            Place::New(before) => {
                if let Some(unit) = self.first_new(kind, zone, count) {
                    return unit.saturating_sub(before).max(start);
                }
            }
            Place::Reuse => {
                if let Some(unit) = self.first_freed(kind, zone) {
                    return unit;
                }
            }
            Place::Stream | Place::Sweep if kind == Kind::Trim => {
                if let Some(unit) = self.next_live(zone) {
                    return unit;
                }
            }
            Place::Freed(before) => {
                if let Some(unit) = self.first_freed(kind, zone) {
                    return unit.saturating_sub(before).max(start);
                }
                // Nothing was trimmed before: what was never written is as free.
                if let Some(unit) = self.first_new(kind, zone, count) {
                    return unit.saturating_sub(before).max(start);
                }
            }
            Place::Tail(kills) => return self.tail(zone, kills, count),
            Place::Stream | Place::Sweep | Place::Beyond(_) | Place::Young(_) | Place::Old(_) => {}
        }
        if live == 0 {
            return start;
        }
        let share = self.random.random::<f64>();
        let depth = match request.place {
            Place::Young(bin) => distance(bin, share, self.steps).min(live - 1),
            Place::Old(bin) => live - 1 - distance(bin, share, self.steps).min(live - 1),
            Place::Stream | Place::Beyond(_) => (share * (live / 2) as f64) as usize,
            _ => live - 1,
        };
        let young = matches!(request.place, Place::Young(_));
        let favours = young && self.favour != 0.0 && self.random.random::<f64>() < self.favour.abs();
        self.near(kind, zone, depth, request.extent, count, favours)
    }

    /// The first unit that was never written and where no stream is about to go on; any, if there is no other.
    fn first_new(&mut self, kind: Kind, zone: usize, count: u32) -> Option<u32> {
        let end = self.space.starts[zone + 1];
        while self.new[zone] < end && self.space.writes(self.new[zone]) > 0 {
            self.new[zone] += 1;
        }
        let first = self.new[zone];
        if first == end {
            return None;
        }
        if !self.goes_on(kind, first) {
            return Some(first);
        }
        // Room for another such request is left in between.
        let beyond = (1..=NEAR as u32).map(|gap| first.saturating_add(gap.saturating_mul(count)));
        let new = |unit: u32| self.space.writes(unit) == 0;
        let mut free = beyond.filter(|unit| {
            end.checked_sub(*unit).is_some_and(|room| room >= count) && (*unit..unit + count).all(new)
        });
        free.find(|unit| !self.goes_on(kind, *unit)).or(Some(first))
    }

    /// The next live unit of the zone behind where the last trim in it ended.
    fn next_live(&self, zone: usize) -> Option<u32> {
        let shift = self.dead_before[zone] * UNIT;
        let (start, end) = (self.space.starts[zone], self.space.starts[zone + 1]);
        let units = u64::from(start)..=u64::from(end);
        let ends = self.recent[Kind::Trim as usize].latest_first();
        let mut units_of = ends.filter_map(|(at, _)| at.checked_sub(shift)).map(|at| at / UNIT);
        let last = units_of.find(|unit| units.contains(unit))? as u32;
        (last..end).find(|unit| self.space.is_live(*unit))
    }

    /// The unit that has been trimmed for longest and where no stream is about to go on; any, if there is no other.
    fn first_freed(&mut self, kind: Kind, zone: usize) -> Option<u32> {
        let mut fallback = None;
        for _ in 0..NEAR {
            while self.freed[zone].front().is_some_and(|unit| self.space.is_live(*unit)) {
                self.freed[zone].pop_front();
            }
            let count = self.freed[zone].len();
            let at = if fallback.is_none() { 0 } else { self.random.random_range(0..count.max(1)) };
            let unit = *self.freed[zone].get(at)?;
            if self.space.is_live(unit) {
                continue;
            }
            if !self.goes_on(kind, unit) {
                return Some(unit);
            }
            fallback = Some(unit);
        }
        fallback
    }

    /// Whether a request of the kind that begins at the unit continues a stream.
    fn goes_on(&self, kind: Kind, unit: u32) -> bool {
        let shift = self.dead_before[self.space.zone_of(unit)];
        self.recent[kind as usize].has((u64::from(unit) + shift) * UNIT)
    }

    /// Of the units about as old as the one at `depth` one that fits: by what begins there, not where a stream would go
    /// on, and by how often it was written.
    fn near(&self, kind: Kind, zone: usize, depth: usize, extent: Extent, count: u32, favours: bool) -> u32 {
        let live = self.space.live(zone);
        let (mut found, mut apart) = (None, None);
        for step in 0..2 * NEAR {
            let away = step.div_ceil(2);
            let index = if step % 2 == 1 { depth.checked_add(away) } else { depth.checked_sub(away) };
            let Some(index) = index.filter(|index| *index < live) else { continue };
            let unit = self.space.unit_at(zone, index);
            let begins = match self.space.extent(unit) {
                0 => Extent::Inside,
                units if units == count => Extent::Same,
                _ => Extent::Start,
            };
            if self.goes_on(kind, unit) {
                continue;
            }
            apart = apart.or(Some(unit));
            if begins != extent {
                continue;
            }
            let (new, old) = (self.space.writes(unit), found.map(|each: u32| self.space.writes(each)));
            let better = old.is_none_or(|old| if self.favour > 0.0 { new > old } else { new < old });
            if better {
                found = Some(unit);
            }
            if !favours {
                break;
            }
        }
        found.or(apart).unwrap_or_else(|| self.space.unit_at(zone, depth))
    }

    /// The unit from which on the zone has so many live units, or about so.
    fn tail(&self, zone: usize, kills: u32, count: u32) -> u32 {
        let (start, end) = (self.space.starts[zone], self.space.starts[zone + 1]);
        let (mut unit, mut live) = (end, 0);
        while live < kills && unit > start && end - unit < count {
            unit -= 1;
            live += u32::from(self.space.is_live(unit));
        }
        unit
    }

    /// `unit`, or the nearest from which on the request does not run into dead units.
    pub(super) fn within(&self, zone: usize, unit: u32, count: u32, place: Place) -> u32 {
        if matches!(place, Place::Tail(_)) {
            return unit;
        }
        let fits = |island: &(u32, u32)| island.1 - island.0 >= count;
        let own = self.islands[zone];
        let (first, end) =
            if fits(&own) { own } else { self.islands.iter().copied().find(fits).unwrap_or(own) };
        unit.min(end.saturating_sub(count)).max(first)
    }
}
