//! The state of the translation layer, and what can be asked of it.

use super::allocation::{self, Allocation};
use super::versions::Versions;
use crate::flash::Geometry;
use crate::gc::trigger::Trigger;
use crate::gc::victim::VictimPolicy;
use crate::ids::PlaneId;
use crate::mapping::{BlockTable, FtlCounters, Mapping, PlaneState, fresh_planes};
use crate::metric::Reading;
use crate::random::RandomStream;
use crate::settings::{Config, GcFrontier};

/// The state of the translation layer.
pub struct Ftl {
    pub(super) geometry: Geometry,
    pub(super) map: Mapping,
    pub(super) blocks: BlockTable,
    pub(super) planes: Vec<PlaneState>,
    pub(super) victim: Box<dyn VictimPolicy>,
    pub(super) victim_stream: RandomStream,
    pub(super) allocation: Box<dyn Allocation>,
    pub(super) trigger: Box<dyn Trigger>,
    pub(super) shared_frontier: bool,
    pub(super) static_wear: Option<u32>,
    /// What the trigger says about space: free blocks out of the host's reach, and most jobs at once in a plane.
    pub(super) host_stop: u32,
    pub(super) jobs_per_plane: u32,
    /// Pages programmed since the drive was made: the clock that ages blocks.
    pub(super) programmed: u64,
    /// Pages of all blocks erased since the drive was made.
    pub(super) erased: u64,
    pub(super) counters: FtlCounters,
    /// Erased blocks of all planes.
    pub(super) free_blocks: u32,
    /// Planes whose trigger should be asked, because their space changed.
    pub(super) signals: Vec<PlaneId>,
    pub(super) versions: Option<Box<Versions>>,
}

impl std::fmt::Debug for Ftl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ftl").field("counters", &self.counters).finish_non_exhaustive()
    }
}

impl Ftl {
    /// A factory-fresh drive. With `audit`, every write carries a version number from the start.
    pub fn new(config: &Config, geometry: &Geometry, audit: bool) -> Self {
        let victim = (crate::gc::victim::MEMBERS.get(&config.gc.victim).build)(&config.gc.victim, geometry);
        let trigger = crate::gc::trigger::build(&config.gc.trigger, geometry)
            .expect("a loaded configuration is checked");
        let allocation =
            (allocation::MEMBERS.get(&config.ftl.allocation).build)(&config.ftl.allocation, geometry);
        let redundancy =
            (crate::redundancy::MEMBERS.get(&config.redundancy).build)(&config.redundancy, geometry);
        let logical_pages = geometry.logical_pages + redundancy.extra_logical_pages(geometry.logical_pages);
        Self {
            map: Mapping::new(logical_pages, geometry.pages()),
            blocks: BlockTable::new(geometry.blocks()),
            planes: fresh_planes(geometry, config.ftl.wear.dynamic),
            victim,
            victim_stream: RandomStream::new(config.seed, "victim"),
            allocation,
            host_stop: trigger.host_stop_blocks(),
            jobs_per_plane: trigger.jobs_per_plane(),
            trigger,
            shared_frontier: config.ftl.gc_frontier == GcFrontier::Shared,
            static_wear: config.ftl.wear.static_threshold,
            programmed: 0,
            erased: 0,
            free_blocks: geometry.blocks(),
            counters: FtlCounters::default(),
            signals: Vec::with_capacity(geometry.planes() as usize),
            versions: audit
                .then(|| Box::new(Versions::new(logical_pages, geometry.pages(), geometry.pages_per_block))),
            geometry: geometry.clone(),
        }
    }

    /// The same with a victim policy that configuration does not name, before anything is written.
    #[cfg(test)]
    pub(crate) fn with_victim(mut self, victim: Box<dyn VictimPolicy>) -> Self {
        self.victim = victim;
        self
    }

    /// The mapping.
    pub fn map(&self) -> &Mapping {
        &self.map
    }

    /// The block table.
    pub fn blocks(&self) -> &BlockTable {
        &self.blocks
    }

    /// The state of a plane.
    pub fn plane(&self, plane: PlaneId) -> &PlaneState {
        &self.planes[plane.index()]
    }

    /// The dimensions.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Erased blocks of all planes.
    pub fn free_blocks(&self) -> u32 {
        self.free_blocks
    }

    /// Number of pages written and not erased since, valid or not: a gauge of how full the flash is.
    #[inline]
    pub fn used_pages(&self) -> u64 {
        self.programmed - self.erased
    }

    /// Version numbers, when audited.
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_deref()
    }

    /// Operations since the last reset.
    pub fn counters(&self) -> &FtlCounters {
        &self.counters
    }

    /// Where the counters of allocation, trigger and victim policy stand.
    pub fn policy_readings(&self) -> [Vec<Reading>; 3] {
        [self.allocation.metrics(), self.trigger.metrics(), self.victim.metrics()]
    }

    /// Start counting afresh; low-water marks too.
    pub fn reset_counters(&mut self) {
        self.counters = FtlCounters::default();
        for plane in &mut self.planes {
            plane.low_water = plane.free.len();
        }
    }
}
