//! The units of the zones: which are live, in which order they were written, and where extents begin.

use super::law::Place;
use super::stack::Stack;

/// No place: the unit is not live.
const NOWHERE: u32 = u32::MAX;

pub(super) struct Space {
    /// First unit of each zone, and the end of the last.
    pub(super) starts: Vec<u32>,
    zone_of: Vec<u16>,
    stacks: Vec<Stack>,
    at: Vec<u32>,
    /// Units of the request that wrote from here on; 0 where none began.
    extent: Vec<u32>,
    /// How often the unit was written.
    writes: Vec<u32>,
}

impl Space {
    /// Zones of so many units each.
    pub(super) fn new(zones: impl Iterator<Item = u64> + Clone) -> Self {
        let mut starts = vec![0];
        let mut zone_of = Vec::new();
        for (index, units) in zones.clone().enumerate() {
            zone_of.resize(zone_of.len() + units as usize, index as u16);
            starts.push(zone_of.len() as u32);
        }
        let units = zone_of.len();
        Self {
            starts,
            zone_of,
            stacks: zones.map(Stack::new).collect(),
            at: vec![NOWHERE; units],
            extent: vec![0; units],
            writes: vec![0; units],
        }
    }

    pub(super) fn units(&self) -> u32 {
        self.zone_of.len() as u32
    }

    pub(super) fn zone_of(&self, unit: u32) -> usize {
        usize::from(self.zone_of[unit as usize])
    }

    pub(super) fn is_live(&self, unit: u32) -> bool {
        self.at[unit as usize] != NOWHERE
    }

    /// What a stream that goes on at this unit is.
    pub(super) fn stream_at(&self, unit: u32) -> Place {
        match (self.is_live(unit), self.writes(unit)) {
            (true, _) if 2 * self.depth(unit) >= self.live(self.zone_of(unit)) => Place::Sweep,
            (true, _) => Place::Stream,
            (false, 0) => Place::Growth,
            _ => Place::Reuse,
        }
    }

    /// Whether so many units are live, from this one on or up to the end.
    pub(super) fn all_live(&self, first: u32, count: u32) -> bool {
        (first..first.saturating_add(count).min(self.units())).all(|unit| self.is_live(unit))
    }

    /// How often a unit was written.
    pub(super) fn writes(&self, unit: u32) -> u32 {
        self.writes[unit as usize]
    }

    /// Live units of a zone.
    pub(super) fn live(&self, zone: usize) -> usize {
        self.stacks[zone].len()
    }

    /// How many units of its zone were written after this live one.
    pub(super) fn depth(&self, unit: u32) -> usize {
        self.stacks[self.zone_of(unit)].depth(self.at[unit as usize])
    }

    pub(super) fn unit_at(&self, zone: usize, depth: usize) -> u32 {
        self.stacks[zone].unit_at(depth)
    }

    /// Units of the extent that begins here; 0 if none does.
    pub(super) fn extent(&self, unit: u32) -> u32 {
        self.extent[unit as usize]
    }

    pub(super) fn write(&mut self, first: u32, count: u32) {
        for unit in first..first + count {
            self.leave(unit);
            let zone = self.zone_of(unit);
            self.stacks[zone].push(unit, &mut self.at);
            self.writes[unit as usize] = self.writes[unit as usize].saturating_add(1);
        }
        self.extent[first as usize] = count;
    }

    /// Trim a unit; whether it was live.
    pub(super) fn trim(&mut self, unit: u32) -> bool {
        let live = self.is_live(unit);
        self.leave(unit);
        live
    }

    fn leave(&mut self, unit: u32) {
        let place = std::mem::replace(&mut self.at[unit as usize], NOWHERE);
        self.extent[unit as usize] = 0;
        if place != NOWHERE {
            let zone = self.zone_of(unit);
            self.stacks[zone].remove(place);
        }
    }
}
