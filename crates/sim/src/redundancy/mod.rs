//! Seam `redundancy`: what else must be read and written when host pages are written.

use crate::building;
use crate::ids::Lpn;
use crate::metric::Reading;
use crate::registry::members;

/// Page operations a host write brings with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Companions {
    /// Pages to be written beside the host's (parity, copies), in the logical numbers above the host's.
    pub writes: Vec<Lpn>,
}

/// Decides what accompanies host writes.
pub trait Redundancy: Send {
    /// Logical pages beyond the host's `host_pages` that the scheme keeps for itself. They take logical numbers
    /// from `host_pages` up. A scheme that keeps none is never asked for companions.
    fn extra_logical_pages(&self, host_pages: u32) -> u32;

    /// What the write of a host page brings with it.
    fn companions(&self, page: Lpn, out: &mut Companions);

    /// The policy's state, for a snapshot.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool {
        state.is_empty()
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Redundancy>;

members! {
    /// Members of the seam.
    "redundancy", Build;
    none,
}
