//! A mesh of routers with packet buffers: packets travel along the row and then along the column, and wait in buffers
//! for links that are taken (NoSSD, Tavakkol et al., CAL 2013). Timetables of the links take the place of buffers and
//! flits: an approximation; `docs/model.md`, 12.25.

use super::gc_clock::GcClocks;
use super::routers::{Grid, Places};
use super::{
    Build, Busy, Direction, Interconnect, Lease, Links, NetworkMap, Order, Refusals, Sharing, Transfer,
};
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::time::{Nanos, SimTime};

mesh_parameters! { packets }

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to send a packet from a controller or chip whose port was taken, each time.",
};
const HOPS: Metric = Metric {
    name: "hops_travelled",
    unit: "links",
    about: "Links that packets have travelled, added up over all packets.",
};
const BUFFERED: Metric = Metric {
    name: "buffered_time",
    unit: "ns",
    about: "Time that packets waited in buffers on their way, added up over all packets.",
};

pub const MEMBER: Member<Build> = Member {
    name: "nossd",
    about: "a mesh of routers with packet buffers; packets travel along rows and columns",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED, HOPS, BUFFERED],
    build: |choice, context| Ok(Box::new(PacketMesh::new(parameters(choice), &context.geometry)?)),
};

const LONGEST_HOP: Nanos = Nanos(1_000_000_000);

struct PacketMesh {
    hop: Nanos,
    order: Order,
    chip_of: Box<[u32]>,
    /// The controller that each chip belongs to.
    controller_of: Box<[u32]>,
    /// What a packet needs one after the other, to each chip and from it: a port, links, a port.
    ways: Box<[[Box<[u32]>; 2]]>,
    /// Each port or link has no time for another packet before this instant; the end of time while that is not known.
    /// Ports of controllers come first, then those of chips, then links.
    free_from: Box<[SimTime]>,
    busy: Box<[Nanos]>,
    link_busy: Box<[Nanos]>,
    links_from: usize,
    gc_clocks: GcClocks,
    way_lengths: Box<[u64]>,
    map: NetworkMap,
    refused: u64,
    hops: u64,
    buffered: Nanos,
}

/// Links along the row of `from` to the column of `to`, then along that column.
fn way(grid: &Grid, from: u32, to: u32) -> Vec<u32> {
    let ([row, column], [to_row, to_column]) = (grid.place(from), grid.place(to));
    let along_rows = grid.rows * (grid.columns - 1);
    let in_row = (column.min(to_column)..column.max(to_column)).map(|at| row * (grid.columns - 1) + at);
    let in_column =
        (row.min(to_row)..row.max(to_row)).map(|at| along_rows + to_column * (grid.rows - 1) + at);
    let (mut first, mut second): (Vec<_>, Vec<_>) = (in_row.collect(), in_column.collect());
    if to_column < column {
        first.reverse();
    }
    if to_row < row {
        second.reverse();
    }
    first.extend(second);
    first
}

/// Both ends of each link, by its number.
fn links_of(grid: &Grid) -> Vec<[u32; 2]> {
    let mut links = Vec::new();
    for row in 0..grid.rows {
        links.extend((1..grid.columns).map(|column| row * grid.columns + column).map(|to| [to - 1, to]));
    }
    for column in 0..grid.columns {
        links.extend((1..grid.rows).map(|row| row * grid.columns + column).map(|to| [to - grid.columns, to]));
    }
    links
}

impl PacketMesh {
    fn new(given: Parameters, geometry: &Geometry) -> Result<Self, String> {
        let Parameters { rows, columns, chips, controllers, hop, order } = given;
        if hop.0 > LONGEST_HOP {
            return Err(format!("hop {hop} is longer than a second"));
        }
        let places = Places { rows, columns, chips, controllers, gc_controllers: Vec::new() };
        let grid = Grid::new(places, geometry)?;
        let number = grid.controllers.len();
        let controller_of: Box<[u32]> =
            grid.nearest(0..grid.of_host).iter().step_by(number).copied().collect();
        let links_from = number + grid.chips.len();
        let ways = (0..grid.chips.len()).map(|chip| {
            let controller = controller_of[chip];
            let (there, here) = (grid.controllers[controller as usize], grid.chips[chip]);
            let ports = [controller, (number + chip) as u32];
            let needs = |[first, last]: [u32; 2], from, to| {
                let links = way(&grid, from, to).into_iter().map(|link| links_from as u32 + link);
                std::iter::once(first).chain(links).chain([last]).collect::<Box<[u32]>>()
            };
            [needs(ports, there, here), needs([ports[1], ports[0]], here, there)]
        });
        let links = links_of(&grid);
        Ok(Self {
            hop: hop.0,
            order,
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            ways: ways.collect(),
            free_from: vec![SimTime::ZERO; links_from + links.len()].into(),
            busy: vec![Nanos(0); number].into(),
            link_busy: vec![Nanos(0); links.len()].into(),
            way_lengths: vec![0; (grid.rows + grid.columns) as usize].into(),
            map: NetworkMap::new(&grid, &links),
            links_from,
            gc_clocks: GcClocks::new(controller_of.clone(), number),
            controller_of,
            refused: 0,
            hops: 0,
            buffered: Nanos(0),
        })
    }
}

impl PacketMesh {
    /// The lease of a transfer, and the port from which its packet goes.
    #[inline]
    fn first_of(&self, die: DieId, direction: Direction) -> (Lease, usize) {
        let chip = self.chip_of[die.index()];
        let back = u32::from(direction == Direction::FromFlash);
        (Lease(chip * 2 + back), self.ways[chip as usize][back as usize][0] as usize)
    }
}

impl Interconnect for PacketMesh {
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
        let (lease, first) = self.first_of(transfer.die, transfer.direction);
        self.free_from[first] = SimTime::NEVER;
        Ok(lease)
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let chip = lease.0 as usize / 2;
        let way = &self.ways[chip][lease.0 as usize % 2];
        // When the head of the packet is at what it needs next.
        let mut head = now;
        self.free_from[way[0] as usize] = now + length;
        for (at, thing) in way.iter().enumerate().skip(1) {
            let thing = *thing as usize;
            let begins = head.max(self.free_from[thing]);
            self.buffered += begins.since(head);
            self.free_from[thing] = begins + length;
            head = begins;
            if at + 1 < way.len() {
                self.link_busy[thing - self.links_from] += length;
                head = begins + self.hop;
            }
        }
        self.hops += way.len() as u64 - 2;
        self.way_lengths[way.len() - 2] += 1;
        let controller = self.controller_of[chip];
        self.busy[controller as usize] += length;
        let end = head + length;
        if transfer.for_gc {
            self.gc_clocks.run(now, end, controller);
        }
        end
    }

    fn release(&mut self, _: SimTime, _: Lease) {}

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        self.gc_clocks.read(now, self.chip_of[die.index()])
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn carrier(&self, lease: Lease) -> u32 {
        self.controller_of[lease.0 as usize / 2]
    }

    fn links(&self) -> Option<&dyn Links> {
        Some(self)
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), HOPS.is(self.hops), BUFFERED.is(self.buffered.0)]
    }
}

impl Refusals for PacketMesh {
    fn refuse_at_once(&mut self, now: SimTime, die: DieId, _: bool, direction: Direction) -> Option<Busy> {
        let (_, first) = self.first_of(die, direction);
        let until = self.free_from[first];
        (until > now).then(|| {
            self.refused += 1;
            Busy { until: (until != SimTime::NEVER).then_some(until) }
        })
    }
}

impl Links for PacketMesh {
    fn map(&self) -> Option<NetworkMap> {
        Some(self.map.clone())
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.link_busy
    }

    fn way_lengths(&self) -> &[u64] {
        &self.way_lengths
    }
}
