//! Opening blocks, and whether a drive has the spare space that its collector needs.

use super::state::Ftl;
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::gc::trigger;
use crate::ids::{BlockId, PlaneId};
use crate::mapping::{BlockState, Cause, GC_RESERVE_BLOCKS, SpaceAccounting};
use crate::settings::{Config, ConfigError, GcFrontier};

impl Ftl {
    pub(super) fn accounting(&self) -> SpaceAccounting<'_> {
        accounting!(self)
    }

    /// Pages left in a frontier block.
    #[inline]
    pub(super) fn left(&self, frontier: BlockId) -> u32 {
        self.blocks.left(frontier, self.geometry.pages_per_block)
    }

    /// Erased pages of a plane: of its free blocks, and behind what is written of open ones.
    pub fn erased_pages(&self, plane: PlaneId) -> u64 {
        let state = &self.planes[plane.index()];
        let shared = state.gc_frontier == state.host_frontier;
        let open = self.left(state.host_frontier) + if shared { 0 } else { self.left(state.gc_frontier) };
        u64::from(state.free.len()) * u64::from(self.geometry.pages_per_block) + u64::from(open)
    }

    /// Whether the host may take a page of this plane now.
    #[inline]
    pub fn host_can_take(&self, plane: PlaneId) -> bool {
        if self.counts_room {
            return self.has_host_page(plane);
        }
        let state = &self.planes[plane.index()];
        // A block for each job under way: it has less than a block to move.
        self.left(state.host_frontier) > 0 || state.free.len() > self.policies.host_stop.max(state.jobs)
    }

    #[cold]
    fn has_host_page(&self, plane: PlaneId) -> bool {
        self.accounting().room(plane) > 0
    }

    #[inline]
    pub(super) fn open_block(&mut self, plane: PlaneId) -> Option<BlockId> {
        let state = &mut self.planes[plane.index()];
        let block = state.free.pop()?;
        self.opened(plane, block);
        Some(block)
    }

    /// Opens a block for collected pages. Static wear levelling writes data that does not change to the most-worn
    /// free block.
    pub(super) fn open_gc_block(&mut self, plane: PlaneId, cause: Cause) -> BlockId {
        let state = &mut self.planes[plane.index()];
        let blocks = &self.blocks;
        let block = match cause {
            Cause::Gc => state.free.pop(),
            Cause::Wear => state.free.pop_most_erased(|block| blocks.erases(block)),
        };
        let block = block.unwrap_or_else(|| panic!("{plane:?} has no block left for collected pages"));
        self.opened(plane, block);
        block
    }

    pub(super) fn opened(&mut self, plane: PlaneId, block: BlockId) {
        self.blocks.set_state(block, BlockState::Open);
        self.free_blocks -= 1;
        let state = &mut self.planes[plane.index()];
        state.low_water = state.low_water.min(state.free.len());
        self.signals.push(plane);
        self.note_free(plane);
    }
}

/// Refuses a drive whose spare space cannot feed its collector.
///
/// # Errors
/// Says how many spare blocks a plane has and how many the trigger and the open blocks need.
pub fn check_space(config: &Config, geometry: &Geometry) -> Result<(), ConfigError> {
    let context = BuildContext::new(config, geometry);
    let kept = trigger::MEMBERS.build(&config.gc.trigger, &context)?.reserve_blocks();
    let open = if config.ftl.gc_frontier == GcFrontier::Shared { 1 } else { 2 };
    // Of every block, pages that make no whole unit are not worth collecting.
    let stranded = (geometry.unit_pages - 1) * geometry.blocks_per_plane;
    let stranded = stranded.div_ceil(geometry.pages_per_block);
    let needed = kept.max(GC_RESERVE_BLOCKS) + open + 1 + stranded;
    let spare_pages = geometry.pages() - geometry.logical_pages;
    let spare = spare_pages / geometry.planes() / geometry.pages_per_block;
    if spare < needed {
        // A block more, because the last one is rarely whole.
        let wanted = f64::from(needed + 1) * 100.0 / f64::from(geometry.blocks_per_plane) + 0.05;
        let way_out = if wanted < 60.0 {
            format!(
                "lower the user capacity (spare_factor = \"{wanted:.1}%\" would do) or lower gc.trigger.start"
            )
        } else {
            "give the planes more blocks (geometry.blocks_per_plane)".to_owned()
        };
        let reason = format!(
            "a plane has {spare} spare blocks of {}, but needs {needed}: {kept} kept free by the GC trigger, \
             {open} open, 1 to collect{}; {way_out}",
            geometry.blocks_per_plane,
            if stranded > 0 { format!(", {stranded} that make no whole unit") } else { String::new() },
        );
        return Err(ConfigError::at("geometry", &reason));
    }
    Ok(())
}
