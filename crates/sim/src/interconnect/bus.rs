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
    channels: Box<[Channel]>,
    busy: Box<[Nanos]>,
    refused: u64,
}

/// What is known of one bus. On its own half of a cache line.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Channel {
    /// It is taken before this instant; the end of time while a lease has no known end.
    taken_until: SimTime,
    /// Transfers for GC that have begun, whole lengths.
    gc_begun: Nanos,
    /// End of the GC transfer begun last.
    gc_end: SimTime,
}

impl Bus {
    /// A bus for each channel of a drive, nobody on it.
    pub(super) fn new(geometry: &Geometry) -> Self {
        let channels = geometry.channels as usize;
        let idle = Channel { taken_until: SimTime::ZERO, gc_begun: Nanos(0), gc_end: SimTime::ZERO };
        Self {
            channel_of: (0..geometry.dies()).map(|die| geometry.channel_of(DieId(die)).0).collect(),
            channels: vec![idle; channels].into(),
            busy: vec![Nanos(0); channels].into(),
            refused: 0,
        }
    }

    /// [`Interconnect::activate`], and [`Interconnect::release`] when all has arrived, with one look at the channel.
    #[inline]
    pub(super) fn send(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let end = now + length;
        self.busy[lease.0 as usize] += length;
        let channel = &mut self.channels[lease.0 as usize];
        debug_assert_eq!(channel.taken_until, SimTime::NEVER, "sent without a lease");
        channel.carry(transfer, length, end);
        channel.taken_until = end;
        end
    }
}

impl Channel {
    /// A transfer begins, which will end at `end`.
    #[inline]
    fn carry(&mut self, transfer: &Transfer, length: Nanos, end: SimTime) {
        if transfer.for_gc {
            self.gc_begun += length;
            self.gc_end = end;
        }
    }
}

impl Interconnect for Bus {
    fn sharing(&self) -> Sharing {
        Sharing { domain: Domain::Channel, ..Sharing::default() }
    }

    #[inline]
    fn reserve(&mut self, now: SimTime, transfer: &Transfer) -> Result<Lease, Busy> {
        let number = self.channel_of[transfer.die.index()];
        let channel = &mut self.channels[number as usize];
        if now < channel.taken_until {
            self.refused += 1;
            return Err(Busy {
                until: (channel.taken_until != SimTime::NEVER).then_some(channel.taken_until),
            });
        }
        channel.taken_until = SimTime::NEVER;
        Ok(Lease(number))
    }

    #[inline]
    fn activate(&mut self, now: SimTime, lease: Lease, transfer: &Transfer, length: Nanos) -> SimTime {
        let end = now + length;
        self.busy[lease.0 as usize] += length;
        self.channels[lease.0 as usize].carry(transfer, length, end);
        end
    }

    #[inline]
    fn release(&mut self, at: SimTime, lease: Lease) {
        let channel = &mut self.channels[lease.0 as usize];
        debug_assert_eq!(channel.taken_until, SimTime::NEVER, "released twice");
        channel.taken_until = at;
    }

    #[inline]
    fn gc_time(&self, now: SimTime, die: DieId) -> Nanos {
        let channel = &self.channels[self.channel_of[die.index()] as usize];
        // The transfer under way counts only as far as it has got.
        let ahead = channel.gc_end.0.saturating_sub(now.0);
        channel.gc_begun - Nanos(ahead)
    }

    fn busy_time(&self) -> &[Nanos] {
        &self.busy
    }

    fn metrics(&self) -> Vec<Reading> {
        vec![REFUSED.is(self.refused)]
    }
}
