//! Figures: what recorders and counters amount to, one file per kind.

mod cdf;
mod classes;
mod drift;
mod ingredients;
mod one_play;
mod sections;
mod start;

pub(crate) use cdf::{buckets, cdf};
pub use classes::{ClassResult, LatencyCdfs, MeanBreakdown, RequestResults};
pub(crate) use classes::{SAMPLES_BEYOND, class_result};
pub use drift::{Drift, Trend, WindowResults};
pub(crate) use drift::{drift, mean_erased_blocks_per_plane, windows};
pub(crate) use ingredients::Ingredients;
pub use one_play::OnePlayResult;
pub(crate) use one_play::one_play;
pub use sections::{AuditResult, NetworkResult, PlanesResult, UtilisationResult, WearResult};
pub(crate) use sections::{network, planes, utilisation, wear};
pub use start::StartResult;
pub(crate) use start::start;
