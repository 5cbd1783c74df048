//! Plays a history: the order of requests within a slot, and where each goes.

use std::collections::VecDeque;

use rand::RngExt;
use rand_pcg::Pcg64;

use super::follow::{able, followed};
use super::law::Place;
use super::pool::Pool;
use super::recent::Recent;
use super::space::Space;
use super::text::{Parsed, Slot};
use super::{Kind, UNIT};
use crate::generate::draw::stream;
use crate::generate::spec::HistorySpec;

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
    pub(super) space: Space,
    /// Dead units before each zone, and before the end.
    pub(super) dead_before: Vec<u64>,
    /// First unit of the zones that lie together with this one, without dead units between them, and their end.
    pub(super) islands: Vec<(u32, u32)>,
    pools: Vec<[Pool; 2]>,
    pub(super) new: Vec<u32>,
    pub(super) freed: Vec<VecDeque<u32>>,
    pub(super) recent: [Recent; 2],
    /// The units behind where the last requests ended.
    pub(super) behind: Recent,
    pub(super) shapes: Vec<(u64, u64)>,
    slots: std::vec::IntoIter<Slot>,
    slot: Slot,
    current: Option<usize>,
    other: Option<usize>,
    /// Kind and zone in which the last request would go on, if that is another zone.
    led: Option<(Kind, u16)>,
    /// Kind and zone of the last request.
    before: Option<(Kind, u16)>,
    stay: f64,
    in_turn: f64,
    in_order: f64,
    /// Slots begun so far, which says whether the next is played in order.
    begun: u64,
    /// Whether the zones of this slot come one after the other.
    ordered: bool,
    /// The cell drawn last.
    turn: usize,
    adjacent: f64,
    pub(super) favour: f64,
    pub(super) steps: f64,
    order: Pcg64,
    pub(super) random: Pcg64,
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
            behind: Recent::default(),
            shapes: parsed.shapes,
            slots: parsed.slots.into_iter(),
            slot: Slot::default(),
            current: None,
            other: None,
            led: None,
            before: None,
            stay: spec.stay,
            in_turn: spec.in_turn,
            in_order: spec.in_order,
            begun: 0,
            ordered: false,
            turn: 0,
            adjacent: spec.adjacent,
            favour: spec.favour,
            steps: spec.steps,
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
                (self.current, self.other, self.turn) = (None, None, usize::MAX);
                let due = |slots: u64| libm::floor(slots as f64 * self.in_order);
                self.ordered = due(self.begun + 1) > due(self.begun);
                self.begun += 1;
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
            return self.in_zone(moves);
        }
    }

    fn in_zone(&mut self, moves: u64) -> Move {
        let stays = self.order.random::<f64>() < self.stay || self.ordered;
        // A run goes on where its last request ended, even if that is in the next zone.
        let led = self.led.take().filter(|_| !self.ordered).filter(|(kind, zone)| {
            let streaming = self.pools[usize::from(*zone)][*kind as usize].streaming();
            self.order.random::<f64>() < 2.0 * streaming
        });
        let led =
            led.and_then(|to| self.slot.cells.iter().position(|cell| (cell.0, cell.1) == to && cell.2 > 0));
        if led.is_some() {
            self.current = led;
        } else if !stays || !self.has(self.current) {
            self.current = self.drawn(moves, None);
        }
        // Streams that take turns: two zones alternate.
        let apart = self.order.random::<f64>() >= self.adjacent;
        // Where zones come in turn, streams of one zone do, or a stream and what is no stream.
        let swaps = apart
            && led.is_none()
            && !self.ordered
            && (self.in_turn == 0.0 || self.order.random::<f64>() >= self.in_turn);
        let same = |cell: Cell| self.before == Some((cell.0, cell.1));
        if swaps && self.current.is_some_and(|at| same(self.slot.cells[at])) {
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
        let here = self.before == Some((kind, zone));
        let adjacent_to = if led.is_some() { Some(true) } else { here.then_some(!apart) };
        self.before = Some((kind, zone));
        let (offset, bytes, shape) = self.request(kind, usize::from(zone), adjacent_to);
        self.recent[kind as usize].add(offset + bytes, shape);
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

    /// A cell other than `without`: the next in turn, or one in proportion to what is left of each.
    fn drawn(&mut self, moves: u64, without: Option<usize>) -> Option<usize> {
        let sum = moves - without.map_or(0, |at| self.slot.cells[at].2);
        if sum == 0 {
            return None;
        }
        if self.ordered || (self.in_turn > 0.0 && self.order.random::<f64>() < self.in_turn) {
            let cells = self.slot.cells.len();
            let mut next = (1..=cells).map(|step| self.turn.wrapping_add(step) % cells);
            let next = next.find(|at| Some(*at) != without && self.slot.cells[*at].2 > 0);
            self.turn = next.unwrap_or(self.turn);
            return next;
        }
        let mut ticket = self.order.random_range(0..sum);
        for (at, (_, _, count)) in self.slot.cells.iter().enumerate() {
            if Some(at) == without {
                continue;
            }
            if ticket < *count {
                self.turn = at;
                return Some(at);
            }
            ticket -= count;
        }
        None
    }

    /// First byte, bytes and shape of a request in a zone; `adjacent` says whether it is to continue the request before
    /// it, if that was of this kind in this zone.
    fn request(&mut self, kind: Kind, zone: usize, adjacent: Option<bool>) -> (u64, u64, u16) {
        let mut follows = self.streams(kind, zone, adjacent);
        if (self.ordered || self.in_turn > 0.0) && adjacent == Some(false) && follows.is_empty() {
            follows = self.streams(kind, zone, Some(true));
        }
        let nearly = if self.pools[zone][kind as usize].skips() { self.nearly(zone) } else { Vec::new() };
        let able = able(&follows, &nearly);
        // What cannot follow now is made up for where it can.
        let streaming = self.pools[zone][kind as usize].streaming();
        let must = !able.is_empty() && self.random.random::<f64>() < 2.0 * streaming;
        let request = self.pools[zone][kind as usize].draw(&able, must, &mut self.random);
        let (bytes, behind) = self.shapes[usize::from(request.shape)];
        let at = if let Some(at) = followed(&follows, request) {
            at
        } else {
            let count = (behind + bytes).div_ceil(UNIT).min(u64::from(u32::MAX)) as u32;
            let near = self.near_end(&nearly, zone, request, count);
            let unit = near.unwrap_or_else(|| self.unit_for(kind, zone, request, count));
            u64::from(self.within(zone, unit, count, request.place)) * UNIT + behind
        };
        // `at` is without the dead units.
        let first = ((at / UNIT) as u32).min(self.space.units() - 1);
        let tail = matches!(request.place, Place::Tail(_));
        let home = if tail { zone } else { self.space.zone_of(first) };
        let shift = self.dead_before[home] * UNIT;
        let end = (at + bytes).div_ceil(UNIT).min(u64::from(self.space.units())) as u32;
        match kind {
            Kind::Write => {
                self.behind.add(end.into(), request.shape);
                self.space.write(first, end - first);
            }
            Kind::Trim => {
                let limit = if tail { self.space.starts[zone + 1] } else { self.islands[home].1 };
                self.trim(at, bytes, limit);
            }
        }
        (at + shift, bytes, request.shape)
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
}
