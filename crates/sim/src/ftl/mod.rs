//! The flash translation layer: mapping, blocks, space, and the untimed half of garbage collection.
//!
//! Timed simulation and untimed warm-up drive the same state through the same methods; the timed engine only puts
//! time between *taking* a page and *committing* what was programmed there.

pub mod allocation;
pub mod mapping_cache;
pub mod placement;
pub mod separation;
pub mod slc_cache;
#[macro_use]
mod view;
mod by_plane;
mod cache;
mod collection;
mod failing;
mod lift;
mod parity_names;
mod place;
mod policies;
mod rebuild;
mod recovery;
mod relocation;
mod snapshot;
mod space;
mod spare;
mod state;
mod stripes;
mod superblocks;
mod take_over;
mod translation;
mod untimed;
mod versions;
mod writes;

pub(crate) use by_plane::{Batch, Deed};
pub use collection::NoVictim;
pub use failing::check_failing;
pub(crate) use snapshot::fingerprint_text;
pub use snapshot::{SnapshotError, noted};
pub use spare::check_space;
pub use state::Ftl;
pub use versions::Versions;

pub use crate::mapping::{
    Bits, BlockState, BlockTable, Cause, FreeBlocks, FtlCounters, GC_RESERVE_BLOCKS, Mapping, Place,
    PlaneCounters, PlaneState, Slot,
};
