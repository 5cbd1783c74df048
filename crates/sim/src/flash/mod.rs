//! The flash array: dimensions, page levels and word lines, and how long everything takes.

mod die;
mod geometry;
mod timing;

pub use die::{Die, GcClock, Phase, StallClock, Suspended};
pub use geometry::Geometry;
pub use timing::Timing;
