//! Seam `gc.relocation`: how the valid pages of a victim are relocated.
//!
//! A member is a step machine: asked again and again, it says what to relocate next. Timed run and warm-up carry out
//! the same steps.

mod copies;
mod course;
mod parity;
pub mod regression;
mod step;

use crate::building;
use crate::flash::Geometry;
use crate::future::Future;
use crate::ids::{BlockId, Lpn, PlaneId};
use crate::mapping::{BlockTable, PlaneState};
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::reading;

pub use copies::Copies;
pub use regression::Sample;
pub use step::{DestinationView, JobView, Move, Pages, Step, Way};

/// What a relocation policy may look at when it hears of the host.
#[derive(Debug, Clone, Copy)]
pub struct DriveView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// What every block holds.
    pub blocks: &'a BlockTable,
    /// What every plane has left.
    pub planes: &'a [PlaneState],
}

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

    /// In how many batches a job lifts its pages; all of a batch are written back before the next: asked once.
    fn batches(&self) -> u32 {
        1
    }

    /// Whether the way to a chip is held between the pages that are written back to it: asked once.
    fn holds(&self) -> bool {
        false
    }

    /// Whether what the host writes replaces a lifted page in the buffer, instead of being written beside it: asked
    /// once.
    fn absorbs_writes(&self) -> bool {
        false
    }

    /// The host has written a page in the buffer.
    fn on_absorbed(&mut self) {}

    /// Whether there is room for a job that is about to begin on a victim with so many valid pages; it takes that then.
    fn admits(&mut self, pages: u32) -> bool {
        let _ = pages;
        true
    }

    /// So many pages that had taken room need it no more.
    fn gives_up(&mut self, pages: u32) {
        let _ = pages;
    }

    /// A page in the buffer is not written back, because the host has replaced it. Its room it may still need.
    fn cancelled(&mut self) {}

    /// Pages that have taken room.
    fn occupied(&self) -> u32 {
        0
    }

    /// Pages of a job are about to be written back together.
    fn begin_batch(&mut self) {}

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
    /// number `source` of its block may be copied back; asked again until none. Only of a member that has a rule, which
    /// is the odd/even rule as yet.
    fn skip(&self, source: u32, next: u32, unit_pages: u32) -> u32 {
        parity::skip(source, next, unit_pages)
    }

    /// How often pages have been copied back, of a member that may be told to limit that. The drive keeps it up to
    /// date, and it is the state that is saved unless a member saves more.
    fn copies(&self) -> Option<&Copies> {
        None
    }

    /// The same, to be changed.
    fn copies_mut(&mut self) -> Option<&mut Copies> {
        None
    }

    /// A block was erased. Only of a member that borrows.
    fn on_erased(&mut self, block: BlockId) {
        let _ = block;
    }

    /// Whether it relocates pages of other full blocks than the victim, and watches what the host does: asked once.
    fn borrows(&self) -> bool {
        false
    }

    /// The host has sent a request, which reads or writes. Only of a member that borrows, as what follows.
    fn on_request(&mut self, writes: bool, drive: &DriveView<'_>) {
        let _ = (writes, drive);
    }

    /// The host has written a page; `update` if it held something before.
    fn on_write(&mut self, lpn: Lpn, update: bool, drive: &DriveView<'_>) {
        let _ = (lpn, update, drive);
    }

    /// The host has trimmed a page that held something.
    fn on_trim(&mut self, lpn: Lpn, drive: &DriveView<'_>) {
        let _ = (lpn, drive);
    }

    /// A page of a block that is no victim was relocated.
    fn on_borrowed(&mut self, lpn: Lpn, lender: BlockId, drive: &DriveView<'_>) {
        let _ = (lpn, lender, drive);
    }

    /// Whether it wants to know what the trace will write: asked once. Only of a member that borrows.
    fn wants_future(&self) -> bool {
        false
    }

    /// What the trace writes from now on, again and again.
    fn foresee(&mut self, _: Future) {}

    /// Keep what is learned from, from now on.
    fn keep_samples(&mut self) {}

    /// What was kept.
    fn samples(&self) -> &[Sample] {
        &[]
    }

    /// The policy's state, for a snapshot: no job is under way.
    fn save(&self) -> Vec<u8> {
        self.copies().map(|copies| copies.save().to_vec()).unwrap_or_default()
    }

    /// Take up a saved state. Tells whether it was understood.
    fn load(&mut self, state: &[u8]) -> bool {
        self.copies_mut().map_or(state.is_empty(), |copies| copies.load(state))
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
    "gc.relocation", Build, reading(
        &["controller", "copyback"],
        "Pages move through the controller, which checks them, or inside the plane."
    );
    controller,
    copyback,
    copyback_odd_even,
    pcgc,
    coupled,
    buffered,
}
