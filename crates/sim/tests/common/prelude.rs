//! What nearly every file of tests uses: `use crate::common::prelude::*`.

pub use std::ops::ControlFlow;

pub use reclaim_sim::config::{Config, LoadRequest, load};
pub use reclaim_sim::flash::{Geometry, Timing};
pub use reclaim_sim::ftl::{BlockState, Cause, Ftl, Place};
pub use reclaim_sim::ids::{BlockId, Lpn, PlaneId, Ppn};
pub use reclaim_sim::random::RandomStream;
pub use reclaim_sim::{GcLog, Outcome, Results, RunOptions, SimError, audit, derive_facts, simulate};
pub use reclaim_trace::{Op, OpenOptions, Record, Trace, UniformSpec};
pub use rstest::rstest;

pub use super::refusals::*;
pub use super::short::*;
pub use super::times::*;
pub use super::{
    PLANE, Saved, TestDrive, at, config, owned, request, rows, run, run_rows, spaced_writes, trim,
};
