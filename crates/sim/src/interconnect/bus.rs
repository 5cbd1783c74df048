//! A shared bus per channel: its chips share it, their array times overlap.

use super::{Build, Busy, Domain, Interconnect, Lease, Sharing, Transfer};
use crate::flash::Geometry;
use crate::ids::DieId;
use crate::metric::{Metric, Reading};
use crate::registry::{Member, NoParameters, ParameterSpec};
use crate::time::{Nanos, SimTime};

pub(super) const REFUSED: Metric = Metric {
    name: "refused_transfers",
    unit: "attempts",
    about: "Attempts to begin a transfer on a channel that was taken; a transfer may try several times.",
};

pub const MEMBER: Member<Build> = Member {
    name: "bus",
    about: "one shared bus per channel; array times of its chips overlap",
    parameters: &ParameterSpec::of::<NoParameters>(),
    conflicts: &[],
    metrics: &[REFUSED],
    build: |_, context| Ok(Box::new(Bus::new(&context.geometry))),
};

/// Buses of all channels.
pub struct Bus {
    channel_of: Box<[u32]>,
    /// Each channel is taken before this instant; the end of time while a lease has no known end.
    taken_until: Box<[SimTime]>,
    busy: Box<[Nanos]>,
    /// Transfers for GC that have begun, whole lengths.
    gc_begun: Box<[Nanos]>,
    /// End of the GC transfer begun last.
    gc_end: Box<[SimTime]>,
    refused: u64,
}

const FOREVER: SimTime = SimTime(u64::MAX);

impl Bus {
    /// A bus for each channel of a drive, nobody on it.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let channels = geometry.channels as usize;
        Self {
            channel_of: (0..geometry.dies()).map(|die| geometry.channel_of(DieId(die)).0).collect(),
            taken_until: vec![SimTime::ZERO; channels].into(),
            busy: vec![Nanos(0); channels].into(),
            gc_begun: vec![Nanos(0); channels].into(),
            gc_end: vec![SimTime::ZERO; channels].into(),
            refused: 0,
        }
    }
}

impl Interconnect for Bus {
    fn sharing(&self) -> Sharing {
        Sharing { domain: Domain::Channel, ..Sharing::default() }
    }

    #[inline]
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        let channel = self.channel_of[transfer.die.index()];
        let taken_until = &mut self.taken_until[channel as usize];
        if now < *taken_until {
            self.refused += 1;
            return Err(Busy { until: (*taken_until != FOREVER).then_some(*taken_until) });
        }
        *taken_until = FOREVER;
        Ok(Lease(channel))
    }

    #[inline]
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let channel = lease.0 as usize;
        self.busy[channel] += length;
        let end = now + length;
        if transfer.for_gc {
            self.gc_begun[channel] += length;
            self.gc_end[channel] = end;
        }
        end
    }

    #[inline]
    fn release(&mut self, at: SimTime, lease: Lease) {
        debug_assert_eq!(self.taken_until[lease.0 as usize], FOREVER, "released twice");
        self.taken_until[lease.0 as usize] = at;
    }

    #[inline]
    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        let channel = self.channel_of[die.index()] as usize;
        // The transfer under way counts only as far as it has got.
        let ahead = self.gc_end[channel].0.saturating_sub(now.0);
        self.gc_begun[channel] - Nanos(ahead)
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}
