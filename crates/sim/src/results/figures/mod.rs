//! Figures: what recorders and counters amount to, one file per kind.

mod classes;
mod drift;
mod ingredients;
mod one_play;
mod sections;

pub use classes::{ClassResult, LatencyCdfs, MeanBreakdown, RequestResults};
pub(crate) use classes::{SAMPLES_BEYOND, buckets, cdf, class_result};
pub use drift::{Drift, Trend, WindowResults};
pub(crate) use drift::{drift, mean_erased_blocks_per_plane, windows};
pub use ingredients::StartResult;
pub(crate) use ingredients::{Ingredients, start};
pub use one_play::OnePlayResult;
pub(crate) use one_play::one_play;
pub use sections::{AuditResult, NetworkResult, PlanesResult, UtilisationResult, WearResult};
pub(crate) use sections::{network, planes, utilisation, wear};
