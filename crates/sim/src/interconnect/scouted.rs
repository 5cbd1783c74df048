//! Transfers over circuits that scouts have reserved: which controller, when a scout goes, and how long it all takes.

use schemars::JsonSchema;
use serde::Deserialize;

use super::gc_clock::GcClocks;
use super::routers::{Grid, Mode, Network, ScoutPacket, Sender};
use super::scout_counts::Counts;
use super::{Busy, EntryPoint, Interconnect, Lease, NetworkMap, Priority, Transfer};
use crate::building::BuildContext;
use crate::ids::DieId;
use crate::metric::Reading;
use crate::settings::Time;
use crate::time::{Nanos, SimTime};

/// When a scout that found no way goes again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Resend {
    /// When a circuit has ended since.
    #[default]
    OnChange,
    /// As soon as it is back at its controller: its links and its two flits, a `hop` each.
    AtOnce,
}

/// How a network differs from another one of the kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Time that a link adds to a transfer.
    pub(super) hop: Nanos,
    /// Output ports that a router tries for one scout at most.
    pub(super) ports_tried: u32,
    /// Circuits without a common link that a transfer may have.
    pub(super) paths: u32,
    /// When a scout that found no way goes again.
    pub(super) resend: Resend,
    /// Whether the links that a scout travelled count, instead of those of the way that it found.
    pub(super) count_scout_hops: bool,
}

const LONGEST_HOP: Nanos = Nanos(1_000_000_000);
const MOST_PATHS: u32 = 4;

impl Options {
    /// The same, if they make a network.
    ///
    /// # Errors
    /// Why they do not.
    pub(super) fn checked(self) -> Result<Self, String> {
        let hop = Time(self.hop);
        if self.hop > LONGEST_HOP {
            return Err(format!("hop {hop} is longer than a second"));
        }
        if self.hop.0 == 0 && self.resend == Resend::AtOnce {
            return Err(format!("hop {hop}: a scout that goes again at once takes time"));
        }
        if self.ports_tried == 0 {
            return Err("ports_tried 0: a router tries one at least".to_owned());
        }
        if !(1..=MOST_PATHS).contains(&self.paths) {
            return Err(format!("paths {}: from 1 to {MOST_PATHS}, the ports of a router", self.paths));
        }
        Ok(self)
    }
}

/// What a controller has.
#[derive(Debug, Clone, Copy)]
struct Circuit {
    /// The chip; [`NONE`] without one.
    chip: u32,
    /// Until when; the end of time while that is not known.
    until: SimTime,
    /// Paths of it, and links that count for its transfer: those of the longest.
    paths: u32,
    hops: u32,
    /// Links of all paths.
    links: u32,
}

const NONE: u32 = u32::MAX;
const FOREVER: SimTime = SimTime(u64::MAX);
const IDLE: Circuit = Circuit { chip: NONE, until: SimTime::ZERO, paths: 0, hops: 0, links: 0 };

/// A mesh whose circuits scouts reserve.
pub(super) struct Circuits {
    grid: Grid,
    network: Network,
    options: Options,
    chip_of: Box<[u32]>,
    /// Controllers of the host by distance from each chip, and the collector's own, if it has any.
    of_host: Box<[u32]>,
    of_collector: Box<[u32]>,
    /// The circuit of each controller.
    by_controller: Box<[Circuit]>,
    /// Controllers without a circuit: the host's, and the collector's own.
    idle: [u32; 2],
    /// Whether a controller has a circuit to a chip.
    port_taken: Box<[bool]>,
    /// The earliest end of a circuit that is known.
    next_end: SimTime,
    /// Circuits that have ended; and per chip, how many had when a scout to it turned last, and when that one is back.
    ended: u64,
    turned_at: Box<[u64]>,
    back_at: Box<[SimTime]>,
    /// Per die: it was refused since its last transfer.
    refused: Box<[bool]>,
    counts: Counts,
    links_reserved: u64,
    links_released: u64,
    busy: Box<[Nanos]>,
    link_busy: Box<[Nanos]>,
    /// Circuits by the links of their way.
    ways: Box<[u64]>,
    gc_clocks: GcClocks,
}

impl Circuits {
    /// The network of a drive, at rest.
    pub(super) fn new(grid: Grid, context: &BuildContext, options: Options) -> Self {
        let (geometry, chips) = (&context.geometry, grid.chips.len());
        let controllers = grid.controllers.len() as u32;
        let mut random = context.stream("interconnect");
        let network = Network::new(&grid, controllers * options.paths, options.ports_tried, &mut random);
        let of_host = grid.nearest(0..grid.of_host);
        let own = of_host.iter().step_by(grid.of_host as usize).copied();
        // Without controllers of its own the collector keeps a chip from the nearest controller; with them, its
        // circuits keep it from its port.
        let clocks = if controllers > grid.of_host { (0..chips as u32).collect() } else { own.collect() };
        Self {
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            of_collector: grid.nearest(grid.of_host..controllers),
            of_host,
            by_controller: vec![IDLE; controllers as usize].into(),
            idle: [grid.of_host, controllers - grid.of_host],
            port_taken: vec![false; chips].into(),
            next_end: FOREVER,
            ended: 0,
            turned_at: vec![u64::MAX; chips].into(),
            back_at: vec![SimTime::ZERO; chips].into(),
            refused: vec![false; geometry.dies() as usize].into(),
            counts: Counts::default(),
            links_reserved: 0,
            links_released: 0,
            busy: vec![Nanos(0); controllers as usize].into(),
            link_busy: vec![Nanos(0); network.links().len()].into(),
            ways: vec![0; grid.routers() as usize].into(),
            gc_clocks: GcClocks::new(clocks, chips.max(controllers as usize)),
            network,
            options,
            grid,
        }
    }

    /// Whether the collector has controllers of its own.
    #[inline]
    fn apart(&self) -> bool {
        !self.of_collector.is_empty()
    }

    /// Gives back what circuits had that have ended by `now`.
    fn end_circuits(&mut self, now: SimTime) {
        self.next_end = FOREVER;
        for controller in 0..self.by_controller.len() as u32 {
            let Circuit { chip, until, paths, .. } = self.by_controller[controller as usize];
            if chip == NONE {
                continue;
            }
            if until > now {
                self.next_end = self.next_end.min(until);
                continue;
            }
            let from = self.grid.controllers[controller as usize];
            for path in 0..paths {
                let links = self.network.clear(controller * self.options.paths + path, from);
                self.links_released += u64::from(links);
            }
            self.by_controller[controller as usize] = IDLE;
            self.port_taken[chip as usize] = false;
            self.idle[usize::from(controller >= self.grid.of_host)] += 1;
            self.ended += 1;
        }
    }

    /// The nearest idle controller from which a scout to a chip goes; or when to ask again.
    #[inline]
    fn sender(&self, now: SimTime, chip: u32, of_collector: bool) -> Result<u32, SimTime> {
        let at = chip as usize;
        if self.port_taken[at] || self.idle[usize::from(of_collector)] == 0 {
            return Err(self.next_end);
        }
        // Where a scout has found no way, none goes in the same state of the network.
        match self.options.resend {
            Resend::OnChange if self.turned_at[at] == self.ended => return Err(self.next_end),
            Resend::AtOnce if self.back_at[at] > now => return Err(self.back_at[at]),
            _ => {}
        }
        let list = if of_collector { &self.of_collector } else { &self.of_host };
        let each = list.len() / self.port_taken.len();
        let mut nearest = list[at * each..][..each].iter().copied();
        nearest.find(|controller| self.by_controller[*controller as usize].chip == NONE).ok_or(self.next_end)
    }

    /// Sends a scout, and where it finds a way, further ones for ways beside it.
    fn scout(
        &mut self,
        now: SimTime,
        controller: u32,
        chip: u32,
        transfer: &Transfer,
    ) -> Result<(), SimTime> {
        let from = self.grid.controllers[controller as usize];
        let to = self.grid.chips[chip as usize];
        debug_assert!(fits_its_bits(controller, chip, transfer), "a scout is not what its flits say");
        let id = controller * self.options.paths;
        self.counts.scouts += 1;
        let first = match self.network.send_scout(id, from, to) {
            Ok(way) => way,
            Err(turned) => {
                self.counts.turned += 1;
                self.counts.backtracks += u64::from(turned.travelled / 2);
                self.turned_at[chip as usize] = self.ended;
                let flits = 2;
                let back = now + Nanos(u64::from(turned.travelled + flits) * self.options.hop.0);
                self.back_at[chip as usize] = back;
                return Err(if self.options.resend == Resend::AtOnce { back } else { self.next_end });
            }
        };
        let mut circuit = Circuit { chip, until: FOREVER, paths: 0, hops: 0, links: 0 };
        let mut found = Some(first);
        while let Some(way) = found {
            self.counts.backtracks += u64::from((way.travelled - way.hops) / 2);
            let counted = if self.options.count_scout_hops { way.travelled } else { way.hops };
            circuit.paths += 1;
            circuit.hops = circuit.hops.max(counted);
            circuit.links += way.hops;
            self.ways[way.hops as usize] += 1;
            // At the controller's own router there is nothing to go beside.
            let further = circuit.paths < self.options.paths && way.hops > 0;
            found = further.then(|| self.network.send_scout(id + circuit.paths, from, to).ok()).flatten();
            self.counts.scouts += u64::from(further);
            self.counts.turned += u64::from(further && found.is_none());
        }
        self.counts.hops += u64::from(circuit.links);
        self.counts.detours += u64::from(circuit.links - circuit.paths * self.grid.distance(from, to));
        self.links_reserved += u64::from(circuit.links);
        self.by_controller[controller as usize] = circuit;
        self.port_taken[chip as usize] = true;
        self.idle[usize::from(controller >= self.grid.of_host)] -= 1;
        Ok(())
    }
}

/// Whether a scout, if it has room in its two flits, comes out of them as it went in.
fn fits_its_bits(controller: u32, chip: u32, transfer: &Transfer) -> bool {
    let sender =
        if transfer.entry == EntryPoint::Collector { Sender::GcController } else { Sender::FlashController };
    let high_priority = transfer.priority != Priority::Low;
    let packet = ScoutPacket { mode: Mode::Reserve, sender, chip, controller, high_priority };
    packet.encode().is_none_or(|flits| ScoutPacket::decode(flits) == Some(packet))
}

impl Interconnect for Circuits {
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
        let of_collector = transfer.entry == EntryPoint::Collector && self.apart();
        let sent = self.sender(now, chip, of_collector);
        match sent.and_then(|controller| self.scout(now, controller, chip, transfer).map(|()| controller)) {
            Ok(controller) => {
                let was_refused = std::mem::take(&mut self.refused[transfer.die.index()]);
                self.counts.transfers += 1;
                self.counts.first_try += u64::from(!was_refused);
                Ok(Lease(controller))
            }
            Err(until) => {
                self.refused[transfer.die.index()] = true;
                self.counts.refused += 1;
                Err(Busy { until: (until != FOREVER).then_some(until) })
            }
        }
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let Circuit { chip, paths, hops, .. } = self.by_controller[lease.0 as usize];
        let share = length.0.div_ceil(u64::from(paths));
        let lasts = Nanos(share + u64::from(hops) * self.options.hop.0);
        let from = self.grid.controllers[lease.0 as usize];
        for path in 0..paths {
            let id = lease.0 * self.options.paths + path;
            self.network.transmit(id, from, |link| self.link_busy[link as usize] += lasts);
        }
        self.busy[lease.0 as usize] += lasts;
        let end = now + lasts;
        if transfer.for_gc {
            self.gc_clocks.run(now, end, if self.apart() { chip } else { lease.0 });
        }
        end
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        let until = &mut self.by_controller[lease.0 as usize].until;
        debug_assert_eq!(*until, FOREVER, "released twice");
        *until = at;
        self.next_end = self.next_end.min(at);
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        self.gc_clocks.read(now, self.chip_of[die.index()])
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn each_link(&self, lease: Lease, tell: &mut dyn FnMut(u32)) {
        for path in 0..self.by_controller[lease.0 as usize].paths {
            let id = lease.0 * self.options.paths + path;
            self.network.each_link(id, self.grid.controllers[lease.0 as usize], &mut *tell);
        }
    }

    fn network(&self) -> Option<NetworkMap> {
        Some(NetworkMap::new(&self.grid, self.network.links()))
    }

    fn link_time(&self) -> &[Nanos] {
        &self.link_busy
    }

    fn way_lengths(&self) -> &[u64] {
        &self.ways
    }

    fn links(&self, now: SimTime) -> (u64, u64) {
        let over = self.by_controller.iter().filter(|circuit| circuit.chip != NONE && circuit.until <= now);
        let unheard_of: u64 = over.map(|circuit| u64::from(circuit.links)).sum();
        (self.links_reserved, self.links_released + unheard_of)
    }

    fn metrics(&self) -> Vec<Reading> {
        self.counts.readings()
    }
}
