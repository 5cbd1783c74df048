//! The interconnect as a drive holds it: the bus by itself, any other behind its trait.

use std::ops::{Deref, DerefMut};

use super::bus::{Bus, MEMBER};
use super::{Busy, Interconnect, Lease, MEMBERS, Transfer};
use crate::building::BuildContext;
use crate::ids::DieId;
use crate::settings::PolicyChoice;
use crate::time::{Nanos, SimTime};

/// The interconnect of a drive. The bus, which most drives have, is called without a detour: once or twice for every
/// operation.
pub(crate) enum Fabric {
    /// The one shared by the chips of a channel.
    Bus(Bus),
    /// Any other, called by its trait.
    Other(Box<dyn Interconnect>),
}

impl Fabric {
    /// What a checked configuration chooses.
    pub(crate) fn new(choice: &PolicyChoice, context: &BuildContext) -> Self {
        if choice.kind == MEMBER.name {
            Self::Bus(Bus::new(&context.geometry))
        } else {
            Self::Other(MEMBERS.build_checked(choice, context))
        }
    }

    /// Whether it is a bus for each channel.
    pub(crate) fn is_bus(&self) -> bool {
        matches!(self, Self::Bus(_))
    }

    /// [`Interconnect::reserve`]. Here and below, `BUSES` promises that this is a bus; anything else panics.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub(crate) fn reserve<const BUSES: bool>(
        &mut self,
        now: SimTime,
        transfer: &Transfer,
    ) -> Result<Lease, Busy> {
        match self {
            Self::Bus(bus) => bus.reserve(now, transfer),
            Self::Other(_) if BUSES => no_bus(),
            Self::Other(other) => other.reserve(now, transfer),
        }
    }

    /// [`Interconnect::gc_time`].
    #[inline]
    pub(crate) fn gc_time<const BUSES: bool>(&self, now: SimTime, die: DieId) -> Nanos {
        match self {
            Self::Bus(bus) => bus.gc_time(now, die),
            Self::Other(_) if BUSES => no_bus(),
            Self::Other(other) => other.gc_time(now, die),
        }
    }

    /// [`Interconnect::activate`], and [`Interconnect::release`] when all has arrived, in one call.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "twice for every operation; most drives have a bus")]
    pub(crate) fn send<const BUSES: bool>(
        &mut self,
        now: SimTime,
        lease: Lease,
        transfer: &Transfer,
        length: Nanos,
    ) -> SimTime {
        match self {
            Self::Bus(bus) => bus.send(now, lease, transfer, length),
            Self::Other(_) if BUSES => no_bus(),
            Self::Other(other) => other.send(now, lease, transfer, length),
        }
    }
}

#[cold]
fn no_bus() -> ! {
    unreachable!("a drive that is known to have buses has another interconnect")
}

impl Deref for Fabric {
    type Target = dyn Interconnect;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Bus(bus) => bus,
            Self::Other(other) => other.as_ref(),
        }
    }
}

impl DerefMut for Fabric {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Bus(bus) => bus,
            Self::Other(other) => other.as_mut(),
        }
    }
}
