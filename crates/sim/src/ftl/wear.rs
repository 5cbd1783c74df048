//! Static wear levelling: when the spread of erase counts grows too wide, the least-worn data moves.

use super::state::Ftl;
use crate::ids::{BlockId, PlaneId};
use crate::mapping::BlockState;

impl Ftl {
    /// The least-erased full block of the plane, taken out of circulation, if the plane's erase counts have grown
    /// apart by more than the threshold.
    ///
    /// Looks at the plane's blocks only once in as many erases as an eighth of them, so the scan costs a constant
    /// amount per erase.
    pub fn wear_victim(&mut self, plane: PlaneId) -> Option<BlockId> {
        let threshold = self.static_wear?;
        let per_plane = self.geometry.blocks_per_plane;
        let state = &mut self.planes[plane.index()];
        // The move needs a whole block beside the reserve of the next collection.
        if state.erases_since_check < per_plane.div_ceil(8) || state.free.len() < 2 || state.jobs > 0 {
            return None;
        }
        state.erases_since_check = 0;
        let first = self.geometry.first_block(plane).0;
        let blocks = (first..first + per_plane).map(BlockId);
        let most = blocks.clone().map(|block| self.blocks.erases(block)).max()?;
        let table = &self.blocks;
        let sealed = blocks.filter(|block| table.state(*block) == BlockState::Sealed);
        let ranked = sealed.map(|block| (table.erases(block), block.0));
        let coldest = BlockId(self.policies.wear_ties.choose(ranked)?);
        if most - self.blocks.erases(coldest) <= threshold {
            return None;
        }
        if !self.fits_in_buffer(coldest) {
            return None;
        }
        self.remove_from_circulation(coldest);
        Some(coldest)
    }
}
