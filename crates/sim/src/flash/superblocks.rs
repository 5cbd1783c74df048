//! Superblocks: which planes share them, and which blocks each has (`scope.rs` says how many planes that are).

use strength_reduce::StrengthReducedU32;

use super::geometry::Geometry;
use crate::ids::{BlockId, ChannelId, DieId, PlaneId};

impl Geometry {
    /// The first of the planes that share superblocks with one; the plane itself where none do.
    #[inline]
    pub fn first_of_scope(&self, plane: PlaneId) -> PlaneId {
        PlaneId(plane.0 - plane.0 % self.superblock_planes)
    }

    /// The planes that share superblocks with one, itself among them.
    pub fn scope_of(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = self.first_of_scope(plane).0;
        (first..first + self.superblock_planes).map(PlaneId)
    }

    /// The blocks of a superblock, in the order of their planes.
    pub fn parts_of(&self, superblock: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        let per_plane = self.blocks_per_plane;
        let (scope, number) = (superblock.0 / per_plane, superblock.0 % per_plane);
        let first = scope * self.superblock_planes;
        (first..first + self.superblock_planes).map(move |plane| BlockId(plane * per_plane + number))
    }

    /// The superblock that a block is a part of.
    pub fn superblock_of(&self, block: BlockId) -> BlockId {
        let scope = self.plane_of(block).0 / self.superblock_planes;
        BlockId(scope * self.blocks_per_plane + block.0 % self.blocks_per_plane)
    }

    /// The same drive with a plane for all those that share superblocks, and a block for each superblock: as victim
    /// policies see it.
    #[must_use]
    pub fn of_superblocks(&self) -> Self {
        let scopes = self.planes() / self.superblock_planes;
        let pages_per_block = self.pages_per_block * self.superblock_planes;
        Self {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: scopes,
            planes_per_lun: scopes,
            pages_per_block,
            superblock_planes: 1,
            by_page: StrengthReducedU32::new(pages_per_block),
            die_of_plane: vec![DieId(0); scopes as usize].into(),
            channel_of_die: vec![ChannelId(0)].into(),
            ..self.clone()
        }
    }
}
