//! Which controller has a circuit to which chip, until when, and which circuits rest for their owners.
//!
//! A circuit ends at a known time, and nobody is told: what it held is given back when somebody asks after that. As
//! each circuit has a controller, there are never more of them than controllers; a refusal costs a few words for each.

use super::ways::{Ways, overlap};
use crate::ids::JobId;
use crate::interconnect::{Priority, Transfer};
use crate::time::SimTime;

/// For whom a circuit is kept when its transfer is over.
#[derive(Debug, Clone, Copy)]
struct Kept {
    /// [`JobId::NONE`] for nobody.
    owner: JobId,
    /// That of the last transfer.
    priority: Priority,
    /// Whether that is over.
    rests: bool,
}

impl Kept {
    const NOT: Self = Self { owner: JobId::NONE, priority: Priority::Normal, rests: false };

    fn of(transfer: &Transfer) -> Self {
        let owner = if transfer.keeps_circuit { transfer.owner } else { JobId::NONE };
        Self { owner, priority: transfer.priority, rests: false }
    }
}

/// All circuits of a mesh.
pub(super) struct Circuits {
    /// Whether circuits from different controllers can need the same link.
    crosses: bool,
    /// Links that circuits hold, some perhaps beyond their end.
    taken: Box<[u64]>,
    /// The chip to which each controller has a circuit; and until when, the end of time while that is not known.
    to: Box<[u32]>,
    until: Box<[SimTime]>,
    kept: Box<[Kept]>,
    /// Circuits that are kept for somebody, at rest or not yet.
    kept_now: u32,
    /// The controller that has a circuit to each chip.
    from: Box<[u32]>,
    /// The earliest end of a circuit that holds anything.
    next_end: SimTime,
    /// Links reserved so far, and released.
    pub(super) links_reserved: u64,
    pub(super) links_released: u64,
    /// Circuits at rest that their owners took up again, and that others removed.
    pub(super) taken_up: u64,
    pub(super) removed: u64,
}

const NONE: u32 = u32::MAX;
const FOREVER: SimTime = SimTime(u64::MAX);

impl Circuits {
    pub(super) fn new(controllers: usize, ways: &Ways, crosses: bool) -> Self {
        Self {
            crosses,
            taken: vec![0; ways.words()].into(),
            to: vec![NONE; controllers].into(),
            until: vec![SimTime::ZERO; controllers].into(),
            kept: vec![Kept::NOT; controllers].into(),
            kept_now: 0,
            from: vec![NONE; ways.chips()].into(),
            next_end: FOREVER,
            links_reserved: 0,
            links_released: 0,
            taken_up: 0,
            removed: 0,
        }
    }

    /// The chip to which a controller has a circuit.
    #[inline]
    pub(super) fn chip_of(&self, controller: u32) -> u32 {
        self.to[controller as usize]
    }

    /// Gives back what circuits held that have ended by `now`, unless they are kept: those rest from their end on.
    #[inline]
    pub(super) fn pass_to(&mut self, now: SimTime, ways: &Ways) {
        if self.next_end <= now {
            self.end_circuits(now, ways);
        }
    }

    fn end_circuits(&mut self, now: SimTime, ways: &Ways) {
        self.next_end = FOREVER;
        for controller in 0..self.to.len() {
            if self.to[controller] == NONE {
                continue;
            }
            if self.until[controller] > now {
                self.next_end = self.next_end.min(self.until[controller]);
            } else if self.kept[controller].owner.is_some() {
                self.kept[controller].rests = true;
                self.until[controller] = FOREVER;
            } else {
                self.free(controller, ways);
            }
        }
    }

    fn free(&mut self, controller: usize, ways: &Ways) {
        let chip = std::mem::replace(&mut self.to[controller], NONE);
        self.from[chip as usize] = NONE;
        // One that rested had no end.
        self.until[controller] = SimTime::ZERO;
        for (taken, way) in self.taken.iter_mut().zip(ways.mask(controller as u32, chip)) {
            self.links_released += u64::from((*taken & way).count_ones());
            *taken &= !way;
        }
        self.keep(controller, Kept::NOT);
    }

    fn keep(&mut self, controller: usize, kept: Kept) {
        let before = std::mem::replace(&mut self.kept[controller], kept);
        self.kept_now += u32::from(kept.owner.is_some());
        self.kept_now -= u32::from(before.owner.is_some());
    }

    /// Whether a circuit rests and has to make way for a transfer of this priority.
    #[inline]
    fn makes_way(&self, controller: usize, priority: Priority) -> bool {
        self.kept_now > 0 && self.kept[controller].rests && self.kept[controller].priority < priority
    }

    /// The end of a circuit for whoever asks with this priority: none where it makes way.
    #[inline]
    fn end_of(&self, controller: usize, priority: Priority) -> SimTime {
        if self.makes_way(controller, priority) { SimTime::ZERO } else { self.until[controller] }
    }

    /// Until when a controller's circuit keeps everything from its chips; none if that takes a closer look. Where no
    /// circuits cross, the chips of a controller need nothing that others could have, and the controller itself.
    #[inline]
    pub(super) fn own_until(&self, now: SimTime, controller: u32) -> Option<SimTime> {
        if self.crosses || self.kept_now > 0 {
            return None;
        }
        // What nobody has ended long ago, or has never begun.
        Some(self.until[controller as usize]).filter(|until| *until > now)
    }

    /// When all that a circuit needs will be free, of what is taken now; the end of time if somebody's end is not
    /// known, none if nothing is taken.
    pub(super) fn taken_until(
        &self,
        ways: &Ways,
        controller: u32,
        chip: u32,
        priority: Priority,
    ) -> Option<SimTime> {
        let mut until = SimTime::ZERO;
        let own = self.to[controller as usize];
        if own != NONE {
            until = self.end_of(controller as usize, priority);
        }
        let at_chip = self.from[chip as usize];
        if at_chip != NONE {
            until = until.max(self.end_of(at_chip as usize, priority));
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
                        until = until.max(self.end_of(other, priority));
                    }
                }
            }
        }
        (until != SimTime::ZERO).then_some(until)
    }

    /// Reserves what nobody has but circuits at rest that make way; those are removed whole.
    #[inline]
    pub(super) fn take(&mut self, ways: &Ways, controller: u32, chip: u32, transfer: &Transfer) {
        if self.kept_now > 0 {
            self.make_way(ways, controller, chip, transfer.priority);
        }
        let at = controller as usize;
        self.to[at] = chip;
        self.from[chip as usize] = controller;
        self.until[at] = FOREVER;
        self.keep(at, Kept::of(transfer));
        for (taken, way) in self.taken.iter_mut().zip(ways.mask(controller, chip)) {
            debug_assert_eq!(*taken & way, 0, "a link is held by two");
            *taken |= way;
        }
        self.links_reserved += u64::from(ways.hops(controller, chip));
    }

    #[cold]
    fn make_way(&mut self, ways: &Ways, controller: u32, chip: u32, priority: Priority) {
        for other in 0..self.to.len() {
            let to = self.to[other];
            let in_the_way = |to| {
                other == controller as usize
                    || to == chip
                    || overlap(ways.mask(controller, chip), ways.mask(other as u32, to))
            };
            if self.makes_way(other, priority) && in_the_way(to) {
                self.free(other, ways);
                self.removed += 1;
            }
        }
    }

    /// The controller of the circuit that rests for the owner of a transfer, if it leads to the chip from one of
    /// `controllers`: it is in use again. What rests for it elsewhere is given up.
    #[inline]
    pub(super) fn take_up(
        &mut self,
        ways: &Ways,
        controllers: &[u32],
        chip: u32,
        transfer: &Transfer,
    ) -> Option<u32> {
        if self.kept_now == 0 || !transfer.owner.is_some() {
            return None;
        }
        let mut found = None;
        for controller in 0..self.to.len() {
            let Kept { owner, rests, .. } = self.kept[controller];
            if !rests || owner != transfer.owner {
                continue;
            }
            if self.to[controller] == chip && controllers.contains(&(controller as u32)) {
                self.keep(controller, Kept::of(transfer));
                self.taken_up += 1;
                found = Some(controller as u32);
            } else {
                self.free(controller, ways);
            }
        }
        found
    }

    /// An owner is done: what rests for it is free, what it uses will not rest. Tells whether anything fell free.
    pub(super) fn end_rest(&mut self, ways: &Ways, owner: JobId) -> bool {
        if self.kept_now == 0 || !owner.is_some() {
            return false;
        }
        let mut freed = false;
        for controller in 0..self.to.len() {
            if self.kept[controller].owner != owner {
                continue;
            }
            if self.kept[controller].rests {
                self.free(controller, ways);
                freed = true;
            } else {
                self.keep(controller, Kept::NOT);
            }
        }
        freed
    }

    /// The transfer over a circuit will be over at `at`.
    #[inline]
    pub(super) fn end_at(&mut self, at: SimTime, controller: u32) {
        let until = &mut self.until[controller as usize];
        debug_assert!(*until == FOREVER && !self.kept[controller as usize].rests, "released twice");
        *until = at;
        self.next_end = self.next_end.min(at);
    }

    /// Links released by `now`, also those of which nobody has heard yet.
    pub(super) fn released_by(&self, now: SimTime, ways: &Ways) -> u64 {
        let ended = |(controller, chip): (usize, &u32)| {
            let over =
                *chip != NONE && self.until[controller] <= now && !self.kept[controller].owner.is_some();
            if over { u64::from(ways.hops(controller as u32, *chip)) } else { 0 }
        };
        self.links_released + self.to.iter().enumerate().map(ended).sum::<u64>()
    }
}
