//! The flash array: dimensions, page levels and word lines, and how long everything takes.

mod array_times;
mod cache_blocks;
mod geometry;
mod parity_rows;
mod stripes;
mod timing;
mod translation_pages;

pub use array_times::ArrayTimes;
pub use cache_blocks::CacheBlocks;
pub use geometry::{Geometry, MOST_UNIT_PAGES};
pub use parity_rows::{ParityRows, SUPERBLOCK_PARITY};
pub use stripes::Stripes;
pub use timing::Timing;
pub use translation_pages::TranslationPages;
