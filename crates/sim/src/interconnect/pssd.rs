//! A bus for each channel that carries packets, and is wider because packets need no pins of their own for control
//! (pSSD, Kim et al., MICRO 2022); `docs/model.md`, 12.23.

use schemars::JsonSchema;
use serde::Deserialize;

use super::bus::{Bus, REFUSED};
use super::{Build, Busy, Interconnect, Lease, Sharing, Transfer};
use crate::ids::DieId;
use crate::metric::Reading;
use crate::registry::{Member, ParameterSpec, parameters};
use crate::settings::Time;
use crate::settings::alternatives::{reading, unprinted};
use crate::time::{Nanos, SimTime};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Parameters {
    /// How many times as fast as `channel` says everything crosses the bus, from 1.
    #[schemars(extend("x-alternatives" = reading(
        &["1", "2"],
        "Packets double the rate of the bus, or leave it as it is."
    )))]
    speed: u32,
    /// Time that the header of a packet takes: a transfer is one.
    #[schemars(extend("x-alternatives" = unprinted(
        &["0ns", "20ns"],
        "What the header of a packet takes is not printed."
    )))]
    packet_header: Time,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { speed: 2, packet_header: Time(Nanos(0)) }
    }
}

const FASTEST: u32 = 64;
const LONGEST_HEADER: Nanos = Nanos(1_000_000_000);

pub const MEMBER: Member<Build> = Member {
    name: "pssd",
    about: "one shared bus per channel that carries packets, twice as fast",
    parameters: &ParameterSpec::of::<Parameters>(),
    conflicts: &[],
    metrics: &[REFUSED],
    build: |choice, context| {
        let Parameters { speed, packet_header } = parameters(choice);
        if !(1..=FASTEST).contains(&speed) {
            return Err(format!("speed {speed}: from 1 to {FASTEST}"));
        }
        if packet_header.0 > LONGEST_HEADER {
            return Err(format!("packet_header {packet_header} is longer than a second"));
        }
        Ok(Box::new(PacketBus { bus: Bus::new(&context.geometry), speed, header: packet_header.0 }))
    },
};

struct PacketBus {
    bus: Bus,
    speed: u32,
    header: Nanos,
}

impl Interconnect for PacketBus {
    fn sharing(&self) -> Sharing {
        self.bus.sharing()
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        self.bus.reserve(now, transfer)
    }

    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let packet = Nanos(length.0.div_ceil(u64::from(self.speed))) + self.header;
        self.bus.activate(now, lease, transfer, packet)
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        self.bus.release(at, lease);
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        self.bus.gc_time(now, die)
    }

    fn busy_time(&self) -> &[Nanos] {
        self.bus.busy_time()
    }

    fn metrics(&self) -> Vec<Reading> {
        self.bus.metrics()
    }
}
