//! Seam `gc.relocation`: how the valid pages of a victim are relocated.
//!
//! A member is a step machine: asked again and again, it says what to relocate next. Timed run and warm-up carry out
//! the same steps.

mod step;

use crate::building;
use crate::ids::PlaneId;
use crate::metric::Reading;
use crate::registry::members;

pub use step::{DestinationView, JobView, Move, Pages, Step, Way};

/// Decides how pages are relocated.
pub trait Relocation: Send {
    /// A job begins on a victim of which nothing is relocated yet.
    fn begin(&mut self, job: &JobView<'_>) {
        let _ = job;
    }

    /// What the job is to do next.
    fn next(&mut self, job: &JobView<'_>) -> Step;

    /// The way of a member whose steps are always the next valid page by itself, where a program covers one page: asked
    /// once, so that nobody has to ask for every page.
    fn every_page(&self) -> Option<Way> {
        None
    }

    /// Whether it lifts pages into a buffer of the controller and writes them back later: asked once.
    fn lifts(&self) -> bool {
        false
    }

    /// Whether there is room for so many pages of a job that is about to begin, which it takes then.
    fn admits(&mut self, pages: u32) -> bool {
        let _ = pages;
        true
    }

    /// So many pages that had taken room need it no more.
    fn gives_up(&mut self, pages: u32) {
        let _ = pages;
    }

    /// A page in the buffer is not written back, because the host has replaced it.
    fn cancelled(&mut self) {}

    /// Pages that have taken room.
    fn occupied(&self) -> u32 {
        0
    }

    /// The plane that a lifted page of `home` is written back to.
    fn destination(&mut self, home: PlaneId, view: &DestinationView<'_>) -> PlaneId {
        let _ = view;
        home
    }

    /// Whether it has a rule about where copybacks may go: asked once.
    fn has_rule(&self) -> bool {
        false
    }

    /// Number of pages to leave empty, from page `next` of the collector's open block on, before the page with the
    /// number `source` of its block may be copied back; asked again until none. Only of a member that has a rule.
    fn skip(&self, source: u32, next: u32, unit_pages: u32) -> u32 {
        let _ = (source, next, unit_pages);
        0
    }

    /// The policy's state, for a snapshot: no job is under way.
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
pub type Build = building::Build<dyn Relocation>;

members! {
    /// Members of the seam.
    "gc.relocation", Build;
    controller,
    copyback,
    copyback_odd_even,
    buffered,
}
