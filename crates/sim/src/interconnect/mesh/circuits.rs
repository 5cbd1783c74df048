//! Which controller has a circuit to which chip, and until when.
//!
//! A circuit ends at a known time, and nobody is told: what it held is given back when somebody asks after that. As
//! each circuit has a controller, there are never more of them than controllers; a refusal costs a few words for each.

use crate::time::{Nanos, SimTime};

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

// The ways of a mesh: along the row of the controller first, then along the column of the chip.

/// The way between each controller and each chip, found once.
pub(super) struct Ways {
    chips: usize,
    /// Words of a bit mask with a bit for every link.
    words: usize,
    /// Links of the way from controller c to chip k: from (c * chips + k) * words on.
    masks: Box<[u64]>,
    hops: Box<[u32]>,
}

/// Most words of masks; a mesh of 1,024 chips and 32 controllers has a million.
const MOST_WORDS: u64 = 1 << 24;

impl Ways {
    pub(super) fn new(rows: u32, columns: u32, controllers: &[[u32; 2]]) -> Result<Self, String> {
        let chips = rows as usize * columns as usize;
        let along_rows = rows as usize * (columns as usize - 1);
        let links = along_rows + columns as usize * (rows as usize - 1);
        let words = links.div_ceil(64).max(1);
        if controllers.len() as u64 * chips as u64 * words as u64 > MOST_WORDS {
            return Err(format!("{} controllers are too many for {chips} chips", controllers.len()));
        }
        let mut masks = vec![0_u64; controllers.len() * chips * words];
        let mut hops = Vec::with_capacity(controllers.len() * chips);
        for [from_row, from_column] in controllers {
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let mask = &mut masks[hops.len() * words..][..words];
                let first = *from_row as usize * (columns as usize - 1);
                let in_row = *from_column.min(&column) as usize..*from_column.max(&column) as usize;
                let second = along_rows + column as usize * (rows as usize - 1);
                let in_column = *from_row.min(&row) as usize..*from_row.max(&row) as usize;
                hops.push((in_row.len() + in_column.len()) as u32);
                for link in in_row.map(|at| first + at).chain(in_column.map(|at| second + at)) {
                    mask[link / 64] |= 1 << (link % 64);
                }
            }
        }
        Ok(Self { chips, words, masks: masks.into(), hops: hops.into() })
    }

    /// Words of a mask of links.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Number of chips.
    pub(super) fn chips(&self) -> usize {
        self.chips
    }

    /// A bit for each link of a way.
    #[inline]
    pub(super) fn mask(&self, controller: u32, chip: u32) -> &[u64] {
        let way = controller as usize * self.chips + chip as usize;
        &self.masks[way * self.words..][..self.words]
    }

    /// Links of a way.
    #[inline]
    pub(super) fn hops(&self, controller: u32, chip: u32) -> u32 {
        self.hops[controller as usize * self.chips + chip as usize]
    }
}

/// Whether two masks have a link in common.
#[inline]
pub(super) fn overlap(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// The bits of a mask that are set, in ascending order.
pub(super) fn bits(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(word * 64 + bit)
        })
    })
}

// Clocks that run while circuits of the collector are in the way of a die.

/// Where the collector shares the controllers, a die reads the clock of the one that it belongs to, which runs during
/// that controller's transfers for collection. Where it has controllers of its own, the clock of its chip: that runs
/// while circuits of theirs have the chip's port or a link of the way from the controller that it belongs to.
pub(super) struct GcClocks {
    /// The clock of each chip.
    of_chip: Box<[u32]>,
    /// Time that each has run when what has begun is over.
    run: Box<[Nanos]>,
    /// End of what has begun.
    end: Box<[SimTime]>,
    /// With controllers of the collector's own: the chips to which each link leads from the controller they belong to,
    /// a bit each, and words of that.
    chips_over: Box<[u64]>,
    words: usize,
    /// Room to add up chips in.
    touched: Box<[u64]>,
}

impl GcClocks {
    /// Clocks for chips that belong to the controllers `own`.
    pub(super) fn new(own: Vec<u32>, controllers: usize, ways: &Ways, apart: bool) -> Self {
        let (chips, words) = (own.len(), own.len().div_ceil(64));
        let clocks = if apart { chips } else { controllers };
        let mut chips_over = Vec::new();
        if apart {
            chips_over.resize(ways.words() * 64 * words, 0_u64);
            for (chip, own) in own.iter().enumerate() {
                for link in bits(ways.mask(*own, chip as u32)) {
                    chips_over[link * words + chip / 64] |= 1 << (chip % 64);
                }
            }
        }
        Self {
            of_chip: if apart { (0..chips as u32).collect() } else { own.into() },
            run: vec![Nanos(0); clocks].into(),
            end: vec![SimTime::ZERO; clocks].into(),
            touched: vec![0; if apart { words } else { 0 }].into(),
            chips_over: chips_over.into(),
            words,
        }
    }

    /// A transfer for collection takes a circuit until `end`.
    pub(super) fn carry(&mut self, now: SimTime, end: SimTime, ways: &Ways, controller: u32, chip: u32) {
        if self.touched.is_empty() {
            self.run_on(now, end, controller as usize);
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched.fill(0);
        touched[chip as usize / 64] |= 1 << (chip % 64);
        for link in bits(ways.mask(controller, chip)) {
            let over = &self.chips_over[link * self.words..][..self.words];
            touched.iter_mut().zip(over).for_each(|(touched, over)| *touched |= over);
        }
        bits(&touched).for_each(|clock| self.run_on(now, end, clock));
        self.touched = touched;
    }

    /// A clock runs until `end`, or for longer if it does already.
    #[inline]
    fn run_on(&mut self, now: SimTime, end: SimTime, clock: usize) {
        let until = self.end[clock].max(now);
        if end > until {
            self.run[clock] += end.since(until);
            self.end[clock] = end;
        }
    }

    /// What the clock of a chip shows.
    #[inline]
    pub(super) fn read(&self, now: SimTime, chip: u32) -> Nanos {
        let clock = self.of_chip[chip as usize] as usize;
        let ahead = self.end[clock].0.saturating_sub(now.0);
        self.run[clock] - Nanos(ahead)
    }
}
