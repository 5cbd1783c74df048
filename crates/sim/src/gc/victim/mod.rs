//! Seam `gc.victim`: which block is collected.
//!
//! A policy hears of every block that becomes a candidate, loses a valid page or is taken away, keeps its own
//! incremental state, and never scans the drive.

mod support;
#[cfg(test)]
mod template;

use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::mapping::{BlockTable, Mapping};
use crate::metric::Reading;
use crate::random::RandomStream;
use crate::registry::members;
use crate::settings::PolicyChoice;

/// What a victim policy may look at.
#[derive(Debug, Clone, Copy)]
pub struct BlockView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// What every block holds.
    pub blocks: &'a BlockTable,
    /// Which pages are valid.
    pub map: &'a Mapping,
    /// Pages programmed since the drive was made: the clock that ages blocks.
    pub programmed: u64,
}

/// Chooses victims.
pub trait VictimPolicy: Send {
    /// `block` is fully programmed and may be chosen from now on.
    fn on_sealed(&mut self, block: BlockId, view: &BlockView<'_>);

    /// The candidate `block` lost its valid page `page`; `view` shows it after the loss.
    fn on_invalidated(&mut self, block: BlockId, page: Ppn, view: &BlockView<'_>);

    /// A candidate was taken (chosen, or moved by wear levelling): it is no candidate any more. `view` still shows
    /// the valid count it had as one.
    fn on_removed(&mut self, block: BlockId, view: &BlockView<'_>);

    /// The victim for `plane`; `None` when it has no candidate. Does not remove it: `on_removed` follows.
    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>, stream: &mut RandomStream) -> Option<BlockId>;

    /// The policy's state, for a snapshot.
    fn save(&self) -> Vec<u8>;

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool;

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = fn(&PolicyChoice, &Geometry) -> Box<dyn VictimPolicy>;

members! {
    /// Members of the seam.
    "gc.victim", Build;
    greedy,
    fifo,
    random,
    d_choices,
    cost_benefit,
    windowed_greedy,
}
