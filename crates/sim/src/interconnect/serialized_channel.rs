//! A serialised channel: one whole operation at a time, array time included (channel-aware GC, section 4;
//! SSDsim's collector).

use super::{Build, Busy, Interconnect, Lease, Transfer};
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Conflict, Member, NoParameters, ParameterSpec};
use crate::time::{Nanos, SimTime};

const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer on a channel that was taken; a transfer may try several times.",
};

pub const MEMBER: Member<Build> = Member {
    name: "serialized-channel",
    about: "one whole operation at a time on a channel, array time included",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[Conflict {
        key: "flash.suspend",
        with: &["flash.suspend.program = true", "flash.suspend.erase = true"],
        why: "a serialized-channel is held for the whole operation, so no read can reach the die to \
              suspend it; use interconnect.kind = \"bus\" or leave suspension off",
        applies: |config| config.flash.suspend.program || config.flash.suspend.erase,
    }],
    metrics: &[REFUSED],
    build: |_, context| Ok(Box::new(SerializedChannel::new(&context.geometry))),
};

/// The operation that has a channel, and since when.
#[derive(Debug, Clone, Copy)]
struct Holder {
    since: SimTime,
    for_gc: bool,
}

struct SerializedChannel {
    channel_of: Box<[u32]>,
    holder: Box<[Option<Holder>]>,
    /// Time of the operations that have ended, per channel, ns.
    held: Box<[Nanos]>,
    held_for_gc: Box<[Nanos]>,
    refused: u64,
}

impl SerializedChannel {
    fn new(geometry: &Geometry) -> Self {
        let channels = geometry.channels as usize;
        Self {
            channel_of: (0..geometry.dies()).map(|die| geometry.channel_of(DieId(die)).0).collect(),
            holder: vec![None; channels].into(),
            held: vec![Nanos(0); channels].into(),
            held_for_gc: vec![Nanos(0); channels].into(),
            refused: 0,
        }
    }
}

impl Interconnect for SerializedChannel {
    fn domains(&self) -> u32 {
        self.holder.len() as u32
    }

    fn domain_of(&self, die: DieId) -> u32 {
        self.channel_of[die.index()]
    }

    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        let channel = self.channel_of[transfer.die.index()];
        let holder = &mut self.holder[channel as usize];
        if holder.is_some() {
            self.refused += 1;
            return Err(Busy { until: None });
        }
        *holder = Some(Holder { since: now, for_gc: transfer.for_gc });
        Ok(Lease(channel))
    }

    fn activate(&mut self, now: SimTime, _: Lease, _: &Transfer, length: Nanos) -> SimTime {
        now + length
    }

    fn release(&mut self, at: SimTime, lease: Lease) {
        let channel = lease.0 as usize;
        let holder = self.holder[channel].take().expect("only a held channel is released");
        let length = at.since(holder.since);
        self.held[channel] += length;
        if holder.for_gc {
            self.held_for_gc[channel] += length;
        }
    }

    fn holds_during_array_time(&self) -> bool {
        true
    }

    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        let channel = self.channel_of[die.index()] as usize;
        let under_way = self.holder[channel].filter(|h| h.for_gc).map_or(Nanos(0), |h| now.since(h.since));
        self.held_for_gc[channel] + under_way
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.held
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}
