//! Seam `gc.relocation`: how the valid pages of a victim are relocated.
//!
//! A member is a step machine: asked again and again, it says what to relocate next. Timed run and warm-up carry out
//! the same steps.

mod copies;
mod course;
mod gc_buffer;
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
pub use gc_buffer::{BufferRules, GcBuffer};
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

/// Decides where pages in the collector's buffer are written back.
pub trait Destinations {
    /// Pages of a job are about to be written back together.
    fn begin_batch(&mut self);

    /// The plane that a page lifted out of `home` is written back to.
    fn choose(&mut self, home: PlaneId, view: &DestinationView<'_>) -> PlaneId;
}

/// Number of pages to leave empty, from page `next` of the collector's open block on, before the page with the number
/// `source` of its block may be copied back; asked again until none. The last is the number of pages of a program unit.
pub type CopybackRule = fn(source: u32, next: u32, unit_pages: u32) -> u32;

/// Relocates pages of other full blocks than the victim, and watches what the host does to choose them.
pub trait Borrowing {
    /// A block was erased.
    fn on_erased(&mut self, block: BlockId);

    /// The host has sent a request, which reads or writes.
    fn on_request(&mut self, writes: bool, drive: &DriveView<'_>);

    /// The host has written a page; `update` if it held something before.
    fn on_write(&mut self, lpn: Lpn, update: bool, drive: &DriveView<'_>);

    /// The host has trimmed a page that held something.
    fn on_trim(&mut self, lpn: Lpn, drive: &DriveView<'_>);

    /// A page of a block that is no victim was relocated.
    fn on_borrowed(&mut self, lpn: Lpn, lender: BlockId, drive: &DriveView<'_>);

    /// Whether it wants to know what the trace will write: asked once.
    fn wants_future(&self) -> bool;

    /// What the trace writes from now on, again and again.
    fn foresee(&mut self, future: Future);

    /// Keep what is learned from, from now on.
    fn keep_samples(&mut self);

    /// What was kept.
    fn samples(&self) -> &[Sample];
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

    /// The buffer of the controller into which it lifts pages, to write them back later: asked once. `None` if it has
    /// none.
    fn buffer_rules(&self) -> Option<BufferRules> {
        None
    }

    /// Where lifted pages go. Only of a member that has a buffer.
    fn destinations(&mut self) -> Option<&mut dyn Destinations> {
        None
    }

    /// Its rule about where copybacks may go, if it has one: asked once.
    fn copyback_rule(&self) -> Option<CopybackRule> {
        None
    }

    /// What it wants to hear of the host. Only of a member that relocates pages of other full blocks than the victim.
    fn borrowing(&mut self) -> Option<&mut dyn Borrowing> {
        None
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
