//! Seam `gc.trigger`: when a plane is to be collected.

use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::registry::{PolicyChoice, members};

/// What a trigger may look at.
#[derive(Debug, Clone, Copy)]
pub struct SpaceView {
    /// The plane in question.
    pub plane: PlaneId,
    /// Its erased blocks, not counting open ones.
    pub free_blocks: u32,
    /// Pages of its sealed blocks that hold nothing valid.
    pub reclaimable_pages: u32,
}

/// Decides when planes are collected.
pub trait Trigger: Send {
    /// Whether the plane should be collected; `under_way` when a job of it has just ended and the question is
    /// whether to go on.
    fn wants(&self, view: &SpaceView, under_way: bool) -> bool;

    /// Whether the plane is so short of space that collection must go before host operations.
    fn urgent(&self, view: &SpaceView) -> bool;

    /// Free blocks per plane below which this trigger may want collection: space the host cannot count on.
    fn start_blocks(&self) -> u32;
}

/// Builds a member.
pub type Build = fn(&PolicyChoice, &Geometry) -> Box<dyn Trigger>;

members! {
    /// Members of the seam.
    "gc.trigger", Build;
    free_blocks,
}

/// Free blocks per plane the chosen trigger keeps.
pub fn start_level(choice: &PolicyChoice, geometry: &Geometry) -> u32 {
    (MEMBERS.get(choice).build)(choice, geometry).start_blocks()
}
