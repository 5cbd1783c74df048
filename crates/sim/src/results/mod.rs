//! The results of a run, made of what was recorded: everything a report needs.

mod figures;
#[allow(clippy::module_inception)]
mod results;
mod verdict;

pub use crate::host::BufferResult;
pub use crate::metrics::{FlashResult, GcResult, PolicyMetric, PolicyResults};
pub(crate) use figures::{Age, Ingredients, Measured, buckets, one_play, start};
pub use figures::{
    AuditResult, ClassResult, Drift, LatencyCdfs, MeanBreakdown, OnePlayResult, PlanesResult, RequestResults,
    StartResult, Trend, UtilisationResult, WearResult, WindowResults,
};
pub(crate) use results::results;
pub use results::{FORMAT, Results, schema};
pub use verdict::{Code, LARGE_BUFFER, Level, Remark, Verdict};
