//! Which logical page is where, what every block holds, and what every plane has left: tables that decide nothing.

mod append_points;
mod bits;
mod blocks;
mod cache_space;
mod classes;
mod counters;
mod failing;
mod map;
mod parity_rows;
mod planes;
mod space;
mod streams;
mod superblocks;
mod table;
mod tally;
mod translation;

pub use append_points::{AppendPoints, MOST_OPEN_BLOCKS, Stream};
pub use bits::Bits;
pub use blocks::{BlockState, BlockTable, Cause};
pub use cache_space::{CacheCounts, CachePlane, CacheSpace};
pub use classes::{Classes, PageMove, PageWrite, UNKNOWN_CLASS};
pub use counters::{FtlCounters, PlaneCounters, StreamCounters};
pub use failing::Failing;
pub use map::{Mapping, Place, Slot};
pub use parity_rows::Rows;
pub use planes::{FreeBlocks, PlaneState};
pub(crate) use space::fresh_planes;
pub use space::{GC_RESERVE_BLOCKS, SpaceAccounting};
pub use streams::{STREAMS, Streams};
pub use superblocks::Superblocks;
pub use tally::Tally;
pub use translation::{Translation, TranslationCounts};
