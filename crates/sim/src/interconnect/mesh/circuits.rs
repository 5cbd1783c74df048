//! Which controller has a circuit to which chip, and until when.
//!
//! A circuit ends at a known time, and nobody is told: what it held is given back when somebody asks after that. As
//! each circuit has a controller, there are never more of them than controllers; a refusal costs a few words for each.

use super::ways::{Ways, overlap};
use crate::time::SimTime;

/// All circuits of a mesh.
pub(super) struct Circuits {
    /// Whether circuits from different controllers can need the same link.
    crosses: bool,
    /// Links that circuits hold, some perhaps beyond their end.
    taken: Box<[u64]>,
    /// The chip to which each controller has a circuit; and until when, the end of time while that is not known.
    to: Box<[u32]>,
    until: Box<[SimTime]>,
    /// The controller that has a circuit to each chip.
    from: Box<[u32]>,
    /// The earliest end of a circuit that holds anything.
    next_end: SimTime,
    /// Links reserved so far, and released.
    pub(super) links_reserved: u64,
    pub(super) links_released: u64,
}

const NONE: u32 = u32::MAX;

impl Circuits {
    pub(super) fn new(controllers: usize, ways: &Ways, crosses: bool) -> Self {
        Self {
            crosses,
            taken: vec![0; ways.words()].into(),
            to: vec![NONE; controllers].into(),
            until: vec![SimTime::ZERO; controllers].into(),
            from: vec![NONE; ways.chips()].into(),
            next_end: SimTime::NEVER,
            links_reserved: 0,
            links_released: 0,
        }
    }

    /// The chip to which a controller has a circuit.
    #[inline]
    pub(super) fn chip_of(&self, controller: u32) -> u32 {
        self.to[controller as usize]
    }

    /// Gives back what circuits held that have ended by `now`.
    #[inline]
    pub(super) fn pass_to(&mut self, now: SimTime, ways: &Ways) {
        if self.next_end <= now {
            self.end_circuits(now, ways);
        }
    }

    fn end_circuits(&mut self, now: SimTime, ways: &Ways) {
        self.next_end = SimTime::NEVER;
        for controller in 0..self.to.len() {
            if self.to[controller] == NONE {
                continue;
            }
            if self.until[controller] > now {
                self.next_end = self.next_end.min(self.until[controller]);
            } else {
                self.free(controller, ways);
            }
        }
    }

    fn free(&mut self, controller: usize, ways: &Ways) {
        let chip = std::mem::replace(&mut self.to[controller], NONE);
        self.from[chip as usize] = NONE;
        for (taken, way) in self.taken.iter_mut().zip(ways.mask(controller as u32, chip)) {
            self.links_released += u64::from((*taken & way).count_ones());
            *taken &= !way;
        }
    }

    /// Until when a controller's circuit keeps everything from its chips; none if that takes a closer look. Where no
    /// circuits cross, the chips of a controller need nothing that others could have, and the controller itself.
    #[inline]
    pub(super) fn own_until(&self, now: SimTime, controller: u32) -> Option<SimTime> {
        if self.crosses {
            return None;
        }
        // What nobody has ended long ago, or has never begun.
        Some(self.until[controller as usize]).filter(|until| *until > now)
    }

    /// When all that a circuit needs will be free, of what is taken now; the end of time if somebody's end is not
    /// known, none if nothing is taken.
    pub(super) fn taken_until(&self, ways: &Ways, controller: u32, chip: u32) -> Option<SimTime> {
        let mut until = SimTime::ZERO;
        let own = self.to[controller as usize];
        if own != NONE {
            until = self.until[controller as usize];
        }
        let at_chip = self.from[chip as usize];
        if at_chip != NONE {
            until = until.max(self.until[at_chip as usize]);
        }
        if self.crosses || cfg!(debug_assertions) {
            // The links of the controller's own circuit are taken as long as the controller: others are looked for.
            let way = ways.mask(controller, chip);
            let by_others = if own == NONE {
                overlap(way, &self.taken)
            } else {
                let mut links = way.iter().zip(&self.taken).zip(ways.mask(controller, own));
                links.any(|((way, taken), own)| way & taken & !own != 0)
            };
            debug_assert!(self.crosses || !by_others, "shortest ways from two controllers meet");
            if by_others {
                for (other, to) in self.to.iter().enumerate() {
                    if *to != NONE && overlap(way, ways.mask(other as u32, *to)) {
                        until = until.max(self.until[other]);
                    }
                }
            }
        }
        (until != SimTime::ZERO).then_some(until)
    }

    /// Reserves what nobody has.
    #[inline]
    pub(super) fn take(&mut self, ways: &Ways, controller: u32, chip: u32) {
        let at = controller as usize;
        self.to[at] = chip;
        self.from[chip as usize] = controller;
        self.until[at] = SimTime::NEVER;
        for (taken, way) in self.taken.iter_mut().zip(ways.mask(controller, chip)) {
            debug_assert_eq!(*taken & way, 0, "a link is held by two");
            *taken |= way;
        }
        self.links_reserved += u64::from(ways.hops(controller, chip));
    }

    /// The transfer over a circuit will be over at `at`.
    #[inline]
    pub(super) fn end_at(&mut self, at: SimTime, controller: u32) {
        let until = &mut self.until[controller as usize];
        debug_assert!(*until == SimTime::NEVER, "released twice");
        *until = at;
        self.next_end = self.next_end.min(at);
    }

    /// Links released by `now`, also those of which nobody has heard yet.
    pub(super) fn released_by(&self, now: SimTime, ways: &Ways) -> u64 {
        let ended = |(controller, chip): (usize, &u32)| {
            let over = *chip != NONE && self.until[controller] <= now;
            if over { u64::from(ways.hops(controller as u32, *chip)) } else { 0 }
        };
        self.links_released + self.to.iter().enumerate().map(ended).sum::<u64>()
    }
}
