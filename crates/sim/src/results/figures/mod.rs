//! Figures: what recorders and counters amount to, one file per kind.

mod classes;
mod drift;
mod health;
mod ingredients;
mod lifetime;
mod measured;
mod one_play;
mod sections;
mod streams;
mod wear;

pub use classes::{ClassResult, LatencyCdfs, MeanBreakdown, RequestResults};
pub(crate) use classes::{SAMPLES_BEYOND, buckets, cdf, class_result};
pub use drift::{Drift, Trend, WindowResults};
pub(crate) use drift::{drift, windows};
pub use health::HealthResult;
pub(crate) use health::health;
pub use ingredients::StartResult;
pub(crate) use ingredients::{Ingredients, start};
pub use lifetime::LifetimeResult;
pub(crate) use lifetime::lifetime;
pub(crate) use measured::{Age, Measured};
pub use one_play::OnePlayResult;
pub(crate) use one_play::one_play;
pub use sections::{AuditResult, NetworkResult, PlanesResult, UtilisationResult};
pub(crate) use sections::{network, planes, utilisation};
pub use streams::{FdpResult, StreamResult};
pub(crate) use streams::{fdp, streams};
pub use wear::WearResult;
