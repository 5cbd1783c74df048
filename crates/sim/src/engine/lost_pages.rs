//! Pages of a lost chip, and how far their rebuild has got.

use crate::ids::Lpn;

/// What is lost, and how far its rebuild has got.
#[derive(Debug)]
pub(super) struct LostPages {
    /// The pages that were lost, by stripe: each stripe has one at most.
    pub(super) pages: Vec<Lpn>,
    /// Number of them that were looked at.
    pub(super) next: usize,
    /// Number of rebuilds that have not ended, and how many there may be.
    pub(super) under_way: u32,
    pub(super) most: u32,
    /// Whether a stripe is rebuilt only while its chips have nothing else to do.
    pub(super) host_first: bool,
}
