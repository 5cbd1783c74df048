//! Two buses to each chip: that of its channel, and one across the channels (pnSSD, Kim et al., MICRO 2022);
//! `docs/model.md`, 12.24.

use schemars::JsonSchema;
use serde::Deserialize;

use super::gc_clock::GcClocks;
use super::{
    Build, Busy, Direction, Interconnect, Lease, ORDER_IS_READ, ORDERS, Order, Refusals, Sharing, Transfer,
};
use crate::building::BuildContext;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Ties;
use crate::settings::alternatives::{SWITCH, reading, unprinted};
use crate::ties::TieBreaker;
use crate::time::{Nanos, SimTime};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// Whether a transfer takes both buses, half of it each, where both are free.
    #[schemars(extend("x-alternatives" = reading(SWITCH, "A transfer takes one of the two buses, or both.")))]
    split: bool,
    /// Whether collection has the buses across the channels, and the host those of the channels, each to itself.
    #[schemars(extend("x-alternatives" = reading(
        SWITCH,
        "Collection has buses of its own, or shares them."
    )))]
    spatial_gc: bool,
    /// Which of the two is taken where both are free, with neither `split` nor `spatial_gc`: `lowest` is that of the
    /// channel.
    #[schemars(extend("x-alternatives" = unprinted(
        &["rotating", "lowest", "random"],
        "Which of several equally near controllers is taken is not printed."
    )))]
    ties: Ties,
    /// Who asks first when dies that wait are served: those who wait, in the order of their lines, or whoever comes at
    /// that instant.
    #[schemars(extend("x-alternatives" = reading(ORDERS, ORDER_IS_READ)))]
    order: Order,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { split: false, spatial_gc: false, ties: Ties::Lowest, order: Order::default() }
    }
}

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer to a chip none of whose buses was free, each time.",
};
const ACROSS: Metric = Metric {
    name: "transfers_across",
    unit: "transfers",
    about: "Transfers over a bus across the channels alone.",
};
const SPLIT: Metric =
    Metric { name: "split_transfers", unit: "transfers", about: "Transfers over both buses of their chip." };

pub const MEMBER: Member<Build> = Member {
    name: "pnssd",
    about: "two buses to each chip: that of its channel, and one across the channels",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED, ACROSS, SPLIT],
    build: |choice, context| {
        let given: Parameters = parameters(choice);
        if given.split && given.spatial_gc {
            return Err("split = true: with spatial_gc = true a transfer has one bus only".to_owned());
        }
        Ok(Box::new(CrossedBuses::new(&given, context)))
    },
};

/// A bus of a chip, as a bit of a lease.
const ALONG: u32 = 1;
const BESIDE: u32 = 2;

struct CrossedBuses {
    split: bool,
    spatial_gc: bool,
    order: Order,
    /// Among both buses of a chip.
    ties: TieBreaker,
    chip_of: Box<[u32]>,
    /// Both buses of each chip: those of the channels come first in the numbers of buses.
    buses: Box<[[u32; 2]]>,
    /// Each bus is taken before this instant; the end of time while that is not known.
    taken_until: Box<[SimTime]>,
    busy: Box<[Nanos]>,
    gc_clocks: GcClocks,
    refused: u64,
    across: u64,
    both: u64,
}

impl CrossedBuses {
    fn new(given: &Parameters, context: &BuildContext) -> Self {
        let geometry = &context.geometry;
        let (channels, ways) = (geometry.channels, geometry.chips_per_channel);
        let chips = 0..channels * ways;
        let number = (channels + ways) as usize;
        Self {
            split: given.split,
            ties: TieBreaker::new(given.ties, number as u32, context.stream("controller")),
            spatial_gc: given.spatial_gc,
            order: given.order,
            chip_of: (0..geometry.dies()).map(|die| geometry.chip_of(DieId(die)).0).collect(),
            buses: chips.clone().map(|chip| [chip / ways, channels + chip % ways]).collect(),
            taken_until: vec![SimTime::ZERO; number].into(),
            busy: vec![Nanos(0); number].into(),
            gc_clocks: GcClocks::new(chips.map(|chip| chip / ways).collect(), number),
            refused: 0,
            across: 0,
            both: 0,
        }
    }

    /// The buses that a lease names.
    #[inline]
    fn of(&self, lease: Lease) -> impl Iterator<Item = usize> + use<> {
        let buses = self.buses[lease.0 as usize / 4];
        [ALONG, BESIDE]
            .into_iter()
            .zip(buses)
            .filter(move |(bit, _)| lease.0 & bit != 0)
            .map(|(_, bus)| bus as usize)
    }
}

impl CrossedBuses {
    /// The buses of a die that are free and may be taken.
    #[inline]
    fn free_of(&mut self, now: SimTime, die: DieId, for_gc: bool) -> Result<u32, Busy> {
        let allowed = match (self.spatial_gc, for_gc) {
            (false, _) => ALONG | BESIDE,
            (true, false) => ALONG,
            (true, true) => BESIDE,
        };
        let buses = self.buses[self.chip_of[die.index()] as usize];
        let [along, beside] = buses.map(|bus| self.taken_until[bus as usize]);
        let mut free = 0;
        free |= if along <= now { ALONG & allowed } else { 0 };
        free |= if beside <= now { BESIDE & allowed } else { 0 };
        if free != 0 {
            return Ok(free);
        }
        self.refused += 1;
        let ends = [(ALONG, along), (BESIDE, beside)].into_iter().filter(|(bus, _)| allowed & bus != 0);
        // Of one whose end is not known, those who wait hear when its transfer begins.
        let known = ends.map(|(_, until)| until).filter(|until| *until != SimTime::NEVER);
        Err(Busy { until: known.min() })
    }
}

impl Interconnect for CrossedBuses {
    fn sharing(&self) -> Sharing {
        self.order.sharing()
    }

    fn refusals(&mut self) -> Option<&mut dyn Refusals> {
        Some(self)
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        let chip = self.chip_of[transfer.die.index()];
        let free = self.free_of(now, transfer.die, transfer.for_gc)?;
        let taken = match free {
            3 if self.split => 3,
            1 | 2 => free,
            _ => {
                let buses = self.buses[chip as usize];
                let chosen = self.ties.choose(buses.into_iter().map(|bus| ((), bus)));
                if chosen == Some(buses[0]) { ALONG } else { BESIDE }
            }
        };
        self.across += u64::from(taken == BESIDE);
        self.both += u64::from(taken == ALONG | BESIDE);
        let lease = Lease(chip * 4 + taken);
        for bus in self.of(lease) {
            self.taken_until[bus] = SimTime::NEVER;
        }
        Ok(lease)
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let both = lease.0 & 3 == ALONG | BESIDE;
        let lasts = if both { Nanos(length.0.div_ceil(2)) } else { length };
        let end = now + lasts;
        for bus in self.of(lease) {
            self.busy[bus] += lasts;
            if transfer.for_gc {
                self.gc_clocks.run(now, end, bus as u32);
            }
        }
        end
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        for bus in self.of(lease) {
            debug_assert_eq!(self.taken_until[bus], SimTime::NEVER, "released twice");
            self.taken_until[bus] = at;
        }
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        self.gc_clocks.read(now, self.chip_of[die.index()])
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn carrier(&self, lease: Lease) -> u32 {
        self.of(lease).next().unwrap_or(0) as u32
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused), ACROSS.is(self.across), SPLIT.is(self.both)]
    }
}

impl Refusals for CrossedBuses {
    fn refuse_at_once(&mut self, now: SimTime, die: DieId, for_gc: bool, _: Direction) -> Option<Busy> {
        self.free_of(now, die, for_gc).err()
    }
}
