//! Seam `gc.concurrency`: how many planes collect at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::building;
use crate::flash::Geometry;
use crate::ids::PlaneId;
use crate::metric::Reading;
use crate::registry::members;
use crate::settings::Ratio;
use crate::settings::alternatives::reading;

/// What a limit may look at.
#[derive(Debug)]
pub struct JobsView<'a> {
    /// The drive's dimensions.
    pub geometry: &'a Geometry,
    /// Jobs under way on each channel.
    pub jobs_per_channel: &'a [u32],
    /// Number of pages written and not erased since, valid or not.
    pub used_pages: u64,
    /// Number of pages in flash that hold valid data.
    pub valid_pages: u64,
    /// Whether nothing is queued or under way on any die of the channel of the plane in question. Only told to a
    /// policy that waits for that.
    pub channel_idle: bool,
}

impl JobsView<'_> {
    /// Channels that collect.
    pub fn active_channels(&self) -> u32 {
        self.jobs_per_channel.iter().filter(|jobs| **jobs > 0).count() as u32
    }

    /// Whether the channel of a plane collects.
    pub fn is_active(&self, plane: PlaneId) -> bool {
        self.jobs_per_channel[self.geometry.channel_of(self.geometry.die_of(plane)).index()] > 0
    }

    /// Channels that would collect if a job started on a plane.
    pub fn active_channels_with(&self, plane: PlaneId) -> u32 {
        self.active_channels() + u32::from(!self.is_active(plane))
    }
}

/// Decides whether one more plane may collect.
pub trait Concurrency: Send {
    /// Whether a job may start on `plane` now. A stalled plane, where a host write waits for a page, is never held
    /// back.
    fn may_start(&mut self, plane: PlaneId, view: &JobsView<'_>) -> bool;

    /// Whether it may hold a job back at all: asked once. Planes held back are asked again when a host write begins to
    /// wait for a page, and idle collection asks, too.
    fn holds_back(&self) -> bool {
        true
    }

    /// Whether it waits for channels to fall idle: asked once. Planes held back are asked again then.
    fn waits_for_idle(&self) -> bool {
        false
    }

    /// Most channels that may collect now; `None` if the policy names no such number. The audit checks every start
    /// against it.
    fn channel_limit(&self, view: &JobsView<'_>) -> Option<u32> {
        let _ = view;
        None
    }

    /// Whether that limit changes with the state of the drive: asked once. Planes held back are asked again when it has
    /// grown.
    fn limit_changes(&self) -> bool {
        false
    }

    /// Whether its answers may change with anything that it is told, and no limit says when: asked once. Planes held
    /// back are asked again after every event that has changed something of it.
    fn changes_with_everything(&self) -> bool {
        false
    }

    /// Whether the limit goes by what was, too: asked once. It is then looked at after every event.
    fn remembers(&self) -> bool {
        false
    }

    /// Something has happened. `drained`: no channel collects, no plane waits to, and the trigger has listed no block.
    fn note_jobs(&mut self, view: &JobsView<'_>, drained: bool) {
        let _ = (view, drained);
    }

    /// A job is about to start on a stalled plane, which nothing holds back.
    fn on_emergency(&mut self, plane: PlaneId, view: &JobsView<'_>) {
        let _ = (plane, view);
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
pub type Build = building::Build<dyn Concurrency>;

members! {
    /// Members of the seam.
    "gc.concurrency", Build, reading(
        &["all", "channels"],
        "Any number of planes collects at once, or a part of the channels."
    );
    all,
    channels,
    adaptive,
    python,
}

/// Which pages are in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Usage {
    /// All that were programmed and not erased since, valid or not.
    #[default]
    Programmed,
    /// Those that hold valid data. Deletes lower it just when they make victims.
    Valid,
}

impl Usage {
    /// Number of pages in use.
    fn pages(self, view: &JobsView<'_>) -> u64 {
        match self {
            Self::Programmed => view.used_pages,
            Self::Valid => view.valid_pages,
        }
    }

    /// Whether at least this share of `pages`, all of the drive's, is in use.
    fn is_at_least(self, share: Ratio, pages: u64, view: &JobsView<'_>) -> bool {
        u128::from(self.pages(view)) * 1_000_000 >= u128::from(share.ppm) * u128::from(pages)
    }
}
