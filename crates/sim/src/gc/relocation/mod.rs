//! Seam `gc.relocation`: how the valid pages of a victim are relocated.

use crate::flash::Geometry;
use crate::ids::{PlaneId, Ppn};
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::PolicyChoice;

/// How one page is relocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Read over the channel into the controller, then written over the channel to the collector's frontier of the same
    /// plane. (Another plane would need room kept there for the collector, as its own plane has.)
    ThroughController,
    /// Inside its plane: array to page register to array, only commands on the channel.
    Copyback,
}

/// Decides how pages are relocated.
pub trait Relocation: Send {
    /// How the valid page at `page`, lying in `plane`, is relocated.
    fn plan(&self, page: Ppn, plane: PlaneId) -> Move;

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = fn(&PolicyChoice, &Geometry) -> Box<dyn Relocation>;

members! {
    /// Members of the seam.
    "gc.relocation", Build;
    controller,
    copyback,
}
