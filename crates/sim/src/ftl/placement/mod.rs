//! Seam `ftl.placement`: which of the open blocks of its plane a page of the host goes to.

mod levels;

use crate::building;
use crate::future::Future;
use crate::ids::Lpn;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::scope;

/// Decides which open block a page goes to.
pub trait Placement: Send {
    /// How many open blocks of the host a plane may have; `None` for one, about which nothing is asked.
    fn open_blocks(&self) -> Option<u32> {
        None
    }

    /// The host has written a page; called in the order in which the drive accepts pages.
    fn on_write(&mut self, _: Lpn) {}

    /// The host has trimmed a page that was somewhere.
    fn on_trim(&mut self, _: Lpn) {}

    /// Which of several open blocks a page should go to: the level of the next page of each is given, 0 the fastest.
    fn choose(&mut self, lpn: Lpn, next_levels: &[u32]) -> usize;

    /// Whether it wants to know what the trace will write.
    fn wants_future(&self) -> bool {
        false
    }

    /// What the trace writes from now on, again and again.
    fn foresee(&mut self, _: Future) {}

    /// Memory of its tables, bytes, without what it keeps of a trace.
    fn bytes(&self) -> u64 {
        0
    }

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
pub type Build = building::Build<dyn Placement>;

members! {
    /// Members of the seam.
    "ftl.placement", Build, scope(
        &["append", "level-by-history"],
        "A drive may know levels of pages and put data on them by its lifetime."
    );
    append,
    level_by_history,
    level_by_future,
}
