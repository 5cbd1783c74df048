//! Rows of superblocks: which parts hold the parity of the others.

use crate::ids::PlaneId;
use crate::settings::{Config, ConfigError, Superblock};

/// The redundancy that asks for it.
pub const SUPERBLOCK_PARITY: &str = "superblock-parity";

/// How parity lies in superblocks: of each, the parts of one die hold that of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParityRows {
    /// Number of dies that share superblocks.
    pub dies: u32,
    /// Number of planes of each.
    pub planes_of_die: u32,
}

impl ParityRows {
    /// What a configuration asks for, if it does, where so many planes share superblocks.
    ///
    /// # Errors
    /// When there is one die of them. Other scopes than those of several dies are refused by the policy.
    pub(super) fn new(config: &Config, planes: u32) -> Result<Option<Self>, ConfigError> {
        let of_dies = matches!(config.ftl.superblock(), Superblock::Channel | Superblock::Whole);
        if config.redundancy.kind != SUPERBLOCK_PARITY || !of_dies {
            return Ok(None);
        }
        let planes_of_die = config.geometry.planes_per_die;
        let rows = Self { dies: planes / planes_of_die, planes_of_die };
        if rows.dies < 2 {
            let reason = "superblock-parity: there is one die in each superblock, and parity lies on another \
                          than what it protects; let more dies share one (ftl.superblock = \"drive\"), or \
                          use redundancy = \"none\"";
            return Err(ConfigError::at("redundancy", reason));
        }
        Ok(Some(rows))
    }

    /// Of so many pages, data and parity together, those with data.
    pub(super) fn data_of(self, pages: u32) -> u32 {
        pages / self.dies * (self.dies - 1)
    }

    /// Number of pages of parity for so many with data.
    pub(super) fn parity_of(self, data: u32) -> u32 {
        data.div_ceil(self.dies - 1)
    }

    /// Number of parts of a superblock with data.
    pub fn data_parts(&self) -> u32 {
        (self.dies - 1) * self.planes_of_die
    }

    /// Whether a plane has a part with parity of the superblock with some number in its scope.
    #[inline]
    pub fn is_parity(&self, plane: PlaneId, number: u32) -> bool {
        plane.0 / self.planes_of_die % self.dies == number % self.dies
    }

    /// The plane with the parity of what such a superblock has in a plane.
    pub fn parity_plane(&self, plane: PlaneId, number: u32) -> PlaneId {
        let of_scope = self.dies * self.planes_of_die;
        let (first, in_die) = (plane.0 - plane.0 % of_scope, plane.0 % self.planes_of_die);
        PlaneId(first + number % self.dies * self.planes_of_die + in_die)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scopes of three dies of two planes: of superblock 4 of the second scope, die 4 mod 3 = 1 of it, with planes 8
    /// and 9, has the parity.
    #[test]
    fn parity_lies_in_the_planes_of_one_die() {
        let rows = ParityRows { dies: 3, planes_of_die: 2 };
        let of_parity: Vec<_> = (0..12).filter(|plane| rows.is_parity(PlaneId(*plane), 4)).collect();
        assert_eq!(of_parity, [2, 3, 8, 9]);
        let planes: Vec<_> = (6..12).map(|plane| rows.parity_plane(PlaneId(plane), 4).0).collect();
        assert_eq!(planes, [8, 9, 8, 9, 8, 9]);
        assert_eq!((rows.data_parts(), rows.data_of(100), rows.parity_of(66)), (4, 66, 33));
    }
}
