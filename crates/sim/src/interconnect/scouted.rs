//! Transfers over circuits that scouts have reserved: which controller, when a scout goes, and how long it all takes.

use super::gc_clock::GcClocks;
use super::rests::Rests;
use super::routers::{Grid, Network};
use super::scout_options::{Counts, Options, Picks, Resend};
use super::{
    Busy, Direction, EntryPoint, Interconnect, Keeping, Lease, Links, NetworkMap, Refusals, Sharing, Transfer,
};
use crate::building::BuildContext;
use crate::ids::DieId;
use crate::metric::Reading;
use crate::ties::TieBreaker;
use crate::time::{Nanos, SimTime};

/// What a controller has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circuit {
    /// The chip; [`NONE`] without one.
    pub(super) chip: u32,
    /// Until when; the end of time while that is not known.
    pub(super) until: SimTime,
    /// Paths of it, and links that count for its transfer: those of the longest.
    pub(super) paths: u32,
    pub(super) hops: u32,
    /// Links of all paths.
    pub(super) links: u32,
    /// Whether it rests when its transfer is over, and whether it does.
    pub(super) kept: bool,
    pub(super) rests: bool,
}

pub(super) const NONE: u32 = u32::MAX;
pub(super) const IDLE: Circuit =
    Circuit { chip: NONE, until: SimTime::ZERO, paths: 0, hops: 0, links: 0, kept: false, rests: false };

/// How a transfer gets a circuit.
pub(super) enum Start {
    /// It takes up the one that rests at a controller.
    Resume(u32),
    /// A controller sends a scout.
    Scout(u32),
}

/// A mesh whose circuits scouts reserve.
pub(super) struct ScoutedNetwork {
    pub(super) grid: Grid,
    pub(super) network: Network,
    pub(super) options: Options,
    pub(super) chip_of: Box<[u32]>,
    /// Controllers of the host by distance from each chip, and the collector's own, if it has any.
    pub(super) of_host: Box<[u32]>,
    pub(super) of_collector: Box<[u32]>,
    /// The circuit of each controller.
    pub(super) by_controller: Box<[Circuit]>,
    /// Among controllers that are as near to a chip.
    pub(super) ties: TieBreaker,
    /// Controllers without a circuit: the host's, and the collector's own.
    pub(super) idle: [u32; 2],
    /// The controller that has a circuit to a chip; [`NONE`] without one.
    pub(super) circuit_to: Box<[u32]>,
    /// The earliest end of a circuit that is known.
    pub(super) next_end: SimTime,
    /// Circuits that have ended; and twice per chip, of scouts before which circuits at rest give way and of others,
    /// how many had when one turned last, and when that one is back.
    pub(super) ended: u64,
    pub(super) turned_at: Box<[u64]>,
    pub(super) back_at: Box<[SimTime]>,
    /// Per die: it was refused since its last transfer.
    pub(super) refused: Box<[bool]>,
    pub(super) rests: Rests,
    pub(super) counts: Counts,
    pub(super) links_reserved: u64,
    pub(super) links_released: u64,
    pub(super) busy: Box<[Nanos]>,
    pub(super) link_busy: Box<[Nanos]>,
    /// Circuits by the links of their way.
    pub(super) ways: Box<[u64]>,
    pub(super) gc_clocks: GcClocks,
}

impl ScoutedNetwork {
    /// The network of a drive, at rest.
    pub(super) fn new(grid: Grid, context: &BuildContext, options: Options) -> Self {
        let (geometry, chips) = (&context.geometry, grid.chips.len());
        let controllers = grid.controllers.len() as u32;
        let mut random = context.stream("interconnect");
        let mut network = Network::new(&grid, controllers * options.paths, options.ports_tried, &mut random);
        network.set_takes_first(options.picks == Picks::First);
        let of_host = grid.nearest(0..grid.of_host);
        let own = of_host.iter().step_by(grid.of_host as usize).copied();
        // Without controllers of its own the collector keeps a chip from the nearest controller; with them, its
        // circuits keep it from its port.
        let clocks = if controllers > grid.of_host { (0..chips as u32).collect() } else { own.collect() };
        Self {
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            of_collector: grid.nearest(grid.of_host..controllers),
            of_host,
            ties: TieBreaker::new(options.ties, controllers, context.stream("controller")),
            by_controller: vec![IDLE; controllers as usize].into(),
            idle: [grid.of_host, controllers - grid.of_host],
            circuit_to: vec![NONE; chips].into(),
            next_end: SimTime::NEVER,
            ended: 0,
            turned_at: vec![u64::MAX; 2 * chips].into(),
            back_at: vec![SimTime::ZERO; 2 * chips].into(),
            refused: vec![false; geometry.dies() as usize].into(),
            rests: Rests::new(options.elevation, chips),
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
}

impl Interconnect for ScoutedNetwork {
    fn sharing(&self) -> Sharing {
        let asks_space = self.rests.asks_space();
        Sharing { tells_taken: true, asks_space, ..self.options.order.sharing() }
    }

    fn refusals(&mut self) -> Option<&mut dyn Refusals> {
        Some(self)
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        if self.next_end <= now {
            self.end_circuits(now);
        }
        let chip = self.chip_of[transfer.die.index()];
        let of_collector = transfer.entry == EntryPoint::Collector && self.apart();
        let before_rest = self.rests.give_way(chip, transfer);
        let start = self.start(now, chip, transfer, of_collector, before_rest);
        let got = start.and_then(|start| match start {
            Start::Resume(controller) => {
                self.resume(controller, transfer);
                Ok(controller)
            }
            Start::Scout(controller) => {
                self.scout(now, controller, chip, transfer, before_rest).map(|()| controller)
            }
        });
        match got {
            Ok(controller) => {
                let was_refused = std::mem::take(&mut self.refused[transfer.die.index()]);
                self.counts.transfers += 1;
                self.counts.first_try += u64::from(!was_refused);
                Ok(Lease(controller))
            }
            Err(until) => {
                self.refused[transfer.die.index()] = true;
                self.counts.refused += 1;
                Err(Busy { until: (until != SimTime::NEVER).then_some(until) })
            }
        }
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let Circuit { chip, paths, hops, .. } = self.by_controller[lease.0 as usize];
        let share = length.0.div_ceil(u64::from(paths));
        let lasts = Nanos(share + u64::from(hops) * self.options.hop.0);
        for path in 0..paths {
            let id = lease.0 * self.options.paths + path;
            self.network.transmit(id, |link| self.link_busy[link as usize] += lasts);
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
        debug_assert_eq!(*until, SimTime::NEVER, "released twice");
        *until = at;
        self.next_end = self.next_end.min(at);
    }

    fn keeping(&mut self) -> Option<&mut dyn Keeping> {
        Some(self)
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
        self.counts.readings().into_iter().chain(self.rests.readings()).collect()
    }
}

impl Refusals for ScoutedNetwork {
    fn refuse_at_once(&mut self, now: SimTime, die: DieId, for_gc: bool, _: Direction) -> Option<Busy> {
        if self.next_end <= now {
            self.end_circuits(now);
        }
        let until = self.refused_at_once(self.chip_of[die.index()], for_gc && self.apart())?;
        self.refused[die.index()] = true;
        self.counts.refused += 1;
        Some(Busy { until: (until != SimTime::NEVER).then_some(until) })
    }

    fn all_taken(&mut self, now: SimTime, for_gc: bool) -> Option<Busy> {
        if self.next_end <= now {
            self.end_circuits(now);
        }
        let nobody = self.options.resend == Resend::OnChange && !self.are_left(for_gc && self.apart());
        nobody.then(|| Busy { until: (self.next_end != SimTime::NEVER).then_some(self.next_end) })
    }

    fn note_refused(&mut self, count: u64) {
        self.counts.refused += count;
    }
}

impl Keeping for ScoutedNetwork {
    fn end_hold(&mut self, now: SimTime, die: DieId) -> bool {
        if self.next_end <= now {
            self.end_circuits(now);
        }
        let controller = self.circuit_to[self.chip_of[die.index()] as usize];
        if controller == NONE {
            return false;
        }
        let circuit = &mut self.by_controller[controller as usize];
        circuit.kept = false;
        let rests = circuit.rests;
        if rests {
            self.end_circuit(controller);
        }
        rests
    }
}

impl Links for ScoutedNetwork {
    fn each_of(&self, lease: Lease, tell: &mut dyn FnMut(u32)) {
        for path in 0..self.by_controller[lease.0 as usize].paths {
            let id = lease.0 * self.options.paths + path;
            self.network.each_link(id, &mut *tell);
        }
    }

    fn map(&self) -> Option<NetworkMap> {
        Some(NetworkMap::new(&self.grid, self.network.links()))
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.link_busy
    }

    fn way_lengths(&self) -> &[u64] {
        &self.ways
    }

    fn reserved(&self, now: SimTime) -> (u64, u64) {
        let ended = |circuit: &&Circuit| circuit.chip != NONE && circuit.until <= now && !circuit.kept;
        let over = self.by_controller.iter().filter(ended);
        let unheard_of: u64 = over.map(|circuit| u64::from(circuit.links)).sum();
        (self.links_reserved, self.links_released + unheard_of)
    }
}
