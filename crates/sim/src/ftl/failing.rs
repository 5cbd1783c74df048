//! What failing blocks are to the translation layer: free no more.

use super::spare::most_failed_blocks;
use super::state::Ftl;
use crate::flash::Geometry;
use crate::ids::{BlockId, PlaneId};
use crate::mapping::{BlockState, Failing};
use crate::settings::{Config, ConfigError, OWN_START};

/// Refuses a drive that has no life before it, by the blocks that fail.
///
/// # Errors
/// When no block may fail, or as many as may have failed before the drive was made.
pub fn check_failing(config: &Config, geometry: &Geometry) -> Result<(), ConfigError> {
    let most = || most_failed_blocks(config, geometry);
    let Some(mut failing) = Failing::new(config, geometry, most) else { return Ok(()) };
    let initial = config.flash.initial_erases;
    for block in (0..geometry.blocks()).map(BlockId) {
        failing.fails(geometry.plane_of(block), block, initial);
    }
    let (left, most) = failing.spare();
    if left > 0 {
        return Ok(());
    }
    let reason = if most == 0 {
        "a plane has no block that it could do without, so that none may fail; give it more spare blocks \
         (geometry.spare_factor), or leave flash.endurance.failures out"
            .to_owned()
    } else {
        format!(
            "after {initial} erases (flash.initial_erases) the {most} blocks of a plane that may fail have \
             failed: the drive is worn out before it begins; lower flash.initial_erases"
        )
    };
    Err(ConfigError::at("flash.endurance.failures", &reason))
}

impl Ftl {
    /// A block of a plane, which is erased, is free from now on, unless it fails: that only if the plane can do
    /// without it now.
    #[inline]
    pub(super) fn free_or_fail(&mut self, plane: PlaneId, block: BlockId) {
        if self.failing.is_some() && self.has_failed(plane, block) {
            return;
        }
        self.planes[plane.index()].free.push(block, self.blocks.erases(block));
        self.free_blocks += 1;
    }

    #[cold]
    fn has_failed(&mut self, plane: PlaneId, block: BlockId) -> bool {
        let can_do_without = self.accounting().keeps_reserve(plane);
        let Some(failing) = self.failing.as_deref_mut().filter(|_| can_do_without) else { return false };
        let fails = failing.fails(plane, block, self.blocks.erases(block));
        if fails {
            self.blocks.set_state(block, BlockState::Failed);
            self.tally.note_failed();
        }
        fails
    }

    /// Takes the blocks out of a new drive that have failed before it was made.
    pub(super) fn fail_before(&mut self, initial_erases: u32) {
        let Some(failing) = self.failing.as_deref_mut() else { return };
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            let state = &mut self.planes[plane.index()];
            let free: Vec<_> = std::iter::from_fn(|| state.free.pop()).collect();
            for block in free {
                if failing.fails(plane, block, initial_erases) {
                    self.blocks.set_state(block, BlockState::Failed);
                    self.free_blocks -= 1;
                } else {
                    state.free.push(block, initial_erases);
                }
            }
            state.low_water = state.free.len();
        }
    }

    /// What has failed of a drive that was taken over.
    ///
    /// # Errors
    /// When these policies cannot do without as many blocks as others could.
    pub(super) fn recount_failed(&mut self) -> Result<(), ConfigError> {
        let Some(failing) = self.failing.as_deref_mut() else { return Ok(()) };
        failing.recount(&self.geometry, &self.blocks).map_err(|failed| {
            let reason = format!(
                "{failed} blocks of a plane failed under the policies that prepared the drive, and these can \
                 do without {}; prepare it with the policies of the run (warmup.scheme = \"{OWN_START}\")",
                failing.spare().1
            );
            ConfigError::at("flash.endurance.failures", &reason)
        })
    }

    /// Blocks that have failed since the drive was made; of those of a plane that may fail how many have not, in the
    /// plane with fewest, and how many may. Nothing where blocks do not fail.
    pub fn failed_blocks(&self) -> Option<(u32, (u32, u32))> {
        self.failing.as_deref().map(|failing| (failing.failed(), failing.spare()))
    }

    /// Whether the drive can be worn out at all by erases.
    pub(crate) fn can_wear_out(&self) -> bool {
        self.failing.as_deref().is_some_and(|failing| failing.can_wear_out(&self.geometry))
    }

    /// Whether a plane has no block left that it could do without.
    #[inline]
    pub(crate) fn is_worn_out(&self) -> bool {
        self.failing.as_deref().is_some_and(Failing::is_worn_out)
    }
}
