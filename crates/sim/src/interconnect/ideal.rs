//! An ideal interconnect: every die has a channel of its own, so nothing ever waits for a transfer (the upper bound of
//! any network).

use super::{Build, Busy, Domain, Interconnect, Lease, Sharing, Transfer};
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::registry::{Member, NoParameters, ParameterSpec};
use crate::time::{Nanos, SimTime};

pub const MEMBER: Member<Build> = Member {
    name: "ideal",
    about: "no contention: every die has a channel of its own",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[],
    build: |_, context| Ok(Box::new(Ideal::new(&context.geometry))),
};

struct Ideal {
    busy: Box<[Nanos]>,
}

impl Ideal {
    fn new(geometry: &Geometry) -> Self {
        Self { busy: vec![Nanos(0); geometry.dies() as usize].into() }
    }
}

impl Interconnect for Ideal {
    fn sharing(&self) -> Sharing {
        Sharing { domain: Domain::Die, ..Sharing::default() }
    }

    fn reserve(&mut self, _: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        Ok(Lease(transfer.die.0))
    }

    fn activate(&mut self, now: SimTime, lease: Lease, _: &Transfer, length: Nanos) -> SimTime {
        self.busy[lease.0 as usize] += length;
        now + length
    }

    fn release(&mut self, _: SimTime, _: Lease) {}

    fn gc_time(&self, _: SimTime, _: DieId) -> Nanos {
        Nanos(0)
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }
}
