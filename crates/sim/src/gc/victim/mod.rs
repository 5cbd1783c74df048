//! Seam `gc.victim`: which block is collected.
//!
//! A policy hears of every block that becomes a candidate, loses a valid page or is taken away, keeps its own
//! incremental state, and never scans the drive.

mod candidates;
mod support;
#[cfg(test)]
mod template;

use super::events::{BlockEvent, BlockEvents};
use crate::building;
use crate::ids::{BlockId, PlaneId, Ppn};
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::unprinted;

pub use super::events::BlockView;
pub use support::BucketLists;

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
    fn select(&mut self, plane: PlaneId, view: &BlockView<'_>) -> Option<BlockId>;

    /// A block will soon lose a valid page, if it is a candidate then: what the policy keeps of it can be fetched, and,
    /// once that `is_here`, what it points to.
    fn prefetch(&self, block: BlockId, is_here: bool, view: &BlockView<'_>) {
        let _ = (block, is_here, view);
    }

    /// What the loss of a page changes, where that is something of its plane alone, and a choice looks at nothing of
    /// other planes: then a plane may hear of its losses late, if before its next choice, with the clock of when that
    /// happened. `None` of others.
    fn by_plane(&mut self) -> Option<Losses<'_>> {
        None
    }

    /// Whether choices for all planes must come in their order then: it draws, or looks at the clock.
    fn chooses_in_turn(&self) -> bool {
        true
    }

    /// Events of blocks, candidates or not, that it hears of beside these: asked once.
    fn listens(&self) -> BlockEvents {
        BlockEvents::NONE
    }

    /// One of those events.
    fn on_block(&mut self, event: BlockEvent, block: BlockId, view: &BlockView<'_>) {
        let _ = (event, block, view);
    }

    /// What its state depends on beside its parameters, the drive's dimensions and the seed; a saved state is used only
    /// where this is the same.
    fn depends_on(&self) -> String {
        String::new()
    }

    /// The policy's state, its random stream included, for a snapshot.
    fn save(&self) -> Vec<u8>;

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool;

    /// The weight that the policy keeps of a block, for the audit; `None` of one that keeps none.
    fn block_weight(&self, block: BlockId) -> Option<u64> {
        let _ = block;
        None
    }

    /// The same, added up anew from the block's valid pages.
    fn recounted_weight(&self, block: BlockId, view: &BlockView<'_>) -> Option<u64> {
        let _ = (block, view);
        None
    }

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// What a policy does when a candidate loses a valid page.
pub enum Losses<'a> {
    /// Nothing: it goes by the order in which blocks were sealed, say.
    Ignored,
    /// It moves the block in these lists.
    Listed(&'a mut BucketLists),
    /// What `on_invalidated` does.
    Told,
}

/// Builds a member.
pub type Build = building::Build<dyn VictimPolicy>;

members! {
    /// Members of the seam.
    "gc.victim", Build, unprinted(
        &["greedy", "fifo", "random", "d-choices", "cost-benefit"],
        "Papers on other parts of collection seldom say which block is taken."
    );
    greedy,
    fifo,
    random,
    random_threshold,
    d_choices,
    cost_benefit,
    windowed_greedy,
    age_threshold,
    word_line,
    score,
    python,
}
