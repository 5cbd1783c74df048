//! Seam `gc.concurrency`: how many planes collect at once.

use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::PolicyChoice;

/// What a limit may look at.
#[derive(Debug)]
pub struct JobsView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// Jobs under way on each channel.
    pub jobs_per_channel: &'a [u32],
    /// Share of all blocks that is not erased and free: 0 to 1.
    pub used_share: f64,
}

/// Decides whether one more plane may collect.
pub trait Concurrency: Send {
    /// Whether a job may start on `plane` now. A plane that is out of space is never held back.
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool;

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = fn(&PolicyChoice, &Geometry) -> Box<dyn Concurrency>;

members! {
    /// Members of the seam.
    "gc.concurrency", Build;
    all,
    channels,
}
