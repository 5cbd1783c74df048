//! A mesh of routers, one for each chip, with controllers at some of them: a transfer needs every link of its way at
//! once (a circuit), along the row first and then along the column. The network of GC bypass; `docs/model.md`, 12.10
//! to 12.14.

mod circuits;

use circuits::{Circuits, GcClocks, Ways};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::routers::check_places;
use super::{
    Build, Busy, Direction, EntryPoint, Interconnect, Lease, Links, Order, Refusals, Sharing, Transfer,
};
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Ties;
use crate::settings::alternatives::{reading, unprinted};
use crate::ties::TieBreaker;
use crate::time::{Nanos, SimTime};

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
    build: |choice, context| Ok(Box::new(Mesh::new(parameters(choice), context)?)),
};

/// Controllers from which transfers of each chip may come, in the order in which they are tried: so many for each.
struct Choices {
    list: Box<[u32]>,
    per_chip: usize,
}

impl Choices {
    fn new(ways: &Ways, mut controllers: Vec<u32>, entry: Entry) -> Self {
        let per_chip = if entry == Entry::Own { 1 } else { controllers.len() };
        let mut list = Vec::with_capacity(ways.chips() * per_chip);
        for chip in 0..ways.chips() as u32 {
            controllers.sort_unstable_by_key(|controller| (ways.hops(*controller, chip), *controller));
            list.extend(&controllers[..per_chip]);
        }
        Self { list: list.into(), per_chip }
    }

    #[inline]
    fn of(&self, chip: u32) -> &[u32] {
        &self.list[chip as usize * self.per_chip..][..self.per_chip]
    }
}

struct Mesh {
    ways: Ways,
    hop: Nanos,
    /// Among free controllers of as many links; not asked where the lowest number goes first.
    ties: TieBreaker,
    lowest_first: bool,
    order: Order,
    chip_of: Box<[u32]>,
    of_host: Choices,
    /// None where collection shares the host's.
    of_collector: Option<Choices>,
    circuits: Circuits,
    busy: Box<[Nanos]>,
    gc_clocks: GcClocks,
    refused: u64,
    hops: u64,
}

impl Mesh {
    fn new(given: Parameters, context: &BuildContext) -> Result<Self, String> {
        let geometry = &context.geometry;
        let layout = Layout::new(given, geometry)?;
        let Layout { rows, columns, controllers, of_host: hosts, hop, entry, ties, order } = layout;
        let ways = Ways::new(rows, columns, &controllers)?;
        let number = controllers.len();
        let of_host = Choices::new(&ways, (0..hosts).collect(), entry);
        let apart = number as u32 > hosts;
        let of_collector = apart.then(|| Choices::new(&ways, (hosts..number as u32).collect(), entry));
        // Where each circuit comes from the controller that is nearest to its chip, none needs a link of another's:
        // over one that two ways have in common, one of the chips could be reached as soon from the other controller,
        // and of two that are as near all chips belong to the one of the lower number.
        let crosses = of_host.per_chip > 1 || apart;
        let own = (0..ways.chips() as u32).map(|chip| of_host.of(chip)[0]).collect();
        Ok(Self {
            hop,
            lowest_first: ties == Ties::Lowest,
            order,
            ties: TieBreaker::new(ties, number as u32, context.stream("controller")),
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            circuits: Circuits::new(number, &ways, crosses),
            busy: vec![Nanos(0); number].into(),
            gc_clocks: GcClocks::new(own, number, &ways, apart),
            ways,
            of_host,
            of_collector,
            refused: 0,
            hops: 0,
        })
    }
}

impl Interconnect for Mesh {
    fn sharing(&self) -> Sharing {
        self.order.sharing()
    }

    fn refusals(&mut self) -> Option<&mut dyn Refusals> {
        Some(self)
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        if let Some(busy) = self.refuse_at_once(now, transfer.die, transfer.for_gc, transfer.direction) {
            return Err(busy);
        }
        let chip = self.chip_of[transfer.die.index()];
        self.circuits.pass_to(now, &self.ways);
        let choices = match (&self.of_collector, transfer.entry) {
            (Some(of_collector), EntryPoint::Collector) => of_collector.of(chip),
            _ => self.of_host.of(chip),
        };
        let (mut earliest, mut known) = (SimTime::NEVER, true);
        for (at, controller) in choices.iter().enumerate() {
            let Some(until) = self.circuits.taken_until(&self.ways, *controller, chip) else {
                let hops = self.ways.hops(*controller, chip);
                let mut chosen = *controller;
                if !self.lowest_first {
                    let circuits = &self.circuits;
                    let is_free = |other: &u32| circuits.taken_until(&self.ways, *other, chip).is_none();
                    let as_near = choices[at..].iter().copied();
                    let as_near = as_near.take_while(|other| self.ways.hops(*other, chip) == hops);
                    chosen =
                        self.ties.choose(as_near.filter(is_free).map(|other| ((), other))).unwrap_or(chosen);
                }
                self.circuits.take(&self.ways, chosen, chip);
                self.hops += u64::from(hops);
                return Ok(Lease(chosen));
            };
            known &= until != SimTime::NEVER;
            earliest = earliest.min(until);
        }
        self.refused += 1;
        Err(Busy { until: known.then_some(earliest) })
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let chip = self.circuits.chip_of(lease.0);
        let length = length + Nanos(u64::from(self.ways.hops(lease.0, chip)) * self.hop.0);
        let end = now + length;
        self.busy[lease.0 as usize] += length;
        if transfer.for_gc {
            self.gc_clocks.carry(now, end, &self.ways, lease.0, chip);
        }
        end
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        self.circuits.end_at(at, lease.0);
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        self.gc_clocks.read(now, self.chip_of[die.index()])
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn links(&self) -> Option<&dyn Links> {
        Some(self)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), HOPS.is(self.hops)]
    }
}

impl Refusals for Mesh {
    fn refuse_at_once(&mut self, now: SimTime, die: DieId, _: bool, _: Direction) -> Option<Busy> {
        let chip = self.chip_of[die.index()];
        let until = self.circuits.own_until(now, self.of_host.list[chip as usize])?;
        self.refused += 1;
        Some(Busy { until: (until != SimTime::NEVER).then_some(until) })
    }
}

impl Links for Mesh {
    fn reserved(&self, now: SimTime) -> (u64, u64) {
        (self.circuits.links_reserved, self.circuits.released_by(now, &self.ways))
    }
}

// What a device file says of a mesh, and whether it makes one.

mesh_parameters! {
    circuits {
        /// Controllers from which a transfer may come.
        #[schemars(extend("x-alternatives" = reading(
            &["own", "nearest-free"],
            "A transfer comes from its own controller, or from any that is free."
        )))]
        entry: Entry = Entry::Own,
        /// Which of several free ones of as many links, with `entry = "nearest-free"`.
        #[schemars(extend("x-alternatives" = unprinted(
            &["rotating", "lowest", "random"],
            "Which of several equally near controllers is taken is not printed."
        )))]
        ties: Ties = Ties::Lowest,
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Entry {
    /// The one that is nearest to the chip.
    #[default]
    Own,
    /// The nearest from which everything needed is free.
    NearestFree,
}

/// A mesh that fits the drive.
struct Layout {
    rows: u32,
    columns: u32,
    /// Those of the host, then the collector's own.
    controllers: Vec<[u32; 2]>,
    /// How many of them are the host's.
    of_host: u32,
    hop: Nanos,
    entry: Entry,
    ties: Ties,
    order: Order,
}

const LONGEST_HOP: Nanos = Nanos(1_000_000_000);

impl Layout {
    fn new(given: Parameters, geometry: &Geometry) -> Result<Self, String> {
        let chips = geometry.chips();
        let rows = given.rows.unwrap_or(geometry.channels);
        let columns = given.columns.unwrap_or(geometry.chips_per_channel);
        let routers = u64::from(rows) * u64::from(columns);
        if routers != u64::from(chips) {
            return Err(format!(
                "rows {rows}, columns {columns}: {routers} routers, but the drive has {chips} chips; as many \
                 of one as of the other"
            ));
        }
        let mut controllers =
            given.controllers.unwrap_or_else(|| (0..rows).map(|row| [row, 0]).collect::<Vec<_>>());
        if controllers.is_empty() {
            return Err("controllers: the list is empty; at least one, [row, column]".to_owned());
        }
        let of_gc = given.gc_controllers;
        check_places("controllers", &controllers, rows, columns)?;
        check_places("gc_controllers", &of_gc, rows, columns)?;
        if let Some([row, column]) = of_gc.iter().find(|place| controllers.contains(place)) {
            return Err(format!(
                "gc_controllers: [{row}, {column}] is one of the controllers, too (left out: the first of \
                 every row); collection needs others"
            ));
        }
        if given.hop.0 > LONGEST_HOP {
            return Err(format!("hop {} is longer than a second", given.hop));
        }
        let of_host = controllers.len() as u32;
        controllers.extend(of_gc);
        Ok(Self {
            rows,
            columns,
            controllers,
            of_host,
            hop: given.hop.0,
            entry: given.entry,
            ties: given.ties,
            order: given.order,
        })
    }
}
