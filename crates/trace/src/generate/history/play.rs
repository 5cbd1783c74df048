//! Plays a history: the order of requests within a slot, and where each goes.

use std::collections::VecDeque;

use rand::RngExt;
use rand_pcg::Pcg64;

use super::law::{Extent, Place, Request, distance};
use super::pool::Pool;
use super::recent::Recent;
use super::space::Space;
use super::text::{Parsed, Slot};
use super::{Kind, UNIT};
use crate::generate::draw::stream;
use crate::generate::spec::HistorySpec;

/// Places that are looked at for one that fits, on each side of the one drawn.
const NEAR: usize = 12;

/// What comes next.
pub(in crate::generate) enum Move {
    Read,
    Flush,
    /// A write or a trim: first byte and bytes.
    To(Kind, u64, u64),
}

/// A zone and a kind of request, with what is left of them in the slot.
type Cell = (Kind, u16, u64);

pub(in crate::generate) struct Play {
    space: Space,
    /// Dead units before each zone, and before the end.
    dead_before: Vec<u64>,
    /// First unit of the zones that lie together with this one, without dead units between them, and their end.
    islands: Vec<(u32, u32)>,
    pools: Vec<[Pool; 2]>,
    new: Vec<u32>,
    freed: Vec<VecDeque<u32>>,
    recent: [Recent; 2],
    shapes: Vec<(u64, u64)>,
    slots: std::vec::IntoIter<Slot>,
    slot: Slot,
    current: Option<usize>,
    other: Option<usize>,
    /// Kind and zone in which the last request would go on, if that is another zone.
    led: Option<(Kind, u16)>,
    /// Kind and zone of the last request.
    before: Option<(Kind, u16)>,
    stay: f64,
    adjacent: f64,
    favour: f64,
    order: Pcg64,
    random: Pcg64,
}

impl Play {
    pub(in crate::generate) fn new(spec: &HistorySpec, parsed: Parsed, seed: u64) -> Self {
        let space = Space::new(spec.zones.iter().map(|zone| zone.units));
        let mut dead_before = vec![0];
        let mut islands: Vec<(u32, u32)> = Vec::new();
        for (index, zone) in spec.zones.iter().enumerate() {
            dead_before.push(dead_before[index] + zone.dead);
            let joined = index > 0 && spec.zones[index - 1].dead == 0;
            let first = if joined { islands[index - 1].0 } else { space.starts[index] };
            islands.push((first, space.starts[index + 1]));
        }
        for index in (0..islands.len().saturating_sub(1)).rev() {
            if spec.zones[index].dead == 0 {
                islands[index].1 = islands[index + 1].1;
            }
        }
        let pools = spec.zones.iter().zip(&parsed.laws).map(|(zone, [write, trim])| {
            [Pool::new(write, zone.write_again), Pool::new(trim, zone.trim_again)]
        });
        Self {
            dead_before,
            islands,
            pools: pools.collect(),
            new: space.starts.clone(),
            freed: vec![VecDeque::new(); spec.zones.len()],
            space,
            recent: Default::default(),
            shapes: parsed.shapes,
            slots: parsed.slots.into_iter(),
            slot: Slot::default(),
            current: None,
            other: None,
            led: None,
            before: None,
            stay: spec.stay,
            adjacent: spec.adjacent,
            favour: spec.favour,
            order: stream(seed, "history order"),
            random: stream(seed, "history places"),
        }
    }

    /// Where a byte of the zones, written without the dead units between them, is; of a read that does not lie in one
    /// stretch, one that does.
    pub(in crate::generate) fn placed(&self, offset: u64, bytes: u64) -> u64 {
        let units = u64::from(self.space.units());
        if offset >= units * UNIT {
            return offset + self.dead_before[self.islands.len()] * UNIT;
        }
        let zone = self.space.zone_of((offset / UNIT) as u32);
        let (first, end) = self.islands[zone];
        let last = (u64::from(end) * UNIT).saturating_sub(bytes);
        let at = offset.min(last).max(u64::from(first) * UNIT);
        at + self.dead_before[self.space.zone_of((at / UNIT) as u32)] * UNIT
    }

    /// The next request. Must not be asked for more than there are.
    pub(in crate::generate) fn next(&mut self) -> Move {
        loop {
            let moves: u64 = self.slot.cells.iter().map(|(_, _, count)| count).sum();
            let all = self.slot.reads + self.slot.flushes + moves;
            if all == 0 {
                self.slot = self.slots.next().expect("as many requests as counted");
                (self.current, self.other) = (None, None);
                continue;
            }
            let ticket = self.order.random_range(0..all);
            if ticket < self.slot.reads {
                self.slot.reads -= 1;
                return Move::Read;
            }
            if ticket < self.slot.reads + self.slot.flushes {
                self.slot.flushes -= 1;
                return Move::Flush;
            }
            return self.to_zone(moves);
        }
    }

    fn to_zone(&mut self, moves: u64) -> Move {
        let stays = self.order.random::<f64>() < self.stay;
        // A run goes on where its last request ended, even if that is in the next zone.
        let led = self.led.take().filter(|(kind, zone)| {
            let streaming = self.pools[usize::from(*zone)][*kind as usize].streaming();
            self.order.random::<f64>() < 2.0 * streaming
        });
        let led = led.and_then(|to| self.slot.cells.iter().position(|cell| (cell.0, cell.1) == to && cell.2 > 0));
        if led.is_some() {
            self.current = led;
        } else if !stays || !self.has(self.current) {
            self.current = self.drawn(moves, None);
        }
        // Streams that take turns: two zones alternate.
        let apart = self.order.random::<f64>() >= self.adjacent;
        let same = |cell: Cell| self.before == Some((cell.0, cell.1));
        if apart && self.current.is_some_and(|at| same(self.slot.cells[at])) {
            if !self.has(self.other) || self.other == self.current {
                self.other = self.drawn(moves, self.current);
            }
            if self.other.is_some() {
                std::mem::swap(&mut self.current, &mut self.other);
            }
        }
        let at = self.current.expect("the slot has requests left");
        let (kind, zone, _) = self.slot.cells[at];
        self.slot.cells[at].2 -= 1;
        let adjacent_to = (self.before == Some((kind, zone))).then_some(!apart);
        self.before = Some((kind, zone));
        let (offset, bytes) = self.request(kind, usize::from(zone), adjacent_to);
        self.recent[kind as usize].add(offset + bytes);
        let end = (offset + bytes).saturating_sub(self.dead_before[usize::from(zone)] * UNIT) / UNIT;
        self.led = (end < u64::from(self.space.units()))
            .then(|| self.space.zone_of(end as u32) as u16)
            .filter(|next| *next != zone)
            .map(|next| (kind, next));
        Move::To(kind, offset, bytes)
    }

    fn has(&self, cell: Option<usize>) -> bool {
        cell.is_some_and(|at| self.slot.cells[at].2 > 0)
    }

    /// A cell in proportion to what is left of each, another than `without`.
    fn drawn(&mut self, moves: u64, without: Option<usize>) -> Option<usize> {
        let sum = moves - without.map_or(0, |at| self.slot.cells[at].2);
        if sum == 0 {
            return None;
        }
        let mut ticket = self.order.random_range(0..sum);
        for (at, (_, _, count)) in self.slot.cells.iter().enumerate() {
            if Some(at) == without {
                continue;
            }
            if ticket < *count {
                return Some(at);
            }
            ticket -= count;
        }
        None
    }

    /// First byte and bytes of a request in a zone; `adjacent` says whether it is to continue the request before it,
    /// if that was of this kind in this zone.
    fn request(&mut self, kind: Kind, zone: usize, adjacent: Option<bool>) -> (u64, u64) {
        let follows = self.streams(kind, zone, adjacent);
        let kinds = [Place::Stream, Place::Sweep, Place::Growth, Place::Reuse];
        let live = |place: Place| matches!(place, Place::Stream | Place::Sweep);
        let alike = |a: Place, b: Place| a == b || (live(a) && live(b));
        let able = kinds.map(|place| follows.iter().any(|each| alike(each.1, place)).then_some(place));
        let able: Vec<Place> = able.into_iter().flatten().collect();
        // What cannot follow now is made up for where it can.
        let streaming = self.pools[zone][kind as usize].streaming();
        let must = !able.is_empty() && self.random.random::<f64>() < 2.0 * streaming;
        let request = self.pools[zone][kind as usize].draw(&able, must, &mut self.random);
        let place = request.place;
        let exact = follows.iter().find(|each| each.1 == place);
        let follows = exact.or_else(|| follows.iter().find(|each| alike(place, each.1))).map(|each| each.0);
        let (bytes, behind) = self.shapes[usize::from(request.shape)];
        let at = match follows {
            Some(at) => at,
            None => {
                let count = (behind + bytes).div_ceil(UNIT).min(u64::from(u32::MAX)) as u32;
                let unit = self.unit_for(kind, zone, request, count);
                u64::from(self.within(zone, unit, count, request.place)) * UNIT + behind
            }
        };
        // `at` is without the dead units.
        let first = ((at / UNIT) as u32).min(self.space.units() - 1);
        let tail = matches!(request.place, Place::Tail(_));
        let home = if tail { zone } else { self.space.zone_of(first) };
        let shift = self.dead_before[home] * UNIT;
        match kind {
            Kind::Write => {
                let end = (at + bytes).div_ceil(UNIT).min(u64::from(self.space.units())) as u32;
                self.space.write(first, end - first);
            }
            Kind::Trim => {
                let limit = if tail { self.space.starts[zone + 1] } else { self.islands[home].1 };
                self.trim(at, bytes, limit);
            }
        }
        (at + shift, bytes)
    }

    fn trim(&mut self, at: u64, bytes: u64, limit: u32) {
        let end = ((at + bytes) / UNIT).min(u64::from(limit)) as u32;
        for unit in (at.div_ceil(UNIT) as u32)..end {
            if self.space.trim(unit) {
                let zone = self.space.zone_of(unit);
                self.freed[zone].push_back(unit);
            }
        }
    }

    /// Where streams in the zone can go on, without the dead units, the latest first.
    fn streams(&self, kind: Kind, zone: usize, adjacent: Option<bool>) -> Vec<(u64, Place)> {
        let shift = self.dead_before[zone] * UNIT;
        let (first, end) = (u64::from(self.space.starts[zone]), u64::from(self.space.starts[zone + 1]));
        let ends = &self.recent[kind as usize];
        let without = if adjacent == Some(true) { None } else { ends.latest_first().next() };
        let inside = |at: u64| at >= shift && (first..end).contains(&((at - shift) / UNIT)) && Some(at) != without;
        ends.latest_first()
            .filter(|at| inside(*at))
            .map(|at| {
                let next = (at - shift).div_ceil(UNIT);
                (at - shift, if next < end { self.space.stream_at(next as u32) } else { Place::Stream })
            })
            .collect()
    }

    /// The unit at which such a request begins.
    fn unit_for(&mut self, kind: Kind, zone: usize, request: Request, count: u32) -> u32 {
        let start = self.space.starts[zone];
        let live = self.space.live(zone);
        match request.place {
            Place::Growth => {
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
            Place::Stream | Place::Sweep | Place::Young(_) | Place::Old(_) => {}
        }
        if live == 0 {
            return start;
        }
        let share = self.random.random::<f64>();
        let depth = match request.place {
            Place::Young(bin) => distance(bin, share).min(live - 1),
            Place::Old(bin) => live - 1 - distance(bin, share).min(live - 1),
            Place::Stream => (share * (live / 2) as f64) as usize,
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
        let mut free =
            beyond.filter(|unit| end.checked_sub(*unit).is_some_and(|room| room >= count) && (*unit..unit + count).all(new));
        free.find(|unit| !self.goes_on(kind, *unit)).or(Some(first))
    }

    /// The next live unit of the zone behind where the last trim in it ended.
    fn next_live(&self, zone: usize) -> Option<u32> {
        let shift = self.dead_before[zone] * UNIT;
        let (start, end) = (self.space.starts[zone], self.space.starts[zone + 1]);
        let units = u64::from(start)..=u64::from(end);
        let ends = self.recent[Kind::Trim as usize].latest_first();
        let mut units_of = ends.filter_map(|at| at.checked_sub(shift)).map(|at| at / UNIT);
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
    fn within(&self, zone: usize, unit: u32, count: u32, place: Place) -> u32 {
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
