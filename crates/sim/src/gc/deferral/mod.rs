//! Seam `gc.deferral`: whether writes leave a chip that is about to be collected, and whether it collects when nothing
//! waits for it. The engine asks when a page of a stripe is queued, and when a die has nothing left to do.

use crate::building;
use crate::ids::PlaneId;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::alternatives::scope;
use crate::time::SimTime;

/// The plane where a page of a stripe is queued.
#[derive(Debug, Clone, Copy)]
pub struct HomeView {
    /// Number of pages that wait there to be programmed, this one included.
    pub waiting: u32,
    /// Number of pages that can be programmed there before collection starts.
    pub writable: u32,
    /// Whether its die has anything queued or under way, apart from this page.
    pub is_busy: bool,
}

/// What is asked of a page that is queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// Nothing: it stays.
    Nothing,
    /// The plane is about to be collected, but nothing is redirected for that.
    Warned,
    /// The page that has waited longest in the plane is to be redirected.
    RedirectOldest,
    /// The page that is being queued is to be redirected.
    RedirectNewest,
}

impl Concern {
    /// Whether a page is to be redirected.
    pub fn redirects(self) -> bool {
        matches!(self, Self::RedirectOldest | Self::RedirectNewest)
    }
}

/// A plane of another parity set that a page could go to.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The plane that a page could go to.
    pub plane: PlaneId,
    /// When its die will have done what is queued there, as estimated.
    pub completes: SimTime,
    /// When the next write to come will be queued there, as far as that is known.
    pub next_arrival: Option<SimTime>,
    /// Whether it has room for a page more: collection finds room, and does not start sooner than for its own pages.
    pub has_room: bool,
    /// Whether its chip holds, or will hold, another page of the same stripe.
    pub holds_member: bool,
    /// Erases of all its blocks since the drive was made.
    pub erases: u64,
}

/// Everything a page could go to.
#[derive(Debug)]
pub struct TargetsView<'a> {
    /// The planes, by their numbers.
    pub targets: &'a [Target],
    /// When the die of the page's own plane will have done what is queued there, as estimated.
    pub home_completes: SimTime,
    /// How long an idle die takes to program a page.
    pub write_unit: crate::time::Nanos,
}

/// Decides which pages are redirected, and which planes collect when nothing waits for them.
pub trait Deferral: Send {
    /// Whether it has any part in what a drive does: asked once.
    fn is_active(&self) -> bool {
        true
    }

    /// A page of a stripe is queued at its home. Warnings are counted when this is asked.
    fn on_queued(&mut self, home: PlaneId, view: &HomeView) -> Concern;

    /// Whether pages of parity are redirected, too: asked once.
    fn redirects_parity(&self) -> bool;

    /// Where a page goes; `None` if it stays. Counted when asked.
    fn choose(&mut self, view: &TargetsView<'_>) -> Option<PlaneId>;

    /// Number of requests to come that it wants to know of: asked once.
    fn looks_ahead(&self) -> u32 {
        0
    }

    /// Whether a plane is to be collected now that its die has nothing to do. It has so many free blocks beyond those
    /// at which its trigger starts; 0 if it has fewer.
    fn wants_when_idle(&self, plane: PlaneId, above_start: u32) -> bool;

    /// Whether it ever collects planes whose dies have nothing to do: asked once.
    fn collects_when_idle(&self) -> bool;

    /// A job has begun on a plane whose die had nothing to do.
    fn on_idle_job(&mut self, plane: PlaneId);

    /// A victim of a plane was erased, which leaves so many free blocks beyond those at which its trigger starts.
    fn on_erased(&mut self, plane: PlaneId, above_start: u32);

    /// Where the counters stand that the policy declares.
    fn metrics(&self) -> Vec<Reading> {
        Vec::new()
    }
}

/// Builds a member.
pub type Build = building::Build<dyn Deferral>;

members! {
    /// Members of the seam.
    "gc.deferral", Build, scope(
        &["none", "dgc"],
        "Writes may leave a chip that is about to collect."
    );
    none,
    dgc,
}
