//! Names of things: `u32` newtypes, so that a block number can never be used as a plane number.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Stands for "no such thing"; never a valid number.
            pub const NONE: Self = Self(u32::MAX);

            /// The number as an index into a table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Whether this names something.
            #[inline]
            pub fn is_some(self) -> bool {
                self != Self::NONE
            }
        }
    };
}

id!(
    /// Logical page number: what the host addresses, in units of the flash page.
    Lpn
);
id!(
    /// Physical page number, global: `block * pages_per_block + page`.
    Ppn
);
id!(
    /// Physical block number, global: `plane * blocks_per_plane + block`.
    BlockId
);
id!(
    /// Plane number, global: `die * planes_per_die + plane`.
    PlaneId
);
id!(
    /// Die (LUN) number, global: `chip * dies_per_chip + die`; the chip's number where its dies do not overlap.
    DieId
);
id!(
    /// Chip number, global: `channel * chips_per_channel + chip`.
    ChipId
);
id!(
    /// Channel number, counted from 0 over the drive.
    ChannelId
);
id!(
    /// A page operation in the engine's arena.
    OpId
);
id!(
    /// A collection job under way.
    JobId
);
id!(
    /// A host request in flight.
    RequestId
);
id!(
    /// Pages of one stripe that are written, or read, together.
    JoinId
);
id!(
    /// Pages that a collection job relocates with one program.
    UnitId
);
id!(
    /// A page held in the controller's buffer.
    SlotId
);
