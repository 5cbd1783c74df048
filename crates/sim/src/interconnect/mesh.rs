//! A mesh of routers, one for each chip, with controllers at some of them: a transfer needs every link of its way at
//! once (a circuit), along the row first and then along the column. The network of GC bypass; `docs/model.md`, 12.10
//! to 12.14.
//!
//! A circuit ends at a known time, and nobody is told: what it held is given back when somebody asks after that. As
//! each circuit has a controller, there are never more of them than controllers; a refusal costs a few words for each.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Build, Busy, Interconnect, Lease, Transfer};
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Time;
use crate::time::{Nanos, SimTime};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Rows of routers. Default: as many as channels. A mesh has a router for each chip, numbered along the rows.
    rows: Option<u32>,
    /// Columns of routers. Default: as many as a channel has chips.
    columns: Option<u32>,
    /// Routers at which a controller hangs, `[row, column]` each. Default: the first of every row.
    controllers: Option<Vec<[u32; 2]>>,
    /// Time that each link on the way of a transfer adds to it.
    hop: Time,
    /// Controllers from which a transfer may come.
    entry: Entry,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// The one that is nearest to the chip.
    #[default]
    Own,
    /// The nearest from which everything needed is free.
    NearestFree,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { rows: None, columns: None, controllers: None, hop: Time(Nanos(1)), entry: Entry::Own }
    }
}

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer that found a controller, link or chip taken, each time.",
};

const HOPS: Metric = Metric {
    name: "hops_travelled",
    unit: "links",
    about: "Links that transfers have gone along, added up over all transfers.",
};

pub const MEMBER: Member<Build> = Member {
    name: "mesh",
    about: "a router for each chip, and circuits from controllers along rows and columns",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED, HOPS],
    build: |choice, context| Ok(Box::new(Mesh::new(&parameters(choice), &context.geometry)?)),
};

/// The way between each controller and each chip, found once.
struct Ways {
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
    fn new(rows: u32, columns: u32, controllers: &[[u32; 2]]) -> Result<Self, String> {
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

    fn mask(&self, controller: u32, chip: u32) -> &[u64] {
        let way = controller as usize * self.chips + chip as usize;
        &self.masks[way * self.words..][..self.words]
    }

    fn hops(&self, controller: u32, chip: u32) -> u32 {
        self.hops[controller as usize * self.chips + chip as usize]
    }
}

fn overlap(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

struct Mesh {
    ways: Ways,
    hop: Nanos,
    chip_of: Box<[u32]>,
    /// Controllers that a transfer of each chip may come from, in the order in which they are tried: so many for each.
    choices: Box<[u32]>,
    choices_per_chip: usize,
    /// Whether circuits from different controllers can need the same link. Where each comes from the controller that is
    /// nearest to its chip they cannot: over a link that two ways have in common, one of the chips could be reached as
    /// soon from the other controller, and of two that are as near all chips belong to the one of the lower number.
    crosses: bool,
    /// Links that circuits hold, some perhaps beyond their end.
    taken: Box<[u64]>,
    /// The chip to which each controller has a circuit; and until when, the end of time while that is not known.
    circuit_to: Box<[u32]>,
    until: Box<[SimTime]>,
    /// The controller that has a circuit to each chip.
    circuit_from: Box<[u32]>,
    /// The earliest end of a circuit that holds anything.
    next_end: SimTime,
    busy: Box<[Nanos]>,
    /// Transfers for GC that have begun, whole lengths; and the end of the one begun last. Of each controller.
    gc_begun: Box<[Nanos]>,
    gc_end: Box<[SimTime]>,
    refused: u64,
    links_reserved: u64,
    links_released: u64,
}

const NONE: u32 = u32::MAX;
const FOREVER: SimTime = SimTime(u64::MAX);
const LONGEST_HOP: Nanos = Nanos(1_000_000_000);

impl Mesh {
    fn new(given: &Parameters, geometry: &Geometry) -> Result<Self, String> {
        let chips = geometry.channels * geometry.chips_per_channel;
        let rows = given.rows.unwrap_or(geometry.channels);
        let columns = given.columns.unwrap_or(geometry.chips_per_channel);
        let routers = u64::from(rows) * u64::from(columns);
        if routers != u64::from(chips) {
            return Err(format!(
                "rows {rows}, columns {columns}: {routers} routers, but the drive has {chips} chips; as many \
                 of one as of the other"
            ));
        }
        let controllers: Vec<[u32; 2]> = match &given.controllers {
            Some(list) => list.clone(),
            None => (0..rows).map(|row| [row, 0]).collect(),
        };
        if controllers.is_empty() {
            return Err("controllers: the list is empty; at least one, [row, column]".to_owned());
        }
        let mut sorted = controllers.clone();
        sorted.sort_unstable();
        if let Some([[row, column], _]) = sorted.array_windows().find(|[one, next]| one == next) {
            return Err(format!("controllers: [{row}, {column}] is given twice"));
        }
        if let Some([row, column]) = controllers.iter().find(|at| at[0] >= rows || at[1] >= columns) {
            return Err(format!(
                "controllers: [{row}, {column}] is outside the mesh of {rows} rows and {columns} columns, \
                 counted from 0"
            ));
        }
        if given.hop.0 > LONGEST_HOP {
            return Err(format!("hop {} is longer than a second", given.hop));
        }
        let ways = Ways::new(rows, columns, &controllers)?;
        let (number, words) = (controllers.len(), ways.words);
        let choices_per_chip = if given.entry == Entry::Own { 1 } else { number };
        let mut choices = Vec::with_capacity(chips as usize * choices_per_chip);
        let mut order: Vec<u32> = (0..number as u32).collect();
        for chip in 0..chips {
            order.sort_unstable_by_key(|controller| (ways.hops(*controller, chip), *controller));
            choices.extend(&order[..choices_per_chip]);
        }
        Ok(Self {
            ways,
            hop: given.hop.0,
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            choices: choices.into(),
            choices_per_chip,
            crosses: choices_per_chip > 1,
            taken: vec![0; words].into(),
            circuit_to: vec![NONE; number].into(),
            until: vec![SimTime::ZERO; number].into(),
            circuit_from: vec![NONE; chips as usize].into(),
            next_end: FOREVER,
            busy: vec![Nanos(0); number].into(),
            gc_begun: vec![Nanos(0); number].into(),
            gc_end: vec![SimTime::ZERO; number].into(),
            refused: 0,
            links_reserved: 0,
            links_released: 0,
        })
    }

    fn choices(&self, chip: u32) -> &[u32] {
        &self.choices[chip as usize * self.choices_per_chip..][..self.choices_per_chip]
    }

    /// Gives back what circuits held that have ended.
    fn end_circuits(&mut self, now: SimTime) {
        self.next_end = FOREVER;
        for controller in 0..self.circuit_to.len() {
            let chip = self.circuit_to[controller];
            if chip == NONE {
                continue;
            }
            if self.until[controller] > now {
                self.next_end = self.next_end.min(self.until[controller]);
                continue;
            }
            self.circuit_to[controller] = NONE;
            self.circuit_from[chip as usize] = NONE;
            for (taken, way) in self.taken.iter_mut().zip(self.ways.mask(controller as u32, chip)) {
                self.links_released += u64::from((*taken & way).count_ones());
                *taken &= !way;
            }
        }
    }

    /// When all that a circuit needs will be free, of what is taken now; none if nothing is.
    fn taken_until(&self, controller: u32, chip: u32) -> Option<SimTime> {
        let mut until = SimTime::ZERO;
        let own = self.circuit_to[controller as usize];
        if own != NONE {
            until = self.until[controller as usize];
        }
        let at_chip = self.circuit_from[chip as usize];
        if at_chip != NONE {
            until = until.max(self.until[at_chip as usize]);
        }
        if self.crosses || cfg!(debug_assertions) {
            // The links of the controller's own circuit are taken as long as the controller: others are looked for.
            let way = self.ways.mask(controller, chip);
            let by_others = if own == NONE {
                overlap(way, &self.taken)
            } else {
                let mut links = way.iter().zip(&self.taken).zip(self.ways.mask(controller, own));
                links.any(|((way, taken), own)| way & taken & !own != 0)
            };
            debug_assert!(self.crosses || !by_others, "shortest ways from two controllers meet");
            if by_others {
                for (other, to) in self.circuit_to.iter().enumerate() {
                    if *to != NONE && overlap(way, self.ways.mask(other as u32, *to)) {
                        until = until.max(self.until[other]);
                    }
                }
            }
        }
        (until != SimTime::ZERO).then_some(until)
    }
}

impl Interconnect for Mesh {
    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: DieId) -> u32 {
        0
    }

    fn others_may_try(&self) -> bool {
        true
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        if self.next_end <= now {
            self.end_circuits(now);
        }
        let chip = self.chip_of[transfer.die.index()];
        let (mut earliest, mut known) = (FOREVER, true);
        for choice in 0..self.choices_per_chip {
            let controller = self.choices(chip)[choice];
            let Some(until) = self.taken_until(controller, chip) else {
                self.circuit_to[controller as usize] = chip;
                self.circuit_from[chip as usize] = controller;
                self.until[controller as usize] = FOREVER;
                for (taken, way) in self.taken.iter_mut().zip(self.ways.mask(controller, chip)) {
                    *taken |= way;
                }
                self.links_reserved += u64::from(self.ways.hops(controller, chip));
                return Ok(Lease(controller));
            };
            known &= until != FOREVER;
            earliest = earliest.min(until);
        }
        self.refused += 1;
        Err(Busy { until: known.then_some(earliest) })
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let controller = lease.0 as usize;
        let hops = self.ways.hops(lease.0, self.circuit_to[controller]);
        let length = length + Nanos(u64::from(hops) * self.hop.0);
        let end = now + length;
        self.busy[controller] += length;
        if transfer.for_gc {
            self.gc_begun[controller] += length;
            self.gc_end[controller] = end;
        }
        end
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        debug_assert_eq!(self.until[lease.0 as usize], FOREVER, "released twice");
        self.until[lease.0 as usize] = at;
        self.next_end = self.next_end.min(at);
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        // Whoever waits is told by the controller that it would come from first.
        let own = self.choices(self.chip_of[die.index()])[0] as usize;
        let ahead = self.gc_end[own].0.saturating_sub(now.0);
        self.gc_begun[own] - Nanos(ahead)
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn links(&self, now: SimTime) -> (u64, u64) {
        let ended = |(controller, chip): (usize, &u32)| {
            let over = *chip != NONE && self.until[controller] <= now;
            if over { u64::from(self.ways.hops(controller as u32, *chip)) } else { 0 }
        };
        let over: u64 = self.circuit_to.iter().enumerate().map(ended).sum();
        (self.links_reserved, self.links_released + over)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), HOPS.is(self.links_reserved)]
    }
}
