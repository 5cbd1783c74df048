//! The flash array: dimensions, page levels and word lines, and how long everything takes.

mod geometry;
mod stripes;
mod timing;

pub use geometry::{Geometry, MOST_UNIT_PAGES};
pub use stripes::Stripes;
pub use timing::Timing;
